"""`refresher.broadcast_shape`: which shapes fit."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise, Made

EXERCISE = Exercise(
    title="The shape that broadcasting makes",
    section="broadcasting",
    cases=(
        Case("a matrix and a row", lambda rng: _with(rng, lambda a, b, c: ([a, b], [b])), 2),
        Case("a column and a row", lambda rng: _with(rng, lambda a, b, c: ([a, 1], [b])), 2),
        Case("equal shapes", lambda rng: _with(rng, lambda a, b, c: ([a, b, c], [a, b, c]))),
        Case("ones on both sides", lambda rng: _with(rng, lambda a, b, c: ([a, 1, c], [b, 1]))),
        Case("a longer second, as tuples", lambda rng: _tuples(rng), corner=True),
        Case("a number", lambda rng: _number(rng), probe="calls"),
        Case(
            "axes of size 0 against 1",
            lambda rng: _with(rng, lambda a, b, c: ([a, 0, 1], [1, 0])),
            corner=True,
        ),
        Case(
            "a matrix and its other axis",
            lambda rng: _with(rng, lambda a, b, c: ([a, b], [a])),
            raises="ValueError",
        ),
        Case(
            "a multiple",
            lambda rng: {"first": [3, 4], "second": [3, 2]},
            raises="ValueError",
        ),
        Case(
            "a multiple, in the second",
            lambda rng: {"first": [2, 5], "second": [6, 5]},
            raises="ValueError",
        ),
        Case(
            "nothing against something, in the middle",
            lambda rng: _with(rng, lambda a, b, c: ([a, 0, b], [a, c, b])),
            raises="ValueError",
        ),
        Case(
            "four axes and two",
            lambda rng: _with(rng, lambda a, b, c: ([a, 1, b, c], [b, 1])),
            hidden=True,
        ),
    ),
    hint="Put ones in front of the shorter shape, then compare size by size.",
    forbidden=("torch.broadcast_shapes", "torch.broadcast_tensors", "numpy.broadcast"),
)


def _number(rng):
    """First or second: what comes out is neither of them everywhere."""
    shapes = (lambda a, b, c: ([], [a, b])), (lambda a, b, c: ([c, a], []))
    return {"calls": [_with(rng, each) for each in shapes]}


def _tuples(rng):
    """As the shapes of tensors are."""
    drawn = _with(rng, lambda a, b, c: ([c], [a, b, 1]))
    return {name: Made("tuple", {"items": sizes}) for name, sizes in drawn.items()}


def _with(rng, shapes):
    sizes = rng.choice([2, 3, 5, 7, 11, 13, 17, 19], size=3, replace=False).tolist()
    first, second = shapes(*sizes)
    return {"first": first, "second": second}
