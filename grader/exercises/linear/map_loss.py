"""`linear.map_loss`: the most probable weights."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, D

EXERCISE = Exercise(
    title="The loss of a maximum a posteriori estimate",
    section="maximum-likelihood",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _model(rng), 2, grad=("weight", "bias")),
        Case("little noise", lambda rng: _model(rng, noise=1e-4), grad=("weight", "bias")),
        Case("a narrow prior", lambda rng: _model(rng, prior=0.003), 2, grad=("weight",)),
        Case("one example", lambda rng: _model(rng, count=1), grad=("weight",), corner=True),
        Case("one output", lambda rng: _model(rng, outputs=1), corner=True),
        Case("no example yet", lambda rng: _model(rng, count=0), grad=("weight",)),
        Case("float32", lambda rng: _model(rng), dtype="float32"),
        Case(
            "one target for several outputs",
            lambda rng: {**_model(rng), "target": rng.standard_normal((B, 1))},
            raises="ValueError",
        ),
        Case(
            "targets without their axis",
            lambda rng: {**_model(rng, outputs=1), "target": rng.standard_normal(B)},
            raises="ValueError",
        ),
        Case(
            "one target for several examples",
            lambda rng: {**_model(rng), "target": rng.standard_normal((1, C))},
            raises="ValueError",
        ),
        Case("two hundred examples", lambda rng: _model(rng, count=200), corner=True),
        Case("a large bias", lambda rng: _model(rng, offset=50.0), hidden=True, corner=True),
        Case(
            "hardly any noise, a prior as narrow",
            lambda rng: _model(rng, noise=1e-20, prior=1e-20),
            grad=("weight",),
            corner=True,
        ),
    ),
    hint=(
        "Each number costs (distance)² / (2 · variance) + ½ ln(2π · variance). Count them: B·C "
        "targets and C·D weights."
    ),
    forbidden=("torch.distributions", "F.gaussian_nll_loss", "nn.GaussianNLLLoss"),
    needs=("linear",),
)


def _model(rng, *, count=B, outputs=C, noise=0.3, prior=1.7, offset=0.0):
    return {
        "weight": rng.standard_normal((outputs, D)),
        "bias": offset + rng.standard_normal(outputs),
        "features": rng.standard_normal((count, D)),
        "target": offset + 2 * rng.standard_normal((count, outputs)),
        "noise": noise,
        "prior": prior,
    }
