"""Right and wrong answers to `recurrent.gru_cell`."""

import torch

from grader.author.answers import right, wrong


@right
def gate_by_gate(projected, h, weight_hh, bias_hh):
    size = h.shape[-1]
    asked = [h @ part.T for part in weight_hh.split(size)]
    if bias_hh is not None:
        asked = [part + bias for part, bias in zip(asked, bias_hh.split(size), strict=True)]
    given = projected.split(size, dim=1)
    r, z = (torch.sigmoid(given[k] + asked[k]) for k in (0, 1))
    n = (given[2] + r * asked[2]).tanh()
    return (1 - z) * n + z * h


@right
def both_gates_at_once(projected, h, weight_hh, bias_hh):
    q = torch.einsum("gh,bh->bg", weight_hh, h)
    q = q if bias_hh is None else q + bias_hh
    two = 2 * h.shape[1]
    r, z = (0.5 + 0.5 * torch.tanh((projected + q)[:, :two] / 2)).chunk(2, dim=1)
    return torch.lerp(torch.tanh(projected[:, two:] + r * q[:, two:]), h, z)


wrong(
    "z_the_other_way",
    why=(
        "You kept 1 − z of the old state. Here z weights the old state: h' = (1 − z) ⊙ n + z ⊙ "
        "h; some papers swap the two."
    ),
    change={"n + z * (h - n)": "h + z * (n - h)"},
)


@wrong(
    why=(
        "The reset gate multiplied h before the product with W_hh, as Cho et al. wrote it. Here, "
        "as in `nn.GRU`, it multiplies the result of the product; the two are different networks."
    )
)
def reset_before_the_product(projected, h, weight_hh, bias_hh):
    p_r, p_z, p_n = projected.chunk(3, dim=-1)
    w_r, w_z, w_n = weight_hh.chunk(3)
    b_r, b_z, b_n = (0.0, 0.0, 0.0) if bias_hh is None else bias_hh.chunk(3)
    r = torch.sigmoid(p_r + h @ w_r.T + b_r)
    z = torch.sigmoid(p_z + h @ w_z.T + b_z)
    n = torch.tanh(p_n + (r * h) @ w_n.T + b_n)
    return (1 - z) * n + z * h


wrong(
    "gates_swapped",
    why="The reset gate is the first part and the update gate the second; yours are swapped.",
    change={"p_r, p_z, p_n = ": "p_z, p_r, p_n = ", "q_r, q_z, q_n = ": "q_z, q_r, q_n = "},
)


wrong(
    "no_reset",
    why="The reset gate is not used: the candidate always sees the whole old state.",
    change={"torch.sigmoid(p_r + q_r) * q_n": "q_n"},
)


wrong(
    "reset_of_the_input",
    why=(
        "The reset gate multiplied the input as well; it must multiply only q_n, the "
        "contribution of the state."
    ),
    change={
        "torch.tanh(p_n + torch.sigmoid(p_r + q_r) * q_n)": (
            "torch.tanh(torch.sigmoid(p_r + q_r) * (p_n + q_n))"
        )
    },
)


@wrong(
    why=(
        "The bias of the candidate was added outside of the reset gate. In `nn.GRU` it is part of "
        "q_n, which is multiplied by r with its bias."
    )
)
def bias_not_reset(projected, h, weight_hh, bias_hh):
    bias = torch.zeros_like(weight_hh[:, 0]) if bias_hh is None else bias_hh
    p_r, p_z, p_n = (projected + bias).chunk(3, dim=-1)
    q_r, q_z, q_n = (h @ weight_hh.T).chunk(3, dim=-1)
    z = torch.sigmoid(p_z + q_z)
    n = torch.tanh(p_n + torch.sigmoid(p_r + q_r) * q_n)
    return (1 - z) * n + z * h


wrong(
    "candidate_through_a_gate",
    why="The candidate n goes through tanh and lies between −1 and 1; it is not a gate.",
    change={"torch.tanh(p_n": "torch.sigmoid(p_n"},
)


wrong(
    "bias_left_out",
    why="The bias b_hh is not added.",
    change={"F.linear(h, weight_hh, bias_hh)": "F.linear(h, weight_hh)"},
)
