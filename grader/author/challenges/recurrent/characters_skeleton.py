"""Characters of the language reference in 60 seconds.

`train` gets four fifths of the text of the Python language reference, its characters numbered by
chance. `predict` gets windows of the other fifth and says what comes next; it is judged by the bits
that the next character takes, on average. It is called 8 times, and each time the windows have
moved forward by eight characters. Each call runs in a process of its own: what `predict` needs must
be in the weights. All calls together may take 60 seconds of processor, counted outside of them, and
the weights may have 2,000,000 numbers.
"""

import torch


def train(
    text: torch.Tensor, characters: int, seed: int, seconds: float
) -> dict[str, torch.Tensor]:
    """Train a language model.

    Args:
        text: (length,) int64, the number of each character.
        characters: how many there are; numbers are below it.
        seed: another one in each run, and with it other numbers for the characters.
        seconds: of processor, for this call and those of `predict` together
            (`time.process_time`).

    Returns:
        Tensors by name, as `state_dict` has them.
    """
    raise NotImplementedError


def predict(weights: dict[str, torch.Tensor], contexts: torch.Tensor) -> torch.Tensor:
    """Predict the character that follows each window.

    Args:
        weights: what `train` returned.
        contexts: (windows, 64) int64.

    Returns:
        (windows, characters) scores; their softmax is the distribution that is judged.
    """
    raise NotImplementedError
