"""Every chapter and its notebook say the same, and notebooks hold no outputs but checked ones."""

import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_cache import get_cache
from jupytext.cli import jupytext
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig

from book._ext import front
from book.pages import BOOK, CHECKED, ROOT, chapters, kept, tags

CHAPTERS = [page.stem for page in chapters()]
CACHE = ROOT / "_build" / ".jupyter_cache"
ENV = SimpleNamespace(
    myst_config=MdParserConfig(), mystnb_config=NbParserConfig(execution_cache_path=str(CACHE))
)


@pytest.fixture
def copy(tmp_path):
    """A project with the chapters alone, to sync without touching ours."""
    shutil.copy(ROOT / "jupytext.toml", tmp_path)
    (tmp_path / "book").mkdir()
    for slug in CHAPTERS:
        shutil.copy(BOOK / f"{slug}.md", tmp_path / "book")
        shutil.copy(BOOK / f"{slug}.ipynb", tmp_path / "book")
    return tmp_path / "book"


def sync(book, newer, slugs=CHAPTERS):
    """Sync chapters, by default all, as if the files with that ending had been edited last."""
    for slug in slugs:
        for ending in (".md", ".ipynb"):
            time = 2_000_000_000 if ending == newer else 1_000_000_000
            os.utime(book / f"{slug}{ending}", (time, time))
    pages = [book / f"{slug}.md" for slug in slugs]
    assert jupytext(["--sync", "-q", *map(str, pages)]) == 0
    for page in pages:  # as `make sync` does
        notebook = page.with_suffix(".ipynb")
        notebook.write_text(kept(notebook.read_text()))


def test_there_are_chapters():
    assert CHAPTERS


def test_every_notebook_belongs_to_a_chapter():
    assert {path.stem for path in BOOK.glob("*.ipynb")} == set(CHAPTERS)


@pytest.mark.parametrize("newer", [".md", ".ipynb"])
def test_syncing_changes_nothing(copy, newer):
    sync(copy, newer)
    changed = [
        path.name for path in sorted(copy.iterdir()) if path.read_text() != read(BOOK / path.name)
    ]
    assert not changed, "the pairs differ: make sync"


def test_an_edit_of_one_side_reaches_the_other(copy):
    slug = CHAPTERS[0]
    page, notebook = copy / f"{slug}.md", copy / f"{slug}.ipynb"
    page.write_text(page.read_text() + "\nA sentence for this test.\n")
    sync(copy, ".md", [slug])
    assert "A sentence for this test." in notebook.read_text()
    notebook.write_text(notebook.read_text().replace("sentence for this", "phrase for this"))
    sync(copy, ".ipynb", [slug])
    assert "A phrase for this test." in page.read_text()


@pytest.mark.parametrize("slug", CHAPTERS)
def test_notebooks_hold_no_outputs_but_checked_ones(slug):
    text = read(BOOK / f"{slug}.ipynb")
    assert text == kept(text)
    for cell in json.loads(text)["cells"]:
        if CHECKED in tags(cell):
            assert cell["outputs"], "a checked cell without its output: make outputs"
            assert cell["execution_count"]


def checked_texts(notebook):
    """The code of each checked cell, and the text of its outputs."""
    return [
        (cell.source, "".join(one.get("text") or one["data"]["text/plain"] for one in cell.outputs))
        for cell in notebook.cells
        if cell.cell_type == "code" and CHECKED in tags(cell)
    ]


@pytest.mark.parametrize("slug", [page.stem for page in chapters() if CHECKED in page.read_text()])
def test_checked_outputs_are_those_of_the_book(slug):
    """The course's code is found, its data are the same numbers, no shape or count has changed."""
    if not (CACHE / "whole").exists():
        pytest.skip("no chapter has run (make book)")
    record = front._record(ENV, BOOK / f"{slug}.md")
    assert record, "the page has changed since it ran: make book"
    ran = get_cache(CACHE).get_cache_bundle(record.pk).nb
    committed = checked_texts(nbformat.read(BOOK / f"{slug}.ipynb", as_version=4))
    assert checked_texts(ran) == committed, "if the new text is right: make outputs"


def test_kept_drops_what_is_not_checked():
    def cell(*names):
        data = {"text/plain": "1", "text/html": "<b>1</b>"}
        output = nbformat.v4.new_output("execute_result", data, execution_count=1)
        return nbformat.v4.new_code_cell(
            "1", outputs=[output], execution_count=1, metadata={"tags": list(names)}
        )

    notebook = nbformat.v4.new_notebook(cells=[cell(CHECKED), cell("other"), cell()])
    checked, *others = json.loads(kept(nbformat.writes(notebook)))["cells"]
    assert [output["data"] for output in checked["outputs"]] == [{"text/plain": ["1"]}]
    assert checked["execution_count"] == 1
    for other in others:
        assert (other["outputs"], other["execution_count"]) == ([], None)


def test_cells_that_compute_nothing_open_folded():
    code = ["train(1)", "say(x)", "say(x)"]
    marks = [["remove-input"], ["remove-input"], []]
    cells = [
        nbformat.v4.new_code_cell(source, metadata={"tags": names})
        for source, names in zip(code, marks, strict=True)
    ]
    cells[1].source = "from book.figures import say\nsay('Yes.')"
    cells[2].metadata.update(cellView="form")  # no longer
    notebook = nbformat.v4.new_notebook(cells=cells)
    found = [cell["metadata"] for cell in json.loads(kept(nbformat.writes(notebook)))["cells"]]
    assert [metadata.get("cellView") for metadata in found] == [None, "form", None]
    assert [metadata.get("jupyter") for metadata in found] == [None, {"source_hidden": True}, None]


@pytest.fixture
def checked(tmp_path):
    """A notebook of three cells: one that is needed, one that says 2 and is checked, one fails."""
    cells = [nbformat.v4.new_code_cell(source) for source in ("x = 1", "x + 1", "1 / 0")]
    output = nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=2)
    cells[1].update(outputs=[output], execution_count=2, metadata={"tags": [CHECKED]})
    for cell, name in zip(cells, "abc", strict=True):
        cell.id = name
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    path = tmp_path / "checked.ipynb"
    path.write_text(nbformat.writes(notebook) + "\n")
    shutil.copy(BOOK / "conftest.py", tmp_path)
    return path


@pytest.mark.parametrize(("said", "status"), [("2", 0), ("3", 1)])
def test_notebooks_are_run_to_their_last_checked_cell_and_compared(checked, said, status):
    checked.write_text(checked.read_text().replace('"2"', f'"{said}"'))
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-q"]
    done = subprocess.run([*command, checked.name], cwd=checked.parent, capture_output=True)
    assert done.returncode == status
    assert f"{2 - status} passed" in done.stdout.decode()


def test_outputs_are_made_by_running_to_the_last_checked_cell(checked, monkeypatch):
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")  # the kernel of this environment
    text = checked.read_text()
    assert kept(text.replace('"2"', '"3"'), checked.parent) == text


def read(path):
    return path.read_text() if path.exists() else None
