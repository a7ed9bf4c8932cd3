"""A page of HTML that needs nothing but itself: the book's colors and fonts, light and dark, and a
policy in its head that lets it ask nobody for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from grader import course

HERE = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
FRAME = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
<script>
const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => {{ document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; }};
dress(); dark.addEventListener("change", dress);
</script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
{body}
<script>{script}</script>
</body>
</html>
"""


def document(title: str, body: str, *, script: str = "") -> str:
    """A whole page."""
    style = f"{_colors()}\n{(HERE / 'sheet.css').read_text(encoding='utf-8')}"
    return FRAME.format(policy=POLICY, title=escape(title), style=style, body=body, script=script)


def script(name: str) -> str:
    """Script of a page of this folder."""
    return (HERE / f"{name}.js").read_text(encoding="utf-8")


def _colors() -> str:
    """Colors and fonts as the book names them."""
    text = (course.ROOT / "book" / "_static" / "custom.css").read_text(encoding="utf-8")
    wanted = ("html", 'html[data-theme="light"]', 'html[data-theme="dark"]')
    rules = re.findall(r"^(html[^\s{]*) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    return "\n".join(f"{name} {{\n{rule}}}" for name, rule in rules if name in wanted)


def logo() -> str:
    """The book's picture, as part of a page."""
    return (course.ROOT / "book" / "_static" / "logo.svg").read_text(encoding="utf-8")


def tag(name: str, *content: str, **attributes: object) -> str:
    """An element; its content is HTML already, its attributes are not.

    A name that Python keeps for itself ends in an underscore; one with a hyphen has one inside.
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return f"<{name}{told}>{''.join(content)}</{name}>"


def table(head: Iterable[str], rows: Iterable[str], **attributes: object) -> str:
    """A table that scrolls by itself where it is too wide."""
    top = tag("thead", tag("tr", *head))
    whole = tag("table", top, tag("tbody", *rows), **attributes)
    label = attributes.get("aria_label", "table")
    return tag("div", whole, class_="wide", tabindex=0, role="region", aria_label=label)


def number(value: float) -> str:
    """Points as people write them."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def bars(
    values: Iterable[float],
    labels: Iterable[str],
    *,
    title: str,
    unit: str,
    sentences: Iterable[str] | None = None,
) -> str:
    """A bar chart: counts above their labels, and each as a sentence for whoever cannot see it.

    As many labels are shown as there is room for, fewer on a phone.

    Args:
        values: how high.
        labels: what stands below.
        title: of the whole.
        unit: what is counted.
        sentences: what is counted in each bar, in full.
    """
    values, labels = [*values], [*labels]
    sentences = [*(sentences or labels)]
    top, items = max([*values, 1]), []
    for place, (value, label, said) in enumerate(zip(values, labels, sentences, strict=True)):
        steps = [-(-len(values) // most) for most in (10 if len(label) < 6 else 6, 3)]
        hidden = [place % step or place + step / 2 > len(values) for step in steps]
        kind = " ".join(
            name for name, gone in zip(("wide-off", "phone-off"), hidden, strict=True) if gone
        )
        told = f"{said}: {value:g} {unit}"
        items.append(
            tag(
                "li",
                tag("span", f"{value:g}" if value else "", class_="count", aria_hidden="true"),
                tag(
                    "span",
                    class_="bar",
                    style=f"height:{100 * value / top:.2f}%",
                    aria_hidden="true",
                ),
                tag("span", escape(label), class_=f"label {kind}".strip(), aria_hidden="true"),
                tag("span", escape(told), class_="unseen"),
                title=told,
            )
        )
    return tag("ol", *items, class_="bars", aria_label=title)


MARKS = (
    (r"`(.+?)`", r"<code>\1</code>"),
    (r"(?<![\w*])\*(?=\S)([^*<]+)(?<=\S)\*(?![\w*])", r"<em>\1</em>"),
)


def sentence(text: str) -> str:
    """Format an author's sentence, with its code and its emphasis."""
    told = escape(text)
    for sign, element in MARKS:
        told = re.sub(sign, element, told)
    return told
