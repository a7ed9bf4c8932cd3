"""Pairs of texts that are alike, side by side, with the lines that only they share."""

from __future__ import annotations

from html import escape

from grader.instruct import sheet
from grader.instruct.sheet import plural, tag
from grader.instruct.similar import COMMON, LEAST, NOTE, SHARE, Likeness, Pair, Text, title

MOST = 50  # pairs whose texts are written out; the others are in the list
AROUND = 3  # lines that are shown before and after a marked one


def page(likeness: Likeness, assignment: str, common: float = COMMON) -> str:
    """All pairs as one page."""
    count = plural(len(likeness.pairs), "pair")
    before = f" and {plural(len(likeness.earlier), 'earlier one')}" if likeness.earlier else ""
    summary = (
        f"{plural(len(likeness.texts), 'text')}{before} were compared, "
        f"{plural(likeness.compared, 'pair')} in all. Names, the order of definitions, layout, "
        "comments and dead code make no difference. What the skeleton, the published solution or "
        f"more than {common:.0%} of the class have does not count. Listed are pairs that share "
        f"{LEAST} fragments or more, and {SHARE:.0%} or more of what is left of the smaller text. "
        "Files that are the same to the byte are listed in any case."
    )
    head = tag(
        "header",
        tag("p", sheet.logo(), escape(assignment), class_="brand"),
        tag("h1", f"Similar texts: {count}"),
        tag("p", escape(summary)),
        tag("p", tag("strong", escape(NOTE))),
    )
    if len(likeness.pairs) > MOST:
        more = (
            f"The texts of the first {MOST} pairs are below; grade similar -o pairs.json has all."
        )
        head += tag("p", escape(more))
    unread = [
        tag("li", f"{escape(text.title)}: {escape(text.unread)}")
        for text in likeness.texts
        if text.unread
    ]
    rest = tag("section", tag("h2", "Not compared"), tag("ul", *unread)) if unread else ""
    same = [
        tag("li", f"{tag('code', escape(one.file))}: {escape(', '.join(map(title, one.texts)))}")
        for one in likeness.identical
    ]
    if same:
        head += tag("section", tag("h2", "Identical files"), tag("ul", *same))
    listed = [_row(number, pair) for number, pair in enumerate(likeness.pairs)]
    titles = ("Students", "Own code shared", "Fragments", "Where")
    top = [
        tag("th", one, scope="col", class_="number" if place in (1, 2) else None)
        for place, one in enumerate(titles)
    ]
    index = sheet.table(top, listed, aria_label="Pairs") if listed else tag("p", "No pair.")
    pairs = "".join(_pair(number, pair) for number, pair in enumerate(likeness.pairs[:MOST]))
    body = tag("main", head, index, pairs, rest, id="main", class_="broad")
    return sheet.document(f"Similar texts of {assignment}", body, script=sheet.script("pairs"))


def _row(number: int, pair: Pair) -> str:
    names = escape(f"{title(pair.left)} and {title(pair.right)}")
    return tag(
        "tr",
        tag("th", tag("a", names, href=f"#pair-{number}") if number < MOST else names, scope="row"),
        tag("td", f"{pair.share:.0%}", class_="number"),
        tag("td", str(len(pair.fragments)), class_="number"),
        tag("td", ", ".join(tag("code", escape(one)) for one in pair.where())),
    )


def _pair(number: int, pair: Pair) -> str:
    names = tag("h2", f"{escape(title(pair.left))} and {escape(title(pair.right))}")
    said = (
        f"{plural(len(pair.fragments), 'fragment')}, {pair.share:.0%} of the own code of the "
        "smaller text. Press a marked line to see where the other has it."
    )
    sides = tag("div", _side(pair, pair.left), _side(pair, pair.right), class_="sides")
    return tag("section", names, tag("p", said, class_="muted"), sides, id=f"pair-{number}")


def _side(pair: Pair, text: Text) -> str:
    """The shared lines of one text, marked, and those around them."""
    marked = pair.lines(text)
    parts = []
    for name, content in text.files.items():
        lines, before = [], 0
        near = {line + k for line in marked.get(name, {}) for k in range(-AROUND, AROUND + 1)}
        for number, line in enumerate(content.split("\n"), 1):
            if number not in near:
                continue
            if number > before + 1:
                lines.append(tag("span", "…", class_="line"))
            before = number
            fragments = marked.get(name, {}).get(number)
            place = tag("span", str(number), class_="line-number", aria_hidden="true")
            code = f"{place}{escape(line) or ' '}"
            if not fragments or not line.strip():
                lines.append(tag("span", code, class_="line"))
            else:
                told = " ".join(map(str, dict.fromkeys(fragments)))
                lines.append(tag("button", code, class_="line", type="button", data_f=told))
        parts.append(tag("h3", f"{escape(title(text))}: {escape(name)}"))
        label = f"{title(text)}, {name}"
        parts.append(tag("pre", *lines, tabindex=0, role="region", aria_label=label))
    return tag("div", *parts, class_="side")
