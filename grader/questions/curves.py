"""Curves to read, as SVG for the website and for paper: black and white, told apart by letters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM = 330, 190, 46, 34
DASHES = ("", "7 4", "2 3", "10 3 2 3")


def curves(
    lines: Mapping[str, Sequence[float]],
    *,
    x: str,
    y: str,
    alt: str,
    every: int = 1,
    log: bool = False,
    start: int = 0,
) -> str:
    """A figure of curves, each with its letter at its right end.

    Args:
        lines: the values of each curve, at ``start``, ``start + every`` and so on.
        x: name of the horizontal axis.
        y: name of the vertical axis.
        alt: the figure in words, for those who cannot see it.
        every: distance of two values on the horizontal axis.
        log: whether the vertical axis is logarithmic.
        start: where the horizontal axis begins.
    """
    scale = math.log10 if log else float
    values = [scale(value) for line in lines.values() for value in line]
    low, high = min(values), max(values)
    if not log:
        low = min(low, 0.0)
    count = max(map(len, lines.values())) - 1
    right, top = WIDTH - 24, 12

    def across(place: float) -> float:
        return LEFT + (right - LEFT) * place / count

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - top) * (value - low) / ((high - low) or 1)

    parts = [
        f'<svg class="course-curves" role="img" aria-label="{escape(alt, quote=True)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-size="12" fill="currentColor" stroke="none">',
        f'<path d="M{LEFT} {top}V{HEIGHT - BOTTOM}H{right}" fill="none" stroke="currentColor"/>',
    ]
    for value in _log_ticks(low, high) if log else _ticks(low, high):
        said = f"{10**value:.2g}" if log else f"{value:.3g}"
        parts.append(
            f'<path d="M{LEFT - 4} {up(value):.1f}h4" stroke="currentColor"/>'
            f'<text x="{LEFT - 7}" y="{up(value) + 4:.1f}" text-anchor="end">{said}</text>'
        )
    for place in range(0, count + 1, max(1, round(count / 5))):
        parts.append(
            f'<path d="M{across(place):.1f} {HEIGHT - BOTTOM}v4" stroke="currentColor"/>'
            f'<text x="{across(place):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{start + place * every}</text>"
        )
    letters = _apart([[up(scale(value)) for value in line] for line in lines.values()])
    for dash, end, (name, line) in zip(DASHES, letters, lines.items(), strict=False):
        points = " ".join(
            f"{across(place):.1f},{up(scale(value)):.1f}" for place, value in enumerate(line)
        )
        dashed = f' stroke-dasharray="{dash}"' * bool(dash)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="currentColor" '
            f'stroke-width="1.6"{dashed}/>'
            f'<text x="{right + 6}" y="{end + 4:.1f}" font-weight="bold">{escape(name)}</text>'
        )
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 3}" text-anchor="middle">{escape(x)}</text>'
        f'<text x="{-(HEIGHT - BOTTOM) / 2}" y="12" text-anchor="middle" '
        f'transform="rotate(-90)">{escape(y)}</text></svg>'
    )
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers from low to high."""
    if high - low <= 0:
        return [low]
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= next(one for one in (1, 2, 5, 10) if (high - low) / (step * one) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [step * place for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Logarithms of two to six round numbers, from low to high; both ends are logarithms, too."""
    for digits in ((1, 2, 5), (1, 3), (1,)):
        every = [
            power + math.log10(digit)
            for power in range(math.floor(low), math.floor(high) + 1)
            for digit in digits
        ]
        found = [one for one in every if low - 1e-9 <= one <= high + 1e-9]
        if 2 <= len(found) <= 6:
            return found
    return _ticks(low, high)


def _apart(lines: Sequence[Sequence[float]], gap: float = 13.0) -> list[float]:
    """A height for the letter of each curve: near its end, inside of the figure, no two on each
    other, and in the order of the ends (where these meet, in the order before).
    """
    order = sorted(range(len(lines)), key=lambda one: tuple(reversed(lines[one])))
    places = [lines[one][-1] for one in order]
    for one in range(1, len(places)):
        places[one] = max(places[one], places[one - 1] + gap)
    limit = float(HEIGHT - BOTTOM)
    for one in reversed(range(len(places))):
        places[one] = limit = min(places[one], limit)
        limit -= gap
    found = dict(zip(order, places, strict=True))
    return [found[one] for one in range(len(lines))]
