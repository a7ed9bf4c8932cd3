"""Right and wrong answers to `seq2seq.RecurrentDecoder`."""

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong
from solutions.recurrent import Recurrent, unroll
from solutions.seq2seq import Decoder


@right
class with_unroll(Decoder):
    def __init__(self, symbols, *, summary_size, embed_dim, hidden_size, kind="gru", device=None):
        super().__init__()
        self.parts = {"lstm": 2}.get(kind, 1)
        self.bridge = nn.Linear(summary_size, hidden_size * self.parts, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(embed_dim + summary_size, hidden_size, kind=kind, device=device)
        self.output = nn.Linear(hidden_size, symbols, device=device)

    def begin(self, summary):
        return (summary, *self.bridge(summary).tanh().chunk(self.parts, dim=1))

    def forward(self, targets_in, memory, mask, state):
        every = state[0].unsqueeze(1).repeat(1, targets_in.shape[1], 1)
        x = torch.cat((self.embedding(targets_in), every), 2)
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        weights = [getattr(self.layer, name) for name in names]
        found, after = unroll(x, state[1:], *weights, kind=self.layer.kind)
        return self.output(found), (state[0], *after)


@right
class token_after_token(Decoder):
    def __init__(self, symbols, *, summary_size, embed_dim, hidden_size, kind="gru", device=None):
        super().__init__()
        self.kind, self.size = kind, hidden_size
        rows = 2 * hidden_size if kind == "lstm" else hidden_size
        self.bridge = nn.Linear(summary_size, rows, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(summary_size + embed_dim, hidden_size, kind=kind, device=device)
        self.output = nn.Linear(hidden_size, symbols, device=device)

    def begin(self, summary):
        start = torch.tanh(self.bridge(summary))
        if self.kind == "lstm":
            return summary, start[:, : self.size], start[:, self.size :]
        return summary, start

    def forward(self, targets_in, memory, mask, state):
        logits = []
        for token in targets_in.T:
            both = torch.cat([self.embedding(token), state[0]], dim=1)[:, None]
            if self.kind == "lstm":
                found, (h, c) = self.layer(both, (state[1][None], state[2][None]))
                state = (state[0], h[0], c[0])
            else:
                found, h = self.layer(both, state[1][None])
                state = (state[0], h[0])
            logits.append(self.output(found[:, 0]))
        return torch.stack(logits, dim=1), state


wrong(
    "state_thrown_away",
    why=(
        "The layer began with zeros, whatever state was given: in decoding, every step forgets the "
        "earlier tokens."
    ),
    change={"self.layer(x, tuple(parts) if len(parts) > 1 else parts[0])": "self.layer(x)"},
)


wrong(
    "first_state_returned",
    why="You returned the given state; return the state after the last token.",
    change={"(summary, *(part[0] for part in after))": "state"},
)


wrong(
    "bridge_without_tanh",
    why=(
        "The tanh after the bridge is missing: the first state could lie far outside the range of "
        "the cell's states, from −1 to 1."
    ),
    change={"torch.tanh(self.bridge(summary))": "self.bridge(summary)"},
)


wrong(
    "summary_as_the_state",
    why=(
        "You passed on the state in place of the summary: from the second call on, the layer reads "
        "its own state instead of the source."
    ),
    change={
        "return self.output(found), (summary, *": (
            "return self.output(found), (found[:, -1][:, : summary.shape[1]], *"
        ),
    },
)


wrong(
    "summary_before_the_token",
    why=(
        "The summary comes before the embedded token; the token comes first, or the columns of "
        "weight_ih meet the wrong features."
    ),
    change={
        "torch.cat([x, summary[:, None].expand(-1, x.shape[1], -1)], dim=-1)": (
            "torch.cat([summary[:, None].expand(-1, x.shape[1], -1), x], dim=-1)"
        )
    },
)


wrong(
    "summary_at_the_first_step_alone",
    why=(
        "Only the first step reads the summary: the state then has to keep the source from the "
        "first token to the last."
    ),
    change={
        "summary[:, None].expand(-1, x.shape[1], -1)], dim=-1)": (
            "summary[:, None] * (torch.arange(x.shape[1]) == 0)[None, :, None]], dim=-1)"
        )
    },
)


wrong(
    "h_and_c_swapped",
    why="Of the two states of an LSTM, h comes first, then c, the memory; they are not the same.",
    change={
        "return summary, *start.split(self.layer.hidden_size, dim=-1)": (
            "return summary, *start.split(self.layer.hidden_size, dim=-1)[::-1]"
        ),
    },
)


wrong(
    "probabilities",
    why="Return logits; the loss and the decoding apply the softmax.",
    change={"return self.output(found), (": "return self.output(found).softmax(-1), ("},
)


wrong(
    "always_gru",
    why="The kind of cell that was asked for is not passed on to the layer.",
    change={
        "hidden_size, kind=kind, device=device)\n        self.output": (
            "hidden_size, kind='gru', device=device)\n        self.output"
        ),
    },
)


equivalent(
    "found, after = self.layer(x, (parts) if len(parts) > 1 else parts[0])",
    why="the layer takes h and c as a list, too",
)
