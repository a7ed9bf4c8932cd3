"""`grade run`: a chapter's model trained on the learner's own versions, beside the course's run."""

import json
import re

import pytest
from click.testing import CliRunner

from grader import commands, course
from grader.errors import UserError
from grader.judge import records, source, syntax
from grader.student import run, workspace

SLUG = "mlp"
LATE = ("convolution", "transformer")  # whose loss falls after a quarter of the steps


def written(folder, slug, change=lambda text: text):
    """A module with the solutions in the place of its exercises."""
    text, module = course.solution(slug), workspace.skeleton(slug)
    there = set(syntax.Module(module).binding)
    for symbol in records.symbols(slug):
        module = source.replace(module, symbol, syntax.portion(text, symbol, there - {symbol}))
    (folder / f"{slug}.py").write_text(change(module))


def passed(folder, *ids):
    points = {one.id: one.public_points for one in records.select(ids)}
    (folder / "progress.json").write_text(json.dumps(points))


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """A workspace in which all exercises have passed."""
    folder = tmp_path_factory.mktemp("everything")
    for one in records.slugs():
        written(folder, one)
    passed(folder, *records.slugs())
    return folder


class Remembers:
    """A sandbox that runs the same once: beside every run of `mlp` there is the course's own."""

    def __init__(self, box):
        self.box = box
        self.known = {}

    def run(self, *given, **named):
        asked = repr((given, named))
        if asked not in self.known:
            self.known[asked] = self.box.run(*given, **named)
        return self.known[asked]


@pytest.fixture(scope="module")
def remembers(sandbox):
    return Remembers(sandbox)


@pytest.mark.parametrize("slug", run.recipes())
def test_the_courses_versions_written_by_a_learner_change_nothing(
    slug, sandbox, everything, monkeypatch
):
    part = 2 if slug in LATE else 4  # is enough
    monkeypatch.setattr(run, "RUN", run.RUN.replace("steps=STEPS", f"steps=STEPS // {part}"))
    found = run.run(slug, everything, sandbox)
    assert found.error == ""
    assert found.parted is None
    assert found.theirs == []
    assert any(one.startswith(f"{slug}.") for one in found.mine)
    assert "training.Adam" in found.mine
    assert found.reference[-10:].mean() < 0.8 * found.reference[0]  # it learns
    assert re.search(r"Nothing differs", "\n".join(run.lines(found)))


def test_what_has_not_passed_is_the_courses(remembers, tmp_path):
    written(
        tmp_path, SLUG, lambda text: source.replace(text, "relu", "def relu(input):\n    1 / 0")
    )
    passed(tmp_path, f"{SLUG}.MLP")
    found = run.run(SLUG, tmp_path, remembers)
    assert found.mine == ["mlp.MLP"]
    assert {"mlp.relu", "training.Adam"} <= set(found.theirs)
    assert found.parted is None


@pytest.mark.parametrize("notebook", [False, True])
def test_what_differs_is_told(notebook, remembers, tmp_path):
    """A version that passed when it was checked, and was changed since."""
    text = "def relu(input):\n    return input.clamp(min=0.1 * input)\n"
    if notebook:
        cells = [{"cell_type": "code", "source": f"%%grade mlp.relu\n{text}"}]
        (tmp_path / "mlp.py").write_text(workspace.skeleton(SLUG))
        (tmp_path / "mlp.ipynb").write_text(json.dumps({"cells": cells}))
    else:
        (tmp_path / "mlp.py").write_text(text)
    passed(tmp_path, "mlp.relu")
    found = run.run(SLUG, tmp_path, remembers)
    assert found.mine == ["mlp.relu"]
    assert found.parted == 1  # the network of the course builds on it
    told = "\n".join(run.lines(found))
    assert "yours:        mlp.relu\n" in told
    assert "They differ from step 1 on; at the last one the loss with yours is" in told


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise RuntimeError('no such luck')", "RuntimeError: no such luck"),
        ("import os; os._exit(0)", "ended"),
        ("return input[:1]", "losses, got|Error"),
        ("return input.float() * float('nan')", ""),
    ],
)
def test_a_run_that_fails_says_why(body, said, remembers, tmp_path):
    (tmp_path / "mlp.py").write_text(f"def relu(input):\n    {body}\n")
    passed(tmp_path, "mlp.relu")
    found = run.run(SLUG, tmp_path, remembers)
    assert found.losses is None or said == ""
    assert re.search(said, found.error), found.error


def test_nothing_passed_is_told_before_anything_runs(tmp_path):
    written(tmp_path, SLUG)
    passed(tmp_path, "linear.softmax")
    with pytest.raises(
        UserError, match=r"No exercise that the model of mlp uses has passed yet: mlp\.relu"
    ):
        run.run(SLUG, tmp_path, None)


def test_the_command_ends_with_1_where_the_run_fails(tmp_path, monkeypatch):
    (tmp_path / "mlp.py").write_text("def relu(input):\n    raise RuntimeError('oh')\n")
    passed(tmp_path, "mlp.relu")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(commands.main, ["run", SLUG])
    assert done.exit_code == 1
    assert "With your code the run did not finish. RuntimeError: oh" in done.output
