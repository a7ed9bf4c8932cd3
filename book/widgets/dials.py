"""Rotary positions as dials: a hand for the query and one for the key in every pair of features."""

from __future__ import annotations

import html

import torch
from torch import Tensor

from book.widgets.board import widget
from solutions.transformer import rotary

FACE = 34  # radius of a dial
PAGE = """<p>{alt}</p>
<div class="course-dials-row" aria-hidden="true">{dials}</div>
<svg class="course-chart" viewBox="-6 -68 412 {height:.0f}" role="img" aria-label="{chart}">
<path class="course-axis" d="M0 0H400"/><path class="course-curve" d="{curve}"/>
<circle class="course-here" r="6" cx="{x:.1f}" cy="{y:.1f}"/>
<text x="0" y="{below:.0f}">distance 0</text>
<text x="400" y="{below:.0f}" text-anchor="end">{longest}</text></svg>
<p role="status">{says}</p>"""


def rotary_dials(
    query: Tensor, key: Tensor, alt: str, *, longest: int, at: int, distance: int
) -> None:
    """Show how rotary positions turn each pair of features of a query and of a key.

    The reader moves both along the text, and changes the distance between them.

    Args:
        query: (d_k,) float, d_k even; feature i and feature i + d_k/2 are one dial.
        key: (d_k,) float.
        alt: what is to be seen.
        longest: the last position, and the largest distance.
        at: of the query, to begin with.
        distance: by how much the key is before it.

    Raises:
        ValueError: the shapes differ, or a position is not from 0 to ``longest``.
    """
    if query.shape != key.shape or query.ndim != 1 or not 0 <= distance <= at <= longest:
        raise ValueError(
            f"rotary_dials() expects two vectors and 0 <= distance <= at <= longest, got shapes "
            f"{tuple(query.shape)} and {tuple(key.shape)}, {distance}, {at} and {longest}."
        )
    query, key = query.double(), key.double()
    half = len(query) // 2
    turned = rotary(query.expand(longest + 1, -1)), rotary(key.expand(longest + 1, -1))
    product = (turned[0] @ turned[1].T)[:, 0].tolist()  # by distance
    scale = 60 / max(abs(found) for found in product)
    points = [
        (400 * d / longest, -scale * found) for d, found in enumerate(product)
    ]  # by distance, with up as up
    below = max(0, *(y for _, y in points)) + 20  # of what is told under the curve
    hands = turned[0][at], turned[1][at - distance]
    long = max((vector[:half] ** 2 + vector[half:] ** 2).max().sqrt() for vector in (query, key))
    dials = "".join(
        f'<svg viewBox="-38 -38 76 76"><circle r="{FACE}"/>'
        f"{_hand('key', hands[1][i::half], long)}{_hand('query', hands[0][i::half], long)}</svg>"
        for i in range(half)
    )
    says = (
        f"Query at {at}, key at {at - distance}. Distance {distance}: "
        f"the product is {product[distance]:.2f}."
    ).replace(" -", " −")
    page = PAGE.format(
        alt=html.escape(alt),
        dials=dials,
        chart="product of the query and the key, by their distance",
        curve="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points),
        x=points[distance][0],
        y=points[distance][1],
        below=below,
        height=below + 74,
        longest=longest,
        says=says,
    )
    model = {
        "query": query.tolist(),
        "key": key.tolist(),
        "rates": _rates(half),
        "longest": longest,
        "at": at,
        "distance": distance,
        "scale": scale,
        "long": float(long),
    }
    widget("dials", page, alt, model=model, parts=("player",))


def _rates(half: int) -> list[float]:
    """By how much each pair turns per position: read off `rotary`, which takes no others here."""
    unit = torch.cat([torch.ones(half), torch.zeros(half)]).double().expand(2, -1)
    first, second = rotary(unit)[1].split(half)
    return torch.atan2(second, first).tolist()


def _hand(name: str, pair: Tensor, long: Tensor) -> str:
    """The point of two features as a hand, with up as up."""
    x, y = (round(FACE * part, 1) + 0.0 for part in (pair / long).tolist())
    return f'<line class="course-{name}" x2="{x}" y2="{0.0 - y}"/>'
