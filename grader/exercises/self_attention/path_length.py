"""`self_attention.path_length`: how far a signal has to travel."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def _path(layer, length, width=3):
    return lambda rng: {"layer": layer, "length": length, "width": width}


EXERCISE = Exercise(
    title="How far a signal has to travel",
    section="cost",
    hint=(
        "The last position is T − 1 positions away from the first. How many of them does one "
        "hop of each kind cover?"
    ),
    cases=(
        Case("attention", _path("attention", 13)),
        Case("recurrent", _path("recurrent", 13)),
        Case("convolution", _path("convolution", 22, 4)),
        Case("convolution that does not come out even", _path("convolution", 18, 4)),
        Case("no such layer", _path("pooling", 13), raises="ValueError"),
        Case("recurrent, two positions", _path("recurrent", 2), hidden=True),
        Case("a narrow convolution", _path("convolution", 29, 2), hidden=True),
        Case("a convolution wider than the sequence", _path("convolution", 5, 11), hidden=True),
    ),
)
