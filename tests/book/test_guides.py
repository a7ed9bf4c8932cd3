"""The guides show what the commands do."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from PIL import Image

import grader.exercises
from book.pages import BOOK
from grader import course, questions
from grader.author import audit, catalog, recording
from grader.author.bench import Bench
from grader.commands import main
from grader.enclose.sandbox import Sandbox
from grader.instruct import assignment, browser
from grader.judge import records
from grader.questions.shown import num

pytestmark = pytest.mark.usefixtures("workers")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (BOOK / page).read_text(), re.DOTALL)


def words(text: str) -> list[str]:
    """Without line breaks, and without what depends on the machine's protections."""
    return [
        word
        for line in text.splitlines()
        if not line.startswith("Not protected:")
        for word in line.split()
    ]


def test_the_feedback_in_the_students_guide_is_what_the_grader_says(tmp_path: Path):
    answer = next(block for block in blocks("guide_student.md", "python") if "def " in block)
    shown = next(block for block in blocks("guide_student.md", "text") if "points" in block)
    file = tmp_path / "self_attention.py"
    file.write_text("import torch\n\n\n" + answer)
    target = re.search(r"✗ (\S+)", shown)[1]
    result = CliRunner().invoke(main, ["check", target, "--file", str(file)])
    assert words(result.output) == words(shown)
    assert result.exit_code == 1


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_commands_on_the_pages_exist_with_their_options(page: Path):
    text = page.read_text()
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    said = [line for line in [*lines, *re.findall(r"`(grade [^`]*)`", text)] if "grade " in line]
    for line in said:
        name, *words = re.search(r"grade (.*)", line.partition("#")[0])[1].split()
        assert name in main.commands, line
        known = {option for param in main.commands[name].params for option in param.opts}
        for word in words:
            assert not word.startswith("--") or word in known, line


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_make_targets_on_the_pages_exist(page: Path):
    targets = re.findall(r"^([a-z-]+):", (BOOK.parent / "Makefile").read_text(), re.MULTILINE)
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE):
        assert target in targets, target


def test_the_exercise_in_the_authors_guide_passes_the_audit(tmp_path: Path, monkeypatch):
    solution, exercise, answers, *_ = blocks("guide_author.md", "python")
    folder = tmp_path / "norms"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "rms_norm.py").write_text(exercise)
    (folder / "rms_norm_answers.py").write_text(answers)
    text = "import torch\nfrom torch import Tensor\n\n\n" + solution
    monkeypatch.setattr(course, "solution", lambda slug: text)
    monkeypatch.setattr(grader.exercises, "__path__", [str(tmp_path)])
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    monkeypatch.setattr(records, "FOLDER", tmp_path / "references")
    (chosen,) = catalog.exercises("norms")
    with Sandbox() as sandbox:
        recording.update(Bench(chosen, sandbox), records.FOLDER)
        recording.save_index(records.FOLDER, [chosen])
    (found,) = audit.audit([chosen])
    assert found.gaps == []
    assert found.named == len(chosen.mistakes)


def test_the_term_in_the_instructors_guide_runs(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    right = course.solution("linear")
    wrong = right + "\n\ndef cross_entropy(scores, labels, **options):\n    return scores.sum()\n"
    for name, text in (("lovelace", right), ("turing", wrong)):
        (tmp_path / "submissions" / name).mkdir(parents=True)
        (tmp_path / "submissions" / name / "linear.py").write_text(text)
    (tmp_path / "roster.csv").write_text("id,name\nlovelace,Ada\nturing,Alan\nhopper,Grace\n")
    term = (BOOK / "guide_instructor.md").read_text().partition("## Report on a class")[0]
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", term, re.DOTALL)).splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.strip()]
    assert [words[0] for words in commands[:5]] == ["plan", "release", "hidden", "batch", "marks"]
    for words in commands:
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, f"{words}: {done.output}"
    rows = json.loads((tmp_path / "grades" / "gradebook.json").read_text())
    told = {row["name"]: (row["state"], row["total"] / row["possible"]) for row in rows}
    assert told["Ada"] == ("graded", 1)
    assert told["Grace"] == ("missing", 0)
    assert 0 < told["Alan"][1] < 1
    (table,) = blocks("guide_instructor.md", "toml")
    given = assignment.parse(f'name = "week-1"\n{table}\n[exercises]\n"linear.softmax" = 9\n')
    assert given.late.free_days == 2
    assert given.by_hand == {"report": 10}


def test_the_exam_in_the_instructors_guide_is_written(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(browser, "NAMES", ())
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    (tmp_path / "roster.csv").write_text("id,name\nlovelace,Ada\nturing,Alan\n")
    text = (BOOK / "guide_instructor.md").read_text().partition("## Written exams")[2]
    (line,) = re.findall(r"```sh\n(.*?)\n```", text, re.DOTALL)[:1]
    done = CliRunner().invoke(main, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    assert len([*(tmp_path / "exam" / "papers").iterdir()]) == 2


def test_the_question_in_the_instructors_guide_can_be_drawn():
    (block,) = blocks("guide_instructor.md", "python")
    names = {
        "question": questions.question,
        "Drawn": questions.Drawn,
        "num": num,
        "Random": random.Random,
    }
    exec(compile(block, "guide", "exec"), {**names, "__name__": "grader.questions.linear"}, names)
    one = names["one_step"]
    assert one.slug == "linear"
    drawn = [one.draw(str(seed)) for seed in range(20)]
    assert len({one.text for one in drawn}) > 5
    assert {one.points for one in drawn} == {2}


def test_the_programs_for_ones_own_data_run(tmp_path: Path, monkeypatch, capsys):
    chance = random.Random(0)
    words = ["the", "cat", "dog", "saw", "a", "bird", "tree", "ran", "slept", "in"]
    text = " ".join(chance.choice(words) for _ in range(3_000))
    (tmp_path / "text.txt").write_text(text.replace("the", "The"))
    numbers = [f"{chance.randrange(1_000)}" for _ in range(300)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{n}\t{n[::-1]}\n" for n in numbers))
    for name, value in (("dark", 40), ("light", 210)):
        (tmp_path / "images" / name).mkdir(parents=True)
        for number in range(30):
            picture = Image.new("L", (32, 40), value + chance.randrange(-20, 20))
            picture.save(tmp_path / "images" / name / f"{number}.png")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    said = []
    arguments = iter(([], [], [], ["images/light/3.png"], [], ["123", "45"]))
    for block in blocks("own_data.md", "python"):
        monkeypatch.setattr(sys, "argv", ["program", *next(arguments)])
        torch.manual_seed(0)
        exec(compile(block, "own_data.md", "exec"), {"__name__": "__main__"})
        said.append(capsys.readouterr().out)
    assert next(arguments, None) is None
    trained, written, right, classes, _, targets = said
    assert float(trained.split()[1]) < 3  # uniform would be 6.2
    assert set(written.lower().split()) & set(words)
    assert right.startswith("100% of")
    assert classes.split()[0] == "light"
    assert [len(target) > 0 for target in targets.splitlines()] == [True, True]
