"""The nearest neighbors of a word that the reader types, by one set of vectors or several."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from book.widgets.board import widget

PAGE = """<p class="course-tools" hidden><label>Word: <input value="{word}" list="course-words"
autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<datalist id="course-words"></datalist> <button type="button">another</button></p>
<div class="course-table"><table class="table">
<caption>The six nearest of {count} words.</caption>
<thead><tr><th scope="col">Vectors</th><th scope="col">Nearest neighbors</th></tr></thead>
<tbody>{rows}</tbody></table></div><p role="status" hidden></p>"""


def neighbor_table(
    vocabulary: Sequence[str], vectors: Mapping[str, Tensor], alt: str, *, word: str
) -> None:
    """Show the six words with the highest cosine to one that the reader chooses.

    Args:
        vocabulary: the words; the first stands for all that are unknown, and is not offered.
        vectors: by the name of the method, (words, features) float.
        alt: what is to be seen.
        word: the one to begin with, and the only one without JavaScript.
    """
    lists = {name: _six_nearest(table) for name, table in vectors.items()}
    place = vocabulary.index(word)
    rows = ""
    for name, found in lists.items():
        near = html.escape(", ".join(vocabulary[n] for n in found[place]))
        rows += f'<tr><th scope="row">{html.escape(name)}</th><td>{near}</td></tr>'
    page = PAGE.format(word=word, count=len(vocabulary), rows=rows)
    model = {"words": list(vocabulary), "lists": list(lists.values())}
    widget("neighbors", page, alt, model=model)


def _six_nearest(vectors: Tensor) -> list[list[int]]:
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = (unit @ unit.T).fill_diagonal_(-math.inf)
    return cosine.topk(6, dim=1).indices.tolist()
