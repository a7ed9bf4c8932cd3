"""Digits in 20 seconds.

The data are 1,797 handwritten digits of 8×8 pixels, each shifted, turned and scaled a little at
random, with noise. `train` gets 1,000 of them; the score is the accuracy of `predict` on the
others. Each function runs in a separate process: all that `predict` needs must be in the weights.
All calls together may take 20 seconds of processor time, measured from outside, and the weights may
have 200,000 numbers.
"""

import torch


def train(
    images: torch.Tensor, labels: torch.Tensor, seed: int, seconds: float
) -> dict[str, torch.Tensor]:
    """Train a model.

    Args:
        images: (examples, 8, 8) float in [0, 1].
        labels: (examples,) int64, the digits 0 to 9.
        seed: different in each run.
        seconds: processor time for this call and `predict` together (`time.process_time`).

    Returns:
        Tensors by name, as `state_dict` has them. Of the numbers that are allowed, one of 64 bits
        (float64, int64) counts as two.
    """
    raise NotImplementedError


def predict(weights: dict[str, torch.Tensor], images: torch.Tensor) -> torch.Tensor:
    """Classify pictures.

    Args:
        weights: what `train` returned.
        images: (examples, 8, 8) float in [0, 1].

    Returns:
        (examples, 10) scores, or (examples,) int64 digits.
    """
    raise NotImplementedError
