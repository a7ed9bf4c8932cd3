"""`convolution.receptive_field`: how far an output sees."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="How far an output sees",
    section="receptive-field",
    cases=(
        Case("three layers of stride 1", lambda rng: _stack(rng, [(3, 1, 1)] * 3)),
        Case("stride first", lambda rng: _stack(rng, [(5, 2, 1), (3, 1, 1)]), 2),
        Case("convolutions and pooling", lambda rng: _stack(rng, [(3, 1, 1), (2, 2, 1)] * 3), 2),
        Case("dilation", lambda rng: _stack(rng, [(3, 1, 1), (3, 1, 2), (3, 1, 4)])),
        Case("everything", lambda rng: _stack(rng, [(5, 3, 2), (3, 2, 3)]), hidden=True),
        Case("no layer", lambda rng: {"layers": []}, hidden=True),
    ),
    hint=(
        "Neighboring weights of a layer lie `dilation` of *its* inputs apart. How many pixels is "
        "one of these? That is the jump so far, before this layer's own stride."
    ),
)


def _stack(rng, layers):
    """These layers and one more, in which the kernel is drawn."""
    return {"layers": [*map(list, layers), [int(rng.integers(3, 9)), 2, 1]]}
