"""Bayes' rule as areas of a square, whose edges the reader drags."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

SIDE, TOP = 240, 10  # of the square, and above it
BAR, WIDE = 330, 60  # where the bar of the posterior begins, and its width

PAGE = """<p role="status">{says}</p>
<svg class="course-plane" viewBox="0 0 400 285" role="img" aria-label="{alt}" fill="currentColor">
<rect x="10" y="{top}" width="{side}" height="{side}" class="course-edge"/>
<rect class="course-cause" {first}/><rect class="course-other" {second}/>
<rect class="course-cause" {third}/><rect class="course-other" {fourth}/>
<path class="course-edge" d="M{divider} {top}v{side}"/>
<text x="10" y="{below}">{cause}</text>
<text x="{right}" y="{below}" text-anchor="end">{other}</text>
<text x="{bar}" y="{below}" text-anchor="middle">posterior</text></svg>"""


def bayes_square(
    causes: Sequence[str],
    results: Sequence[str],
    prior: float,
    likelihood: Tensor,
    alt: str,
) -> None:
    """Show prior and likelihoods as the sides of rectangles, and the posterior as their shares.

    Args:
        causes: two, of which the first is asked for.
        results: two, of which the first has been observed at first.
        prior: of the first cause.
        likelihood: (2,) float, the probability of the first result under each cause.
        alt: what is to be seen.

    Raises:
        ValueError: a probability is not between 0 and 1.
    """
    chances = [prior, *likelihood.tolist()]
    if not all(0 < chance < 1 for chance in chances):
        raise ValueError(f"bayes_square() expects probabilities between 0 and 1, got {chances}.")
    joint = [prior * chances[1], (1 - prior) * chances[2]]
    after = joint[0] / sum(joint)
    x = 10 + SIDE * prior
    parts = [
        _box(10, SIDE * prior, SIDE * chances[1], SIDE),
        _box(x, SIDE * (1 - prior), SIDE * chances[2], SIDE),
        _box(BAR, WIDE, SIDE * after, SIDE),
        _box(BAR, WIDE, SIDE * (1 - after), SIDE * (1 - after)),
    ]
    page = PAGE.format(
        says=html.escape(_says(causes, results, joint, prior)),
        alt=html.escape(alt),
        top=TOP,
        side=SIDE,
        divider=f"{x:.2f}",
        right=10 + SIDE,
        bar=BAR + WIDE // 2,
        below=TOP + SIDE + 22,
        cause=html.escape(causes[0]),
        other=html.escape(causes[1]),
        **dict(zip(("first", "second", "third", "fourth"), parts, strict=True)),
    )
    model = {
        "causes": list(causes),
        "results": list(results),
        "chances": [round(chance, 6) for chance in chances],
        "box": [10, TOP, SIDE, BAR, WIDE],
    }
    label = 'role="group" aria-label="Prior, likelihoods and posterior"'
    widget("bayes", page, alt, model=model, attributes=label, parts=("plane",))


def _box(x: float, width: float, height: float, bottom: float) -> str:
    """A rectangle that stands so far below the top of the square."""
    return f'x="{x:.2f}" y="{TOP + bottom - height:.2f}" width="{width:.2f}" height="{height:.2f}"'


def percent(share: float) -> str:
    """A share in percent, with a digit more where it is small."""
    value = 100 * share
    return f"{value:.1f}%" if value >= 1 else f"{value:.2g}%"


def _says(
    causes: Sequence[str], results: Sequence[str], joint: Sequence[float], prior: float
) -> str:
    one, other = (percent(part) for part in joint)
    return (
        f"Of all people, {one} are {causes[0]} and {results[0]}, {other} are {causes[1]} and "
        f"{results[0]}. So of those who are {results[0]}, {percent(joint[0] / sum(joint))} are "
        f"{causes[0]}; before the test it was {percent(prior)}."
    )
