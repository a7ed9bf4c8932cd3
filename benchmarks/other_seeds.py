"""Do the pages' claims hold where every seed is another one?

    python benchmarks/other_seeds.py [linear gpt] [--show] [--by 1000 2000]

Each page runs as it is built, except that all seeds of torch and NumPy are moved by one number,
so that weights, batches, splits and noise are others. A claim is a `say` with a condition. Some
describe one drawing or example of the page, and are free to change; the rest should not. Results
that were recorded do not change, and a page that compares its data with recorded ones stops: its
claims count up to there. Writes `other_seeds.json`; with names of pages it only prints.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from machine import record

ROOT = Path(__file__).resolve().parents[1]


def move_seeds(by: int) -> None:
    """Add a number to every seed that is set from now on."""
    import numpy as np
    import torch

    seed_all, default_rng = torch.manual_seed, np.random.default_rng

    class Generator(torch.Generator):
        def manual_seed(self, seed: int) -> torch.Generator:
            return super().manual_seed(seed + by)

    torch.manual_seed = lambda seed: seed_all(int(seed) + by)
    torch.Generator = Generator
    np.random.default_rng = lambda seed=None: default_rng(
        seed + by if isinstance(seed, int) else seed
    )


def run(slug: str, by: int) -> dict:
    """Run one page in this process: how many claims it makes, and those that do not hold."""
    os.environ |= {"COURSE_DEVICE": "cpu", "MPLBACKEND": "agg"}
    move_seeds(by)
    import IPython.display
    import jupytext
    from IPython.core.interactiveshell import InteractiveShell

    IPython.display.display = lambda *_, **__: None  # pages and figures fetch it from there
    from book import figures

    found: dict = {"claims": 0, "false": [], "stopped": []}
    say: Callable = figures.say

    def counted(text: str, when: object = None) -> None:
        if when is None:
            return
        found["claims"] += 1
        try:
            say(text, when=when)
        except AssertionError:
            found["false"].append(" ".join(text.split()))

    figures.say = counted
    shell = InteractiveShell.instance()
    shell.showtraceback = lambda *_, **__: None
    for cell in jupytext.read(ROOT / "book" / f"{slug}.md").cells:
        if cell.cell_type != "code" or "%pip" in cell.source:
            continue
        result = shell.run_cell(cell.source)
        error = result.error_in_exec or result.error_before_exec
        if error and "raises-exception" not in cell.metadata.get("tags", []):
            found["stopped"].append(f"{type(error).__name__}: {error}"[:200])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--by", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--show", action="store_true", help="print the claims that do not hold")
    parser.add_argument("--only", help=argparse.SUPPRESS)  # a child, that runs one page
    parser.add_argument("pages", nargs="*")
    given = parser.parse_args()
    if given.only:
        out = os.fdopen(os.dup(1), "w")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(json.dumps(run(given.only, given.by[0])), file=out, flush=True)
        return
    sys.path.insert(0, str(ROOT))
    from book import pages

    slugs = given.pages or [page.stem for page in pages.chapters()]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    results: dict[str, dict] = {slug: {} for slug in slugs}
    for slug in slugs:
        for by in given.by:
            command = [sys.executable, __file__, "--only", slug, "--by", str(by)]
            child = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True)
            if child.returncode:
                sys.exit(child.stderr.decode())
            found = results[slug][str(by)] = json.loads(child.stdout)
            print(
                f"{slug} +{by}: {found['claims']} claims, {len(found['false'])} do not hold"
                + (f"; {len(found['stopped'])} cells stopped" if found["stopped"] else ""),
                flush=True,
            )
            for line in [*found["false"], *found["stopped"]] if given.show else ():
                print("   ", line)
    if not given.pages:
        total = sum(len(found["false"]) for page in results.values() for found in page.values())
        claims = sum(found["claims"] for page in results.values() for found in page.values())
        print(f"{claims - total} of {claims} claims hold")
        record(__file__, given.by, pages=results)


if __name__ == "__main__":
    main()
