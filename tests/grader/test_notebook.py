"""The notebook magic, in a real IPython shell."""

import html

import nbclient
import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from grader import course
from grader.enclose.sandbox import Sandbox
from grader.judge import source, syntax
from grader.judge.records import select
from grader.student import notebook, workspace

SLUG = "self_attention"
(ATTENTION,) = select([f"{SLUG}.scaled_dot_product_attention"])
SOLUTION = course.solution(SLUG)
CELL = syntax.text_of(SOLUTION, ATTENTION.symbol)


@pytest.fixture(scope="module")
def shell():
    shell = InteractiveShell.instance()
    first = workspace.notebook(SLUG, workspace.skeleton(SLUG))["cells"][1]
    shell.run_cell("".join(first["source"]), store_history=True).raise_error()
    return shell


def run(shell, text):
    with capture_output() as captured:
        shell.run_cell(text, store_history=True)
    panels = [output.data for output in captured.outputs]
    return panels, captured.stdout + captured.stderr


def test_right_cell_shows_a_panel_with_all_points(shell):
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
    points = ATTENTION.public_points
    assert f"{points} of {points} points" in panel["text/plain"]
    assert f"{points}/{points}" in panel["text/html"]
    assert "http" not in panel["text/html"]
    assert "<script" not in panel["text/html"]


def test_the_cell_defines_its_names_as_any_cell(shell):
    run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
    assert shell.user_ns[ATTENTION.symbol].__name__ == ATTENTION.symbol


def test_wrong_cell_names_the_mistake_and_escapes_it(shell):
    wrong = syntax.text_of(
        source.change(SOLUTION, ATTENTION.symbol, {" / math.sqrt(query.shape[-1])": ""}),
        ATTENTION.symbol,
    )
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{wrong}")
    assert "This is a known mistake." in panel["text/html"]
    assert "known mistake" in panel["text/plain"]


def test_the_first_case_that_fails_lies_behind_a_fold(shell):
    wrong = CELL.replace(" / math.sqrt(query.shape[-1])", "")
    panels = []
    for below in ("", syntax.text_of(SOLUTION, "additive_mask")):  # which it builds on
        run(shell, below)
        panels += run(shell, f"%%grade {ATTENTION.id}\n{wrong}")[0]
    for panel in panels:
        first = panel["text/plain"].split("✗ ")[2].partition(" (")[0].partition(" · ")[0]
        _, fold = panel["text/html"].split("<details>", 1)
        assert fold.startswith(f"<summary>Look at the case <b>{first}</b></summary><pre")
        for word in ("query = ", "expected"):
            assert word in fold
    assert ["  yours" in panel["text/html"] for panel in panels] == [False, True]
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
    assert "<details>" not in panel["text/html"]  # all passes


def test_the_program_in_a_fold_runs_in_the_next_cell(shell):
    wrong = "def causal_mask(length, *, device=None):\n    return 1 / 0"
    ((panel,), _) = run(shell, f"%%grade {SLUG}.causal_mask\n{wrong}")
    program = html.unescape(
        panel["text/html"].split("<pre")[2].partition(">")[2].split("</pre>")[0]
    )
    assert "import causal_mask" not in program
    _, said = run(shell, program)
    assert "ZeroDivisionError" in said
    run(shell, syntax.text_of(SOLUTION, "causal_mask"))
    _, said = run(shell, program)
    assert said.endswith("This case is right.\n")


def test_earlier_cells_belong_to_the_submission(shell):
    run(shell, "def root(x):\n    return math.sqrt(x)")
    body = CELL.replace("math.sqrt(", "root(")
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{body}")
    assert f"{ATTENTION.public_points} of {ATTENTION.public_points} points" in panel["text/plain"]


def test_an_error_is_placed_as_jupyter_counts(shell):
    body = CELL.replace("    scores =", "    1 / 0\n    scores =", 1)
    line = 2 + body.splitlines().index("    1 / 0")  # the first line is the magic
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{body}")
    assert f"cell {shell.execution_count - 1}, line {line}: 1 / 0" in panel["text/plain"]


def test_several_exercises_are_one_panel(shell):
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id} {SLUG}.entropy  # both\nx = 1")
    assert ATTENTION.id in panel["text/plain"]
    assert f"{SLUG}.entropy" in panel["text/plain"]


def test_the_text_has_no_colors_where_a_kernel_forces_them(shell, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    ((panel,), _) = run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
    assert "\x1b" not in panel["text/plain"]


def test_what_is_not_protected_is_said_once(shell, monkeypatch):
    with Sandbox(tier="rlimits") as weak:
        monkeypatch.setattr(notebook, "_sandbox", weak)
        ((first,), _) = run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
        ((second,), _) = run(shell, f"%%grade {ATTENTION.id}\n{CELL}")
    assert "Not protected" in first["text/html"]
    assert "Not protected" in first["text/plain"]
    assert "Not protected" not in second["text/html"] + second["text/plain"]


def test_a_real_kernel_shows_the_panel_once():
    """In a kernel, libraries display things by themselves; a shell alone does not tell."""
    cells = ["%load_ext grader\nimport torch", f"%%grade {ATTENTION.id}\nx = 1"]
    document = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(document, timeout=120, kernel_name="python3").execute()
    (output,) = document.cells[1].outputs
    assert output.output_type == "display_data"
    assert output.data["text/html"].startswith("<div")
    assert "0 of " in output.data["text/plain"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("%%grade\nx = 1", "Which exercise?"),
        ("%%grade self_atention.x\nx = 1", "Did you mean 'self_attention'?"),
        ("%%grade self_attention.causal_mask\n1 / 0", "ZeroDivisionError"),
    ],
)
def test_misuse_is_one_message(shell, text, words):
    panels, said = run(shell, text)
    assert panels == []
    assert words in said
