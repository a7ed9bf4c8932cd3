"""Right and wrong answers to `recurrent.ElmanRNN`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class output_on_the_way(nn.Module):
    def __init__(self, input_size, hidden_size, *, output_size, device=None):
        super().__init__()
        bound = hidden_size**-0.5
        shapes = {
            "weight_xh": (hidden_size, input_size),
            "weight_hh": (hidden_size, hidden_size),
            "bias_h": (hidden_size,),
            "weight_hy": (output_size, hidden_size),
            "bias_y": (output_size,),
        }
        for name, shape in shapes.items():
            drawn = (2 * torch.rand(shape, device=device) - 1) * bound
            self.register_parameter(name, nn.Parameter(drawn))
        self.h0 = nn.Parameter(torch.zeros(hidden_size, device=device))

    def forward(self, x, h=None):
        h = self.h0.repeat(x.shape[0], 1) if h is None else h
        answers = []
        for now in x.unbind(1):
            h = torch.tanh(now @ self.weight_xh.T + h @ self.weight_hh.T + self.bias_h)
            answers.append(h @ self.weight_hy.T + self.bias_y)
        return torch.stack(answers, dim=1), h


@right
class columns_instead_of_rows(nn.Module):
    def __init__(self, input_size, hidden_size, *, output_size, device=None):
        super().__init__()

        def even(*shape):
            made = torch.empty(shape, device=device)
            nn.init.uniform_(made, -(hidden_size**-0.5), hidden_size**-0.5)
            return nn.Parameter(made)

        self.weight_xh = even(hidden_size, input_size)
        self.weight_hh = even(hidden_size, hidden_size)
        self.bias_h = even(hidden_size)
        self.weight_hy = even(output_size, hidden_size)
        self.bias_y = even(output_size)
        self.h0 = nn.Parameter(torch.zeros(hidden_size, device=device))

    def forward(self, x, h=None):
        batch, length, _ = x.shape
        state = (self.h0[:, None] + x.new_zeros(batch)) if h is None else h.T
        entering = torch.einsum("hd,btd->thb", self.weight_xh, x) + self.bias_h[None, :, None]
        states = x.new_zeros(batch, 0, len(self.h0))
        for t in range(length):
            state = (entering[t] + self.weight_hh @ state).tanh()
            states = torch.cat([states, state.T[:, None]], dim=1)
        return torch.einsum("yh,bth->bty", self.weight_hy, states) + self.bias_y, state.T


wrong(
    "h0_ignored",
    why="The sequences start from zeros instead of h0, which is then never learned.",
    change={"h = self.h0.expand(len(x), -1)": "h = torch.zeros_like(self.h0).expand(len(x), -1)"},
)


wrong(
    "h0_always",
    why="A state was passed in to continue from, but you started from h0.",
    change={"if h is None:": "if True:"},
)


wrong(
    "output_of_the_state_before",
    why=(
        "The output of a step is computed from the state *after* it, which has seen the input of "
        "that step."
    ),
    change={
        (
            "            h = rnn_cell(projected, h, self.weight_hh, None)\n"
            "            states.append(h)\n"
        ): (
            "            states.append(h)\n"
            "            h = rnn_cell(projected, h, self.weight_hh, None)\n"
        )
    },
)


wrong(
    "output_fed_back",
    why=(
        "You returned the output of the last step as the state; the state to return is the "
        "hidden state."
    ),
    change={
        "        return F.linear(torch.stack(states, dim=1), self.weight_hy, self.bias_y), h\n": (
            "        y = F.linear(torch.stack(states, dim=1), self.weight_hy, self.bias_y)\n"
            "        return y, y[:, -1]\n"
        )
    },
)


wrong(
    "output_squashed",
    why="The output is linear in the state: it can be any number. You put it through tanh as well.",
    change={
        "        return F.linear(torch.stack(states, dim=1), self.weight_hy, self.bias_y), h\n": (
            "        return F.linear(torch.stack(states, dim=1), self.weight_hy, "
            "self.bias_y).tanh(), h\n"
        )
    },
)


wrong(
    "bias_of_the_output_left_out",
    why="The output has a bias b_y, which is not added.",
    change={"self.weight_hy, self.bias_y), h": "self.weight_hy), h"},
)


wrong(
    "bias_inside_twice",
    why="The bias b_h is added twice, once with the input and once with the state.",
    change={"h, self.weight_hh, None": "h, self.weight_hh, self.bias_h"},
)


wrong(
    "reset_at_every_step",
    why="Each step starts from h0 again: without the previous state there is no memory.",
    change={
        (
            "rnn_cell(projected, h, self.weight_hh, None)"
        ): "rnn_cell(projected, self.h0.expand(len(x), -1) if t else h, self.weight_hh, None)"
    },
)


wrong(
    "h0_not_learned",
    why="h0 has to be learned; a buffer is not trained.",
    change={
        "self.h0 = nn.Parameter(torch.zeros(hidden_size, device=device))": (
            'self.register_buffer("h0", torch.zeros(hidden_size, device=device))'
        )
    },
)


wrong(
    "h0_drawn",
    why="h0 starts at zero; you drew it at random like the weights.",
    change={
        "self.h0 = nn.Parameter(torch.zeros(hidden_size, device=device))": (
            "self.h0 = _uniform(hidden_size, fan=hidden_size, device=device)"
        )
    },
    corner=True,
)
