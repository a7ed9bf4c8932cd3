"""Word vectors in the plane: each step pulls one toward its context and pushes it from noise."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor
from torch.nn.functional import cosine_similarity

from book.widgets.board import widget

PAGE = """<p role="status">{says}</p><div class="course-both">
<svg viewBox="-240 -240 480 480" role="img" aria-label="{alt}">
<g class="course-vectors">{vectors}</g></svg>
<table aria-label="Probability of found"><thead><tr><td></td>{heads}</tr></thead>
<tbody>{rows}</tbody></table></div>"""


def push_and_pull(
    words: Sequence[str],
    contexts: Sequence[str],
    draws: Tensor,
    start: tuple[Tensor, Tensor],
    end: tuple[Tensor, Tensor],
    alt: str,
    *,
    rate: float,
) -> None:
    """Show word vectors in the plane, and the steps of skip-gram that move them.

    Args:
        words: of which the first half and the second half have their own contexts.
        contexts: their names.
        draws: (steps, 2 + noise) int: for each step a word, its context, and noise contexts.
        start: the vectors of words and of contexts before the first step, (words, 2) and
            (contexts, 2) float.
        end: the same after the last step: the picture without the script.
        alt: what is to be seen.
        rate: the learning rate at which `end` was reached.

    Raises:
        ValueError: there is not one vector in the plane for each word and each context.
    """
    for center, context in (start, end):
        if center.shape != (len(words), 2) or context.shape != (len(contexts), 2):
            raise ValueError(
                f"push_and_pull() expects a vector of 2 numbers for each of {len(words)} words and "
                f"{len(contexts)} contexts; got {tuple(center.shape)} and {tuple(context.shape)}."
            )
    center, context = end
    vectors = ""
    zoom = 170 / max(0.9, center.abs().max().item(), context.abs().max().item())
    for kind, names, rows in (("context", contexts, context), ("center", words, center)):
        for name, (x, y) in zip(names, (zoom * rows).tolist(), strict=True):
            vectors += (
                f'<path d="M0 0L{x:.1f} {-y:.1f}" class="course-{kind}"/>'
                f'<text x="{x:.1f}" y="{-y:.1f}" class="course-{kind}">{html.escape(name)}</text>'
            )
    shares = (center @ context.T).sigmoid().tolist()
    body = "".join(
        f'<tr><th scope="row">{html.escape(word)}</th>'
        + "".join(f'<td style="--share:{share:.3f}">{share:.2f}</td>' for share in row)
        + "</tr>"
        for word, row in zip(words, shares, strict=True)
    )
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in contexts)
    word, found, *noise = draws[-1].tolist()
    quoted = [f"“{contexts[place]}”" for place in (found, *noise)]
    pairs = ", ".join(
        f"{words[0]} and {words[k]} {cosine_similarity(center[0], center[k], dim=0):.2f}"
        for k in (1, len(words) // 2)
    )
    says = (
        f"Step {len(draws)}. The last pair: “{words[word]}” and {quoted[0]}; noise: "
        f"{', '.join(quoted[1:])}. Cosine similarity: {pairs.replace('-', '−')}."
    )
    page = PAGE.format(
        says=html.escape(says), alt=html.escape(alt), vectors=vectors, heads=heads, rows=body
    )
    model = {
        "words": list(words),
        "contexts": list(contexts),
        "draws": draws.tolist(),
        "center": start[0].tolist(),
        "context": start[1].tolist(),
        "rate": rate,
    }
    widget("pull", page, alt, model=model, parts=("player",))
