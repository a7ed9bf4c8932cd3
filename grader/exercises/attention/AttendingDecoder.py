"""`attention.AttendingDecoder`: look, then read, then write."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Returned
from grader.author.parameters import few_bits
from grader.exercises.attention import READY_MADE
from grader.exercises.recurrent import READY_MADE as RECURRENT

_SIZES = {"summary_size": 6, "memory_size": 5, "embed_dim": 3, "hidden_size": 7}
_MASK = np.array([[True, True, True, False, False], [True] * 5, [True, False, False, False, False]])


def _state(rng, score, *, memory=5):
    made = {
        "bridge.weight": rng.standard_normal((7, 6)),
        "bridge.bias": rng.standard_normal(7),
        "embedding.weight": rng.standard_normal((11, 3)),
        "layer.weight_ih_l0": 0.6 * rng.standard_normal((21, 3 + memory)),
        "layer.weight_hh_l0": 0.6 * rng.standard_normal((21, 7)),
        "layer.bias_ih_l0": 0.7 * rng.standard_normal(21),
        "layer.bias_hh_l0": 0.7 * rng.standard_normal(21),
        "output.weight": rng.standard_normal((11, 7 + memory)),
        "output.bias": rng.standard_normal(11),
    }
    if score == "general":
        made["attention.weight"] = rng.standard_normal((7, memory))
    elif score == "additive":
        made |= {
            "attention.weight_query": 0.6 * rng.standard_normal((7, 7)),
            "attention.weight_key": 0.6 * rng.standard_normal((7, memory)),
            "attention.v": rng.standard_normal(7),
        }
    return few_bits(made)


def _given(rng, *, memory=5, batch=3, mask=None):
    mask = _MASK[:batch] if mask is None else mask
    return {
        "memory": rng.standard_normal((batch, mask.shape[1], memory)),
        "mask": mask,
    }


def _init(score, **more):
    made = {"symbols": 11, **_SIZES, **more}
    return made if score is None else {**made, "score": score}


def _forward(rng, score, *, length=2, memory=5, batch=3):
    return Call(
        init=_init(score, memory_size=memory),
        state=_state(rng, score or "additive", memory=memory),
        args={
            "targets_in": rng.integers(0, 11, (batch, length)),
            **_given(rng, memory=memory, batch=batch),
            "state": rng.standard_normal((batch, 7)),
        },
    )


def _steps(rng, score, *, batch=3, size=1.0):
    given = _given(rng, batch=batch)
    tokens = rng.integers(0, 11, (batch, 2))
    return Call(
        init=_init(score),
        state=_state(rng, score),
        steps=(
            ("begin", {"summary": size * rng.standard_normal((batch, 6))}),
            ("align", {"targets_in": tokens, **given, "state": Returned(0)}),
            ("step", {"token": rng.integers(0, 11, batch), **given, "state": Returned(1, 2)}),
            ("step", {"token": rng.integers(0, 11, batch), **given, "state": Returned(2, 1)}),
        ),
    )


def _again(rng):
    """A summary that is itself a state: its gradient goes back through `begin`. Then two sources
    of one size, of which other positions are there.
    """
    given = _given(rng)
    tokens = {"targets_in": rng.integers(0, 11, (3, 2)), "state": Returned(1)}
    return Call(
        init=_init("additive", summary_size=7),
        state={**_state(rng, "additive"), "bridge.weight": rng.standard_normal((7, 7))},
        steps=(
            ("begin", {"summary": rng.standard_normal((3, 7))}),
            ("begin", {"summary": Returned(0)}),
            ("align", {**given, **tokens}),
            ("align", {**given, **tokens, "mask": given["mask"][::-1].copy()}),
        ),
    )


def _fresh(**more):
    return Call(
        args={},
        init={
            "symbols": 41,
            "summary_size": 17,
            "memory_size": 29,
            "embed_dim": 13,
            "hidden_size": 31,
            **more,
        },
    )


def _many(rng):
    """Many source positions: what is done for each of them at each token shows."""
    mask = np.ones((3, 31), dtype=bool)
    call = _forward(rng, "additive", length=4)
    return Call(
        init=call.init,
        state=call.state,
        args={**call.args, **_given(rng, mask=mask)},
    )


# products of 4 steps, 3 sequences, forward: keys once, and all else for each token
_ONCE = 3 * (31 * 5 * 7 + 4 * (7 * 7 + 31 * 7 + 31 * 5 + 21 * 8 + 21 * 7 + 11 * 12))

EXERCISE = Exercise(
    title="A recurrent decoder with attention",
    section="attending-decoder",
    cases=(
        Case(
            "additive", lambda rng: _forward(rng, "additive", length=3), 2, grad=("memory", "state")
        ),
        Case("general", lambda rng: _forward(rng, "general"), grad=("memory", "state")),
        Case("dot", lambda rng: _forward(rng, "dot", memory=7), grad=("memory", "state")),
        Case("scaled", lambda rng: _forward(rng, "scaled", memory=7), grad=("memory", "state")),
        Case(
            "keys as wide as the memory",
            lambda rng: _forward(rng, "additive", memory=7),
            grad=("memory", "state"),
            corner=True,
        ),
        Case(
            "general, keys as wide as the memory",
            lambda rng: _forward(rng, "general", memory=7),
            hidden=True,
            corner=True,
        ),
        Case(
            "a batch of one",
            lambda rng: _forward(rng, "additive", batch=1),
            grad=("memory", "state"),
            corner=True,
        ),
        Case("additive unless told", lambda rng: _forward(rng, None)),
        Case("begin, align, and on", lambda rng: _steps(rng, "additive"), 3),
        Case("a summary that learns, two sources", lambda rng: _again(rng)),
        Case(
            "keys are projected once",
            _many,
            2,
            most={"multiply_adds": 3 * _ONCE},  # gradients take twice as many
            corner=False,
        ),
        Case("one source, aligned", lambda rng: _steps(rng, "additive", batch=1), corner=True),
        Case(
            "in float32, a large summary",
            lambda rng: _steps(rng, "additive", size=300.0),
            dtype="float32",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("general, as it is made", lambda rng: _fresh(score="general"), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("begin, align, general", lambda rng: _steps(rng, "general"), hidden=True),
        Case(
            "one token",
            lambda rng: _forward(rng, "additive", length=1),
            grad=("memory", "state"),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "One token after the other: the state is the query, `self.layer` reads the token's vector "
        "and the context, and its output goes to the output layer together with the context."
    ),
    forbidden=(*READY_MADE, *RECURRENT),
    needs=("dot_score", "general_score", "additive_score", "masked_softmax", "attend", "Attention"),
    returns=("the logits", "the state"),
)
