"""A chapter runs again after a change of a definition that it reaches, and of nothing else."""

import pytest

from book._ext import edition
from book.pages import BOOK, ROOT, TEMPLATE, cells, exercises, slugs
from book.reach import imports, reached

PAGE = """
from book.figures import show
from book.widgets.map import show_map
from solutions import near, passed_on
from solutions.far import second as far_second
from book.recorded import recorded

def on_the_page():
    import solutions.deep.inner as inner
    return near.used(inner.value), far_second, list(vars(passed_on)), near.Derived().method

show(near.used)
show_map()
recorded("long_run")
"""
FILES = {
    "constraints.txt": "torch==1",
    "benchmarks/long_run.json": "1",
    "benchmarks/other_run.json": "1",
    "solutions/__init__.py": "PACKAGE = 1",
    "solutions/near.py": '''"""A docstring."""
import math
from solutions import far
from solutions.far import third

LIMIT: int = 3
UNUSED, EITHER = "unused", 2
TABLE = {"f": lambda x: in_table(x)}
LIMIT += 1
print("imported")

# a comment above
@third
def used(x, table=TABLE):
    # a comment inside
    return far.first(x)

def in_table(x):
    return EITHER

def unused(x):
    return used(x)

class Base:
    base = 1

class Derived(Base):
    def method(self):
        return "method"

if __name__ == "__main__":
    unused("main")
''',
    "solutions/far.py": """
def first(x):
    return "first"
def second(x):
    return "second"
def third(x):
    return "third"
def fourth(x):
    return "fourth"
""",
    "solutions/passed_on.py": "looked_up = 1",
    "solutions/apart.py": "x = 1",
    "solutions/deep/__init__.py": "print('deep')",
    "solutions/deep/inner.py": "value = 1\nother = 2",
    "book/__init__.py": "",
    "book/figures.py": "from grader import source\ndef show(x):\n    source.shown(x)\n",
    "book/widgets/__init__.py": "",
    "book/widgets/map.py": "from book.widgets import board\ndef show_map():\n    board.widget()\n",
    "book/widgets/board.py": "def widget():\n    pass",
    "book/widgets/other.py": "def show_other():\n    pass",
    **dict.fromkeys((f"book/widgets/{name}" for name in ("map.js", "board.css", "other.js")), "1"),
    "grader/source.py": "def shown(x):\n    pass",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one chapter, which reaches some of its code."""
    page = TEMPLATE.read_text() + f"\n```{{code-cell}} ipython3\n{PAGE}\n```\n"
    for path, text in {**FILES, "book/page.md": page}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(edition, "ROOT", tmp_path)
    monkeypatch.setattr(edition, "exercises", lambda slug: ["used"] if slug == "near" else [])
    return tmp_path


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("constraints.txt", "1", "2"),
        ("solutions/__init__.py", "1", "1\nprint()"),
        ("solutions/near.py", "far.first(x)", "far.first(-x)"),
        ("solutions/near.py", "a comment inside", "which `show` puts on the page"),
        ("solutions/near.py", "@third", "@far.third"),
        ("solutions/near.py", "table=TABLE", "table=None"),
        ("solutions/near.py", "return EITHER", "return 1"),  # through a default and a constant
        ("solutions/near.py", "LIMIT += 1", "LIMIT += 2"),
        ("solutions/near.py", 'print("imported")', "print()"),
        ("solutions/near.py", '"unused", 2', '"unused", 3'),  # through another function
        ("solutions/near.py", "base = 1", "base = 2"),
        ("solutions/near.py", '"method"', "self"),
        ("solutions/far.py", '"first"', "x"),
        ("solutions/far.py", '"second"', "x"),  # under another name
        ("solutions/far.py", '"third"', "x"),  # as a decorator
        ("solutions/passed_on.py", "1", "2"),
        ("solutions/deep/__init__.py", "deep", "changed"),
        ("solutions/deep/inner.py", "value = 1", "value = 2"),
        ("book/figures.py", "source.shown(x)", "source.shown(1)"),
        ("book/widgets/board.py", "pass", "return"),
        ("book/widgets/map.js", "1", "2"),
        ("book/widgets/board.css", "1", "2"),
        ("benchmarks/long_run.json", "1", "2"),
    ],
)
def test_a_change_of_what_is_reached_runs_a_chapter_again(project, path, old, new):
    assert changes(project, path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("solutions/near.py", "A docstring", "Another"),
        ("solutions/near.py", "a comment above", "another"),
        ("solutions/near.py", "import math", "import cmath"),
        ("solutions/near.py", "return used(x)", "return x"),
        ("solutions/near.py", 'unused("main")', "used(1)"),
        ("solutions/far.py", '"fourth"', "x"),
        ("solutions/deep/inner.py", "other = 2", "other = 3"),
        ("solutions/apart.py", "1", "2"),
        ("book/widgets/other.py", "pass", "return"),
        ("book/widgets/other.js", "1", "2"),
        ("benchmarks/other_run.json", "1", "2"),
        ("grader/source.py", "pass", "return x"),
    ],
)
def test_a_change_beside_it_runs_none(project, path, old, new):
    assert not changes(project, path, old, new)


def changes(project, path, old, new):
    """Whether a change of a file is one of the page's fingerprint."""
    before = edition.fingerprint(project / "book/page.md")
    assert before == edition.fingerprint(project / "book/page.md")
    text = (project / path).read_text()
    assert text.count(old) == 1
    (project / path).write_text(text.replace(old, new))
    return before != edition.fingerprint(project / "book/page.md")


@pytest.mark.parametrize(
    ("slug", "symbol", "again"),
    [("far", "first", True), ("near", "unused", False), ("apart", "x", False)],
)
def test_what_becomes_an_exercise_is_shown_otherwise(project, monkeypatch, slug, symbol, again):
    before = edition.fingerprint(project / "book/page.md")
    known = {"near": ["used"]}
    known.setdefault(slug, []).append(symbol)
    monkeypatch.setattr(edition, "exercises", lambda slug: known.get(slug, []))
    assert (before != edition.fingerprint(project / "book/page.md")) is again


@pytest.mark.parametrize("name", ["COURSE_DEVICE", "OMP_NUM_THREADS"])
def test_device_and_threads_run_a_chapter_again(project, monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    before = edition.fingerprint(project / "book/page.md")
    monkeypatch.setenv(name, "7")
    assert before != edition.fingerprint(project / "book/page.md")


def test_editions_share_outputs(project, monkeypatch):
    found = set()
    for name in ("public", "student"):
        monkeypatch.setenv("COURSE_EDITION", name)
        found.add(edition.fingerprint(project / "book/page.md"))
    assert len(found) == 1


def test_modules_that_import_each_other_come_to_an_end(project):
    (project / "solutions/far.py").write_text("from solutions.near import ring\n")
    (project / "solutions/near.py").write_text("from solutions.far import ring\n")
    assert "solutions.far" in reached("from solutions.near import ring\nring()", project)


def test_code_that_does_not_parse_is_left_to_who_runs_it(project):
    (project / "solutions/far.py").write_text("x = (")
    assert "solutions.far" in reached("from solutions import near", project)
    assert reached("x = (", project) == {}


def test_imports_are_found():
    assert set(imports("import a.b\ndef f():\n    from c import d\n")) == {"a", "a.b", "c", "c.d"}


# The real pages


@pytest.mark.parametrize("slug", [slug for slug in slugs() if exercises(slug)])
def test_chapters_reach_their_module_and_little_of_the_data(slug):
    found = reached("\n".join(cells(BOOK / f"{slug}.md")), ROOT)
    assert {f"solutions.{slug}", "solutions", "book.figures.say", "book.svg._style"} <= set(found)
    assert "solutions.data.multi30k" not in found
