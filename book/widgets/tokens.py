"""A text that the reader types, cut into tokens as a trained tokenizer cuts it."""

from __future__ import annotations

import html
from collections.abc import Sequence

from book.widgets.board import widget
from solutions.tokenization import BytePairTokenizer, Pair, show_token

PAGE = """<div class="course-tools" hidden><label>Text: <textarea rows="2" spellcheck="false"
autocapitalize="off">{text}</textarea></label></div>
<p class="course-cut" aria-label="The tokens">{tokens}</p>
<p role="status">{said}</p>"""


def token_board(merges: Sequence[Pair], alt: str, *, text: str) -> None:
    """Show how a text is cut, and how it would be with fewer merges.

    Args:
        merges: as `solutions.tokenization.learn_merges` returns them.
        alt: what is to be seen.
        text: the one to begin with, and the only one without JavaScript.
    """
    tokenizer = BytePairTokenizer(merges)
    tokens = tokenizer.encode(text)
    shown = "".join(
        f'<span class="t{place % 4}" title="token {token}">'
        f"{html.escape(readable(tokenizer.vocabulary[token]))}</span>"
        for place, token in enumerate(tokens)
    )
    count = len(text.encode())
    said = f"{len(tokens)} tokens for {count} bytes: {count / len(tokens):.1f} bytes per token."
    page = PAGE.format(text=html.escape(text), tokens=shown, said=said)
    model = {"merges": [list(pair) for pair in merges]}
    widget("tokens", page, alt, model=model, parts=("player",))


def readable(token: bytes) -> str:
    """A token as a reader sees it: its text with spaces as ␣, or its bytes where it is no text."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "".join(f"⟨{byte:02x}⟩" for byte in token)
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥") or show_token(token)
