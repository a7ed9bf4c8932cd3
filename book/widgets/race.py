"""A race of plain and speculative decoding: the same text, pass by pass of the target."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from book.widgets.board import widget
from solutions.gpt import speculate

Pass = tuple[str, int]  # what the draft proposed, and how many of it stayed

PAGE = """<p>{alt}</p>
<p class="course-lane"><b>one character per pass</b><span>{before}<i>{text}</i></span></p>
<p class="course-lane"><b>speculative decoding</b><span>{before}<i>{marked}</i></span></p>
<p class="course-key"><mark>proposed, accepted</mark> <u>written by the target</u>
<s>proposed, rejected</s></p>
<p role="status">{says}</p>"""


def passes_of(
    target: Callable[[Tensor], Tensor],
    draft: Callable[[Tensor], Tensor],
    prompt: Tensor,
    *,
    count: int,
    ahead: int,
    generator: torch.Generator,
) -> tuple[Tensor, list[tuple[Tensor, int]]]:
    """Follow `speculate`: what each pass was given, and how much of it stayed.

    Args:
        target: as for `speculate`.
        draft: the same.
        prompt: (T,) int64.
        count: tokens to write.
        ahead: tokens that are proposed at a time.
        generator: of the chances.

    Returns:
        (n,) int64, what all passes but the last one wrote, which may have been cut off; and for
        each of them (ahead,) int64, the proposals, and how many were accepted.
    """
    given = []

    def followed(tokens: Tensor) -> Tensor:
        given.append(tokens[0])
        return target(tokens)

    written, _ = speculate(followed, draft, prompt, count=count, ahead=ahead, generator=generator)
    starts = [len(tokens) - ahead for tokens in given]
    kept = [end - start - 1 for start, end in pairwise(starts)]
    found = [(tokens[len(tokens) - ahead :], m) for tokens, m in zip(given, kept, strict=False)]
    return written[: starts[-1] - len(prompt)], found


def decoding_race(before: str, text: str, passes: Sequence[Pass], alt: str) -> None:
    """Show a text as it was written by speculative decoding, beside one character per pass.

    Args:
        before: the prompt.
        text: what was written.
        passes: of the target, from the first: what was proposed, and how many stayed.
        alt: what is to be seen.

    Raises:
        ValueError: the accepted proposals, and one more character for each pass, are not the text.
    """
    marked, at = "", 0
    for proposed, kept in passes:
        if text[at : at + kept] != proposed[:kept]:
            raise ValueError(f"decoding_race(): pass at {at} keeps {proposed[:kept]!r}, not so.")
        marked += f"<mark>{_seen(proposed[:kept])}</mark>" * (kept > 0)
        marked += f"<u>{_seen(text[at + kept : at + kept + 1])}</u>"
        at += kept + 1
    if at != len(text):
        raise ValueError(f"decoding_race(): the passes write {at} characters, not {len(text)}.")
    page = PAGE.format(
        alt=html.escape(alt),
        before=_seen(before),
        text=_seen(text),
        marked=marked,
        says=f"{len(text)} characters: {len(passes)} passes of the target with speculation, "
        f"{len(text)} without.",
    )
    model = {"text": text, "passes": [list(one) for one in passes]}
    widget("race", page, alt, model=model, parts=("player",))


def _seen(text: str) -> str:
    return html.escape(text.replace("\n", "⏎"))
