"""Slots that check, one to a core, and the bounded queue before them.

Whoever waits is served in turn by address, and no address gets the last free slot while it has
another: many checks from one place, or slow ones, leave room for everybody else's.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
import sys
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from grader.enclose.sandbox import Limits, SandboxError

ROOT = Path(__file__).resolve().parents[2]
CODE = f"""
import sys
sys.path.append({str(ROOT)!r})
from grader.serve import checks
checks.serve()
"""
LINE = 2**26  # bytes of an answer
GRACE = 5.0  # seconds until a slot that was told to cancel has to be free


class Full(Exception):
    """There is no room for another check; come back in so many seconds."""

    def __init__(self, seconds: float):
        super().__init__("Too many checks are waiting.")
        self.seconds = max(1, math.ceil(seconds))


class Late(Exception):
    """A check took too long, and was stopped."""


class Lost(Exception):
    """The grader failed; says nothing about the submission."""


@dataclass(eq=False)
class Job:
    """A check that waits or runs."""

    address: str
    task: Mapping
    done: asyncio.Future
    came: float = field(default_factory=time.monotonic)
    waited: float = 0.0


class Slot:
    """A process with a sandbox; it is started again where it dies."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.numbers = itertools.count(1)
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> dict:
        """Start it, and wait until it can check; which protections hold. It imports nothing from
        the folder in which the server was started.
        """
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", CODE, json.dumps(asdict(self.limits))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE,
            start_new_session=True,  # a Ctrl-C in the terminal reaches the server alone
        )
        return await self._hear()

    async def check(self, task: Mapping, job: asyncio.Future, seconds: float) -> dict:
        """Have a task checked; cancelled when nobody waits for the job, or it takes too long.

        Raises:
            Late: it took longer than so many seconds.
            Lost: the process died, or the grader failed.
        """
        if self.process is None or self.process.returncode is not None:
            await self.start()
        number = next(self.numbers)
        answer = asyncio.ensure_future(self._ask({**task, "number": number}))
        await asyncio.wait([answer, job], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            self._say({"cancel": number})
            await asyncio.wait([answer], timeout=GRACE)
            if not answer.done():
                await self.close()
            with contextlib.suppress(Lost):
                await answer
            raise Late
        found = answer.result()
        if "failed" in found:
            raise Lost(found["failed"])
        return found

    async def close(self) -> None:
        """End the process; its sandbox ends with it."""
        if self.process and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()

    async def _ask(self, task: Mapping) -> dict:
        self._say(task)
        return await self._hear()

    def _say(self, told: Mapping) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):  # that it is gone, it does not answer
            self.process.stdin.write(json.dumps(told).encode() + b"\n")

    async def _hear(self) -> dict:
        assert self.process is not None
        assert self.process.stdout is not None
        try:
            line = await self.process.stdout.readline()
        except ValueError:  # longer than any report
            line = b""
        if not line.endswith(b"\n"):
            await self.close()
            raise Lost("the process that checks ended")
        return json.loads(line)


class Slots:
    """All slots and the queue.

    Args:
        count: of slots.
        room: checks that may wait.
        seconds: that a check may take once it runs.
        limits: of one run in the sandbox.
    """

    def __init__(self, count: int, *, room: int, seconds: float, limits: Limits):
        self.count, self.room, self.seconds = count, room, seconds
        self.most = max(1, count - 1)  # slots of one address
        self.share = max(1, room // 2)  # of the queue
        self.free = [Slot(limits) for _ in range(count)]
        self.slots = tuple(self.free)
        self.waiting: dict[str, deque[Job]] = {}  # the address whose turn it is comes first
        self.running: Counter[str] = Counter()
        self.missing: list[str] = []
        self.mean = 0.1  # seconds of a check, about
        self._tasks: set[asyncio.Task] = set()

    @property
    def queued(self) -> int:
        return sum(map(len, self.waiting.values()))

    @property
    def busy(self) -> int:
        return self.count - len(self.free)

    async def start(self) -> None:
        """Start all slots.

        Raises:
            SandboxError: they cannot check.
        """
        try:
            told = await asyncio.gather(*(slot.start() for slot in self.slots))
        except Lost as error:
            await self.close()
            raise SandboxError(f"the server cannot check: {error}") from None
        self.missing = list(dict.fromkeys(one for hello in told for one in hello["missing"]))

    async def close(self) -> None:
        """End all slots, and whatever waits for them."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(slot.close() for slot in self.slots))

    async def check(self, address: str, task: Mapping) -> tuple[dict, float]:
        """Wait for a slot, and have a task checked.

        Returns:
            The answer, and the seconds that the task waited.

        Raises:
            Full: too many wait, of all addresses or of this one.
            Late: it was stopped.
            Lost: there is no result.
        """
        mine = self.waiting.get(address, ())
        if self.queued >= self.room or len(mine) >= self.share:
            raise Full(self.queued * self.mean / self.count)
        job = Job(address, task, asyncio.get_running_loop().create_future())
        self.waiting.setdefault(address, deque()).append(job)
        self._deal()
        try:
            return await job.done, job.waited
        except asyncio.CancelledError:  # the client left
            job.done.cancel()
            if job in self.waiting.get(address, ()):
                self.waiting[address].remove(job)
                self._forget(address)
            raise

    def _deal(self) -> None:
        """Give free slots to those that wait, an address after the other."""
        for address in [*self.waiting]:
            if not self.free:
                return
            if self.running[address] < self.most:
                job = self.waiting[address].popleft()
                self.waiting[address] = self.waiting.pop(address)  # the others come first
                self._forget(address)
                self._begin(self.free.pop(), job)
        if self.free and any(self.running[one] < self.most for one in self.waiting):
            self._deal()

    def _forget(self, address: str) -> None:
        if not self.waiting[address]:
            del self.waiting[address]

    def _begin(self, slot: Slot, job: Job) -> None:
        self.running[job.address] += 1
        job.waited = time.monotonic() - job.came
        task = asyncio.ensure_future(self._run(slot, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, slot: Slot, job: Job) -> None:
        begun = time.monotonic()
        try:
            answer = await slot.check(job.task, job.done, self.seconds)
            if not job.done.done():
                job.done.set_result(answer)
        except Exception as error:
            if not job.done.done():
                job.done.set_exception(error)
        finally:
            self.mean += 0.1 * (time.monotonic() - begun - self.mean)
            self.running[job.address] -= 1
            self.running += Counter()  # forgets those with nothing
            self.free.append(slot)
            self._deal()
