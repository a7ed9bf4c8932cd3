"""Two spirals, and a network that the reader trains on them."""

from __future__ import annotations

import base64
import html
import io

import numpy as np
from matplotlib.image import imsave
from torch import Tensor

from book.svg import COLORS, shade
from book.widgets.board import widget

SIDE = 320  # of the picture, in pixels


def train_spirals(
    points: tuple[Tensor, Tensor],
    fresh: tuple[Tensor, Tensor],
    chances: Tensor,
    told: str,
    alt: str,
    *,
    most: float,
) -> None:
    """Show points of two classes, and a network of the reader's choice that trains on them.

    Args:
        points: (B, 2), to train on, and (B,) labels of 0 and 1.
        fresh: the same, to measure the accuracy on.
        chances: (rows, columns), what a trained network gives class 1 on a grid from -most to
            most, the first row at the bottom: the picture without the script.
        told: a sentence on that network.
        alt: what is to be seen.
        most: half the side of the picture, in units of the points.

    Raises:
        ValueError: there is not one label of 0 or 1 for each point.
    """
    for places, labels in (points, fresh):
        if len(places) != len(labels) or not set(labels.tolist()) <= {0, 1}:
            raise ValueError(
                f"train_spirals() expects a label of 0 or 1 for each point; got {len(places)} "
                f"points and labels {sorted(set(labels.tolist()))} for {len(labels)}."
            )
    dots = "".join(
        f'<circle cx="{SIDE * (0.5 + x / most / 2):.1f}" cy="{SIDE * (0.5 - y / most / 2):.1f}" '
        f'r="2.2" fill="{shade(int(label))}"/>'
        for (x, y), label in zip(*(part.tolist() for part in points), strict=True)
    )
    model = {
        "most": most,
        "points": _hundredths(points[0]),
        "labels": points[1].tolist(),
        "fresh": _hundredths(fresh[0]),
        "freshLabels": fresh[1].tolist(),
    }
    page = (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{html.escape(alt)}">'
        f'<image href="{_png(chances)}" width="{SIDE}" height="{SIDE}" '
        f'preserveAspectRatio="none"/>{dots}</svg><p class="course-trained">{html.escape(told)}</p>'
    )
    widget("spirals", page, alt, model=model, parts=("player", "engine"))


def _hundredths(places: Tensor) -> list[int]:
    return [round(100 * value) for value in places.flatten().tolist()]


def _png(chances: Tensor) -> str:
    """A picture of probabilities: the colors of the classes, clear where it is unsure."""
    share = np.asarray(chances.detach().cpu(), dtype=float)[::-1]
    colors = np.array([[int(code[k : k + 2], 16) for k in (1, 3, 5)] for code in COLORS[:2]]) / 255
    picture = np.empty((*share.shape, 4))
    picture[..., :3] = colors[(share > 0.5).astype(int)]
    picture[..., 3] = np.round(np.abs(2 * share - 1) * 5) / 5 * 0.4
    file = io.BytesIO()
    imsave(file, picture, format="png", metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
