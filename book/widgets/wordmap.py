"""A map of words on which the reader searches, and sees who lies near."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

WIDTH, HEIGHT, EDGE = 600, 440, 24

PAGE = """<p class="course-tools" hidden><label>Word: <input value="{word}" list="wordmap-words"
autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<datalist id="wordmap-words"></datalist> <button type="button">another</button></p>
<svg viewBox="0 0 {width} {height}" role="img" aria-label="{alt}" fill="currentColor">{dots}
<g class="course-names">{names}</g></svg><p role="status">{says}</p>"""


def word_map(words: Sequence[str], places: Tensor, nearest: Tensor, alt: str, *, word: str) -> None:
    """Show every word as a dot, and the one that the reader types with its nearest neighbors.

    Args:
        words: as many as there are dots.
        places: (words, 2) on the map.
        nearest: (words, neighbors) int, by the whole vectors, not by the map.
        alt: what is to be seen.
        word: the one to begin with, and the only one without JavaScript.

    Raises:
        ValueError: the three are not of one length, or ``word`` is not among the words.
    """
    if not len(words) == len(places) == len(nearest) or word not in words:
        raise ValueError(
            f"word_map() got {len(words)} words, {len(places)} places and {len(nearest)} rows of "
            f"neighbors, and begins with {word!r}."
        )
    low, high = places.amin(dim=0), places.amax(dim=0)
    share = (places - low) / (high - low)
    at = [
        (round(EDGE + (WIDTH - 2 * EDGE) * x), round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * y))
        for x, y in share.tolist()
    ]
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2"/>' for x, y in at)
    place = list(words).index(word)
    near = nearest[place].tolist()
    names = "".join(
        f'<circle cx="{at[k][0]}" cy="{at[k][1]}" r="{5 if k == place else 4}"/>'
        f'<text x="{at[k][0] + 7}" y="{at[k][1] + 4}">{html.escape(words[k])}</text>'
        for k in [*near, place]
    )
    said = html.escape(", ".join(words[k] for k in near))
    says = f"Nearest to {html.escape(word)}: {said}."
    page = PAGE.format(
        word=html.escape(word),
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        dots=dots,
        names=names,
        says=says,
    )
    widget("wordmap", page, alt, model={"words": list(words), "nearest": nearest.tolist()})
