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
        "Negative logits were divided, too, and come nearer to 0: what was unlikely and has been "
        "said becomes likelier. Multiply where the logit is negative."
    ),
    change={"torch.where(logits > 0, logits / penalty, logits * penalty)": "logits / penalty"},
)


wrong(
    "the_wrong_way_round",
    why="Positive logits were multiplied and negative ones divided: repetition is rewarded.",
    change={"logits > 0, ": "logits <= 0, "},
)


wrong(
    "everybody",
    why="The logits of all tokens were lowered; only what has been said pays.",
    change={"return torch.where(said, lower, logits)": "return lower"},
)


wrong(
    "everybody_else",
    why="Those that have *not* been said pay here: the mask is turned round.",
    change={"torch.where(said, lower, logits)": "torch.where(said, logits, lower)"},
)


@wrong(
    why=(
        "The penalty was applied once for each time a token occurs: one that is said ten times "
        "would be as good as forbidden. A token counts once."
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
    why="The penalty was subtracted; it is a factor.",
    change={
        "torch.where(logits > 0, logits / penalty, logits * penalty)": "logits - penalty",
    },
)


@wrong(
    why=("All rows paid for what any of them has said: the rows of a batch are different texts.")
)
def one_text_for_all(logits, tokens, penalty):
    said = torch.zeros(logits.shape[-1], dtype=torch.bool)
    said[tokens.flatten()] = True
    lower = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(said, lower, logits)


wrong(
    "last_token_alone",
    why="Only the last token pays; everything that has been said does.",
    change={"scatter(-1, tokens, True)": "scatter(-1, tokens[:, -1:], True)"},
)


@wrong(
    why=(
        "The probabilities were divided, and came back as logarithms. That takes the same from "
        "every token, whatever its logit; the statement asks for another rule."
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
        "The logit of a token that was ruled out, −∞, became NaN: 0 · (−∞) is NaN, and so is "
        "−∞ − (−∞). Do not switch by a factor of 0 or add a difference; choose with `torch.where`."
    ),
    corner=True,
)
def both_times_a_switch(logits, tokens, penalty):
    said = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, tokens, True)
    positive = (logits > 0).to(logits.dtype)
    lower = positive * (logits / penalty) + (1 - positive) * (logits * penalty)
    return torch.where(said, lower, logits)
