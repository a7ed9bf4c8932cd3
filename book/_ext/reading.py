"""Sphinx extension: code that can be read, and predictions before their results.

`book.listing` says which lines of a cell a page shows. A paragraph that says "Before you run it" or
"look" becomes a strip of its own, and marks the output after it: a script covers that until it is
asked for, so that without scripts, and in print, everything is open. A list right after the
question holds answers to choose from. Captions of a chapter are numbered in the order of the page.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from myst_nb.core.read import create_nb_reader
from sphinx import addnodes
from sphinx.application import Sphinx

from book import listing
from book._ext.weight import code_block
from book.listing import COMPUTES, DRAWS, IMPORTS, Piece
from book.translation import word

SOURCE = re.compile(
    r'<p class="course-source"><a href="[^"#]*#([\w.]+)"><code>([\w./]+)</code></a></p>'
)
CAPTION = re.compile('<figcaption class="tex2jax_process">')
SKETCH = 'class="course-widget course-sketch"'


def asks() -> re.Pattern:
    """The opening words of a prediction, in English and in the language that is built."""
    here = (word("Before you look"), word("Before you read on"), word("Before you run it"))
    english = ("Before you look", "Before you read on", "Before you run it")
    any_of = "|".join(re.escape(text).replace(r"\ ", r"\s+") for text in {*english, *here})
    return re.compile(rf"\b({any_of})[,:]\s*")


def show_code(app: Sphinx, doctree: nodes.document) -> None:
    """Put the code of every cell on the page, as its lines deserve."""
    shown = [node for node in doctree.findall(nodes.container) if "cell_index" in node]
    if not shown:
        return
    path = Path(app.env.doc2path(app.env.docname))
    text = path.read_text()
    reader = create_nb_reader(str(path), app.env.myst_config, app.env.mystnb_config, text)
    cells = {
        place: cell
        for place, cell in enumerate(reader.read(text).cells)
        if cell.cell_type == "code"
    }
    cuts = listing.cut(cells.values())
    found = dict(zip(cells, cuts, strict=True))
    for node in shown:
        _put(node, found[node["cell_index"]])


def _put(cell: nodes.container, cut: list[Piece]) -> None:
    """Show what computes above the output, fold the rest below it."""
    for old in [one for one in cell.children if one.get("nb_element") == "cell_code_source"]:
        cell.remove(old)
    cell.attributes.pop("hide_mode", None)  # a fold of ours is quieter
    if computes := [piece.text for piece in cut if piece.kind == COMPUTES]:
        source = nodes.container(nb_element="cell_code_source", classes=["cell_input"])
        source += code_block("\n".join(_spaced(computes)), "ipython3")
        cell.insert(0, source)
    for kind in (IMPORTS, DRAWS):
        if texts := [piece.text for piece in cut if piece.kind == kind]:
            place = 0 if kind == IMPORTS else len(cell)
            text = "\n".join(_spaced(texts))
            cell[place:place] = _fold(_importing(text) if kind == IMPORTS else _label(cell), text)
    if not cell.children:
        cell.parent.remove(cell)


def _spaced(texts: list[str]) -> list[str]:
    """A line is left free between pieces, two around definitions."""
    found = texts[:1]
    for text in texts[1:]:
        before = found[-1].rpartition("\n\n")[2]
        wide = re.match(r"def |class |@", text) or re.match(r"def |class |@", before)
        found.append(("\n\n" if wide else "\n" if "\n" in text + before else "") + text)
    return found


def _importing(text: str) -> str:
    imports = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    sets_up = re.search("|".join(sorted(listing.SETS_UP)) + r"\(", text)
    if not imports:
        return word("Set-up")
    return word("Imports and set-up") if sets_up else word("Imports")


def _label(cell: nodes.container) -> str:
    if not any(part.get("nb_element") == "cell_code_output" for part in cell.children):
        return word("Code")
    html = "".join(raw.astext() for raw in cell.findall(nodes.raw))
    if "course-figure" in html:
        return word("Code of this figure")
    return word("Code of this table") if "course-table" in html else word("Code of this result")


def _fold(label: str, text: str) -> list[nodes.Node]:
    summary = f'<details class="course-fold"><summary>{label}</summary>'
    end = nodes.raw("", "</details>", format="html")
    return [nodes.raw("", summary, format="html"), code_block(text, "ipython3"), end]


def link_sources(app: Sphinx, doctree: nodes.document) -> None:
    """Lead from a source that `show` puts out to where its module is described."""
    for raw in list(doctree.findall(nodes.raw)):
        if found := SOURCE.fullmatch(raw.astext().strip()):
            name, file = found.groups()
            name = name.partition("._")[0]  # what is private is described by its module alone
            options = {"refdomain": "py", "reftype": "obj", "reftarget": name, "refexplicit": True}
            link = addnodes.pending_xref("", nodes.literal(text=file), **options)
            link["refdoc"] = app.env.docname
            raw.replace_self(nodes.paragraph("", "", link, classes=["course-source"]))


def ask_first(app: Sphinx, doctree: nodes.document) -> None:
    """Make strips of predictions, and mark what they are about."""
    begins = asks()
    for paragraph in list(doctree.findall(nodes.paragraph)):
        _join(paragraph)
        place, words = next(
            (
                (place, text)
                for place, text in enumerate(paragraph.children)
                if isinstance(text, nodes.Text) and begins.search(text)
            ),
            (0, None),
        )
        if words is None or not (output := _output_after(paragraph)):
            continue
        before, title, after = begins.split(words, maxsplit=1)
        strip = nodes.container(classes=["course-ask"])
        strip += nodes.paragraph("", " ".join(title.split()), classes=["course-ask-title"])
        more = paragraph[place + 1 :]
        question = nodes.paragraph("", nodes.Text(after[:1].upper() + after[1:]), *more)
        strip += question
        parent, at = paragraph.parent, paragraph.parent.index(paragraph)
        paragraph[place:] = [nodes.Text(before.rstrip())] if before.strip() else []
        parent.insert(at + 1, strip)
        after = parent.children[at + 2 : at + 3]
        if after and isinstance(after[0], nodes.bullet_list) and len(after[0]) > 1:
            after[0]["classes"].append("course-choices")
            parent.remove(after[0])
            strip += after[0]
        if not paragraph.children:
            parent.remove(paragraph)
        output["classes"].append("course-answer")


def _join(paragraph: nodes.paragraph) -> None:
    """Make one text of those that stand side by side: a line's end parts them."""
    for place in range(len(paragraph) - 1, 0, -1):
        before, text = paragraph[place - 1], paragraph[place]
        if isinstance(before, nodes.Text) and isinstance(text, nodes.Text):
            paragraph[place - 1 : place + 1] = [nodes.Text(before + text)]


def _output_after(paragraph: nodes.paragraph) -> nodes.container | None:
    """Output of the next cell of the same section, other than a curve to draw."""
    siblings = paragraph.parent.children
    for node in siblings[siblings.index(paragraph) + 1 :]:
        for part in node.findall(nodes.container):
            asks = any(SKETCH in raw.astext() for raw in part.findall(nodes.raw))
            if part.get("nb_element") == "cell_code_output" and not asks:
                return part
    return None


def number_captions(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write "Figure 5.3" before the captions of chapter 5; pages without a number have none."""
    chapter = app.env.toc_secnumbers.get(docname, {}).get("")
    if not chapter:
        return
    count = 0
    for raw in list(doctree.findall(nodes.raw)):
        before, *rest = CAPTION.split(raw.astext())
        for text in rest:
            count += 1
            number = ".".join(map(str, [*chapter, count]))
            name = word("Figure {number}", number=number)
            before += f'{CAPTION.pattern}<b class="course-number">{name}</b> {text}'
        if rest:
            raw.replace_self(nodes.raw("", before, format=raw["format"]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", show_code, priority=110)  # after the editions part
    app.connect("doctree-read", link_sources, priority=110)
    app.connect("doctree-read", ask_first, priority=120)
    app.connect("doctree-resolved", number_captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
