"""A board of 8×8 pixels to draw on, which Bernoulli naive Bayes reads and completes."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from IPython.display import display

STATIC = Path(__file__).with_name("_static")


def drawing_board(
    probability: torch.Tensor,
    log_prior: torch.Tensor,
    *,
    examples: torch.Tensor,
    usual: Sequence[float],
    alt: str,
) -> None:
    """Show the board; it opens with the upper half of the first example.

    Args:
        probability: (10, 64) float, of ink in each pixel of each digit.
        log_prior: (10,) float.
        examples: (examples, 64), zeros and ones: the pictures that a button brings.
        usual: least and largest log density of most real digits, in nats.
        alt: what the board is, for those who do not see it.
    """
    model = {
        "coins": [[round(p, 4) for p in row] for row in probability.tolist()],
        "prior": [round(p, 4) for p in log_prior.tolist()],
        "examples": ["".join(str(int(pixel)) for pixel in row) for row in examples.tolist()],
        "usual": [round(bound, 1) for bound in usual],
    }
    css, js = (
        (STATIC / name).read_text(encoding="utf-8") for name in ("generative.css", "generative.js")
    )
    data = html.escape(json.dumps(model))
    content = (
        f'<style>{css}</style>\n<div class="course-draw" data-model="{data}">'
        f"<p>{html.escape(alt)} It needs JavaScript.</p></div>\n<script>{js}</script>"
    )
    display({"text/html": content, "text/plain": alt}, raw=True)
