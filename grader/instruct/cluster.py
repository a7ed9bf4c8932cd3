"""Grade on a Dask cluster: the same as the pool of processes, on other machines.

A task of Dask hands its text to a process of the pool, which it starts beside its worker, for three
reasons. Workers of Dask are daemons, which may have no children of `multiprocessing`. Dask's memory
limits watch the worker, and the sandbox limits the submission. And when such a process dies, the
worker lives, so none of its other tasks is blamed. What comes back is JSON, and no object of a
student's. Dask keeps nothing when it ends: each result is stored the moment it arrives, so a batch
goes on from there.

Every worker needs this project at the same state, and the records under the same path. Each says by
its digests which it has, before it grades.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import ModuleType

from grader.errors import UserError
from grader.instruct import pool
from grader.instruct.pool import Answer, Task

PATIENCE = 60  # seconds without a worker, or without a scheduler that answers
AHEAD = 3  # tasks of each thread that are with the scheduler
_lock = threading.Lock()
_free: dict[str, list[pool.Process]] = {}  # in a worker of Dask: processes that have nothing to do


def grade(
    tasks: Iterable[Task],
    references: Path,
    scheduler: str,
    *,
    core: bool = False,
    digests: tuple[str, str] = ("", ""),
) -> Iterator[tuple[Task, Answer]]:
    """Grade texts on a cluster.

    Args:
        tasks: are taken one by one, so that not all are in memory.
        references: folder of the records, which each worker has under the same path.
        scheduler: its address, or the path of the file that it writes.
        core: whether the core cases alone are run.
        digests: of the grader and of the records, as they are here.

    Yields:
        Each task with its answer, as they come.

    Raises:
        UserError: Dask is not installed, the scheduler does not answer, there is no worker, or a
            worker has another grader or other records.
    """
    distributed = _library()
    setting = {
        "run": secrets.token_hex(8),  # no key of an earlier run: Dask would return its answer
        "references": str(references.resolve()),
        "core": core,
        "digests": list(digests),
    }
    with _client(distributed, scheduler) as client:
        try:
            threads = _agreed(client, setting)
            yield from _graded(distributed, client, iter(tasks), setting, AHEAD * threads)
        finally:
            with contextlib.suppress(Exception):  # a worker that is gone has closed them
                client.run(close, setting["run"])


def _library() -> ModuleType:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise UserError("A cluster needs Dask: pip install -c constraints.txt distributed") from (
            error
        )
    return distributed


def _client(distributed: ModuleType, scheduler: str):
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        return distributed.Client(**where, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"No scheduler of Dask answers at {scheduler}: {error}.") from error


def _agreed(client, setting: Mapping) -> int:
    """How many threads the workers have together, when all have the grader and the records."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        told = client.run(refusal, setting)
    except TimeoutError as error:
        raise UserError(
            f"The scheduler had no worker for {PATIENCE} seconds: start some with dask worker."
        ) from error
    except Exception as error:  # what the worker raised comes here as it is
        raise UserError(
            f"A worker cannot run the grader ({type(error).__name__}: {error}). Install this "
            "project there, with the same constraints.txt."
        ) from error
    for name, said in told.items():
        if said:
            raise UserError(f"The worker {name} would give other marks: {said}")
    return sum(client.nthreads().values())


def _graded(
    distributed: ModuleType, client, todo: Iterator[Task], setting: Mapping, most: int
) -> Iterator[tuple[Task, Answer]]:
    waiting: dict = {}
    try:
        while True:
            for task in islice(todo, most - len(waiting)):
                told = {"source": task.source.decode(), "exercises": [*task.exercises]}
                key = f"grade-{setting['run']}-{task.digest}"
                future = client.submit(answered, told, setting, key=key, pure=False)
                waiting[future] = task
            if not waiting:
                return
            for future in _done(distributed, client, waiting):
                yield waiting.pop(future), _answer(future)
                future.release()
    finally:
        with contextlib.suppress(Exception):
            client.cancel([*waiting], force=True)


def _done(distributed: ModuleType, client, waiting: Mapping) -> Iterable:
    """Those that have ended, when one has.

    Raises:
        UserError: there is nobody left who could end one.
    """
    while True:
        try:
            return distributed.wait(
                [*waiting], timeout=PATIENCE, return_when="FIRST_COMPLETED"
            ).done
        except distributed.CancelledError:  # of these, wait tells nothing else
            if ended := [one for one in waiting if one.done()]:
                return ended
        except TimeoutError:
            if client.status != "running" or not client.nthreads():
                raise UserError(
                    f"The cluster has no worker any more: {len(waiting)} texts did not come "
                    "back. Run this again; what is graded stays."
                ) from None


def _answer(future) -> Answer:
    """A worker that died, or a task that was lost, is the news that there is no result."""
    if future.status == "finished":
        return Answer(**json.loads(future.result()))
    error = future.exception() if future.status == "error" else "it was cancelled"
    return Answer({}, f"The cluster gave no answer: {type(error).__name__}: {error}")


# What runs in a worker of Dask


def refusal(setting: Mapping) -> str:
    """Why this machine would give other marks; nothing where it would not."""
    return _refusal(setting["run"], setting["references"], *setting["digests"])


@lru_cache(maxsize=4)
def _refusal(run: str, references: str, grader: str, recorded: str) -> str:
    from grader.instruct import batch, hidden

    if batch.grader_digest() != grader:
        return "its grader or its libraries are not those from here."
    try:
        there = hidden.read(Path(references)).digest
    except UserError as error:
        return str(error)
    return "" if there == recorded else f"its records in {references} are not those from here."


def answered(told: Mapping, setting: Mapping) -> str:
    """Grade a text in a process of its own; the answer as JSON."""
    if said := refusal(setting):  # a worker that came later
        return _json(Answer({}, f"A worker would give other marks: {said}"))
    for _ in range(2):
        with _lock:
            free = _free.setdefault(setting["run"], [])
            process = free.pop() if free else None
        process = process or pool.Process(Path(setting["references"]), setting["core"])
        answer = process.answer(Task("", told["source"].encode(), told["exercises"]))
        if answer is not None:
            with _lock:
                free.append(process)
            return _json(answer)
        process.close()
    return _json(pool.DIED_TWICE)


def _json(answer: Answer) -> str:
    return json.dumps(vars(answer))


def close(run: str) -> None:
    """End this machine's processes of a run."""
    with _lock:
        ended = _free.pop(run, [])
    for process in ended:
        process.close()
