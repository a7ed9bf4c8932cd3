"""`convolution.conv2d_input_gradient`: gradient with respect to the input."""

from __future__ import annotations

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.convolution import CONVOLUTION, _back, whole

EXERCISE = Exercise(
    title="The gradient with respect to the input",
    section="gradients",
    cases=(
        Case("stride 1", lambda rng: _back(rng), 2),
        Case("padding", lambda rng: _back(rng, padding=1)),
        Case("a stride that leaves a rest", lambda rng: _back(rng, stride=4, padding=1), 2),
        Case("dilation", lambda rng: _back(rng, count=1, dilation=2, stride=2, padding=1)),
        Case("as many filters as channels", lambda rng: _back(rng, filters=3, stride=2)),
        Case("in float16", lambda rng: whole(_back(rng)), dtype="float16"),
        Case("on another device", lambda rng: _back(rng), probe="elsewhere"),
        Case("wide padding", lambda rng: _back(rng, padding=3, stride=2)),
        Case("all of them", lambda rng: _back(rng, stride=3, padding=2, dilation=2), hidden=True),
        Case(
            "one picture of one channel",
            lambda rng: _back(rng, count=1, channels=1, filters=1),
            corner=True,
        ),
    ),
    hint=(
        "Each gradient goes back to where it came from: to s i + d u − p, weighted with w[u]. "
        "Seen from the input, that is a convolution of the spread gradient with the flipped kernel."
    ),
    forbidden=(
        "F.conv_transpose2d",
        "torch.conv_transpose2d",
        "nn.ConvTranspose2d",
        "F.fold",
        "nn.Fold",
        "torch.nn.grad.conv2d_input",
        *CONVOLUTION,
        *AUTOGRAD,
    ),
    needs=("output_size", "unfold", "conv2d", "conv2d_matrix"),
)
