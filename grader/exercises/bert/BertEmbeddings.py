"""`bert.BertEmbeddings`: three tables, one norm."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.bert import VOCABULARY, rows, segments
from grader.exercises.transformer import norm


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="BERT's input embeddings",
    section="bert-embeddings",
    cases=(
        Case("a batch", lambda rng: _layer(rng, [(5, 3), (2,), (1, 4)], 13), 3),
        Case("as long as can be", lambda rng: _layer(rng, [(8, 6)], 17), 2),
        Case(
            "one row",
            lambda rng: _values(_layer(rng, [(2, 3)], 9)),
            probe="calls",
        ),
        Case(
            "another eps",
            lambda rng: _values(_layer(rng, [(5, 3), (4,)], 11, eps=0.5)),
            probe="calls",
            corner=False,
        ),
        Case(
            "in training mode",
            lambda rng: _values(replace(_layer(rng, [(5, 3)], 11), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "everything dropped",
            lambda rng: _values(replace(_layer(rng, [(5, 3)], 11, dropout=1.0), training=True)),
            probe="calls",
            corner=False,
        ),
        Case("some of it dropped", lambda rng: _dropped(rng), probe="dropped"),
        Case(
            "dropout, not in training",
            lambda rng: _values(_layer(rng, [(5, 3)], 11, dropout=0.5)),
            probe="calls",
            corner=False,
        ),
        Case("too long", lambda rng: _layer(rng, [(9, 6)], 18), raises="ValueError"),
        Case(
            "in float32",
            lambda rng: _values(_layer(rng, [(5, 3), (4,)], 11)),
            dtype="float32",
            probe="calls",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case(
            "at work on a device",
            lambda rng: replace(_layer(rng, [(2, 1)], 6), state=None),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("tokens in any order", lambda rng: _any(rng), 1, hidden=True),
        Case("one token", lambda rng: _any(rng, length=1), hidden=True, corner=True),
    ),
    hint="`self.positions.weight[:T]` are the positions of every row. The norm comes last.",
)


def _layer(rng, lengths, longest, **init):
    tokens = rows(rng, lengths, longest)
    state = {
        "words.weight": rng.standard_normal((VOCABULARY, 6)),
        "positions.weight": rng.standard_normal((17, 6)),
        "segments.weight": rng.standard_normal((2, 6)),
        **norm(rng, "norm", 6),
    }
    return Call(
        init={"vocabulary": VOCABULARY, "embed_dim": 6, "longest": 17, **init},
        state=state,
        args={"tokens": tokens, "segments": segments(tokens)},
    )


def _any(rng, length=11):
    call = _layer(rng, [(5, 3)], 11)
    given = {
        "tokens": rng.integers(0, VOCABULARY, (5, length)),
        "segments": rng.integers(0, 2, (5, length)),
    }
    return replace(call, args=given)


def _dropped(rng):
    call = _layer(rng, [(5, 3), (4,)], 11, dropout=round(float(rng.uniform(0.2, 0.6)), 3))
    return replace(call, args={"given": call.args, "around": None})


def _calls(rng):
    call = _layer(rng, [(5, 3)], 11)
    others = [_layer(rng, [(2, 3), (4,)], 9).args, _layer(rng, [(7, 1)], 13).args]
    return replace(call, args={"calls": [call.args, *others]})


def _fresh(**init):
    return Call(args={}, init={"vocabulary": 101, "embed_dim": 60, "longest": 53} | init)
