"""Right and wrong answers to `efficient_attention.GatedRecurrence`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.efficient_attention import parallel_scan


@right
class one_product_for_both(nn.Module):
    def __init__(self, embed_dim, hidden, *, device=None):
        super().__init__()
        for name in ("gate", "candidate", "read"):
            setattr(self, name, nn.Linear(embed_dim, hidden, device=device))
        self.out = nn.Linear(hidden, embed_dim, device=device)

    def forward(self, x, state=None):
        weight = torch.cat([self.gate.weight, self.candidate.weight])
        bias = torch.cat([self.gate.bias, self.candidate.bias])
        gate, candidate = (x @ weight.T + bias).chunk(2, dim=-1)
        update = 1 / (1 + gate.exp())
        states = parallel_scan(1 - update, update * candidate, state)
        return self.out(states / (1 + (-self.read(x)).exp())), states[:, -1, :]


@right
class scanned_in_place_by_doubling(nn.Module):
    def __init__(self, embed_dim, hidden, *, device=None):
        super().__init__()
        self.gate = nn.Linear(embed_dim, hidden, bias=True, device=device)
        self.candidate = nn.Linear(embed_dim, hidden, bias=True, device=device)
        self.read = nn.Linear(embed_dim, hidden, bias=True, device=device)
        self.out = nn.Linear(hidden, embed_dim, bias=True, device=device)

    def forward(self, x, state=None):
        f = self.gate(x).sigmoid()
        h = torch.lerp(self.candidate(x), torch.zeros_like(f), f)
        if state is not None:
            h = torch.cat([h[:, :1] + f[:, :1] * state[:, None], h[:, 1:]], dim=1)
        step = 1
        while step < x.shape[1]:
            h = torch.cat([h[:, :step], f[:, step:] * h[:, :-step] + h[:, step:]], dim=1)
            f = torch.cat([f[:, :step], f[:, step:] * f[:, :-step]], dim=1)
            step = 2 * step
        return self.out(self.read(x).sigmoid() * h), h[:, -1]


wrong(
    "gate_and_complement_swapped",
    why=(
        "f is the share of the state that is *kept*, and 1 − f lets the candidate in; you swapped "
        "them."
    ),
    change={
        "parallel_scan(forget, (1 - forget) * self.candidate(x), state)": (
            "parallel_scan(1 - forget, forget * self.candidate(x), state)"
        )
    },
)


wrong(
    "candidate_not_gated",
    why=(
        "You added the whole candidate; with the factor 1 − f the state stays a mean and cannot "
        "grow without limit."
    ),
    change={"(1 - forget) * self.candidate(x)": "self.candidate(x)"},
)


wrong(
    "gate_without_sigmoid",
    why="You did not apply σ to the gate: a factor outside 0 to 1 lets the state explode.",
    change={"torch.sigmoid(self.gate(x))": "self.gate(x)"},
)


wrong(
    "candidate_squashed",
    why="The candidate is linear in x here; you applied tanh, as a GRU does.",
    change={"* self.candidate(x)": "* self.candidate(x).tanh()"},
)


wrong(
    "state_not_used",
    why="You ignored the given state, from which to continue, and started with zeros.",
    change={"self.candidate(x), state)": "self.candidate(x))"},
)


wrong(
    "output_returned_as_state",
    why="You returned the last output as the state; the state is h, before the output layer.",
    change={"* states), states[:, -1]": "* states), self.out(states)[:, -1]"},
)


wrong(
    "all_states_returned",
    why="Return only the state after the last step, (B, hidden); you returned all of them.",
    change={"* states), states[:, -1]": "* states), states"},
)


wrong(
    "read_whole",
    why=(
        "You read the state without its output gate. Without the gate, a step's input cannot "
        "choose what to read from the state: it can only add to it."
    ),
    change={"torch.sigmoid(self.read(x)) * states": "states"},
)


wrong(
    "gated_before_it_is_kept",
    why=(
        "You applied the output gate to the state that is kept; it concerns only this step's "
        "output."
    ),
    change={"* states), states[:, -1]": "* states), (torch.sigmoid(self.read(x)) * states)[:, -1]"},
)


@wrong(
    why=(
        "You looped over the steps: the result is right, but each step waits. The gate depends "
        "only on the input, so that a scan can replace the loop."
    ),
    corner=True,
)
class looped(nn.Module):
    def __init__(self, embed_dim, hidden, *, device=None):
        super().__init__()
        self.gate = nn.Linear(embed_dim, hidden, device=device)
        self.candidate = nn.Linear(embed_dim, hidden, device=device)
        self.read = nn.Linear(embed_dim, hidden, device=device)
        self.out = nn.Linear(hidden, embed_dim, device=device)

    def forward(self, x, state=None):
        h = x.new_zeros(len(x), self.gate.out_features) if state is None else state
        found = []
        for now in x.unbind(1):
            f = torch.sigmoid(self.gate(now))
            h = f * h + (1 - f) * self.candidate(now)
            found.append(self.out(torch.sigmoid(self.read(now)) * h))
        return torch.stack(found, dim=1), h
