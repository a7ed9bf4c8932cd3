"""Networks of several widths and depths over one set of points, to choose among."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping

import numpy as np
from matplotlib.image import imsave
from torch import Tensor

from book.svg import COLORS, shade
from book.widgets.board import widget

SIDE = 320  # of the picture, in pixels


def units_and_layers(
    points: Tensor,
    labels: Tensor,
    chances: Mapping[tuple[int, int], Tensor],
    accuracies: Mapping[tuple[int, int], float],
    alt: str,
    *,
    most: float,
) -> None:
    """Show where networks answer what, one for each number of layers and of units.

    Args:
        points: (B, 2), that they were trained on.
        labels: (B,) of 0 and 1.
        chances: by layers and units: (rows, columns), the probability of class 1 on a grid from
            -most to most, the first row at the bottom.
        accuracies: on new points, in percent, by the same.
        alt: what is to be seen.
        most: half the side of the picture, in units of the points.

    Raises:
        ValueError: a choice of layers and units has no picture, or no accuracy.
    """
    layers, units = (sorted({key[side] for key in chances}) for side in (0, 1))
    pairs = [(depth, width) for depth in layers for width in units]
    if set(pairs) - set(chances) or set(pairs) - set(accuracies):
        raise ValueError(
            "units_and_layers() expects a picture and an accuracy for each number of layers "
            f"{layers} with each number of units {units}."
        )
    pictures = {f"{depth} {width}": _png(chances[depth, width]) for depth, width in pairs}
    dots = "".join(
        f'<circle cx="{SIDE * (0.5 + x / most / 2):.1f}" cy="{SIDE * (0.5 - y / most / 2):.1f}" '
        f'r="2.4" fill="{shade(int(label))}"/>'
        for (x, y), label in zip(points.tolist(), labels.tolist(), strict=True)
    )
    first = pairs[0]
    model = {
        "layers": layers,
        "units": units,
        "pictures": pictures,
        "right": {f"{a} {b}": round(accuracies[a, b], 1) for a, b in pairs},
    }
    page = (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{html.escape(alt)}">'
        f'<image href="{pictures[f"{first[0]} {first[1]}"]}" width="{SIDE}" height="{SIDE}" '
        f'preserveAspectRatio="none"/>{dots}</svg>'
        f'<p role="status">{_told(*first, accuracies[first])}</p>'
    )
    widget("spirals", page, alt, model=model)


def _told(layers: int, units: int, right: float) -> str:
    many = f"{layers} hidden layer{'s' * (layers > 1)} of {units} unit{'s' * (units > 1)}"
    return f"{many}: {right:.1f}% of new points right."


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
