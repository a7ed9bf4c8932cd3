"""`self_attention.operations`: operations of three layers."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise


def _cost(layer, length, features, width):
    return lambda rng: {"layer": layer, "length": length, "features": features, "width": width}


EXERCISE = Exercise(
    title="Operations of three kinds of layers",
    section="cost",
    hint=(
        "A product of (a, b) with (b, c) takes a · b · c multiply-adds. List the matrix products "
        "of a layer with their shapes, and add up."
    ),
    cases=(
        Case("attention", _cost("attention", 17, 7, 3)),
        Case("recurrent", _cost("recurrent", 13, 7, 3)),
        Case("convolution", _cost("convolution", 13, 7, 5)),
        Case(
            "a convolution of three",
            lambda rng: {"layer": "convolution", "length": 11, "features": 5},
        ),
        Case("more than a float can count", _cost("attention", 10**6 + 3, 9973, 3), corner=True),
        Case("no such layer", _cost("Attention", 13, 7, 3), raises="ValueError"),
        Case("attention, T over D", _cost("attention", 1009, 31, 3), hidden=True),
        Case("recurrent, T under D", _cost("recurrent", 11, 101, 3), hidden=True),
        Case("a wide convolution", _cost("convolution", 53, 17, 23), hidden=True),
    ),
    afresh=larger("length", "features", "width"),
)
