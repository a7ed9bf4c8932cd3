"""`grade release` writes a course that checks what is assigned and holds no answer to it."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader import commands, course
from grader.instruct.release import needed
from grader.judge import records

ASSIGNED = ("linear", "vit")
NEEDED = ("click", "numpy", "rich", "safetensors", "torch", "watchfiles")
DEFINITION = (ast.FunctionDef, ast.ClassDef)


def release(folder: Path, *slugs: str):
    return CliRunner().invoke(commands.main, ["release", *slugs, "--to", str(folder)])


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class") / "week-1"
    done = release(folder, *ASSIGNED)
    assert done.exit_code == 0, done.output
    return folder


def grade(copy: Path, *words: str, cwd: Path) -> dict:
    """Check there, where nothing of this project is to be had but the copy."""
    packages = dict.fromkeys(str(Path(find_spec(name).origin).parents[1]) for name in NEEDED)
    code = "from grader.cli import main\nmain()\n"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "check", "--json", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), *packages])},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def bodies(text: str, names: tuple[str, ...] = ()) -> Iterator[str]:
    """Bodies of functions, in a form that layout and comments leave alone: of all, or of the named
    definitions and of what these contain.
    """
    for node in ast.parse(text).body:
        if not names or getattr(node, "name", None) in names:
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef):
                    said = ast.get_docstring(inner) is not None
                    if code := inner.body[said:]:
                        yield "\n".join(map(ast.dump, code))


def cells(path: Path) -> Iterator[str]:
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(line for line in cell["source"] if not line.startswith("%"))


def test_no_file_holds_an_answer(copy):
    answers = {
        body for slug in ASSIGNED for body in bodies(course.original(slug), records.symbols(slug))
    }
    assert len(answers) > 25
    texts = {path: [path.read_text()] for path in copy.rglob("*.py")}
    texts |= {path: list(cells(path)) for path in copy.rglob("*.ipynb")}
    assert len(texts) > 60
    given = {body for pieces in texts.values() for text in pieces for body in bodies(text)}
    # what is as short in both is no answer: a constructor that only calls its parent's
    assert {body for body in answers & given if len(body) > 200} == set()
    assert not list(copy.rglob("*_answers.py"))
    assert {path.name for path in (copy / "grader").iterdir()}.isdisjoint({"author", "exercises"})


def test_it_has_what_is_assigned_and_what_that_builds_on(copy):
    assert records.slugs(copy / "grader/references") == [*ASSIGNED]
    assert {path.stem for path in (copy / "work").glob("*.py")} == {*ASSIGNED}
    built = {path.stem for path in (copy / "solutions").glob("*.py")} - {"__init__"}
    assert built == needed(ASSIGNED)
    assert {"transformer", "self_attention", "fit"} < built
    assert "gpt" not in built
    assert (copy / "solutions/transformer.py").read_text() == course.original("transformer")


def test_it_tells_coding_assistants_to_explain_and_names_commands_that_exist(copy):
    told = (copy / "AGENTS.md").read_text()
    assert "Do not write, complete, translate or rewrite the body" in told
    said = re.findall(r"`grade (\w+)", told)
    assert {"check", "list", "case"} == {*said} <= {*commands.main.commands}
    for name in re.findall(r"^\| `([\w./]+)` \|", told, re.MULTILINE):
        assert (copy / name).exists(), name
    assert "AGENTS.md" in (copy / "README.md").read_text()


def test_solutions_pasted_in_earn_everything_and_blanks_nothing(copy, tmp_path):
    blank = grade(copy, cwd=copy / "work")
    assert blank["earned"] == 0
    assert {one["id"] for one in blank["exercises"]} == {one.id for one in records.select(ASSIGNED)}
    for slug in ASSIGNED:
        (tmp_path / f"{slug}.py").write_text(course.solution(slug))
    right = grade(copy, cwd=tmp_path)
    assert right["earned"] == right["points"] == blank["points"]


@pytest.mark.parametrize("slugs", [("linaer",), ("linear", "vti")])
def test_an_unknown_chapter_is_told_before_anything_is_written(slugs, tmp_path):
    done = release(tmp_path / "new", *slugs)
    assert done.exit_code == 2
    assert "Did you mean" in done.output
    assert not (tmp_path / "new").exists()


def test_what_is_there_stays(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = release(tmp_path, "linear")
    assert done.exit_code == 2
    assert "is not empty" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
