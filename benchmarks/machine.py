"""The machine on which a measurement was made, without its name or paths."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import torch


def machine() -> dict[str, object]:
    """Processor, cores, memory, system and versions; and how busy it was with other work.

    Where CUDA has been used, its device is named, too.
    """
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cuda = {"device": torch.cuda.get_device_name()} if torch.cuda.is_initialized() else {}
    return cuda | {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "torch": version("torch"),
        "load_before": os.getloadavg()[0],
    }


def record(file: str, seeds: list[int], **results: object) -> Path:
    """Write a script's results beside it, with all that is needed to repeat them.

    Args:
        file: the script, ``__file__``; ``book.recorded`` reads ``<name>.json`` beside it.
        seeds: of the run.
        results: for JSON. A time is in seconds; say whether processor or wall time.
    """
    path = Path(file)
    command = " ".join(["python", f"benchmarks/{path.name}", *sys.argv[1:]])
    document = {"command": command, "seeds": seeds, "machine": machine(), **results}
    target = path.with_suffix(".json")
    text = json.dumps(document, indent=1)
    innermost = re.compile(r"\[\n\s+([^][{}]*?)\n\s+\]")  # a list of numbers stays on one line
    text = innermost.sub(lambda found: "[" + re.sub(r",\n *", ", ", found[1]) + "]", text)
    target.write_text(text + "\n")
    return target


def by_turns(turns: int, functions: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Fewest processor seconds of each function; the functions take turns.

    Other work on the machine can only make a turn slower, so the fastest counts.
    """
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(turns):
        for name, function in functions.items():
            start = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - start)
    return best
