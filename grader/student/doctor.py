"""State of this machine: protections of the sandbox, versions, where things lie."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader.enclose.sandbox import Sandbox, SandboxError
from grader.judge import records

ADVICE = {
    "bwrap": "All protections are active.",
    "static": "Each submission shares its server's namespaces; a kernel that allows user "
    "namespaces to everybody gives each its own.",
    "plain": "Install bubblewrap (Debian, Ubuntu, Fedora: package bubblewrap) to hide every "
    "other file from submissions as well.",
    "rlimits": "Grade only code you trust here. Linux with Landlock (5.13 or later) protects.",
}
PLACES = ("COURSE_DATA", "COURSE_CACHE")  # of data, in the order in which they are looked at


def findings() -> Iterator[tuple[str, str]]:
    """Name and value of everything worth knowing, in the order in which it is printed."""
    yield "system", f"{platform.system()} {platform.release()} on {platform.machine()}"
    yield "python", f"{platform.python_version()} at {sys.executable}"
    for name in ("torch", "numpy", "safetensors"):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"
    yield "bubblewrap", shutil.which("bwrap") or "not installed"
    try:
        with Sandbox() as sandbox:
            yield "sandbox", sandbox.tier
            for sentence in sandbox.missing:
                yield "not protected", sentence
            if sandbox.tier != "bwrap" or not sandbox.missing:
                yield "advice", ADVICE[sandbox.tier]
    except SandboxError as error:
        yield "sandbox", f"does not work: {error}"
    yield "references", _references(records.FOLDER)
    yield "data", _data()
    yield "device", "submissions are graded on the processor, on one thread"


def _data() -> str:
    """Where the course looks for data; `solutions`, which downloads it, is not asked here."""
    given = [f"{os.environ[name]} ({name})" for name in PLACES if os.environ.get(name)]
    return ", then ".join(given) or f"the system's cache ({' and '.join(PLACES)} name others)"


def _references(folder: Path) -> str:
    try:
        found = records.select()
        cases = sum(len(records.load(told.slug, told.symbol).cases) for told in found)
    except Exception as error:  # whatever is wrong with them is a finding
        return f"{folder}: {error}"
    return f"{folder}: {len(found)} exercises, {cases} public cases"
