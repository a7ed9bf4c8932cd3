"""`training.Adam`: adam as an optimizer of PyTorch."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.training import C, D


def optimizer(
    rng,
    *,
    steps=5,
    missing=(),
    zero=(),
    groups=None,
    rates=None,
    reload=None,
    closure=False,
    added=None,
    **init,
):
    """Three parameters and their gradients; (step, index) are ``missing`` or ``zero``."""
    shapes = (C, 3), (D,), (2, 1, 3)
    gradients = [
        [
            None
            if (step, index) in missing
            else _few_bits(rng, shape) * ((step, index) not in zero)
            for index, shape in enumerate(shapes)
        ]
        for step in range(steps)
    ]
    args = {
        "parameters": [_few_bits(rng, shape) for shape in shapes],
        "groups": groups or [{"count": 2}, {}],
        "gradients": gradients,
        "rates": rates,
        "reload": reload,
        "state": True,
        "closure": closure,
        "added": added,
    }
    return Call(args=args, init=init)


def _few_bits(rng, shape):
    """Numbers that a record compresses well."""
    return np.round(256 * rng.standard_normal(shape)) / 256


EXERCISE = Exercise(
    title="Adam as a PyTorch optimizer",
    section="adam",
    tolerance=1e-10,
    cases=(
        Case("five steps", lambda rng: optimizer(rng, lr=0.1), 2),
        Case(
            "all settings",
            lambda rng: optimizer(
                rng, steps=4, lr=0.1, betas=[0.7, 0.9], eps=0.1, weight_decay=0.3
            ),
        ),
        Case(
            "groups of their own",
            lambda rng: optimizer(
                rng,
                groups=[
                    {"lr": 0.3, "weight_decay": 0.1},
                    {"count": 2, "betas": [0.5, 0.6], "eps": 0.2},
                ],
            ),
        ),
        Case(
            "a schedule",
            lambda rng: optimizer(rng, lr=0.1, rates=[0.1, 0.5, 0.02, 0.3, 0.7]),
        ),
        Case(
            "gradients that are missing",
            lambda rng: optimizer(
                rng, lr=0.1, weight_decay=0.2, missing=[(0, 1), (1, 1), (3, 0), (4, 2)]
            ),
            2,
            corner=True,
        ),
        Case(
            "gradients that are zero",
            lambda rng: optimizer(rng, lr=0.1, zero=[(0, 1), (2, 0), (3, 2)]),
            corner=True,
        ),
        Case(
            "one group of all",
            lambda rng: optimizer(rng, steps=4, lr=0.1, groups=[{"count": 3}]),
            corner=True,
        ),
        Case("saved and loaded", lambda rng: optimizer(rng, lr=0.1, reload=3), 2),
        Case(
            "the loss comes from a closure",
            lambda rng: optimizer(rng, steps=4, lr=0.1, closure=True),
            corner=True,
        ),
        Case(
            "a group that is added later",
            lambda rng: optimizer(
                rng,
                steps=4,
                lr=0.1,
                groups=[{}, {"count": 2, "lr": 0.3, "weight_decay": 0.1}],
                rates=[0.1, 0.1, 0.2, 0.5],
                added=1,
                reload=3,
            ),
            corner=True,
        ),
        Case("single precision", lambda rng: optimizer(rng, steps=4, lr=0.1), dtype="float32"),
        Case(
            "everything at once",
            lambda rng: optimizer(
                rng,
                lr=0.2,
                groups=[{"weight_decay": 0.1}, {"count": 2}],
                rates=[0.1, 0.2, 0.3, 0.2, 0.1],
                missing=[(0, 0), (2, 1)],
                reload=2,
            ),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "`self.state[parameter]` is a dict that begins empty. Under `torch.no_grad()`: fill it, "
        "count the step, call `adam_step`, and `copy_` what comes back into the parameter."
    ),
    needs=("adam_step",),
    forbidden=("torch.optim.Adam", "torch.optim.AdamW"),
    probe="optimizer",
)
