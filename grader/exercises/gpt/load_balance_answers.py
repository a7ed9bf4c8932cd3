"""Right and wrong answers to `gpt.load_balance`."""

import torch

from grader.author.answers import right, wrong


@right
def counted(logits, chosen):
    experts = logits.shape[-1]
    p = logits.softmax(dim=-1).flatten(0, -2).mean(dim=0)
    f = torch.bincount(chosen.flatten(), minlength=experts).to(p.dtype) / chosen.numel()
    return experts * (f @ p)


@right
def expert_by_expert(logits, chosen):
    experts = logits.shape[-1]
    p = torch.exp(torch.log_softmax(logits, dim=-1))
    total = p.new_zeros(())
    for number in range(experts):
        total = total + (chosen == number).to(p.dtype).mean() * p[..., number].mean()
    return total * experts


wrong(
    "without_the_number_of_experts",
    why="You left out the factor E: a perfect balance must give 1, whatever the number of experts.",
    change={"experts * (share * likely).sum()": "(share * likely).sum()"},
)


wrong(
    "shares_squared",
    why=(
        "You used the shares of the choices twice. A choice has no derivative, so this loss has no "
        "gradient: one of the two factors must be the mean probability."
    ),
    change={"(share * likely).sum()": "(share * share).sum() + 0 * likely.sum()"},
)


wrong(
    "probabilities_squared",
    why="You used the mean probabilities twice; f counts how often each expert has been chosen.",
    change={"(share * likely).sum()": "(likely * likely).sum()"},
)


wrong(
    "choices_per_token",
    why=(
        "You divided by the number of tokens, so with k choices the shares sum to k. They are "
        "shares of all choices."
    ),
    change={
        ".to(likely.dtype).mean(dim=0)  # f, (E,)": (
            ".to(likely.dtype).sum(dim=0) * experts / logits.numel()"
        )
    },
)


wrong(
    "first_choice_alone",
    why="You counted the first choice of each token alone: all k choices count.",
    change={"chosen.flatten()": "chosen[..., 0].flatten()"},
)


wrong(
    "token_by_token",
    why=(
        "You multiplied each token's choice by its own probability. Average both over the tokens "
        "first, then multiply: it is the batch that is to be balanced, not each token."
    ),
    change={
        ".reshape(-1, experts).mean(dim=0)  # P, (E,)": ".reshape(-1, experts)",
        "F.one_hot(chosen.flatten(), experts).to(likely.dtype).mean(dim=0)  # f, (E,)": (
            "F.one_hot(chosen, experts).flatten(0, -3).to(likely.dtype).mean(-2) / len(likely)"
        ),
    },
)


wrong(
    "logits_averaged_first",
    why="You averaged the logits before the softmax; P is the mean of the probabilities.",
    change={
        "likely = logits.softmax(dim=-1).reshape(-1, experts).mean(dim=0)": (
            "likely = logits.reshape(-1, experts).mean(dim=0).softmax(dim=-1)"
        )
    },
)


wrong(
    "no_gradient",
    why="The value is right, but no gradient flows: the loss must move the router's logits.",
    change={"likely = logits.softmax": "likely = logits.detach().softmax"},
)
