"""Inputs that the tests of `solutions` draw, and how closely they compare."""

import torch


def draw(rng, *shape, scale=1.0):
    """Normal numbers in float64."""
    return scale * torch.randn(shape, generator=rng, dtype=torch.float64)


def assert_equal(got, expected, *, rtol=1e-12, atol=1e-13, **kwargs):
    """Close to the last few bits; the defaults of float64 are too generous for this."""
    torch.testing.assert_close(got, expected, rtol=rtol, atol=atol, **kwargs)
