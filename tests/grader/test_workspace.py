"""Workspaces: skeletons of exercises alone, and `course`, which has what was built before."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from grader import course
from grader.judge import records, source, syntax
from grader.judge.grading import Grader
from grader.judge.submission import Submission
from grader.student import workspace
from tests.lent import grade

ROOT = Path(__file__).parents[2]
MOST = 40  # lines before the first exercise: what the chapter is about, imports, a constant or two


def python(*arguments, cwd):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    return done


def filled(slug):
    """A skeleton with the solutions in it."""
    text, module = course.solution(slug), workspace.skeleton(slug)
    there = set(syntax.Module(module).binding)
    for symbol in records.symbols(slug):
        module = source.replace(module, symbol, syntax.portion(text, symbol, there - {symbol}))
    return module


# Skeletons


@pytest.mark.parametrize("slug", records.slugs())
def test_a_skeleton_is_its_exercises_and_what_calls_them(slug):
    module = syntax.Module(workspace.skeleton(slug))
    asked = {*records.symbols(slug)}
    definitions = [node for node in module.tree.body if isinstance(node, syntax.Definition)]
    answers = [node for node in definitions if node.name in asked]
    assert {node.name for node in answers} == asked
    assert min(map(syntax.first_line, answers)) <= MOST
    for node in definitions:
        calls = any(other in answers for other in module.reachable(node.name))
        assert calls or node.name.startswith("_"), node.name  # or helps what calls them


@cache
def given():
    """Lines of the solutions that no exercise asks for."""
    lines = set()
    for path in (ROOT / "solutions").glob("*.py"):
        asked = records.symbols(path.stem)
        lines |= {line.strip() for line in source.blank(path.read_text(), asked).splitlines()}
    return lines


@cache
def skeletons():
    """Every line of every module and notebook that a learner begins with."""
    lines = set()
    for slug in records.slugs():
        module = workspace.skeleton(slug)
        cells = workspace.notebook(slug, module)["cells"]
        lines |= {line.strip() for line in module.splitlines()}
        lines |= {line.strip() for cell in cells for line in "".join(cell["source"]).splitlines()}
    return lines


@pytest.mark.parametrize("slug", records.slugs())
def test_no_skeleton_holds_a_line_of_an_answer(slug):
    for symbol in records.symbols(slug):
        text = syntax.text_of(course.solution(slug), symbol)
        told = set(source.blank(text, {symbol}).splitlines())
        lines = {line.strip() for line in text.splitlines() if line not in told}
        lines = {line for line in lines if len(line) >= 25} - given()
        plain = re.compile(r"(\w+)=\1,|for step in range\(steps\):|def \w+\(.*\).*:")
        assert {line for line in lines & skeletons() if not plain.fullmatch(line)} == set(), symbol


def test_skeletons_filled_with_the_solutions_get_all_points(tmp_path):
    workspace.start(tmp_path, records.slugs())
    for slug in records.slugs():
        (tmp_path / f"{slug}.py").write_text(filled(slug))
    done = grade("check", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    public = sum(one.public_points for one in records.select())
    assert f"{public} of {public} points" in done.stdout


def test_skeletons_run_as_python_and_name_nothing_that_is_not_there(tmp_path):
    workspace.start(tmp_path, records.slugs())
    assert python("gpt.py", cwd=tmp_path).stderr == ""
    code = "import runpy, sys\nfor slug in sys.argv[1:]: runpy.run_path(f'{slug}.py')"
    done = python("-c", code, *records.slugs(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# What the grader lets in


def graded(sandbox, id_, text):
    (told,) = records.select([id_])
    submission = Submission(text, f"{told.slug}.py")
    (result,) = Grader(sandbox).grade([told], {told.slug: submission})
    return result


@pytest.mark.parametrize(
    ("id_", "line"),
    [
        ("gpt.top_p", "from course.gpt import top_p"),
        ("gpt.top_p", "import course.gpt\ntop_p = course.gpt.top_p"),
        ("linear.softmax", "from course.mlp import softmax"),
        ("linear.softmax", "from course.attention import masked_softmax as softmax"),
        ("transformer.EncoderLayer", "from course.transformer import EncoderLayer"),
    ],
)
def test_an_answer_is_not_imported(sandbox, id_, line):
    result = graded(sandbox, id_, f"{line}\n")
    error = result.cases[0].error
    assert result.earned == 0
    assert error["type"] == "ImportError"
    module = re.search(r"course\.(\w+)", line)[1]
    assert re.match(rf"\w+\.py gets no {module}\.\w+ from the course: write", error["message"])


def test_a_module_that_is_no_chapter_is_not_there(sandbox):
    result = graded(sandbox, "linear.softmax", "from course.nothing import softmax\n")
    assert result.cases[0].error["type"] == "ModuleNotFoundError"


def test_lines_of_an_error_are_those_of_the_file(sandbox):
    text = workspace.skeleton("gpt")
    text = source.replace(text, "top_k", "def top_k(logits, k):\n    return 1 / 0\n")
    result = graded(sandbox, "gpt.top_k", text)
    line = result.cases[0].error["line"]
    assert text.splitlines()[line - 1] == "    return 1 / 0"


def test_a_workspace_of_before_keeps_what_is_written(sandbox, tmp_path):
    """There every file held all that it builds on, as text."""
    old = course.solution("vit").replace(
        "from course.transformer import Config, Encoder, rename\n", ""
    )
    for needed, names in (
        ("self_attention", {"scaled_dot_product_attention"}),
        ("mlp", {"SwiGLU"}),
        ("transformer", {"Config", "Encoder", "rename"}),
    ):
        part = syntax.part(course.solution(needed), names)
        lines = re.sub(r"^from course\..*\n", "", part, flags=re.MULTILINE)
        head, rest = old.split('"""\n\nfrom __future__ import annotations\n', 1)
        lines = lines.replace("from __future__ import annotations\n", "")
        old = f'{head}"""\n\nfrom __future__ import annotations\n{lines}{rest}'
    assert "course" not in old
    (tmp_path / "vit.py").write_text(old)
    (tmp_path / "progress.json").write_text('{"vit.patches": 3}')
    workspace.start(tmp_path, ["vit"])
    assert (tmp_path / "vit.py").read_text() == old
    assert json.loads((tmp_path / "progress.json").read_text()) == {"vit.patches": 3}
    results = Grader(sandbox).grade(records.manifests("vit"), {"vit": Submission(old, "vit.py")})
    assert all(one.passed for one in results)


# What `course` stands for


LINEAR = '''"""Mine."""

from __future__ import annotations

from course.linear import accuracy

print("the whole file ran")


def linear(features, weight, bias):
    raise NotImplementedError


def softmax(input, dim=-1):
    return "mine"


def log_sum_exp(input):
    return "not passed"


def cross_entropy(scores, labels):
    return softmax(scores), log_sum_exp


def squared_loss(scores, targets):
    return 1 / 0
'''


@pytest.fixture
def mine(tmp_path):
    """A workspace in which some exercises have passed."""
    points = {one.id: one.public_points for one in records.manifests("linear")}
    points["linear.log_sum_exp"] -= 1
    del points["linear.train"]
    (tmp_path / "progress.json").write_text(json.dumps(points))
    (tmp_path / "linear.py").write_text(LINEAR)
    (tmp_path / "inside").mkdir()
    return tmp_path


def test_a_name_is_the_learners_where_it_passed(mine):
    code = (
        "from course.linear import accuracy, cross_entropy, linear, log_sum_exp, softmax, train\n"
        "assert softmax(0) == 'mine'\n"
        "first, called = cross_entropy(0, 0)\n"
        "assert first == 'mine' and called is log_sum_exp\n"  # the course's, for mine did not pass
        "assert {one.__code__.co_filename for one in (accuracy, linear, log_sum_exp, train)} == "
        "{'<course.linear>'}\n"
        "assert train.__globals__['softmax'] is softmax\n"  # the course's builds on mine
        "from course.generative import fit_gaussian\n"
        "from course.gpt import GPT, cached\n"
        "import course\n"
        "assert not hasattr(course, 'preference')\n"
    )
    for folder in (mine, mine / "inside"):
        done = python("-c", code, cwd=folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (mine / "mlp.py").write_text("from course.linear import softmax\nprint(softmax(0))\n")
    done = python(mine / "mlp.py", cwd=ROOT)  # the workspace is that of the program
    assert done.stdout == "mine\n", done.stderr


def test_outside_of_a_workspace_all_is_the_courses(tmp_path):
    code = "from course.linear import softmax\nprint(softmax.__code__.co_filename)"
    assert python("-c", code, cwd=tmp_path).stdout == "<course.linear>\n"
    done = python("-c", "import course.nothing", cwd=tmp_path)
    assert "No module named 'course.nothing'" in done.stderr


def test_a_traceback_names_the_line_of_the_learners_file(mine):
    done = python("-c", "from course.linear import *\nsquared_loss(0, 0)", cwd=mine)
    line = LINEAR.split("\n").index("    return 1 / 0") + 1
    assert f'linear.py", line {line}, in squared_loss' in done.stderr
    assert "    return 1 / 0\n" in done.stderr


def test_a_notebook_counts_where_the_module_is_not_written(mine):
    (mine / "linear.py").write_text(workspace.skeleton("linear"))
    cells = [
        "%load_ext grader\nfrom __future__ import annotations",
        "%%grade linear.softmax\ndef softmax(input, dim=-1):\n    return HELP",
        "HELP = 'of the notebook'\nprint('never')",
    ]
    cells = [{"cell_type": "code", "source": text} for text in cells]
    (mine / "linear.ipynb").write_text(json.dumps({"cells": cells}))
    done = python("-c", "from course.linear import softmax\nprint(softmax(0))", cwd=mine)
    assert done.stdout == "of the notebook\n", done.stderr


def test_a_file_that_is_no_python_any_more_is_named(mine):
    (mine / "linear.py").write_text("def softmax(:\n")
    done = python("-c", "import course.linear", cwd=mine)
    assert "linear.py, line 1, is no Python: invalid syntax." in done.stderr.splitlines()[-1]


def test_no_source_of_the_course_is_in_sight(tmp_path):
    code = "import inspect\nfrom course.linear import softmax\ninspect.getsource(softmax)"
    done = python("-c", code, cwd=tmp_path)
    assert "OSError" in done.stderr
    done = python("-c", "from course.linear import softmax\nsoftmax(3)", cwd=tmp_path)
    assert 'File "<course.linear>"' in done.stderr
