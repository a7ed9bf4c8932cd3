"""A distribution of the next token, and what temperature, top-k, top-p and min-p leave of it."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

SHOWN = 12

PAGE = """<p>{alt}</p>
<div class="course-tools course-texts" hidden></div>
<div class="course-sliders" hidden>
<label for="filters-heat">temperature τ</label>
<input id="filters-heat" type="range" min="-2" max="2" step="0.25" value="0"><output>1</output>
<label for="filters-k">top-k</label>
<input id="filters-k" type="range" min="1" max="{most}" step="1" value="{most}"><output>all</output>
<label for="filters-p">top-p</label>
<input id="filters-p" type="range" min="0.05" max="1" step="0.05" value="1"><output>1</output>
<label for="filters-least">min-p</label>
<input id="filters-least" type="range" min="0" max="0.5" step="0.01" value="0"><output>0</output>
</div>
<p class="course-text">{text}<b>▁</b></p>
<div class="course-bars">{bars}</div><p role="status">{says}</p>"""


def filter_board(texts: Sequence[str], tokens: Sequence[str], logits: Tensor, alt: str) -> None:
    """Show the likeliest next tokens after a text, and let the reader filter them.

    Args:
        texts: what has been read, one or more; the first is shown without JavaScript.
        tokens: the vocabulary, as it is to be seen.
        logits: (texts, tokens), what the model says comes next.
        alt: what is to be seen.

    Raises:
        ValueError: the logits are not as many as texts and tokens.
    """
    if logits.shape != (len(texts), len(tokens)):
        raise ValueError(
            f"filter_board() got logits {tuple(logits.shape)} for {len(texts)} texts and "
            f"{len(tokens)} tokens."
        )
    found, order = logits[0].double().softmax(dim=0).sort(descending=True, stable=True)
    bars = "".join(
        f'<div class="course-bar"><b>{html.escape(tokens[token])}</b>'
        f'<span><i style="--share:{share:.4f}"></i></span><span>{share:.3f}</span></div>'
        for share, token in zip(found[:SHOWN].tolist(), order[:SHOWN].tolist(), strict=True)
    )
    says = f"{len(tokens)} of {len(tokens)} tokens are left."
    model = {
        "texts": list(texts),
        "tokens": list(tokens),
        "logits": [[round(z, 2) for z in row] for row in logits.tolist()],
    }
    page = PAGE.format(alt=alt, most=len(tokens), bars=bars, says=says, text=html.escape(texts[0]))
    widget("filters", page, alt, model=model)
