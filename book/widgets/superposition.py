"""Features that share two dimensions: which are active, and what the model returns for them."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from math import comb

import torch
from torch import Tensor

from book.widgets.board import widget

WIDTH, UNIT = 320, 105  # of the drawing, and pixels of a length of 1
FAR = WIDTH / UNIT / 2  # where the axes end
REACH = 1.3  # the longest direction
PAGE = """<p role="status">{says}</p>
<div class="course-both"><svg class="course-plane" viewBox="0 0 {width} {width}" role="img"
aria-label="{alt}" fill="currentColor">
<path class="course-axes" d="M0 {half}H{width}M{half} 0V{width}"/>{arrows}{hidden}</svg>
<div class="course-returned"><table>
<caption>x′ = ReLU(WᵀW x + b)</caption>
<thead><tr><td></td>{heads}<th scope="col">b</th><th scope="col">x′</th></tr></thead>
<tbody>{rows}</tbody></table></div></div>"""


def superposition_board(
    models: Mapping[float, tuple[Tensor, Tensor]],
    importance: Tensor,
    alt: str,
    *,
    chance: float,
    active: Sequence[int] = (0,),
) -> None:
    """Show the directions of features in a plane, and the sum that returns each of them.

    The reader chooses the model, by the probability with which its features were active, and
    switches features on and off.

    Args:
        models: by that probability: W, (2, features), and b, (features,).
        importance: of each feature in the loss, (features,).
        alt: what is to be seen.
        chance: the model to begin with.
        active: the numbers of the features that are active at first, from 0.

    Raises:
        ValueError: there is no such model, or a matrix has not two rows or columns that are too
            long to be drawn.
    """
    if chance not in models or any(
        len(weight) != 2 or weight.norm(dim=0).max() > REACH for weight, _ in models.values()
    ):
        raise ValueError(
            f"superposition_board() expects a model for {chance}, and matrices of two rows with "
            f"columns of a length up to {REACH}."
        )
    given = {
        p: [_rounded(part) for part in (*weight, bias)] for p, (weight, bias) in models.items()
    }
    *weight, bias = (torch.tensor(part).double() for part in given[chance])
    weight = torch.stack(weight)
    x = torch.tensor([float(k in active) for k in range(len(bias))]).double()
    overlaps = weight.T @ weight
    returned = (overlaps @ x + bias).relu()
    loss = (importance.double().cpu() * (x - returned).square()).sum().item()
    features = range(len(bias))
    page = PAGE.format(
        says=html.escape(_says(chance, x, returned, loss)),
        width=WIDTH,
        half=WIDTH // 2,
        alt=html.escape(alt),
        arrows="".join(_arrow(k, weight[:, k], k in active) for k in features),
        hidden=_dot(weight @ x),
        heads="".join(f'<th scope="col">x{_sub(k)} = {x[k]:.0f}</th>' for k in features),
        rows="".join(_row(k, overlaps[k], bias[k], x, returned[k]) for k in features),
    )
    model = {
        "models": [[p, *parts] for p, parts in given.items()],
        "importance": _rounded(importance),
        "chance": chance,
        "active": x.int().tolist(),
        "axes": {"box": [0, WIDTH, 0, WIDTH], "x": [-FAR, FAR], "y": [-FAR, FAR]},
    }
    kind = 'role="group" aria-label="Features that share a plane"'
    widget("superposition", page, alt, model=model, attributes=kind, parts=("plane",))


def _rounded(values: Tensor) -> list[float]:
    return [round(value, 4) for value in values.double().tolist()]


def _sub(k: int) -> str:
    return str(k + 1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _says(chance: float, x: Tensor, returned: Tensor, loss: float) -> str:
    """The sentence at first; `superposition.js` writes the same."""
    count, most = int(x.sum()), int(returned.argmax())
    inputs = comb(len(x), count) * chance**count * (1 - chance) ** (len(x) - count)
    said = (
        f"p = {chance:g}: {100 * inputs:.1f}% of all inputs have {count} of {len(x)} features "
        f"active, as here. Returned most: feature {most + 1}, with {returned[most]:.2f}"
    )
    said += "." if x[most] else ", which is not active."
    return f"{said} The loss is {loss:.2f}."


def _place(point: Tensor) -> tuple[float, float]:
    return WIDTH / 2 + UNIT * point[0].item(), WIDTH / 2 - UNIT * point[1].item()


def _arrow(k: int, end: Tensor, active: bool) -> str:
    """A direction, with its number beyond its end; very short ones have none."""
    (x, y), far = _place(end), end.norm().item()
    out = 17 / max(far, 1e-9)
    on = ' data-on=""' if active else ""
    hide = ' visibility="hidden"' if far < 0.05 else ""
    return (
        f'<g class="course-feature"{on}{hide}>'
        f'<path d="M{WIDTH // 2} {WIDTH // 2}L{x:.1f} {y:.1f}"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/><text x="{x + out * end[0]:.1f}" '
        f'y="{y - out * end[1] + 5:.1f}">{k + 1}</text></g>'
    )


def _dot(end: Tensor) -> str:
    x, y = _place(end)
    return f'<circle class="course-hidden" cx="{x:.1f}" cy="{y:.1f}" r="6.5"/>'


def _row(k: int, overlaps: Tensor, bias: Tensor, x: Tensor, returned: Tensor) -> str:
    cells = "".join(
        f"<td{_tint(value.item() * on.item())}>{_number(value)}</td>"
        for value, on in zip(overlaps, x, strict=True)
    )
    error = (returned - x[k]).abs().clamp(max=1).item()
    return (
        f'<tr><th scope="row">{k + 1}</th>{cells}<td>{_number(bias)}</td>'
        f'<td class="course-sum" style="--w:{error:.2f}">{_number(returned)}</td></tr>'
    )


def _tint(value: float) -> str:
    sign = "" if value >= 0 else " data-less"
    return f'{sign} style="--w:{min(abs(value), 1):.2f}"'


def _number(value: Tensor) -> str:
    return f"{value.item():.2f}".replace("-0.00", "0.00").replace("-", "−")
