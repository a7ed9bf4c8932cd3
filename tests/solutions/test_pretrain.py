"""`solutions.pretrain`: several processes make the steps of one."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

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


def command(*given, number=1):
    """A run of so many processes, begun."""
    several = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(number)]
    return subprocess.Popen(
        [
            sys.executable,
            *(several if number > 1 else []),
            *("-m", "solutions.pretrain", *SMALL, *map(str, given)),
        ],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COURSE_DEVICE": "cpu"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def losses(folder, name, *given, number=1):
    """The losses of a run that is let go to its end."""
    file = folder / f"{name}.json"
    run = command("--losses", file, *given, number=number)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 0, said
    return json.loads(file.read_text())


def test_two_processes_give_the_curve_of_one(tmp_path):
    one, two = (losses(tmp_path, number, "--steps", 12, number=number) for number in (1, 2))
    assert len(one) == 12
    assert one[-1] < one[0] - 0.1
    assert two == pytest.approx(one, rel=1e-11)  # measured: 3e-16


def test_two_processes_that_were_killed_go_on_along_the_same_curve(tmp_path):
    given = ["--steps", 300]
    saved = [*given, "--checkpoint", tmp_path / "run.pt", "--every", 5]
    killed = command(*saved, "--losses", tmp_path / "none.json", number=2)
    until = time.monotonic() + 200
    while not (tmp_path / "run.pt").exists() and killed.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    killed.terminate()  # which ends the processes that it has started
    killed.communicate()
    assert not (tmp_path / "none.json").exists()
    done = len(torch.load(tmp_path / "run.pt", weights_only=True)["history"]["train_loss"])
    assert 0 < done < 300
    resumed = losses(tmp_path, "resumed", *saved, number=2)
    assert resumed == pytest.approx(losses(tmp_path, "whole", *given), rel=1e-9)


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
