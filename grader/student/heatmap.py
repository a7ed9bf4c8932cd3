"""Expected against got as small heat maps: where the numbers differ, at a glance."""

from __future__ import annotations

import html as escape
import re

import numpy as np
from rich.console import Console, Group
from rich.style import Style
from rich.table import Table
from rich.text import Text

from grader.judge.picture import Picture

NEGATIVE, NEUTRAL, POSITIVE = (221, 90, 34), (240, 240, 236), (61, 115, 230)  # as in the book
STRANGE = (60, 60, 60)  # NaN and ∞
CELL = 11  # pixels
GAP = 3  # columns between two maps
STEPS = 7  # colors in the legend


def panels(drawn: Picture) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Title, numbers and colors of each heat map; one scale for expected and got."""
    scale, most = _scales(drawn)
    errors = _errors(drawn)
    return [
        ("expected", drawn.expected, _colors(drawn.expected / scale)),
        ("got", drawn.got, _colors(drawn.got / scale)),
        ("got − expected", errors, _colors(errors / most)),
    ]


def terminal(drawn: Picture, width: int = 80) -> Group:
    """The heat maps side by side, and what their colors mean.

    Args:
        drawn: what to show.
        width: columns that there are; a number takes two of them, or one where that is too much.
    """
    table = Table.grid(padding=(0, GAP))
    maps = []
    cell = 2 if 3 * 2 * drawn.expected.shape[1] + 2 * GAP <= width else 1
    for title, numbers, colors in panels(drawn):
        text = Text().append(title, "dim")
        for row, shades in zip(numbers, colors, strict=True):
            text.append("\n")
            for number, shade in zip(row, shades, strict=True):
                text.append((" " if np.isfinite(number) else "?").ljust(cell), _style(shade))
        maps.append(text)
    table.add_row(*maps)
    scale, most = _scales(drawn)
    legend = Text(f"−{scale:.3g} ", "dim")
    for shade in _colors(np.linspace(-1, 1, STEPS)):
        legend.append(" ", _style(shade))
    legend.append(f" +{scale:.3g}; in the third map ±{most:.3g}", "dim")
    part = _part(drawn.where)
    return Group(*([Text(part, "dim")] if part else []), table, legend)


def html(drawn: Picture) -> str:
    """The same as inline SVG; each square tells its number when pointed at."""
    maps = []
    for title, numbers, colors in panels(drawn):
        rows, columns = numbers.shape
        squares = "".join(
            f'<rect x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}" '
            f'fill="{_rgb(colors[row, column])}">'
            f"<title>[{row}, {column}]: {numbers[row, column]:.6g}</title></rect>"
            for row in range(rows)
            for column in range(columns)
        )
        maps.append(
            '<figure style="margin:0 1.5em .3em 0">'
            f'<svg width="{columns * CELL}" height="{rows * CELL}" role="img" '
            f'aria-label="{title}: {rows} by {columns} numbers as colors">{squares}</svg>'
            f'<figcaption style="opacity:.75">{title}</figcaption></figure>'
        )
    scale, most = _scales(drawn)
    ends = ",".join(_rgb(shade) for shade in _colors(np.array([-1.0, 0.0, 1.0])))
    bar = f"display:inline-block;width:5em;height:.8em;background:linear-gradient(90deg,{ends})"
    return (
        '<div style="margin-left:2.5em">'
        f'<code style="opacity:.75">{escape.escape(_part(drawn.where))}</code>'
        f'<div style="display:flex;flex-wrap:wrap">{"".join(maps)}</div>'
        f'<span style="opacity:.75">−{scale:.3g}</span> <span style="{bar}"></span> '
        f'<span style="opacity:.75">+{scale:.3g}; in the third map ±{most:.3g}</span></div>'
    )


def colorful(console: Console) -> bool:
    """Can this terminal show a heat map? Without colors it would be blanks."""
    return console.is_terminal and console.color_system not in (None, "standard")


def _scales(drawn: Picture) -> tuple[float, float]:
    """Numbers that the full colors stand for: in expected and got, and in their difference."""
    scale = _largest(drawn.expected) or _largest(drawn.got) or 1.0
    return scale, _largest(_errors(drawn)) or 1.0


def _errors(drawn: Picture) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.where(drawn.wrong, drawn.got - drawn.expected, 0.0)


def _part(where: str) -> str:
    """Which part of a value is shown, as an index; its name is told above the picture."""
    found = re.search(r"\[[\d, ]*:[\d, :]*\]$", where)
    return found[0] if found else ""


def _largest(numbers: np.ndarray) -> float:
    return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))


def _colors(numbers: np.ndarray) -> np.ndarray:
    """Numbers in [−1, 1] to (..., 3) colors, orange below zero and blue above."""
    share = np.clip(np.abs(np.nan_to_num(numbers)), 0, 1)[..., None]
    end = np.where(numbers[..., None] < 0, NEGATIVE, POSITIVE)
    mixed = np.rint(np.array(NEUTRAL) * (1 - share) + end * share).astype(int)
    return np.where(np.isfinite(numbers)[..., None], mixed, STRANGE)


def _style(shade: np.ndarray) -> Style:
    return Style(bgcolor="#{:02x}{:02x}{:02x}".format(*shade), color="white")


def _rgb(shade: np.ndarray) -> str:
    return f"rgb({','.join(map(str, shade))})"
