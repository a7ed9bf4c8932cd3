"""Exercises outside of the course: begun, proven, released and graded as the guide says."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader import course
from grader.author import audit, catalog
from grader.commands import main
from grader.enclose import walls
from grader.enclose.sandbox import Sandbox
from grader.instruct import batch
from grader.judge import grading, records
from grader.judge.submission import Submission

SECTION = (course.ROOT / "book" / "guide_instructor.md").read_text()
SECTION = SECTION.partition("## Exercises of your own\n")[2].partition("\n## ")[0]
COMMANDS = [
    shlex.split(line)[1:]
    for line in "\n".join(re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)).splitlines()
    if line
]
AUTHORS = (course.ROOT / "book" / "guide_author.md").read_text()
SOLUTION, EXERCISE, ANSWERS, *_ = re.findall(r"```python\n(.*?)```", AUTHORS, re.DOTALL)
SOLUTION = f"import torch\nfrom torch import Tensor\n\n\n{SOLUTION}"
EXERCISE = EXERCISE.replace('section="rms-norm"', 'section=""')
WRONG = SOLUTION.replace("mean(dim=-1, keepdim=True)", "mean()")
BLANK = SOLUTION.partition("    mean_square")[0] + "    raise NotImplementedError\n"
ID = "vectors.rms_norm"


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, [*map(str, words)])
    assert done.exit_code == status, f"{words}: {done.output}"
    return done.output


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Output of each command of the guide, and the folder in which all of them have run."""
    folder, before, told = tmp_path_factory.mktemp("term"), Path.cwd(), {}
    for name, text in (("lovelace", SOLUTION), ("turing", WRONG), ("hopper", BLANK)):
        for place in (folder / name, folder / "class-4" / name):
            place.mkdir(parents=True)
            (place / "vectors.py").write_text(text)
    os.chdir(folder)
    try:
        for words in COMMANDS:
            told[words[0]] = run(*words)
            if words[0] == "new":
                _fill(folder / "my-exercises/my_exercises")
    finally:
        os.chdir(before)
    return told | {"folder": folder}


@pytest.fixture
def folder(said, monkeypatch):
    monkeypatch.chdir(said["folder"])
    return said["folder"]


def _fill(package: Path) -> None:
    (package / "solutions/vectors.py").write_text(SOLUTION)
    (package / "exercises/vectors/rms_norm.py").write_text(EXERCISE)
    (package / "exercises/vectors/rms_norm_answers.py").write_text(ANSWERS)


# From beginning to marks


def test_the_commands_of_the_guide_begin_prove_release_and_grade(said):
    assert [words[0] for words in COMMANDS] == [
        *("new", "record", "audit", "release", "hidden", "check", "batch")
    ]
    assert said["record"].endswith("1 recorded, 0 still agree\n")
    assert "1 exercises" in said["audit"]
    assert "0 gaps" in said["audit"]
    package = said["folder"] / "my-exercises/my_exercises"
    assert records.slugs(package / "references") == ["vectors"]
    index = json.loads((package / "references" / records.INDEX).read_text())
    assert [*index] == ["vectors"]


def test_the_course_is_as_it_was(said):
    assert not {"vectors"} & {*records.slugs(), *catalog.slugs()}
    assert not list(records.FOLDER.glob("vectors*"))
    assert course.VARIABLE not in os.environ


def test_right_wrong_and_blank_files_are_told_apart(folder):
    with course.using(Path("my-exercises")), Sandbox() as sandbox:
        record = records.load("vectors", "rms_norm")
        right, wrong, blank = (
            grading.check(record, Submission(text, "vectors.py"), sandbox=sandbox)
            for text in (SOLUTION, WRONG, BLANK)
        )
    assert (right.earned, right.points, right.passed) == (7, 7, True)
    assert (blank.earned, blank.status) == (0, "blank")
    assert [known.name for known in wrong.named] == ["one_norm_for_all"]
    assert 0 < wrong.earned < 7


def test_the_class_is_graded_with_hidden_cases(said, folder):
    assert "3 attempts; results: 3 graded" in said["batch"]
    run("marks", "grades-4", "--json", "--exercises", "my-exercises")
    rows = json.loads((folder / "grades-4" / "gradebook.json").read_text())
    points = {row["student"]: row[ID] for row in rows}
    assert points["lovelace"] == 7
    assert points["hopper"] == 0 < points["turing"] < 7


def test_a_copy_checks_them_on_its_own_and_holds_no_answer(folder):
    copy = folder / "week-4"
    assert records.slugs(copy / "grader/references") == ["linear", "vectors"]
    texts = [path.read_text() for path in copy.rglob("*.py")] + [
        path.read_text() for path in copy.rglob("*.ipynb")
    ]
    assert not [text for text in texts if "mean_square" in text]
    environment = {**os.environ, "PYTHONPATH": str(copy), "COURSE_EXERCISES": ""}
    command = [sys.executable, "-c", "from grader.cli import main; main()", "check", "vectors"]
    for text, status in ((SOLUTION, 0), (WRONG, 1)):
        (copy / "work/vectors.py").write_text(text)
        done = subprocess.run(
            command, cwd=copy / "work", env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == status, done.stderr
        assert ("You took the mean over every axis" in done.stdout) == (status == 1)
        assert "Read:" not in done.stdout


def test_marks_depend_on_their_solutions(folder):
    before = batch.grader_digest()
    with course.using(Path("my-exercises")):
        assert batch.grader_digest() != before
    assert batch.grader_digest() == before


# Where they are found


def test_an_installed_package_is_found_by_its_entry_point(folder, tmp_path):
    shutil.copytree(folder / "my-exercises/my_exercises", tmp_path / "my_exercises")
    told = tmp_path / "my_exercises-0.1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: my-exercises\nVersion: 0.1\n")
    (told / "entry_points.txt").write_text(f"[{course.GROUP}]\nmy_exercises = my_exercises\n")
    paths = os.pathsep.join([str(tmp_path), str(course.ROOT)])
    code = (
        "from grader import course\nfrom grader.author import catalog\n"
        "from grader.judge import records\n"
        "print(records.load('vectors', 'rms_norm').manifest.id, course.named())\n"
        "there = {one.slug for one in catalog.select()}\n"
        "print(catalog.select(['vectors'])[0].id, 'vectors' in there)\n"
        "from course.vectors import rms_norm\nimport torch\n"
        "print(rms_norm(torch.ones(2, 3)).sum().round().item())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == f"{ID} []\n{ID} False\n6.0\n", done.stderr


def test_installed_packages_are_looked_through_only_where_one_announces_exercises(tmp_path):
    told = tmp_path / "other-0.1.dist-info"
    told.mkdir()
    code = (
        "import sys\nfrom grader import course\ncourse.projects()\n"
        "print('importlib.metadata' in sys.modules)\n"
    )
    said = []
    for group in ("console_scripts", course.GROUP):
        (told / "entry_points.txt").write_text(f"[{group}]\nother = no_such_package\n")
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(course.ROOT)])},
            capture_output=True,
            text=True,
            timeout=300,
        )
        said.append(done.stdout.strip() or done.stderr)
    assert said == ["False", "True"]


def test_submissions_cannot_read_them_among_installed_packages(monkeypatch):
    site = walls.import_paths()[0]
    one = site / "rich"
    assert any(one.is_relative_to(path) for path in walls.readable_paths())
    monkeypatch.setattr(course, "projects", lambda: (course.Project("rich", one),))
    shown = walls.readable_paths()
    assert not any(one.is_relative_to(path) or path.is_relative_to(one) for path in shown)
    assert any((site / "torch").is_relative_to(path) for path in shown)


def test_a_module_builds_on_the_course_and_on_its_own_project(tmp_path):
    run("new", "first.twice", "--to", tmp_path / "mine")
    package = tmp_path / "mine" / "mine"
    (package / "solutions/second.py").write_text(
        "from mine.solutions.first import twice\nfrom solutions.linear import softmax\n\n\n"
        "def more(x):\n    return softmax(twice(x))\n\n\ndef before(x):\n    return x\n"
    )
    run("new", "second.more", "--to", tmp_path / "mine")
    run("new", "second.before", "--to", tmp_path / "mine")
    with course.using(tmp_path / "mine"):
        assert course.solution("second").startswith(
            "from course.first import twice\nfrom course.linear import softmax\n"
        )
        assert catalog.slugs()[-2:] == ["first", "second"]
        assert catalog.symbols("second") == ["more", "before"]  # in the order of the module
        assert course.named() == ["first", "second"]


# What is refused


def test_what_is_not_as_it_should_be_is_one_message(folder, tmp_path):
    other, kept = tmp_path / "other", Path("my-exercises/my_exercises/references")
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    run("new", "mine.one", "--to", tmp_path / "mine")
    (tmp_path / "mine/mine/solutions/vectors.py").write_text("def one(x):\n    return x\n")
    for words, expected in (
        (["new", "linear.mine", "--to", "new"], "The course has a chapter linear already"),
        (["new", "data.mine", "--to", "new"], "The course has a chapter data already"),
        (["new", "vectors", "--to", "new"], "Write: SLUG.SYMBOL"),
        (["new", "a.b", "--to", other], "is not empty and has no pyproject.toml"),
        (["new", "a.b", "--to", tmp_path / "import"], "'import' is no name"),
        (["new", ID, "--to", "my-exercises"], "is there already"),
        (["new", "vectors.other", "--to", "my-exercises"], "write other there first"),
        (["list", "--exercises", other], "is no project with exercises: pyproject.toml"),
        (["list", "--exercises", course.ROOT], "announces no exercises"),
        (["check", "mine", "--exercises", tmp_path / "mine"], "has no recorded exercise yet"),
        (["release", "mine", "--to", "new", "--exercises", tmp_path / "mine"], "grade record mine"),
        (
            ["list", "--exercises", "my-exercises", "--exercises", tmp_path / "mine"],
            "has a chapter vectors already",
        ),
        (
            ["hidden", ID, "--to", kept, "--exercises", "my-exercises"],
            "must not lie beside the public ones",
        ),
    ):
        told = run(*words, status=2)
        assert expected in told
        assert told.count("grade: ") == 1
        assert not Path("new").exists()
        assert [path.name for path in other.iterdir()] == ["notes.txt"]


def test_a_record_that_is_out_of_date_is_not_handed_out(folder):
    module = Path("my-exercises/my_exercises/solutions/vectors.py")
    try:
        module.write_text(SOLUTION.replace("+ eps)", "+ 2 * eps)"))
        for command in ("release", "hidden"):
            words = (command, "vectors", "--to", "new", "--exercises", "my-exercises")
            assert "out of date. Record it: grade record" in run(*words, status=2)
            assert not Path("new").exists()
        told = run("audit", "--no-mutants", "--exercises", "my-exercises", status=1)
        assert "its record is out of date" in told
    finally:
        module.write_text(SOLUTION)


def test_a_section_is_an_address(folder):
    exercise = Path("my-exercises/my_exercises/exercises/vectors/rms_norm.py")
    assert 'section=""' in exercise.read_text()
    assert course.address("vectors", "") is None
    assert course.address("vectors", "https://example.org/norms") == "https://example.org/norms"
    with course.using(Path("my-exercises")):
        told = records.select([ID])[0]
        (found,) = catalog.select([ID])
        anchor = replace(found, section="anchor")
        assert [*audit.unplaced(found)] == []
        assert [*audit.unplaced(replace(found, section="https://example.org"))] == []
        assert "'anchor' is no address" in next(audit.unplaced(anchor))
    assert told.place == ""
