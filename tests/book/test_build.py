"""The parts of the course fit together: pages, chains of a slug, imports, addresses, commands."""

import ast
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import jupytext
import psutil
import pytest
import yaml
from click.testing import CliRunner
from docutils.core import publish_doctree
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig

from book import pages
from book._ext import edition
from book.pages import BOOK, ROOT, TEMPLATE, address, cells, chapters, imports, needs, tags
from grader.exercise import exercises, slugs

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text())
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
ORDER = [chapter["file"] for part in TOC["parts"] for chapter in part["chapters"]]
LADDERS = ["image_ladder"]  # pages that compare what chapters built; they have no module
CHAPTERS = [page.stem for page in chapters() if page.stem not in LADDERS]


# Pages


def test_contents_list_every_page_once():
    here = sorted(f"book/{page.stem}" for page in BOOK.glob("*.md"))
    assert sorted([TOC["root"], *ORDER]) == here


def test_style_sheets_and_scripts_are_there():
    sphinx = CONFIG["sphinx"]["config"]
    folders = [ROOT / folder for folder in sphinx["html_static_path"]]
    for name in [*sphinx["html_css_files"], *sphinx["html_js_files"], sphinx["mathjax_path"]]:
        assert any((folder / name).is_file() for folder in folders), name


def test_no_static_folder_at_the_root():
    # Jupyter Book puts every script and style under it into every page
    assert not (ROOT / "_static").exists()


@pytest.mark.parametrize("slug", CHAPTERS)
def test_first_cell_installs_the_course_where_it_is_missing(slug):
    first, wanted = first_cell(BOOK / f"{slug}.md"), first_cell(TEMPLATE)
    assert first.source == wanted.source
    assert tags(first) == tags(wanted) == ["remove-cell"]
    assert first_cell(BOOK / f"{slug}.ipynb").source == wanted.source


def first_cell(path):
    return next(cell for cell in jupytext.read(path).cells if cell.cell_type == "code")


@pytest.mark.parametrize("slug", CHAPTERS)
def test_answers_reach_a_page_through_show_alone(slug):
    text = (BOOK / f"{slug}.md").read_text()
    assert "{solution" not in text  # the student edition would hold it
    assert "getsource" not in text


def test_readme_names_the_chapters_in_order():
    named = re.findall(r"\]\((book/\w+)\.md\)", (ROOT / "README.md").read_text())
    assert [page for page in named if page.removeprefix("book/") in CHAPTERS] == [
        page for page in ORDER if page.removeprefix("book/") in CHAPTERS
    ]


# One slug, one chain


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chain_of_a_slug_is_complete(slug):
    for path in (
        f"book/{slug}.ipynb",
        f"solutions/{slug}.py",
        f"grader/exercises/{slug}.py",
        f"grader/references/{slug}.safetensors",
        f"tests/solutions/test_{slug}.py",
    ):
        assert (ROOT / path).is_file(), path


def test_every_chain_has_its_chapter():
    assert slugs() == [page.stem for page in map(Path, ORDER) if page.stem in CHAPTERS]
    assert sorted(slugs()) == CHAPTERS
    assert {page.stem for page in chapters()} == {*CHAPTERS, *LADDERS}
    references = sorted(path.stem for path in (ROOT / "grader/references").glob("*.safetensors"))
    assert references == CHAPTERS


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chapter_states_its_exercises_in_order(slug):
    text = (BOOK / f"{slug}.md").read_text()
    labels = re.findall(r"^:+\{exercise\}.*\n:label: (\S+)$", text, re.MULTILINE)
    ids = [exercise.id for exercise in exercises(slug)]
    lower = [name.lower() for name in ids]
    # Sphinx does not tell capitals in labels: a layer named as its function is "..._layer"
    expected = [
        f"{name}_layer" if name.lower() in lower[:place] else name for place, name in enumerate(ids)
    ]
    assert labels == expected
    assert len(labels) == text.count("{exercise}")
    for name in ids:
        assert f"`grade check {name}`" in text


@pytest.mark.parametrize("slug", CHAPTERS)
def test_sections_of_exercises_are_anchors_of_the_chapter(slug):
    anchors = re.findall(r"^\((\S+)\)=$", (BOOK / f"{slug}.md").read_text(), re.MULTILINE)
    assert len(anchors) == len(set(anchors))
    assert {exercise.section for exercise in exercises(slug)} <= set(anchors)


# Arrows


def ours(source):
    """Modules of this project that a source imports."""
    return {
        name
        for name in imports(source)
        if name.partition(".")[0] in ("book", "grader", "solutions")
    }


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chapters_import_solutions_and_figures(slug):
    names = {name for cell in cells(BOOK / f"{slug}.md") for name in ours(cell)}
    other = {name for name in names if not re.match(r"solutions(\.|$)|book\.figures(\.|$)", name)}
    assert f"solutions.{slug}" in names
    assert not other


@pytest.mark.parametrize("name", LADDERS)
def test_ladders_import_what_chapters_built(name):
    names = {one for cell in cells(BOOK / f"{name}.md") for one in ours(cell)}
    assert not {one for one in names if not re.match(r"solutions(\.|$)|book\.figures(\.|$)", one)}
    built = {one.split(".")[1] for one in names if one.startswith("solutions.")}
    assert len(built & set(CHAPTERS)) > 1


def test_solutions_import_neither_book_nor_grader():
    found = {path.name: ours(path.read_text()) for path in sorted(ROOT.glob("solutions/**/*.py"))}
    for name, names in found.items():
        assert not {one for one in names if not one.startswith("solutions")}, name


def test_grader_imports_neither_book_nor_solutions():
    for path in sorted(ROOT.glob("grader/**/*.py")):
        names = ours(path.read_text())
        assert not {one for one in names if not one.startswith("grader")}, path.name


@pytest.mark.parametrize("slug", slugs())
def test_exercises_import_numpy_and_the_contract_alone(slug):
    names = set(imports((ROOT / f"grader/exercises/{slug}.py").read_text()))
    allowed = r"(__future__|itertools|math|numpy|grader\.exercise)(\.|$)"
    assert not {name for name in names if not re.match(allowed, name)}


def test_no_star_imports():
    for path in [*ROOT.glob("book/**/*.py"), *ROOT.glob("solutions/**/*.py")]:
        assert "*" not in {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }


# What makes a chapter run again


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one chapter, one module that it imports through another, and one apart."""
    for path, text in {
        "constraints.txt": "torch==1",
        "solutions/__init__.py": "",
        "solutions/far.py": "x = 1",
        "solutions/near.py": "def f():\n    from solutions import far",
        "solutions/apart.py": "x = 1",
        "book/__init__.py": "",
        "book/figures.py": "SCRIPT = 'map.js'",
        "book/_static/map.js": "1",
        "book/_static/other.js": "1",
        "grader/exercises/near.py": "EXERCISES = ()",
        "book/near.md": TEMPLATE.read_text().replace("solutions.device", "solutions.near"),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for module in ("book.pages", "book._ext.edition"):
        monkeypatch.setattr(f"{module}.ROOT", tmp_path)
        monkeypatch.setattr(f"{module}.BOOK", tmp_path / "book")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "runs_again"),
    [
        ("constraints.txt", True),
        ("solutions/near.py", True),
        ("solutions/far.py", True),
        ("solutions/apart.py", False),
        ("book/figures.py", True),
        ("book/_static/map.js", True),
        ("book/_static/other.js", False),
        ("grader/exercises/near.py", True),
    ],
)
def test_a_change_runs_the_chapters_that_depend_on_it(project, path, runs_again):
    before = edition.fingerprint(project / "book/near.md")
    assert before == edition.fingerprint(project / "book/near.md")
    (project / path).write_text((project / path).read_text() + "\n# changed")
    assert (before != edition.fingerprint(project / "book/near.md")) is runs_again


def test_editions_share_outputs(project, monkeypatch):
    found = set()
    for name in ("public", "student"):
        monkeypatch.setenv("COURSE_EDITION", name)
        found.add(edition.fingerprint(project / "book/near.md"))
    assert len(found) == 1


def test_outputs_leave_the_cache_when_a_module_changes(project, monkeypatch):
    executed, cached = [], {"/moved/book/near.md": 1, "/moved/book/far.md": 2}

    class Cache:
        def list_cache_records(self):
            return [SimpleNamespace(uri=uri, pk=pk) for uri, pk in cached.items()]

        def remove_cache(self, pk):
            cached.pop(next(uri for uri in cached if cached[uri] == pk))

    monkeypatch.setattr(edition, "get_cache", lambda folder: Cache())
    monkeypatch.setattr(edition, "execute", lambda env, names: executed.append(names))
    env = SimpleNamespace(
        mystnb_config=SimpleNamespace(execution_cache_path=project / "cache"),
        found_docs={"book/near"},
        path2doc=lambda path: f"book/{Path(path).stem}",
    )

    def read(name):
        (project / name).mkdir(exist_ok=True)
        app = SimpleNamespace(doctreedir=project / name)
        return edition.stale_chapters(app, env, set(), set(), set())

    assert read("public") == ["book/near"]
    assert cached == {"/moved/book/far.md": 2}
    cached["/here/book/near.md"] = 3
    assert read("public") == []
    assert read("student") == ["book/near"]  # not read yet, but its outputs are good
    assert len(cached) == 2
    (project / "solutions/far.py").write_text("x = 2")
    assert read("student") == read("public") == ["book/near"]
    assert cached == {"/moved/book/far.md": 2}
    assert executed == [["book/near"], [], ["book/near"], ["book/near"], ["book/near"]]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that executes pages of one cell each, given by name, and says which ones ran."""
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")  # the kernel of this environment
    monkeypatch.chdir(tmp_path)
    env = SimpleNamespace(
        doc2path=lambda name: tmp_path / f"{name}.md",
        myst_config=MdParserConfig(),
        mystnb_config=NbParserConfig(execution_cache_path=str(tmp_path / "cache")),
    )
    head = TEMPLATE.read_text().partition("\n# ")[0]

    def execute(**pages):
        for name, code in pages.items():
            code = f"open('{name}.ran', 'a').write('x')\n{code}"
            page = f"{head}\n# {name}\n\n```{{code-cell}} ipython3\n{code}\n```\n"
            (tmp_path / f"{name}.md").write_text(page)
        try:
            edition.execute(env, list(pages))
        finally:
            ran = {path.stem for path in tmp_path.glob("*.ran")}
            for name in ran:
                (tmp_path / f"{name}.ran").unlink()
        return ran

    return execute


def test_chapters_that_fail_end_the_build_and_the_others_are_kept(run):
    pages = {"good": "1", "bad": "raise ValueError('too cold')", "dead": "import os; os._exit(1)"}
    with pytest.raises(SystemExit, match="2 of 3 chapters failed") as caught:
        run(**pages)
    assert "bad.md:\n" in str(caught.value)
    assert "ValueError: too cold" in str(caught.value)
    assert "dead.md:\nKernel died" in str(caught.value)
    assert run(good="1", bad="2") == {"bad"}
    assert run(good="1", bad="2") == set()


def test_half_an_output_is_made_again(run, tmp_path):
    assert run(good="1") == {"good"}
    (cached,) = tmp_path.glob("cache/executed/*/base.ipynb")
    cached.write_text(cached.read_text()[:100])
    assert run(good="1") == {"good"}
    cached.unlink()
    assert run(good="1") == {"good"}
    assert run(good="1") == set()


def test_an_interrupted_build_ends_at_once_and_leaves_no_kernel(run, tmp_path, monkeypatch):
    said = tmp_path / "pid"

    def interrupt(_):
        while not (said.exists() and said.read_text()):
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(edition, "as_completed", interrupt)
    code = f"import os, time\nopen('{said}', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(long=code)
    assert time.monotonic() - start < 60
    assert not psutil.pid_exists(int(said.read_text()))


def test_a_changed_style_is_another_configuration(project):
    def contents():
        config = SimpleNamespace(html_context={"default_mode": "auto"})
        edition.restyle(None, config)
        return config.html_context

    before = contents()
    assert before == contents()
    assert before["default_mode"] == "auto"
    (project / "book/_static/map.js").write_text("2")
    assert before != contents()


def test_of_two_builds_one_executes_while_the_other_waits(tmp_path):
    order = []

    def other():
        with edition._alone(tmp_path):
            order.append("other")

    with edition._alone(tmp_path):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_code_that_does_not_parse_is_left_to_who_runs_it(project):
    (project / "solutions/far.py").write_text("x = (")
    assert project / "solutions/far.py" in needs(["from solutions import near"])
    assert edition.fingerprint(project / "book/near.md")


@pytest.mark.parametrize("name", ["public", "student"])
def test_a_page_keeps_what_is_of_its_edition(name, monkeypatch):
    monkeypatch.setenv("COURSE_EDITION", name)
    text = "".join(
        f".. container:: course-{kind}\n\n   Of {kind}.\n\n" for kind in ("public", "student")
    )
    page = publish_doctree(f"{text}.. container:: apart\n\n   Of all.")
    edition.keep_edition(None, page)
    assert page.astext().split("\n\n") == [f"Of {name}.", "Of all."]
    assert "course-" not in page.pformat()


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chapters_depend_on_their_module(slug):
    files = {str(file.relative_to(ROOT)) for file in needs(cells(BOOK / f"{slug}.md"))}
    assert {f"solutions/{slug}.py", "solutions/__init__.py", "book/figures.py"} <= files


# The repository's address


def test_address_is_the_same_everywhere():
    name = address().rpartition("/")[2]
    pattern = re.compile(r"https?://[^\s\"'`)>]*/" + re.escape(name))
    found = {
        (path.name, url)
        for path in [*ROOT.glob("*.*"), *ROOT.glob("book/**/*.md"), *ROOT.glob("book/*.ipynb")]
        if path.is_file()
        for url in pattern.findall(path.read_text())
    }
    assert ("_config.yml", address()) in found
    assert ("chapter.md", address()) in found
    assert {url for _, url in found} == {address()}


def test_a_new_address_is_entered_everywhere(project, monkeypatch):
    template = project / "book/_templates/chapter.md"
    template.parent.mkdir()
    shutil.copy(TEMPLATE, template)
    shutil.copy(ROOT / "_config.yml", project)
    monkeypatch.setattr("book.pages.TEMPLATE", template)
    files = [project / "_config.yml", template, project / "book/near.md"]
    old, new = address(), "https://github.com/someone/course"
    assert all(old in file.read_text() for file in files)
    done = CliRunner().invoke(pages.main, ["repository", f"{new}.git"])
    assert done.exit_code == 0
    assert not any(old in file.read_text() for file in files)
    assert all(new in file.read_text() for file in files)
    assert address() == new
    assert CliRunner().invoke(pages.main, ["repository", "someone/course"]).exit_code == 2


# The commands


def make(*arguments, folder=ROOT):
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=folder, capture_output=True, text=True
    )


def test_make_alone_lists_every_target():
    text = (ROOT / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE).group(1).split()
    listed = re.findall(r"^  make (\w+) +\S", make().stdout, re.MULTILINE)
    assert sorted(listed) == sorted(targets)


def test_unknown_edition_is_one_message():
    done = make("book", "EDITION=teacher")
    assert done.returncode == 2
    assert 'EDITION is "teacher"' in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("says", ["Python 3.9.2", ""])
def test_old_or_missing_python_is_one_message(tmp_path, says):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "old"
    if says:
        old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {says} || exit 1\n')
        old.chmod(0o755)
    done = make("setup", f"PYTHON={old}", folder=tmp_path)
    assert done.returncode == 2
    assert f"needs Python 3.11 or later with its venv module; {old} is: " in done.stderr
    assert (says or "not there") in done.stderr
    assert not (tmp_path / ".venv").exists()
