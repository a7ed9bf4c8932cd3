"""A network learns handwritten digits on eight simulated devices: two copies, stages and halves."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector

from course.data import digits
from course.distributed import (
    one_forward_one_backward,
    parallel_feed_forward,
    ring_all_reduce,
    run_pipeline,
    timetable,
)

STEPS, RATE = 100, 0.01
STAGES, PARTS = 2, 4
train = digits().train


class Halves(nn.Module):
    """A feed-forward network whose hidden units are divided between two devices."""

    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Parameter(torch.empty(hidden, width))
        self.up_bias = nn.Parameter(torch.empty(hidden))
        self.down = nn.Parameter(torch.empty(width, hidden))
        self.down_bias = nn.Parameter(torch.empty(width))

    def forward(self, x):
        # both devices go backward; of what they have in common, one gradient counts
        first, second = parallel_feed_forward(
            [x, x.detach()],
            self.up.chunk(2),
            self.up_bias.chunk(2),
            self.down.chunk(2, dim=1),
            [self.down_bias, self.down_bias.detach()],
        )
        return first + (second - second.detach())


def model():
    return nn.Sequential(
        nn.Sequential(Halves(64, 32), nn.ReLU()), nn.Sequential(Halves(64, 32), nn.Linear(64, 10))
    )


def loss(net):
    table = timetable([one_forward_one_backward(stage, STAGES, PARTS) for stage in range(STAGES)])
    values, gradients = [], []
    for rows in torch.randint(len(train.labels), (2, PARTS, 8)):  # of each copy
        net.zero_grad()
        value, _ = run_pipeline(
            list(net),
            table,
            list(train.features[rows].double()),
            lambda scores, part, rows=rows: cross_entropy(scores, train.labels[rows[part]]) / PARTS,
        )
        values.append(value)
        gradients.append(parameters_to_vector([p.grad for p in net.parameters()]))
    mean = ring_all_reduce(gradients)[0][0] / len(gradients)
    own = parameters_to_vector(net.parameters())
    return sum(values) / len(values) + (own - own.detach()) @ mean  # has this mean as gradient
