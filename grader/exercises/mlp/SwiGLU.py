"""`mlp.SwiGLU`: units with gates."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.mlp import B

EXERCISE = Exercise(
    title="SwiGLU: gated hidden units",
    section="gates",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _gated(rng), 2, grad=("x",)),
        Case("as many units as features", lambda rng: _gated(rng, 5, 5), grad=("x",)),
        Case("other outputs", lambda rng: _gated(rng, outputs=3), grad=("x",)),
        Case("a single input", lambda rng: _gated(rng, lead=()), corner=True),
        Case("two leading axes", lambda rng: _gated(rng, lead=(2, 3)), grad=("x",), corner=True),
        Case("one output", lambda rng: _gated(rng, lead=(1,), outputs=1), corner=True),
        Case("training mode", lambda rng: _gated(rng, training=True)),
        Case("float32", lambda rng: _gated(rng), grad=("x",), dtype="float32"),
        Case("as it is made", lambda rng: _made(), probe="fresh"),
        Case("on another device", lambda rng: _made(device="meta"), probe="fresh"),
        Case("more outputs than features", lambda rng: _gated(rng, outputs=17), hidden=True),
        Case("large inputs", lambda rng: _large(rng), grad=("x",)),
    ),
    hint=(
        "Three `nn.Linear` without biases. `gate` and `up` read the same x; the silu of one "
        "multiplies the other."
    ),
)


def _gated(rng, features=7, hidden=13, *, outputs=None, lead=(B,), training=False):
    init = {"features": features, "hidden": hidden} | ({"outputs": outputs} if outputs else {})
    state = {
        "gate.weight": rng.standard_normal((hidden, features)),
        "up.weight": rng.standard_normal((hidden, features)),
        "down.weight": rng.standard_normal((outputs or features, hidden)),
    }
    x = rng.standard_normal((*lead, features))
    return Call(init=init, state=state, args={"x": x}, training=training)


def _made(**options):
    return Call(args={}, init={"features": 101, "hidden": 211, "outputs": 97, **options})


def _large(rng):
    """Gates in the thousands, whose exponentials are infinite."""
    call = _gated(rng)
    return replace(call, args={"x": 2000.0 * call.args["x"]})
