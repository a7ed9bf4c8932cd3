"""Figures, code, tables and claims of the pages; `book.widgets` is what readers explore.

Everything follows the site's light and dark theme through CSS variables, and carries the light
values with it, so that it looks right in any notebook too. Outputs are the same bytes each time.
"""

from __future__ import annotations

import ast
import inspect
import math
import os
import re
import textwrap
from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from book.pages import exercises
from book.reference import other_run
from book.svg import COLOR, COLORS, FRAME, MARKER, captioned, inline, svg

__all__ = [
    "COLOR",
    "COLORS",
    "MARKER",
    "figure",
    "picture",
    "power_of_ten",
    "say",
    "shapes",
    "show",
    "signed_key",
    "spread",
    "table",
]


def figure(fig: Figure, alt: str, caption: str = "") -> None:
    """Show a matplotlib figure as an SVG of the page, and close it.

    Black becomes the color of the text around it and the ``COLORS`` follow the theme; any other
    color stays. The color maps ``course`` (the default) and ``course_diverging`` fade into the
    background, so that they can be read on a light and on a dark one.

    Args:
        fig: about 6 inches wide. On a phone it scrolls sideways before its smallest letters are
            smaller than 9 pixels: with letters of 11 points, from 5.6 inches on.
        alt: what the picture shows, for those who do not see it.
        caption: one sentence below it, what to see; the website numbers it. ``$math$`` and
            `` `code` `` are rendered.

    Raises:
        ValueError: ``alt`` is empty.
    """
    if not alt.strip():
        raise ValueError("figure() got an empty alt text; say in words what the picture shows.")
    _show(captioned(svg(fig, alt), caption), text="\n".join(filter(None, [alt, caption])))
    plt.close(fig)


def say(text: str, when: object = True) -> None:
    """Show Markdown that holds the page's own numbers.

    Args:
        text: Markdown; every number in it was computed on this page.
        when: what must be true for the words to hold: a bool, or an array or tensor of one.

    On a text or a device that the page was not written for (see `book/reference.py`), words that do
    not hold are shown as such.

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
    if not when and not (other := other_run()):
        raise AssertionError(f"The page claims this and its own numbers deny it: {text}")
    if not when:
        text = f"**The following does not hold here**: {other}.\n\n{text}"
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
            f'<{tag} style="text-align:{side}">{inline(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(marked)}</tr>"

    def aligned(cells: Sequence[str]) -> str:
        parts = zip(cells, columns, numeric, strict=True)
        return "  ".join(
            cell.rjust(max(map(len, column))) if right else cell.ljust(max(map(len, column)))
            for cell, column, right in parts
        )

    title = f"<caption>{inline(caption)}</caption>" if caption else ""
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


# A number begins with one and says no more than its unit: not "8 steps from each draw".
_NUMBER = re.compile(r"(?!.*[^\W\d_]{3}.*\W[^\W\d_]{3})[-−+<>≤≥≈±$(]*\d|[–—-]?$")


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
    """Draw a small gray picture in a thin frame, ink on paper.

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
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=FRAME)
    axes.set_title(title, fontsize=11, loc="center", fontweight="normal")


def signed_key(axes: Axes, most: float, label: str = "weight", form: str = ".2g") -> None:
    """Put the key of a signed picture at its right: which color is which number.

    Args:
        axes: the picture, or the last one of a row that shares a scale; its color map is
            ``course_diverging`` from ``-most`` to ``most``.
        most: the ends of the scale.
        label: what the numbers are, with their unit.
        form: how to format a number.
    """
    place = axes.inset_axes([1.06, 0.0, 0.07, 1.0])
    scale = np.linspace(-most, most, 65)[:, None]
    options = {"cmap": "course_diverging", "vmin": -most, "vmax": most, "origin": "lower"}
    place.imshow(scale, aspect="auto", extent=(0, 1, -most, most), **options)
    place.set(xticks=[])
    texts = [f"{value:+{form}}".replace("-", "−") for value in (-most, most)]
    place.set_yticks([-most, 0, most], [texts[0], "0", texts[1]])
    place.yaxis.tick_right()
    place.yaxis.set_label_position("right")
    place.set_ylabel(label)
    place.tick_params(length=2)
    place.grid(False)
    place.spines[["top", "right"]].set_visible(True)


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
    exercise, website = top in exercises(slug), bool(os.environ.get("COURSE_EDITION"))
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


def _skeleton(source: str, symbol: Callable | type) -> str:
    from grader.judge.source import blank

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


def _show(content: str, *, text: str, **more: str) -> None:
    bundle = {"text/html": content, "text/plain": text}
    display(bundle | {f"text/{kind}": value for kind, value in more.items()}, raw=True)


def shapes(*named: tuple[str, str, object]) -> None:
    """Say the shapes of tensors, each with its letters: Q: T × d_k = 17 × 7.

    Args:
        *named: name (Markdown), letters in the order of the axes with spaces between them (TeX
            without dollars, or numbers), and the tensor.

    Raises:
        AssertionError: letters and axes do not match, or a letter stands for two sizes.
    """
    sizes: dict[str, int] = {}
    lines, times = [], r" \times "
    for name, letters, tensor in named:
        axes, shape = letters.split(), tuple(tensor.shape)
        for letter, size in zip(axes, shape, strict=False):
            expected = int(letter) if letter.isdigit() else sizes.setdefault(letter, size)
            if len(axes) != len(shape) or expected != size:
                raise AssertionError(f"The page calls {name} {letters}; it has the shape {shape}.")
        numbers = " × ".join(map(str, shape))
        known = all(letter.isdigit() for letter in axes)
        lines.append(f"{name}: {numbers if known else f'${times.join(axes)}$ = {numbers}'}")
    say("Shapes: " + "; ".join(lines) + ".")
