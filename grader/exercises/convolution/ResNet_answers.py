"""Right and wrong answers to `convolution.ResNet`."""

import torch.nn.functional as F
from torch import nn

from grader.author.answers import right, wrong
from solutions.convolution import Conv2d, ResidualBlock


@right
class blocks_in_one_walk(nn.Module):
    def __init__(
        self,
        in_channels=1,
        classes=10,
        *,
        channels=(8, 16),
        blocks=1,
        residual=True,
        device=None,
    ):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, channels[0], 3, padding=1, bias=False, device=device)
        self.norm = nn.BatchNorm2d(channels[0], device=device)
        widths = [width for width in channels for _ in range(blocks)]
        halving = range(blocks, len(widths), blocks)
        self.blocks = nn.ModuleList(
            ResidualBlock(
                before, after, stride=1 + (n in halving), residual=residual, device=device
            )
            for n, (before, after) in enumerate(zip([channels[0], *widths], widths))
        )
        self.fc = nn.Linear(channels[-1], classes, device=device)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        for block in self.blocks:
            x = block(x)
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


@right
class stage_after_stage(nn.Module):
    def __init__(
        self,
        in_channels=1,
        classes=10,
        *,
        channels=(8, 16),
        blocks=1,
        residual=True,
        device=None,
    ):
        super().__init__()
        self.conv = Conv2d(
            in_channels, channels[0], kernel_size=3, padding=1, bias=False, device=device
        )
        self.norm = nn.BatchNorm2d(channels[0], device=device)
        kind = {"residual": residual, "device": device}
        stack = [ResidualBlock(channels[0], channels[0], **kind) for _ in range(blocks)]
        for before, after in zip(channels, channels[1:], strict=False):
            stack.append(ResidualBlock(before, after, stride=2, **kind))
            for _ in range(blocks - 1):
                stack.append(ResidualBlock(after, after, **kind))
        self.blocks = nn.Sequential(*stack)
        self.fc = nn.Linear(channels[-1], classes, device=device)

    def forward(self, x):
        maps = self.blocks(self.norm(self.conv(x)).clamp(min=0)).flatten(2)
        return self.fc(maps.sum(-1) / maps.shape[-1])


wrong(
    "stride_in_the_first_stage",
    why=("The first stage works on the picture as it is; you halved it there already."),
    change={"stage > 0 and block == 0": "block == 0"},
)


wrong(
    "stride_in_every_block",
    why=(
        "A block that is not the first of its stage has stride 2, and with it a shortcut layer; "
        "only the first block of a stage halves the picture."
    ),
    change={"stage > 0 and block == 0": "stage > 0"},
)


wrong(
    "stride_where_channels_change",
    why=(
        "Whether a block halves the picture depends on its place, not on its "
        "channels: the first block of every stage but the first does, even if "
        "the channels stay."
    ),
    change={"2 if stage > 0 and block == 0 else 1": "2 if before != after else 1"},
)


wrong(
    "norm_not_used",
    why="The batch norm after the first convolution is made and never used.",
    change={"self.norm(self.conv(x)).relu()": "self.conv(x).relu()"},
)


wrong(
    "no_relu_after_the_first_norm",
    why="The ReLU between the first batch norm and the blocks is missing.",
    change={"self.norm(self.conv(x)).relu()": "self.norm(self.conv(x))"},
)


wrong(
    "sum_for_average",
    why=("The maps are summed up; the average keeps the scores the same for pictures of any size."),
    change={"x.mean(dim=(2, 3))": "x.sum(dim=(2, 3))"},
)


wrong(
    "maximum_for_average",
    why="You took the largest number of each map; here it is the average.",
    change={"x.mean(dim=(2, 3))": "x.amax(dim=(2, 3))"},
)


wrong(
    "always_residual",
    why="`residual=False` does not reach the blocks.",
    change={'"residual": residual, ': ""},
)


wrong(
    "blocks_in_a_list",
    why=(
        "A Python list hides the blocks: their parameters are not listed, not "
        "trained and not saved. `nn.Sequential` or `nn.ModuleList` registers "
        "them."
    ),
    change={
        "self.blocks = nn.Sequential(*made)": "self.blocks = made",
        "x = self.blocks(self.norm(self.conv(x)).relu())": (
            "x = self.norm(self.conv(x)).relu()\n"
            "        for block in self.blocks:\n"
            "            x = block.double()(x)"
        ),
    },
)
