"""`solutions.pretrain`: several processes make the steps of one."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from solutions import pretrain
from solutions.pretrain import pieces

ROOT = Path(__file__).parents[2]
SMALL = [
    "--double",
    "--batch=6",
    "--span=9",
    "--width=12",
    "--heads=3",
    "--layers=2",
    "--rate=1e-2",
]
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
TORCHRUN += ["-m", "solutions.pretrain"]
FORKED = """
import torch._dynamo
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from solutions import pretrain
both = LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", start_method="fork")
elastic_launch(both, pretrain.main)()
"""
# The same, but the processes need not import torch again; macOS is not safe to fork.
FORKS = ["-c", FORKED] if sys.platform == "linux" else TORCHRUN


def two(*given, by=FORKS):
    """A run of two processes, begun."""
    return subprocess.Popen(
        [sys.executable, *by, *SMALL, *map(str, given)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COURSE_DEVICE": "cpu"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def losses_of_two(folder, *given, **how):
    """The losses of two processes that are let go to their end."""
    run = two("--losses", folder / "two.json", *given, **how)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 0, said
    return json.loads((folder / "two.json").read_text())


@pytest.fixture
def losses_of_one(tmp_path, monkeypatch):
    """The losses of a run in this process."""

    def run(*given):
        words = ["pretrain", *SMALL, *map(str, given), "--losses", str(tmp_path / "one.json")]
        monkeypatch.setenv("COURSE_DEVICE", "cpu")
        monkeypatch.setattr(sys, "argv", words)
        pretrain.main()
        return json.loads((tmp_path / "one.json").read_text())

    return run


def test_two_processes_give_the_curve_of_one(losses_of_one, tmp_path):
    one = losses_of_one("--steps", 12)
    assert len(one) == 12
    assert one[-1] < one[0] - 0.1
    both = losses_of_two(tmp_path, "--steps", 12, by=TORCHRUN)
    assert both == pytest.approx(one, rel=1e-11)  # measured: 3e-16


def test_two_processes_that_were_killed_go_on_along_the_same_curve(losses_of_one, tmp_path):
    given = ["--steps", 120]
    saved = [*given, "--checkpoint", tmp_path / "run.pt", "--every", 5]
    killed = two(*saved, "--losses", tmp_path / "none.json")
    until = time.monotonic() + 200
    while not (tmp_path / "run.pt").exists() and killed.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    killed.terminate()  # which ends the processes that it has started
    killed.communicate()
    assert not (tmp_path / "none.json").exists()
    done = len(torch.load(tmp_path / "run.pt", weights_only=True)["history"]["train_loss"])
    assert 0 < done < 120
    resumed = losses_of_two(tmp_path, *saved)
    assert resumed == pytest.approx(losses_of_one(*given), rel=1e-9)


def test_processes_share_the_rows_of_a_batch():
    tokens = torch.arange(101)

    def parts(rank, world):
        torch.manual_seed(3)
        return list(pieces(tokens, batch=6, span=5, steps=2, rank=rank, world=world))

    shares = [parts(rank, 3) for rank in range(3)]
    for step, (read, asked) in enumerate(parts(0, 1)):
        for rank, share in enumerate(shares):
            assert torch.equal(share[step][0], read[rank::3])
            assert torch.equal(share[step][1], asked[rank::3])
    with pytest.raises(ValueError, match=r"6 rows .* 4 processes"):
        parts(0, 4)
