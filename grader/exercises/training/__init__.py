"""Exercises on training: starting, stepping, steadying, stopping and searching.

What they share: sizes, and generators of inputs.
"""

import numpy as np

B, C, D = 11, 5, 7


def memory(rng, *names, shape=(C, D), scale=1.0, **rates):
    """A parameter, a gradient, and what the optimizer remembers; squares are not negative."""
    drawn = {
        "parameter": np.asarray(rng.standard_normal(shape)),
        "gradient": np.asarray(scale * rng.standard_normal(shape)),
    }
    for name in names:
        drawn[name] = np.asarray(scale * rng.standard_normal(shape))
        if "sq" in name:
            drawn[name] = np.square(drawn[name])[...]
    return {**drawn, **rates}


def first(rng, *names, **rates):
    """The first step: nothing is remembered yet."""
    drawn = memory(rng, *names, **rates)
    return {**drawn, **{name: np.zeros((C, D)) for name in names}}


def adam(rng, *, step, **rates):
    return {**memory(rng, "exp_avg", "exp_avg_sq", **rates), "step": step}
