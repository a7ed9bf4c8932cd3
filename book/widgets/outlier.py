"""Weights on the levels that they are rounded to, and one weight to drag away from the others."""

from __future__ import annotations

import html

import torch
from torch import Tensor

from book.widgets.board import widget
from solutions.model_compression import absmax_scale, decibels, dequantize, quantize

WIDTH, LEFT, RIGHT, TOP = 560, 6, 554, 4  # of the drawing, and of its axis
BAND, GAP, HEAD, LINE = 74, 8, 20, 3.2  # of a group: height, distance, its name, and each weight
FARTHEST = 4  # the outlier, in units of the next largest weight
LOW, HIGH = -2.05, FARTHEST + 0.15  # ends of the axis, in the same units; no level beyond is used
BITS = range(2, 9)
SHAPE = [LEFT, RIGHT, TOP, BAND, GAP, HEAD, LINE]
DRAWING = {"bits": [*BITS], "farthest": FARTHEST, "shape": SHAPE}
PAGE = """<p role="status">{says}</p>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"
fill="currentColor">{drawn}</svg>"""


def outlier_board(
    weights: Tensor, alt: str, *, group: int, bits: int = 4, times: float = FARTHEST
) -> None:
    """Show weights, the levels of their scales, and each weight's distance from its level.

    The reader moves the largest weight of the first group, and chooses bits and scales.

    Args:
        weights: (rows, columns) float, a few of each.
        alt: what is to be seen.
        group: how many neighbors of a row share a scale, if groups do; it divides the columns.
        bits: one of `BITS`, to begin with.
        times: the moved weight, in units of the largest of the others, to begin with.

    Raises:
        ValueError: the group does not divide the columns, or bits or times are out of range.
    """
    rows, columns = weights.shape
    if columns % group or bits not in BITS or not 0 <= times <= FARTHEST:
        raise ValueError(
            f"outlier_board() expects groups that divide a row, bits of {BITS} and an outlier up "
            f"to {FARTHEST}; got {columns} columns in groups of {group}, {bits} and {times}."
        )
    values = (1e4 * weights.double()).round() / 1e4
    moved = int(values[0, :group].abs().argmax())
    others = torch.arange(values.numel()).view_as(values) != moved
    unit = values[others].abs().max().item()
    values[0, moved] = times * unit
    scale = absmax_scale(values, bits)
    near = dequantize(quantize(values, scale, bits), scale)
    names = [
        f"row {row + 1}, weights {k + 1} to {k + group}"
        for row in range(rows)
        for k in range(0, columns, group)
    ]
    strips, levels = (of.unflatten(1, (-1, group)).flatten(0, 1) for of in (values, near))
    drawn = "".join(
        _strip(k, name, strips[k], levels[k], scale.item(), bits, unit, moved if k == 0 else -1)
        for k, name in enumerate(names)
    )
    page = PAGE.format(
        says=html.escape(_says(values, near, others, bits, times)),
        width=WIDTH,
        height=TOP + len(names) * (BAND + GAP),
        alt=html.escape(alt),
        drawn=drawn,
    )
    model = {
        "weights": values.tolist(),
        "moved": moved,
        "unit": unit,
        "group": group,
        "kinds": ("per matrix", "per row", f"per group of {group}"),
        "begin": [bits, times],
        "names": names,
        **DRAWING,
        "axes": {"box": [LEFT, RIGHT, 0, 1], "x": [LOW * unit, HIGH * unit], "y": [0, 1]},
    }
    kind = 'role="group" aria-label="Weights and the levels that they are rounded to"'
    widget("outlier", page, alt, model=model, attributes=kind, parts=("plane",))


def _says(values: Tensor, near: Tensor, others: Tensor, bits: int, times: float) -> str:
    """The sentence at first; `outlier.js` writes the same."""
    noise = decibels(values[others], near[others]).item()
    zeros = int((near[others] == 0).sum())
    return (
        f"{bits} bits, one scale per matrix. The outlier is {times:.1f} times the largest other "
        f"weight. The other {int(others.sum())} weights have a signal-to-noise ratio of "
        f"{noise:.1f} dB; {zeros} of them become 0. "
        f"Stored: {bits + 16 / values.numel():g} bits per weight."
    )


def _strip(
    k: int,
    name: str,
    values: Tensor,
    near: Tensor,
    scale: float,
    bits: int,
    unit: float,
    moved: int,
) -> str:
    """A group: its levels, its weights one below the other, and lines to their levels."""
    top = TOP + k * (BAND + GAP)
    low, high = LOW * unit, HIGH * unit

    def across(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (value - low) / (high - low)

    ticks, limit = "", 2 ** (bits - 1) - 1
    for code in range(-limit, limit + 1):
        if low <= code * scale <= high:
            ticks += f"M{across(code * scale):.1f} {top + HEAD}V{top + BAND}"
    dots = errors = ""
    for place, (value, level) in enumerate(zip(values.tolist(), near.tolist(), strict=True)):
        down = top + HEAD + LINE * (place + 0.9)
        errors += f"M{across(value):.1f} {down:.1f}H{across(level):.1f}"
        size, kind = (7, ' class="course-moved"') if place == moved else (2.6, "")
        dots += f'<circle{kind} cx="{across(value):.1f}" cy="{down:.1f}" r="{size}"/>'
    keep = [place for place in range(len(values)) if place != moved]
    noise = decibels(values[keep], near[keep]).item()
    return (
        f'<g><path class="course-levels" d="{ticks}"/><path class="course-errors" d="{errors}"/>'
        f'{dots}<text x="{RIGHT}" y="{top + 14}">{html.escape(name)}: {noise:.1f} dB</text></g>'
    )
