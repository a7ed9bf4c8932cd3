"""Losses of the sharded optimizer in one, two and four processes, and of PyTorch's FSDP in two.

    python benchmarks/sharded_processes.py

Starts `solutions.zero` by ``torch.distributed.run`` with gloo, in float64, and records the losses,
the numbers that the first process keeps of parameters and optimizer, and what it has sent.
Writes `sharded_processes.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import record

ROOT = Path(__file__).parents[1]
STEPS = 50
SEED = 0
RUNS = (("ours", 1), ("ours", 2), ("ours", 4), ("FSDP", 2))


def run(kind: str, processes: int) -> dict:
    launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    options = ["--double", f"--steps={STEPS}", f"--seed={SEED}"]
    options += ["--fsdp"] if kind == "FSDP" else []
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        subprocess.run(
            [sys.executable, *launch, "-m", "solutions.zero", *options, "--losses", str(found)],
            env=os.environ | {"OMP_NUM_THREADS": "1", "COURSE_DEVICE": "cpu"},
            cwd=ROOT,
            check=True,
        )
        kept = json.loads(found.read_text())
    del kept["seconds"]  # four processes on two cores say nothing about speed
    return {"kind": kind, "processes": processes, **kept}


def main() -> None:
    record(__file__, [SEED], steps=STEPS, runs=[run(*of) for of in RUNS])


if __name__ == "__main__":
    main()
