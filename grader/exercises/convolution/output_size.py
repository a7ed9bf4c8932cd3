"""`convolution.output_size`: how many outputs?."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import settings


def _wider(rng, size, kernel_size, stride=1, padding=0, dilation=1):
    """Many places more, with the same rest; where there is one place, it stays one."""
    span = dilation * (kernel_size - 1) + 1
    more = stride * int(rng.integers(20, 900))
    if size + 2 * padding == span:
        return {"size": size + more, "kernel_size": kernel_size + more}
    return {"size": size + more}


EXERCISE = Exercise(
    title="The output size of a convolution",
    section="arithmetic",
    cases=(
        Case("stride 1", lambda rng: _axis(rng, 3)),
        Case("a stride that leaves a rest", lambda rng: _axis(rng, 3, stride=3, rest=1), 2),
        Case("a stride that fits", lambda rng: _axis(rng, 5, stride=3)),
        Case("padding", lambda rng: _axis(rng, 5, padding=2)),
        Case("stride and padding", lambda rng: _axis(rng, 3, stride=3, padding=2)),
        Case("dilation", lambda rng: _axis(rng, 3, dilation=2)),
        Case("all of them", lambda rng: _axis(rng, 3, stride=3, padding=1, dilation=3, rest=2)),
        Case("one place", lambda rng: {"size": 7, "kernel_size": 7}),
        Case("one place in the padding", lambda rng: {"size": 2, "kernel_size": 6, "padding": 2}),
        Case(
            "too wide with its gaps",
            lambda rng: {"size": 6, "kernel_size": 3, "dilation": 3},
            raises="ValueError",
        ),
        Case("one weight", lambda rng: _axis(rng, 1), corner=True),
        Case("one weight that fits once", lambda rng: {"size": 1, "kernel_size": 1}),
        Case("one weight, in strides", lambda rng: _axis(rng, 1, stride=2)),
        Case("too large a kernel", lambda rng: {"size": 5, "kernel_size": 7}, raises="ValueError"),
        Case(
            "too large by less than a stride",
            lambda rng: {"size": 6, "kernel_size": 7, "stride": 3},
            raises="ValueError",
        ),
        Case(
            "too large by a stride",
            lambda rng: {"size": 3, "kernel_size": 7, "stride": 2, "padding": 1},
            raises="ValueError",
        ),
        Case(
            "a single weight",
            lambda rng: _axis(rng, 1, stride=3, dilation=5, rest=1),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "How many pixels does the kernel span, with its gaps? How far can it then move? How many "
        "strides fit in there, and how many places is that, counting the first?"
    ),
    afresh=changed(_wider),
)


def _axis(rng, kernel_size, *, rest=0, **steps):
    """A size at which some places and a rest fit."""
    used = settings(**steps)
    span = used["dilation"] * (kernel_size - 1) + 1
    size = span + used["stride"] * int(rng.integers(4, 12)) + rest - 2 * used["padding"]
    return {"size": size, "kernel_size": kernel_size, **steps}
