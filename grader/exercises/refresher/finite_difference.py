"""`refresher.finite_difference`: a gradient, measured."""

from __future__ import annotations

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.refresher import quartic

EXERCISE = Exercise(
    title="A gradient by finite differences",
    section="finite-differences",
    tolerance=1e-8,
    cases=(
        Case("a step that shows", lambda rng: quartic(rng, step=0.5), 2),
        Case("a short step", lambda rng: quartic(rng, step=0.06)),
        Case("a long step", lambda rng: quartic(rng, 3, step=2.0)),
        Case("one input", lambda rng: quartic(rng, 1, step=0.3), corner=True),
        Case("float32", lambda rng: quartic(rng, 2, step=0.5), dtype="float32"),
        Case("on another device", lambda rng: quartic(rng, 2, step=0.5), probe="elsewhere"),
        Case("seven inputs", lambda rng: quartic(rng, 7, step=0.2), hidden=True),
    ),
    hint=(
        "For each place: copy x, add ε there, take f; the same with −ε; divide the difference "
        "by the distance of the two points."
    ),
    forbidden=AUTOGRAD,
)
