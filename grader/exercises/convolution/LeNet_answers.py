"""Right and wrong answers to `convolution.LeNet`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.author.answers import right, wrong
from solutions.convolution import Conv2d


@right
class layers_of_torch(nn.Module):
    def __init__(
        self, in_channels=1, classes=10, *, size=8, channels=(6, 16), hidden=(120, 84), device=None
    ):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, channels[0], 3, padding=1, device=device)
        self.conv2 = nn.Conv2d(channels[0], channels[1], 3, padding=1, device=device)
        side = size // 2 // 2
        self.fc1 = nn.Linear(channels[1] * side * side, hidden[0], device=device)
        self.fc2 = nn.Linear(*hidden, device=device)
        self.fc3 = nn.Linear(hidden[1], classes, device=device)

    def forward(self, x):
        for conv in (self.conv1, self.conv2):
            x = F.relu(F.max_pool2d(conv(x), 2))  # the order does not matter
        x = torch.flatten(x, 1)
        for layer in (self.fc1, self.fc2):
            x = F.relu(layer(x))
        return self.fc3(x)


@right
class padded_by_hand(nn.Module):
    def __init__(
        self, in_channels=1, classes=10, *, size=8, channels=(6, 16), hidden=(120, 84), device=None
    ):
        super().__init__()
        first, second = channels
        self.conv1 = Conv2d(in_channels, first, kernel_size=3, device=device)
        self.conv2 = Conv2d(first, second, kernel_size=3, device=device)
        self.fc1 = nn.Linear(second * (size // 4) * (size // 4), hidden[0], device=device)
        self.fc2 = nn.Linear(hidden[0], hidden[1], device=device)
        self.fc3 = nn.Linear(hidden[1], classes, device=device)

    def forward(self, x):
        x = self.conv1(F.pad(x, (1, 1, 1, 1))).clamp(min=0)
        x = self.conv2(F.pad(F.max_pool2d(x, 2), (1, 1, 1, 1))).clamp(min=0)
        x = F.max_pool2d(x, 2).reshape(len(x), -1)
        return self.fc3(self.fc2(self.fc1(x).clamp(min=0)).clamp(min=0))


wrong(
    "no_relu_between_convolutions",
    why=(
        "Without a ReLU, a convolution is followed by what is linear but for "
        "the maximum; the first layer can then hardly tell bright from dark."
    ),
    change={"self.conv1(x).relu()": "self.conv1(x)"},
)


wrong(
    "no_relu_after_the_second_convolution",
    why=(
        "After the second convolution the ReLU is missing, so negative answers "
        "reach the dense layers."
    ),
    change={"self.conv2(x).relu()": "self.conv2(x)"},
)


wrong(
    "no_relu_after_the_first_dense_layer",
    why=("The first dense layer has no ReLU, so it and the second are one linear map."),
    change={"self.fc1(x.flatten(1)).relu()": "self.fc1(x.flatten(1))"},
)


wrong(
    "relu_on_the_scores",
    why=(
        "A ReLU at the end makes all negative scores 0, and a class that is at "
        "0 gets no gradient; scores can be any number."
    ),
    change={"self.fc3(self.fc2(x).relu())": "self.fc3(self.fc2(x).relu()).relu()"},
)


wrong(
    "softmax_in_the_model",
    why="`forward` returns scores; the loss contains the softmax.",
    change={"self.fc3(self.fc2(x).relu())": "self.fc3(self.fc2(x).relu()).softmax(dim=-1)"},
)


wrong(
    "average_pooling",
    why=(
        "The pictures are averaged where the docstring says max pooling; the "
        "original network did so, with weights of its own."
    ),
    change={
        "max_pool2d(self.conv1(x).relu(), 2)": "avg_pool2d(self.conv1(x).relu(), 2)",
        "max_pool2d(self.conv2(x).relu(), 2)": "avg_pool2d(self.conv2(x).relu(), 2)",
    },
)


wrong(
    "flattened_pixel_by_pixel",
    why=(
        "The features went into the dense layer pixel by pixel; they are "
        "ordered channel after channel, which is what `flatten(1)` gives."
    ),
    change={"x.flatten(1)": "x.movedim(1, -1).flatten(1)"},
)


wrong(
    "no_relu_after_the_second_dense_layer",
    why=("The second dense layer has no ReLU, so it and the third are one linear map."),
    change={"self.fc2(x).relu()": "self.fc2(x)"},
)


wrong(
    "no_padding",
    why=(
        "Without padding the picture loses its border to each convolution, so "
        "the first dense layer would need another size."
    ),
    change={
        "Conv2d(in_channels, channels[0], kernel_size=3, padding=1,": (
            "Conv2d(in_channels, channels[0], kernel_size=3,"
        ),
        "Conv2d(channels[0], channels[1], kernel_size=3, padding=1,": (
            "Conv2d(channels[0], channels[1], kernel_size=3,"
        ),
        "(size // 4) ** 2": "(((size - 2) // 2 - 2) // 2) ** 2",
    },
)


wrong(
    "size_fixed",
    why="The first dense layer fits pictures of 8×8 alone; its inputs follow from `size`.",
    change={"(size // 4) ** 2": "(8 // 4) ** 2"},
)
