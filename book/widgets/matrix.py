"""A 2 × 2 matrix as a map of the plane: it moves a grid, its columns and a vector."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

from book.widgets.board import widget

WIDTH, HEIGHT, UNIT = 440, 340, 48  # of the drawing, and pixels of a length of 1
REACH, LINES = 3.0, 3  # the largest coordinate that can be set; grid lines on either side of 0
TIMES = 8  # how often the matrix can be applied
PAGE = """<p role="status">{says}</p>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"
fill="currentColor"><path class="course-axes" d="M0 {y}H{width}M{x} 0V{height}"/>
<path class="course-lines" d="{lines}"/><path class="course-way" d=""/>{arrows}</svg>"""


def matrix_map(
    matrices: Mapping[str, Sequence[Sequence[float]]], vector: Sequence[float], alt: str
) -> None:
    """Show how a matrix moves a grid and a vector, once or again and again.

    The reader chooses a matrix, drags its columns and the vector, and applies the matrix.

    Args:
        matrices: by name, (2, 2); the first is shown.
        vector: (2,), with coordinates of at most `REACH`.
        alt: what is to be seen.

    Raises:
        ValueError: there is no matrix, one is not 2 × 2, or a coordinate is too large.
    """
    tables = {name: np.asarray(one, dtype=float) for name, one in matrices.items()}
    x = np.asarray(vector, dtype=float)
    if not tables or any(one.shape != (2, 2) for one in tables.values()) or x.shape != (2,):
        raise ValueError("matrix_map() expects matrices of 2 × 2 and a vector of two numbers.")
    if max(abs(part).max() for part in (x, *tables.values())) > REACH:
        raise ValueError(f"matrix_map() shows coordinates of at most {REACH}.")
    matrix = next(iter(tables.values()))
    page = PAGE.format(
        says=html.escape(_says(matrix, x)),
        width=WIDTH,
        height=HEIGHT,
        x=WIDTH // 2,
        y=HEIGHT // 2,
        alt=html.escape(alt),
        lines=_lines(matrix),
        arrows=_arrow("first", "W₁", matrix[:, 0])
        + _arrow("second", "W₂", matrix[:, 1])
        + _arrow("before", "x", x)
        + _arrow("after", "W x", matrix @ x),
    )
    model = {
        "matrices": {name: one.tolist() for name, one in tables.items()},
        "vector": x.tolist(),
        "reach": REACH,
        "lines": LINES,
        "times": TIMES,
        "axes": {
            "box": [0, WIDTH, 0, HEIGHT],
            "x": [-WIDTH / UNIT / 2, WIDTH / UNIT / 2],
            "y": [-HEIGHT / UNIT / 2, HEIGHT / UNIT / 2],
        },
    }
    kind = 'role="group" aria-label="A matrix moves the plane"'
    widget("matrix", page, alt, model=model, attributes=kind, parts=("player", "plane"))


def _says(matrix: np.ndarray, x: np.ndarray) -> str:
    """The sentence at first; `matrix.js` writes the same."""
    (a, b), (c, d) = matrix
    top, low = matrix @ x
    said = (
        f"Row 1: {a:.1f} · {_signed(x[0])} + {_signed(b)} · {_signed(x[1])} = {top:.2f}. "
        f"Row 2: {c:.1f} · {_signed(x[0])} + {_signed(d)} · {_signed(x[1])} = {low:.2f}."
    )
    return said.replace("-", "−")


def _signed(number: float) -> str:
    return f"({number:.1f})" if number < 0 else f"{number:.1f}"


def _place(point: Sequence[float] | np.ndarray) -> tuple[float, float]:
    return WIDTH / 2 + UNIT * point[0], HEIGHT / 2 - UNIT * point[1]


def _lines(matrix: np.ndarray) -> str:
    """Where the lines of the grid come to lie."""
    drawing = ""
    for k in range(-LINES, LINES + 1):
        for ends in ([(k, -LINES), (k, LINES)], [(-LINES, k), (LINES, k)]):
            (x0, y0), (x1, y1) = (_place(matrix @ end) for end in ends)
            drawing += f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
    return drawing


def _arrow(kind: str, name: str, end: np.ndarray) -> str:
    """A line from the origin with a dot and a name at its end."""
    x, y = _place(end)
    far = float(np.hypot(*end)) or 1.0
    return (
        f'<g class="course-{kind}"><path d="M{WIDTH // 2} {HEIGHT // 2}L{x:.1f} {y:.1f}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6"/><text x="{x + 17 * end[0] / far:.1f}" '
        f'y="{y - 17 * end[1] / far + 5:.1f}">{name}</text></g>'
    )
