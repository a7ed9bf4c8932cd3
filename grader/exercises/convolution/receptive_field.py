"""`convolution.receptive_field`: what an output sees."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _wider(rng, layers):
    """With a wider kernel in the last layer."""
    if not layers:
        return {}
    *before, (kernel_size, *steps) = layers
    return {"layers": [*before, [kernel_size + int(rng.integers(20, 900)), *steps]]}


EXERCISE = Exercise(
    title="The receptive field",
    section="receptive-field",
    cases=(
        Case("three layers of stride 1", lambda rng: _stack(rng, [(3, 1, 1, 0)] * 3)),
        Case("stride first", lambda rng: _stack(rng, [(5, 2, 1, 0), (3, 1, 1, 0)]), 2),
        Case(
            "convolutions and pooling",
            lambda rng: _stack(rng, [(3, 1, 1, 1), (2, 2, 1, 0)] * 3),
            2,
        ),
        Case("dilation", lambda rng: _stack(rng, [(3, 1, 1, 0), (3, 1, 2, 0), (3, 1, 4, 0)])),
        Case("padding in every layer", lambda rng: _stack(rng, [(5, 3, 1, 2), (3, 2, 1, 1)])),
        Case("padding and dilation", lambda rng: _stack(rng, [(3, 2, 1, 1), (3, 1, 3, 3)])),
        Case("strides over pixels unseen", lambda rng: {"layers": [[1, 3, 1, 0], [2, 2, 1, 1]]}),
        Case("no layer", lambda rng: {"layers": []}),
        Case("everything", lambda rng: _stack(rng, [(5, 3, 2, 4), (3, 2, 3, 1)]), hidden=True),
        Case("more padding than kernel", lambda rng: {"layers": [[1, 2, 1, 3]]}, corner=True),
    ),
    hint=(
        "Neighboring weights of a layer lie `dilation` of *its* inputs apart, and its padding is "
        "counted in these, too. How many pixels is one of them? That is the step so far, before "
        "this layer's own stride."
    ),
    afresh=changed(_wider),
)


def _stack(rng, layers):
    """These layers and one more, in which the kernel is drawn."""
    return {"layers": [*map(list, layers), [int(rng.integers(3, 9)), 2, 1, 1]]}
