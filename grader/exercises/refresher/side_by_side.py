"""`refresher.side_by_side`: transpose before reshape."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Pictures side by side",
    section="views",
    tolerance=1e-12,
    cases=(
        Case("three pictures", lambda rng: _images(rng, 3, 5, 7), 2, grad=("images",)),
        Case("square pictures", lambda rng: _images(rng, 5, 5, 5)),
        Case("one picture", lambda rng: _images(rng, 1, 3, 2), corner=True),
        Case("pictures of one row", lambda rng: _images(rng, 3, 1, 5), corner=True),
        Case("black and white", lambda rng: _black(rng), corner=True),
        Case("float16", lambda rng: _images(rng, 2, 3, 5), dtype="float16"),
        Case("seven pictures", lambda rng: _images(rng, 7, 2, 3), hidden=True),
    ),
    hint=(
        "Which axes should lie next to each other before they become one? In the strip, the "
        "picture changes more slowly than the column, and the row most slowly of all."
    ),
)


def _images(rng, *shape):
    return {"images": rng.standard_normal(shape)}


def _black(rng):
    return {"images": rng.random((3, 2, 5)) < 0.5}
