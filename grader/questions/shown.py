"""Numbers as a text shows them: formulas of LaTeX, with as many decimal places as are needed."""

from __future__ import annotations

import math

import torch


def num(value: float | torch.Tensor, places: int = 3) -> str:
    """A number without zeros at its end: 0.5, 3, −0.125."""
    value = float(value)
    if math.isnan(value):
        return r"\text{NaN}"
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    text = f"{value:.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def table(values: object, places: int = 3) -> str:
    """A number, a vector as a row, or a matrix, in LaTeX."""
    array = torch.as_tensor(values)
    while array.dim() > 2 and len(array) == 1:  # a batch of one
        array = array[0]
    if array.dim() > 2:
        raise ValueError(f"a table has at most two axes, got shape {tuple(array.shape)}")
    if array.dim() == 0:
        return num(array.item(), places)
    rows = array.tolist() if array.dim() == 2 else [array.tolist()]
    body = r" \\ ".join(" & ".join(num(one, places) for one in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def logs(parts: list) -> str:
    """The natural logarithms of a row of numbers, or of rows of them, as a matrix in LaTeX."""
    rows = parts if isinstance(parts[0], list) else [parts]
    body = r" \\ ".join(" & ".join(rf"\ln {one}" for one in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def logarithms(parts: list) -> torch.Tensor:
    """The numbers that `logs` shows, float64."""
    return torch.tensor(parts, dtype=torch.float64).log()


def result(values: object, places: int = 3) -> str:
    """The result of a function, as a formula inside of a sentence; a list as code."""
    if isinstance(values, torch.Tensor | int | float):
        return f"${table(values, places)}$"
    return f"`{values!r}`"
