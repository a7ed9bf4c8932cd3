"""Two shapes that the reader chooses, aligned at their last axes, and what is added to what."""

from __future__ import annotations

import html
from collections.abc import Sequence

from book.widgets.board import widget
from solutions.refresher import broadcast_shape

Shape = tuple[int, ...]

PAGE = """<p role="status">{says}</p>
<div class="course-scroll"><table class="course-aligned"><tbody>{rows}</tbody></table></div>"""


def broadcast_board(shapes: Sequence[Shape], first: Shape, second: Shape, alt: str) -> None:
    """Show how two shapes are aligned, and for each entry of the sum which two it comes from.

    Args:
        shapes: those to choose among, with one or two axes.
        first: the one that is chosen at first; it fits the next one.
        second: the same for the other tensor.
        alt: what is to be seen.

    Raises:
        ValueError: the two do not fit, are not among the shapes, or a shape has other than one or
            two axes.
    """
    if {first, second} - {*shapes} or not all(1 <= len(shape) <= 2 for shape in shapes):
        raise ValueError(
            f"broadcast_board() expects two of the shapes, of one or two axes; got {shapes}, "
            f"{first} and {second}."
        )
    result = broadcast_shape(first, second)
    rows = ""
    for name, shape in (("A", first), ("B", second), ("A + B", result)):
        missing = "(1)" if name in ("A", "B") and len(result) == 2 else ""
        cells = [missing] * (2 - len(shape)) + [str(size) for size in shape]
        rows += f'<tr><th scope="row">{name}</th>' + "".join(f"<td>{c}</td>" for c in cells)
        rows += "</tr>"
    says = f"{_told(first)} and {_told(second)} fit: the sum has the shape {_told(result)}."
    page = PAGE.format(says=says, rows=rows)
    model = {
        "shapes": [list(shape) for shape in shapes],
        "chosen": [list(shapes).index(first), list(shapes).index(second)],
    }
    label = f'role="group" aria-label="{html.escape(alt)}"'
    widget("broadcast", page, alt, model=model, attributes=label, parts=("player",))


def _told(shape: Shape) -> str:
    return " × ".join(map(str, shape))
