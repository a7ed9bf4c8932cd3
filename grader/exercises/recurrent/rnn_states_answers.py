"""Right and wrong answers to `recurrent.rnn_states`."""

import torch

from grader.author.answers import right, wrong


@right
def run_by_run(x, h, weight_ih, weight_hh, *, span=None):
    runs = [x] if span is None else x.split(span, dim=1)
    found = []
    for run in runs:
        if span is not None:
            h = h.detach()
        for now in run.unbind(1):
            h = (now @ weight_ih.T + h @ weight_hh.T).tanh()
            found.append(h)
    return torch.stack(found, 1)


@right
def one_matrix_for_both(x, h, weight_ih, weight_hh, *, span=None):
    weight = torch.cat([weight_ih, weight_hh], dim=1)
    left, states = span, []
    h = h if span is None else h.detach()
    for t in range(x.size(1)):
        if left == 0:
            h, left = h.detach(), span
        h = torch.tanh(torch.einsum("hk,bk->bh", weight, torch.cat([x[:, t], h], dim=1)))
        states += [h[:, None]]
        left = None if left is None else left - 1
    return torch.cat(states, dim=1)


wrong(
    "detach_forgotten",
    why=(
        "With a span your gradients are those of all steps: nothing is detached, so nothing "
        "is truncated."
    ),
    change={"h = h.detach()": "pass"},
)


wrong(
    "detached_always",
    why="The state is detached although no span was given: then there is nothing to cut.",
    change={"if span is not None and t % span == 0:": "if t % (span or x.shape[1]) == 0:"},
)


wrong(
    "detached_at_every_step",
    why=(
        "The state is detached at every step, so no weight ever learns what it does to later steps."
    ),
    change={"t % span == 0": "t >= 0"},
)


wrong(
    "first_state_not_detached",
    why=(
        "The first run starts at step 0, and there is a cut before it too: no gradient goes to "
        "the argument `h`."
    ),
    change={"t % span == 0": "t > 0 and t % span == 0"},
)


wrong(
    "cut_one_step_late",
    why="The cut comes one step late: runs of `span` steps begin at 0, span, 2 · span, and so on.",
    change={"t % span == 0": "t % span == 1 % span or t == 0"},
)


wrong(
    "state_reset_at_the_cut",
    why=(
        "The state is set to zero at the cut. Only the gradient ends there; the state carries over."
    ),
    change={"h = h.detach()": "h = torch.zeros_like(h) if t else h.detach()"},
)


wrong(
    "first_state_ignored",
    why="The argument `h` is not used: you started from zeros.",
    change={"    states = []\n": "    states = []\n    h = torch.zeros_like(h)\n"},
)


wrong(
    "state_before_the_step",
    why="You kept the state before each step; return the state after it.",
    change={
        "        h = rnn_cell(projected[:, t], h, weight_hh, None)\n        states.append(h)\n": (
            "        states.append(h)\n        h = rnn_cell(projected[:, t], h, weight_hh, None)\n"
        )
    },
)


wrong(
    "recurrent_weight_transposed",
    why=(
        "W_hh is transposed: entry (j, k) is the weight from state k to state j, which for row "
        "vectors is h @ W_hh.T."
    ),
    change={"h, weight_hh, None": "h, weight_hh.T, None"},
)
