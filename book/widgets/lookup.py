"""A query to drag among vectors in a plane, their weights, and the weighted mean of them."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np

from book.widgets.board import widget

WIDTH, HEIGHT, UNIT = 440, 360, 80  # of the drawing, and pixels of a length of 1
REACH = 2.2  # the longest vector
SCORES = ("dot", "cosine", "distance")
PAGE = """<p role="status">{says}</p>
<div class="course-both"><svg class="course-plane" viewBox="0 0 {width} {height}" role="img"
aria-label="{alt}" fill="currentColor"><path class="course-axes" d="M0 {y}H{width}M{x} 0V{height}"/>
<g class="course-drawn">{drawn}</g></svg><div class="course-bars">{bars}</div></div>"""


def lookup_plane(
    vectors: Sequence[tuple[float, float]],
    query: tuple[float, float],
    alt: str,
    *,
    names: tuple[str, str, str] = ("h", "x", "c"),
    scores: Sequence[str] = ("dot",),
    temperature: bool = False,
) -> None:
    """Show vectors in a plane, how much weight a query gives to each, and their weighted mean.

    The weights are the softmax of the scores. All vectors can be dragged, and the query turns.

    Args:
        vectors: keys, which are their own values; from 0.1 to `REACH` long, as is the query.
        query: the vector that is compared with them.
        alt: what is to be seen.
        names: of the query, of the vectors (numbered from 1) and of the weighted mean.
        scores: those of `SCORES` to choose from; the first is shown.
        temperature: whether there is a slider for it; else it is 1.

    Raises:
        ValueError: a score is unknown, or a vector is too short or too long.
    """
    if not scores or set(scores) - set(SCORES):
        raise ValueError(f"lookup_plane() knows the scores {SCORES}, got {tuple(scores)}.")
    if not all(0.1 <= math.hypot(*one) <= REACH for one in (*vectors, query)):
        raise ValueError(f"lookup_plane() expects vectors of a length from 0.1 to {REACH}.")
    keys, asked = np.asarray(vectors, dtype=float), np.asarray(query, dtype=float)
    weights = _weights(keys, asked, scores[0])
    mean = weights @ keys
    label = [f"{names[1]}{str(place + 1).translate(SUBSCRIPTS)}" for place in range(len(keys))]
    page = PAGE.format(
        says=html.escape(_says(keys, asked, weights, mean, (names[0], label, names[2]))),
        width=WIDTH,
        height=HEIGHT,
        x=WIDTH // 2,
        y=HEIGHT // 2,
        alt=html.escape(alt),
        drawn="".join(_arrow(*one) for one in zip(label, keys, weights, strict=True))
        + _arrow(names[0], asked, 0.2, "query")
        + _arrow(names[2], mean, 0.2, "mean"),
        bars="".join(_bar(*one) for one in zip(label, weights, strict=True)),
    )
    model = {
        "names": [names[0], label, names[2]],
        "vectors": keys.tolist(),
        "query": asked.tolist(),
        "scores": list(scores),
        "temperature": temperature,
        "axes": {
            "box": [0, WIDTH, 0, HEIGHT],
            "x": [-WIDTH / UNIT / 2, WIDTH / UNIT / 2],
            "y": [-HEIGHT / UNIT / 2, HEIGHT / UNIT / 2],
        },
        "reach": REACH,
    }
    kind = 'role="group" aria-label="A query among vectors"'
    widget("lookup", page, alt, model=model, attributes=kind, parts=("player", "plane"))


SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _weights(keys: np.ndarray, query: np.ndarray, score: str) -> np.ndarray:
    """Softmax of the scores."""
    found = keys @ query
    if score == "cosine":
        found = found / np.linalg.norm(keys, axis=1) / np.linalg.norm(query)
    if score == "distance":
        found = -((keys - query) ** 2).sum(axis=1) / 2
    powers = np.exp(found - found.max())
    return powers / powers.sum()


def _says(
    keys: np.ndarray,
    query: np.ndarray,
    weights: np.ndarray,
    mean: np.ndarray,
    names: tuple[str, list[str], str],
) -> str:
    """The sentence at first; `lookup.js` writes the same."""
    asked, label, made = names
    most = int(weights.argmax())
    closest = int((keys @ query / np.linalg.norm(keys, axis=1)).argmax())
    at = ", ".join(f"{part:.2f}" for part in mean).replace("-", "−")
    said = f"{label[most]} has the largest weight, {weights[most]:.2f}. {made} is ({at})."
    if closest != most:
        said += f" In direction {label[closest]} is closer to {asked}."
    return said


def _bar(name: str, weight: float) -> str:
    return (
        f'<div class="course-bar"><b>{html.escape(name)}</b><span><i style="--share:{weight:.4f}">'
        f"</i></span><span>{weight:.2f}</span></div>"
    )


def _arrow(name: str, end: np.ndarray, weight: float, kind: str = "key") -> str:
    """A line from the origin with a dot and a name at its end."""
    x, y = WIDTH / 2 + UNIT * end[0], HEIGHT / 2 - UNIT * end[1]
    out = 16 / math.hypot(*end)
    across, up = x + out * end[0], y - out * end[1] + 5
    return (
        f'<g class="course-{kind}"><path d="M{WIDTH // 2} {HEIGHT // 2}L{x:.1f} {y:.1f}" '
        f'stroke-width="{1 + 7 * weight:.1f}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="6"/>'
        f'<text x="{across:.1f}" y="{up:.1f}">{html.escape(name)}</text></g>'
    )
