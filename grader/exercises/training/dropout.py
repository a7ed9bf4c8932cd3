"""`training.dropout`: dropout with given draws."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.training import B, D


def drops(rng, *shape, p, scale=1.0):
    return {"input": scale * rng.standard_normal(shape), "draws": rng.random(shape), "p": p}


def _edges(rng):
    """Draws that equal p exactly."""
    drawn = drops(rng, 3, D, p=0.25)
    drawn["draws"][:, ::2] = 0.25
    return drawn


EXERCISE = Exercise(
    title="Dropout, with given random numbers",
    section="dropout",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: drops(rng, B, D, p=0.3), 2, grad=("input",)),
        Case("most are dropped", lambda rng: drops(rng, 2, 3, 31, p=0.9), grad=("input",)),
        Case("none are dropped", lambda rng: drops(rng, 3, D, p=0.0), grad=("input",)),
        Case("draws that equal p", _edges, corner=True),
        Case("single precision", lambda rng: drops(rng, B, D, p=0.3), dtype="float32"),
        Case(
            "a single number",
            lambda rng: {"input": np.array(-0.7), "draws": np.array(0.9), "p": 0.4},
            corner=True,
        ),
        Case(
            "infinite entries are dropped too",
            lambda rng: {
                "input": np.array([np.inf, 1.0, -np.inf, 2.0]),
                "draws": np.array([0.1, 0.9, 0.2, 0.3]),
                "p": 0.5,
            },
        ),
        Case("large entries", lambda rng: drops(rng, B, p=0.5, scale=1e8), hidden=True),
        Case("one row", lambda rng: drops(rng, 1, D, p=0.3), corner=True),
    ),
    hint=(
        "A comparison gives a mask, and a mask can be multiplied. Which share of the entries "
        "survives? Divide by that."
    ),
    forbidden=("F.dropout", "nn.Dropout", "torch.dropout"),
)
