"""`recurrent.ElmanRNN`: a network with an output at every step and a learned start."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.recurrent import READY_MADE


def _net(rng, *, batch=2, length=7, h=False, outputs=2, size=1.0):
    state = {
        "weight_xh": 0.6 * rng.standard_normal((5, 3)),
        "weight_hh": 0.6 * rng.standard_normal((5, 5)),
        "bias_h": 0.7 * rng.standard_normal(5),
        "weight_hy": rng.standard_normal((outputs, 5)),
        "bias_y": rng.standard_normal(outputs),
        "h0": rng.standard_normal(5),
    }
    args = {"x": size * rng.standard_normal((batch, length, 3))}
    if h:
        args["h"] = rng.standard_normal((batch, 5))
    return Call(
        init={"input_size": 3, "hidden_size": 5, "output_size": outputs}, state=state, args=args
    )


def _from_zeros(rng):
    """Zeros are a state like any other; h0 is for none."""
    call = _net(rng, length=1, h=True)
    return replace(call, args={**call.args, "h": 0 * call.args["h"]})


def _at_work(call):
    """The same on a device, where it is made."""
    return replace(call, init={**call.init, "device": "meta"}, state=None)


EXERCISE = Exercise(
    title="Elman's network",
    section="elman",
    cases=(
        Case("from h0", lambda rng: _net(rng), 3, grad=("x",)),
        Case("going on from a state", lambda rng: _net(rng, length=4, h=True), 2, grad=("x", "h")),
        Case(
            "as many outputs as hidden",
            lambda rng: _net(rng, batch=3, length=4, outputs=5),
            grad=("x",),
        ),
        Case("one step", lambda rng: _net(rng, length=1), grad=("x",), corner=True),
        Case(
            "as it is made",
            lambda rng: Call(
                args={}, init={"input_size": 7, "hidden_size": 31, "output_size": 293}
            ),
            probe="fresh",
        ),
        Case(
            "at work on a device",
            lambda rng: _at_work(_net(rng, batch=1, length=2)),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "seventeen steps, in training mode",
            lambda rng: replace(_net(rng, batch=1, length=17), training=True),
            grad=("x",),
        ),
        Case(
            "in float32, large inputs", lambda rng: _net(rng, length=3, size=300.0), dtype="float32"
        ),
        Case("going on from zeros", lambda rng: _from_zeros(rng), corner=True),
        Case(
            "one sequence",
            lambda rng: _net(rng, batch=1, length=11),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "`h0` is one vector for all sequences: `expand` repeats it without copying, and its "
        "gradient is summed over the batch. The output can be computed for all steps at once."
    ),
    forbidden=READY_MADE,
    needs=("rnn_cell", "rnn_states", "_uniform"),
    returns=("the output y", "the last hidden state"),
)
