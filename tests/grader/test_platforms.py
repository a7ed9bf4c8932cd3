"""Files for course platforms: assignments and marks for nbgrader, autograders for the others.

The exports were tried on nbgrader 0.9.6: an assignment generated, released and collected, marks
entered and exported, feedback released. What stands for it here is as little as they need of it.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from classroom import gradebook as made_gradebook
from click.testing import CliRunner

from grader import commands, course
from grader.instruct import assignment, autograder, gradebook, nbgrader, page
from grader.judge import submission

RIGHT = course.solution("linear")
ADA, ALAN, NOBODY = "Ada Lovelace", "Alan Turing", "Grace Hopper"
ASSIGNED = ("linear.softmax", "linear.cross_entropy", "linear.LinearModel")


def grade(*words):
    return CliRunner().invoke(commands.main, [*map(str, words)])


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "week-1"
    assert grade("release", *ASSIGNED, "--to", folder, "--name", "week-1").exit_code == 0
    given = folder / assignment.NAME
    given.write_text(given.read_text().replace('# "report"', '"a report"'))
    return folder


# nbgrader


@pytest.fixture(scope="module")
def source(copy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "source" / "week-1"
    done = grade("export", copy, "--to", "nbgrader-assignment", "-o", folder)
    assert done.exit_code == 0, done.output
    return folder


def cells(folder: Path) -> dict[str, dict]:
    book = json.loads((folder / "linear.ipynb").read_text())
    marked = [one for one in book["cells"] if "nbgrader" in one["metadata"]]
    return {one["metadata"]["nbgrader"]["grade_id"]: one for one in marked}


def test_nbgrader_gets_what_is_assigned_and_what_it_is_worth(copy, source):
    found = cells(source)
    given = assignment.read(copy)
    points = {name: one["metadata"]["nbgrader"]["points"] for name, one in found.items()}
    worth = {**given.exercises, **given.by_hand}
    assert points == {nbgrader.cell_name(name): value for name, value in worth.items()}
    assert [*found] == ["linear-softmax", "linear-cross_entropy", "linear-LinearModel", "a-report"]
    for one in found.values():  # the rules of nbgraderformat/v3.json
        told = one["metadata"]["nbgrader"]
        assert re.fullmatch(r"[a-zA-Z0-9_\-]+", told["grade_id"])
        assert told["schema_version"] == 3
        assert set(told) == {
            *("schema_version", "grade", "solution", "locked", "task", "grade_id", "points")
        }
        assert (told["grade"], told["solution"], told["task"]) == (True, True, False)


def cleared(text: str) -> str:
    """As nbgrader's ClearSolutions leaves it."""
    form = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION$", re.DOTALL | re.MULTILINE)
    return form.sub(r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", text)


def test_what_nbgrader_hands_out_is_a_blank_with_its_signature(source, tmp_path):
    book = json.loads((source / "linear.ipynb").read_text())
    regions = 0
    for cell in book["cells"]:
        if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]:
            text = "".join(cell["source"])
            regions += text.count("BEGIN SOLUTION")
            cell["source"] = cleared(text)
            assert cell["source"].startswith("%%grade linear.")
            assert '"""' in cell["source"]
            assert "SOLUTION" not in cell["source"]
    assert regions == 4  # the module has two methods
    (tmp_path / "linear.ipynb").write_text(json.dumps(book))
    done = grade("check", *ASSIGNED, "--file", tmp_path / "linear.ipynb", "--json")
    told = json.loads(done.output)
    assert [one["status"] for one in told["exercises"]] == ["blank"] * 3, told
    read = submission.read(tmp_path / "linear.ipynb", "linear", (".ipynb",))
    assert "YOUR CODE HERE" in "".join(read.cells)


@pytest.mark.parametrize(
    ("to", "said"), [("source/other", "-o source/week-1"), ("used/week-1", "is not empty")]
)
def test_an_assignment_of_another_name_is_refused(copy, tmp_path, to, said):
    (tmp_path / "used" / "week-1").mkdir(parents=True)
    (tmp_path / "used" / "week-1" / "mine.txt").write_text("mine")
    done = grade("export", copy, "--to", "nbgrader-assignment", "-o", tmp_path / to)
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "source").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sandbox):
    class_ = {ADA: [RIGHT], ALAN: [RIGHT + "\n\ndef softmax(input, dim=-1):\n    return input\n"]}
    place = tmp_path_factory.mktemp("class") / "grades"
    more = {"marks": {ADA: [("a report", 5, "fine")]}}
    return made_gradebook(place, class_ | {NOBODY: []}, sandbox, **more)


class Missing(Exception):
    pass


class Book:
    """As much of nbgrader's gradebook as is used."""

    def __init__(self, worth):
        self.cells = [SimpleNamespace(name=name, max_score=value) for name, value in worth.items()]
        self.students, self.submissions, self.commits = {}, {}, 0
        self.db = SimpleNamespace(commit=self.commit)

    def commit(self):
        self.commits += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def find_assignment(self, name):
        if name != "week-1":
            raise Missing
        notebook = SimpleNamespace(grade_cells=self.cells, task_cells=[])
        return SimpleNamespace(notebooks=[notebook])

    def find_student(self, name):
        if name not in self.students:
            raise Missing
        return self.students[name]

    def add_student(self, name, **more):
        self.students[name] = more

    def update_or_create_submission(self, assignment, student, **more):
        if student not in self.submissions:
            grades = [SimpleNamespace(name=one.name, needs_manual_grade=True) for one in self.cells]
            notebook = SimpleNamespace(grades=grades, late_submission_penalty=None)
            self.submissions[student] = SimpleNamespace(notebooks=[notebook], **more)
        return self.submissions[student]


class Course:
    db_url = "sqlite:///gradebook.db"
    submitted_directory, feedback_directory = "submitted", "feedback"

    def __init__(self, config):
        pass

    def format_path(self, step, student, assignment):
        return str(Path(step, student, assignment))


def enter(place: Path, root: Path, book: Book, monkeypatch) -> int:
    modules = {
        "nbgrader": {},
        "nbgrader.api": {"Gradebook": lambda url: book, "MissingEntry": Missing},
        "nbgrader.apps": {},
        "nbgrader.apps.baseapp": {
            "NbGrader": lambda: SimpleNamespace(load_config_file=lambda: None, config={})
        },
        "nbgrader.coursedir": {"CourseDirectory": Course},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "argv", ["enter.py", str(root)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(place / "enter.py"), run_name="__main__")
    return ended.value.code


def test_marks_enter_nbgraders_gradebook(folder, tmp_path, monkeypatch, capsys):
    book = gradebook.read(folder)
    place = tmp_path / "marks"
    assert grade("export", folder, "--to", "nbgrader", "-o", place).exit_code == 0
    worth = json.loads((place / "marks.json").read_text())["worth"]
    (tmp_path / "course" / "submitted" / "ada.lovelace" / "week-1").mkdir(parents=True)
    for name in ("timestamp.txt", "submission_secret.txt"):
        path = tmp_path / "course" / "submitted" / "ada.lovelace" / "week-1" / name
        path.write_text(name)
    there = Book(worth)
    assert enter(place, tmp_path / "course", there, monkeypatch) == 0
    assert set(there.submissions) == {"ada.lovelace", "alan.turing"}, "no zero for who did nothing"
    assert there.students["ada.lovelace"]["last_name"] == "Lovelace"
    for student in ("ada.lovelace", "alan.turing"):
        (notebook,) = there.submissions[student].notebooks
        earned = sum(one.manual_score + (one.extra_credit or 0) for one in notebook.grades)
        assert earned - notebook.late_submission_penalty == book.final(student).total
        assert not any(one.needs_manual_grade for one in notebook.grades)
    feedback = tmp_path / "course" / "feedback" / "ada.lovelace" / "week-1"
    assert {one.name for one in feedback.iterdir()} == {
        *("linear.html", "timestamp.txt", "submission_secret.txt")
    }
    (ada,) = [one for one in book.students if one.id == "ada.lovelace"]
    assert (feedback / "linear.html").read_text() == page.handout(book, ada)
    assert "1 students' feedback left out" in capsys.readouterr().out


@pytest.mark.parametrize(("total", "off", "extra"), [(8.5, 1.5, 0), (12, 0, 2), (10, 0, 0)])
def test_late_points_are_a_penalty_and_a_bonus_is_extra_credit(total, off, extra, monkeypatch):
    from grader.instruct import nbgrader_enter

    module = ModuleType("nbgrader.api")
    module.MissingEntry = Missing
    monkeypatch.setitem(sys.modules, "nbgrader.api", module)
    book = Book({"a": 4, "b": 6})
    student = {"id": "x", "first_name": "", "last_name": "", "email": "", "submitted": "late"}
    nbgrader_enter.enter(book, "week-1", student | {"points": {"a": 4, "b": 6}, "total": total})
    (notebook,) = book.submissions["x"].notebooks
    assert notebook.late_submission_penalty == off
    assert notebook.grades[0].extra_credit == extra
    assert book.commits == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"assignment": "week-2"}, "generate_assignment week-2"),
        ({"worth": {"a": 1}}, "a, a-report, linear"),
    ],
)
def test_marks_of_another_assignment_are_refused(
    folder, tmp_path, monkeypatch, capsys, change, said
):
    place = tmp_path / "marks"
    assert grade("export", folder, "--to", "nbgrader", "-o", place).exit_code == 0
    told = json.loads((place / "marks.json").read_text())
    book = Book(told["worth"])
    (place / "marks.json").write_text(json.dumps(told | change))
    assert enter(place, tmp_path, book, monkeypatch) == 2
    assert said in capsys.readouterr().err
    assert not book.submissions


# PrairieLearn and Classroom 50

WRONG = RIGHT + "\n\ndef softmax(input, dim=-1):\n    return input.exp()\n"
ENVIRONMENT = {
    "CLASSROOM": "networks",
    "ASSIGNMENT": "week-1",
    "SUBMISSION_TAG": "submit/2026-12-01T10-00-00Z-a1b2c3d",
    "USERNAME": "ada",
    "COMMIT_URL": "https://example.org/commit/a1b2c3d",
    "RELEASE_URL": "https://example.org/releases/1",
}


@pytest.fixture(scope="module")
def secret(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secret") / "hidden"
    assert grade("hidden", *ASSIGNED, "--to", folder).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def question(copy, secret, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prairielearn") / "made"
    words = ["--references", secret, "--image", "someone/grader", "-o", folder]
    done = grade("export", copy, "--to", "prairielearn", *words)
    assert done.exit_code == 0, done.output
    return folder / "questions" / "week-1"


def external(question: Path, root: Path, **files: str) -> subprocess.CompletedProcess:
    """Run the entrypoint in PrairieLearn's folders, with no project but the copy to import."""
    shutil.copytree(question / "tests", root / "tests")
    (root / "student").mkdir()
    for name, text in files.items():
        (root / "student" / f"{name}.py").write_text(text)
    (root / "tests" / "run.sh").chmod(0o755)  # as PrairieLearn does
    return subprocess.run(
        [root / "tests" / "run.sh"],
        cwd="/",
        env={"PYTHON": sys.executable, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_question_is_as_prairielearns_schema_says(copy, question):
    told = json.loads((question / "info.json").read_text())
    assert {"uuid", "type", "title", "topic"} <= set(told)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", told["uuid"])
    assert (told["type"], told["gradingMethod"]) == ("v3", "External")
    assert set(told) <= {
        *("uuid", "type", "title", "topic", "singleVariant", "gradingMethod"),
        "externalGradingOptions",
    }
    options = told["externalGradingOptions"]
    assert options["image"] == "someone/grader"
    assert options["entrypoint"] == "/grade/tests/run.sh"
    assert 0 < options["timeout"] <= 600
    assert "enableNetworking" not in options
    page = (question / "question.html").read_text()
    assert re.findall(r'source-file-name="(.*?)"', page) == ["linear.py"]
    assert (question / "linear.py").read_text() == (copy / "work" / "linear.py").read_text()
    image = question.parents[1] / "image"
    assert {one.name for one in image.iterdir()} == {"Dockerfile", "constraints.txt"}
    assert "torch" in (image / "Dockerfile").read_text()


def test_secrets_are_in_prairielearns_tests_alone(question, secret):
    """All else in a question may be shown; tests go into the grader's container alone."""
    digests = {path.read_bytes() for path in secret.rglob("*") if path.is_file()}
    holding = {path for path in question.parents[1].rglob("*") if path.is_file()}
    holding = {path for path in holding if path.read_bytes() in digests}
    assert len(holding) >= len(ASSIGNED)
    assert all(path.is_relative_to(question / "tests" / "hidden") for path in holding)


def test_prairielearn_gets_a_score_of_what_the_assignment_counts(copy, question, tmp_path):
    done = external(question, tmp_path / "grade", linear=WRONG)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "grade" / "results" / "results.json").read_text())
    worth = assignment.read(copy).exercises
    tests = {name: [one for one in told["tests"] if one["name"].startswith(name)] for name in worth}
    most = {name: sum(one["max_points"] for one in found) for name, found in tests.items()}
    assert most == pytest.approx(dict(worth), abs=0.01)
    earned = {name: sum(one["points"] for one in found) for name, found in tests.items()}
    assert earned["linear.softmax"] < worth["linear.softmax"]
    assert earned["linear.cross_entropy"] == pytest.approx(worth["linear.cross_entropy"], abs=0.01)
    assert told["score"] == pytest.approx(sum(earned.values()) / sum(worth.values()), abs=1e-3)
    assert 0 < told["score"] < 1
    assert told["gradable"] is True
    assert "Hint: " in told["message"]
    hidden = [one for one in told["tests"] if one["name"].endswith(": hidden cases")]
    assert hidden
    assert all(one["message"] == "" for one in hidden)


def test_what_cannot_be_read_costs_no_attempt_on_prairielearn(question, tmp_path):
    done = external(question, tmp_path / "grade", other="x = 1\n")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "grade" / "results" / "results.json").read_text())
    assert told["gradable"] is False
    assert "linear.py" in told["format_errors"][0]


@pytest.mark.parametrize("kind", ["prairielearn", "gradescope"])
def test_where_files_cannot_be_hidden_hidden_records_grade_nothing(question, tmp_path, kind):
    """In such a container a submission could read the records, and tell what is in them."""
    root = tmp_path / "grade"
    shutil.copytree(question / "tests", root / "source")
    sandbox = root / "source" / "course" / "grader" / "enclose" / "sandbox.py"
    text = sandbox.read_text()
    assert text.count('if sys.platform != "linux":\n        return ["rlimits"]') == 1
    sandbox.write_text(text.replace('if sys.platform != "linux":', "if True:"))
    (root / "source").rename(root / "tests")
    (root / "source").symlink_to(root / "tests")
    for name in ("student", "submission"):
        (root / name).mkdir()
        (root / name / "linear.py").write_text(RIGHT)
    done = subprocess.run(
        [sys.executable, root / "tests" / f"{kind}.py"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert "keeps files from a submission" in done.stderr
    assert not (root / "results").exists()


@pytest.fixture(scope="module")
def bundle(copy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("classroom50") / "autograders" / "week-1"
    done = grade("export", copy, "--to", "classroom50", "-o", folder)
    assert done.exit_code == 0, done.output
    return folder


def autograde(bundle: Path, repository: Path) -> dict:
    """Run autograder.py as the runner does, without installing anything."""
    code = (
        "import runpy, sys; from pathlib import Path; "
        f"sys.path.insert(0, {str(bundle)!r}); "
        f"found = runpy.run_path({str(bundle / 'autograder.py')!r}); "
        "found['main'].__globals__['install'] = lambda copy: None; "
        "sys.exit(found['main'](Path.cwd()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=repository,
        env={**ENVIRONMENT, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((repository / "result.json").read_text())


def conforms(told: dict) -> None:
    """The rules of result-v1.schema.json, and those that it says are in code."""
    wanted = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission"}
    wanted |= {"commit", "release", "review", "datetime", "score", "max-score", "tests"}
    assert set(told) == wanted
    assert told["schema"] == "classroom50/result/v1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", told["datetime"])
    for one in [told, *told["tests"]]:
        assert type(one["score"]) is type(one["max-score"]) is int
        assert 0 <= one["score"] <= one["max-score"]
    for one in told["tests"]:
        assert one["test-name"]
        assert type(one["passed"]) is bool


def test_classroom50_gets_points_of_the_public_cases(bundle, tmp_path):
    (tmp_path / "linear.py").write_text(WRONG)
    git = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    when = {**os.environ, "GIT_COMMITTER_DATE": "2026-12-01T12:00:00+02:00"}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], cwd=tmp_path, env=when, check=True)
    told = autograde(bundle, tmp_path)
    conforms(told)
    assert told["datetime"] == "2026-12-01T10:00:00Z", "of the commit, however late it is graded"
    assert (told["owner"], told["classroom"]) == ("ada", "networks")
    checked = grade("check", *ASSIGNED, "--file", tmp_path / "linear.py", "--json")
    known = json.loads(checked.output)
    assert (told["score"], told["max-score"]) == (known["earned"], known["points"])
    assert 0 < told["score"] < told["max-score"]
    assert "Hint: " in (tmp_path / "release-body.md").read_text()


def test_classroom50_gets_nothing_secret(copy, bundle, secret, tmp_path):
    """Everybody can read the bundle."""
    names = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    assert {"autograder.py", "gradescope.py", "targets.txt", "course/pyproject.toml"} <= names
    assert not [
        one for one in names if re.search(r"_answers|\bwork\b|author|exercises|hidden", one)
    ]
    for kind in ("classroom50", "nbgrader-assignment"):
        done = grade("export", copy, "--to", kind, "--references", secret, "-o", tmp_path / kind)
        assert done.exit_code == 2
        assert "leave out --references" in done.output
        assert not (tmp_path / kind).exists()


def test_a_bundle_that_the_runner_would_not_fetch_is_refused(copy, tmp_path, monkeypatch):
    monkeypatch.setattr(autograder, "MOST", 1000)
    done = grade("export", copy, "--to", "classroom50", "-o", tmp_path / "b")
    assert done.exit_code == 2
    assert "release fewer chapters" in done.output


@pytest.mark.parametrize("kind", ["prairielearn", "classroom50", "nbgrader-assignment"])
def test_what_is_no_copy_is_one_message(tmp_path, kind):
    done = grade("export", tmp_path, "--to", kind, "-o", tmp_path / "week-1")
    assert done.exit_code == 2
    assert "grade release" in done.output
    assert not (tmp_path / "week-1").exists()
    assert grade("export", tmp_path, "--to", kind).exit_code == 2


def test_an_assignment_of_the_core_is_graded_by_the_core(copy, tmp_path):
    core = tmp_path / "core"
    shutil.copytree(copy, core)
    given = core / assignment.NAME
    given.write_text(given.read_text().replace("core = false", "core = true"))
    assert grade("export", core, "--to", "classroom50", "-o", tmp_path / "b").exit_code == 0
    assert "--core" in (tmp_path / "b" / "targets.txt").read_text().split()
