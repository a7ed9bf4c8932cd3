"""`seq2seq.extend_beams`: one round of a beam search."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _inputs(rng, *, rows=3, symbols=7, beam=3, size=2.0, spread=1.0, start=0.0):
    scores = size * rng.standard_normal((rows, symbols))
    log_probs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return {"log_probs": log_probs, "scores": start - spread * rng.random(rows), "beam": beam}


EXERCISE = Exercise(
    title="One step of a beam search",
    section="beams",
    returns=("the rows", "the tokens", "the scores"),
    cases=(
        Case("three of three", lambda rng: _inputs(rng), 2),
        Case("one hypothesis", lambda rng: _inputs(rng, rows=1, beam=5)),
        Case("most from one", lambda rng: _inputs(rng, rows=5, beam=5, spread=23.0), 2),
        Case("fewer than there are places", lambda rng: _inputs(rng, rows=2, symbols=3, beam=11)),
        Case("a beam of one", lambda rng: _inputs(rng, beam=1), corner=True),
        Case("more than tokens", lambda rng: _inputs(rng, rows=5, symbols=3, beam=7), corner=True),
        Case("unlikely hypotheses", lambda rng: _inputs(rng, start=-900.0)),
        Case("a hypothesis that cannot be", lambda rng: _impossible(rng), corner=True),
        Case("in float32", lambda rng: _inputs(rng, beam=2), dtype="float32"),
        Case("many", lambda rng: _inputs(rng, rows=11, symbols=31, beam=11), hidden=True),
        Case("a token that cannot be", lambda rng: _banned(rng), corner=True),
    ),
    hint=(
        "Add, flatten, `topk`; integer division by V then gives the hypothesis, and the remainder "
        "gives the token."
    ),
)


def _impossible(rng):
    """One of two has probability 0, and both are wanted."""
    given = _inputs(rng, rows=2, symbols=1, beam=2)
    return {**given, "scores": np.array([given["scores"][0], -np.inf])}


def _banned(rng):
    """The last of the extensions that are wanted has probability 0."""
    given = _inputs(rng, rows=1, symbols=5, beam=5)
    given["log_probs"][0, 2] = -np.inf
    return given
