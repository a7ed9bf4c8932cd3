"""Bernoulli naive Bayes reads a drawing, fills in what is unknown, and rates its density."""

from __future__ import annotations

from torch import Tensor

from book.widgets.board import widget


def draw_digit(
    coins: Tensor, prior: Tensor, examples: Tensor, usual: tuple[float, float], alt: str
) -> None:
    """Show a board on which every pixel is ink, paper or unknown, and what the model makes of it.

    Args:
        coins: (10, 64), the probability of ink at each pixel, one row per digit.
        prior: (10,), logarithm of the probability of each digit.
        examples: (pictures, 64) of 0 (paper) and 1 (ink), to begin with.
        usual: log densities between which nine in ten real digits lie, in nats.
        alt: what is to be seen.
    """
    low, high = usual
    model = {
        "coins": [[round(p, 4) for p in row] for row in coins.tolist()],
        "prior": [round(p, 4) for p in prior.tolist()],
        "examples": ["".join(str(int(pixel)) for pixel in row) for row in examples.tolist()],
        "usual": [round(low, 1), round(high, 1)],
    }
    widget("draw", f"<p>{alt} It needs JavaScript.</p>", alt, model=model, parts=("digit",))
