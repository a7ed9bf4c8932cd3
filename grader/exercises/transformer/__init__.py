"""Exercises on the Transformer: heads, positions, norms, and the layers made of them.

What they share: what torch has ready-made, and generators of parameters.
"""

import numpy as np

READY_MADE = ("nn.MultiheadAttention", "F.multi_head_attention_forward")
LAYERS = (*READY_MADE, "nn.TransformerEncoderLayer", "nn.TransformerDecoderLayer")
HEADS = ("split_heads", "merge_heads", "repeat_heads")


def dense(rng, name, outputs, inputs, *, bias=True):
    """Parameters of an `nn.Linear`, by name."""
    made = {f"{name}.weight": rng.standard_normal((outputs, inputs)) / inputs**0.5}
    return made | ({f"{name}.bias": 0.4 * rng.standard_normal(outputs)} if bias else {})


def attention(rng, features, heads, *, kv_heads=None, qk_norm=False, bias=True, name=""):
    """Parameters of a `MultiHeadAttention`, by name; large enough that heads choose."""
    d_k = features // heads
    fewer = (kv_heads or heads) * d_k
    made = {}
    sizes = {"query": features, "key": fewer, "value": fewer, "output": features}
    for part, outputs in sizes.items():
        of = dense(rng, f"{name}{part}", outputs, features, bias=bias)
        made |= {key: 1.5 * value for key, value in of.items()}
    if qk_norm:
        for part in ("query_norm", "key_norm"):
            made[f"{name}{part}.weight"] = 1 + 0.5 * rng.standard_normal(d_k)
    return made


def norm(rng, name, features, *, bias=True):
    """Parameters of an `nn.LayerNorm`, or of an `RMSNorm` without a bias."""
    made = {f"{name}.weight": 1 + 0.4 * rng.standard_normal(features)}
    return made | ({f"{name}.bias": 0.4 * rng.standard_normal(features)} if bias else {})


def some(rng, *shape):
    """A mask that allows every query something, and forbids it something."""
    mask = rng.random(shape) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


PADDED = np.arange(7) < np.array([[[4]], [[6]]])  # (2, 1, 7)
