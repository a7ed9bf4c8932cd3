"""`mlp.MLP`: the network as a module."""

from __future__ import annotations

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.mlp import SIZES, B, network

EXERCISE = Exercise(
    title="A multilayer perceptron as a module",
    section="mlp-digits",
    tolerance=1e-10,
    cases=(
        Case("three layers", lambda rng: _module(rng), 2, grad=("x",)),
        Case("tanh", lambda rng: _module(rng, activation="tanh"), grad=("x",)),
        Case("one layer", lambda rng: _module(rng, sizes=(7, 3)), grad=("x",), corner=True),
        Case("a single input", lambda rng: _module(rng, lead=()), corner=True),
        Case("all of one width", lambda rng: _module(rng, sizes=(5, 5, 5)), grad=("x",)),
        Case("two leading axes", lambda rng: _module(rng, lead=(2, 3)), grad=("x",), corner=True),
        Case("training mode", lambda rng: _module(rng, training=True), grad=("x",)),
        Case("float32", lambda rng: _module(rng), grad=("x",), dtype="float32"),
        Case("as it is made", lambda rng: _made(), probe="fresh"),
        Case("on another device", lambda rng: _made(device="meta"), probe="fresh"),
        Case(
            "five layers",
            lambda rng: _module(rng, sizes=(7, 3, 5, 2, 11, 3), activation="sigmoid"),
            grad=("x",),
        ),
        Case(
            "one of everything", lambda rng: _module(rng, sizes=(7, 5, 1), lead=(1,)), corner=True
        ),
        Case("no activation", lambda rng: _module(rng, activation="identity")),
        Case("sigmoid", lambda rng: _module(rng, activation="sigmoid"), hidden=True),
        Case("an empty batch", lambda rng: _module(rng, lead=(0,)), corner=True),
    ),
    hint=(
        "An `nn.ModuleList` of `nn.Linear`; in `forward`, all but the last are followed by "
        "`activate`."
    ),
    needs=("relu", "sigmoid"),
)


def _module(rng, *, sizes=SIZES, activation=None, lead=(B,), training=False):
    stack = network(rng, sizes)
    state = {}
    for layer, (weight, bias) in enumerate(zip(stack["weights"], stack["biases"], strict=True)):
        state |= {f"layers.{layer}.weight": weight, f"layers.{layer}.bias": bias}
    init = {"sizes": list(sizes)} | ({"activation": activation} if activation else {})
    x = rng.standard_normal((*lead, sizes[0]))
    return Call(init=init, state=state, args={"x": x}, training=training)


def _made(**options):
    return Call(args={}, init={"sizes": [97, 97, 97, 29, 211], **options})
