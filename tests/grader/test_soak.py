"""Many submissions in a row leave nothing behind; benchmarks/soak.py runs a thousand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.linux
PATH = Path(__file__).parents[2] / "benchmarks" / "soak.py"
COUNTED = ("processes", "threads", "grader_descriptors", "server_descriptors", "temporary_files")


def test_nothing_grows(tmp_path):
    # in a process of its own: what other tests leave in this one comes and goes as it likes
    result = tmp_path / "soak.json"
    command = [sys.executable, PATH, "--count=150", "--every=50", f"--output={result}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, first, *_, last = json.loads(result.read_text())["rows"]
    for name in COUNTED:
        assert last[name] == first[name], name
    for name in ("grader_mib", "server_mib"):
        assert last[name] - first[name] < 6, name  # a leak of 64 KiB a submission is 6.25 MiB
