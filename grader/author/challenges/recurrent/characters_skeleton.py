"""Characters of the language reference in 60 seconds.

`train` gets four fifths of the text of the Python language reference, its characters numbered at
random. `predict` gets windows of the other fifth and predicts the character that follows each; the
score is the mean number of bits that these characters take. `predict` is called 8 times, and from
call to call the windows move forward by eight characters. Each call runs in a separate process: all
that `predict` needs must be in the weights. All calls together may take 60 seconds of processor
time, measured from outside, and the weights may have 2,000,000 numbers.
"""

import torch


def train(
    text: torch.Tensor, characters: int, seed: int, seconds: float
) -> dict[str, torch.Tensor]:
    """Train a language model.

    Args:
        text: (length,) int64, the number of each character.
        characters: number of distinct characters; all numbers in the text are below it.
        seed: different in each run, and so are the numbers of the characters.
        seconds: processor time for this call and those of `predict` together
            (`time.process_time`).

    Returns:
        Tensors by name, as `state_dict` has them. Of the numbers that are allowed, one of 64 bits
        (float64, int64) counts as two.
    """
    raise NotImplementedError


def predict(weights: dict[str, torch.Tensor], contexts: torch.Tensor) -> torch.Tensor:
    """Predict the character that follows each window.

    Args:
        weights: what `train` returned.
        contexts: (windows, 64) int64.

    Returns:
        (windows, characters) scores; their softmax is the predicted distribution.
    """
    raise NotImplementedError
