"""Many submissions in a row leave nothing behind; benchmarks/soak.py runs a thousand."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
PATH = Path(__file__).parents[2] / "benchmarks" / "soak.py"
COUNTED = ("processes", "threads", "grader_descriptors", "server_descriptors", "temporary_files")


def test_nothing_grows():
    spec = importlib.util.spec_from_file_location("soak", PATH)
    soak = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(soak)
    first, *_, last = soak.soak(150, every=50)["rows"]
    for name in COUNTED:
        assert last[name] == first[name], name
    for name in ("grader_mib", "server_mib"):
        assert last[name] - first[name] < 8, name  # a leak of 64 KiB a submission is 9 MiB
