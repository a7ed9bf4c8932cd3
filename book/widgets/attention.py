"""A map of attention weights to explore: a row per query, a column per key, a shade per weight."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

import numpy as np

from book.widgets.board import widget


def attention_map(
    tokens: Sequence[str],
    weights: object,
    queries: Sequence[str] | None = None,
    alt: str = "",
    *,
    opens: str = "",
    names: Sequence[str] = (),
    notes: Sequence[tuple[str, str]] = (),
    verb: str = "attends to",
    written: bool = False,
) -> None:
    """Show attention weights to explore: point at a row, click to hold it, or use the arrow keys.

    Args:
        tokens: the keys, one per column.
        weights: (queries, keys) or (heads, queries, keys); each row sums to one, or to zero.
        queries: one token per row; the tokens themselves where not given.
        alt: what the map shows.
        opens: the query that is looked at first; by default the one that looks hardest at another.
        names: one per head, for the buttons; by default they are numbered.
        notes: an anchor and a sentence for each head after the first, as of
            `book.mistakes.known_mistakes`; a link to the anchor shows that head.
        verb: between a query and its keys in the sentence below the map.
        written: whether a decoder writes or reads the queries one by one: then it can be played.

    Raises:
        ValueError: ``alt`` is empty, ``opens`` is no query, the names are not as many as the heads,
            there is not one note for each head after the first, or the weights are not of that
            shape or not from 0 to 1.
    """
    queries = tokens if queries is None else queries
    weights = weights.detach().cpu() if hasattr(weights, "detach") else weights
    heads = np.asarray(weights, dtype=float)
    heads = heads[None] if heads.ndim == 2 else heads
    if heads.shape[1:] != (len(queries), len(tokens)):
        raise ValueError(
            f"attention_map() expects weights of shape (heads, {len(queries)}, {len(tokens)}) or "
            f"without heads, for {len(queries)} queries and {len(tokens)} keys; "
            f"got {tuple(np.shape(weights))}."
        )
    if not alt.strip():
        raise ValueError("attention_map() got an empty alt text; say what the map shows.")
    if names and len(names) != len(heads):
        raise ValueError(f"attention_map() got {len(names)} names for {len(heads)} heads.")
    if notes and (len(notes) != len(heads) - 1 or not names):
        raise ValueError(f"attention_map() got {len(notes)} notes for {len(heads)} named heads.")
    if opens and opens not in queries:
        raise ValueError(f"attention_map(opens={opens!r}) expects one of its queries: {queries}")
    if not ((heads >= 0) & (heads <= 1.000001)).all():
        raise ValueError(
            "attention_map() expects weights from 0 to 1, as softmax gives them; "
            f"got {heads.min():g} to {heads.max():g}."
        )
    digits = np.rint(heads * 1000).astype(int)  # thousandths
    keys, rows = [html.escape(token) for token in tokens], ""
    for query, row in zip(queries, digits[0], strict=True):
        cells = "".join(f'<td style="--w:{w / 1000:g}">{w / 1000:.2f}</td>' for w in row)
        rows += f'<tr><th scope="row">{html.escape(query)}</th>{cells}</tr>\n'
    columns = "".join(f'<th scope="col"><span>{key}</span></th>' for key in keys)
    widget(
        "attention",
        f'<div class="course-scroll">'
        f"<table><caption>{html.escape(alt)}</caption><thead><tr><td></td>{columns}</tr></thead>\n"
        f"<tbody>{rows}</tbody></table></div>"
        + "".join(
            f'<p class="course-note" id="{anchor}"><b>{html.escape(name)}:</b> {sentence(said)}</p>'
            for name, (anchor, said) in zip(names[1:], notes, strict=False)
        ),
        alt,
        model=digits.tolist() if len(digits) > 1 else [],
        parts=("player",),  # the first map of a page brings the script of all
        attributes=f'data-verb="{html.escape(verb)}" style="--max:{digits[0].max() / 1000 or 1:g}"'
        + " data-numbers" * (len(keys) < 10)
        + " data-written" * written
        + (f' data-opens="{list(queries).index(opens)}"' if opens else "")
        + (f' data-names="{html.escape("|".join(names))}"' if names else ""),
    )


def sentence(said: str) -> str:
    """A sentence of the grader as HTML: code between backticks, emphasis between asterisks."""
    said = re.sub("`(.+?)`", r"<code>\1</code>", html.escape(said))
    return re.sub(r"\*(\w[^*]*)\*", r"<em>\1</em>", said)
