"""`efficient_attention.causal_convolution`: as long as the sequence, by Fourier transform."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import LENGTH

_ALL = ("x", "kernel")


def _inputs(rng, *, batch=2, length=7, features=3):
    return {
        "x": rng.standard_normal((batch, length, features)),
        "kernel": rng.standard_normal((features, length)),
    }


def _tiny(rng):
    made = _inputs(rng)
    return {**made, "x": 1e-9 * made["x"]}


EXERCISE = Exercise(
    title="A long causal convolution by FFT",
    section="as-a-convolution",
    cases=(
        Case("seven positions", lambda rng: _inputs(rng), 2, grad=_ALL),
        Case("eight positions", lambda rng: _inputs(rng, length=8), 2, grad=_ALL),
        Case("one position", lambda rng: _inputs(rng, length=1), grad=_ALL, corner=True),
        Case(
            "as many features", lambda rng: _inputs(rng, batch=5, length=5, features=5), grad=_ALL
        ),
        Case("tiny numbers", lambda rng: _tiny(rng), grad=_ALL, corner=True),
        Case("in float32", lambda rng: _inputs(rng), dtype="float32"),
        Case(
            "what it costs",
            lambda rng: _inputs(rng, batch=1, length=LENGTH),
            3,
            most={"largest": 3_000, "multiply_adds": 8_000, "written": 12_000},
            corner=False,
        ),
        Case(
            "thirteen positions",
            lambda rng: _inputs(rng, batch=3, length=13),
            grad=_ALL,
            hidden=True,
        ),
    ),
    hint=(
        "`torch.fft.rfft(x, n, dim=…)` pads with zeros to n. Multiply, transform back, and cut: "
        "which positions are free of wraparound?"
    ),
)
