"""A line that gradient descent fits to points, and the way of its two parameters over the loss."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from book.widgets.board import widget

WIDTH, HEIGHT = 330, 290
BOX = (38, 322, 10, 244)  # left, right, top and bottom of the axes
RATES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
PAGE = """<p role="status">{says}</p>
<div class="course-both"><svg class="course-plane" viewBox="0 0 {width} {height}" role="img"
aria-label="{alt}" fill="currentColor">{data}<path class="course-best" d="{best}"/>{points}</svg>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="Contours of the loss
over w and b" fill="currentColor">{loss}</svg></div>"""


def fit_line(
    points: Sequence[tuple[float, float]],
    alt: str,
    *,
    rate: float = 0.1,
    x: tuple[float, float] = (0, 3),
    y: tuple[float, float] = (0, 4),
    w: tuple[float, float] = (-1, 3),
    b: tuple[float, float] = (-1, 3),
) -> None:
    """Show points and the line w x + b, which gradient descent fits to them from w = b = 0.

    The loss is the mean squared error. Points can be dragged; beside them is the way of w and b.

    Args:
        points: two or more, of different x.
        alt: what is to be seen.
        rate: the learning rate at first, one of `RATES`.
        x: the ends of the axis of the points.
        y: the ends of their other axis.
        w: the ends of the axis of the slope.
        b: the ends of the axis of the intercept.

    Raises:
        ValueError: the points do not determine a line, or the rate is none of `RATES`.
    """
    at = np.asarray(points, dtype=float)
    if len(at) < 2 or np.ptp(at[:, 0]) == 0:
        raise ValueError("fit_line() expects two or more points of different x.")
    if rate not in RATES:
        raise ValueError(f"fit_line() expects a learning rate of {RATES}, got {rate}.")
    design = np.stack([at[:, 0], np.ones(len(at))], axis=1)
    slope, start = np.linalg.lstsq(design, at[:, 1], rcond=None)[0]
    least = float(np.mean((design @ [slope, start] - at[:, 1]) ** 2))
    ends = [_place((one, slope * one + start), x, y) for one in x]
    marks = (_place(point, x, y) for point in at.tolist())
    page = PAGE.format(
        says=_says(float(np.mean(at[:, 1] ** 2)), least),
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        data=_axes(x, y, "x", "y"),
        best="M" + "L".join(f"{a:.1f} {up:.1f}" for a, up in ends),
        points="".join(f'<circle cx="{a:.1f}" cy="{up:.1f}" r="5"/>' for a, up in marks),
        loss=_axes(w, b, "w", "b"),
    )
    model = {
        "points": at.tolist(),
        "rates": RATES,
        "rate": rate,
        "data": {"box": BOX, "x": x, "y": y},
        "plane": {"box": BOX, "x": w, "y": b},
    }
    kind = 'role="group" aria-label="Gradient descent fits a line"'
    widget("fit", page, alt, model=model, attributes=kind, parts=("player", "plane"))


def _says(loss: float, least: float) -> str:
    """The sentence at first; `fit.js` writes the same."""
    return (
        f"Step 0: the line is 0.00 x + 0.00. Its loss is {loss:.3f}; "
        f"the smallest possible is {least:.3f}."
    )


def _place(
    point: Sequence[float], x: tuple[float, float], y: tuple[float, float]
) -> tuple[float, float]:
    left, right, top, bottom = BOX
    across = left + (right - left) * (point[0] - x[0]) / (x[1] - x[0])
    return across, bottom - (bottom - top) * (point[1] - y[0]) / (y[1] - y[0])


def _axes(x: tuple[float, float], y: tuple[float, float], below: str, beside: str) -> str:
    """Axes with a mark at each whole number."""
    left, right, top, bottom = BOX
    drawing = f'<path class="course-axes" d="M{left} {top}V{bottom}H{right}"/>'
    for tick in range(int(x[0]), int(x[1]) + 1):
        across, _ = _place((tick, y[0]), x, y)
        drawing += f'<text x="{across:.1f}" y="{bottom + 18}">{tick}</text>'.replace(">-", ">−")
    for tick in range(int(y[0]), int(y[1]) + 1):
        _, up = _place((x[0], tick), x, y)
        number = f'<text x="{left - 14}" y="{up + 5:.1f}">{tick}</text>'.replace(">-", ">−")
        drawing += f'<path class="course-grid" d="M{left} {up:.1f}H{right}"/>{number}'
    middle = (left + right) / 2, (top + bottom) / 2
    drawing += f'<text x="{middle[0]}" y="{HEIGHT - 8}">{below}</text>'
    return drawing + f'<text x="9" y="{middle[1] - 9}">{beside}</text>'
