"""Right and wrong answers to `gpt.speculative_step`."""

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.gpt import acceptance, draw_next, residual


@right
def one_after_the_other(target, draft, tokens, uniform):
    gained = []
    for t, token in enumerate(tokens.tolist()):
        p, q = target[t, token], draft[t, token]
        if uniform[t] >= torch.clamp(p / q, max=1.0):
            left = torch.relu(target[t] - draft[t])
            left = left / left.sum() if left.sum() > 0 else target[t]
            break
        gained.append(token)
    else:
        left = target[len(tokens)]
    ends = left.cumsum(0)
    last = int(((ends <= uniform[-1]) & (ends < ends[-1])).sum())
    return torch.tensor([*gained, last])


@right
def by_the_first_refused(target, draft, tokens, uniform):
    n = tokens.numel()
    places = torch.arange(n)
    stays = acceptance(target[:-1], draft)[places, tokens] > uniform[:-1]
    refused = (~stays).nonzero().flatten()
    m = int(refused[0]) if len(refused) else n
    nothing = torch.zeros_like(target[:1])
    more = residual(target, torch.cat([draft, nothing]))[m]  # after the last, q is 0
    return torch.cat([tokens[:m], draw_next(more.log().unsqueeze(0), uniform[-1:])])


wrong(
    "bonus_forgotten",
    why=(
        "If all proposals are accepted, the token after them is missing. The target has scored "
        "that place in the same pass: it is free."
    ),
    change={
        "return torch.cat([tokens[:kept], draw_next(more.log()[None], uniform[n:])])": (
            "if kept == n > 0:\n        return tokens\n"
            "    return torch.cat([tokens[:kept], draw_next(more.log()[None], uniform[n:])])"
        )
    },
)


wrong(
    "refused_ones_skipped",
    why=(
        "You kept accepted proposals after a rejected one, too. Their probabilities were computed "
        "for a text that contains it, so all proposals after it are dropped."
    ),
    change={
        "tokens[:kept], draw": "tokens[uniform[:n] < chances], draw",
    },
)


wrong(
    "drawn_from_the_target",
    why=(
        "You replaced a rejected token by a sample from p: tokens that both models give come too "
        "often. Sample from the residual."
    ),
    change={
        "more = target[n] if kept == n else residual(target[kept], draft[kept])": (
            "more = target[kept]"
        )
    },
)


wrong(
    "drawn_from_the_draft",
    why=(
        "You replaced a rejected token by a sample from q, the draft model's distribution. Sample "
        "from the residual."
    ),
    change={"residual(target[kept], draft[kept])": "draft[kept]"},
)


wrong(
    "one_place_too_late",
    why=(
        "You sampled the extra token from the target's prediction after the rejected one, which is "
        "no longer in the text."
    ),
    change={"residual(target[kept], draft[kept])": "target[kept + 1]"},
)


wrong(
    "target_one_ahead",
    why=(
        "You compared each proposal with the target's prediction *after* it: row t of both is "
        "about the place of proposal t."
    ),
    change={"acceptance(target[:n], draft)": "acceptance(target[1:], draft)"},
)


wrong(
    "the_wrong_way_round",
    why="You accept proposals whose number is *above* the acceptance: likely ones are rejected.",
    change={"(uniform[:n] < chances)": "(uniform[:n] > chances)"},
)


wrong(
    "zero_is_below_zero",
    why=(
        "You accept a proposal whose number equals its acceptance: with the number 0, even one to "
        "which the target gives probability 0."
    ),
    change={"uniform[:n] < chances": "uniform[:n] <= chances"},
    corner=True,
)


wrong(
    "number_used_again",
    why=(
        "You sampled the replacement with the number that rejected a proposal. That number is "
        "known to be large, so the sample is biased: use the last number."
    ),
    change={"uniform[n:])": "uniform[kept : kept + 1])"},
)


wrong(
    "refused_one_kept",
    why="Your result contains the rejected proposal.",
    change={"tokens[:kept], draw": "tokens[: kept + 1], draw"},
)


@wrong(
    why=(
        "You accept a proposal only if it is the target's likeliest token. That is right only at a "
        "temperature of 0; a sample from p may be another token."
    )
)
def only_the_likeliest(target, draft, tokens, uniform):
    n = len(tokens)
    stays = target[:n].argmax(dim=-1) == tokens
    kept = int(stays.long().cumprod(dim=0).sum())
    more = target[n] if kept == n else residual(target[kept], draft[kept])
    return torch.cat([tokens[:kept], draw_next(more.log()[None], uniform[n:])])


equivalent(
    "kept = ((uniform[:n] < chances).cumprod(dim=0).sum())",
    why="A tensor of one whole number cuts and indexes as the number does.",
)
