"""Gradient descent in a narrow valley: two sliders, learning rate and momentum, and the path."""

from __future__ import annotations

from book.widgets.board import widget

PAGE = """
<svg viewBox="-10.6 -4.4 15.2 8.8" role="img"
 aria-label="A narrow valley seen from above, and the path of gradient descent in it.">
<g fill="none" stroke="currentColor" stroke-opacity=".3" stroke-width=".04"></g>
<path fill="none" stroke="var(--blue)" stroke-width=".09" stroke-linejoin="round"></path>
<g fill="var(--blue)"></g>
<path d="M-.3 0H.3M0-.3V.3" stroke="currentColor" stroke-width=".08"></path>
</svg>
<p class="course-sliders">
<label for="valley-rate">learning rate η</label>
<input id="valley-rate" type="range" min="0.002" max="0.16" step="0.002" value="0.07">
<output></output>
<label for="valley-momentum">momentum μ</label>
<input id="valley-momentum" type="range" min="0" max="0.98" step="0.02" value="0">
<output></output>
</p>
<p role="status"></p>
"""


def valley(alt: str) -> None:
    """Show the path of a ball in ½ (x² + 25 y²), from (−9, 2), for settings the reader chooses.

    Args:
        alt: what is to be seen.
    """
    widget("valley", PAGE, alt)
