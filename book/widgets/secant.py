"""A point to drag along a curve, and lines through two points that turn into the tangent."""

from __future__ import annotations

import html
from collections.abc import Sequence

from book.widgets.board import widget
from book.widgets.sketch import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, frame, place

PAGE = """<p role="status">{says}</p>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"
fill="currentColor">{axes}<path class="course-curve" d="{curve}"/>
<path class="course-tangent" d="{tangent}"/></svg>"""


def secant(
    coefficients: Sequence[float],
    at: float,
    alt: str,
    *,
    x: tuple[float, float],
    y: tuple[float, float],
    central: bool = False,
) -> None:
    """Show the curve of a polynomial with its tangent, and lines through it that halve their step.

    Args:
        coefficients: the constant first.
        at: where the point is at first.
        alt: what is to be seen.
        x: the ends of the axis.
        y: the ends of the other axis; what lies beyond them is not drawn.
        central: whether the central quotient is shown as well, and how far both are off.

    Raises:
        ValueError: the point is not on the axis.
    """
    if not x[0] <= at <= x[1]:
        raise ValueError(f"secant() expects a point from {x[0]} to {x[1]}, got {at}.")
    slopes = [k * c for k, c in enumerate(coefficients)][1:]
    value, slope = _value(coefficients, at), _value(slopes, at)
    grid = [x[0] + (x[1] - x[0]) * k / 120 for k in range(121)]
    curve = [(one, _value(coefficients, one)) for one in grid]
    tangent = [(one, value + slope * (one - at)) for one in (at - 0.5, at + 0.5)]
    page = PAGE.format(
        says=_says(coefficients, at, slope, central),
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        axes=frame(x, y, "x", "f(x)"),
        curve=_line([point for point in curve if y[0] <= point[1] <= y[1]], x, y),
        tangent=_line(tangent, x, y),
    )
    model = {
        "coefficients": list(coefficients),
        "at": at,
        "axes": {"box": [LEFT, RIGHT, TOP, BOTTOM], "x": x, "y": y},
        "central": central,
    }
    label = 'role="group" aria-label="A difference quotient"'
    widget("secant", page, alt, model=model, attributes=label, parts=("player", "plane"))


def _value(coefficients: Sequence[float], x: float) -> float:
    return sum(c * x**power for power, c in enumerate(coefficients))


def _line(
    points: Sequence[tuple[float, float]], x: tuple[float, float], y: tuple[float, float]
) -> str:
    places = (place(point, x, y) for point in points)
    return "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up in places)


def _says(coefficients: Sequence[float], x: float, slope: float, central: bool) -> str:
    """The sentence at the first step, where h is 1."""
    before, here, after = (_value(coefficients, x + by) for by in (-1, 0, 1))
    one, both = after - here, (after - before) / 2
    said = f"At x = {_number(x, 2)} the derivative is {_number(slope)}. With h = 1"
    if not central:
        return f"{said} the difference quotient is {_number(one)}."
    return (
        f"{said} the one-sided quotient is {_number(one)}, off by {abs(one - slope):.4f}; "
        f"the central one is {_number(both)}, off by {abs(both - slope):.4f}."
    )


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("-", "−")
