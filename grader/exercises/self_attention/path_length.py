"""`self_attention.path_length`: how far a signal has to travel."""

from __future__ import annotations

import math

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _path(layer, length, width=3):
    return lambda rng: {"layer": layer, "length": length, "width": width}


def _longer(rng, layer, length, width=3):
    """Another width and length; a power stays a power, and what comes out even does."""
    if layer == "convolution" and length > 2**50:
        return {"length": 2**53 - 4 * int(rng.integers(2, 100))}
    if layer != "dilated":
        rest = (length - 1) % (width - 1)
        width = int(rng.integers(3, 11)) if rest else width
        rest = min(rest, width - 2)
        return {"length": 1 + rest + (width - 1) * int(rng.integers(20, 900)), "width": width}
    if length <= width:
        width = int(rng.integers(5, 50))
        return {"length": int(rng.integers(2, width)), "width": width}
    if width == 2 and length > 2**49:
        return {"length": 2 ** int(rng.integers(49, 53)) + 1}
    powers = [width**hops for hops in range(1, 25)]
    most = {2: 34, 3: 21, 5: 14, 7: 12, 10: 10}
    drawn = [
        (wide, hops)
        for wide in most
        for hops in range(4 if length < 10**6 else most[wide] - 2, most[wide])
        if length not in powers
        or (math.ceil(math.log(wide**hops, wide)) > hops) == (length in powers[2:])
    ]  # of a square the logarithm comes out right, of higher powers too large
    width, hops = (int(number) for number in rng.choice(drawn))
    power = width**hops
    if not {length, length - 1} & {*powers}:
        return {"length": power + int(rng.integers(2, power - 1)), "width": width}
    return {"length": power + (length not in powers), "width": width}


EXERCISE = Exercise(
    title="Maximum path length",
    section="cost",
    hint=(
        "The last position is T − 1 positions away from the first. How many of them does one "
        "hop of each kind cover? For the dilated stack: how many positions does the last output "
        "see after one layer, after two, after three?"
    ),
    cases=(
        Case("attention", _path("attention", 13)),
        Case("recurrent", _path("recurrent", 13)),
        Case("convolution", _path("convolution", 22, 4)),
        Case("convolution that does not come out even", _path("convolution", 17, 4)),
        Case("convolution of three", lambda rng: {"layer": "convolution", "length": 6}),
        Case("a long convolution", _path("convolution", 2**53 - 4, 3), budget=1000, corner=True),
        Case("dilated", _path("dilated", 65, 4), 2),
        Case("dilated, a square", _path("dilated", 16, 4)),
        Case("dilated, a power of the width", _path("dilated", 125, 5)),
        Case("dilated, one more than a high power", _path("dilated", 3**20 + 1, 3)),
        Case("dilated, a high power", _path("dilated", 5**21, 5)),
        Case("dilated, one more than a high power of 2", _path("dilated", 2**50 + 1, 2)),
        Case("dilated, two positions", _path("dilated", 2, 3), corner=True),
        Case("no such layer", _path("Attention", 13), raises="ValueError"),
        Case("recurrent, two positions", _path("recurrent", 2), hidden=True),
        Case("dilated and narrow", _path("dilated", 65, 2), hidden=True),
        Case("a convolution wider than the sequence", _path("convolution", 5, 11), hidden=True),
    ),
    afresh=changed(_longer),
)
