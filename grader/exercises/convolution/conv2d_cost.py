"""`convolution.conv2d_cost`: what sharing saves."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The cost of a convolution",
    section="sharing",
    cases=(
        Case("one channel", lambda rng: _cost(rng, 1), corner=True),
        Case("several channels", lambda rng: _cost(rng, 3), 2),
        Case("stride and padding", lambda rng: _cost(rng, 3, stride=2, padding=2)),
        Case("groups", lambda rng: _cost(rng, 6, groups=3, filters=9, kernel_size=5)),
        Case(
            "a stride that comes out even",
            lambda rng: {**_cost(rng, 3, stride=2, padding=2), "size": 13},
        ),
        Case("several filters for a channel", lambda rng: _cost(rng, 3, groups=3, filters=6)),
        Case("all of them", lambda rng: _cost(rng, 4, groups=2, filters=6, stride=3), hidden=True),
        Case("a kernel of one", lambda rng: _cost(rng, 5, kernel_size=1), hidden=True),
    ),
    hint="How many weights has one filter? Every weight is used once at every place.",
    needs=("output_size", "unfold", "conv2d"),
)


def _cost(rng, channels, *, filters=7, kernel_size=3, **steps):
    return {
        "in_channels": channels,
        "out_channels": filters,
        "kernel_size": kernel_size,
        "size": 12 + 6 * int(rng.integers(5)),  # with strides of 2 and of 3 always the same is left
        **steps,
    }
