"""Packages to hand on: the wheel is for learners, the sdist holds everything."""

import ast
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
IGNORED = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split()} | {".git"}
TOPS = ("book", "course", "grader", "solutions")


def tracked() -> set[Path]:
    """All files of the project, relative to its folder, without what git ignores."""
    found = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [one for one in folders if one not in IGNORED and "egg-info" not in one]
        found |= {Path(folder, one).relative_to(ROOT) for one in names if one not in IGNORED}
    return {path for path in found if path.suffix != ".pyc"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist, built in a copy, for building leaves files behind."""
    folder = tmp_path_factory.mktemp("built")
    for path in tracked():
        (folder / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / "tree" / path)
    code = "from setuptools.build_meta import build_sdist, build_wheel\n" + "".join(
        f"build_{kind}({str(folder)!r})\n" for kind in ("sdist", "wheel")
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder / "tree", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_is_a_learners(built):
    (wheel,) = built.glob("*.whl")
    assert wheel.stat().st_size < 8 * 2**20  # 7.7 MiB; 7.0 of them are records
    with zipfile.ZipFile(wheel) as archive:
        inside = {Path(name) for name in archive.namelist()}
    ours = {path for path in inside if path.parts[0] in TOPS}
    there = {path for path in tracked() if path.parts[0] in TOPS}
    assert ours <= there
    authors = {("grader", room) for room in ("author", "exercises", "instruct", "questions")}
    stamps = Path("grader", "references", "proofs.json")  # of the audit
    assert {path for path in there - ours if path.parts[0] != "book"} == {
        path for path in there if path.parts[:2] in authors or path == stamps
    }
    assert not {path for path in ours if path.parts[0] == "book"}


def test_the_sdist_is_whole(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {Path(*Path(one.name).parts[1:]) for one in archive.getmembers() if one.isfile()}
    assert tracked() - inside == set()


def test_an_editable_install_has_every_package():
    """It is what `make setup` installs, and authors need all of it."""
    code = (
        "from setuptools import Distribution\n"
        "one = Distribution()\none.parse_config_files()\nprint(*one.packages)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    folders = {path.parent for top in TOPS for path in (ROOT / top).rglob("__init__.py")}
    assert set(done.stdout.split()) == {".".join(one.relative_to(ROOT).parts) for one in folders}


def test_a_function_is_at_most_60_lines():
    """Without its signature and its docstring, which are for readers; ruff checks complexity."""
    long = []
    for path in (
        path for top in ("book", "grader", "solutions") for path in ROOT.glob(f"{top}/**/*.py")
    ):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                if body and body[-1].end_lineno - body[0].lineno >= 60:
                    long.append(f"{path}: {node.name}")
    assert not long
