"""`generative.calibration_error`: how far confidence is from being right."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C

EXERCISE = Exercise(
    title="Expected calibration error",
    section="overconfidence",
    tolerance=1e-6,  # where whole numbers are divided, torch makes float32 of them
    cases=(
        Case("too sure", lambda rng: _answers(rng, right=0.55, sharp=3.0), 2),
        Case("not sure enough", lambda rng: _answers(rng, right=0.98, sharp=0.7)),
        Case("three bins", lambda rng: {**_answers(rng), "bins": 3}, 2),
        Case("one bin", lambda rng: _one_bin(rng)),
        Case("more bins than examples", lambda rng: {**_answers(rng, count=7), "bins": 101}),
        Case("on the edges of bins", lambda rng: _edges(), 2, corner=True),
        Case("certain answers", lambda rng: _certain(rng)),
        Case("two classes", lambda rng: _answers(rng, classes=2)),
        Case("float16", lambda rng: _answers(rng), dtype="float16"),
        Case("one example", lambda rng: _answers(rng, count=1), corner=True),
        Case("five bins", lambda rng: {**_answers(rng), "bins": 5}, hidden=True),
    ),
    hint=(
        "n_j (a_j − c_j) is a sum over the examples of bin j: 1 or 0 for right or wrong, less the "
        "confidence. Sum per bin, and only then take absolute values."
    ),
)


def _answers(rng, *, count=97, classes=C, right=0.75, sharp=2.0):
    scores = sharp * rng.standard_normal((count, classes))
    target = scores.argmax(1)
    missed = rng.random(count) > right
    target[missed] = (target[missed] + rng.integers(1, classes, missed.sum())) % classes
    return {
        "log_posterior": scores - np.log(np.exp(scores).sum(1, keepdims=True)),
        "target": target,
    }


def _one_bin(rng):
    """Too sure where it is sure, not sure enough elsewhere: in one bin the two cancel."""
    drawn = _answers(rng, count=23)
    best = drawn["log_posterior"].argmax(1)
    sure = drawn["log_posterior"].max(1) > np.log(0.6)
    return {**drawn, "target": np.where(sure, (best + 1) % C, best), "bins": 1}


def _edges():
    """Confidences of exactly ½ and just above it: an edge of two bins belongs to the lower one."""
    largest = np.array([0.5, 0.5, 0.5, 0.75, 0.625, 0.5 + 1e-9])
    rest = 1 - largest
    shares = np.stack([largest, rest / 2, rest / 2], axis=1)
    return {"log_posterior": np.log(shares), "target": np.array([0, 0, 1, 0, 2, 2]), "bins": 2}


def _certain(rng):
    """Confidences of 1, a little above 1 (some of these wrong), and others, right if above 0.9."""
    drawn = _answers(rng, count=41)
    best = drawn["log_posterior"].argmax(1)
    drawn["target"] = np.where(drawn["log_posterior"].max(1) > np.log(0.9), best, drawn["target"])
    certain = np.full((23, C), -np.inf)
    certain[np.arange(23), rng.integers(C, size=23)] = 0.0
    above = np.arange(23) % 2
    certain[np.isfinite(certain)] += 1e-9 * above  # rounding
    target = (certain.argmax(1) + above * rng.integers(2, size=23)) % C
    return {
        "log_posterior": np.concatenate([drawn["log_posterior"], certain]),
        "target": np.concatenate([drawn["target"], target]),
    }
