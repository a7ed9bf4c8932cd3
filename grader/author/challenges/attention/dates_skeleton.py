"""Dates in 60 seconds.

2,500 dates in four languages, as people write them: "2 mars 2003" is 20030302. Characters and
digits are numbered by chance, so no rule can be written down beforehand: the model has to learn it.
`train` gets 2,000 dates; `predict` is judged by the share of the others of which all eight digits
are right. Each function runs in a process of its own: what `predict` needs must be in the weights.
All calls together may take 60 seconds of processor, counted outside of them, and the weights may
have 1,000,000 numbers.
"""

import torch


def train(
    source: torch.Tensor, target: torch.Tensor, symbols: int, seed: int, seconds: float
) -> dict[str, torch.Tensor]:
    """Train a translator.

    Args:
        source: (examples, longest) int64, characters from 1 on, with zeros behind them.
        target: (examples, 8) int64, the numbers of the digits, 0 to 9.
        symbols: the numbers of characters are below it.
        seed: another one in each run, and with it other numbers for characters and digits.
        seconds: of processor, for this call and `predict` together (`time.process_time`).

    Returns:
        Tensors by name, as `state_dict` has them.
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
