"""A thousand submissions through one sandbox: right, wrong, crashing, hanging, greedy, forking.

    python benchmarks/soak.py [--count 1000] [--every 100] [--output benchmarks/soak.json]

At regular intervals it counts what could pile up: memory, processes, threads, descriptors, files,
shared memory, mounts and control groups. Every submission must get the score that it deserves.
Prints a table in Markdown and writes the same as JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "tests" / "grader")]

import hostile  # noqa: E402
from machine import machine  # noqa: E402

from grader.author import catalog  # noqa: E402
from grader.author.bench import mistaken  # noqa: E402
from grader.enclose.sandbox import Sandbox  # noqa: E402
from grader.judge import trivial  # noqa: E402

BY_NAME = {odd.name: odd for odd in hostile.TABLE}
(EXERCISE,) = catalog.select([hostile.EXERCISE.id])


def deserved(mistake: str) -> int:
    """Points of the cases that a known mistake gets right, unless all of them are trivial."""
    cases = hostile.RECORD.cases
    right = [mistake not in case.mistakes for case in cases]
    if trivial.missing(cases, right):
        return 0
    return sum(case.points for case, good in zip(cases, right, strict=True) if good)


MISTAKEN = [
    hostile.Odd(
        name=known.name,
        tries="",
        text=mistaken(EXERCISE, known),
        deserves=deserved(known.name),
    )
    for known in EXERCISE.mistakes
]
WRITES = hostile.honest(
    "writes files",
    "import os\nfor place in ('/tmp', '/dev/shm', '/var/tmp', '.'):\n"
    "    try: open(place + '/soak', 'w').write('x' * 10**6)\n    except OSError: pass\n"
    + hostile.RIGHT,
)
OFTEN = {  # of each hundred
    "right": 38,
    "an exception in one case": 8,
    "os._exit in the last case": 5,
    "a crash in the last case": 5,
    "a fork bomb": 4,
    "a daemon": 4,
    "200 threads": 4,
    "leaves a thread and an exit handler": 4,
    "prints 10 MB": 3,
    "closes every descriptor": 3,
    "forged results: noise": 3,
    "memory by many blocks": 2,
    "an endless loop": 2,
}


def hundred(rng: random.Random) -> list[hostile.Odd]:
    """One hundred submissions in random order."""
    chosen = [BY_NAME[name] for name, count in OFTEN.items() for _ in range(count)]
    chosen += [WRITES] * 5
    chosen += itertools.islice(itertools.cycle(MISTAKEN), 100 - len(chosen))
    chosen = [replace(odd, seconds=0.3) if odd.status == "timeout" else odd for odd in chosen]
    rng.shuffle(chosen)
    return chosen


def family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def status(pid: int, field: str) -> int:
    """A number from the kernel's status of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])


def descriptors(pid: int) -> int | None:
    """Number of open descriptors; None if only root may see it."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def gauge(sandbox: Sandbox) -> dict[str, float | None]:
    """Everything that could grow. Memory in MiB, resident."""
    own, server = os.getpid(), [*family(sandbox._server.process.pid)][-1]
    return {
        "grader_mib": round(status(own, "VmRSS") / 1024, 1),
        "server_mib": round(status(server, "VmRSS") / 1024, 1),
        "processes": len([*family(own)]),
        "threads": sum(status(pid, "Threads") for pid in family(own)),
        "grader_descriptors": len(os.listdir("/proc/self/fd")) - 1,  # the one that lists them
        "server_descriptors": descriptors(server),
        "temporary_files": len(os.listdir(tempfile.gettempdir())),
        "shared_memory": len(os.listdir("/dev/shm"))
        + len(Path("/proc/sysvipc/shm").read_text().splitlines()),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "control_groups": sum(len(names) for _, names, _ in os.walk("/sys/fs/cgroup")),
    }


def soak(count: int, every: int = 100, tier: str | None = None) -> dict:
    """Run the submissions; counts at regular intervals, from a warmed-up start on.

    Raises:
        AssertionError: a score is not the one deserved.
    """
    rng, rows = random.Random(0), []
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder, Sandbox(tier=tier) as sandbox:
        tempfile.tempdir = folder  # others use the common one at the same time
        try:
            server, kinds = sandbox._ready().process.pid, {}
            for odd in {odd.name: odd for odd in hundred(rng)}.values():  # each kind once
                hostile.grade(odd, sandbox)
            rows.append({"submissions": 0, "seconds": 0.0, **gauge(sandbox)})
            begin = time.perf_counter()
            endless = itertools.chain.from_iterable(hundred(rng) for _ in itertools.count())
            for done, odd in enumerate(itertools.islice(endless, count), 1):
                result = hostile.grade(odd, sandbox)
                assert result.earned == odd.expected, (done, odd.name, result.detail)
                kinds[result.status] = kinds.get(result.status, 0) + 1
                if done % every == 0:
                    seconds = round(time.perf_counter() - begin, 1)
                    rows.append({"submissions": done, "seconds": seconds, **gauge(sandbox)})
            assert sandbox._server.process.pid == server, "the server was replaced"
        finally:
            tempfile.tempdir = before
        return {"tier": sandbox.tier, "statuses": kinds, "rows": rows}


def table(rows: list[dict]) -> str:
    names = list(rows[0])
    lines = [f"| {' | '.join(name.replace('_', ' ') for name in names)} |"]
    lines += ["|" + "--:|" * len(names)]
    lines += [f"| {' | '.join(str(row[name]) for name in names)} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--output", type=Path, default=HERE / "soak.json")
    options = parser.parse_args()
    document = {"machine": machine(), **soak(options.count, options.every)}
    print(table(document["rows"]), document["statuses"], sep="\n\n")
    options.output.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
