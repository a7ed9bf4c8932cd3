"""Right and wrong answers to `seq2seq.ConvEncoder`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.seq2seq import Encoded


@right
class channels_first(nn.Module):
    def __init__(
        self, symbols, *, hidden_size, max_length, kernel_size=5, num_layers=2, device=None
    ):
        super().__init__()
        self.embedding = nn.Embedding(symbols, hidden_size, device=device)
        self.places = nn.Embedding(max_length, hidden_size, device=device)
        self.convs = nn.ModuleList()
        for _ in range(num_layers):
            pad = (kernel_size - 1) // 2
            conv = nn.Conv1d(hidden_size, hidden_size, kernel_size, padding=pad, device=device)
            self.convs.append(conv)

    def forward(self, source, lengths):
        at = torch.arange(source.shape[1], device=source.device)
        mask = lengths.unsqueeze(1) > at
        x = (self.embedding(source) + self.places(at)).mT
        for conv in self.convs:
            x = x.masked_fill(~mask[:, None], 0)
            x = x + F.relu(conv(x))
        x = x.masked_fill(~mask[:, None], 0)
        return Encoded(x.mT, mask, x.sum(2) / lengths.unsqueeze(1))


@right
class one_sequence_at_a_time(nn.Module):
    def __init__(
        self, symbols, *, hidden_size, max_length, kernel_size=5, num_layers=2, device=None
    ):
        super().__init__()
        self.embedding = nn.Embedding(symbols, hidden_size, device=device)
        self.places = nn.Embedding(max_length, hidden_size, device=device)
        convs = [
            nn.Conv1d(hidden_size, hidden_size, kernel_size, padding="same", device=device)
            for _ in range(num_layers)
        ]
        self.convs = nn.ModuleList(convs)

    def forward(self, source, lengths):
        memories, masks, summaries = [], [], []
        width = source.shape[1]
        for row, length in zip(source, lengths.tolist(), strict=True):
            x = self.embedding(row[:length]) + self.places.weight[:length]
            for conv in self.convs:
                x = x + torch.clamp(conv(x.T[None])[0].T, min=0)
            memories.append(F.pad(x, (0, 0, 0, width - length)))
            masks.append([True] * length + [False] * (width - length))
            summaries.append(x.mean(dim=0))
        return torch.stack(memories), torch.tensor(masks, device=x.device), torch.stack(summaries)


wrong(
    "mean_over_the_padding",
    why=(
        "The summary is divided by the width of the batch: a source then has another summary "
        "beside a longer one."
    ),
    change={"x.sum(dim=1) / lengths[:, None]": "x.mean(dim=1)"},
)


wrong(
    "padding_read",
    why=(
        "The tokens of the padding were embedded and read by the first convolution: they change "
        "the last real positions."
    ),
    change={"        x = x * mask[:, :, None]\n": ""},
)


wrong(
    "padding_fills_up",
    why=(
        "The padding was zero only before the first layer: the bias of a convolution fills it, and "
        "the next one reads that."
    ),
    change={"x = (x + found.relu()) * mask[:, :, None]": "x = x + found.relu()"},
)


wrong(
    "no_places",
    why=(
        "Without the vectors of the places, the mean knows where a symbol was only from its "
        "neighbors."
    ),
    change={" + self.places.weight[: source.shape[1]]": ""},
)


wrong(
    "places_of_the_symbols",
    why="The places were looked up by symbol: the same symbol has the same place everywhere.",
    change={"self.places.weight[: source.shape[1]]": "self.places(source)"},
)


wrong(
    "no_residual",
    why="The input of a layer is lost: add its convolution to it.",
    change={"(x + found.relu())": "found.relu()"},
)


wrong(
    "relu_over_both",
    why=(
        "The ReLU was applied to the sum, which cuts off negative features in every layer; apply "
        "it to the convolution alone."
    ),
    change={"(x + found.relu())": "(x + found).relu()"},
)


wrong(
    "no_relu",
    why="Without a ReLU all layers together are one convolution.",
    change={"found.relu()": "found"},
)


wrong(
    "view_for_transpose",
    why="A reshape to (B, H, S) mixes features and positions; `transpose` swaps the axes.",
    change={
        "conv(x.transpose(1, 2)).transpose(1, 2)": (
            "conv(x.reshape(len(x), x.shape[2], -1)).transpose(1, 2)"
        ),
    },
)


wrong(
    "mask_inverted",
    why="The mask is True where there is something to attend to; yours is True in the padding.",
    change={"Encoded(x, mask,": "Encoded(x, ~mask,"},
)


wrong(
    "last_position_for_the_mean",
    why=(
        "The last position was taken for the summary: without a recurrence it knows only its "
        "neighbors."
    ),
    change={"x.sum(dim=1) / lengths[:, None]": "x[torch.arange(len(x)), lengths - 1]"},
)


wrong(
    "batch_axis_lost",
    why="With one sequence the batch axis has size 1, and `squeeze` removed it.",
    change={"x.sum(dim=1) / lengths[:, None]": "(x.sum(dim=1) / lengths[:, None]).squeeze()"},
    corner=True,
)
