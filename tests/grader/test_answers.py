"""Exercises are found, in the book's order; answers are read as what stands in a submission."""

import ast
import sys
import textwrap

import pytest

import grader.exercises
from grader import course
from grader.author import answers, catalog
from grader.author.exercise import Exercise, Mistake, Variant
from grader.errors import UserError
from grader.judge import records, syntax

IDS = [f"{slug}.{symbol}" for slug in catalog.slugs() for symbol in catalog.symbols(slug)]


def read(tmp_path, text, symbol="mean"):
    path = tmp_path / "linear" / f"{symbol}_answers.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return answers.read(path, symbol)


def run(text, name="mean"):
    """Names that a submission defines; in front of it, what the solution would."""
    names = {}
    exec(compile(text, "answer", "exec"), names)
    return names[name]


# Which exercises there are


def test_the_order_is_that_of_the_contents_and_of_the_pages():
    assert catalog.slugs() == [slug for slug in course.chapters() if slug in catalog.slugs()]
    assert len(catalog.slugs()) >= 7
    for slug in catalog.slugs():
        assert catalog.symbols(slug) == course.stated(slug)
    assert [exercise.id for exercise in catalog.select()] == IDS


def test_the_records_are_of_these_exercises_in_this_order():
    told, every = records.select(), catalog.select()
    assert [one.id for one in told] == [exercise.id for exercise in every]
    for one, exercise in zip(told, every, strict=True):
        assert (one.points, one.public_points) == (exercise.points, exercise.public_points)
        assert [known.why for known in one.mistakes] == [known.why for known in exercise.mistakes]


def test_every_file_of_a_chapter_is_an_exercise_or_its_answers():
    for slug in catalog.slugs():
        stems = {path.stem for path in (catalog.FOLDER / slug).glob("*.py")} - {"__init__"}
        files = catalog.files(slug).values()
        assert stems == {*(p.stem for p in files), *(catalog.answers_of(p).stem for p in files)}


def test_no_two_files_differ_by_capitals_alone():
    """On the disks of macOS and Windows they would be one."""
    for folder in (catalog.FOLDER, records.FOLDER):
        names = [str(path.relative_to(folder)).casefold() for path in folder.glob("*/*.*")]
        assert len(names) == len(set(names))
    assert catalog.files("convolution")["Conv2d"].name == "Conv2d_layer.py"
    assert catalog.files("convolution")["conv2d"].name == "conv2d.py"
    for slug in catalog.slugs():  # `_layer` at the end of a name means nothing else
        names = [getattr(node, "name", "") for node in ast.parse(course.solution(slug)).body]
        assert not [name for name in names if name.endswith("_layer")]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of two chapters without exercises, and a way to add one."""
    (tmp_path / "book").mkdir()
    folder = tmp_path / "exercises"
    (tmp_path / "_toc.yml").write_text("chapters:\n  - file: book/tubes\n  - file: book/gears\n")
    monkeypatch.setattr(course, "ROOT", tmp_path)
    monkeypatch.setattr(catalog, "FOLDER", folder)
    monkeypatch.setattr(grader.exercises, "__path__", [str(folder)])
    catalog.exercises.cache_clear()

    def add(slug, name, text='EXERCISE = Exercise(title="", section="", cases=(), hint="")'):
        (folder / slug).mkdir(parents=True, exist_ok=True)
        (folder / slug / "__init__.py").touch()
        head = "from grader.author.exercise import Exercise\n"
        (folder / slug / f"{name}.py").write_text(head + text)
        (folder / slug / f"{name}_answers.py").write_text("")

    before = set(sys.modules)
    yield add
    catalog.exercises.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("grader.exercises."):
            del sys.modules[name]


def test_exercises_are_found_and_stand_where_the_page_has_them(project, tmp_path):
    for slug, name in (
        ("gears", "turn"),
        ("gears", "Lock"),
        ("gears", "lock_answer"),
        ("aside", "x"),
        ("tubes", "bend"),
    ):
        project(slug, name)
    page = ":label: gears.turn\n\n:label: not-an-exercise\n\n:label: gears.Lock_layer\n"
    (tmp_path / "book" / "gears.md").write_text(page)
    assert catalog.slugs() == ["tubes", "gears", "aside"]  # what has no place yet is last
    assert catalog.symbols("gears") == ["turn", "Lock", "lock_answer"]
    assert [exercise.id for exercise in catalog.select(["gears"])] == [
        "gears.turn",
        "gears.Lock",
        "gears.lock_answer",
    ]
    assert all(isinstance(exercise, Exercise) for exercise in catalog.select())


@pytest.mark.parametrize("text", ["", "EXERCISE = 3", "exercise = Exercise"])
def test_a_file_without_an_exercise_is_one_message(project, text):
    project("gears", "turn", text)
    with pytest.raises(UserError, match=r"gears/turn\.py holds no EXERCISE = Exercise"):
        catalog.select()


def test_an_exercise_without_answers_is_one_message(project):
    project("gears", "turn")
    (catalog.FOLDER / "gears" / "turn_answers.py").unlink()
    with pytest.raises(UserError, match=r"turn_answers\.py cannot be read: .*No such file"):
        catalog.select()


# Files of answers


@pytest.mark.parametrize("id_", IDS)
def test_every_answer_is_found_and_has_a_name_of_its_own(id_):
    (exercise,) = catalog.select([id_])
    path = catalog.answers_of(catalog.files(exercise.slug)[exercise.symbol])
    text = path.read_text(encoding="utf-8")
    given = [*exercise.mistakes, *exercise.answers.variants]
    names = [answer.name for answer in given]
    assert len(set(names)) == len(names)
    said = text.count("\n@right") + text.count("\nwrong(") + text.count("\n@wrong(")
    assert len(given) == said + text.startswith(("@", "wrong("))
    assert len(exercise.answers.equivalent) == text.count("\nequivalent(")
    for answer in given:
        if answer.source is not None:
            syntax.definition(answer.source, exercise.symbol)
            assert "@right" not in answer.source
            assert "@wrong" not in answer.source
            assert "import solutions" not in answer.source
            assert "from solutions" not in answer.source
            assert "from grader" not in answer.source


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n    pass\n", r"mean_answers\.py cannot be read: .*line 1"),
        ("x = 'a\n", r"cannot be read: .*line 1"),
        ("\n\nwrong('one', why='w')\n", "line 3: .* needs a name and a change"),
        ("\n\nwrong(why='w', change={'a': 'b'})\n", "line 3: .* needs a name and a change"),
        ("\nwrong('one', change={'a': 'b'})\n", "line 2: .*why"),
        ("\nwrong('one', why='w', wy='w', change={'a': 'b'})\n", "line 2: .*wy"),
        ("\nwrong('one', 'two', why='w', change={'a': 'b'})\n", "line 2: too many"),
        ("\nwrong('one', why=WHY, change={'a': 'b'})\n", "line 2: .*malformed"),
        ("\nwrong('one', **MORE)\n", "line 2: "),
        ("\nequivalent('x = 1')\n", "line 2: .*why"),
        ("@wrong\ndef a(x):\n    return x\n", "line 2: .*why"),
        ("@wrong()\ndef a(x):\n    return x\n", "line 2: .*why"),
        ("@wrong('b', why='w')\ndef a(x):\n    return x\n", "line 2: .*its own name"),
        ("@wrong(why='w', change={'a': 'b'})\ndef a(x):\n    return x\n", "line 2: .*no change"),
        (
            "@right\ndef a(x):\n    return x\n\n\n@wrong(why='w')\ndef a(x):\n    return 2 * x\n",
            "line 7: there are two answers 'a'",
        ),
        ("wrong('a', why='w', change={'x': 'y'})\n" * 2, "line 2: there are two answers 'a'"),
    ],
)
def test_what_cannot_be_read_is_one_message_with_its_line(tmp_path, text, words):
    with pytest.raises(UserError, match=words) as said:
        read(tmp_path, text)
    assert "\n" not in str(said.value)


def test_not_text_is_one_message(tmp_path):
    (tmp_path / "mean_answers.py").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="cannot be read"):
        answers.read(tmp_path / "mean_answers.py", "mean")


def test_what_is_no_answer_is_left_alone(tmp_path):
    found = read(
        tmp_path,
        """
        print(end=unknown)
        LIMIT = compute(3)

        @torch.inference_mode(mode=LIMIT)
        def helper(x):
            return x
        """,
    )
    assert found == answers.Answers()


def test_a_mistake_is_a_change_or_a_definition(tmp_path):
    found = read(
        tmp_path,
        """
        wrong("one", why="w", change={"a": "b"})
        wrong(name="two", why="w", change={"a": "b"})

        @wrong(why="three's")
        def three(x):
            return x

        @right
        def four(x):
            return x

        equivalent("x = 1", why="same")
        equivalent(line="x = 2", why="same")
        """,
    )
    assert found.mistakes == (
        Mistake(name="one", why="w", change={"a": "b"}),
        Mistake(name="two", why="w", change={"a": "b"}),
        Mistake(name="three", why="three's", source="def mean(x):\n    return x\n"),
    )
    assert found.variants == (Variant(name="four", source="def mean(x):\n    return x\n"),)
    assert found.equivalent == {"x = 1": "same", "x = 2": "same"}


# An answer as it stands in a submission


ANSWERS = '''
from __future__ import annotations

import functools
import math
import os.path as path

import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.linear import other
from solutions.mlp import relu

LOW, HIGH = 1, 2
FACTOR: float = 3.0
UNUSED = 4


def counted(function):
    """A decorator."""
    function.counted = True
    return function


@counted
@functools.lru_cache
def _shared(x):
    return x + HIGH


def _through(x):
    return _shared(x) * FACTOR


@right
def with_helpers(x):
    return _through(x)


@wrong(
    why=(
        "Several "
        "lines."
    )
)
# a comment
@counted
def with_helpers_too(x):
    return _shared(x)


@right
def recursive(x):
    with_recursive = "recursive"  # recursive, in words
    return 0 if x == 0 else 1 + recursive(x - 1) + 0 * recursive(0)


@right
def größe(x, *, ü="größe"):
    return x if x < 1 else größe(x - 1) + größe(0)  # ∑ größe


@right
class WithState:
    """WithState in words."""

    made = 0

    def __init__(self, size):
        super(WithState, self).__init__()
        WithState.made += size
        self.size = math.floor(size)

    def twin(self) -> "WithState":
        return WithState(self.size)


@right
class s:
    twice = 2


@wrong(why="It uses another answer.")
def on_another(x):
    return 2 * with_helpers(x) + other(x)


@wrong(why="It uses another chapter.")
def elsewhere(x):
    return relu(x)
'''


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    found = read(tmp_path_factory.mktemp("answers"), ANSWERS)
    return {answer.name: answer.source for answer in (*found.mistakes, *found.variants)}


def test_helpers_and_constants_come_along(cut):
    assert run(cut["with_helpers"])(1) == (1 + 2) * 3.0
    for stays in ("LOW, HIGH = 1, 2", "FACTOR: float = 3.0", "def counted", "import functools"):
        assert stays in cut["with_helpers"]
    for goes in ("UNUSED", "grader", "solutions", "__future__", "torch", "path", "with_helpers"):
        assert goes not in cut["with_helpers"]


def test_two_answers_may_share_a_helper_and_helpers_keep_their_decorators(cut):
    for name in ("with_helpers", "with_helpers_too"):
        assert cut[name].count("@counted\n@functools.lru_cache\ndef _shared(x):") == 1
    assert run(cut["with_helpers_too"]).counted
    assert run(cut["with_helpers_too"])(1) == 3
    assert "wrong" not in cut["with_helpers_too"]
    assert "Several" not in cut["with_helpers_too"]


def test_recursion_goes_by_the_new_name(cut):
    assert run(cut["recursive"])(5) == 5
    assert 'with_recursive = "recursive"  # recursive, in words' in cut["recursive"]
    assert "1 + mean(x - 1) + 0 * mean(0)" in cut["recursive"]


def test_letters_beyond_ascii_do_not_shift_the_name(cut):
    assert run(cut["größe"])(3) == 0
    assert cut["größe"] == (
        'def mean(x, *, ü="größe"):\n    return x if x < 1 else mean(x - 1) + mean(0)  # ∑ größe\n'
    )


def test_classes_go_by_the_new_name(cut):
    made = run(cut["WithState"])
    assert made.__name__ == "mean"
    assert made(3.5).twin().size == 3
    assert made.made == 6.5
    assert '"""WithState in words."""' in cut["WithState"]
    assert run(cut["s"]).twice == 2  # "class" itself holds an s


def test_an_answer_may_call_another_and_the_solutions_own(cut):
    assert "def with_helpers(x):" in cut["on_another"]
    assert "@right" not in cut["on_another"]
    names = {"other": lambda x: 100}
    exec(cut["on_another"], names)
    assert names["mean"](1) == 118


def test_an_answer_imports_what_other_chapters_build(cut):
    assert cut["elsewhere"].startswith("from course.mlp import relu\n")


def test_a_symbol_of_another_length_keeps_every_line(tmp_path):
    text = "@right\ndef a(x):\n    y = [a, a, (a,\n         a)]\n    return y\n"
    found = read(tmp_path, text, symbol="a_much_longer_name")
    long = "a_much_longer_name"
    assert found.variants[0].source == (
        f"def {long}(x):\n    y = [{long}, {long}, ({long},\n         {long})]\n    return y\n"
    )
