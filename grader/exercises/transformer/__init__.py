"""Exercises on the Transformer: heads, positions, norms, and the layers made of them.

What they share: what torch has ready-made, and generators of parameters.
"""

import numpy as np

from grader.author.parameters import few_bits

READY_MADE = ("nn.MultiheadAttention", "F.multi_head_attention_forward")
LAYERS = (*READY_MADE, "nn.TransformerEncoderLayer", "nn.TransformerDecoderLayer")
HEADS = ("split_heads", "merge_heads", "repeat_heads")


def dense(rng, name, outputs, inputs, *, bias=True):
    """Parameters of an `nn.Linear`, by name."""
    made = {f"{name}.weight": rng.standard_normal((outputs, inputs)) / inputs**0.5}
    made |= {f"{name}.bias": 0.4 * rng.standard_normal(outputs)} if bias else {}
    return few_bits(made)


def attention(rng, features, heads, *, kv_heads=None, qk_norm=False, bias=True, name=""):
    """Parameters of a `MultiHeadAttention`, by name; large enough that heads choose.

    What is added to all keys changes no weight, so the gradient of the keys' bias is 0 but for
    rounding. With biases the numbers are small, so that rounding stays below what is compared.
    """
    d_k = features // heads
    fewer = (kv_heads or heads) * d_k
    made = {}
    sizes = {"query": features, "key": fewer, "value": fewer, "output": features}
    for part, outputs in sizes.items():
        of = dense(rng, f"{name}{part}", outputs, features, bias=bias)
        made |= {key: (0.4 if bias else 1.5) * value for key, value in of.items()}
    if qk_norm:
        for part in ("query_norm", "key_norm"):
            made[f"{name}{part}.weight"] = 1 + 0.5 * rng.standard_normal(d_k)
    return few_bits(made)


def norm(rng, name, features, *, bias=True):
    """Parameters of an `nn.LayerNorm`, or of an `RMSNorm` without a bias."""
    made = {f"{name}.weight": 1 + 0.4 * rng.standard_normal(features)}
    made |= {f"{name}.bias": 0.4 * rng.standard_normal(features)} if bias else {}
    return few_bits(made)


def some(rng, *shape):
    """A mask that allows every query something, and forbids it something."""
    mask = rng.random(shape) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


PADDED = np.arange(7) < np.array([[[4]], [[6]]])  # (2, 1, 7)
