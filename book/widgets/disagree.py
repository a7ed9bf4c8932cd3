"""Two models of the reader's choice, and the pictures on which they disagree."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence

import numpy as np
from matplotlib.image import imsave
from torch import Tensor

from book.widgets.board import widget


def disagreement(
    names: Sequence[str],
    pictures: Tensor,
    labels: Tensor,
    answers: Tensor,
    alt: str,
    *,
    first: str,
    second: str,
) -> None:
    """Show which pictures only one of two models reads rightly; the reader chooses the two.

    Args:
        names: of the models.
        pictures: (pictures, rows, columns), from 0 (paper) to 1 (ink).
        labels: (pictures,) int, what they are.
        answers: (models, pictures) int, what each model says.
        alt: what is to be seen.
        first: the model to begin with.
        second: the other; without JavaScript there are only these two.

    Raises:
        ValueError: ``alt`` is empty, or the models do not answer for all pictures, or a model to
            begin with is not among them.
    """
    if not alt.strip():
        raise ValueError("disagreement() got an empty alt text; say what is to be seen.")
    if answers.shape != (len(names), len(pictures)) or len(labels) != len(pictures):
        raise ValueError(
            f"disagreement() got {len(names)} models, {len(pictures)} pictures, {len(labels)} "
            f"labels and answers of shape {tuple(answers.shape)}."
        )
    if {first, second} - {*names}:
        raise ValueError(f"disagreement() begins with {first!r} and {second!r}; it has {names}.")
    kept = (answers != answers[0]).any(dim=0).nonzero()[:, 0]
    kept = kept[labels[kept].argsort(stable=True)]
    alike = (answers[0] == labels) & (answers == answers[0]).all(dim=0)
    model = {
        "names": list(names),
        "truth": labels[kept].tolist(),
        "answers": answers[:, kept].tolist(),
        "right": int(alike.sum()),  # by all models, and not kept
        "total": len(labels),
        "begin": [list(names).index(name) for name in (first, second)],
    }
    one, two = (model["answers"][place] for place in model["begin"])
    groups = ""
    for text, wanted in (
        (f"Only {first} is right", (True, False)),
        (f"Only {second} is right", (False, True)),
        ("Both are wrong, with different answers", (False, False)),
    ):
        places = [
            (place, label)
            for place, label in enumerate(model["truth"])
            if (one[place] == label, two[place] == label) == wanted and one[place] != two[place]
        ]
        items = "".join(
            f'<li aria-label="a {label}, read as {one[place]} and {two[place]}">'
            f'<i style="--at:{place / max(len(kept) - 1, 1):.5f}"></i>'
            f"{_answer(one[place], label)} {_answer(two[place], label)}</li>"
            for place, label in places
        )
        groups += f"<p><b>{html.escape(text)}: {len(places)}</b></p><ul>{items}</ul>"
    both = model["right"] + sum(
        a == b == label for a, b, label in zip(one, two, model["truth"], strict=True)
    )
    pair = f"{html.escape(first)} and {html.escape(second)}"
    sheet = sheet_of(pictures[kept])
    widget(
        "disagree",
        f'<div class="course-tools"></div><p class="course-says" role="status">'
        f"{pair} both classify {both} of {len(labels)} pictures correctly.</p>"
        f'<div class="course-lists" style="--sheet:url({sheet});--count:{len(kept)}">'
        f"{groups}</div>",
        alt,
        model=model,
        attributes=f'role="group" aria-label="{html.escape(alt)}"',
    )


def _answer(said: int, label: int) -> str:
    return f"<b>{said}</b>" if said == label else f"<span>{said}</span>"


def sheet_of(pictures: Tensor) -> str:
    """One below the other on one sheet, black ink on white paper, for CSS."""
    paper = 1 - np.asarray(pictures.detach().cpu().flatten(0, 1), dtype=float).clip(0, 1)
    file = io.BytesIO()
    imsave(file, paper, format="png", cmap="gray", vmin=0, vmax=1, metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
