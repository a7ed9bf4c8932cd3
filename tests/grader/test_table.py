"""Every submission of hostile.py gets the score it deserves, on every tier and for every user."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import hostile
import pytest
from tiers import WALLED, lacking, opened, require

pytestmark = pytest.mark.linux


@contextlib.contextmanager
def honest(tier: str):
    with opened(tier, limits=hostile.LIMITS) as box:
        assert hostile.grade(hostile.HONEST[0], box).passed  # the reader of sources has started
        yield box
        assert hostile.grade(hostile.HONEST[0], box).passed  # whatever was run in it


@pytest.fixture(scope="module")
def boxes():
    """A tier's sandbox, which lasts until another tier is asked for."""
    with contextlib.ExitStack() as stack:

        @lru_cache(maxsize=1)
        def of(tier):
            stack.close()
            return stack.enter_context(honest(tier))

        yield of


def family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def around(box) -> tuple:
    """The server, all processes, and all open files: what a submission must not change."""
    return box._server.process.pid, [*family(os.getpid())], len(os.listdir("/proc/self/fd"))


@pytest.fixture(scope="module")
def weak():
    with opened("rlimits", limits=hostile.LIMITS) as box:
        assert hostile.grade(hostile.HONEST[0], box).passed  # the reader of sources has started
        yield box


@pytest.mark.parametrize("odd", hostile.rows("rlimits"), ids=lambda odd: odd.name)
def test_score_without_walls(weak, odd):
    check_score(weak, odd)


def held(tier: str) -> list[hostile.Odd]:
    """The rows that a tier is held to. `static` is bubblewrap around what `plain` is, and root's
    `plain` an ordinary user's: those hold all of the table, and these what walls alone stop
    and a third of each kind.
    """
    ordinary = os.getuid() != 0 or not shutil.which("setpriv")  # or nobody else grades it
    if tier == "bwrap" or (tier == "plain" and ordinary):
        return hostile.TABLE
    return [odd for kind in hostile.KINDS for n, odd in enumerate(kind) if n % 3 == 0 or odd.walls]


@pytest.mark.parametrize(
    ("tier", "odd"),
    [pytest.param(tier, odd, id=f"{tier}-{odd.name}") for tier in WALLED for odd in held(tier)],
)
def test_score(boxes, tier, odd):
    check_score(boxes(tier), odd)


def check_score(box, odd):
    before = around(box)
    result = hostile.grade(odd, box)
    assert result.earned == odd.expected, (result.status, result.detail, result.log[-500:])
    if odd.status:
        assert result.status == odd.status
    elif "memory by" in odd.name:
        assert f"more than {odd.memory_mb} MB of memory" in result.cases[0].error["message"]
    assert around(box) == before


def test_names_are_unique():
    names = [odd.name for odd in hostile.TABLE]
    assert len(set(names)) == len(names) >= 40


# ------------------------------------------------------------------- other users, fewer rights


def verdicts(*prefix: str, options: tuple[str, ...] = (), **environment: str) -> dict:
    """The table graded by a process that starts behind ``prefix``."""
    command = [*prefix, sys.executable, str(Path(hostile.__file__)), "--json", *options]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def deserved() -> dict:
    return {odd.name: odd.expected for odd in hostile.TABLE}


def scores(found: dict) -> dict:
    return {tier: {name: row[0] for name, row in rows.items()} for tier, rows in found.items()}


@pytest.mark.root
def test_as_an_ordinary_user_with_two_graders_at_once(nobody):
    require(lacking("plain"))
    with ThreadPoolExecutor(2) as pool:  # each grades half of the table
        halves = [
            pool.submit(
                verdicts,
                *nobody,
                options=("--tier=plain", f"--part={part}/2"),
                HOME="/nonexistent",
            )
            for part in (1, 2)
        ]
    one, other = (scores(half.result())["plain"] for half in halves)
    assert abs(len(one) - len(other)) <= 1
    assert one | other == deserved()


def test_where_new_user_namespaces_are_forbidden():
    """As on hardened kernels. In a namespace of its own, so that nothing outside changes."""
    require(lacking("plain"))
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("there is no unshare or no setpriv (package util-linux)")
    prefix = ["unshare", "--user", "--map-user=65534", "--keep-caps", "sh", "-c"]
    prefix += ['echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
    prefix += ["setpriv", "--ambient-caps=-all", "--inh-caps=-all"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("user namespaces cannot be forbidden inside of one (a system that allows them)")
    assert subprocess.run([*prefix, "unshare", "--user", "true"], capture_output=True).returncode
    found = scores(verdicts(*prefix, options=("--part=1/3",)))  # of each kind some
    due = deserved()
    assert len(found["plain"]) > len(due) / 4
    assert found == {"plain": {name: due[name] for name in found["plain"]}}
