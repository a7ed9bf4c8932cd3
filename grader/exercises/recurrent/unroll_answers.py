"""Right and wrong answers to `recurrent.unroll`."""

import torch
from torch.nn import functional as F

from grader.author.answers import equivalent, right, wrong
from solutions.recurrent import gru_cell, lstm_cell, rnn_cell


@right
def sequence_by_sequence(
    x, state, weight_ih, weight_hh, bias_ih=None, bias_hh=None, *, kind, lengths=None
):
    cells = {"rnn": rnn_cell, "lstm": lstm_cell, "gru": gru_cell}
    longest = x.shape[1]
    ends, rows = [], []
    for b in range(len(x)):
        now = [part[b : b + 1] for part in state]
        length = longest if lengths is None else int(lengths[b])
        found = []
        for t in range(length):
            after = cells[kind](
                F.linear(x[b : b + 1, t], weight_ih, bias_ih), *now, weight_hh, bias_hh
            )
            now = list(after) if isinstance(after, tuple) else [after]
            found.append(now[0])
        rows.append(F.pad(torch.cat(found), (0, 0, 0, longest - length)))
        ends.append(now)
    return torch.stack(rows), tuple(torch.cat(part) for part in zip(*ends, strict=True))


@right
def fewer_and_fewer_rows(
    x, state, weight_ih, weight_hh, bias_ih=None, bias_hh=None, *, kind, lengths=None
):
    state = list(state)
    outputs = []
    for t in range(x.shape[1]):
        rows = torch.arange(len(x)) if lengths is None else (lengths > t).nonzero()[:, 0]
        output = torch.zeros_like(state[0])
        if len(rows):
            p = F.linear(x[rows, t], weight_ih, bias_ih)
            old = [part[rows] for part in state]
            if kind == "lstm":
                new = lstm_cell(p, *old, weight_hh, bias_hh)
            elif kind == "gru":
                new = (gru_cell(p, old[0], weight_hh, bias_hh),)
            else:
                new = (rnn_cell(p, old[0], weight_hh, bias_hh),)
            state = [part.index_copy(0, rows, n) for part, n in zip(state, new, strict=True)]
            output = output.index_copy(0, rows, new[0])
        outputs.append(output)
    return torch.stack(outputs, 1), tuple(state)


wrong(
    "state_runs_on",
    why=(
        "The state of a finished sequence keeps changing: you return the state after the padding."
    ),
    change={"torch.where(real[:, t], new, old)": "new"},
)


wrong(
    "padding_not_zeroed",
    why="The outputs after the end of a sequence must be zeros; yours repeat the last state.",
    change={
        (
            "outputs.append(state[0] if lengths is None else state[0] * real[:, t])"
        ): "outputs.append(state[0])"
    },
)


wrong(
    "padding_read",
    why=(
        "The padding affects the result: NaN times zero is NaN, also in the gradients, and the "
        "large number that `nan_to_num` puts in place of ∞ overflows. Replace the padding in x "
        "first."
    ),
    change={"        x = torch.where(real, x, 0.0)": "        x = x + 0.0"},
    corner=True,
)


wrong(
    "one_step_too_many",
    why="Each sequence is read one step too far: its last real position is length − 1.",
    change={"[:, None] < lengths": "[:, None] <= lengths"},
)


wrong(
    "first_state_ignored",
    why="The argument `state` is not used: you started from zeros.",
    change={"tuple(state), []": "tuple(torch.zeros_like(part) for part in state), []"},
)


wrong(
    "cell_state_not_kept",
    why=(
        "After a sequence has ended, the hidden state is kept, but the cell state of the LSTM "
        "keeps changing."
    ),
    change={
        "        state = after\n": (
            "        if lengths is not None and kind == 'lstm':\n"
            "            after = (after[0], cell(projected, *state, weight_hh, bias_hh)[1])\n"
            "        state = after\n"
        )
    },
)


wrong(
    "input_bias_left_out",
    why="The bias b_ih is not added to W_ih x.",
    change={"F.linear(x, weight_ih, bias_ih)": "F.linear(x, weight_ih)"},
)


wrong(
    "cell_state_put_out",
    why="The output of an LSTM is its hidden state h, the first of the two; you returned c.",
    change={
        "outputs.append(state[0] if lengths is None else state[0] * real[:, t])": (
            "outputs.append(state[-1] if lengths is None else state[-1] * real[:, t])"
        )
    },
)


equivalent("x = torch.where(real, x, 1.0)", why="what stands in the padding does not matter")
equivalent("state, outputs = (state), []", why="after the first step it is a tuple anyway")


wrong(
    "both_biases_or_none",
    why="Each bias may be None without the other; you left both out where one is missing.",
    change={
        "state, outputs = tuple(state), []": (
            "if bias_ih is None or bias_hh is None:\n"
            "        bias_ih = bias_hh = None\n"
            "    state, outputs = tuple(state), []"
        )
    },
    corner=True,
)


wrong(
    "state_detached",
    why=(
        "You detached the initial state: no gradient reaches the encoder or the learned "
        "parameter that it comes from."
    ),
    change={
        "state, outputs = tuple(state), []": (
            "state, outputs = tuple(part.detach() for part in state), []"
        )
    },
)
