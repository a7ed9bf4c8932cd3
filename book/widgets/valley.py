"""Gradient descent in a narrow valley: learning rate, momentum, a start to drag, and the path."""

from __future__ import annotations

import math

from book.widgets.board import widget

LEFT, RIGHT, HEIGHT = -10.6, 4.6, 2.75  # the frame, in units of the valley
TALL = 1.6  # y is drawn so much larger
START, RATE, MOMENTUM = (-9.0, 2.0), 0.07, 0.0

PAGE = """
<svg viewBox="-10.6 -4.4 15.2 8.8" role="img"
 aria-label="A narrow valley seen from above, and the path of gradient descent in it.">
<g fill="none" stroke="currentColor" stroke-opacity=".3" stroke-width=".04">{rings}</g>
<path class="course-path" d="{path}"></path>
<g fill="var(--blue)">{dots}</g>
<path d="M-.3 0H.3M0-.3V.3" stroke="currentColor" stroke-width=".08"></path>
</svg>
<p class="course-sliders" hidden>
<label for="valley-rate">learning rate η</label>
<input id="valley-rate" type="range" min="0.002" max="0.16" step="0.002" value="{rate}">
<output>{rate:.3f}</output>
<label for="valley-momentum">momentum μ</label>
<input id="valley-momentum" type="range" min="0" max="0.98" step="0.02" value="{momentum:g}">
<output>{momentum:.2f}</output>
</p>
<p role="status">{says}</p>
"""


def valley(alt: str) -> None:
    """Show the path of a ball in ½ (x² + 25 y²) for settings and a start that the reader chooses.

    Args:
        alt: what is to be seen.
    """
    path, arrived = descend(*START, RATE, MOMENTUM)
    shown = [(x, -TALL * y) for x, y in path[:61]]
    rings = "".join(
        f'<ellipse rx="{math.sqrt(2 * level):.3f}" ry="{TALL * math.sqrt(2 * level / 25):.3f}"/>'
        for level in (1, 4, 10, 20, 40, 70, 100)
    )
    dots = "".join(f'<circle cx="{x:.3f}" cy="{y:.3f}" r="0.11"/>' for x, y in shown)
    line = "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in shown)
    says = f"It comes to rest at the minimum after {arrived} steps."
    options = {"rings": rings, "path": line, "dots": dots, "says": says}
    widget("valley", PAGE.format(rate=RATE, momentum=MOMENTUM, **options), alt)


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
