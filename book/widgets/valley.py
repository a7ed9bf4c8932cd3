"""Gradient descent in a narrow valley: its settings, or optimizers that race; a start to drag."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from book.svg import shade
from book.widgets.board import widget

LEFT, RIGHT = -10.6, 4.6  # the frame, in units of the valley
TALL, HEIGHT = 1.6, 2.75  # for a single path: y is drawn so much larger, and ends there
FIELD = 3.6  # for a race: y ends there
START, RATE, MOMENTUM, NEAR = (-9.0, 2.0), 0.07, 0.0, 0.5
RATES = {
    "plain": [0.01, 0.02, 0.03, 0.05, 0.07, 0.075, 0.08, 0.085, 0.09],
    "momentum": [0.003, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.16],
    "RMSProp": [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2],
    "Adam": [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5],
}
PLACES = {"plain": 6, "momentum": 0, "RMSProp": 2, "Adam": 1}  # of their colors

PICTURE = """
<svg viewBox="-10.6 -{top} 15.2 {wide}" role="img" aria-label="{alt}">
<g fill="none" stroke="currentColor" stroke-opacity=".3" stroke-width=".04">{rings}</g>
<g class="course-paths">{paths}</g>
<path d="M-.3 0H.3M0-.3V.3" stroke="currentColor" stroke-width=".08"></path>{finish}
</svg>
"""
SLIDERS = """<p class="course-sliders" hidden>
<label for="valley-rate">learning rate η</label>
<input id="valley-rate" type="range" min="0.002" max="0.16" step="0.002" value="{rate}">
<output>{rate:.3f}</output>
<label for="valley-momentum">momentum μ</label>
<input id="valley-momentum" type="range" min="0" max="0.98" step="0.02" value="{momentum:g}">
<output>{momentum:.2f}</output>
</p>
"""


def valley(alt: str) -> None:
    """Show the path of a ball in ½ (x² + 25 y²) for settings and a start that the reader chooses.

    Args:
        alt: what is to be seen.
    """
    path, arrived = descend(*START, RATE, MOMENTUM)
    says = f"It comes to rest at the minimum after {arrived} steps."
    page = (
        _picture({"var(--blue)": path[:61]}, TALL, alt)
        + SLIDERS.format(rate=RATE, momentum=MOMENTUM)
        + f'<p role="status">{says}</p>'
    )
    _shown(page, alt, {"tall": TALL, "height": HEIGHT, "racers": None})


def race(paths: Mapping[str, Tensor], rates: Mapping[str, float], alt: str) -> None:
    """Show optimizers that start at one place of the valley, each at a rate to choose.

    Args:
        paths: by the names of ``RATES``, (steps + 1, 2) float from ``START``, without the script.
        rates: the learning rate of each.
        alt: what is to be seen.

    Raises:
        ValueError: an optimizer or a rate is not in ``RATES``.
    """
    if any(rates.get(name) not in RATES.get(name, ()) for name in paths):
        raise ValueError(f"race() knows these optimizers and rates: {RATES}.")
    colors = {name: shade(PLACES[name]) for name in paths}
    racers = [
        {
            "name": name,
            "kind": "SGD" if name == "plain" else name,
            "rate": rates[name],
            "rates": RATES[name],
            "color": color,
        }
        for name, color in colors.items()
    ]
    there, away = [], []
    for name, path in paths.items():
        far = path.norm(dim=1)
        near = (far < NEAR).nonzero()
        if len(near):
            there.append(f"{name} after {near[0].item()} steps")
        else:
            away.append(f"{name} {far[-1]:.1f} away")
    says = f"Step {len(far) - 1}."
    says += f" In the circle around the minimum: {', '.join(there)}." * bool(there)
    says += f" Not there: {', '.join(away)}." * bool(away)
    drawn = {colors[name]: path.tolist() for name, path in paths.items()}
    page = _picture(drawn, 1.0, alt, finish=True) + f'<p role="status">{says}</p>'
    _shown(page, alt, {"tall": 1, "height": FIELD, "racers": racers})


def descend(
    x: float, y: float, rate: float, momentum: float, most: int = 300
) -> tuple[list[tuple[float, float]], int | None]:
    """The path from (x, y), and after how many steps it rests within 0.05 of the minimum."""
    path, along, across, since = [(x, y)], 0.0, 0.0, None
    for step in range(1, most + 1):
        along, across = momentum * along + x, momentum * across + 25 * y
        x, y = x - rate * along, y - rate * across
        path.append((x, y))
        near = math.hypot(x, y, along / 25, across / 25) < 0.05
        since = (since or step) if near else None
    return path, since


def _shown(page: str, alt: str, model: object) -> None:
    widget("valley", page, alt, model=model, parts=("player", "engine"))


def _picture(
    paths: Mapping[str, Sequence[Sequence[float]]], tall: float, alt: str, *, finish: bool = False
) -> str:
    """The valley from above, and paths by their colors."""
    rings = "".join(
        f'<ellipse rx="{math.sqrt(2 * level):.3f}" ry="{tall * math.sqrt(2 * level / 25):.3f}"/>'
        for level in (1, 4, 10, 20, 40, 70, 100)
    )
    drawn = ""
    for color, path in paths.items():
        points = [f"{x:.3f} {-tall * y:.3f}" for x, y in path]
        line = f"M{'L'.join(points)}"
        drawn += f'<g style="color:{color}"><path class="course-path" d="{line}"></path></g>'
    top = tall * (FIELD if finish else HEIGHT)
    ring = f'<circle class="course-finish" r="{NEAR}"></circle>' * finish
    return PICTURE.format(
        top=top, wide=2 * top, alt=html.escape(alt), rings=rings, paths=drawn, finish=ring
    )
