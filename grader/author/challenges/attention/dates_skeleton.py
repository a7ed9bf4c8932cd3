"""Dates in 60 seconds.

The data are 2,500 dates in four languages, as people write them: "2 mars 2003" is 20030302.
Characters and digits are numbered at random, so no rule can be written down in advance: the model
has to learn it. `train` gets 2,000 dates; the score is the share of the others for which `predict`
gets all eight digits right. Each function runs in a separate process: all that `predict` needs must
be in the weights. All calls together may take 60 seconds of processor time, measured from outside,
and the weights may have 1,000,000 numbers.
"""

import torch


def train(
    source: torch.Tensor, target: torch.Tensor, symbols: int, seed: int, seconds: float
) -> dict[str, torch.Tensor]:
    """Train a translator.

    Args:
        source: (examples, longest) int64, characters, numbered from 1 on, then zeros.
        target: (examples, 8) int64, the numbers of the digits, 0 to 9.
        symbols: all numbers of characters are below it.
        seed: different in each run, and so are the numbers of characters and digits.
        seconds: processor time for this call and `predict` together (`time.process_time`).

    Returns:
        Tensors by name, as `state_dict` has them. Of the numbers that are allowed, one of 64 bits
        (float64, int64) counts as two.
    """
    raise NotImplementedError


def predict(weights: dict[str, torch.Tensor], source: torch.Tensor) -> torch.Tensor:
    """Translate dates.

    Args:
        weights: what `train` returned.
        source: (examples, longest) int64, as in `train`.

    Returns:
        (examples, 8) int64, the numbers of the digits.
    """
    raise NotImplementedError
