"""What the pages show: figures, code, tables, claims, and maps and steps to explore.

Everything follows the site's light and dark theme through CSS variables, and carries the light
values with it, so that it looks right in any notebook too. Outputs are the same bytes each time.
"""

from __future__ import annotations

import ast
import html
import inspect
import json
import math
import os
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from book.svg import COLORS, svg

__all__ = [
    "COLORS",
    "attention_map",
    "convolution_steps",
    "figure",
    "picture",
    "power_of_ten",
    "say",
    "show",
    "spread",
    "table",
    "widget",
]

_STATIC = Path(__file__).with_name("_static")


def figure(fig: Figure, alt: str) -> None:
    """Show a matplotlib figure as an SVG of the page, and close it.

    Black becomes the color of the text around it and the ``COLORS`` follow the theme; any other
    color stays. The color maps ``course`` (the default) and ``course_diverging`` fade into the
    background, so that they can be read on a light and on a dark one.

    Args:
        fig: about 6 inches wide; from 7 inches on it scrolls sideways on a phone.
        alt: what the picture shows, for those who do not see it.

    Raises:
        ValueError: ``alt`` is empty.
    """
    if not alt.strip():
        raise ValueError("figure() got an empty alt text; say in words what the picture shows.")
    _show(f'<div class="course-figure">{svg(fig, alt)}</div>', text=alt)
    plt.close(fig)


def say(text: str, when: object = True) -> None:
    """Show Markdown that holds the page's own numbers.

    Args:
        text: Markdown; every number in it was computed on this page.
        when: what must be true for the words to hold: a bool, or an array or tensor of one.

    Raises:
        AssertionError: ``when`` is false: the page's own numbers deny what it says.
        TypeError: ``when`` is no truth value (a float, say, which would always pass).
    """
    if "bool" not in str(getattr(when, "dtype", type(when).__name__)):
        raise TypeError(
            f"say(when=...) expects a condition (True or False), got a {type(when).__name__}; "
            "write the comparison that makes the sentence true."
        )
    text = inspect.cleandoc(text)
    if not when:
        raise AssertionError(f"The page claims this and its own numbers deny it: {text}")
    display({"text/markdown": text, "text/plain": text}, raw=True)


def table(
    rows: Sequence[Sequence[object]], header: Sequence[str], caption: str | None = None
) -> None:
    """Show a table; columns of numbers are aligned on the right.

    Args:
        rows: numbers, or strings formatted already; ``$math$`` and `` `code` `` are rendered.
        header: one string per column.
        caption: one sentence above it.

    Raises:
        ValueError: a row is not as long as the header.
    """
    rows = [[str(cell) for cell in row] for row in rows]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"A row has {len(row)} cells, the header has {len(header)}: {row}")
    columns = list(zip(header, *rows, strict=True))
    numeric = [all(map(_NUMBER.match, column[1:])) for column in columns]

    def line(cells: Sequence[str], tag: str) -> str:
        sides = ("right" if right else "left" for right in numeric)
        marked = (
            f'<{tag} style="text-align:{side}">{_inline(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(marked)}</tr>"

    def aligned(cells: Sequence[str]) -> str:
        parts = zip(cells, columns, numeric, strict=True)
        return "  ".join(
            cell.rjust(max(map(len, column))) if right else cell.ljust(max(map(len, column)))
            for cell, column, right in parts
        )

    title = f"<caption>{_inline(caption)}</caption>" if caption else ""
    body = "".join(line(row, "td") for row in rows)
    ruler = "|" + "|".join("--:" if right else ":--" for right in numeric) + "|"
    bars = ["| " + " | ".join(cells) + " |" for cells in [header, *rows]]
    above = [caption, ""] if caption else []
    _show(
        f'<div class="course-table"><table class="table tex2jax_process">{title}'
        f"<thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table></div>",
        text="\n".join([*above, *(aligned(cells).rstrip() for cells in [header, *rows])]),
        markdown="\n".join([*above, bars[0], ruler, *bars[1:]]),
    )


_NUMBER = re.compile(r"[-−+<>≤≥≈±$(]*\d|[–—-]?$")


def _inline(text: str) -> str:
    text = re.sub(r"\$([^$]+)\$", r"\\(\1\\)", html.escape(text, quote=False))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def spread(values: Sequence[float], form: str = ".1f") -> str:
    """Write numbers as their mean ± standard deviation (dividing by one less than their count).

    Args:
        values: one per seed, or per split.
        form: how to format a number.

    Returns:
        "95.4 ± 0.7", which does not break, with a minus sign where there is one.
    """
    values = np.asarray(values, dtype=np.float64)
    mean, deviation = f"{values.mean():{form}}", f"{values.std(ddof=1):{form}}"
    mean = mean.removeprefix("-") if not float(mean.strip("%")) else mean  # no -0.0
    return f"{mean}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{deviation}".replace("-", "−")


def power_of_ten(value: float) -> str:
    """Write a small or large number as one digit and a power: 3·10⁻⁷."""
    digit, exponent = f"{value:.0e}".split("e")
    digit = "" if digit == "1" else f"{digit}·"
    return f"{digit}10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def picture(axes: Axes, values: ArrayLike, *, title: str = "", **options) -> None:
    """Draw a small gray picture without axes, ink on paper.

    Args:
        axes: where to.
        values: (rows, columns), or as many entries in one row as a square picture has; 0 is
            paper, 1 ink. A tensor may lie on any device.
        title: a word or two above it.
        **options: of `Axes.imshow`; ``vmin`` and ``vmax`` move the ends of the scale.
    """
    values = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if values.ndim == 1:
        side = math.isqrt(values.size)
        values = values.reshape(side, side)
    axes.imshow(values, **({"vmin": 0, "vmax": 1} | options))
    axes.set_axis_off()
    axes.set_title(title, fontsize=10, loc="center", fontweight="normal")


def show(symbol: Callable | type, *, fold: bool | None = None) -> None:
    """Show the source of something in ``solutions``, without its docstrings.

    The website's public edition folds what is a graded exercise behind one click; its student
    edition shows signature and docstring of it and no more. Where the website is built
    (``COURSE_EDITION`` is set) both are put out, and ``book._ext.edition`` keeps one of them.

    Args:
        symbol: a function or class of ``solutions``, or a method of such a class.
        fold: behind a click or not, whatever it is; the student edition gives no answer away.
    """
    name, slug = symbol.__qualname__, symbol.__module__.rpartition(".")[2]
    top = name.partition(".")[0]
    source = textwrap.dedent(inspect.getsource(symbol)).strip("\n")
    exercise, website = _is_exercise(slug, top), bool(os.environ.get("COURSE_EDITION"))
    file = f"<code>solutions/{slug}.py</code>"
    if website:
        file = f'<a href="api.html#{symbol.__module__}.{name}">{file}</a>'
    file = f'<p class="course-source">{file}</p>'
    shown = _without_docstrings(source)
    text = f"{file}\n\n```python\n{shown}\n```\n"
    if exercise if fold is None else fold:
        label = "Solution" if exercise else "Code"
        summary = f"<summary>{label}: <code>{name}</code></summary>"
        text = f"<details>\n{summary}\n\n{text}\n</details>"
    if website and exercise:
        blank = f"{file}\n\n```python\n{_skeleton(source, symbol)}\n```\n"
        blank += f"\nYou write this one: `grade check {slug}.{top}`"
        text = "\n\n".join(
            f"::::{{container}} course-{edition}\n{one}\n::::"
            for edition, one in {"public": text, "student": blank}.items()
        )
    display({"text/markdown": text, "text/plain": shown}, raw=True)


def _is_exercise(slug: str, symbol: str) -> bool:
    try:
        from grader.exercise import exercises, slugs
    except ImportError:  # the book alone
        return False
    return slug in slugs() and any(exercise.symbol == symbol for exercise in exercises(slug))


def _skeleton(source: str, symbol: Callable | type) -> str:
    from grader.source import blank

    return blank(source, {symbol.__name__}).rstrip()


def _without_docstrings(source: str) -> str:
    lines = source.splitlines()
    kinds = ast.FunctionDef | ast.ClassDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            first = node.body[0]
            end = first.end_lineno
            while not lines[end].strip():
                end += 1
            del lines[first.lineno - 1 : end]
    return "\n".join(lines)


def attention_map(
    tokens: Sequence[str],
    weights: object,
    queries: Sequence[str] | None = None,
    alt: str = "",
) -> None:
    """Show attention weights to explore: point at a row, click to hold it, or use the arrow keys.

    Args:
        tokens: the keys, one per column.
        weights: (queries, keys) or (heads, queries, keys); each row sums to one, or to zero.
        queries: one token per row; the tokens themselves where not given.
        alt: what the map shows.

    Raises:
        ValueError: ``alt`` is empty, or the weights are not of that shape or not from 0 to 1.
    """
    queries = tokens if queries is None else queries
    weights = weights.detach().cpu() if hasattr(weights, "detach") else weights
    heads = np.asarray(weights, dtype=float)
    heads = heads[None] if heads.ndim == 2 else heads
    if heads.shape[1:] != (len(queries), len(tokens)):
        raise ValueError(
            f"attention_map() expects weights of shape (heads, {len(queries)}, {len(tokens)}) or "
            f"without heads, for {len(queries)} queries and {len(tokens)} keys; "
            f"got {tuple(np.shape(weights))}."
        )
    if not alt.strip():
        raise ValueError("attention_map() got an empty alt text; say what the map shows.")
    if not ((heads >= 0) & (heads <= 1.000001)).all():
        raise ValueError(
            "attention_map() expects weights from 0 to 1, as softmax gives them; "
            f"got {heads.min():g} to {heads.max():g}."
        )
    digits = np.rint(heads * 1000).astype(int)  # thousandths
    keys, rows = [html.escape(token) for token in tokens], ""
    for query, row in zip(queries, digits[0], strict=True):
        cells = "".join(f'<td style="--w:{w / 1000:g}">{w / 1000:.2f}</td>' for w in row)
        rows += f'<tr><th scope="row">{html.escape(query)}</th>{cells}</tr>\n'
    kind = "course-attention course-numbers" if len(keys) < 10 else "course-attention"
    columns = "".join(f'<th scope="col"><span>{key}</span></th>' for key in keys)
    data = json.dumps(digits.tolist() if len(digits) > 1 else [], separators=(",", ":"))
    _show(
        f"<style>{_asset('attention.css')}</style>\n"
        f'<div class="{kind}" style="--max:{digits[0].max() / 1000 or 1:g}" data-heads="{data}">'
        f'<div class="course-scroll">'
        f"<table><caption>{html.escape(alt)}</caption><thead><tr><td></td>{columns}</tr></thead>\n"
        f"<tbody>{rows}</tbody></table></div></div>\n<script>{_asset('attention.js')}</script>",
        text=alt,
    )


def widget(content: str, alt: str, *, assets: Sequence[str] = ()) -> None:
    """Show HTML of a page's own, with styles and scripts from ``book/_static``.

    Args:
        content: HTML; without its scripts it says at least what it would be.
        alt: what it is, for notebooks that show no HTML.
        assets: names of files, ``"board.css"`` or ``"board.js"``.
    """
    styles = "".join(f"<style>{_asset(name)}</style>\n" for name in assets if ".css" in name)
    scripts = "".join(f"\n<script>{_asset(name)}</script>" for name in assets if ".js" in name)
    _show(styles + content + scripts, text=alt)


def convolution_steps(input: object, kernel: object, alt: str = "") -> None:
    """Show a kernel over a picture, to step through: window times kernel gives one output.

    The reader chooses stride, padding and dilation; every number is computed again in the page.
    Without JavaScript the picture, the kernel and the plain result are shown.

    Args:
        input: (rows, columns) of whole numbers.
        kernel: (height, width) of whole numbers; with dilation 2 it must fit into the picture.
        alt: what is to be seen.

    Raises:
        ValueError: ``alt`` is empty, or the numbers are not whole or not two pictures that fit.
    """
    if not alt.strip():
        raise ValueError("convolution_steps() got an empty alt text; say what is to be seen.")
    picture, weights = np.asarray(input, dtype=float), np.asarray(kernel, dtype=float)
    if picture.ndim != 2 or weights.ndim != 2:
        raise ValueError(
            "convolution_steps() expects a picture (rows, columns) and a kernel (height, width), "
            f"got shapes {picture.shape} and {weights.shape}."
        )
    if np.any(2 * np.array(weights.shape) - 1 > picture.shape):
        raise ValueError(
            f"A kernel {weights.shape} with dilation 2 does not fit into a picture {picture.shape}."
        )
    if not (np.all(picture == np.rint(picture)) and np.all(weights == np.rint(weights))):
        raise ValueError("convolution_steps() expects whole numbers, so that sums are exact.")
    windows = np.lib.stride_tricks.sliding_window_view(picture, weights.shape)
    result = np.einsum("ijuv,uv->ij", windows, weights)

    def grid(name: str, values: np.ndarray, on: tuple[int, int]) -> str:
        body = ""
        for i, row in enumerate(values.astype(int)):
            cells = ""
            for j, number in enumerate(row):
                marks = " data-negative" if number < 0 else ""
                marks += " data-on" if i < on[0] and j < on[1] else ""
                text = str(number).replace("-", "−")
                cells += f'<td data-n="{number}" style="--n:{number}"{marks}>{text}</td>'
            body += f"<tr>{cells}</tr>"
        most = int(np.abs(values).max()) or 1
        return (
            f'<div class="course-scroll"><table style="--max:{most}"><caption>{name}</caption>'
            f"<tbody>{body}</tbody></table></div>"
        )

    _show(
        f"<style>{_asset('convolution.css')}</style>\n"
        f'<div class="course-convolution" role="group" aria-label="{html.escape(alt)}">'
        f'<div class="course-tables">{grid("input", picture, weights.shape)}'
        f'<span class="course-sign" aria-hidden="true">⋆</span>{grid("kernel", weights, (0, 0))}'
        f'<span class="course-sign" aria-hidden="true">=</span>{grid("output", result, (1, 1))}'
        f"</div></div>\n<script>{_asset('convolution.js')}</script>",
        text=alt,
    )


def _asset(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _show(content: str, *, text: str, **more: str) -> None:
    bundle = {"text/html": content, "text/plain": text}
    display(bundle | {f"text/{kind}": value for kind, value in more.items()}, raw=True)
