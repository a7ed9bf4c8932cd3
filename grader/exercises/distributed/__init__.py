"""Exercises on distributed training: collectives, shards, tensor parallelism, pipelines.

What they share: numbers of few bits, and lists with one array for each device.
"""

import numpy as np

from grader.author.exercise import Made


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32."""
    return np.asarray(np.round(32 * rng.standard_normal(shape)) / 32)


def each(rng, devices, *shape):
    """Different numbers for each device."""
    return [few(rng, *shape) for _ in range(devices)]


def fine(rng, devices, *shape):
    """The same, with digits that float32 does not have."""
    return [part + few(rng, *shape) / 2**24 for part in each(rng, devices, *shape)]


def fixed(items):
    """A tuple: a sequence that is no list."""
    return Made("tuple", {"items": items})
