"""Right and wrong answers to `recurrent.Recurrent`."""

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong
from solutions.recurrent import reverse_padded, unroll


@right
class by_name(nn.Module):
    def __init__(
        self,
        input_size,
        hidden_size,
        *,
        kind="rnn",
        num_layers=1,
        bias=True,
        bidirectional=False,
        device=None,
    ):
        super().__init__()
        if kind not in ("rnn", "lstm", "gru"):
            raise ValueError("kind is rnn, lstm or gru")
        rows = hidden_size * (1 if kind == "rnn" else 4 if kind == "lstm" else 3)
        directions = 2 if bidirectional else 1
        self.kind, self.size, self.bias = kind, hidden_size, bias
        self.names = []
        for layer in range(num_layers):
            width = input_size if layer == 0 else directions * hidden_size
            for end in [f"_l{layer}", f"_l{layer}_reverse"][:directions]:
                self.names.append(end)
                for name, shape in (
                    ("weight_ih", (rows, width)),
                    ("weight_hh", (rows, hidden_size)),
                    ("bias_ih", (rows,)),
                    ("bias_hh", (rows,)),
                ):
                    drawn = (2 * torch.rand(shape, device=device) - 1) / hidden_size**0.5
                    if bias or name.startswith("weight"):
                        setattr(self, name + end, nn.Parameter(drawn))

    def forward(self, x, state=None, lengths=None):
        if state is None:
            zeros = torch.zeros(
                len(self.names), x.shape[0], self.size, dtype=x.dtype, device=x.device
            )
            state = (zeros, zeros) if self.kind == "lstm" else zeros
        parts = state if self.kind == "lstm" else (state,)
        ends, there = [], None
        for row, end in enumerate(self.names):
            names = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if self.bias else [])]
            weights = [getattr(self, name + end) for name in names]
            backward = end.endswith("reverse")
            given = reverse_padded(x, lengths) if backward else x
            found, last = unroll(
                given, [part[row] for part in parts], *weights, kind=self.kind, lengths=lengths
            )
            ends.append(last)
            if backward:
                x = torch.cat([there, reverse_padded(found, lengths)], 2)
            elif end + "_reverse" in self.names:
                there = found
            else:
                x = found
        after = tuple(torch.stack([end[k] for end in ends]) for k in range(len(parts)))
        return x, (after if self.kind == "lstm" else after[0])


@right
class layer_by_recursion(nn.Module):
    def __init__(
        self,
        input_size,
        hidden_size,
        *,
        kind="rnn",
        num_layers=1,
        bias=True,
        bidirectional=False,
        device=None,
    ):
        super().__init__()
        count = dict(rnn=1, gru=3, lstm=4).get(kind)
        if count is None:
            raise ValueError(f"unknown kind {kind}")
        self.kind, self.hidden_size = kind, hidden_size
        self.depth, self.both = num_layers, bidirectional
        for layer in range(num_layers):
            for way in range(1 + bidirectional):
                name = self.name(layer, way)
                inputs = (1 + bidirectional) * hidden_size if layer else input_size
                made = {"weight_ih": inputs, "weight_hh": hidden_size}
                for part, width in made.items():
                    weight = torch.empty(count * hidden_size, width, device=device)
                    self.register_parameter(part + name, nn.Parameter(weight))
                if bias:
                    for part in ("bias_ih", "bias_hh"):
                        start = torch.empty(count * hidden_size, device=device)
                        self.register_parameter(part + name, nn.Parameter(start))
        with torch.no_grad():
            for parameter in self.parameters():
                nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def name(self, layer, way):
        return f"_l{layer}" + ("_reverse" if way else "")

    def forward(self, x, state=None, lengths=None):
        lstm = self.kind == "lstm"
        ways = 2 if self.both else 1
        if state is None:
            state = [x.new_zeros(self.depth * ways, len(x), self.hidden_size) for _ in range(2)]
        elif not lstm:
            state = [state]
        state = torch.stack(list(state))[: 2 if lstm else 1]
        ends = []
        for layer in range(self.depth):
            side = []
            for way in range(ways):
                weights = {
                    part: getattr(self, part + self.name(layer, way), None)
                    for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
                }
                turn = (lambda y: reverse_padded(y, lengths)) if way else (lambda y: y)
                out, end = unroll(
                    turn(x),
                    tuple(state[:, layer * ways + way]),
                    kind=self.kind,
                    lengths=lengths,
                    **weights,
                )
                side.append(turn(out))
                ends.append(torch.stack(list(end)))
            x = torch.cat(side, -1)
        last = torch.stack(ends, dim=1)
        return x, (last[0], last[1]) if lstm else last[0]


wrong(
    "not_reversed_back",
    why=(
        "The outputs of the backward direction are still in reversed order: the output at "
        "position t belongs to another position."
    ),
    change={
        "found.append(reverse_padded(output, lengths) if way else output)": "found.append(output)"
    },
)


wrong(
    "never_reversed",
    why=(
        "The second direction reads forward too: it has its own weights and learns nothing "
        "that the first could not see."
    ),
    change={
        "run = reverse_padded(x, lengths) if way else x": "run = x",
        "found.append(reverse_padded(output, lengths) if way else output)": "found.append(output)",
    },
)


wrong(
    "reversed_with_the_padding",
    why="The whole row was reversed, padding included: the backward direction begins with padding.",
    change={
        "run = reverse_padded(x, lengths) if way else x": "run = reverse_padded(x) if way else x",
        "found.append(reverse_padded(output, lengths) if way else output)": (
            "found.append(reverse_padded(output) if way else output)"
        ),
    },
)


wrong(
    "state_ignored",
    why="The initial state is not used: every call starts from zeros.",
    change={"if state is None:": "if True:"},
)


wrong(
    "directions_added",
    why="The two directions were added; concatenate their features.",
    change={
        "x = torch.cat(found, dim=-1)": (
            "x = sum(found) if layer + 1 == self.num_layers else torch.cat(found, dim=-1)"
        )
    },
)


wrong(
    "every_layer_reads_the_input",
    why="The second layer reads the input again instead of the outputs of the first layer.",
    change={
        "run = reverse_padded(x, lengths) if way else x": (
            "first = x if not ends else first\n"
            "                x = first if first.shape == x.shape else x\n"
            "                run = reverse_padded(x, lengths) if way else x"
        ),
        "        ends = []\n": "        ends, first = [], None\n",
    },
)


wrong(
    "only_the_last_layer",
    why=(
        "The state has one entry for every layer and direction; you returned that of the last "
        "one alone."
    ),
    change={"for part in zip(*ends, strict=True)": "for part in zip(*ends[-1:], strict=True)"},
)


wrong(
    "h_and_c_swapped",
    why="For an LSTM the state is the tuple of h and c, in this order.",
    change={"return x, after if self.kind": "return x, after[::-1] if self.kind"},
)


wrong(
    "one_bias",
    why=(
        "`nn.RNN`, `nn.LSTM` and `nn.GRU` have two biases, for W_ih and for W_hh; with only one, "
        "saved parameters do not fit."
    ),
    change={'shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}': 'shapes |= {"bias_ih": (rows,)}'},
)


wrong(
    "lengths_ignored",
    why="The lengths are not passed on: the padding is read like everything else.",
    change={'"lengths": lengths}': '"lengths": None}'},
)


wrong(
    "start_by_inputs",
    why=(
        "All parameters are drawn uniformly between ±1/√hidden_size; you used the number of "
        "inputs of each product, as `nn.Linear` does."
    ),
    change={
        (
            "_uniform(*shape, fan=hidden_size, device=device)"
        ): "_uniform(*shape, fan=shape[-1], device=device)"
    },
    corner=True,
)


equivalent('state = state if self.kind == "lstm" else state[1]', why="both are the same zeros")
