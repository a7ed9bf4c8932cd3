"""Exercises of the refresher: derivatives, matrices, probability, and tensors of PyTorch.

What they share: generators of inputs.
"""

from grader.author.exercise import Made


def quartic(rng, count=5, **more):
    """A function without a name to look up, and where it is looked at."""
    made = Made("quartic", {"weight": rng.uniform(0.2, 1.0, count)})
    return {"function": made, "x": rng.standard_normal(count), **more}
