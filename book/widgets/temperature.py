"""One row of a softmax: what the width of queries and keys, and a temperature, make of it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

WIDTH = 64  # of queries and keys, to begin with

PAGE = """<p>{alt}</p>
<div class="course-sliders" hidden>
<label for="temperature-width">d<sub>k</sub></label>
<input id="temperature-width" type="range" min="0" max="10" step="1" value="6"><output>64</output>
<label for="temperature-heat">temperature τ</label>
<input id="temperature-heat" type="range" min="-3" max="3" step="0.25" value="0"><output>1</output>
<label for="temperature-scale">divide by √d<sub>k</sub></label>
<input id="temperature-scale" type="checkbox">
</div>
<div class="course-bars">{bars}</div><p role="status">{says}</p>"""


def temperature_row(words: Sequence[str], scores: Tensor, alt: str) -> None:
    """Show the weights of one query, and let the reader change how large its scores are.

    Args:
        words: one per key.
        scores: (words,), the products of a query and the keys, divided by √d_k.
        alt: what is to be seen.

    Raises:
        ValueError: not one score for each word.
    """
    if len(words) != len(scores):
        raise ValueError(f"temperature_row() got {len(words)} words and {len(scores)} scores.")
    found = (scores.double() * math.sqrt(WIDTH)).softmax(dim=0)
    bars = "".join(
        f'<div class="course-bar"><b>{html.escape(word)}</b><span><i style="--share:{weight:.4f}">'
        f"</i></span><span>{weight:.2f}</span></div>"
        for word, weight in zip(words, found.tolist(), strict=True)
    )
    best = words[int(found.argmax())]
    says = f"{html.escape(best)} gets {found.max():.2f} of the weight."
    model = {"words": list(words), "scores": [round(score, 3) for score in scores.tolist()]}
    widget("temperature", PAGE.format(alt=alt, bars=bars, says=says), alt, model=model)
