"""`grade release` writes a course that checks what is assigned and holds no answer to it."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from grader import commands, course
from grader.enclose.sandbox import Sandbox
from grader.instruct import assignment, plan
from grader.instruct.release import STAND_INS, needed, solutions
from grader.instruct.release import release as written
from grader.judge import given as building
from grader.judge import records, source
from grader.student import own, progress

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
    """Check there, as `command` does."""
    done = command(copy, "check", "--json", *words, cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def command(copy: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess:
    """Run `grade` there, where nothing of this project is to be had but the copy."""
    packages = dict.fromkeys(str(Path(find_spec(name).origin).parents[1]) for name in NEEDED)
    code = "from grader.cli import main\nmain()\n"
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), *packages])},
        capture_output=True,
        text=True,
        timeout=600,
    )


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


def test_a_model_is_trained_on_what_has_passed_in_it(copy, tmp_path):
    (tmp_path / "vit.py").write_text(course.solution("vit"))
    points = {one.id: one.public_points for one in records.select(["vit"])}
    (tmp_path / "progress.json").write_text(json.dumps(points))
    done = command(copy, "run", "vit", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"yours: +vit\.", done.stdout)
    assert "This copy of the course holds no answers" in done.stdout
    (tmp_path / "progress.json").write_text("{}")
    done = command(copy, "run", "vit", cwd=tmp_path)
    assert (done.returncode, "has passed yet" in done.stderr) == (2, True)


def test_make_names_what_later_assignments_ask_for():
    words = ["make", "-n", "--no-print-directory", "student-copy", "SLUG=mlp", "TO=week 1"]
    for later, said in (("", ""), ("training gpt", "--later training --later gpt")):
        told = [*words, f"LATER={later}"]
        done = subprocess.run(told, cwd=course.ROOT, capture_output=True, text=True, check=True)
        last = done.stdout.splitlines()[-1].partition("grade release ")[2]
        assert last.split() == ["mlp", "--to", '"week', '1"', *said.split()]


# A term


@cache
def all_bodies(text: str) -> frozenset[str]:
    """The same file is handed out in many weeks."""
    return frozenset(bodies(text))


def answers(names) -> set[str]:
    """Bodies of exercises; what is as short elsewhere is no answer."""
    asked: dict[str, list[str]] = {}
    for one in names:
        slug, _, symbol = one.partition(".")
        asked.setdefault(slug, []).append(symbol)
    return {
        body
        for slug, symbols in asked.items()
        for body in bodies(course.original(slug), tuple(symbols))
        if len(body) > 200
    }


@pytest.mark.parametrize("weeks", plan.plans())
def test_a_week_holds_what_its_exercises_need_and_no_answer_to_them_or_later_ones(weeks, tmp_path):
    term = [path.parent for path in plan.write(plan.plan(weeks), tmp_path / "term")]
    asked = {home: assignment.read(home).exercises for home in term}
    for place, home in enumerate(term):
        copied, one = tmp_path / "copy" / home.name, assignment.read(home)
        assert len([*written(one, copied, assignment.later(one, home))]) > 15
        texts = [path.read_text() for path in copied.rglob("*.py")]
        texts += [text for path in copied.rglob("*.ipynb") for text in cells(path)]
        given = {body for text in texts for body in all_bodies(text)}
        kept = answers(name for other in term[place:] for name in asked[other])
        assert len(kept) >= len(one.exercises)
        assert not kept & given, home.name
        past = answers(
            name
            for other in term[:place]
            for name in asked[other]
            if (copied / "solutions" / f"{name.partition('.')[0]}.py").is_file()
        )
        assert past <= given, home.name  # what stands before is whole
        chosen = records.select([*one.exercises])
        known = {known.id for slug in one.slugs for known in records.manifests(slug)}
        below = {f"{each.slug}.{name}" for each in chosen for name in each.needs} & known
        assert answers(below - {*one.exercises}) <= given, home.name  # or it cannot be checked


def test_a_week_without_the_term_is_told_what_comes_later(tmp_path):
    for name, words in (("alone", ()), ("told", ("--later", "training"))):
        done = release(tmp_path / name, "mlp", *words)
        assert done.exit_code == 0, done.output
    alone, told = ((tmp_path / name / "solutions") for name in ("alone", "told"))
    assert (alone / "training.py").read_text() == course.original("training")
    text = (told / "training.py").read_text()
    assert not answers(one.id for one in records.select(["training"])) & {*bodies(text)}
    assert (alone / "fit.py").is_file()
    assert not (told / "fit.py").exists()  # it is made of what comes later


def test_what_is_assigned_can_be_checked_without_what_is_not(tmp_path):
    """`linear.train` builds on three losses. The student writes none of them."""
    done = release(tmp_path / "new", "linear.train", "linear.linear")
    assert done.exit_code == 0, done.output
    whole = {*bodies((tmp_path / "new" / "solutions" / "linear.py").read_text())}
    losses = ["linear.squared_loss", "linear.logistic_loss", "linear.hinge_loss"]
    assert answers(losses) <= whole
    assert not answers(["linear.train", "linear.linear"]) & whole
    text = course.original("linear")
    left = source.blank(text, {one.partition(".")[2] for one in losses})
    (tmp_path / "linear.py").write_text(left)
    found = grade(tmp_path / "new", "linear.train", cwd=tmp_path)
    assert found["earned"] == found["points"] > 10
    (tmp_path / "linear.py").write_text(source.blank(left, {"train"}))
    both = ("linear.squared_loss", "linear.train")
    done = command(tmp_path / "new", "check", *both, cwd=tmp_path)
    assert "Next to write: linear.train" in done.stdout  # it is assigned, the other is not


def test_what_stands_in_is_refused_as_an_answer():
    for name, texts in STAND_INS.items():
        (exercise,) = records.select([name])
        assert exercise.symbol in texts
        for symbol, text in texts.items():
            assert any(refused in text for refused in exercise.forbidden)
            assert text.startswith(f"{symbol} = ")


def test_what_is_made_of_a_later_answer_is_replaced_with_its_helpers():
    later = [one.id for one in records.select(["training"])]
    space: dict = {}
    exec(solutions(records.select(["mlp"]), later)["training"], space)
    assert space["Adam"] is torch.optim.Adam
    assert space["AdamW"] is torch.optim.AdamW  # on torch's Adam, the course's would be another
    helper = course.solution("training").partition("rule = staticmethod(_")[2].partition(")")[0]
    assert helper
    assert f"_{helper}" not in space  # the whole arithmetic of Adam


def test_an_exercise_on_one_of_a_later_assignment_is_refused(tmp_path):
    done = release(tmp_path / "new", "transformer.decoder_mask", "--later", "self_attention")
    assert done.exit_code == 2
    assert "transformer.decoder_mask builds on self_attention." in done.output
    assert not (tmp_path / "new").exists()


def test_the_order_of_assignments_is_that_of_due_dates_then_of_names(tmp_path):
    def write(folder, symbol, due):
        chosen = records.select([f"linear.{symbol}"])
        one = assignment.released(chosen, name=folder, due=due and f"2027-01-{due}T10:00+01:00")
        assignment.write(one, tmp_path / folder)
        return one

    first = write("b", "softmax", "11")
    second = write("a", "linear", "18")
    undated = write("c", "train", "")
    assert assignment.later(first, tmp_path / "b") == {"linear.linear", "linear.train"}
    assert assignment.later(second, tmp_path / "a") == {"linear.train"}
    assert assignment.later(undated, tmp_path / "c") == set()


BUILT = ("self_attention", "transformer.decoder_mask")


def test_what_an_assignment_asks_for_is_built_on_as_the_student_wrote_it(tmp_path, monkeypatch):
    blanked = solutions(records.select(BUILT))
    assert not answers(one.id for one in records.select(BUILT)) & {
        body for text in blanked.values() for body in bodies(text)
    }
    right = course.solution("self_attention")
    monkeypatch.setattr(course, "original", blanked.__getitem__)
    building._modules.cache_clear()
    needs = {f"course.{name}": text for name, text in [("self_attention", right)]}
    modules = building.modules("transformer", "from course.self_attention import causal_mask")
    (tmp_path / "self_attention.py").write_text(right)
    progress.begin(tmp_path)
    before = own.completed(modules, tmp_path)["course.self_attention"]
    assert "self_attention.causal_mask, which has not passed" in before
    points = {one.id: one.public_points for one in records.select(["self_attention"])}
    (tmp_path / progress.NAME).write_text(json.dumps(points))
    after = own.completed(modules, tmp_path)
    assert [name for name in after if "self_attention" in name] == [*needs, "own.self_attention"]
    call = {"probe": "defaults", "args": {"length": 3}, "init": None, "grad": []}
    text = "from course.self_attention import causal_mask\n\n\ndef triangle(length):\n"
    with own.Workbench(tmp_path) as bench, Sandbox() as bare:
        for sandbox, works in ((bench, True), (bare, False)):
            more = {"filename": "transformer.py", "modules": modules}
            out = sandbox.run(f"{text}    return causal_mask(length)\n", "triangle", [call], **more)
            assert ("error" not in out.cases[0]) == works
    building._modules.cache_clear()


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
