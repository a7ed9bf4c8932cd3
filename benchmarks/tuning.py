"""Learning rates, chosen in the same way for all models that are compared."""

from __future__ import annotations


def next_rate(tried: dict[str, float], first: float) -> float:
    """Return the rate to try next; or the best, where it lies between two that are worse.

    Three rates come first: `first`, half of it and twice it. Where the best of those tried is the
    lowest or the highest of them, the next is beyond it.

    Args:
        tried: loss on the development part by rate.
        first: the rate to begin with.
    """
    for rate in (first, first / 2, first * 2):
        if f"{rate:g}" not in tried:
            return rate
    rates = sorted(map(float, tried))
    best = min(rates, key=lambda rate: tried[f"{rate:g}"])
    return best / 2 if best == rates[0] else best * 2 if best == rates[-1] else best
