"""Right and wrong answers to `recurrent.lstm_cell`."""

import torch

from grader.author.answers import right, wrong


@right
def gate_by_gate(projected, h, c, weight_hh, bias_hh):
    size = h.shape[1]
    parts = []
    for gate in range(4):
        rows = slice(gate * size, (gate + 1) * size)
        a = projected[:, rows] + h @ weight_hh[rows].T
        parts.append(a if bias_hh is None else a + bias_hh[rows])
    keep, enter = parts[1].sigmoid(), parts[0].sigmoid()
    after = keep * c + enter * parts[2].tanh()
    return parts[3].sigmoid() * after.tanh(), after


@right
def in_a_view(projected, h, c, weight_hh, bias_hh):
    a = projected + torch.einsum("bh,gh->bg", h, weight_hh)
    if bias_hh is not None:
        a = a + bias_hh
    a = a.reshape(len(h), 4, -1)
    gates = (1 + torch.tanh(a / 2)) / 2
    c = torch.addcmul(gates[:, 1] * c, gates[:, 0], torch.tanh(a[:, 2]))
    return gates[:, 3] * torch.tanh(c), c


wrong(
    "h_and_c_swapped",
    why="You returned the cell state first. The hidden state h' comes first, then c'.",
    change={
        "    return torch.sigmoid(o) * torch.tanh(c), c\n": (
            "    return c, torch.sigmoid(o) * torch.tanh(c)\n"
        )
    },
)


wrong(
    "h_and_c_taken_for_each_other",
    why=(
        "The gates are computed from the hidden state h, and the forget gate multiplies the cell "
        "state c; you swapped the two."
    ),
    change={
        "F.linear(h, weight": "F.linear(c, weight",
        "torch.sigmoid(f) * c": "torch.sigmoid(f) * h",
    },
)


wrong(
    "order_of_the_equations",
    why=(
        "The four parts are in the order i, f, g, o, as `nn.LSTM` stores them; you read them as "
        "f, i, o, g, the order in which many texts write the equations."
    ),
    change={"i, f, g, o = ": "f, i, o, g = "},
)


wrong(
    "forget_and_input_swapped",
    why="The input gate comes first and the forget gate second; yours are swapped.",
    change={"i, f, g, o = ": "f, i, g, o = "},
)


wrong(
    "candidate_and_output_swapped",
    why="The candidate g is the third part and the output gate o the fourth.",
    change={"i, f, g, o = ": "i, f, o, g = "},
)


wrong(
    "no_tanh_on_the_way_out",
    why=(
        "The output gate multiplies tanh(c'), not c' itself: c' can grow, and h' must stay "
        "between −1 and 1."
    ),
    change={"torch.sigmoid(o) * torch.tanh(c), c": "torch.sigmoid(o) * c, c"},
)


wrong(
    "old_cell_state_let_out",
    why=(
        "h' is computed from the new cell state; you used the old one, so the input arrives a "
        "step late."
    ),
    change={
        "    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n": (
            "    old, c = c, torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n"
        ),
        "torch.sigmoid(o) * torch.tanh(c), c": "torch.sigmoid(o) * torch.tanh(old), c",
    },
)


wrong(
    "candidate_through_a_gate",
    why=(
        "The candidate g goes through tanh, so that it can also be negative and lower the cell "
        "state; a logistic function is never negative."
    ),
    change={"torch.tanh(g)": "torch.sigmoid(g)"},
)


wrong(
    "keep_what_is_not_let_in",
    why=(
        "You kept 1 − i of the cell state. An LSTM has a separate forget gate f, so that it can "
        "add without forgetting."
    ),
    change={"torch.sigmoid(f) * c": "(1 - torch.sigmoid(i)) * c"},
)


wrong(
    "bias_left_out",
    why="The bias b_hh is not added.",
    change={"F.linear(h, weight_hh, bias_hh)": "F.linear(h, weight_hh)"},
)


wrong(
    "bias_twice",
    why="The bias b_hh is added twice: `F.linear` adds it already.",
    change={
        "F.linear(h, weight_hh, bias_hh)": (
            "F.linear(h, weight_hh, None if bias_hh is None else 2 * bias_hh)"
        )
    },
)
