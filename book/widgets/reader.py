"""A digit that the reader draws: networks of the page read it, in the browser, as it is drawn."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from book.widgets.board import board_and_bars, widget

Layers = Sequence[tuple[Tensor, Tensor]]  # weights and biases, from below


def read_digit(networks: Mapping[str, Layers], examples: Tensor, alt: str) -> None:
    """Show a board to draw on, and what each network reads; with one network, its hidden units.

    Args:
        networks: by name, as for `scored`. Their weights go to the page in 8 bits.
        examples: (pictures, 64), from 0 (paper) to 1 (ink) in sixteenths; it opens on the first.
        alt: what is to be seen.

    Raises:
        ValueError: a network does not make ten scores of 64 pixels.
    """
    for name, layers in networks.items():
        if len(layers[-1][1]) != 10:
            raise ValueError(f"read_digit() expects ten scores, {name} has {len(layers[-1][1])}.")
    coarse = {name: in_bytes(layers) for name, layers in networks.items()}
    first = examples[:1].cpu()
    chances = {name: scored(layers, first)[0].softmax(dim=0) for name, layers in coarse.items()}
    shares = next(iter(chances.values())).tolist()
    model = {
        "networks": {name: [*map(packed, layers)] for name, layers in networks.items()},
        "examples": [
            "".join("0123456789abcdefg"[round(16 * v)] for v in one) for one in examples.tolist()
        ],
    }
    page = (
        f"<p>{html.escape(alt)}</p>"
        + board_and_bars(first[0].tolist(), shares, [f"{100 * share:.0f}%" for share in shares])
        + f'<p role="status">{html.escape(_says(chances))}</p>'
    )
    widget("reader", page, alt, model=model, parts=("digit", "network"))


def scored(layers: Layers, pictures: Tensor) -> Tensor:
    """Scores of a network for pictures: a ReLU after each layer but the last.

    Args:
        layers: weights and biases. Weights (outputs, inputs) are dense; (outputs, inputs, 3, 3) are
            convolved with padding 1, and 2×2 max pooling follows.
        pictures: (B, 64).

    Returns:
        (B, 10).
    """
    x = pictures
    for number, (weight, bias) in enumerate(layers, 1):
        if weight.ndim == 4:
            side = round((x[0].numel() / weight.shape[1]) ** 0.5)
            x = F.conv2d(x.reshape(len(x), -1, side, side), weight, bias, padding=1)
            x = F.max_pool2d(x.relu(), 2).flatten(1)
        else:
            x = F.linear(x, weight, bias)
            x = x.relu() if number < len(layers) else x
    return x


def in_bytes(layers: Layers) -> list[tuple[Tensor, Tensor]]:
    """The same network with the weights that the page gets: 255 levels for each output."""
    return [
        ((levels * scales[:, None]).reshape(weight.shape), bias.detach().cpu().float())
        for weight, bias in layers
        for levels, scales in [_levels(weight)]
    ]


def _levels(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers from −127 to 127, a row for each output, and what each row is multiplied by."""
    rows = weight.detach().cpu().float().flatten(1)
    scales = (rows.abs().amax(dim=1) / 127).clamp(min=1e-12)
    return (rows / scales[:, None]).round(), scales


def packed(layer: tuple[Tensor, Tensor]) -> dict[str, object]:
    """A layer as the page gets it: weights as whole numbers, a scale for each output, biases."""
    weight, bias = layer
    levels, scales = _levels(weight)
    return {
        "shape": list(weight.shape),
        "levels": base64.b64encode(levels.to(torch.int8).numpy().tobytes()).decode(),
        "scales": [float(f"{scale:.6g}") for scale in scales.tolist()],
        "bias": [float(f"{one:.6g}") for one in bias.tolist()],
    }


def _says(chances: Mapping[str, Tensor]) -> str:
    """The sentence to a picture."""
    found = []
    for name, of in chances.items():
        most, digit = of.max(dim=0)
        share = min(99.9, 100 * most.item())
        found.append(f"{name} reads {'an' if digit == 8 else 'a'} {digit} ({share:.1f}%)")
    said = "; ".join(found)
    return f"{said[0].upper()}{said[1:]}."
