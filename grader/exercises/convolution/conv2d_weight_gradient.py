"""`convolution.conv2d_weight_gradient`: gradient with respect to the weight."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.convolution import CONVOLUTION, PATCHES, _back

EXERCISE = Exercise(
    title="The gradient with respect to the weight",
    section="gradients",
    cases=(
        Case("stride 1", lambda rng: _met(rng), 2),
        Case("stride and padding", lambda rng: _met(rng, stride=2, padding=1), 2),
        Case("dilation", lambda rng: _met(rng, stride=3, padding=1, dilation=2)),
        Case("as many filters as channels", lambda rng: _met(rng, filters=3)),
        Case("in float16", lambda rng: _met(rng), dtype="float16"),
        Case("on another device", lambda rng: _met(rng), probe="elsewhere"),
        Case("gradients beyond float32", lambda rng: _met(rng, scale=1e200)),
        Case("all of them", lambda rng: _met(rng, stride=3, padding=2, dilation=2), hidden=True),
        Case("one picture", lambda rng: _met(rng, count=1, stride=2), hidden=True),
        Case("one filter", lambda rng: _met(rng, filters=1)),
    ),
    hint=(
        "At every place a weight meets one number of the patch. Multiply it with the gradient of "
        "that place, and add up over the places and over the batch."
    ),
    forbidden=("torch.nn.grad.conv2d_weight", *CONVOLUTION, *PATCHES, *AUTOGRAD),
    needs=("output_size", "unfold", "conv2d"),
)


def _met(rng, *, count=2, filters=5, scale=1.0, **steps):
    drawn = _back(rng, filters=filters, **steps)
    given = drawn["grad_output"][:count], rng.standard_normal((count, 3, 7, 11))
    grad_output, input = (np.round(256 * one) / 256 for one in given)  # these compress well
    return {
        "grad_output": scale * grad_output,
        "input": input,
        "kernel_size": [3, 2],
        **steps,
    }
