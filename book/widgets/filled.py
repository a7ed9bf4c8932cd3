"""Sentences with a hole: the reader chooses where, and sees what a masked model would put there."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from book.widgets.board import widget

SIDES = ("both sides", "the left side", "the right side")


def hole_board(sentences: Sequence[Mapping], alt: str, *, start: int = 0) -> None:
    """Show a sentence of tokens, and the likeliest ones for a hole in it.

    Args:
        sentences: each with its ``tokens``, of which those that begin a word begin with ▁; for each
            token and each of the three `SIDES` that may be read, the ``best`` tokens, their
            ``share`` of the probability, and that of the ``true`` one.
        alt: what is to be seen.
        start: which token of the first sentence is the hole at first.

    Raises:
        ValueError: a sentence has not as many of one as of the others.
    """
    for sentence in sentences:
        count = len(sentence["tokens"])
        if any(len(sentence[name]) != count for name in ("best", "share", "true")):
            raise ValueError(f"hole_board() got {count} tokens, and not as many of what fills them")
    first = sentences[0]
    line = "".join(
        f"<b>{'▁' if token.startswith('▁') else ''}____</b>" if place == start else token
        for place, token in enumerate(map(html.escape, first["tokens"]))
    ).replace("▁", " ")
    bars = "".join(
        f'<div class="course-bar"><b>{html.escape(token.replace("▁", " "))}</b>'
        f'<span><i style="--share:{share:.4f}"></i></span><span>{share:.3f}</span></div>'
        for token, share in zip(first["best"][start][0], first["share"][start][0], strict=True)
    )
    true = html.escape(first["tokens"][start].strip("▁"))
    page = (
        f'<p>{html.escape(alt)}</p><p class="course-hole">{line}</p>'
        f'<div class="course-bars">{bars}</div>'
        f'<p role="status">The original token is “{true}”. Reading both sides, the model '
        f"gives it the probability {first['true'][start][0]:.3f}.</p>"
    )
    model = {"start": start, "sides": SIDES, "sentences": list(sentences)}
    widget("filled", page, alt, model=model)
