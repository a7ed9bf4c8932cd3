"""A class that saves every few seconds: how long the server of checks takes, and what it needs.

    python benchmarks/serve.py [--learners 200] [--every 5] [--seconds 120]

Starts `grade serve` on this machine's loopback, and as many learners, each with a separate address,
who send answers to `linear.softmax`, right, mistaken and blank ones. Prints percentiles of the
seconds and writes them with the server's memory and processor time to benchmarks/serve.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "tests" / "grader")]

import hostile  # noqa: E402
from machine import record  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
GRADE = [sys.executable, "-c", "from grader.cli import main; main()"]
TEXTS = [  # as often as they stand here
    hostile.RIGHT,
    hostile.RIGHT.replace("powers.sum(dim=dim, keepdim=True)", "powers.sum()"),
    hostile.RIGHT.replace("(input - input.amax(dim=dim, keepdim=True))", "input"),
    hostile.WRONG,
    "def softmax(input, dim=-1):\n    raise NotImplementedError\n",
]


def family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def memory(pid: int) -> float:
    """MiB of a server and its slots; what they share counts once."""
    total = 0
    for one in family(pid):
        try:
            text = Path(f"/proc/{one}/smaps_rollup").read_text()
        except OSError:  # a submission that has just ended
            continue
        total += int(re.search(r"^Pss: +(\d+)", text, re.MULTILINE)[1])
    return round(total / 1024, 1)


def processor(pid: int) -> float:
    """Seconds of processor that a server, its slots and all that they ran have taken."""
    total = 0
    for one in family(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICK


async def ask(port: int, address: str, text: str) -> tuple[int, float]:
    """Status and seconds of one check."""
    body = json.dumps({"exercise": "linear.softmax", "code": text}).encode()
    head = (
        f"POST /check HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(head.encode() + body)
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ", 2)[1]), time.perf_counter() - begin


async def learner(port: int, number: int, every: float, until: float, found: list) -> None:
    """Save every so many seconds, whether or not the last answer has come."""
    rng = random.Random(number)
    address = f"127.0.{1 + number // 250}.{1 + number % 250}"
    await asyncio.sleep(rng.uniform(0, every))
    saves = []

    async def save() -> None:
        found.append(await ask(port, address, rng.choice(TEXTS)))

    while time.monotonic() < until:
        saves.append(asyncio.ensure_future(save()))
        await asyncio.sleep(every)
    await asyncio.gather(*saves)


async def load(port: int, pid: int, options: argparse.Namespace) -> dict:
    """Statuses, seconds, and what the server needed meanwhile."""
    for number in range(20):  # until all has been loaded once
        await ask(port, f"127.0.9.{number + 1}", TEXTS[number % len(TEXTS)])
    found: list[tuple[int, float]] = []
    spent, begin = processor(pid), time.monotonic()
    until = begin + options.seconds
    learners = [
        asyncio.ensure_future(learner(port, number, options.every, until, found))
        for number in range(options.learners)
    ]
    rows = []
    while not all(one.done() for one in learners):
        row = {"seconds": round(time.monotonic() - begin, 1), "memory_mib": memory(pid)}
        rows.append(row | {"checks": len(found)})
        await asyncio.wait(learners, timeout=options.seconds / 12)
    await asyncio.gather(*learners)
    lasted = time.monotonic() - begin
    times = sorted(seconds for status, seconds in found if status == 200)
    return {
        "statuses": {str(status): count for status, count in Counter(s for s, _ in found).items()},
        "checks_a_second": len(times) / lasted,
        "seconds": {
            name: times[min(len(times) - 1, int(share * len(times)))]
            for name, share in {"half": 0.5, "95 %": 0.95, "99 %": 0.99, "all": 1.0}.items()
        },
        "processor_seconds_a_check": (processor(pid) - spent) / max(1, len(times)),
        "rows": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--every", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    command = [*GRADE, "serve", "--no-site", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
            result = asyncio.run(load(port, server.pid, options))
        finally:
            server.terminate()
    given = {"learners": options.learners, "every_seconds": options.every}
    print(json.dumps(result, indent=1))
    print(record(__file__, [*range(options.learners)], **given, **result))


if __name__ == "__main__":
    main()
