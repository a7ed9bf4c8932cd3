"""A digit that the reader moves, pixel by pixel, and what several networks read in it."""

from __future__ import annotations

import html
from collections.abc import Mapping

from torch import Tensor

from book.widgets.board import widget
from book.widgets.reader import Layers, packed


def shift_digit(
    pictures: Tensor,
    labels: Tensor,
    chances: Mapping[str, Tensor],
    alt: str,
    *,
    reach: int,
    networks: Mapping[str, Layers],
) -> None:
    """Show a picture to be moved by arrows, and each network's answer at every place.

    A digit that the reader has drawn is read in the browser, by the networks that are given.

    Args:
        pictures: (pictures, 8, 8), from 0 (paper) to 1 (ink) in sixteenths.
        labels: (pictures,) int.
        chances: by network, (pictures, 2 reach + 1, 2 reach + 1, 10): its probabilities, down and
            to the right.
        alt: what is to be seen.
        reach: by how many pixels the picture moves, each way.
        networks: some of the same names, each as for `book.widgets.reader.scored`.

    Raises:
        ValueError: the chances of a network are not of that shape, or a network has none.
    """
    if unknown := {*networks} - {*chances}:
        raise ValueError(f"shift_digit() has no chances of {', '.join(sorted(unknown))}.")
    places = 2 * reach + 1
    for name, found in chances.items():
        if found.shape != (len(pictures), places, places, 10):
            raise ValueError(
                f"shift_digit() expects chances of shape {(len(pictures), places, places, 10)}, "
                f"{name} has {tuple(found.shape)}."
            )
    answers = {name: (found.argmax(-1), found.amax(-1)) for name, found in chances.items()}
    model = {
        "reach": reach,
        "labels": labels.tolist(),
        "pictures": [
            "".join("0123456789abcdefg"[round(16 * v)] for v in one)
            for one in pictures.flatten(1).tolist()
        ],
        "reads": {
            name: ["".join(map(str, one)) for one in best.flatten(1).tolist()]
            for name, (best, _) in answers.items()
        },
        "sure": {
            name: [[round(100 * p) for p in one] for one in sure.flatten(1).tolist()]
            for name, (_, sure) in answers.items()
        },
        "networks": {name: [*map(packed, layers)] for name, layers in networks.items()},
    }
    label = labels[0].item()
    rows = ""
    for name, (best, sure) in answers.items():
        digit, chance = best[0, reach, reach].item(), sure[0, reach, reach].item()
        wrong = " data-wrong" * (digit != label)
        rows += (
            f'<tr><th scope="row">{html.escape(name)}</th><td{wrong}>{digit}</td>'
            f"<td>{100 * chance:.0f}%</td></tr>"
        )
    cells = [f'<i style="--ink:{ink:.3f}"></i>' for ink in pictures[0].flatten().tolist()]
    lines = ("".join(cells[start : start + 8]) for start in range(0, 64, 8))
    board = "".join(f'<div class="course-line">{line}</div>' for line in lines)
    page = (
        f'<div class="course-both"><div class="course-board" role="img" aria-label="A {label}">'
        f'{board}</div><div class="course-table"><table class="table"><thead><tr>'
        '<th scope="col">Network</th><th scope="col">predicts</th>'
        '<th scope="col">probability</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div></div>"
        f'<p role="status">A {label}, not moved.</p>'
    )
    label = f'role="group" aria-label="{alt}"'
    widget("shift", page, alt, model=model, attributes=label, parts=("digit", "network"))
