"""A student's copy: the grader without exercises and authors' rooms, no solutions, no book."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import grader
from grader import commands, course
from grader.author import catalog
from grader.author.bench import mistaken
from grader.judge import records, source, syntax
from grader.student import workspace

NOT_IN_IT = ("exercises", "author", "instruct", "questions", "__pycache__")
NEEDED = ("click", "IPython", "numpy", "rich", "safetensors", "torch", "watchfiles")
(SOFTMAX,) = catalog.select(["linear.softmax"])
RIGHT = course.solution("linear")
WRONG = "def squared_loss(scores, targets):\n    return 1.2345 * (scores - targets).abs().sum()\n"
GRADE = "from grader.cli import main\nmain()\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    original = Path(grader.__file__).parent
    shutil.copytree(original, folder / "grader", ignore=shutil.ignore_patterns(*NOT_IN_IT))
    return folder


@pytest.fixture
def run(copy, tmp_path):
    """Run Python where nothing of this project is to be had but the copy."""
    packages = dict.fromkeys(str(Path(find_spec(name).origin).parents[1]) for name in NEEDED)

    def run(code, *arguments):
        return subprocess.run(
            [sys.executable, "-S", "-c", code, *arguments],  # -S: no .pth file leads back
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), *packages])},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_nothing_else_of_the_project_is_there(run, copy):
    code = (
        "import grader\nfrom importlib.util import find_spec\nprint(grader.__file__)\n"
        "for name in ('solutions', 'book', 'grader.author', 'grader.exercises'):\n"
        "    assert find_spec(name) is None, name\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(copy)


def test_it_lists_the_exercises_and_its_own_commands(run):
    done = run(GRADE, "list")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        told.id for told in records.select()
    ]
    helped = run(GRADE, "--help").stdout
    assert "check" in helped
    for command in ("audit", "record", "hidden", "new"):
        assert f"  {command} " not in helped
        assert run(GRADE, command).returncode == 2


def test_it_checks(run, tmp_path):
    """One answer is missing, one is wrong, and the mistake of one is known, all in one file."""
    text = source.replace(mistaken(SOFTMAX, SOFTMAX.mistakes[0]), "squared_loss", WRONG)
    (tmp_path / "linear.py").write_text(text.replace("def linear(", "def liner("))
    missing, wrong = catalog.select(["linear.linear", "linear.squared_loss"])
    done = run(GRADE, "check", missing.id, wrong.id, SOFTMAX.id)
    assert done.returncode == 1, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    for words in ("It is not there", wrong.hint, SOFTMAX.mistakes[0].why):
        assert " ".join(words.split()) in said


def test_it_says_how_far_one_is(run, tmp_path):
    (tmp_path / "linear.py").write_text(RIGHT)
    (tmp_path / "progress.json").write_text("{}")
    done = run(GRADE, "check", SOFTMAX.id)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SOFTMAX.public_points} of {SOFTMAX.public_points} points" in done.stdout
    done = run(GRADE, "status")
    assert done.returncode == 0, done.stderr
    points = sum(told.public_points for told in records.manifests("linear"))
    assert f" {SOFTMAX.public_points}/{points}" in done.stdout


def test_it_grades_cells(run):
    code = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "from IPython.utils.capture import capture_output\nshell = InteractiveShell.instance()\n"
        "with capture_output() as shown:\n"
        "    for cell in ('%load_ext grader', 'import torch', sys.argv[1]):\n"
        "        shell.run_cell(cell, store_history=True).raise_error()\n"
        "print(*(output.data['text/plain'] for output in shown.outputs), shown.stderr)\n"
    )
    cell = f"%%grade {SOFTMAX.id}\n{SOFTMAX.answers.variants[0].source}"
    done = run(code, cell)
    assert done.returncode == 0, done.stderr
    assert f"{SOFTMAX.public_points} of {SOFTMAX.public_points} points" in done.stdout


def test_a_chapter_builds_on_solutions_whose_answers_are_taken_out(run, copy, tmp_path):
    """The copy that an instructor hands out: answers of past chapters, none of the one assigned."""
    assigned, earlier = "vit", ("mlp", "self_attention", "transformer")
    (tmp_path / "vit.py").write_text(workspace.skeleton(assigned))
    (tmp_path / "right").mkdir()
    (tmp_path / "right" / "vit.py").write_text(course.solution(assigned))
    name = f"{assigned}.VisionTransformer"
    done = run(GRADE, "check", name)
    assert done.returncode == 2
    assert "solutions/vit.py is not here" in done.stderr
    handed = tmp_path / "solutions"
    done = CliRunner().invoke(commands.main, ["blank", assigned, "--to", str(handed)])
    assert done.exit_code == 0, done.output
    (handed / "__init__.py").touch()
    for slug in earlier:
        (handed / f"{slug}.py").write_text(course.original(slug))
    text = (handed / "vit.py").read_text()
    answers = [syntax.text_of(course.original(assigned), one) for one in records.symbols(assigned)]
    assert not any(answer in text for answer in answers)
    assert run(GRADE, "check", name).returncode == 1
    done = run(GRADE, "check", name, "--file", "right")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_needs_the_solutions_says_so(run, tmp_path):
    done = run(GRADE, "start", "work")
    assert done.returncode == 2
    assert "solutions/refresher.py is not here; this needs the instructor's edition." in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "work").exists()
