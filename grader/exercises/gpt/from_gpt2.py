"""`gpt.from_gpt2`: the weights of another library."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Loading GPT-2's weights",
    section="loaded-weights",
    cases=(
        Case("a whole model", lambda rng: {"state": _state(rng, 2)}, 3),
        Case("tied, and stored once", lambda rng: {"state": _state(rng, 1, head=False)}),
        Case("bare names", lambda rng: {"state": _bare(_state(rng, 1))}, 2),
        Case("masks in an old file", lambda rng: {"state": _old(rng)}),
        Case("in another order", lambda rng: {"state": _turned(_state(rng, 2))}),
        Case("one feature", lambda rng: {"state": _state(rng, 1, features=1)}, corner=True),
        Case("eleven layers", lambda rng: {"state": _state(rng, 11, features=2)}),
        Case("in float32", lambda rng: {"state": _state(rng, 1)}, dtype="float32"),
        Case("three layers", lambda rng: {"state": _bare(_state(rng, 3, head=False))}, hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "`c_attn`, `c_proj` and `c_fc` are linear layers: transpose their weights, and nothing "
        "else. After the transposition, `chunk(3)` separates queries, keys and values."
    ),
)


def _state(rng, layers, *, features=4, head=True):
    """A file of GPT-2, with 5 tokens and 7 positions."""
    wide = 4 * features
    shapes = {
        "ln_1.weight": (features,),
        "ln_1.bias": (features,),
        "attn.c_attn.weight": (features, 3 * features),
        "attn.c_attn.bias": (3 * features,),
        "attn.c_proj.weight": (features, features),
        "attn.c_proj.bias": (features,),
        "ln_2.weight": (features,),
        "ln_2.bias": (features,),
        "mlp.c_fc.weight": (features, wide),
        "mlp.c_fc.bias": (wide,),
        "mlp.c_proj.weight": (wide, features),
        "mlp.c_proj.bias": (features,),
    }
    made = {"wte.weight": (5, features), "wpe.weight": (7, features)}
    made |= {
        f"h.{layer}.{name}": shape for layer in range(layers) for name, shape in shapes.items()
    }
    made |= {"ln_f.weight": (features,), "ln_f.bias": (features,)}
    state = {f"transformer.{name}": rng.standard_normal(size) for name, size in made.items()}
    if head:
        state["lm_head.weight"] = state["transformer.wte.weight"].copy()
    return state


def _bare(state):
    return {name.removeprefix("transformer."): value for name, value in state.items()}


def _old(rng):
    state = _state(rng, 2)
    for layer in (0, 1):
        state[f"transformer.h.{layer}.attn.bias"] = np.tril(np.ones((1, 1, 7, 7)))
        state[f"transformer.h.{layer}.attn.masked_bias"] = np.array(-1e4)
    return state


def _turned(state):
    return dict(reversed(state.items()))
