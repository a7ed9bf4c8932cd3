"""Right and wrong answers to `diffusion.Denoiser`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.diffusion import ConditionedBlock, time_features


class _Parts(nn.Module):
    def __init__(self, features, hidden, *, layers, time_width=32, classes=0, device=None):
        super().__init__()
        self.classes = classes
        self.input = nn.Linear(features, hidden, device=device)
        self.time = nn.Linear(time_width, hidden, device=device)
        self.label = None
        if classes > 0:
            self.label = nn.Embedding(1 + classes, hidden, device=device)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            self.blocks.append(ConditionedBlock(hidden, device=device))
        self.output = nn.Linear(hidden, features, device=device)
        for parameter in self.output.parameters():
            nn.init.zeros_(parameter)


@right
class LabelsFilledIn(_Parts):
    def forward(self, x, times, labels=None):
        c = self.time(time_features(times, self.time.in_features))
        if self.classes:
            if labels is None:
                labels = torch.full(x.shape[:1], self.classes, device=x.device)
            c = c + self.label(labels)
        c = nn.functional.silu(c)
        h = self.input(x)
        for block in self.blocks:
            h = block(h, c)
        return self.output(h)


@right
class BlocksByHand(_Parts):
    def forward(self, x, times, labels=None):
        c = self.time(time_features(times.expand(len(x)), self.time.in_features))
        if self.classes and labels is None:
            c = c + self.label.weight[-1]
        elif self.classes:
            c = c + self.label.weight[labels]
        c = c * torch.sigmoid(c)
        h = self.input(x)
        for block in self.blocks:
            inside = block.up(block.norm(h) + c)
            h = h + block.down(inside * torch.sigmoid(inside))
        return self.output(h)


wrong(
    "time_as_a_number",
    why=(
        "The network is given the time itself in every feature, not its waves, and can hardly tell "
        "close times apart."
    ),
    change={
        "time_features(times, self.time_width)": (
            "times.unsqueeze(-1).expand(*times.shape, self.time_width)"
        )
    },
)


wrong(
    "time_left_out",
    why="The time does not reach the blocks: one denoiser for all levels, blind to how noisy x is.",
    change={
        "self.time(time_features(times, self.time_width))": (
            "0 * self.time(time_features(times, self.time_width))"
        )
    },
)


wrong(
    "labels_left_out",
    why="The vector of the label is not added: the network cannot be told which class to make.",
    change={"condition = condition + (": "condition = condition + 0 * ("},
)


wrong(
    "first_row_for_no_label",
    why=(
        "Without labels the first row was taken, which is that of class 0; the null label is the "
        "last row, number C."
    ),
    change={"null = self.label.weight[-1]": "null = self.label.weight[0]"},
)


wrong(
    "nothing_for_no_label",
    why="Without labels nothing was added; the null label has a vector too, which is learned.",
    change={"null = self.label.weight[-1]": "null = 0 * self.label.weight[-1]"},
)


wrong(
    "condition_without_silu",
    why="The condition goes into the blocks without its SiLU.",
    change={"condition = F.silu(condition)": "condition = condition + 0"},
)


wrong(
    "silu_before_the_label",
    why="The SiLU comes before the label is added; it belongs to the sum of both vectors.",
    change={
        "self.time(time_features(times, self.time_width))": (
            "F.silu(self.time(time_features(times, self.time_width)))"
        ),
        "condition = F.silu(condition)": "pass",
    },
)


wrong(
    "first_block_alone",
    why="Only the first block is called; x goes through all of them in turn.",
    change={"for block in self.blocks:": "for block in self.blocks[:1]:"},
)


wrong(
    "input_returned_on_top",
    why=("x was added to the output. The network returns the prediction itself, and starts at 0."),
    change={"return self.output(h)": "return x + self.output(h)"},
)


wrong(
    "output_as_drawn",
    why="The output starts as torch draws it; an untrained network must return 0.",
    change={
        "nn.init.zeros_(self.output.weight)": "pass",
        "nn.init.zeros_(self.output.bias)": "pass",
    },
    corner=True,
)


wrong(
    "no_row_for_the_null_label",
    why="The table of labels has C rows; one more is needed for the null label.",
    change={"nn.Embedding(classes + 1": "nn.Embedding(classes"},
)
