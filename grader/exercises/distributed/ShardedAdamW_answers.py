"""Right and wrong answers to `distributed.ShardedAdamW`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
class ByHand:
    def __init__(
        self,
        parameters,
        devices,
        *,
        lr,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.01,
        max_norm=None,
    ):
        self.shape, self.count, self.n = parameters.shape, parameters.numel(), devices
        self.lr, self.betas, self.eps, self.decay = lr, betas, eps, weight_decay
        self.max_norm, self.steps = max_norm, 0
        self.shards = self.cut(parameters)
        self.exp_avg = [0 * part for part in self.shards]
        self.exp_avg_sq = [0 * part for part in self.shards]

    def cut(self, tensor):
        size = -(-self.count // self.n)
        rest = tensor.new_zeros(size * self.n - self.count)
        return list(torch.cat([tensor.reshape(-1), rest]).view(self.n, size).clone())

    def step(self, gradients):
        self.steps += 1
        parts = self.cut(torch.stack(list(gradients)).to(self.shards[0]).mean(dim=0))
        if self.max_norm is not None:
            norm = torch.stack([part @ part for part in parts]).sum().sqrt()
            if norm > self.max_norm:
                parts = [part * (self.max_norm / norm) for part in parts]
        first, second = self.betas
        for k, g in enumerate(parts):
            self.exp_avg[k] = first * self.exp_avg[k] + (1 - first) * g
            self.exp_avg_sq[k] = second * self.exp_avg_sq[k] + (1 - second) * g * g
            mean = self.exp_avg[k] / (1 - first**self.steps)
            root = (self.exp_avg_sq[k] / (1 - second**self.steps)).sqrt()
            kept = self.shards[k] * (1 - self.lr * self.decay)
            self.shards[k] = kept - self.lr * mean / (root + self.eps)
        return torch.cat(self.shards)[: self.count].view(self.shape)


@right
class WithTorch:
    def __init__(self, parameters, devices, *, lr, max_norm=None, **options):
        self.shape, self.devices, self.max_norm = parameters.shape, devices, max_norm
        self.own = [part.detach().clone() for part in shard(parameters, devices)]  # noqa: F821
        self.by = [torch.optim.AdamW([part], lr, **options) for part in self.own]
        self.steps = 0

    @property
    def shards(self):
        return [part.clone() for part in self.own]

    @property
    def exp_avg(self):
        return [by.state[part]["exp_avg"].clone() for by, part in zip(self.by, self.own)]

    @property
    def exp_avg_sq(self):
        return [by.state[part]["exp_avg_sq"].clone() for by, part in zip(self.by, self.own)]

    def step(self, gradients):
        self.steps += 1
        mean = sum(grad.to(self.own[0].dtype) for grad in gradients) / self.devices
        if self.max_norm is not None and mean.norm() > self.max_norm:
            mean = mean * self.max_norm / mean.norm()
        for part, by, grad in zip(self.own, self.by, shard(mean, self.devices)):  # noqa: F821
            part.grad = grad.clone()
            by.step()
        return torch.cat(self.own)[: self.shape.numel()].reshape(self.shape)


wrong(
    "sum_for_mean",
    why="A reduce-scatter adds; the gradient of the whole batch is the mean over the devices.",
    change={"[total / devices for total in reduce_scatter(flat)]": "reduce_scatter(flat)"},
)


wrong(
    "own_gradient",
    why="Each shard was stepped with the gradient of its own device's examples alone.",
    change={
        "[total / devices for total in reduce_scatter(flat)]": (
            "[part.chunk(devices)[k] for k, part in enumerate(flat)]"
        )
    },
)


wrong(
    "norm_of_a_shard",
    why=(
        "Each shard was clipped by its own norm, so the direction of the step depends on the "
        "number of devices; add the squares of all shards first."
    ),
    change={
        "if norm > self.max_norm:": "if True:",
        "means = [self.max_norm / norm * mean for mean in means]": (
            "means = [(self.max_norm / mean.norm()).nan_to_num(1).clamp(max=1) * mean"
            " for mean in means]"
        ),
    },
)


wrong(
    "clipping_forgotten",
    why="The gradient is never clipped, whatever `max_norm` is.",
    change={"self.max_norm is not None": "False"},
)


wrong(
    "short_gradients_stretched",
    why="A gradient whose norm is below the limit was scaled up to it; leave it as it is.",
    change={"if norm > self.max_norm:": "if norm > 0:"},
)


wrong(
    "always_the_first_step",
    why="The number of the step stays 1, so the correction of the running means is wrong.",
    change={"self.steps += 1": "self.steps = 1"},
)


wrong(
    "means_not_kept",
    why="The running means were not stored, so each step begins from zeros.",
    change={
        "self.shards[k], self.exp_avg[k], self.exp_avg_sq[k] = adamw_step(": (
            "self.shards[k], _, _ = adamw_step("
        )
    },
)


wrong(
    "settings_ignored",
    why="Only the learning rate was passed on; betas, eps and weight decay have no effect.",
    change={
        ', "betas": betas, "eps": eps}': "}",
        'self.options["weight_decay"] = weight_decay': "pass",
    },
)


equivalent(
    "self.shards = [(part) for part in shard(parameters, devices)]",
    why="The numbers are the same, until somebody changes the parameters in place.",
)
