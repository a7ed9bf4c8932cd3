"""A curve to draw before the true one is laid over it; without the script the true one stands."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np

from book.widgets.board import widget

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 548, 12, 252  # of the axes
POINTS = 13  # that the reader moves


def sketch(
    x: Sequence[float],
    y: Sequence[float],
    alt: str,
    *,
    xlabel: str,
    ylabel: str,
    low: float | None = None,
    high: float | None = None,
    log_x: bool = False,
) -> None:
    """Show empty axes on which the reader draws a curve, and lay the true one over it on demand.

    Put it between a question ("Before you run it: ...") and the figure that answers it.

    Args:
        x: increasing; numbers or a tensor.
        y: the true curve, as long as ``x``.
        alt: what the true curve does.
        xlabel: with its unit.
        ylabel: the same.
        low: where the axis of y begins; by default at 0, or where the curve is lowest.
        high: where it ends; by default a little above the curve.
        log_x: whether x is spaced by its logarithm.

    Raises:
        ValueError: ``alt`` is empty; there are not two points or more, x increasing and y finite;
            or, with ``log_x``, x is not positive.
    """
    at, curve = (np.asarray([float(value) for value in values]) for values in (x, y))
    if not alt.strip():
        raise ValueError("sketch() got an empty alt text; say what the true curve does.")
    if len(at) != len(curve) or len(at) < 2 or (np.diff(at) <= 0).any() or (log_x and at[0] <= 0):
        raise ValueError(
            "sketch() expects as many x as y, two or more, x increasing (and positive with log_x); "
            f"got {len(at)} and {len(curve)} from {at[:1]} on."
        )
    if not np.isfinite(curve).all():
        raise ValueError("sketch() expects a finite curve; say what becomes of the other points.")
    spread = curve.max() - curve.min() or 1.0
    low = min(0.0, float(curve.min())) if low is None else low
    high = float(curve.max()) + 0.1 * spread if high is None else high
    where = np.log10(at) if log_x else at
    across = LEFT + (RIGHT - LEFT) * (where - where[0]) / (where[-1] - where[0])
    up = BOTTOM - (BOTTOM - TOP) * (np.clip(curve, low, high) - low) / (high - low)
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(across, up, strict=True))
    places = np.linspace(where[0], where[-1], POINTS)
    model = {
        "x": [float(f"{10**place if log_x else place:.3g}") for place in places],
        "truth": [round(v, 5) for v in np.interp(places, where, curve)],
        "range": [low, high],
        "box": [LEFT, RIGHT, TOP, BOTTOM],
        "names": [xlabel, ylabel],
    }
    drawing = frame((where[0], where[-1]), (low, high), xlabel, ylabel, log_x=log_x)
    drawing += (
        f'<path class="course-truth" d="{path}" fill="none" stroke="var(--blue)" '
        'stroke-width="2.2" stroke-linejoin="round"/>'
    )
    widget(
        "sketch",
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(alt)}" '
        f'fill="currentColor">{drawing}</svg>',
        alt,
        model=model,
        attributes='role="group" aria-label="A curve to draw"',
    )


def frame(
    x: tuple[float, float],
    y: tuple[float, float],
    xlabel: str,
    ylabel: str,
    *,
    log_x: bool = False,
) -> str:
    """SVG of empty axes with their labels, for a drawing of `WIDTH` by `HEIGHT`.

    Args:
        x: its ends; of its decimal logarithm, with ``log_x``.
        y: its ends.
        xlabel: below the axis.
        ylabel: beside it.
        log_x: whether the numbers below are powers of ten.
    """
    (left, right), (low, high) = x, y
    drawing = _text((LEFT + RIGHT) / 2, HEIGHT - 6, xlabel)
    drawing += (
        f'<g transform="translate(14 {(TOP + BOTTOM) / 2}) rotate(-90)">{_text(0, 0, ylabel)}</g>'
    )
    drawing += (
        f'<path d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}" fill="none" stroke="currentColor" '
        'stroke-opacity=".6"/>'
    )
    for tick in _ticks(low, high):
        up = BOTTOM - (BOTTOM - TOP) * (tick - low) / (high - low)
        drawing += (
            f'<path d="M{LEFT} {up:.1f}H{RIGHT}" stroke="currentColor" stroke-opacity=".13"/>'
        )
        drawing += _text(LEFT - 7, up + 4, f"{tick:g}", "end")
    marks = range(math.ceil(left - 1e-9), math.floor(right + 1e-9) + 1) if log_x else []
    for tick in marks if len(marks) > 1 else _ticks(left, right):
        across = LEFT + (RIGHT - LEFT) * (tick - left) / (right - left)
        drawing += f'<path d="M{across:.1f} {BOTTOM}v4" stroke="currentColor" stroke-opacity=".6"/>'
        drawing += _text(across, BOTTOM + 19, f"{10**tick:.3g}" if log_x else f"{tick:g}")
    return drawing


def place(
    point: tuple[float, float], x: tuple[float, float], y: tuple[float, float]
) -> tuple[float, float]:
    """Where a point lies in a drawing whose axes have these ends; `onAxes` in a script."""
    across = LEFT + (RIGHT - LEFT) * (point[0] - x[0]) / (x[1] - x[0])
    return across, BOTTOM - (BOTTOM - TOP) * (point[1] - y[0]) / (y[1] - y[0])


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers from low to high."""
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{k * step:.10g}") for k in range(first, last + 1)]


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    words = html.escape(words.replace("-", "−"))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="13">{words}</text>'
