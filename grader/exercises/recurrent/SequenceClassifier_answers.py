"""Right and wrong answers to `recurrent.SequenceClassifier`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.recurrent import Recurrent


@right
class from_the_state(nn.Module):
    def __init__(
        self,
        symbols,
        classes,
        *,
        embed_dim,
        hidden_size,
        kind="gru",
        bidirectional=False,
        device=None,
    ):
        super().__init__()
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        settings = {"kind": kind, "bidirectional": bidirectional, "device": device}
        self.layer = Recurrent(embed_dim, hidden_size, **settings)
        ways = 2 if bidirectional else 1
        self.hidden = nn.Linear(ways * hidden_size, hidden_size, device=device)
        self.output = nn.Linear(hidden_size, classes, device=device)

    def forward(self, tokens, lengths):
        _, state = self.layer(self.embedding(tokens), lengths=lengths)
        h = state[0] if isinstance(state, tuple) else state  # (directions, B, H)
        h = h.transpose(0, 1).flatten(1)
        return self.output(torch.relu(self.hidden(h)))


@right
class one_sequence_at_a_time(nn.Module):
    def __init__(
        self,
        symbols,
        classes,
        *,
        embed_dim,
        hidden_size,
        kind="gru",
        bidirectional=False,
        device=None,
    ):
        super().__init__()
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(
            embed_dim, hidden_size, kind=kind, bidirectional=bidirectional, device=device
        )
        self.size = hidden_size
        self.hidden = nn.Linear(hidden_size * (1 + bidirectional), hidden_size, device=device)
        self.output = nn.Linear(hidden_size, classes, device=device)

    def forward(self, tokens, lengths):
        found = []
        for row, length in zip(tokens, lengths.tolist(), strict=True):
            out, _ = self.layer(self.embedding(row[None, :length]))
            found.append(torch.cat([out[0, -1, : self.size], out[0, 0, self.size :]]))
        hidden = self.hidden(torch.stack(found)).clamp(min=0)
        return self.output(hidden)


wrong(
    "last_of_the_padding",
    why="The head read the last position of the batch: for shorter sequences that is padding.",
    change={
        (
            "last = last_states(found, lengths, bidirectional=self.bidirectional)"
        ): "last = found[:, -1]"
    },
)


wrong(
    "lengths_not_handed_on",
    why="The lengths were not passed to the layer: its backward direction begins with the padding.",
    change={
        "self.layer(self.embedding(tokens), None, lengths)": "self.layer(self.embedding(tokens))"
    },
)


wrong(
    "one_direction_at_the_end",
    why=(
        "The backward half was read at the last position, where that direction has seen one symbol."
    ),
    change={", bidirectional=self.bidirectional)": ")"},
)


wrong(
    "no_relu",
    why="Without a ReLU between them the two layers of the head are one linear map.",
    change={".relu()": ""},
)


wrong(
    "mean_over_all_positions",
    why=("You averaged over all positions, padding included; use the state after the last symbol."),
    change={
        (
            "last = last_states(found, lengths, bidirectional=self.bidirectional)"
        ): "last = found.mean(dim=1)"
    },
)


wrong(
    "softmax_at_the_end",
    why="Return scores; the softmax is in the loss.",
    change={
        (
            "return self.output(self.hidden(last).relu())"
        ): "return self.output(self.hidden(last).relu()).softmax(-1)"
    },
)


wrong(
    "always_lstm",
    why="The argument `kind` is not passed on to the layer.",
    change={"embed_dim, hidden_size, kind=kind,": "embed_dim, hidden_size, kind='lstm',"},
)


wrong(
    "one_sequence_squeezed",
    why="With one sequence the axis of the batch has size 1, and `squeeze` removed it.",
    change={
        "return self.output(self.hidden(last).relu())": (
            "return self.output(self.hidden(last).relu()).squeeze()"
        )
    },
    corner=True,
)
