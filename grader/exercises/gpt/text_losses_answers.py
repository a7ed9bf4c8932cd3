"""Right and wrong answers to `gpt.text_losses`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def filled_in(model, tokens, *, span, stride):
    number = len(tokens)
    found = torch.full((number - 1,), float("nan"), dtype=torch.float64)
    start = 0
    while True:
        end = min(start + span, number)
        logits = model(tokens[None, start:end])[0]
        losses = F.cross_entropy(logits[:-1], tokens[start + 1 : end], reduction="none")
        place = torch.arange(start, end - 1)
        new = found[place].isnan()
        found[place[new]] = losses[new]
        if end == number:
            return found
        start += stride


@right
def by_the_number_of_the_window(model, tokens, *, span, stride):
    parts, window = [], 0
    while not parts or (window - 1) * stride + span < len(tokens):
        text = tokens[window * stride :][:span]
        z = model(text.unsqueeze(0)).squeeze(0)[:-1]
        losses = z.logsumexp(dim=-1) - z[range(len(text) - 1), text[1:]]
        parts.append(losses if window == 0 else losses[span - stride - 1 :])
        window += 1
    return torch.cat(parts)


wrong(
    "asked_twice",
    why=(
        "Where windows overlap, you counted tokens in both: each token counts once, in the first "
        "window that can predict it."
    ),
    change={"losses[asked - start - 1 :]": "losses"},
)


@wrong(
    why=(
        "Your windows lie end to end: the first token of each was never predicted, and the next "
        "few had almost no context."
    )
)
def end_to_end(model, tokens, *, span, stride):
    found = []
    for start in range(0, len(tokens) - 1, span):
        part = tokens[start : start + span]
        log_p = model(part[None])[0, :-1].log_softmax(dim=-1)
        found.append(-log_p.gather(-1, part[1:, None])[:, 0])
    return torch.cat(found)


@wrong(why="You left out the last window, because it is shorter than the others.")
def last_window_dropped(model, tokens, *, span, stride):
    found, asked = [], 1
    for start in range(0, max(len(tokens) - span, 0) + 1, stride):
        part = tokens[start : start + span]
        log_p = model(part[None])[0, :-1].log_softmax(dim=-1)
        found.append((-log_p.gather(-1, part[1:, None])[:, 0])[asked - start - 1 :])
        asked = start + len(part)
    return torch.cat(found)


wrong(
    "one_too_late",
    why=(
        "The first new token of every window but the first is missing: it is predicted at the "
        "position of the last old one."
    ),
    change={"losses[asked - start - 1 :]": "losses[asked - start if start else 0 :]"},
)


wrong(
    "not_shifted",
    why="The target at each position is its own token; it should be the next one.",
    change={"[0, :-1]": "[0, 1:]"},
)


wrong(
    "windows_go_on",
    why=(
        "After the end of the text, you read more windows that predict nothing new: the result is "
        "right, but costs more."
    ),
    change={"while asked < len(tokens):": "while start < len(tokens) - 1:"},
    corner=True,
)


wrong(
    "best_context_for_all",
    why=(
        "You predicted every token with the longest context that a window can hold, in a pass of "
        "its own. That is a stride of 1; the docstring says which window predicts which token."
    ),
    change={"start + len(part), start + stride": "start + len(part), start + 1"},
)


wrong(
    "bits",
    why="These are bits; return nats.",
    change={
        "losses = -log_p.gather(-1, part[1:, None])[:, 0]": (
            "losses = -log_p.gather(-1, part[1:, None])[:, 0] / 0.6931471805599453"
        )
    },
)


wrong(
    "logarithm_of_a_softmax",
    why=(
        "The softmax rounds small probabilities to 0, and the loss is infinite; `log_softmax` "
        "keeps them apart."
    ),
    change={".log_softmax(dim=-1)": ".softmax(dim=-1).log()"},
    corner=True,
)
