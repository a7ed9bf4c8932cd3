"""`self_attention.serial_steps`: what has to wait."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Case, Exercise


def _steps(layer, length):
    return lambda rng: {"layer": layer, "length": length}


def _several(call, rng):
    """Among other layers, in any order."""
    layers = rng.choice(["attention", "recurrent", "convolution"], 6).tolist()
    others = [{"layer": layer, "length": int(rng.integers(20, 900))} for layer in layers]
    others.append({"layer": "recurrent", "length": int(rng.integers(20, 900))})
    return replace(call, args={"calls": rng.permutation([dict(call.args), *others]).tolist()})


EXERCISE = Exercise(
    title="Sequential operations",
    section="cost",
    hint=(
        "Ask of each matrix product which others it needs the result of, and follow the longest "
        "chain. Three projections of one input need nothing from each other."
    ),
    cases=(
        Case("attention", _steps("attention", 13)),
        Case("recurrent", _steps("recurrent", 13)),
        Case("convolution", _steps("convolution", 13)),
        Case("no such layer", _steps("Attention", 13), raises="ValueError"),
        Case("dilated is none of them", _steps("dilated", 13), raises="ValueError"),
        Case("attention, one position", _steps("attention", 1), corner=True),
        Case("recurrent, one position", _steps("recurrent", 1), corner=True),
        Case("attention over a long text", _steps("attention", 1009)),
        Case("recurrent, two positions", _steps("recurrent", 2), hidden=True),
        Case("convolution over a long text", _steps("convolution", 1009), hidden=True),
    ),
    afresh=_several,
)
