"""The book's files: its chapters in their order, what is written from that order, their notebooks.

A chapter is a page with code. It stands in `_toc.yml`, and nowhere else by hand. It is written as
MyST Markdown and paired with a notebook of the same name, for Colab, Binder and Jupyter. `make
chapter`, `make sync`, `make outputs`, `make format` and `make repository` call this module.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
TEMPLATE = BOOK / "_templates" / "chapter.md"
CHECKED = "nbval-check-output"  # the tag of a cell whose text is committed and compared
LONGER = 1.5  # times torch's that need a reason
LIBRARY = sys.stdlib_module_names | {"compression"}  # which is one from Python 3.14 on
BOUND = "\N{NO-BREAK SPACE}"  # lines do not break there
START, END = "<!-- chapters: made by `make sync` -->", "<!-- end of chapters -->"


def parts() -> dict[str, list[Path]]:
    """The parts of the book that hold chapters, and these, in the order of `_toc.yml`."""
    import yaml

    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    found = {}
    for part in toc["parts"]:
        pages = [ROOT / f"{page['file']}.md" for page in part["chapters"]]
        if coded := [page for page in pages if _has_code(page)]:
            found[part["caption"]] = coded
    return found


def _has_code(page: Path) -> bool:
    return page.exists() and page.read_text().startswith("---\njupytext:\n")


def chapters() -> list[Path]:
    """The pages that hold code, in the order of `_toc.yml`."""
    return [page for pages in parts().values() for page in pages]


def slugs() -> list[str]:
    """The names of the chapters that build a module of `solutions`, in the same order.

    The others compare what these have built.
    """
    return [page.stem for page in chapters() if (ROOT / f"solutions/{page.stem}.py").exists()]


def heading(page: Path) -> str:
    """The title of a page."""
    return re.search(r"^# (.+)$", page.read_text(), re.MULTILINE)[1]


def cells(page: Path) -> list[str]:
    """The Python of a page's code cells, one string each; `%pip` and the like become calls."""
    import jupytext
    from IPython.core.inputtransformer2 import TransformerManager

    found = jupytext.read(page).cells
    python = TransformerManager().transform_cell
    return [python(cell.source) for cell in found if cell.cell_type == "code"]


def exercises(slug: str) -> list[str]:
    """Names in a chapter's module that students write: all that the book asks the grader."""
    try:
        from grader.author import catalog
    except ImportError:  # the book alone
        return []
    return catalog.symbols(slug)


# What follows from `_toc.yml`


def written() -> dict[Path, str]:
    """The files that list the chapters, as they should be."""
    made = {ROOT / "README.md": _readme, BOOK / "index.md": _index, BOOK / "api.md": _api}
    texts = {}
    for path, make in made.items():
        before, start, rest = path.read_text().partition(START)
        now, end, after = rest.partition(END)
        if not start or not end:
            raise Refused(f"{path.name} needs two lines around its chapters: {START} {END}")
        texts[path] = f"{before}{START}\n{make(now)}\n{END}{after}"
    return texts | {BOOK / "api" / f"{name}.md": _module(name) for name in _modules()}


def _readme(_: str) -> str:
    lines = []
    for caption, pages in parts().items():
        links = [f"[{heading(page)}](book/{page.name})".replace(" ", BOUND) for page in pages]
        line = f"- **{caption}**: {', '.join(links)}"
        lines.append(textwrap.fill(line, 100, subsequent_indent="  ", break_on_hyphens=False))
    return "\n".join(lines).replace(BOUND, " ")


def abouts(front: str) -> dict[str, str]:
    """Texts of the front page on each chapter, by its name: a definition as it stands there."""
    return dict(re.findall(r"^\[.*\]\((\w+)\.md\)\n(: .*\n(?:  .*\n)*)", front, re.MULTILINE))


def _index(now: str) -> str:
    """Each chapter with the words on it that are there now."""
    words = abouts(now)
    text = ""
    for caption, pages in parts().items():
        text += f"\n**{caption}**\n"
        for page in pages:
            text += f"\n[{heading(page)}]({page.name})\n"
            text += words.get(page.stem, ": Being written.\n")
    return text


def _modules() -> list[str]:
    """The modules of `solutions`: those of the chapters in their order, and the others."""
    there = [path.stem for path in sorted((ROOT / "solutions").glob("[a-z]*.py"))]
    return [*slugs(), *(name for name in there if name not in slugs())]


def _api(_: str) -> str:
    lines = ["\n| Module | What it builds |", "|:--|:--|"]
    for name in _modules():
        says = _says(name).replace("|", r"\|")
        lines.append(f"| [`{name}`](api/{name}.md) | {says} |")
    return "\n".join(lines) + "\n" + _speed()


def _says(name: str) -> str:
    """The first sentence of a module's docstring."""
    said = ast.get_docstring(ast.parse((ROOT / f"solutions/{name}.py").read_text())) or "—"
    return " ".join(said.partition("\n\n")[0].split()).replace("``", "`")


def _module(name: str) -> str:
    lines = [f"# `solutions.{name}`", "", "```{eval-rst}", f".. automodule:: solutions.{name}"]
    return "\n".join([*lines, "   :members:", "   :member-order: bysource", "```", ""])


def _speed() -> str:
    """How long the course's own takes beside torch's, as `benchmarks/speed.py` measured it."""
    path = ROOT / "benchmarks" / "speed.json"
    if not path.is_file():  # the book alone
        return ""
    document = json.loads(path.read_text())
    on_cuda = json.loads(path.with_name("speed_cuda.json").read_text())
    times_there = {(row["name"], row["size"]): _times(row) for row in on_cuda["rows"]}
    rows = [
        f"| `{row['name']}` | {row['size']} | {1e6 * row['ours']:,.0f} "
        f"| {1e6 * row['torch']:,.0f} | {_times(row):.1f} "
        f"| {times_there[row['name'], row['size']]:.1f} |"
        for row in document["rows"]
    ]
    machine, there = document["machine"], on_cuda["machine"]
    said = (
        "The course writes formulas; PyTorch has a kernel for most of them. How much slower a "
        "formula is depends on the size, in either direction, so each stands here at least twice: "
        "as small as the chapters have it, and as large as in training a model for use. "
        "Microseconds of processor time for the same numbers, forward and backward (an optimizer: "
        "one step for a network), float32 on one thread, the median of turns that alternate, on "
        "this processor: "
        f"{machine['processor']}, torch {machine['torch']}. The last column has the ratio of the "
        f"times on a GPU ({there['device']}, torch {there['torch']}). At most of these sizes the "
        "GPU waits for launches, so the number of operations decides, and not their size. "
        "PyTorch's defaults apply: convolutions and recurrent layers of cuDNN use TF32. "
        "`benchmarks/speed.py` measures both."
    )
    head = ["| Function | Size | ours, µs | torch's, µs | times | on a GPU |"]
    head += ["|:--|:--|--:|--:|--:|--:|"]
    lines = textwrap.fill(said, 100, break_on_hyphens=False)
    made = ["\n## Beside PyTorch", "", lines, "", *head, *rows, "", *_slow(document)]
    made += ["", _recurrent_on_cuda(on_cuda)]
    return "\n".join(made) + "\n"


def _slow(document: dict) -> list[str]:
    """Functions that take clearly longer than torch's, at which size the most, and why."""
    script = ast.parse((ROOT / "benchmarks" / "speed.py").read_text())
    (reasons,) = [
        ast.literal_eval(node.value)
        for node in script.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WHY"
    ]
    most: dict[str, dict] = {}
    for row in document["rows"]:
        most[row["name"]] = max(most.get(row["name"], row), row, key=_times)
    lines = ["Why some take longer, each with the size at which it loses most:", ""]
    for name, row in most.items():
        if _times(row) <= LONGER:
            continue
        why = reasons[name]
        said = f"- `{name}`, {_times(row):.1f} times at {row['size']}: {why}"
        lines.append(textwrap.fill(said, 100, subsequent_indent="  ", break_on_hyphens=False))
    return lines


def _recurrent_on_cuda(document: dict) -> str:
    """Recurrent layers lose most on a GPU: by how much, and what to use instead."""
    found = {
        kind: [_times(row) for row in document["rows"] if row["name"] == f"recurrent.{kind}"]
        for kind in ("LSTM", "GRU")
    }
    others = (_times(row) for row in document["rows"] if not row["name"].startswith("recurrent."))
    if min(map(min, found.values())) <= max(others):
        raise ValueError("speed_cuda.json: recurrent layers no longer lose most")
    said = " and ".join(
        f"`recurrent.{kind}` {min(times):.0f} to {max(times):.0f} times"
        for kind, times in found.items()
    )
    text = (
        f"On a GPU, the formulas of recurrent layers lose most: {said} the time of torch's. They "
        "launch several kernels for each step, and torch's give cuDNN the whole sequence at once. "
        "Train recurrent networks there with `nn.LSTM` and `nn.GRU`; the weights have the same "
        "names."
    )
    return textwrap.fill(text, 100, break_on_hyphens=False)


def _times(row: dict) -> float:
    return row["ours"] / row["torch"]


# Commands


class Refused(click.ClickException):
    """Refusal of a command, with one message that says why."""

    exit_code = 2


@click.group()
def main() -> None:
    """Look after the pages of the book."""


@main.command()
@click.option("--run", is_flag=True, help=f"Run them and keep the text of cells tagged {CHECKED}.")
@click.argument("pages", nargs=-1, type=click.Path(exists=True, path_type=Path))
def sync(pages: tuple[Path, ...], run: bool) -> None:
    """Bring PAGES (all chapters) and their notebooks into step; the one edited last wins.

    The lists of chapters follow `_toc.yml` then, too.
    """
    pages = pages or tuple(chapters())
    files = [file.resolve() for page in pages for file in (page, page.with_suffix(".ipynb"))]
    before = {file: file.read_text() for file in files if file.exists()}
    if pages:
        subprocess.run([sys.executable, "-m", "jupytext", "--sync", "-q", *pages], check=True)
    for notebook in files[1::2]:
        text = notebook.read_text()
        if (after := kept(text, notebook.parent if run else None)) != text:
            notebook.write_text(after)
    for file in files:
        if before.get(file) != file.read_text():
            click.echo(f"wrote {file.relative_to(ROOT)}")
    for path, text in written().items():
        _write(path, text)


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        click.echo(f"wrote {path.relative_to(ROOT)}")


def kept(text: str, run_in: Path | None = None) -> str:
    """A notebook as it is committed: no outputs but the plain text of the checked cells, and cells
    folded whose code a page does not show.

    Args:
        text: the notebook's JSON.
        run_in: where to run it first, as far as its last checked cell; without it, outputs that
            are there are kept.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.reads(text, as_version=4)
    checked = [place for place, cell in enumerate(notebook.cells) if CHECKED in tags(cell)]
    if run_in is not None and checked:
        opening = nbformat.from_dict(notebook | {"cells": notebook.cells[: checked[-1] + 1]})
        NotebookClient(opening, timeout=300, resources={"metadata": {"path": run_in}}).execute()
        notebook.cells[: checked[-1] + 1] = opening.cells
    _fold(notebook)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code" and CHECKED in tags(cell):
            cell.outputs = [_plain(output) for output in cell.outputs]
        elif cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("language_info", None)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def _fold(notebook: dict) -> None:
    """Mark the cells without anything that computes, for JupyterLab and VS Code, and for Colab."""
    from book import listing

    coded = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, made in zip(coded, listing.cut(coded), strict=True):
        cell.metadata.pop("jupyter", None)
        cell.metadata.pop("cellView", None)
        if listing.is_folded(made):
            cell.metadata.update(jupyter={"source_hidden": True}, cellView="form")


def tags(cell: dict) -> list[str]:
    return cell["metadata"].get("tags", [])


def _plain(output: dict) -> dict:
    if "data" in output:
        output["data"] = {"text/plain": output["data"]["text/plain"]}
    return output


@main.command()
@click.argument("slug")
@click.argument("title")
@click.pass_context
def chapter(context: click.Context, slug: str, title: str) -> None:
    """Begin a chapter: its page and notebook, module and tests, its line in `_toc.yml`, and its
    box on the front page's map.

    It comes after the last chapter; move the line, and `make sync` moves it everywhere. The box
    stands below all others: give it its place, and after a "<" the chapters that it needs.
    """
    page = BOOK / f"{slug}.md"
    module, test = ROOT / f"solutions/{slug}.py", ROOT / f"tests/solutions/test_{slug}.py"
    if slug in LIBRARY:
        raise Refused(
            f"{slug!r} is a module of Python's library: a learner's {slug}.py would hide it."
        )
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,29}", slug) or keyword.iskeyword(slug):
        raise Refused(
            f"SLUG is {slug!r}: give the chapter a name of lower-case letters, digits and _, as "
            'Python modules have, and a title: make chapter SLUG=recurrence TITLE="Recurrence"'
        )
    if not re.fullmatch(r"[^\W\d_][^\[\]`\"\\<>\n]{0,59}", title):
        raise Refused(
            f"TITLE is {title!r}: give a title of 1 to 60 characters in one line, without "
            'brackets, quotes, backquotes and backslashes: TITLE="Recurrent networks"'
        )
    for path in (page, page.with_suffix(".ipynb"), module, test):
        if path.exists():
            raise Refused(f"{path.relative_to(ROOT)} is there already: choose another SLUG")
    toc = (ROOT / "_toc.yml").read_text()
    last = re.search(rf"^( *- file: )book/{chapters()[-1].stem}\n", toc, re.MULTILINE)
    if last is None:
        raise Refused(f"_toc.yml has no line '- file: book/{chapters()[-1].stem}' of its own")
    written()  # refuses now rather than halfway
    _write(page, TEMPLATE.read_text().replace("SLUG", slug).replace("TITLE", title))
    _write(module, f'"""{title}: nothing is built here yet."""\n')
    _write(test, f'"""`solutions.{slug}`, where nothing is built yet, so nothing is tested."""\n')
    _write(ROOT / "_toc.yml", f"{toc[: last.end()]}{last[1]}book/{slug}\n{toc[last.end() :]}")
    index = (BOOK / "index.md").read_text()
    if found := re.search(r"^```\{course-map\}\n(.+\n)*?(?=```$)", index, re.MULTILINE):
        rows = [int(row) for row in re.findall(r"^\w+ [\d.]+ (\d+)", found[0], re.MULTILINE)]
        box = f"{slug} 0 {max(rows, default=-1) + 1}\n"
        _write(BOOK / "index.md", f"{index[: found.end()]}{box}{index[found.end() :]}")
    context.invoke(sync)


@main.command()
@click.argument("url")
def repository(url: str) -> None:
    """Enter the address of the repository wherever the project names it."""
    url = url.removesuffix("/").removesuffix(".git")
    if not url.startswith("https://") or url.count("/") != 4:
        raise Refused(
            f"URL is {url!r}: give your repository's address, https://HOST/OWNER/NAME, as in "
            "make repository URL=https://github.com/you/yours"
        )
    old = address()
    for path in (ROOT / "_config.yml", ROOT / "CITATION.cff", TEMPLATE, *chapters()):
        _write(path, path.read_text().replace(old, url))


def address() -> str:
    """The address of the repository, as `_config.yml` states it."""
    import yaml

    return yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]


if __name__ == "__main__":
    main()
