"""Right and wrong answers to `recurrent.draw_next`."""

import torch

from grader.author.answers import right, wrong


@right
def with_searchsorted(logits, uniform, *, temperature=1.0):
    if temperature < 0:
        raise ValueError("below zero")
    if temperature == 0:
        return torch.argmax(logits, dim=1)
    p = torch.softmax((logits - logits.amax(1, keepdim=True)) / temperature, dim=1)
    found = torch.searchsorted(p.cumsum(dim=1), uniform[:, None].contiguous(), right=True)[:, 0]
    last = torch.where(p > 0, torch.arange(p.shape[1]), 0).amax(dim=1)
    return torch.minimum(found, last)


@right
def symbol_after_symbol(logits, uniform, *, temperature=1.0):
    if temperature < 0:
        raise ValueError(f"no such temperature: {temperature}")
    drawn = torch.zeros(len(logits), dtype=torch.int64)
    if temperature == 0:
        best = logits[:, 0]
        for symbol in range(1, logits.shape[1]):
            better = logits[:, symbol] > best
            drawn, best = drawn.masked_fill(better, symbol), torch.maximum(best, logits[:, symbol])
        return drawn
    p = torch.exp((logits - logits.amax(1, keepdim=True)) / temperature)
    p = p / p.sum(1, keepdim=True)
    end = 0.0
    for symbol in range(logits.shape[1] - 1):
        end = end + p[:, symbol]
        drawn[(uniform >= end) & (p[:, symbol + 1 :] > 0).any(dim=1)] = symbol + 1
    return drawn


wrong(
    "temperature_the_wrong_way",
    why=(
        "The logits are divided by the temperature: a low temperature makes likely symbols "
        "likelier."
    ),
    change={"logits / temperature": "logits * temperature"},
)


wrong(
    "temperature_ignored",
    why="The temperature plays no part unless it is 0.",
    change={"(logits / temperature)": "logits"},
)


wrong(
    "probabilities_divided",
    why=(
        "You divided the probabilities, and they no longer sum to 1; divide the logits by the "
        "temperature, before the softmax."
    ),
    change={"(logits / temperature).softmax(dim=-1)": "(logits.softmax(dim=-1) / temperature)"},
)


wrong(
    "always_the_best",
    why=(
        "The most probable symbol comes every time, as if the temperature were 0: nothing is drawn."
    ),
    change={"if temperature == 0:": "if True:"},
)


wrong(
    "wrong_side_of_the_border",
    why=(
        "At a border the piece to the right counts: here the number 0 would draw even an "
        "impossible first symbol."
    ),
    change={"ends <= uniform": "ends < uniform"},
    corner=True,
)


wrong(
    "no_cumulative_sum",
    why=(
        "The number was compared with the probabilities themselves; compare it with their "
        "cumulative sum."
    ),
    change={".cumsum(dim=-1)": ""},
)


wrong(
    "beyond_the_last",
    why="If rounding leaves the last sum below 1, your answer is a symbol that does not exist.",
    change={" & (ends < last)": ""},
    corner=True,
)


wrong(
    "the_last_whether_possible_or_not",
    why=(
        "If rounding leaves the last sum below 1, your answer is the last symbol, but its "
        "probability may be 0; return the last symbol with a probability above 0."
    ),
    change={
        "((ends <= uniform[:, None]) & (ends < last)).sum(dim=-1)": (
            "(ends <= uniform[:, None]).sum(dim=-1).clamp(max=logits.shape[-1] - 1)"
        )
    },
    corner=True,
)


wrong(
    "floor_under_the_probabilities",
    why=(
        "You raised the probabilities to a floor, so symbols that are impossible are drawn now and "
        "then; a probability of 0 has no piece."
    ),
    change={".softmax(dim=-1)": ".softmax(dim=-1).clamp(min=1e-9)"},
    corner=True,
)


wrong(
    "last_of_equals",
    why="With a temperature of 0, the first of equal logits wins.",
    change={
        "return logits.argmax(dim=-1)": (
            "return logits.shape[-1] - 1 - logits.flip(-1).argmax(dim=-1)"
        )
    },
    corner=True,
)


wrong(
    "exponentials_overflow",
    why=(
        "exp(2000) is infinite and exp(−2000) is 0, and their quotients are not probabilities: "
        "subtract the largest logit first, as `softmax` does."
    ),
    change={
        "logits - logits.amax(dim=-1, keepdim=True)": "logits",
        "(logits / temperature).softmax(dim=-1).cumsum(dim=-1)": (
            "(logits / temperature).exp().cumsum(dim=-1)\n    ends = ends / ends[:, -1:]"
        ),
    },
    corner=True,
)


wrong(
    "quotients_overflow",
    why=(
        "You divided large logits by a temperature near 0: the quotients become infinite, and "
        "the softmax of ∞ is NaN. Subtract the largest logit before you divide."
    ),
    change={"logits - logits.amax(dim=-1, keepdim=True)": "logits"},
    corner=True,
)


wrong(
    "near_zero_taken_for_zero",
    why=(
        "A small temperature was treated as 0. Equal logits should still be drawn equally often; "
        "only if the temperature is exactly 0 does the first of them win."
    ),
    change={"if temperature == 0:": "if temperature < 1e-6:"},
    corner=True,
)


wrong(
    "coldest_allowed",
    why=(
        "A low temperature was raised to a minimum; any temperature above 0 must divide the "
        "logits unchanged."
    ),
    change={"logits / temperature": "logits / max(temperature, 1e-3)"},
    corner=True,
)


wrong(
    "through_float32",
    why=(
        "The ends of the pieces were computed in float32; a number close to a border falls into "
        "the wrong piece."
    ),
    change={
        "(logits / temperature).softmax(dim=-1)": (
            "(logits / temperature).float().softmax(dim=-1).to(logits)"
        )
    },
    corner=True,
)
