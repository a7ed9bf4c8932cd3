"""A picture of the reader's choice: what each model says, and the chances it gives each digit."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from torch import Tensor

from book.widgets.board import widget
from book.widgets.disagree import sheet_of

PAGE = """<div class="course-sheet" style="--sheet:url({sheet});--count:{count}">
<div class="course-thumbs">{thumbs}</div>
<div class="course-both"><i class="course-large" style="--at:0"></i>
<table><thead><tr><td></td>{digits}</tr></thead><tbody>{rows}</tbody></table></div></div>
<p role="status">{says}</p>"""


def verdict_board(
    pictures: Tensor, labels: Tensor, answers: Mapping[str, tuple[Tensor, Tensor | None]], alt: str
) -> None:
    """Show pictures to choose from, and for one of them every model's digit and its chances.

    Args:
        pictures: (pictures, rows, columns), from 0 (paper) to 1 (ink); it opens on the first.
        labels: (pictures,) int, what they are.
        answers: by model what it says, (pictures,) int, and the chances that it gives each digit,
            (pictures, 10), or None where it gives none.
        alt: what is to be seen.

    Raises:
        ValueError: ``alt`` is empty, or a model does not answer for all pictures.
    """
    if not alt.strip():
        raise ValueError("verdict_board() got an empty alt text; say what is to be seen.")
    count = len(pictures)
    for name, (said, chances) in answers.items():
        found = (len(said), count if chances is None else len(chances))
        if found != (count, count) or len(labels) != count:
            raise ValueError(
                f"verdict_board() got {count} pictures, {len(labels)} labels, and of {name} "
                f"{found[0]} answers and chances for {found[1]}."
            )
    models = [
        {
            "name": name,
            "said": said.tolist(),
            "chances": chances
            if chances is None
            else (100 * chances).round().int().flatten().tolist(),
        }
        for name, (said, chances) in answers.items()
    ]
    truth = labels.tolist()
    page = PAGE.format(
        sheet=sheet_of(pictures),
        count=count,
        thumbs="".join(
            f'<i style="--at:{place / max(count - 1, 1):.5f}"{" data-on" * (place == 0)}></i>'
            for place in range(count)
        ),
        digits="".join(
            f'<th scope="col"{" data-true" * (digit == truth[0])}>{digit}</th>'
            for digit in range(10)
        ),
        rows="".join(_row(model, truth[0]) for model in models),
        says=html.escape(_says(models, truth[0])),
    )
    widget(
        "verdict",
        page,
        alt,
        model={"labels": truth, "models": models},
        attributes=f'role="group" aria-label="{html.escape(alt)}"',
    )


def _row(model: Mapping, label: int) -> str:
    """One model's chances for the first picture, one cell for each digit."""
    said, cells = model["said"][0], ""
    for digit in range(10):
        chance = model["chances"][digit] if model["chances"] else 0
        mark = (" data-said" if digit == label else " data-wrong") * (digit == said)
        text = chance if chance else "·" * (digit == said)
        cells += f'<td style="--w:{chance / 100:g}"{mark}>{text}</td>'
    return f'<tr><th scope="row">{html.escape(model["name"])}</th>{cells}</tr>'


def _says(models: Sequence[Mapping], label: int) -> str:
    """The sentence to the first picture."""
    wrong = [model for model in models if model["said"][0] != label]
    text = f"This is {'an' if label == 8 else 'a'} {label}: {len(models) - len(wrong)} of "
    text += f"{len(models)} models recognize it."
    sure = [(m["chances"][m["said"][0]], m) for m in wrong if m["chances"]]
    if sure:
        chance, model = max(sure, key=lambda one: one[0])
        text += (
            f" The most confident mistake is {model['name']}’s: {chance}% for {model['said'][0]}."
        )
    return text
