"""Right and wrong answers to `training.BatchNorm1d`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class folded_in_evaluation(nn.Module):
    def __init__(self, num_features, *, eps=1e-5, momentum=0.1, device=None):
        super().__init__()
        if momentum is None:
            raise ValueError("a number is needed")
        self.weight = nn.Parameter(torch.empty(num_features, device=device).fill_(1.0))
        self.bias = nn.Parameter(torch.empty(num_features, device=device).fill_(0.0))
        self.register_buffer("running_mean", self.bias.detach().clone())
        self.register_buffer("running_var", self.weight.detach().clone())
        self.register_buffer("num_batches_tracked", torch.tensor(0, device=device))
        self.settings = eps, momentum

    def forward(self, x):
        eps, momentum = self.settings
        if x.shape[1:] != self.bias.shape:
            raise ValueError("another number of features")
        if self.training and x.shape[0] < 2:
            raise ValueError("too few examples for a variance")
        given = x.dtype
        x = x if given == torch.float64 else x.float()
        if not self.training:
            scale = self.weight / (self.running_var + eps).sqrt()
            return (x * scale + (self.bias - self.running_mean * scale)).to(given)
        mean = x.sum(0) / x.shape[0]
        centered = x - mean
        squares = (centered**2).sum(0)
        keep = 1 - momentum
        new = momentum * mean.detach(), momentum * squares.detach() / (x.shape[0] - 1)
        self.running_mean.copy_(keep * self.running_mean + new[0])
        self.running_var.copy_(keep * self.running_var + new[1])
        self.num_batches_tracked.add_(1)
        normal = centered * (squares / x.shape[0] + eps).rsqrt()
        return (normal * self.weight + self.bias).to(given)


@right
class with_var(nn.Module):
    def __init__(self, num_features, *, eps=1e-5, momentum=0.1, device=None):
        super().__init__()
        if momentum is None:
            raise ValueError("a number is needed")
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))
        self.to(device)

    def forward(self, x):
        if x.dim() != 2 or x.size(1) != self.weight.numel():
            raise ValueError("not one row of features per example")
        small = x.dtype in (torch.bfloat16, torch.float16)
        return self.normalize(x.float()).to(x.dtype) if small else self.normalize(x)

    def normalize(self, x):
        if self.training:
            count = len(x)
            if count < 2:
                raise ValueError("one example has no variance")
            mean, variance = x.mean(dim=0), x.var(dim=0, correction=0)
            unbiased = variance.detach() * count / (count - 1)
            self.num_batches_tracked += 1
            self.running_mean -= self.momentum * (self.running_mean - mean.detach())
            self.running_var -= self.momentum * (self.running_var - unbiased)
        else:
            mean, variance = self.running_mean, self.running_var
        normal = (x - mean) * (variance + self.eps) ** -0.5
        return normal * self.weight + self.bias


@right
class as_the_formula(nn.Module):
    def __init__(self, num_features, *, eps=1e-5, momentum=0.1, device=None):
        super().__init__()
        if momentum is None:
            raise ValueError("a number is needed")
        self.eps, self.momentum = eps, momentum
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            full = torch.full((num_features,), value, device=device)
            self.register_parameter(name, nn.Parameter(full))
        self.register_buffer("running_mean", torch.zeros(num_features, device=device))
        self.register_buffer("running_var", torch.ones(num_features, device=device))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=int, device=device))

    def forward(self, x):
        if tuple(x.shape) != (len(x), len(self.bias)):
            raise ValueError("a wrong shape")
        dtype, x = x.dtype, x.to(torch.promote_types(x.dtype, torch.float32))
        mean, variance = self.running_mean, self.running_var
        if self.training:
            if len(x) < 2:
                raise ValueError("one example has no variance")
            mean, variance = x.mean(dim=0), x.var(dim=0, correction=0)
            with torch.no_grad():
                kept = self.running_mean.dtype
                self.running_mean.lerp_(mean.to(kept), self.momentum)
                self.running_var.lerp_(x.var(dim=0).to(kept), self.momentum)
                self.num_batches_tracked += 1
        return (self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias).to(dtype)


wrong(
    "unbiased_in_the_formula",
    why=(
        "The batch was normalized by the variance divided by B − 1, the "
        "default of `var`; the paper normalizes by the one divided by B (and "
        "keeps the other as running value)."
    ),
    change={"squares / len(x)": "squares / (len(x) - 1)"},
)


wrong(
    "biased_kept",
    why=(
        "The running variance was fed with the variance divided by B; in "
        "evaluation it stands for the whole population, so it has to be the "
        "unbiased one."
    ),
    change={"squares / (len(x) - 1)": "variance"},
)


wrong(
    "over_features",
    why=(
        "Mean and variance were taken over the features of each example: that "
        "is layer normalization. Here every feature has its own, over the "
        "batch."
    ),
    change={
        "wide.mean(dim=0)": "wide.mean(dim=1, keepdim=True)",
        "torch.linalg.vecdot(centered, centered, dim=0)": (
            "centered.square().sum(dim=1, keepdim=True) * len(x) / x.shape[1]"
        ),
    },
)


wrong(
    "one_mean_for_all",
    why="One mean and one variance were taken over the whole batch; every feature has its own.",
    change={
        "wide.mean(dim=0)": "wide.mean()",
        "torch.linalg.vecdot(centered, centered, dim=0)": "centered.square().sum() / x.shape[1]",
    },
)


wrong(
    "running_values_in_training",
    why=(
        "The running values were used in training too; then the batch is not "
        "normalized, and no gradient flows through its mean and variance."
    ),
    change={
        "self.num_batches_tracked += 1": (
            "self.num_batches_tracked += 1\n"
            "            centered, variance = wide - self.running_mean, self.running_var"
        )
    },
)


wrong(
    "batch_values_in_evaluation",
    why=(
        "The batch's own mean was used in evaluation too: what a model says "
        "about one picture then depends on the pictures beside it."
    ),
    change={
        "mean = wide.mean(dim=0) if self.training else self.running_mean": (
            "mean = wide.mean(dim=0)"
        ),
        "centered, variance = wide - mean, self.running_var": (
            "centered = wide - mean\n        variance = centered.square().mean(dim=0)"
        ),
    },
)


wrong(
    "running_values_not_updated",
    why=(
        "The running values were never moved: in evaluation the model is "
        "another one than in training."
    ),
    change={
        "self.running_mean += self.momentum * (mean - self.running_mean)": "pass",
        "self.running_var += self.momentum * (squares / (len(x) - 1) - self.running_var)": "pass",
        "self.num_batches_tracked += 1": "pass",
    },
)


wrong(
    "counted_and_not_moved",
    why=(
        "`num_batches_tracked` was raised, but the running mean and variance stay where they were: "
        "in evaluation the model is another one than in training."
    ),
    change={
        "self.running_mean += self.momentum * (mean - self.running_mean)": "pass",
        "self.running_var += self.momentum * (squares / (len(x) - 1) - self.running_var)": "pass",
    },
)


wrong(
    "batches_not_counted",
    why=("`num_batches_tracked` was not raised; each call in training adds one to it."),
    change={"self.num_batches_tracked += 1": "pass"},
)


wrong(
    "running_values_in_the_graph",
    why=(
        "The running values were moved outside of `torch.no_grad()`: they hold the graph of "
        "every batch so far, which is never freed."
    ),
    change={"with torch.no_grad():": "if True:"},
)


wrong(
    "replaced_and_not_moved",
    why="The running values were set to those of the batch; each batch moves them by its share.",
    change={
        "self.running_mean += self.momentum * (mean - self.running_mean)": (
            "self.running_mean.copy_(mean)"
        ),
        "self.running_var += self.momentum * (squares / (len(x) - 1) - self.running_var)": (
            "self.running_var.copy_(squares / (len(x) - 1))"
        ),
    },
)


wrong(
    "moved_in_evaluation",
    why="The running values moved in evaluation too; there they stay as they are.",
    change={
        "scale = self.weight": (
            "if not self.training:\n"
            "            with torch.no_grad():\n"
            "                self.running_mean += self.momentum * centered.mean(dim=0)\n"
            "        scale = self.weight"
        )
    },
)


wrong(
    "momentum_reversed",
    why=(
        "PyTorch's momentum is the share of the new batch, the other way round "
        "than for an optimizer: here the running values forget nearly "
        "everything at each step."
    ),
    change={
        "self.running_mean += self.momentum": "self.running_mean += (1 - self.momentum)",
        "self.running_var += self.momentum": "self.running_var += (1 - self.momentum)",
    },
)


wrong(
    "eps_outside",
    why=("ε was added to the root; it belongs under it, as in the paper and in PyTorch."),
    change={"torch.sqrt(variance + self.eps)": "(torch.sqrt(variance) + self.eps)"},
)


wrong(
    "single_example_let_through",
    why=(
        "A single example has no variance: its output would be β whatever it is, and the running "
        "variance NaN. The docstring promises a ValueError."
    ),
    change={"if self.training and len(x) < 2:": "if False:"},
    corner=True,
)


wrong(
    "no_example_let_through",
    why=(
        "One example was refused and none was let through: their mean is NaN, and so are the "
        "running values from then on. The docstring asks for at least 2."
    ),
    change={"if self.training and len(x) < 2:": "if self.training and len(x) == 1:"},
    corner=True,
)


wrong(
    "single_example_refused_always",
    why="A single example was refused in evaluation too, where it needs no company.",
    change={"if self.training and len(x) < 2:": "if len(x) < 2:"},
    corner=True,
)


wrong(
    "device_ignored",
    why="`device` was not handed on: parameters and buffers are made on the CPU.",
    change={
        "self.weight = nn.Parameter(torch.ones(num_features, device=device))": (
            "device = None\n        self.weight = nn.Parameter(torch.ones(num_features))"
        )
    },
    corner=True,
)


wrong(
    "statistics_detached",
    why=(
        "Mean and variance were detached: the output is right, but the "
        "gradient ignores that every example moves both, and the weights "
        "before it grow without bound."
    ),
    change={
        "wide.mean(dim=0)": "wide.detach().mean(dim=0)",
        "variance = squares / len(x)": "variance = squares.detach() / len(x)",
    },
)


wrong(
    "scale_at_random",
    why="γ was drawn at random; it starts at one, so that at first nothing is scaled.",
    change={
        "self.weight = nn.Parameter(torch.ones(num_features, device=device))": (
            "self.weight = nn.Parameter(torch.randn(num_features, device=device))"
        )
    },
)


wrong(
    "buffers_as_parameters",
    why=(
        "The running values were made parameters: an optimizer would decay "
        "them, and they count as weights; `register_buffer` saves them without "
        "that."
    ),
    change={
        'self.register_buffer("running_mean", torch.zeros(num_features, device=device))': (
            "self.running_mean = nn.Parameter(torch.zeros(num_features, device=device))"
        ),
        'self.register_buffer("running_var", torch.ones(num_features, device=device))': (
            "self.running_var = nn.Parameter(torch.ones(num_features, device=device))"
        ),
    },
)


wrong(
    "statistics_in_half_precision",
    why=(
        "Mean and variance of a half-precision batch were taken in half precision, whose three "
        "digits do not reach where the mean is large beside the spread: compute in float32."
    ),
    change={"wide = x.to(_wide(x))": "wide = x"},
    corner=True,
)


wrong(
    "difference_of_squares",
    why=(
        "The variance was computed as mean of squares minus square of the mean: where the mean is "
        "large beside the spread, all digits cancel. Subtract the mean before squaring."
    ),
    change={
        "squares = torch.linalg.vecdot(centered, centered, dim=0)": (
            "squares = wide.square().sum(dim=0) - len(x) * mean.square()"
        )
    },
    corner=True,
)


wrong(
    "other_shapes_broadcast",
    why=(
        "The shape of x was not checked: a single column is broadcast to all features, and nobody "
        "notices that the wrong tensor came in."
    ),
    change={"if x.ndim != 2 or x.shape[1] != len(self.weight):": "if False:"},
    corner=True,
)


wrong(
    "only_columns_counted",
    why="Only the second axis was checked; x with a third one is not (B, num_features) either.",
    change={"if x.ndim != 2 or x.shape[1]": "if x.shape[1]"},
    corner=True,
)


wrong(
    "momentum_none_taken",
    why=(
        "`momentum=None` was taken, and fails only at the first batch, far from the mistake; "
        "refuse it where the layer is made."
    ),
    change={"if momentum is None:": "if False:"},
    corner=True,
)


wrong(
    "zero_taken_for_none",
    why=(
        "A momentum of 0 counts as false, so `or` put the default in its place; with 0 the running "
        "values stay as they are."
    ),
    change={
        "self.eps, self.momentum = eps, momentum": (
            "self.eps, self.momentum = eps, momentum or 0.1"
        )
    },
    corner=True,
)
