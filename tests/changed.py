"""`pytest -p tests.changed --changed`: leave out the files of tests that cannot have changed.

A file of tests is left out when it passed, and everything that it imports from this project is as
it was then, directly or through one another; the tests of the book also read its pages, those of
the grader its records. What this cannot see (a file opened by name, say) the whole run sees: `make
test`.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from book.pages import ROOT
from book.reach import imports

STAMPS = ROOT / "_build" / "tests.json"
OURS = ("book", "course", "grader", "solutions", "tests")
ALWAYS = (
    "constraints.txt",
    "pyproject.toml",
    "tests/conftest.py",
    "tests/grader/conftest.py",
    "tests/solutions/conftest.py",
)
PAGES = ("*.yml", "Makefile", "README.md", "book/*.md", "book/*.bib")
PAGES += ("book/locale/*/*/*", "book/printed/*", "book/widgets/*")
RECORDS = ("grader/references/index.json", "grader/measured/*")


def pytest_addoption(parser) -> None:
    parser.addoption("--changed", action="store_true", help="leave out what passed and is as then")


def pytest_ignore_collect(collection_path: Path, config) -> bool | None:
    if not config.getoption("changed") or not collection_path.match("test_*.py"):
        return None
    file = str(collection_path.relative_to(ROOT))
    return True if stamps().get(file) == stamp(collection_path) else None


def pytest_runtest_logreport(report) -> None:
    file = report.nodeid.partition("::")[0]
    RAN.add(file)
    if report.failed:
        FAILED.add(file)


def pytest_sessionfinish(session, exitstatus: int) -> None:
    whole = not any(session.config.getoption(option) for option in ("keyword", "markexpr"))
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.getoption("changed"):
        session.exitstatus = pytest.ExitCode.OK
    named = any("::" in argument for argument in session.config.args)
    if hasattr(session.config, "workerinput") or not whole or named or exitstatus > 1:
        return
    known = {file: mark for file, mark in stamps().items() if file not in FAILED}
    known |= {file: stamp(ROOT / file) for file in sorted(RAN - FAILED)}
    STAMPS.parent.mkdir(exist_ok=True)
    STAMPS.write_text(json.dumps(known, indent=1))


RAN: set[str] = set()
FAILED: set[str] = set()


@cache
def stamps() -> dict[str, str]:
    return json.loads(STAMPS.read_text()) if STAMPS.is_file() else {}


@cache
def stamp(file: Path) -> str:
    """A hash of a file of tests and of everything that it depends on."""
    files = {file, *needed(file), *(ROOT / path for path in ALWAYS)}
    if "book" in file.parts:
        files |= {path for pattern in PAGES for path in ROOT.glob(pattern)}
    if "grader" in file.parts:
        files |= {path for pattern in RECORDS for path in ROOT.glob(pattern)}
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file()):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def needed(file: Path) -> set[Path]:
    """Files of this project that a file imports, directly or through one another."""
    found: set[Path] = set()
    todo = [file]
    while todo:
        importing = todo.pop()
        for dotted in _imports(importing):
            parts = dotted.split(".")
            beside = importing.parent if "tests" in importing.parts else None  # helpers of tests
            start = ROOT if parts[0] in OURS else beside
            for length in range(1, len(parts) + 1 if start else 0):
                base = start.joinpath(*parts[:length])
                for path in (base.with_suffix(".py"), base / "__init__.py"):
                    if path.is_file() and path not in found:
                        found.add(path)
                        todo.append(path)
    return found


@cache
def _imports(file: Path) -> tuple[str, ...]:
    return tuple(imports(file.read_text()))
