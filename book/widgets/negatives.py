"""Cosines of a batch of pairs, and what a scale makes of them: probabilities, losses, gradients."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from book.widgets.board import widget
from book.widgets.disagree import sheet_of

SCALES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
PAGE = """<p role="status">{says}</p>
<div class="course-scroll" style="--sheet:url({sheet});--count:{count}"><table>
<caption>{alt}</caption><thead><tr><td></td>{heads}<th scope="col">loss</th></tr></thead>
<tbody>{rows}<tr><th scope="row">loss</th>{losses}<td></td></tr></tbody></table></div>"""


def negatives_board(
    batches: Mapping[str, tuple[Tensor, Tensor, Sequence[str]]], alt: str, *, scale: float
) -> None:
    """Show how similar the captions and images of a batch are, and what a scale makes of it.

    The reader chooses the batch and the scale, and sees the probabilities in both directions, the
    losses, and the derivatives by all cosines.

    Args:
        batches: by name: cosines of captions (rows) and images (columns), (B, B); pictures, (B,
            rows, columns) from 0 to 1; and the captions. All have the same B.
        alt: what is to be seen.
        scale: to begin with; it is added to `SCALES`.

    Raises:
        ValueError: there is no batch, or one has not as many captions as images.
    """
    if not batches or len(
        {size for found, pictures, captions in batches.values()
         for size in (*found.shape, len(pictures), len(captions))}
    ) != 1:  # fmt: skip
        raise ValueError(
            "negatives_board() expects batches with as many captions as images, all alike."
        )
    found, _, captions = next(iter(batches.values()))
    cosines = torch.tensor(_rounded(found)).double()
    by_row, by_column = (-(scale * part).log_softmax(dim=1).diag() for part in (cosines, cosines.T))
    everything = torch.cat([pictures for _, pictures, _ in batches.values()])
    count = len(everything)
    page = PAGE.format(
        says=html.escape(_says(cosines, scale)),
        sheet=sheet_of(everything),
        count=count,
        alt=html.escape(alt),
        heads="".join(
            f'<th scope="col"><i aria-hidden="true" style="--at:{k / max(count - 1, 1):.5f}"></i>'
            f"image {k + 1}</th>"
            for k in range(len(cosines))
        ),
        rows="".join(
            f'<tr><th scope="row">{html.escape(caption)}</th>'
            + "".join(_cell(value, k == row) for k, value in enumerate(cosines[row].tolist()))
            + f"<td>{by_row[row]:.2f}</td></tr>"
            for row, caption in enumerate(captions)
        ),
        losses="".join(f"<td>{loss:.2f}</td>" for loss in by_column.tolist()),
    )
    model = {
        "batches": [
            {"name": name, "cosines": _rounded(of), "captions": list(words)}
            for name, (of, _, words) in batches.items()
        ],
        "scales": sorted({*SCALES, scale}),
        "scale": scale,
        "count": count,
    }
    kind = 'role="group" aria-label="A batch of pairs and its scale"'
    widget("negatives", page, alt, model=model, attributes=kind)


def _rounded(values: Tensor) -> list[list[float]]:
    return [[round(value, 4) for value in row] for row in values.double().tolist()]


def _says(cosines: Tensor, scale: float) -> str:
    """The sentence at first; `negatives.js` writes the same."""
    shares, pushes, losses = [], [], []
    for scores in (scale * cosines, scale * cosines.T):
        p = scores.softmax(dim=1)
        wrong = scores.masked_fill(torch.eye(len(p), dtype=torch.bool), -torch.inf)
        shares.append(wrong.softmax(dim=1).amax(dim=1))
        pushes.append(1 - p.diag())
        losses.append(-scores.log_softmax(dim=1).diag())
    share, push, loss = (torch.cat(part).mean().item() for part in (shares, pushes, losses))
    return (
        f"Scale {scale:g}: the loss is {loss:.2f}. Of the push on wrong partners, the most similar "
        f"one gets {100 * share:.0f}% on average; equal parts would be "
        f"{100 / (len(cosines) - 1):.0f}%. All pushes add up to {scale * push:.2f}."
    )


def _cell(value: float, right: bool) -> str:
    less = " data-less" if value < 0 else ""
    mark = " data-right" if right else ""
    text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    return f'<td{less}{mark} style="--w:{min(abs(value), 1):.2f}">{text}</td>'
