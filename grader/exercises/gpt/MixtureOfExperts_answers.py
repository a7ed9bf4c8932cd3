"""Right and wrong answers to `gpt.MixtureOfExperts`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import equivalent, right, wrong
from solutions.gpt import capacity, load_balance, route, within_capacity
from solutions.transformer import FeedForward


@right
class every_expert_on_every_token(nn.Module):
    def __init__(
        self, features, hidden, *, num_experts, k=1, factor=None, activation="relu", device=None
    ):
        super().__init__()
        self.k, self.factor, self.balance = k, factor, None
        self.router = nn.Linear(features, num_experts, bias=False, device=device)
        self.experts = nn.ModuleList()
        for _ in range(num_experts):
            self.experts.append(FeedForward(features, hidden, activation=activation, device=device))

    def forward(self, x):
        rows, experts = x.flatten(0, -2) if x.ndim > 1 else x[None], len(self.experts)
        logits = self.router(rows)
        weights, chosen = route(logits, self.k, renormalize=self.k != 1)
        self.balance = load_balance(logits, chosen)
        if self.factor is not None:
            limit = capacity(rows.shape[0], experts, k=self.k, factor=self.factor)
            weights = weights * within_capacity(chosen, experts, limit)
        found = torch.stack([expert(rows) for expert in self.experts], dim=1)
        each = (F.one_hot(chosen, experts) * weights[..., None]).sum(dim=1)
        return torch.einsum("ne,ned->nd", each.to(found.dtype), found).reshape(x.shape)


@right
class token_by_token(nn.Module):
    def __init__(
        self, features, hidden, *, num_experts, k=1, factor=None, activation="relu", device=None
    ):
        super().__init__()
        made = {"activation": activation, "device": device}
        self.experts = nn.ModuleList(
            [FeedForward(features, hidden, **made) for _ in range(num_experts)]
        )
        self.router = nn.Linear(features, num_experts, bias=False, device=device)
        self.k, self.factor, self.balance = k, factor, None

    def forward(self, x):
        logits = self.router(x).reshape(-1, len(self.experts))
        weights, chosen = route(logits, self.k, renormalize=self.k > 1)
        self.balance = load_balance(logits, chosen)
        kept = torch.ones_like(chosen, dtype=torch.bool)
        if self.factor is not None:
            limit = capacity(len(chosen), len(self.experts), k=self.k, factor=self.factor)
            kept = within_capacity(chosen, len(self.experts), limit)
        out = []
        for row, own, experts, fits in zip(
            x.reshape(-1, x.shape[-1]), weights, chosen, kept, strict=True
        ):
            total = torch.zeros_like(row)
            for weight, expert, ok in zip(own, experts.tolist(), fits.tolist(), strict=True):
                if ok:
                    total = total + weight * self.experts[expert](row)
            out.append(total)
        return torch.stack(out).reshape(x.shape)


wrong(
    "unweighted",
    why="You added the experts' outputs unweighted: the weights are how the router learns.",
    change={"weights[token, rank, None] * part": "part"},
)


wrong(
    "always_renormalized",
    why=(
        "With k = 1 you gave the expert the weight 1, and the router gets no gradient. There, take "
        "the probability itself."
    ),
    change={"renormalize=self.k > 1": "renormalize=True"},
)


wrong(
    "never_renormalized",
    why="With several experts the weights must sum to 1.",
    change={"renormalize=self.k > 1": "renormalize=False"},
)


wrong(
    "first_weight_for_all",
    why="You gave every expert the weight of the token's first choice: use that of its own rank.",
    change={"weights[token, rank, None]": "weights[token, 0, None]"},
)


wrong(
    "one_output_per_token",
    why=(
        "Two experts of the same token write to the same row, and the last one wins: add their "
        "outputs, with `index_add`."
    ),
    change={
        "out = found.new_zeros(rows.shape).index_add(0, torch.cat(places), found)": (
            "out = found.new_zeros(rows.shape).index_copy(0, torch.cat(places), found)"
        )
    },
)


wrong(
    "dropped_pass_through",
    why=(
        "You let choices beyond the capacity add the input itself. They add 0: the residual "
        "connection around this network already carries the token on."
    ),
    change={
        "out = found.new_zeros(rows.shape).index_add(": (
            "out = (rows * (chosen < 0).any(dim=-1, keepdim=True)).to(found.dtype).index_add("
        )
    },
)


wrong(
    "no_capacity",
    why="You ignored the capacity factor: choices beyond an expert's capacity are dropped.",
    change={"if self.factor is not None:": "if False:"},
)


wrong(
    "capacity_of_a_row",
    why="You computed the capacity from the positions of one text: the whole batch shares it.",
    change={"capacity(len(rows), ": "capacity(x.shape[-2], "},
)


wrong(
    "k_not_in_capacity",
    why="You computed the capacity for one choice per token: pass on k.",
    change={"k=self.k, factor=self.factor": "factor=self.factor"},
)


wrong(
    "balance_after_dropping",
    why=(
        "You computed the balance from the accepted choices. They are balanced by force; what the "
        "loss must see is what the router asked for."
    ),
    change={
        "        self.balance = load_balance(logits, chosen)\n": "",
        "        places, parts = [], []": (
            "        self.balance = load_balance(logits, chosen[(chosen >= 0).all(dim=-1)])\n"
            "        places, parts = [], []"
        ),
    },
)


wrong(
    "balance_added_up",
    why="You added the balance of all calls so far; it is that of the last call alone.",
    change={
        "self.balance = load_balance(logits, chosen)": (
            "self.balance = (self.balance or 0) + load_balance(logits, chosen)"
        )
    },
)


wrong(
    "router_with_bias",
    why="The router has no bias: pass `bias=False`.",
    change={"num_experts, bias=False, device=device": "num_experts, device=device"},
)


wrong(
    "relu_alone",
    why="You did not pass on `activation` to the experts.",
    change={"hidden, activation=activation, device=device": "hidden, device=device"},
    corner=True,
)


wrong(
    "experts_in_a_list",
    why="Experts in a Python list are not registered: use `nn.ModuleList`.",
    change={
        "self.experts = nn.ModuleList(": "self.experts = list(",
    },
)


equivalent(
    "chosen = chosen.where(within_capacity(chosen, len(self.experts), limit), -2)",
    why="No expert has a negative number, so any of them marks a dropped choice.",
)
