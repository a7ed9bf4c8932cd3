"""A walk through attention tile by tile: what is in memory, and what becomes of the sums."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from book.widgets.board import widget
from solutions.efficient_attention import absorb, tiles

ROWS = ("ẑ", "ℓ", "ṽ<sub>1</sub>", "ṽ<sub>2</sub>")
FACE = 110  # of the plane of values, in each direction from its middle

PAGE = """<p>{alt}</p>
<div class="course-walk"><div class="course-scores" style="--n:{size}" aria-hidden="true">
{grid}</div>
<div class="course-sums"><div class="course-scroll"><table><caption>{name}</caption>
<thead><tr><td></td><th scope="col">before</th><th scope="col">factor</th>
<th scope="col">this tile</th><th scope="col">after</th></tr></thead><tbody>{rows}</tbody>
</table></div>
<svg viewBox="-115 -115 230 230" role="img" aria-label="values, and the output as their average">
{plane}</svg>
<p class="course-key"><b class="course-so-far">●</b> ṽ/ℓ so far &nbsp;
<b class="course-exact">○</b> softmax of the whole row &nbsp; <b>·</b> values</p></div></div>
<div class="course-meter" aria-hidden="true">{meter}</div>
<p role="status">{says}</p>"""


def tile_walk(
    scores: Tensor, value: Tensor, alt: str, *, blocks: Sequence[int], block: int
) -> None:
    """Show causal attention tile by tile, and the running sums of one query.

    The reader steps through the tiles, chooses their size and the query, and may leave out that the
    sums are rescaled. What stands there first is the last tile of all.

    Args:
        scores: (T, T), of one decimal, so that what is shown is all there is.
        value: (T, 2), the same.
        alt: what is to be seen.
        blocks: sizes of tiles, divisors of T.
        block: the size to begin with.

    Raises:
        ValueError: the shapes do not fit, a size does not divide T, or a number has more decimals.
    """
    size = len(scores)
    if scores.shape != (size, size) or value.shape != (size, 2):
        raise ValueError(
            f"tile_walk() expects scores (T, T) and values (T, 2), got {tuple(scores.shape)} and "
            f"{tuple(value.shape)}."
        )
    if block not in blocks or any(size % one for one in blocks):
        raise ValueError(f"tile_walk() expects sizes that divide {size}, got {[*blocks]}, {block}.")
    scores, value = scores.double(), value.double()
    for given in (scores, value):
        if not torch.allclose(10 * given, (10 * given).round(), atol=1e-4):
            raise ValueError("tile_walk() expects numbers of one decimal.")
    scores, value = scores.round(decimals=1), value.round(decimals=1)
    future = torch.ones(size, size).triu(1).bool()
    exact = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ value
    cuts = _cuts(size, block)
    *_, (before, factor, added, after) = walk(scores, value, block)
    left, row = cuts[-1][2], size - 1
    grid = "".join(
        f"<b{' data-on' * (at == row)}>{at + 1}</b>"
        + "".join(_cell(scores, at, key, cuts[-1]) for key in range(size))
        for at in range(size)
    )
    numbers = [*zip(before, factor, added, after, strict=True)]
    rows = "".join(
        f'<tr><th scope="row">{name}</th>'
        f"{''.join(f'<td>{_number(part)}</td>' for part in parts)}</tr>"
        for name, parts in zip(ROWS, numbers, strict=True)
    )
    output = [after[2] / after[1], after[3] / after[1]]
    says = (
        f"Tile {len(cuts)} of {len(cuts)}: {_span(('query', 'queries'), size - block, size)}, "
        f"{_span(('key', 'keys'), left, size)}. {_grows(before, factor, after, size)} It was the "
        f"last tile of {'these queries' if block > 1 else 'this query'}: ṽ/ℓ is "
        f"({_number(output[0])}, {_number(output[1])}), the softmax of the whole row. Scores in "
        f"memory: {block**2}; in the table: {size**2}."
    )
    page = PAGE.format(
        alt=html.escape(alt),
        size=size,
        grid=grid,
        name=f"query {size}",
        rows=rows,
        plane=_plane(value, exact[-1], output),
        says=says,
        meter="".join(
            f'<div class="course-bar"><b>{name}</b><span><i style="--share:{count / size**2:.4f}">'
            f"</i></span><span>{count}</span></div>"
            for name, count in (("computed so far", len(cuts) * block**2), ("in memory", block**2))
        ),
    )
    data = {
        "scores": scores.tolist(),
        "values": value.tolist(),
        "exact": exact.tolist(),
        "cuts": {str(one): [list(cut) for cut in _cuts(size, one)] for one in blocks},
        "block": block,
    }
    widget("tilewalk", page, alt, model=data, parts=("player",))


def walk(scores: Tensor, value: Tensor, block: int) -> Iterator[tuple[list, list, list, list]]:
    """Sums of the last query as `absorb` updates them, tile by tile.

    Args:
        scores: (T, T), of which the future is not looked at.
        value: (T, 2).
        block: rows and columns of a tile.

    Yields:
        For every tile of the last rows four times four numbers, for ẑ, ℓ and both entries of ṽ:
        before the tile, the factor, what the tile adds relative to the new maximum, and after it.
        For ẑ there is no factor, and the tile's maximum stands for what it adds.
    """
    state = (
        torch.full((1,), -math.inf).double(),
        torch.zeros(1).double(),
        torch.zeros(1, 2).double(),
    )
    for _, bottom, left, right in _cuts(len(scores), block):
        if bottom < len(scores):
            continue
        seen = slice(left, min(right, len(scores)))
        now, new = scores[None, -1, seen], value[seen]
        before, state = state, absorb(*state, now, new)
        factor = torch.exp(before[0] - state[0]).item()
        old, after = (
            [maximum.item(), total.item(), *output[0].tolist()]
            for maximum, total, output in (before, state)
        )
        added = [b - factor * a for a, b in zip(old[1:], after[1:], strict=True)]
        yield old, [None, factor, factor, factor], [now.max().item(), *added], after


def _cuts(size: int, block: int) -> list[tuple[int, int, int, int]]:
    """First and last row and column of every tile, the last ones not included."""
    return [
        (rows.start, rows.stop, columns.start, columns.stop)
        for rows, columns, _ in tiles(size, size, block=block, causal=True)
    ]


def _cell(scores: Tensor, row: int, key: int, cut: Sequence[int]) -> str:
    """One score: of the future, in memory, or forgotten."""
    kind = "course-future" if key > row else "course-done"
    if row < cut[0] or key < cut[2]:
        return f'<i class="{kind}"></i>'
    if key > row:
        return '<i class="course-now course-future">−∞</i>'
    weight = math.exp(scores[row, key] - scores[row, : row + 1].max())
    on = " data-on" * (row == len(scores) - 1)
    text = _number(scores[row, key].item(), 1)
    return f'<i class="course-now" style="--w:{weight:.3f}"{on}>{text}</i>'


def _span(name: str, first: int, last: int) -> str:
    """Which ones: "query 5", "keys 1 to 4"; counted from 1."""
    return f"{name[0]} {last}" if first + 1 == last else f"{name[1]} {first + 1} to {last}"


def _number(number: float | None, digits: int = 2) -> str:
    if number is None:
        return ""
    if number == -math.inf:
        return "−∞"
    text = f"{number:.{digits}f}"
    return ("0." + "0" * digits if float(text) == 0 else text).replace("-", "−")


def _grows(before: list, factor: list, after: list, query: int) -> str:
    if before[0] == -math.inf:
        return f"This is the first tile for query {query}: nothing has been summed yet."
    if after[0] == before[0]:
        return f"For query {query} the maximum stays: the factor is 1."
    return (
        f"For query {query} the maximum grows from {_number(before[0], 1)} to "
        f"{_number(after[0], 1)}: the sums so far are multiplied by {_number(factor[1])}."
    )


def _plane(value: Tensor, exact: Tensor, output: Sequence[float]) -> str:
    """Values as points, the exact output as a ring, what was summed so far as a dot."""
    scale = FACE / value.abs().max().item()
    spots = [(scale * x, -scale * y) for x, y in [*value.tolist(), exact.tolist(), output]]
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" data-seen=""/>' for x, y in spots[:-2]]
    (x, y), (u, v) = spots[-2:]
    return (
        f'<path d="M-{FACE} 0H{FACE}M0-{FACE}V{FACE}"/>{"".join(dots)}'
        f'<circle class="course-exact" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
        f'<circle class="course-so-far" cx="{u:.1f}" cy="{v:.1f}" r="5.5"/>'
    )
