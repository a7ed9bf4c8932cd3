"""The book's files: which pages are chapters, what they depend on, and their notebooks.

A chapter is a page with code. It is written as MyST Markdown and paired with a notebook of the
same name, for Colab, Binder and Jupyter. `make sync` and `make repository` call this module.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
TEMPLATE = BOOK / "_templates" / "chapter.md"
CHECKED = "nbval-check-output"  # the tag of a cell whose text is committed and compared


def chapters() -> list[Path]:
    """The pages that hold code, by name: those that open with jupytext's front matter."""
    return [p for p in sorted(BOOK.glob("*.md")) if p.read_text().startswith("---\njupytext:\n")]


def cells(page: Path) -> list[str]:
    """The Python of a page's code cells, one string each; `%pip` and the like become calls."""
    import jupytext
    from IPython.core.inputtransformer2 import TransformerManager

    found = jupytext.read(page).cells
    python = TransformerManager().transform_cell
    return [python(cell.source) for cell in found if cell.cell_type == "code"]


def imports(source: str) -> Iterator[str]:
    """Dotted names of everything that Python source may import, at the top or deeper."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{item.name}" for item in node.names)


def needs(sources: Iterable[str]) -> set[Path]:
    """Files of this project that Python sources import, directly or through one another.

    A source with a syntax error counts as importing nothing: who runs it hears of the error.
    """
    found: set[Path] = set()
    todo = list(sources)
    while todo:
        with suppress(SyntaxError):
            for name in imports(todo.pop()):
                for file in _files(name) - found:
                    found.add(file)
                    todo.append(file.read_text())
    return found


def _files(name: str) -> set[Path]:
    """The module or package of that dotted name, and the packages around it."""
    parts = name.split(".")
    if parts[0] not in ("book", "grader", "solutions"):
        return set()
    paths = [ROOT.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    candidates = {path.with_suffix(".py") for path in paths} | {
        path / "__init__.py" for path in paths
    }
    return {path for path in candidates if path.is_file()}


@click.group()
def main() -> None:
    """Look after the pages of the book."""


@main.command()
@click.option("--run", is_flag=True, help=f"Run them and keep the text of cells tagged {CHECKED}.")
@click.argument("pages", nargs=-1, type=click.Path(exists=True, path_type=Path))
def sync(pages: tuple[Path, ...], run: bool) -> None:
    """Bring PAGES (all chapters) and their notebooks into step; the one edited last wins."""
    pages = pages or tuple(chapters())
    if not pages:
        return
    subprocess.run([sys.executable, "-m", "jupytext", "--sync", "-q", *pages], check=True)
    for page in pages:
        notebook = page.with_suffix(".ipynb")
        before = notebook.read_text()
        after = kept(before, page.parent if run else None)
        if after != before:
            notebook.write_text(after)
            click.echo(f"wrote {notebook}")


def kept(text: str, run_in: Path | None = None) -> str:
    """A notebook as it is committed: no outputs but the plain text of the checked cells.

    Args:
        text: the notebook's JSON.
        run_in: where to run it first; without it, outputs that are there are kept.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.reads(text, as_version=4)
    if run_in is not None and any(CHECKED in tags(cell) for cell in notebook.cells):
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": run_in}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code" and CHECKED in tags(cell):
            cell.outputs = [_plain(output) for output in cell.outputs]
        elif cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("language_info", None)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def tags(cell: dict) -> list[str]:
    return cell["metadata"].get("tags", [])


def _plain(output: dict) -> dict:
    if "data" in output:
        output["data"] = {"text/plain": output["data"]["text/plain"]}
    return output


@main.command()
@click.argument("url")
def repository(url: str) -> None:
    """Enter the address of the repository wherever the project names it."""
    url = url.removesuffix("/").removesuffix(".git")
    if not url.startswith("https://") or url.count("/") != 4:
        raise click.UsageError(
            f"expected https://HOST/OWNER/NAME, got {url!r}: give your repository's address"
        )
    old = address()
    for path in (ROOT / "_config.yml", TEMPLATE, *chapters()):
        text = path.read_text()
        if old in text and old != url:
            path.write_text(text.replace(old, url))
            click.echo(f"wrote {path.relative_to(ROOT)}")


def address() -> str:
    """The address of the repository, as `_config.yml` states it."""
    import yaml

    return yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]


if __name__ == "__main__":
    main()
