"""Right and wrong answers to `transfer.label_scores`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def answer_by_answer(log_probs, labels, lengths, *, mean=False):
    columns = []
    for number, length in enumerate(lengths.tolist()):
        total = 0.0
        for t in range(length):
            total = total + log_probs[..., number, t, labels[number, t]]
        columns.append(total / length if mean else total)
    return torch.stack(columns, dim=-1)


@right
def by_places(log_probs, labels, lengths, *, mean=False):
    answers, width = labels.shape
    row = torch.arange(answers, device=labels.device)[:, None].expand(answers, width)
    column = torch.arange(width, device=labels.device).expand(answers, width)
    found = log_probs[..., row, column, labels]
    padding = column >= lengths[:, None]
    found = found.masked_fill(padding, 0)
    scores = found.sum(-1)
    return scores.div(lengths) if mean else scores


wrong(
    "first_token_only",
    why=(
        "Only the first token of each answer was scored: two answers that begin alike could not be "
        "told apart, and a long one is as likely as its first letter."
    ),
    change={
        "device=labels.device) < lengths[:, None]": (
            "device=labels.device) < lengths[:, None].clamp(max=1)"
        )
    },
)


wrong(
    "padding_counted",
    why="The padding after short answers was scored, too.",
    change={"torch.where(kept, found, 0.0).sum(dim=-1)": "found.sum(dim=-1)"},
)


wrong(
    "multiplied_by_the_mask",
    why=(
        "The padding was multiplied by 0; where it is impossible, 0 · (−∞) is NaN. Select, do "
        "not multiply."
    ),
    change={"torch.where(kept, found, 0.0).sum(dim=-1)": "(kept * found).sum(dim=-1)"},
    corner=True,
)


wrong(
    "always_the_mean",
    why="The mean came back where the sum was asked for: that is another order of the answers.",
    change={"return total / lengths if mean else total": "return total / lengths"},
)


wrong(
    "never_the_mean",
    why="The sum came back where the mean was asked for: a long answer is punished for its length.",
    change={"return total / lengths if mean else total": "return total"},
)


wrong(
    "divided_by_the_width",
    why="Each sum was divided by the width of the padded table; divide by the answer's own length.",
    change={"total / lengths if": "total / labels.shape[-1] if"},
)


wrong(
    "last_token_missing",
    why="The last token of each answer was left out.",
    change={"< lengths[:, None]": "< lengths[:, None] - 1"},
)


wrong(
    "probabilities_summed",
    why=(
        "Probabilities were summed; of tokens that follow each other they multiply, so their "
        "logarithms add up."
    ),
    change={"torch.where(kept, found, 0.0)": "torch.where(kept, found.exp(), 0.0)"},
)


wrong(
    "best_token_scored",
    why="At each position the likeliest token was scored; score the answer's own token.",
    change={"log_probs.gather(-1, index)[..., 0]": "log_probs.amax(dim=-1)"},
)


equivalent(
    "index = labels[..., None].expand(*log_probs.shape[:-1], 2)",
    why="Each number is gathered twice, and the second copy is thrown away.",
)
