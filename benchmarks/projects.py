"""Baselines of the projects, and one change to each, over several seeds.

    python benchmarks/projects.py [--only few_labels] [--fresh]

Runs the programs in `benchmarks/baselines`, from which the projects begin. Writes `projects.json`
after each project, and reuses what it holds; `--fresh` starts over. Times are processor seconds of
one baseline.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib import import_module
from pathlib import Path

import torch
from machine import record

BASELINES = Path(__file__).parent / "baselines"


def main() -> None:
    known = sorted(path.stem for path in BASELINES.glob("[a-z]*.py"))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=known, default=known)
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    path = Path(__file__).with_suffix(".json")
    found = json.loads(path.read_text())["projects"] if path.exists() and not given.fresh else {}
    torch.set_num_threads(1)
    for name in given.only:
        if name in found:
            continue
        module = import_module(f"baselines.{name}")
        begun = time.process_time()
        baseline = [module.score(seed) for seed in module.SEEDS]
        seconds = (time.process_time() - begun) / len(baseline)
        changed = [module.score(seed, changed=True) for seed in module.SEEDS]
        found[name] = {
            "seeds": [*module.SEEDS],
            "baseline": baseline,
            "changed": changed,
            "seconds": seconds,
        }
        print(name, baseline, changed, f"{seconds:.1f} s", flush=True)
        seeds = sorted({seed for one in found.values() for seed in one["seeds"]})
        record(__file__, seeds, command=f"python benchmarks/{path.stem}.py", projects=found)


if __name__ == "__main__":
    main()
