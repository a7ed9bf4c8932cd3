"""A small GPT in one file that a browser can read: int8 weights, scales, and the merges.

The file is a script that hands one object to `SmallGPT.load`, because a page that is opened as a
file may load scripts and nothing else. Each row of a matrix, and each vector, has one scale: its
largest entry divided by 127. Weights are the product of int8 and scale, on a page and in torch.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import torch

from solutions.gpt import GPT
from solutions.tokenization import BytePairTokenizer

FILE = Path(__file__).parent / "_static" / "small_gpt" / "weights.js"
CALL = "SmallGPT.load("


def pack(model: GPT, merges: list[tuple[int, int]]) -> str:
    """Round a model's weights to int8, and write them with its tokenizer.

    Args:
        model: a `GPT` with learned positions.
        merges: of the tokenizer, as `solutions.tokenization.learn_merges` returns them.

    Returns:
        The text of the script.
    """
    scales, levels, shapes = [], [], {}
    for name, tensor in model.state_dict().items():
        if name == "head.weight":  # the table of tokens once more
            continue
        rows = tensor.detach().float().reshape(-1, tensor.shape[-1])
        scale = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
        scales.append(scale.flatten())
        levels.append((rows / scale).round().to(torch.int8).flatten())
        shapes[name] = list(tensor.shape)
    config = model.config
    sizes = ("vocabulary", "embed_dim", "num_heads", "num_layers", "longest")
    content = {
        "sizes": {name: getattr(config, name) for name in sizes},
        "shapes": shapes,
        "merges": [number for pair in merges for number in pair],
        "scales": _text(torch.cat(scales).numpy().astype("<f4")),
        "levels": _text(torch.cat(levels).numpy()),
    }
    return f"{CALL}{json.dumps(content, separators=(',', ':'))});\n"


def unpack(text: str) -> tuple[GPT, BytePairTokenizer]:
    """Read what `pack` has written.

    Args:
        text: of the script.

    Returns:
        The model in evaluation mode, float32, with the rounded weights; and its tokenizer.

    Raises:
        ValueError: the text is not such a script.
    """
    if not text.startswith(CALL):
        raise ValueError(f"expected a script that begins with {CALL!r}, got {text[:20]!r}")
    content = json.loads(text.removeprefix(CALL).rstrip().removesuffix(");"))
    scales = torch.from_numpy(_array(content["scales"], "<f4"))
    levels = torch.from_numpy(_array(content["levels"], "i1"))
    state, row, at = {}, 0, 0
    for name, shape in content["shapes"].items():
        width, size = shape[-1], int(np.prod(shape))
        rows = levels[at : at + size].reshape(-1, width).float()
        state[name] = (rows * scales[row : row + len(rows), None]).reshape(shape)
        row, at = row + len(rows), at + size
    model = GPT(**content["sizes"])
    model.load_state_dict(state | {"head.weight": state["embed.weight"]})
    pairs = np.array(content["merges"]).reshape(-1, 2).tolist()
    return model.eval(), BytePairTokenizer([(left, right) for left, right in pairs])


def small_gpt() -> tuple[GPT, BytePairTokenizer]:
    """Load the GPT that the page *Inside a GPT* runs; `benchmarks/small_gpt.py` has trained it."""
    return unpack(FILE.read_text())


def _text(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _array(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=kind).copy()
