"""Grade a notebook on what the asked definition needs, in the last version that ran."""

import json

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from grader import course
from grader.enclose.sandbox import Limits, Sandbox
from grader.judge import records, syntax
from grader.judge.grading import Grader
from grader.judge.submission import Submission, read
from grader.student import notebook, progress, workspace

(SOFTMAX,) = records.select(["linear.softmax"])
POINTS = SOFTMAX.public_points
RIGHT = """def softmax(input, dim=-1):
    powers = (input - input.amax(dim, True)).exp()
    return powers / powers.sum(dim, True)
"""


def graded(sandbox, *cells, failed=None, exercise=SOFTMAX):
    submission = Submission("", "linear.ipynb", cells=cells, failed=failed or {})
    (result,) = Grader(sandbox).grade([exercise], {exercise.slug: submission})
    return result


def reading(*cells, failed=None, exercise=SOFTMAX):
    submission = Submission("", "linear.ipynb", cells=cells, failed=failed or {})
    return submission.reading(exercise)


def value(name, *cells, failed=None):
    """Value of a cell when the asked definition is a function that returns it."""
    asked = f"def softmax(input, dim=-1):\n    return {name}\n"
    names = {}
    exec(reading(*cells, asked, failed=failed).text, names)
    return names["softmax"](None)


@pytest.fixture(scope="module")
def sandbox():
    """Patient: whether something takes long is not what is asked here."""
    with Sandbox(limits=Limits(seconds=120)) as patient:
        yield patient


SCRATCH = {
    "a matrix and its product": "q = torch.randn(3, 4)\ns = q @ q.T",
    "training": "model = train(data)\nfor epoch in range(10**9): pass",
    "division by zero": "1 / 0\nratio = 1 / 0",
    "a file that is not there": "data = open('/nowhere').read()",
    "a package that is not there": "import wandb_of_mine\nwandb_of_mine.init()",
    "no Python at all": "this is no Python",
    "an open parenthesis": "x = (1,\n",
    "a half-written function": "def helper(x:\n    return",
    "a magic": "%matplotlib inline\n%timeit x\nfiles = !ls\nsoftmax?",
    "a shell": "%%bash\nfor x in *; do echo $x; done",
    "a file that it writes": "%%writefile helper.py\ndef softmax(input):\n    return 1 / 0",
    "an assertion": "assert softmax(torch.ones(2)).sum() == 7",
    "a plot": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.rcParams['font.size'] = nan",
    "await": "x = await something()",
    "return": "return 3",
    "brackets": "[" * 300,
    "deep": "x = " + "-" * 20_000 + "1",
    "surrogates": "name = '\ud800'",
    "a null byte": "x = '\0'",
}


@pytest.mark.parametrize("cell", SCRATCH.values(), ids=SCRATCH)
@pytest.mark.parametrize("ran", ["in a file", "in a kernel"])
def test_a_scratch_cell_costs_nothing(cell, ran, sandbox):
    cells = ["import torch", cell, RIGHT, cell]
    failed = {2: (1, 0), 4: (1, 0)} if ran == "in a kernel" else {}
    result = graded(sandbox, *cells, failed=failed)
    assert result.earned == POINTS, (result.cases[0].error, result.detail)


VALUES = {
    "a call": ('INF = float("inf")', "INF", float("inf")),
    "a partial": ("from functools import partial\nhalf = partial(pow, 2)", "half(3)", 8),
    "a name for a class": ("import torch\nTensor = torch.Tensor", "Tensor.__name__", "Tensor"),
    "a device": ("import torch\ndevice = torch.device('cpu')", "device.type", "cpu"),
    "a tensor": ("import torch\nEPS = torch.tensor(1e-5)", "EPS.item() < 2e-5", True),
    "a tensor changed in place": (
        "import torch\nw = torch.zeros(2)\nw.add_(3)\nw[0] += 1",
        "w.tolist()",
        [4, 3],
    ),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass Options:\n    dim: int = 3\n"
        "options = Options()",
        "options.dim",
        3,
    ),
    "a decorator made by a call": (
        "def times(n):\n    def wrap(f):\n        return lambda x: n * f(x)\n    return wrap\n"
        "@times(3)\ndef one(x):\n    return x",
        "one(2)",
        6,
    ),
    "either": (
        "import torch\nif torch.cuda.is_available():\n    place = 'cuda'\nelse:\n    place = 'cpu'",
        "place in ('cpu', 'cuda')",
        True,
    ),
    "a package or none": (
        "try:\n    import einops_of_mine as e\nexcept ImportError:\n    e = None",
        "e",
        None,
    ),
    "several at once": ("(a, b), *c = (1, 2), 3, 4", "a, b, c", (1, 2, [3, 4])),
    "a table that a loop fills": (
        "T = {}\nfor i in range(3):\n    T[i] = i * i",
        "T",
        {0: 0, 1: 1, 2: 4},
    ),
    "a list that grows": ("names = []\nnames.append('x')\nnames += ['y']", "names", ["x", "y"]),
    "a walrus": ("if (n := 10) > 5:\n    pass", "n", 10),
    "a class with a method put in later": (
        "class A:\n    pass\ndef double(self, x):\n    return 2 * x\nA.double = double",
        "A().double(4)",
        8,
    ),
    "a class that is derived": (
        "class A:\n    def other(self):\n        return B\nclass B(A):\n    size = 3\n"
        "    twice = 2 * size",
        "A().other().twice",
        6,
    ),
    "two that call each other": (
        "def even(n):\n    return n == 0 or odd(n - 1)\n"
        "def odd(n):\n    return n > 0 and even(n - 1)",
        "even(4)",
        True,
    ),
    "a counter": (
        "count = 0\ndef step():\n    global count\n    count += 1\n    return count",
        "step() + step()",
        3,
    ),
    "itself, wrapped": (
        "from functools import lru_cache\ndef f(n):\n    return n\nf = lru_cache(f)",
        "f(3) + f.cache_info().hits",
        3,
    ),
    "itself, called by its next version": (
        "def f(n):\n    return n + 1\nplain = f\ndef f(n):\n    return 2 * plain(n)",
        "f(3)",
        8,
    ),
    "a class of the same name": (
        "class A:\n    size = 2\nclass A(A):\n    twice = 4",
        "A.size + A.twice",
        6,
    ),
    "what a call at the top level calls": (
        "def make():\n    return [part() for _ in range(n)]\nn = 2\n"
        "def part():\n    return 3\nmade = make()",
        "made",
        [3, 3],
    ),
    "a star": ("from math import *\nRATIO = sqrt(4)", "RATIO + pi > 5", True),
    "annotations that name nothing": (
        "from __future__ import annotations\ndef f(x: Nothing) -> Something:\n    return x",
        "f(3)",
        3,
    ),
    "a lambda with a default": ("RATE = 2\nscale = lambda x, r=RATE: r * x", "scale(4)", 8),
    "one line": ("a = 1; b = a + 1; c = b + 1", "c", 3),
    "comprehensions": (
        "n = 3\nT = [i for i in range(n)]\nS = {i % 2 for i in T}\n"
        "D = {k: [v * j for j in T] for k, v in zip('ab', T)}\n"
        "G = sum(i for row in D.values() for i in row)",
        "D, S, G",
        ({"a": [0, 0, 0], "b": [0, 1, 2]}, {0, 1}, 3),
    ),
    "letters": ("η = 'Ж'; ζ = η + 'ß'", "ζ", "Жß"),
    "a magic in between": ("%time x = 3\nf?\nY = 2\n!ls\nfiles = !ls", "Y", 2),
    "a line that begins with percent": ("a = (7\n% 4)", "a", 3),
    "under a magic": ("%%time\na = (7\n% 4)", "a", 3),
    "lines within strings": ("a = 'x\x0c\x0b\x1c\x85\u2028y'  # \u2029\nb = len(a)", "b", 7),
    "a question in a comment": ("%time\nx = 3  # why?\n", "x", 3),
}


@pytest.mark.parametrize(("cell", "name", "due"), VALUES.values(), ids=VALUES)
def test_what_a_definition_needs_is_there(cell, name, due):
    assert value(name, cell) == due
    assert value(name, *cell.split("\n")) == due if ":\n" not in cell and "%" not in cell else True


def test_later_definitions_win_and_tables_hold_them():
    assert value("f()", "def f():\n    return 1", "def f():\n    return 2") == 2
    cells = "def f():\n    return 1", "TABLE = {'f': f}", "def f():\n    return 2"
    assert value("TABLE['f']()", *cells) == 2


def test_cells_that_ran_in_another_order():
    cells = "made = make()", "def make():\n    return part()", "def part():\n    return whole * 2"
    assert value("made", *cells, "whole = 3") == 6
    cells = "class B(A):\n    pass", "class A:\n    def other(self):\n        return B"
    assert value("A().other().__name__", *cells) == "B"
    cells = "def f(n):\n    return n", "TABLE = {1: f}", "def f(n):\n    return TABLE[1](n) + 1"
    assert value("f(1)", *cells) == 2


def test_only_what_is_needed_runs():
    text = reading(
        "import torch\nimport os", "A = 1\nB = 2", "def other():\n    return A", RIGHT
    ).text
    assert text == RIGHT.rstrip("\n") + "\n"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("W = q @ q.T", "cell 2, line 1, which does not run without q"),
        ("\nW = 3\nW += q", "cell 2, line 3, which does not run without q"),
        ("W = later\nlater = q", "cell 2, line 2, which does not run without q"),
        ("def W(\n", "cell 2, which is no Python in line 1: '(' was never closed"),
    ],
)
def test_what_is_needed_and_does_not_run_is_left_out_and_said(cell, said, sandbox):
    asked = RIGHT.replace("(input, dim=-1):", "(input, dim=-1):\n    if dim > 9: return W")
    result = graded(sandbox, "import torch", cell, asked)
    assert result.earned == POINTS
    assert said in result.left_out


def test_what_broke_is_told_of_its_own_exercise_alone(sandbox):
    broken = "def softmax(input, dim=-1):\n    return (input"
    result = graded(sandbox, "import torch", broken)
    assert (result.earned, result.cases[0].error["type"]) == (0, "SyntaxError")
    assert (result.cases[0].error["cell"], result.cases[0].error["line"]) == (2, 2)
    (other,) = records.select(["linear.squared_loss"])
    whole = course.solution("linear")
    right = syntax.text_of(whole, "squared_loss") + syntax.text_of(whole, "_different_shapes")
    assert graded(sandbox, "import torch", broken, right, exercise=other).passed


def test_lines_are_counted_in_their_cell(sandbox):
    text = "\n\n# so\ndef softmax(input, dim=-1):\n    return help(input)\n"
    helper = "x = 1\ndef help(x):\n    \n    return 1 / 0"
    result = graded(sandbox, "import torch", helper, text)
    error = result.cases[0].error
    assert (error["cell"], error["line"], error["text"]) == (2, 4, "return 1 / 0")
    told = reading("import torch", helper, text)
    assert told.place(10**9) == (None, 10**9)
    assert told.place(-1) == (None, -1)


def test_a_cell_that_failed_counts_up_to_where_it_failed():
    new = "def f():\n    return 2\n\nassert f() == 3\ndef f():\n    return 3\n"
    old = "def f():\n    return 1"
    assert value("f()", old, new, failed={2: (4, 0)}) == 2
    assert value("f()", old, new, failed={2: (0, 0)}) == 1
    assert (
        value("f()", new, failed={1: (0, 0)}) == 3
    )  # there is no other, and it may have run after all
    told = reading(old, new, RIGHT.replace("powers.sum", "f()\n    powers.sum"), failed={2: (4, 0)})
    assert "cell 2, from line 4 on, where it failed" in told.left_out


def test_what_stands_behind_a_failure_in_its_line_never_ran(shell):
    run(shell, "RATE = 3; other = undefined + 1; SHIFT = 5")
    names = {"RATE": "RATE / 3", "SHIFT": "SHIFT - 5"}
    panels = {}
    for name, used in names.items():
        asked = RIGHT.replace(".exp()", f".mul(1 + 0 * ({used})).exp()")
        panels[name], _ = run(shell, f"%%grade {SOFTMAX.id}\n{asked}")
    assert ALL in panels["RATE"]
    assert "NameError: name 'SHIFT' is not defined" in panels["SHIFT"]
    assert "from line 1 on, where it failed" in panels["SHIFT"]


def test_what_is_no_python_is_told_of_like_an_answer(shell):
    panel, _ = run(shell, f"%%grade {SOFTMAX.id}\ndef softmax(input, dim=-1):\n    return (input\n")
    assert "The file does not run: SyntaxError: '(' was never closed" in panel
    assert "line 3:" in panel


def test_near_names_are_still_found(sandbox):
    result = graded(sandbox, RIGHT.replace("softmax", "soft_max"))
    assert "does not define softmax, but soft_max" in result.cases[0].error["message"]


def test_a_shortcut_is_placed_in_its_cell(sandbox):
    cells = (
        "import torch.nn.functional as F",
        "\ndef softmax(input, dim=-1):\n    return F.softmax(input)",
    )
    assert graded(sandbox, *cells).detail.startswith("Cell 2, line 3 uses F.softmax")
    unused = "def other(x):\n    return F.softmax(x)"
    assert graded(sandbox, cells[0], unused, RIGHT).passed


@pytest.mark.parametrize("slug", records.slugs())
def test_a_notebook_filled_with_the_answers_gets_all_points(slug, sandbox, tmp_path):
    solution, chosen = course.solution(slug), records.manifests(slug)
    symbols = {exercise.symbol for exercise in chosen}
    cells = workspace.notebook(slug, solution)["cells"]
    path = tmp_path / f"{slug}.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    submission = read(path, slug)
    found = submission.readings(chosen)
    assert found.keys() == symbols
    assert [name for name, one in found.items() if one.error or one.refused or one.left_out] == []
    # all of them are graded in modules (test_workspace.py); here, those that need most of the cells
    longest = sorted(chosen, key=lambda one: -len(found[one.symbol].text))[:4]
    results = Grader(sandbox).grade(longest, {slug: submission})
    assert [result.exercise.id for result in results if not result.passed] == []


# --------------------------------------------------------------------------------- in a kernel


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    monkeypatch.setattr(notebook, "_failed", {})
    shell = InteractiveShell.instance()
    run(shell, "%load_ext grader\nimport torch")
    yield shell
    InteractiveShell.clear_instance()


def run(shell, text):
    with capture_output() as captured:
        shell.run_cell(text, store_history=True)
    return "".join(output.data["text/plain"] for output in captured.outputs), captured.stdout


ALL = f"{POINTS} of {POINTS} points"


def test_a_corrected_cell_is_judged_as_it_is_now(shell):
    for wrong in ("return (input", "return 1 / 0", "return undefined"):
        run(shell, f"%%grade {SOFTMAX.id}\ndef softmax(input, dim=-1):\n    {wrong}\n")
    run(shell, f"%%grade {SOFTMAX.id}\n1 / 0\n{RIGHT}")
    for scratch in SCRATCH.values():
        run(shell, scratch)
    panel, _ = run(shell, f"%%grade {SOFTMAX.id}\n{RIGHT}")
    assert ALL in panel
    assert "Left out" not in panel


def test_helpers_are_those_that_ran_last(shell):
    asked = RIGHT.replace(".exp()", ".mul(half()).mul(2).exp()")
    run(shell, "def half():\n    return 3")
    run(shell, "def half():\n    return 0.5\n\nassert half() == 3")  # it ran, what follows did not
    panel, _ = run(shell, f"%%grade {SOFTMAX.id}\n{asked}")
    assert ALL in panel
    run(shell, "1 / 0\ndef half():\n    return 3")
    panel, _ = run(shell, f"%%grade {SOFTMAX.id}\n{asked}")
    assert ALL in panel
    assert f"Left out: cell {shell.execution_count - 2}, from line 1 on, where it failed." in panel


def test_what_a_cell_earns_counts_for_status(shell, tmp_path):
    run(shell, f"%%grade {SOFTMAX.id}\n{RIGHT}")
    assert not (tmp_path / progress.NAME).exists()  # no workspace
    progress.begin(tmp_path)
    run(shell, "import os\nos.chdir('/')")
    run(shell, f"%%grade {SOFTMAX.id}\n{RIGHT}")
    core = SOFTMAX.id + progress.CORE
    earned = {SOFTMAX.id: POINTS, core: SOFTMAX.core_points}
    assert json.loads((tmp_path / progress.NAME).read_text()) == earned
    (tmp_path / progress.NAME).write_text("{")
    panel, _ = run(shell, f"%%grade {SOFTMAX.id}\n{RIGHT}")
    assert ALL in panel
    assert (tmp_path / progress.NAME).read_text() == "{"
