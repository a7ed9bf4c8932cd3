"""An image in patches, and what each of them, or the class token, attends to."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.image import imsave
from torch import Tensor

from book.widgets.board import widget


def patch_attention(
    titles: Sequence[str], pictures: Tensor, views: Mapping[str, Tensor], alt: str
) -> None:
    """Show pictures under a grid of patches: the reader chooses who looks, and through what.

    Args:
        titles: what each picture is, a word.
        pictures: (pictures, rows, columns), from 0 (paper) to 1 (ink); others are cut off.
        views: by name, (pictures, T, T): row i says what position i looks at. Position 0 is the
            class token, then the patches of a square grid, row by row.
        alt: what is to be seen.

    Raises:
        ValueError: ``alt`` is empty, or a view has not as many pictures as there are, or is not
            that of a square grid.
    """
    if not alt.strip():
        raise ValueError("patch_attention() got an empty alt text; say what is to be seen.")
    side = round((next(iter(views.values())).shape[-1] - 1) ** 0.5)
    shape = (len(pictures), side**2 + 1, side**2 + 1)
    for name, view in views.items():
        if view.shape != shape or len(titles) != len(pictures):
            raise ValueError(
                f"patch_attention() expects {len(pictures)} titles and views of shape {shape}; "
                f"{name} has {tuple(view.shape)}, and there are {len(titles)} titles."
            )
    model = {
        "titles": list(titles),
        "side": side,
        "pictures": [_png(picture) for picture in pictures],
        "views": {
            name: (1000 * view).round().int().flatten(1).tolist() for name, view in views.items()
        },
    }
    name, view = next(iter(views.items()))
    row = view[0, 0].tolist()
    cells = "".join(f'<i style="--w:{w / max(row[1:]):.3f}"></i>' for w in row[1:])
    page = (
        f'<div class="course-photo" style="--side:{side};'
        f'background-image:url({model["pictures"][0]})">{cells}</div>'
        f"<p>The class token of {html.escape(titles[0])}, {html.escape(name)}: "
        f"itself {row[0]:.0%}, patches {1 - row[0]:.0%}.</p>"
    )
    group = f'role="group" aria-label="{alt}"'
    widget("patches", page, alt, model=model, attributes=group)


def _png(picture: Tensor) -> str:
    """Black ink on white paper, as what CSS takes for a picture."""
    paper = 1 - np.asarray(picture.detach().cpu(), dtype=float).clip(0, 1)
    file = io.BytesIO()
    imsave(file, paper, format="png", cmap="gray", vmin=0, vmax=1, metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
