"""A digit that the reader draws, cut into patches; and a known mistake in the cutting."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.attention import sentence
from book.widgets.board import widget

SIZES = (2, 4)  # of a patch of an 8 × 8 picture
PAGE = """<p>{alt}</p>
<div class="course-both"><div class="course-board" aria-hidden="true">{board}</div>
<div class="course-patches-of" style="--size:{size}" aria-hidden="true">{patches}</div></div>
<p role="status">{says}</p>
<p class="course-note" id="{anchor}"><b>one reshape:</b> {why}</p>"""


def cut_digit(examples: Tensor, cut: Tensor, alt: str, *, note: tuple[str, str]) -> None:
    """Show a picture and its patches in a row; the reader draws another one, or cuts it wrongly.

    Args:
        examples: (pictures, 8, 8), from 0 (paper) to 1 (ink) in sixteenths; it opens on the first.
        cut: (16, 4), the patches of the first one, shown without the script.
        alt: what is to be seen.
        note: an anchor and the grader's sentence for a reshape without moving axes, as of
            `book.mistakes.known_mistakes`.

    Raises:
        ValueError: the patches are not those of the first picture in another order.
    """
    first = examples[0].flatten()
    if not first.sort().values.equal(cut.flatten().sort().values):
        raise ValueError("cut_digit() expects the patches of the first picture.")
    side = SIZES[0]
    page = PAGE.format(
        alt=html.escape(alt),
        board=_lines(first.tolist(), 8),
        size=side,
        patches="".join(f"<span>{_lines(one, side)}</span>" for one in cut.tolist()),
        says=f"{len(cut)} patches of {side} × {side} pixels, each a vector of {side**2} numbers.",
        anchor=note[0],
        why=sentence(note[1]),
    )
    pictures = [
        "".join("0123456789abcdefg"[round(16 * v)] for v in one)
        for one in examples.flatten(1).tolist()
    ]
    widget("patching", page, alt, model={"examples": pictures, "sizes": SIZES}, parts=("digit",))


def _lines(pixels: Sequence[float], side: int) -> str:
    cells = [f'<i style="--ink:{ink:.3f}"></i>' for ink in pixels]
    lines = ("".join(cells[start : start + side]) for start in range(0, len(cells), side))
    return "".join(f'<div class="course-line">{line}</div>' for line in lines)
