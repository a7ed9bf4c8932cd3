"""Right and wrong answers to `gpt.top_p`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_the_sum_of_all_that_come_first(logits, p):
    if not p > 0:
        raise ValueError("nothing would be left")
    if p == 1:
        return logits.clone()
    one, other = logits[..., :, None], logits[..., None, :]
    places = torch.arange(logits.shape[-1])
    earlier = (other > one) | ((other == one) & (places < places[:, None]))
    before = (earlier * logits.softmax(dim=-1)[..., None, :]).sum(dim=-1)
    return torch.where(before < p, logits, -torch.inf)


@right
def token_by_token(logits, p):
    if p <= 0:
        raise ValueError(f"p is {p}")
    rows = logits.detach().reshape(-1, logits.shape[-1])
    kept = torch.zeros_like(rows, dtype=torch.bool)
    for row, keep in zip(rows, kept, strict=True):
        chances, total = torch.softmax(row, dim=0).tolist(), 0.0
        for token in sorted(range(len(row)), key=lambda token: -row[token].item()):
            if total >= p and p < 1:
                break
            keep[token] = True
            total += chances[token]
    return logits.masked_fill(~kept.reshape(logits.shape), -torch.inf)


@right
def smallest_number_first(logits, p):
    if p <= 0:
        raise ValueError("p is above 0")
    if p >= 1:
        return logits + 0
    order = torch.argsort(logits, dim=-1, descending=True, stable=True)
    reached = logits.gather(-1, order).softmax(dim=-1).cumsum(dim=-1)
    number = (reached < p).sum(dim=-1, keepdim=True) + 1  # tokens of the nucleus
    rank = torch.empty_like(order).scatter_(
        -1, order, torch.arange(logits.shape[-1]).expand_as(order).contiguous()
    )
    return torch.where(rank < number, logits, -torch.inf)


wrong(
    "crossing_token_dropped",
    why=(
        "You dropped the token with which the sum reaches p; it belongs to the nucleus. If one "
        "token alone has more than p, nothing would be left."
    ),
    change={"before = found.cumsum(dim=-1) - found": "before = found.cumsum(dim=-1)"},
)


wrong(
    "not_scattered_back",
    why=(
        "You applied a mask in sorted order to logits in the order of the vocabulary, so it drops "
        "the wrong tokens. Scatter it back."
    ),
    change={"dropped = dropped.scatter(-1, order, dropped)": "dropped = dropped"},
)


wrong(
    "gathered_for_scattered",
    why=(
        "`gather` with the sorting order sorts once more. To undo the sorting, use `scatter`, or "
        "`gather` with the argsort of the order."
    ),
    change={"dropped.scatter(-1, order, dropped)": "dropped.gather(-1, order)"},
)


wrong(
    "unlikely_first",
    why="Your sum begins with the least likely tokens: sort in descending order.",
    change={"descending=True, ": ""},
)


wrong(
    "threshold_on_each",
    why=(
        "You compared each probability with p; compare the sum of the probabilities, from the "
        "largest on."
    ),
    change={"before = found.cumsum(dim=-1) - found": "before = 1 - found"},
)


wrong(
    "rest_for_nucleus",
    why="You kept 1 − p: with p = 0.9 the nucleus has nine tenths of the probability.",
    change={"dropped = before >= p": "dropped = before >= 1 - p"},
)


wrong(
    "one_too_many",
    why="You kept one more token after the sum had reached p.",
    change={
        "before = found.cumsum(dim=-1) - found": (
            "before = (found.cumsum(dim=-1) - found).roll(1, -1)\n    before[..., 0] = 0"
        )
    },
)


wrong(
    "no_softmax",
    why="You summed logits; p is compared with a sum of probabilities.",
    change={"found = ordered.softmax(dim=-1)": "found = ordered"},
)


wrong(
    "sums_over_the_rows",
    why="You summed from row to row of the batch: sum the tokens of each row, from the largest on.",
    change={"found.cumsum(dim=-1) - found": "found.cumsum(dim=0) - found"},
)


@wrong(
    why=(
        "You returned probabilities and set unlikely ones to 0, so they no longer sum to 1. Filter "
        "the logits, and let the softmax normalize again."
    )
)
def after_the_softmax(logits, p):
    if p <= 0:
        raise ValueError("nothing would be left")
    found, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = found.cumsum(dim=-1) - found
    kept = found.masked_fill((before >= p) & (p < 1), 0.0)
    return torch.zeros_like(logits).scatter(-1, order, kept)


wrong(
    "equals_in_any_order",
    why=(
        "Of equal logits you took the last first; the docstring takes the first, so that the same "
        "logits always have the same nucleus."
    ),
    change={
        "ordered, order = logits.sort(descending=True, stable=True)": (
            "ordered, order = logits.flip(-1).sort(descending=True, stable=True)\n"
            "    order = logits.shape[-1] - 1 - order"
        )
    },
    corner=True,
)


wrong(
    "all_is_not_all",
    why=(
        "With p = 1 you dropped tokens: if those before them sum to 1 up to rounding, the "
        "comparison excludes them. p = 1 must change nothing."
    ),
    change={"if p >= 1:": "if p > 1:"},
    corner=True,
)


wrong(
    "crossed_and_not_reached",
    why="You took tokens until their sum was above p; reaching p is enough.",
    change={"dropped = before >= p": "dropped = before > p"},
    corner=True,
)


equivalent(
    "ordered, order = logits.sort(descending=True)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)


equivalent(
    "ordered, order = logits.sort(descending=True, stable=False)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)


wrong(
    "no_token_left",
    why=(
        "With p = 0 you excluded every token, and a softmax of −∞ alone is NaN: raise a ValueError."
    ),
    change={"if p <= 0:": "if p < 0:"},
    corner=True,
)
