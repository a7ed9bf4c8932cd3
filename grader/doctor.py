"""What holds on this machine: protections of the sandbox, versions, where things lie."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader import reference
from grader.exercise import select
from grader.sandbox import Sandbox, SandboxError

ADVICE = {
    "bwrap": "Nothing more is to be had.",
    "static": "Each submission shares its server's namespaces; a kernel that allows user "
    "namespaces to everybody gives each its own.",
    "plain": "Install bubblewrap (Debian, Ubuntu, Fedora: package bubblewrap) to hide every "
    "other file from submissions as well.",
    "rlimits": "Grade only code you trust here. Linux with Landlock (5.13 or later) protects.",
}


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
            yield "advice", ADVICE[sandbox.tier]
    except SandboxError as error:
        yield "sandbox", f"does not work: {error}"
    yield "references", _references(reference.FOLDER)
    yield "data", _data()
    yield "device", "submissions are graded on the processor, on one thread"


def _data() -> str:
    """Where downloaded data lies; an edition without solutions downloads none."""
    if given := os.environ.get("COURSE_DATA"):
        return f"{given} (COURSE_DATA)"
    try:
        folder = importlib.import_module("solutions.download").cache_folder()
    except ImportError:
        return "none is downloaded here"
    files = [path for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
    size = sum(path.stat().st_size for path in files) / 1e6
    return f"{folder}: {len(files)} downloaded files, {size:.1f} MB (COURSE_CACHE moves it)"


def _references(folder: Path) -> str:
    try:
        cases = sum(
            len(entries)
            for slug in {exercise.slug for exercise in select(None)}
            for entries in reference.load(slug).values()
        )
    except Exception as error:  # whatever is wrong with them is a finding
        return f"{folder}: {error}"
    return f"{folder}: {cases} public cases"
