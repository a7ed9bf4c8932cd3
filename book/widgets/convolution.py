"""A kernel over a picture, to step through: window times kernel gives one output."""

from __future__ import annotations

import html

import numpy as np

from book.widgets.board import widget


def convolution_steps(input: object, kernel: object, alt: str = "") -> None:
    """Show a kernel over a picture, to step through: window times kernel gives one output.

    The reader chooses stride, padding and dilation; every number is computed again in the page.
    Without JavaScript the picture, the kernel and the plain result are shown.

    Args:
        input: (rows, columns) of whole numbers.
        kernel: (height, width) of whole numbers; with dilation 2 it must fit into the picture.
        alt: what is to be seen.

    Raises:
        ValueError: ``alt`` is empty, or the numbers are not whole or not two pictures that fit.
    """
    if not alt.strip():
        raise ValueError("convolution_steps() got an empty alt text; say what is to be seen.")
    picture, weights = np.asarray(input, dtype=float), np.asarray(kernel, dtype=float)
    if picture.ndim != 2 or weights.ndim != 2:
        raise ValueError(
            "convolution_steps() expects a picture (rows, columns) and a kernel (height, width), "
            f"got shapes {picture.shape} and {weights.shape}."
        )
    if np.any(2 * np.array(weights.shape) - 1 > picture.shape):
        raise ValueError(
            f"A kernel {weights.shape} with dilation 2 does not fit into a picture {picture.shape}."
        )
    if not (np.all(picture == np.rint(picture)) and np.all(weights == np.rint(weights))):
        raise ValueError("convolution_steps() expects whole numbers, so that sums are exact.")
    windows = np.lib.stride_tricks.sliding_window_view(picture, weights.shape)
    result = np.einsum("ijuv,uv->ij", windows, weights)
    widget(
        "convolution",
        f'<div class="course-tables">{_grid("input", picture, weights.shape)}'
        f'<span class="course-sign" aria-hidden="true">⋆</span>{_grid("kernel", weights, (0, 0))}'
        f'<span class="course-sign" aria-hidden="true">=</span>{_grid("output", result, (1, 1))}'
        "</div>",
        alt,
        attributes=f'role="group" aria-label="{html.escape(alt)}"',
        parts=("player", "digit"),
    )


def _grid(name: str, values: np.ndarray, on: tuple[int, int]) -> str:
    """A table of numbers, of which the first ones, so many down and across, are marked."""
    body = ""
    for i, row in enumerate(values.astype(int)):
        cells = ""
        for j, number in enumerate(row):
            marks = " data-negative" if number < 0 else ""
            marks += " data-on" if i < on[0] and j < on[1] else ""
            text = str(number).replace("-", "−")
            cells += f'<td data-n="{number}" style="--n:{number}"{marks}>{text}</td>'
        body += f"<tr>{cells}</tr>"
    most = int(np.abs(values).max()) or 1
    return (
        f'<div class="course-scroll"><table style="--max:{most}"><caption>{name}</caption>'
        f"<tbody>{body}</tbody></table></div>"
    )
