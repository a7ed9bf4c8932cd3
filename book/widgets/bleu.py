"""Translations of one sentence by several models, and BLEU of any that the reader edits."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from book.widgets.board import widget
from solutions.seq2seq import corpus_bleu

WORDS = re.compile(r"\w+(?:['.-]\w+)*|[^\w\s]")
LONGEST = 4

PAGE = """<p class="course-german"><b>German</b> <span lang="de">{source}</span></p>
<p class="course-english"><b>reference</b> <span>{target}</span></p>
<div class="course-scroll"><table><thead><tr><th scope="col">written by</th>
<th scope="col">translation</th><th scope="col">BLEU</th></tr></thead><tbody>{rows}</tbody>
</table></div><p role="status">{says}</p>"""


def bleu_board(
    sentences: Sequence[tuple[str, str]], written: Mapping[str, Sequence[str]], alt: str
) -> None:
    """Show what each model wrote for a sentence that the reader picks, and score what is edited.

    Args:
        sentences: source and reference of each.
        written: by model, a translation of each sentence.
        alt: what is to be seen.

    Raises:
        ValueError: a model has not translated every sentence.
    """
    for name, texts in written.items():
        if len(texts) != len(sentences):
            raise ValueError(
                f"bleu_board() expects {len(sentences)} translations by {name}, got {len(texts)}."
            )
    source, target = sentences[0]
    scores = {name: sentence_bleu(texts[0], target) for name, texts in written.items()}
    rows = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td><div>{html.escape(texts[0])}</div></td>'
        f"<td>{scores[name]:.1f}</td></tr>"
        for name, texts in written.items()
    )
    best = max(scores, key=lambda name: scores[name])
    says = f"{best} has the highest BLEU for this sentence, {scores[best]:.1f}."
    page = PAGE.format(
        source=html.escape(source), target=html.escape(target), rows=rows, says=html.escape(says)
    )
    model = {
        "sentences": [list(pair) for pair in sentences],
        "written": {name: list(texts) for name, texts in written.items()},
    }
    label = f'role="group" aria-label="{html.escape(alt)}"'
    widget("bleu", page, alt, model=model, attributes=label)


def sentence_bleu(text: str, reference: str) -> float:
    """BLEU of one sentence, smoothed: a short one seldom has a run of four in common.

    Args:
        text: a translation.
        reference: the translation to compare it with.
    """
    return corpus_bleu([words(text)], [[words(reference)]], longest=LONGEST, smooth=True)


def words(text: str) -> list[str]:
    """Words and signs of a text; a sign within a word stays in it."""
    return WORDS.findall(text.lower())
