"""Softmax regression at work: ink on a picture, one score and one probability for each class."""

from __future__ import annotations

from torch import Tensor

from book.widgets.board import widget


def weigh_pixels(weight: Tensor, bias: Tensor, examples: Tensor, alt: str) -> None:
    """Show pictures whose pixels the reader changes, and the scores that follow.

    Args:
        weight: (10, 64) float, one row per digit.
        bias: (10,) float.
        examples: (pictures, 64), from 0 (paper) to 1 (ink) in sixteenths.
        alt: what is to be seen.
    """
    model = {
        "weight": [[round(w, 3) for w in row] for row in weight.tolist()],
        "bias": [round(b, 3) for b in bias.tolist()],
        "examples": [
            "".join("0123456789abcdefg"[round(16 * v)] for v in row) for row in examples.tolist()
        ],
    }
    widget("weigh", f"<p>{alt} It needs JavaScript.</p>", alt, model=model)
