"""Right and wrong answers to `gpt.repetition_penalty`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def gathered_and_put_back(logits, tokens, penalty):
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


@right
def with_one_hot(logits, tokens, penalty):
    times = torch.nn.functional.one_hot(tokens, logits.shape[-1]).sum(dim=1)
    factor = torch.ones_like(logits)
    factor[(times > 0) & (logits > 0)] = 1 / penalty
    factor[(times > 0) & (logits <= 0)] = penalty
    return logits * factor


@right
def row_by_row(logits, tokens, penalty):
    rows = []
    for row, said in zip(logits, tokens.tolist(), strict=True):
        numbers = list(row)
        for token in set(said):
            numbers[token] = row[token] / penalty if row[token] > 0 else row[token] * penalty
        rows.append(torch.stack(numbers))
    return torch.stack(rows)


wrong(
    "cut_off",
    why=(
        "The values are right, but no gradient flows: a penalized logit is still the "
        "logit times a number (no detach(), .data or torch.tensor(...))."
    ),
    change={"(said, lower, logits)": "(said, lower, logits).detach()"},
)


wrong(
    "negative_divided",
    why=(
        "You divided negative logits, too, which brings them nearer to 0: unlikely tokens that "
        "have occurred become likelier. Multiply negative logits."
    ),
    change={"torch.where(logits > 0, logits / penalty, logits * penalty)": "logits / penalty"},
)


wrong(
    "the_wrong_way_round",
    why="You multiplied positive logits and divided negative ones: this rewards repetition.",
    change={"logits > 0, ": "logits <= 0, "},
)


wrong(
    "everybody",
    why="You lowered the logits of all tokens; lower only those of tokens that have occurred.",
    change={"return torch.where(said, lower, logits)": "return lower"},
)


wrong(
    "everybody_else",
    why="You lowered the logits of tokens that have *not* occurred: the mask is inverted.",
    change={"torch.where(said, lower, logits)": "torch.where(said, logits, lower)"},
)


@wrong(
    why=(
        "You applied the penalty once per occurrence: a token that occurs ten times would be "
        "almost forbidden. Each token counts once."
    )
)
def once_per_occurrence(logits, tokens, penalty):
    times = torch.zeros_like(logits).scatter_add(
        1, tokens, torch.ones_like(tokens, dtype=logits.dtype)
    )
    factor = penalty**times
    return torch.where(logits > 0, logits / factor, logits * factor)


wrong(
    "subtracted",
    why="You subtracted the penalty; it is a factor.",
    change={
        "torch.where(logits > 0, logits / penalty, logits * penalty)": "logits - penalty",
    },
)


@wrong(
    why=(
        "You penalized in all rows the tokens that have occurred in any row: the rows of a batch "
        "are different texts."
    )
)
def one_text_for_all(logits, tokens, penalty):
    said = torch.zeros(logits.shape[-1], dtype=torch.bool)
    said[tokens.flatten()] = True
    lower = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(said, lower, logits)


wrong(
    "last_token_alone",
    why="You penalized only the last token; penalize all that have occurred.",
    change={"scatter(-1, tokens, True)": "scatter(-1, tokens[:, -1:], True)"},
)


@wrong(
    why=(
        "You divided probabilities and returned their logarithms. That subtracts the same number "
        "from every logit; the docstring asks for another rule."
    )
)
def on_probabilities(logits, tokens, penalty):
    said = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens, True)
    chances = logits.softmax(dim=-1)
    return torch.where(said, chances / penalty, chances).log()


equivalent(
    "lower = torch.where(((logits) >= (0)), logits / penalty, logits * penalty)",
    why="A logit of 0 stays 0, multiplied or divided.",
)


@wrong(
    why=(
        "The logit of an excluded token, −∞, became NaN: 0 · (−∞) is NaN, and so is −∞ − (−∞). "
        "Instead of a factor of 0 or a difference, use `torch.where`."
    ),
    corner=True,
)
def both_times_a_switch(logits, tokens, penalty):
    said = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, tokens, True)
    positive = (logits > 0).to(logits.dtype)
    lower = positive * (logits / penalty) + (1 - positive) * (logits * penalty)
    return torch.where(said, lower, logits)
