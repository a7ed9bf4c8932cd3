"""Expected against got as small heat maps: where the numbers differ, at a glance.

For public cases alone, whose expected numbers the student holds anyway.
"""

from __future__ import annotations

import html as escape
from dataclasses import dataclass

import numpy as np
from rich.console import Console, Group
from rich.style import Style
from rich.table import Table
from rich.text import Text

from grader.compare import wrong

LARGEST = 16  # rows and columns that are shown; of more, those around the first difference
COLD, NEUTRAL, HOT = (33, 102, 172), (240, 240, 236), (202, 80, 32)
STRANGE = (60, 60, 60)  # NaN and ∞
CELL = 11  # pixels


@dataclass(frozen=True, eq=False)
class Picture:
    """One matrix of a result, as it should be and as it is.

    Attributes:
        where: what it is cut from: ``output[2, :, :]``.
        expected: (rows, columns) float.
        got: the same.
        wrong: (rows, columns) bool, True where the two do not agree.
    """

    where: str
    expected: np.ndarray
    got: np.ndarray
    wrong: np.ndarray

    def panels(self) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """Title, numbers and colors of each heat map; one scale for expected and got."""
        with np.errstate(invalid="ignore"):
            error = np.where(self.wrong, np.abs(self.got - self.expected), 0.0)
        scale = _largest(self.expected) or _largest(self.got) or 1.0
        return [
            ("expected", self.expected, _colors(self.expected / scale)),
            ("got", self.got, _colors(self.got / scale)),
            ("error", error, _colors(error / (_largest(error) or 1.0))),
        ]


def picture(where: str, want: object, got: object, tolerance: float) -> Picture | None:
    """Cut out the matrix that holds the first difference.

    Args:
        where: name of the value.
        want: expected; float, any number of axes.
        got: of the same shape.
        tolerance: relative.

    Returns:
        The picture; None where there is nothing to draw: no arrays, another shape, a single
        number, no difference, nothing finite.
    """
    for array in (want, got):
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.size < 2:
            return None
    if want.shape != got.shape:
        return None
    bad = wrong(want, got, tolerance)
    if not bad.any() or not np.isfinite(got).any():
        return None
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    lead = first[:-2]
    cut = [slice(_start(at, size), None) for at, size in zip(first, want.shape, strict=True)][-2:]
    cut = [slice(part.start, part.start + LARGEST) for part in cut]
    parts = [np.atleast_2d(array[lead][tuple(cut)]) for array in (want, got, bad)]
    inside = [*map(str, lead), *(_span(p, n) for p, n in zip(cut, want.shape[-2:], strict=True))]
    whole = set(inside) == {":"}
    return Picture(where if whole else f"{where}[{', '.join(inside)}]", *parts)


def terminal(drawn: Picture) -> Group:
    """The heat maps side by side, two characters per number."""
    table = Table.grid(padding=(0, 3))
    maps = []
    for title, numbers, colors in drawn.panels():
        text = Text().append(title, "dim")
        for row, shades in zip(numbers, colors, strict=True):
            text.append("\n")
            for number, shade in zip(row, shades, strict=True):
                style = Style(bgcolor="#{:02x}{:02x}{:02x}".format(*shade), color="white")
                text.append("  " if np.isfinite(number) else "? ", style)
        maps.append(text)
    table.add_row(*maps)
    return Group(*([Text(drawn.where, "dim")] if drawn.where != "output" else []), table)


def html(drawn: Picture) -> str:
    """The same as inline SVG; each square tells its number when pointed at."""
    maps = []
    for title, numbers, colors in drawn.panels():
        rows, columns = numbers.shape
        squares = "".join(
            f'<rect x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}" '
            f'fill="rgb({",".join(map(str, colors[row, column]))})">'
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
    where = f"<code>{escape.escape(drawn.where)}</code>" if drawn.where != "output" else ""
    return (
        f'<div style="margin-left:2.5em;opacity:.75">{where}</div>'
        f'<div style="margin-left:2.5em;display:flex;flex-wrap:wrap">{"".join(maps)}</div>'
    )


def colorful(console: Console) -> bool:
    """Can this terminal show a heat map? Without colors it would be blanks."""
    return console.is_terminal and console.color_system not in (None, "standard")


def _start(at: int, size: int) -> int:
    """First index shown along an axis, so that ``at`` is inside."""
    return 0 if size <= LARGEST else min(max(0, at - LARGEST // 2), size - LARGEST)


def _span(part: slice, size: int) -> str:
    return ":" if size <= LARGEST else f"{part.start}:{part.stop}"


def _largest(numbers: np.ndarray) -> float:
    return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))


def _colors(numbers: np.ndarray) -> np.ndarray:
    """Numbers in [−1, 1] to (..., 3) colors, blue below zero and orange above."""
    share = np.clip(np.abs(np.nan_to_num(numbers)), 0, 1)[..., None]
    end = np.where(numbers[..., None] < 0, COLD, HOT)
    mixed = np.rint(np.array(NEUTRAL) * (1 - share) + end * share).astype(int)
    return np.where(np.isfinite(numbers)[..., None], mixed, STRANGE)
