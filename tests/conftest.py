"""Skip what this machine lacks, and say so at the end of a run; what is slow begins first."""

import gc
import os
import re
import sys
from collections import Counter

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as `make test`; more threads wait for one another

# These begin first: one that began last would keep one processor busy and the others waiting.
SLOWEST = (
    *("test_audit", "test_site", "test_sandbox", "test_cli", "test_table", "test_reading"),
    *("test_soak", "test_pretrain", "test_fit", "test_upstream", "test_pairs", "test_build"),
    *("test_translations", "test_distributed"),
)

LACKING = {
    "cuda": "there is no CUDA device (a machine with an NVIDIA GPU has one)",
    "linux": "there is no /proc or /dev/full (Linux has them)",
}


def pytest_configure(config):
    for name, reason in LACKING.items():
        config.addinivalue_line("markers", f"{name}: skipped where {reason}")
    config.addinivalue_line("markers", "root: left out for ordinary users, who run it anyway")


def lacks(need: str) -> bool:
    if need == "linux":
        return sys.platform != "linux"
    import torch

    return not torch.cuda.is_available()


@pytest.fixture(scope="session")
def servers():
    """Servers of sandboxes stay warm from one to the next, and end with the tests."""
    from tests import lent  # imports torch

    with lent.servers():
        yield


@pytest.fixture(scope="module")
def workers(servers):
    """Let `grade batch` and its like grade in threads of this process."""
    from grader.instruct import pool
    from tests import lent

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "Process", lent.Worker)
        yield


def pytest_make_parametrize_id(config, val, argname):
    """Calls bytes and long texts by their argument: an archive holds the second when it was made,
    and all workers must give a test the same name."""
    if isinstance(val, bytes) or (isinstance(val, str) and len(val) > 80):
        return argname
    return None


def pytest_collection_modifyitems(config, items):
    for need, reason in LACKING.items():
        needing = [item for item in items if item.get_closest_marker(need)]
        if needing and lacks(need):
            for item in needing:
                item.add_marker(pytest.mark.skip(reason=reason))
    if getattr(os, "getuid", int)() != 0:
        config.hook.pytest_deselected(items=[i for i in items if i.get_closest_marker("root")])
        items[:] = [item for item in items if not item.get_closest_marker("root")]
    if os.environ.get("PYTEST_XDIST_WORKER"):
        items.sort(key=lambda item: (*SLOWEST, item.path.stem).index(item.path.stem))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collecting makes millions of objects that stay. Half of its time went into looking through
    them for cycles while they grow; nor does a test look through them again afterwards.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 20, 20)  # pages and modules are parsed into very many objects


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Deals out files, for their fixtures, and of files in shards each shard."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            shard = re.search(r"shard \d+", nodeid)
            return nodeid.partition("::")[0] + (shard[0] if shard else "")

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_terminal_summary(terminalreporter):
    """Each reason once, with the number of tests that were skipped for it."""
    found = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in found)
    if reasons:
        terminalreporter.section("Not checked here")
    for reason, count in reasons.most_common():
        terminalreporter.line(f"{count} test{'s' * (count > 1)}: {reason}")
