"""Softmax regression at work: ink on a picture, one score and one probability for each class."""

from __future__ import annotations

from torch import Tensor

from book.widgets.board import board_and_bars, widget


def weigh_pixels(
    weight: Tensor, bias: Tensor, examples: Tensor, alt: str, *, labels: Tensor | None = None
) -> None:
    """Show pictures whose pixels the reader changes, and the scores that follow.

    Args:
        weight: (10, 64) float, one row per digit.
        bias: (10,) float.
        examples: (pictures, 64), from 0 (paper) to 1 (ink) in sixteenths.
        alt: what is to be seen.
        labels: (pictures,) int, what each shows; not told where not given.
    """
    truths = [] if labels is None else labels.tolist()
    model = {
        "weight": [[round(w, 3) for w in row] for row in weight.tolist()],
        "bias": [round(b, 3) for b in bias.tolist()],
        "examples": [
            "".join("0123456789abcdefg"[round(16 * v)] for v in row) for row in examples.tolist()
        ],
        "labels": truths,
    }
    scores = examples[0] @ weight.T + bias
    chances = scores.softmax(dim=0)
    texts = [f"{score:+.1f}".replace("-", "−") for score in scores.tolist()]
    page = board_and_bars(examples[0].tolist(), chances.tolist(), texts)
    says = f"This is {_a(truths[0])}. " if truths else ""
    says += f"The model predicts {_a(int(chances.argmax()))} ({100 * chances.max():.1f}%)."
    widget("weigh", f"<p>{alt}</p>{page}<p>{says}</p>", alt, model=model, parts=("digit",))


def _a(digit: int) -> str:
    return f"an {digit}" if digit == 8 else f"a {digit}"
