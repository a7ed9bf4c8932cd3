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
        "Where all proposals stay, the token after them is missing. The target has scored that "
        "place in the same pass: it is free."
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
        "All that would stay were kept, also after a refused one. Their probabilities were "
        "computed for a text that holds it: with the refused token all after it go."
    ),
    change={
        "tokens[:kept], draw": "tokens[uniform[:n] < chances], draw",
    },
)


wrong(
    "drawn_from_the_target",
    why=(
        "In place of a refused token one was drawn from p: what both models like comes too often. "
        "Draw from the residual."
    ),
    change={
        "more = target[n] if kept == n else residual(target[kept], draft[kept])": (
            "more = target[kept]"
        )
    },
)


wrong(
    "drawn_from_the_draft",
    why="In place of a refused token one was drawn from q: the draft model had its say already.",
    change={"residual(target[kept], draft[kept])": "draft[kept]"},
)


wrong(
    "one_place_too_late",
    why=(
        "The token more was drawn from what the target says after the refused one, which is not "
        "in the text any more."
    ),
    change={"residual(target[kept], draft[kept])": "target[kept + 1]"},
)


wrong(
    "target_one_ahead",
    why=(
        "Each proposal was held against what the target says *after* it: row t of both is about "
        "the place of proposal t."
    ),
    change={"acceptance(target[:n], draft)": "acceptance(target[1:], draft)"},
)


wrong(
    "the_wrong_way_round",
    why="Proposals stay where the number is *above* the acceptance: likely ones are refused.",
    change={"(uniform[:n] < chances)": "(uniform[:n] > chances)"},
)


wrong(
    "zero_is_below_zero",
    why=(
        "A proposal stays where its number equals its acceptance: with the number 0 even one that "
        "the target never says would."
    ),
    change={"uniform[:n] < chances": "uniform[:n] <= chances"},
    corner=True,
)


wrong(
    "number_used_again",
    why=(
        "The number that refused a proposal was used to draw in its place. It is known to be "
        "large, so the draw is not fair: the last number is for that."
    ),
    change={"uniform[n:])": "uniform[kept : kept + 1])"},
)


wrong(
    "refused_one_kept",
    why="The refused proposal is in the result.",
    change={"tokens[:kept], draw": "tokens[: kept + 1], draw"},
)


@wrong(
    why=(
        "A proposal stays here if it is the target's likeliest token. That is right for a "
        "temperature of 0 alone; a draw from p has to leave room for the others."
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
