"""Right and wrong answers to `preference.implicit_reward`."""

import torch

from grader.author.answers import right, wrong


@right
def without_grad(log_probs, reference, *, beta):
    with torch.no_grad():
        fixed = reference * beta
    return log_probs * beta - fixed


@right
def as_data(log_probs, reference, *, beta):
    return torch.sub(log_probs, reference.data).mul(beta)


wrong(
    "reference_learns",
    why=(
        "A gradient reaches the reference, which would then move away from the model. It has "
        "to stay fixed."
    ),
    change={"reference.detach()": "reference"},
)


wrong(
    "nothing_learns",
    why="You stopped the gradient of the model itself, so it learns nothing.",
    change={"(log_probs - reference.detach())": "(log_probs - reference).detach()"},
)


wrong(
    "swapped",
    why=(
        "You subtracted the model from the reference: answers that the model now prefers get "
        "a low reward."
    ),
    change={"log_probs - reference.detach()": "reference.detach() - log_probs"},
)


wrong(
    "beta_divides",
    why="You divided by β: an expensive nat of divergence must count for more reward, not less.",
    change={"beta * (": "1 / beta * ("},
)


wrong(
    "beta_on_one",
    why="β multiplies the difference; you multiplied only the model's part.",
    change={"beta * (log_probs - reference.detach())": "beta * log_probs - reference.detach()"},
)


wrong(
    "quotient_of_logarithms",
    why="You divided log-probabilities; the logarithm of a ratio is a difference.",
    change={"log_probs - reference.detach()": "log_probs / reference.detach()"},
)


wrong(
    "quotient_itself",
    why="This is the ratio of the probabilities; return its logarithm.",
    change={"(log_probs - reference.detach())": "(log_probs - reference.detach()).exp()"},
)


wrong(
    "no_reference",
    why="The reference is missing: a model is then rewarded for answers that were likely before.",
    change={"(log_probs - reference.detach())": "log_probs"},
)
