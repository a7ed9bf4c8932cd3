"""Histograms of what the ReLUs of two networks get, while the reader trains both."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

BINS, FAR = 40, 4.0  # of a histogram: their number, and where the outermost ones end

PAGE = """<p role="status">{says}</p>
<table aria-label="{alt}"><thead>
<tr><td></td><th scope="colgroup" colspan="2">without</th>
<th scope="colgroup" colspan="2">with batch norm</th></tr>
<tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"""
HEAD = """<th scope="col"><span class="course-scale">
<span>−4</span><span>0</span><span>4</span></span></th><th scope="col">std.</th>"""


def layer_histograms(
    pictures: Tensor,
    labels: Tensor,
    without: Sequence[Tensor],
    normed: Sequence[Tensor],
    alt: str,
) -> None:
    """Show histograms of what each ReLU gets, without and with batch normalization.

    Args:
        pictures: (pictures, pixels) to train on, from 0 to 1 in sixteenths.
        labels: (pictures,) int, from 0 to 9.
        without: for each hidden layer, (batch, units) at the start, without the script.
        normed: the same with batch normalization.
        alt: what is to be seen.

    Raises:
        ValueError: the two networks have other layers, or there are fewer than 64 pictures.
    """
    shapes = [[part.shape for part in sums] for sums in (without, normed)]
    if shapes[0] != shapes[1] or len(pictures) < 64:
        raise ValueError(
            "layer_histograms() expects 64 pictures or more, and the same layers in both networks; "
            f"got {len(pictures)} pictures and layers {shapes}."
        )
    model = {
        "pictures": "".join(
            "0123456789abcdefg"[round(16 * v)] for v in pictures.flatten().tolist()
        ),
        "labels": "".join(map(str, labels.tolist())),
        "hidden": [part.shape[1] for part in without],
    }
    rows = ""
    for number, pair in enumerate(zip(without, normed, strict=True), 1):
        cells = "".join(f"<td>{_bars(sums)}</td><td>{_told(sums)}</td>" for sums in pair)
        rows += f'<tr><th scope="row">layer {number}</th>{cells}</tr>'
    says = (
        f"At the start, the standard deviation in layer {len(without)} is {_told(without[-1])} "
        f"without batch normalization, and {_told(normed[-1])} with it."
    )
    page = PAGE.format(says=html.escape(says), alt=html.escape(alt), heads=2 * HEAD, rows=rows)
    widget("histograms", page, alt, model=model, parts=("player", "engine"))


def _told(sums: Tensor) -> str:
    value = sums.std(correction=0).item()
    return "<0.001" if value < 0.001 else f"{value:.{3 if value < 0.1 else 2}f}"


def _bars(sums: Tensor) -> str:
    """A histogram as SVG: what a ReLU sets to zero, and what it lets pass."""
    places = ((sums.flatten() + FAR) / (2 * FAR) * BINS).floor().long().clamp(0, BINS - 1)
    counts = places.bincount(minlength=BINS)
    tall = (19 * counts / counts.max()).tolist()
    drawn = [f"M{2 * k + 1} 20v-{h:.1f}" * (h > 0) for k, h in enumerate(tall)]
    parts = "".join(
        f'<path d="{"".join(part)}"/>' for part in (drawn[: BINS // 2], drawn[BINS // 2 :])
    )
    return f'<svg viewBox="0 0 80 20" preserveAspectRatio="none" aria-hidden="true">{parts}</svg>'
