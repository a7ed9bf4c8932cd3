"""Catalogs without translations, and old ones brought up to date."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator

import yaml
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from book.pages import BOOK, ROOT
from book.translation.texts import bare, cells_of, messages, of_interface
from grader import course

SEARCH = "Search this book..."  # as the theme has it
FORMULA = re.compile(r"^```\{math\}\n(?::[^\n]*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"^:::+\{exercise\} (.+)$", re.MULTILINE)
INSIDE = re.compile(r"(?<=\\text\{)([^{}$]*[^\W\d_]{2}[^{}$]*)(?=\})")  # words of a formula
SCRIPT = re.compile(  # words in a script, and no selector or name of an event
    r'(?:(?<=[(\[]")|(?<=[=,:?] "))[A-Z][a-z]+(?:[ :,][^"\n]*)?(?=")'
)


def template(slug: str, prose: Catalog) -> Catalog:
    """The catalog of a page, to be translated: a `babel.messages.Catalog` in the page's order.

    Args:
        slug: name of the page.
        prose: the catalog that Sphinx's gettext builder makes of it.
    """
    page = BOOK / f"{slug}.md"
    text = page.read_text()
    formulas = {block.strip() for block in FORMULA.findall(text)}
    found = [
        (message.locations[0][1], message.id, [])
        for message in prose
        if re.search(r"[^\W_]", bare(message.id)) and message.id not in formulas
    ]
    for pattern in (TITLE, INSIDE):
        for one in pattern.finditer(text):
            found.append((text.count("\n", 0, one.start()) + 1, one[1], []))
    if box := course.GOALS.search(text):
        at = text.count("\n", 0, box.start())
        found += [(at, line.partition(": ")[2], []) for line in box[1].splitlines()]
    for line, source in cells_of(page):
        for one in messages(source, line):
            ids = (one.text, one.many) if one.many else one.text
            found.append((one.line, ids, one.note()))
    found.sort(key=lambda one: one[0])
    hints = ((sys.maxsize, text, ["Of an exercise."]) for text in _of_exercises(slug))
    return _catalog([*found, *hints])


def _of_exercises(slug: str) -> Iterator[str]:
    """Texts of the exercises of a chapter that stand on its page."""
    try:
        from grader.author import catalog
        from grader.judge import records
        from grader.student import case as cases
    except ImportError:  # the book alone
        return
    for exercise in catalog.exercises(slug) if catalog.symbols(slug) else ():
        yield exercise.hint
        if example := cases.example(records.load(slug, exercise.symbol)):
            yield example[0]


def interface() -> Catalog:
    """The catalog of the words that the site itself adds to pages."""
    found = []
    for path in sorted(BOOK.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            number = {"word": 1, "words": 2}.get(getattr(node.func, "id", ""), 0)
            texts = [part.value for part in node.args[:number] if isinstance(part, ast.Constant)]
            if number and len(texts) == number:
                found.append((0, tuple(texts) if number == 2 else texts[0], []))
    found += [(0, one.text, one.note()) for one in of_interface()]
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    found += [(0, text, []) for text in (SEARCH, *(part["caption"] for part in toc["parts"]))]
    for path in sorted(BOOK.glob("_static/*.js")):
        found += [(0, text, []) for text in SCRIPT.findall(path.read_text())]
    return _catalog(found)


def _catalog(found: Iterable[tuple[int, str | tuple[str, str], list[str]]]) -> Catalog:
    made = Catalog(project="Neural Networks in Code", charset="utf-8")
    for _, ids, notes in found:
        made.add(ids, auto_comments=notes)
    return made


def merged(old: Catalog, made: Catalog, spoken: str) -> str:
    """The text of a catalog: a template with the translations that an old catalog has."""
    new = Catalog(spoken, header_comment="", charset="utf-8", fuzzy=False)
    for message in old:
        if message.id:
            new[message.id] = message
    new.update(made)
    for message in new:
        message.flags &= {"fuzzy"}  # no braces of Python's
    file = io.BytesIO()
    write_po(file, new, width=100, no_location=True, omit_header=True, ignore_obsolete=True)
    head = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Language: {spoken}\\n"\n"Plural-Forms: {new.plural_forms}\\n"\n\n'
    )
    return head + file.getvalue().decode()
