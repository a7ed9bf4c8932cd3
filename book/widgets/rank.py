"""The rank of LoRA's update: how large it is, what of a change it could hold, what came of it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from statistics import fmean

import torch
from torch import Tensor

from book.widgets.board import widget

GAP = 8  # between a matrix and its two thin ones, in rows
WIDE, HIGH = 316, 196  # of the chart
LEFT, RIGHT, TOP, BOTTOM = 34, 306, 12, 160

PAGE = """<div class="course-tools"></div>
<div class="course-steps" hidden><label for="rank-at">rank r</label>
<input id="rank-at" type="range" min="0" max="{last}" value="{at}"><output>{rank}</output></div>
<div class="course-panels">
<div class="course-panel"><p><b>W, <em>A, B</em></b> <span>{name}</span></p>{sizes}</div>
<div class="course-panel"><p><b>Singular values</b> <span>of the change</span></p>{bars}</div>
<div class="course-panel"><p><b>Accuracy, %</b> <span>by rank</span></p>{chart}
<p class="course-key"><span><i></i>LoRA of this rank</span>
<span><i></i>all weights trained, the change truncated to this rank</span></p></div>
</div>
<p role="status">{says}</p>"""


def rank_board(
    changes: Mapping[str, Tensor],
    ranks: Sequence[int],
    trained: Sequence[Sequence[float]],
    cut: Sequence[Sequence[float]],
    alt: str,
    *,
    parameters: int,
    rank: int,
) -> None:
    """Show what a rank means for matrices of a model, and how many answers are right with it.

    The reader chooses the rank and the matrix.

    Args:
        changes: by name of a matrix what training it whole has added to it, (C, D).
        ranks: from small to large; the last one cuts nothing.
        trained: for each rank the share of right answers after training LoRA of that rank, in
            percent, one per seed.
        cut: for each rank the same, after training everything and cutting the changes to it.
        alt: what is to be seen.
        parameters: of the whole model.
        rank: the one to begin with; without JavaScript there is only this.

    Raises:
        ValueError: ``alt`` is empty, the ranks do not rise, the first rank is not among them, or
            there is not one list of shares for each.
    """
    if not alt.strip():
        raise ValueError("rank_board() got an empty alt text; say what is to be seen.")
    if list(ranks) != sorted({*ranks}) or rank not in ranks:
        raise ValueError(f"rank_board() expects rising ranks, {rank} among them; got {ranks}.")
    if not len(trained) == len(cut) == len(ranks):
        raise ValueError(
            f"rank_board() got {len(trained)} and {len(cut)} lists of shares "
            f"for {len(ranks)} ranks."
        )
    matrices = [
        {"name": name, "shape": list(change.shape), "values": _spectrum(change)}
        for name, change in changes.items()
    ]
    model = {
        "matrices": matrices,
        "ranks": list(ranks),
        "trained": [_three(found) for found in trained],
        "cut": [_three(found) for found in cut],
        "parameters": parameters,
        "begin": ranks.index(rank),
        "places": [round(_across(k, len(ranks)), 1) for k in range(len(ranks))],
    }
    page = PAGE.format(
        last=len(ranks) - 1,
        at=ranks.index(rank),
        rank=rank,
        name=html.escape(matrices[0]["name"]),
        sizes=_sizes(matrices[0]["shape"], rank),
        bars=_bars(matrices[0]["values"], rank),
        chart=_chart(model),
        says=html.escape(_says(model)),
    )
    widget(
        "rank", page, alt, model=model, attributes=f'role="group" aria-label="{html.escape(alt)}"'
    )


def _spectrum(change: Tensor) -> list[int]:
    """Its singular values, in thousandths of the first."""
    found = torch.linalg.svdvals(change.detach().double().cpu())
    return (1000 * found / found[0].clamp(min=1e-12)).round().int().tolist()


def _three(found: Sequence[float]) -> list[float]:
    """Mean, least and most, with a digit."""
    return [round(float(value), 1) for value in (fmean(found), min(found), max(found))]


def _across(k: int, count: int) -> float:
    return LEFT + 14 + k * (RIGHT - LEFT - 28) / max(count - 1, 1)


def _sizes(shape: Sequence[int], rank: int) -> str:
    """W, below it A, beside it B, all in one scale."""
    c, d = shape
    beyond = GAP + min(c, d)
    return (
        f'<svg class="course-sizes" viewBox="0 0 {d + beyond} {c + beyond}" '
        f'preserveAspectRatio="xMinYMin" aria-hidden="true">'
        f'<rect class="course-w" width="{d}" height="{c}"/>'
        f'<rect class="course-a" y="{c + GAP}" width="{d}" height="{rank}"/>'
        f'<rect class="course-b" x="{d + GAP}" width="{rank}" height="{c}"/></svg>'
    )


def _bars(values: Sequence[int], rank: int) -> str:
    marks = [' data-held=""' if k < rank else "" for k in range(len(values))]
    bars = "".join(
        f'<rect x="{k}" y="{1000 - value}" width="0.7" height="{value}"{mark}/>'
        for k, (value, mark) in enumerate(zip(values, marks, strict=True))
    )
    return (
        f'<svg class="course-values" viewBox="0 0 {len(values)} 1000" preserveAspectRatio="none" '
        f'aria-hidden="true">{bars}</svg>'
    )


def _chart(model: Mapping) -> str:
    """Two rows of points with their ranges, over the ranks."""
    every = [value for kind in ("trained", "cut") for three in model[kind] for value in three]
    low, high = 2 * int(min(every) // 2), 2 * int(-(-max(every) // 2))

    def up(value: float) -> float:
        return BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP)

    step = 2 if high - low <= 12 else 5
    marks = [value for value in range(low, high + 1) if value % step == 0]
    parts = [
        f'<line class="course-grid" x1="{LEFT}" x2="{RIGHT}" '
        f'y1="{up(mark):.1f}" y2="{up(mark):.1f}"/>'
        f'<text x="{LEFT - 5}" y="{up(mark) + 4:.1f}" text-anchor="end">{mark}</text>'
        for mark in marks
    ]
    for rank, x in zip(model["ranks"], model["places"], strict=True):
        parts.append(f'<text x="{x}" y="{BOTTOM + 16}" text-anchor="middle">{rank}</text>')
    parts.append(
        f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 33}" text-anchor="middle">rank r</text>'
    )
    here = model["places"][model["begin"]]
    parts.append(f'<line class="course-here" x1="{here}" x2="{here}" y1="{TOP}" y2="{BOTTOM}"/>')
    for kind, shift in (("trained", -4), ("cut", 4)):
        points = [
            (x + shift, *(up(value) for value in three))
            for x, three in zip(model["places"], model[kind], strict=True)
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_ in points)
        parts.append(f'<g class="course-{kind}"><polyline points="{line}"/>')
        for x, y, least, most in points:
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{least:.1f}" y2="{most:.1f}"/>'
                + (
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
                    if kind == "trained"
                    else f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>'
                )
            )
        parts.append("</g>")
    return (
        f'<svg class="course-chart" viewBox="0 0 {WIDE} {HIGH}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def held(values: Sequence[int], rank: int) -> int:
    """How much of the sum of squares the first ones have, in whole percent."""
    whole = sum(value * value for value in values)
    return (200 * sum(value * value for value in values[:rank]) + whole) // (2 * whole)


def _says(model: Mapping) -> str:
    at, matrix = model["begin"], model["matrices"][0]
    rank, (c, d) = model["ranks"][at], matrix["shape"]
    numbers = sum(sum(one["shape"]) for one in model["matrices"]) * rank
    share = (1000 * numbers + model["parameters"] // 2) // model["parameters"]
    (one, low, high), (other, least, most) = model["trained"][at], model["cut"][at]
    name, values = matrix["name"], matrix["values"]
    return (
        f"Rank {rank}. For {name}, A and B have {(c + d) * rank:,} parameters, and W has "
        f"{c * d:,}; for all {len(model['matrices'])} matrices, A and B have {numbers:,}, "
        f"{share / 10:.1f}% of the model's. "
        f"{rank} of {len(values)} singular values hold {held(values, rank)}% of the squared change "
        f"of {name}. Accuracy: {one:.1f}% with LoRA ({low:.1f} to {high:.1f}), {other:.1f}% with "
        f"the truncated change ({least:.1f} to {most:.1f})."
    )
