"""Sphinx extension: what a page loads, and when.

The theme asks for a script of all icons there are, and for the search index on every page. Here
icons are a style of ours, only the page that searches loads the index, and no script keeps the
page from being painted; of the theme's style sheet the rules stay that something could follow. The
colors are right from the first paint on. The theme's script measures what a reader is near to, not
the whole page, which would lay all of it out. Code is not indexed: a search finds words, and says
in which sections they stand.
"""

from __future__ import annotations

import html
import re
import zlib
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ICONS = re.compile(r'<script[^>]*src="[^"]*fontawesome\.js[^"]*"[^>]*></script>\n?')
ON_CHAPTERS = re.compile(  # a search shows no exercise, no code and no citation
    r'<script[^>]*src="[^"]*/(ask|editor|peek|clipboard\.min|copybutton)\.js[^"]*"[^>]*></script>\n?'
)
SEARCH = re.compile(
    r'<script[^>]*src="[^"]*(searchtools|language_data|searchindex)\.js[^"]*"[^>]*></script>\n?'
)
BLOCKING = re.compile(r"<script(?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=)")
EARLY = re.compile(r'<link rel="preload" as="script"[^>]*>\n?')  # before what sets formulas
SHARED = re.compile(r'<(style|script) data-shared="(\w+)">.*?</\1>\n?', re.DOTALL)
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')  # the theme's layout has one before these
OPTIONS = re.compile(r"<script>DOCUMENTATION_OPTIONS\.[^<]*</script>\n?")  # of what is not here
THEME = 'localStorage.getItem("theme") || "auto"'
CHOSEN = '["light", "dark"].find((name) => name === localStorage.getItem("mode"))'
SYSTEM = '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'
SHEET = re.compile(
    r'<link(?=[^>]*rel="stylesheet")[^>]*href="([^"?]*_static/)([^"?]+)[^"]*"[^>]*>\s*'
)
FOREIGN = ("fontawesome", "codemirror.min", "reveal", "notes")  # scripts that name no class of ours
IMPORTS = {"styles/theme.css": "basic.css"}  # and that is all it does
MEASURES = "e.tabIndex=e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"
FULL = 80  # letters: whoever ends a line of a docstring there goes on in the next
NEAR = "e.checkVisibility?.({contentVisibilityAuto:!0})??!0"


class code(nodes.literal_block, nodes.comment):
    """Code that the search leaves out: it takes no comments."""


def code_block(text: str, language: str, *classes: str) -> code:
    """Code to read, highlighted."""
    return code(text, text, language=language, classes=list(classes))


def _visit_code(translator, node: code) -> None:
    try:
        translator.visit_literal_block(node)
    finally:
        if "course-statement" in node["classes"]:  # on a phone its lines are broken
            translator.body[-1] = _lines(translator.body[-1])


def _lines(markup: str) -> str:
    """Highlighted code, each line of it in a part that knows how far it is indented.

    A line of a docstring that goes on with the sentence before it stands in that one's part.
    """
    before, code, after = re.fullmatch(r"(.*?<pre>)(.*)(</pre>.*)", markup, re.DOTALL).groups()
    parts: list[str] = []
    last, quoted = "", False
    for line in code.splitlines(keepends=True):
        text = html.unescape(re.sub(r"<[^>]*>", "", line)).rstrip("\n")
        if quoted and _goes_on(last, text):
            opened, spaces, rest = re.fullmatch(r"((?:<[^>]*>)*)( +)(.*)", line, re.DOTALL).groups()
            joined = f'{opened}<span class="course-join">\n{spaces}</span>{rest}'
            parts[-1] = parts[-1].removesuffix("\n</span>") + joined + "</span>"
        else:
            indent = _indent(text)
            style = f' style="--in:{indent}"' * (indent > 0)
            parts.append(f'<span class="course-line"{style}>{line}</span>')
        last, quoted = text, quoted ^ (text.count('"""') % 2 == 1)
    return "".join([before, *parts, after])


def _goes_on(line: str, after: str) -> bool:
    """Whether a line of a docstring is full, and the next one goes on with its sentence."""
    word = next(iter(after.split()), "")
    named = re.match(r" *[\w*, `]+: ", after) and _indent(after) <= _indent(line)
    return bool(word.strip('"')) and not named and len(line) + 1 + len(word) > FULL


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def lighten(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give the page's template a function for its head."""

    def lighter(head: str) -> str:
        head = ICONS.sub("", head)
        head = VIEWPORT.sub("", head)
        if template == "search.html":
            head = ON_CHAPTERS.sub("", head)
        else:  # the scripts of a search wait for one another
            for unused in (SEARCH, EARLY, OPTIONS):
                head = unused.sub("", head)
            head = BLOCKING.sub("<script defer", head)
        return head.replace(THEME, f"{CHOSEN} || {SYSTEM}")

    context["lighter"] = lighter


def unindex(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Leave the entries of an index out: the search has the names of the API as objects already."""
    for entry in list(doctree.findall(addnodes.index)):
        entry.parent.remove(entry)


def once(body: str) -> str:
    """The body of a page with the first of what its widgets share, and without the others."""
    seen: set[tuple[str, ...]] = set()

    def first(found: re.Match) -> str:
        again = found.groups() in seen
        seen.add(found.groups())
        return "" if again else found[0]

    return SHARED.sub(first, body)


def load(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load the style of formulas, and what finds sections where one searches."""
    if template == "search.html":
        app.add_js_file("sections.js")
    app.add_css_file("katex/katex.min.css", priority=100)  # everywhere: see `bundle`
    context["body"] = once(context.get("body", ""))


def spare(app: Sphinx, exception: Exception | None) -> None:
    """Let the theme's script measure only what is laid out; a11y.js comes back to the rest."""
    script = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    if exception or not script.is_file():
        return
    text = script.read_text(encoding="utf-8")
    spared = f"({NEAR})&&({MEASURES})"
    if spared not in text:
        if text.count(MEASURES) != 1:
            raise RuntimeError(f"{script.name} measures in another way: see {__name__}.spare")
        script.write_text(text.replace(MEASURES, spared), encoding="utf-8")


def trim(css: str, words: set[str]) -> str:
    """A style sheet without the rules of classes and ids that are not among the words.

    A rule is kept or left out whole. A word that ends in "-" stands for all that begin so.
    """
    begun = tuple(word for word in words if re.fullmatch(r"\w\w+-", word))

    def needed(selector: str) -> bool:
        plain = ""
        while selector != plain:  # what :not(...) or [...] asks for may not be there
            plain, selector = selector, re.sub(r"\([^()]*\)|\[[^]]*\]", "", selector)
        names = re.findall(r"[.#]([A-Za-z_-][\w-]*)", plain)
        return all(name in words or name.startswith(begun) for name in names)

    def rule(found: re.Match) -> str:
        return found[0] if any(map(needed, re.split(r",(?![^(]*\))", found[1]))) else ""

    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"([^{}]*)\{[^{}]*\}", rule, css)
    return re.sub(r"@[^{};]*\{\s*\}", "", css)  # of which nothing is left


def bundle(app: Sphinx, exception: Exception | None) -> None:
    """Give all pages one style sheet, with what a page or a script has a name for."""
    if exception:
        return
    static, decks = Path(app.outdir, "_static"), Path(app.outdir, "slides")  # of book.slides
    paths = [
        path
        for path in Path(app.outdir).rglob("*.html")
        if static not in path.parents and decks not in path.parents
    ]
    pages = {path: path.read_text("utf-8") for path in paths}
    lists = {tuple(name for _, name in SHEET.findall(text)) for text in pages.values()}
    lists = [names for names in lists if len(names) > 1]  # others were written by another build
    if not lists:
        return
    if len(lists) > 1:
        raise RuntimeError(f"pages have different style sheets: {lists}")
    scripts = [path for path in static.rglob("*.js") if path.stem not in FOREIGN]
    texts = [*pages.values(), *(path.read_text("utf-8") for path in scripts)]
    words = set().union(*(re.findall(r"[\w-]+", text) for text in texts))
    css = ""
    for name in lists[0]:
        sheet = static / IMPORTS.get(name, name)
        text = trim(sheet.read_text("utf-8"), words)
        folder = sheet.parent.relative_to(static).as_posix()
        css += re.sub(r"""url\((?!["']?(?:data:|#))(["']?)""", rf"url(\1{folder}/", text) + "\n"
    (static / "book.css").write_text(css, "utf-8")
    version = f"{zlib.crc32(css.encode()):08x}"
    for path, text in pages.items():
        if not (first := SHEET.search(text)):
            continue
        before, after = text[: first.start()], SHEET.sub("", text[first.end() :])
        link = f'<link rel="stylesheet" href="{first[1]}book.css?v={version}" />\n'
        path.write_text(before + link + after, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", load, priority=400)
    app.add_node(code, html=(_visit_code, None))
    app.connect("html-page-context", lighten)
    app.connect("doctree-resolved", unindex)
    app.connect("build-finished", spare)
    app.connect("build-finished", bundle, priority=900)  # after the theme's own: it writes colors
    return {"parallel_read_safe": True, "parallel_write_safe": True}
