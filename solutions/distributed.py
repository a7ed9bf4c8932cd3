"""Distributed training: a model, its gradients and its optimizer divided among many devices.

Builds the collective operations (all-reduce, all-gather, reduce-scatter, and the ring that needs
only neighbors); AdamW whose state lies in shards, and a network whose parameters do, too; the
memory and the traffic of each stage; a feed-forward network and its two conjugate operations for
tensor parallelism; and the schedules of a pipeline, as a table and executed.

Devices are simulated: an argument is a list with one tensor for each device, and a collective
operation is a function from lists to lists. A sum over devices adds them in their order.
`solutions.zero` does the same with processes.

Sources: Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter
Models"; Zhao et al. 2023, "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel";
Patarasuk and Yuan 2009, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations";
Shoeybi et al. 2019, "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model
Parallelism"; Huang et al. 2019, "GPipe: Efficient Training of Giant Neural Networks using Pipeline
Parallelism"; Narayanan et al. 2019, "PipeDream: Generalized Pipeline Parallelism for DNN Training";
Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
Megatron-LM".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.linear import cross_entropy_gradient
from solutions.mlp import activation_backward, linear_backward
from solutions.training import adamw_step

# collective operations


def all_reduce(parts: Sequence[Tensor]) -> list[Tensor]:
    """Give every device the sum of all devices' tensors.

    Args:
        parts: one tensor for each device, all of one shape.

    Returns:
        The sum, once for each device, each a separate tensor.
    """
    total = sum(parts[1:], parts[0])
    return [total.clone() for _ in parts]


def all_gather(parts: Sequence[Tensor]) -> list[Tensor]:
    """Give every device the tensors of all devices, concatenated along their first axis.

    Args:
        parts: one tensor (m, ...) for each of n devices, all of one shape.

    Returns:
        (n · m, ...), once for each device, each a separate tensor.
    """
    return [torch.cat(list(parts)) for _ in parts]


def reduce_scatter(parts: Sequence[Tensor]) -> list[Tensor]:
    """Give each device one part of the sum of all devices' tensors.

    The first axis is cut into n equal parts for n devices. Device k gets part k of the sum; an
    `all_gather` of the results would be an `all_reduce`.

    Args:
        parts: one tensor (n · m, ...) for each of n devices, all of one shape.

    Returns:
        n tensors (m, ...).

    Raises:
        ValueError: n does not divide the first axis.
    """
    devices, rows = len(parts), len(parts[0])
    if rows % devices:
        raise ValueError(f"{rows} rows cannot be cut into {devices} equal parts")
    return list(sum(parts[1:], parts[0]).chunk(devices))


def shard(tensor: Tensor, devices: int) -> list[Tensor]:
    """Cut a tensor into flat parts of equal length, one for each device.

    The numbers are read row by row. Zeros are appended until n divides their number N.

    Args:
        tensor: of any shape, N numbers.
        devices: n.

    Returns:
        n tensors (⌈N/n⌉,).
    """
    size = math.ceil(tensor.numel() / devices)
    padded = F.pad(tensor.flatten(), (0, size * devices - tensor.numel()))
    return list(padded.view(devices, size))


def unshard(shards: Sequence[Tensor], shape: Sequence[int]) -> Tensor:
    """Undo `shard`: put flat parts together, and leave out the padding.

    Args:
        shards: n tensors (⌈N/n⌉,).
        shape: that of the tensor, with N numbers.

    Returns:
        A tensor of this shape.
    """
    return torch.cat(list(shards))[: math.prod(shape)].reshape(shape)


def ring_all_reduce(parts: Sequence[Tensor]) -> tuple[list[Tensor], int]:
    """All-reduce in which each device sends only to the next one, and the last to the first.

    Each device cuts its tensor into n chunks, as `shard` does. In step s = 0, …, n − 2 device k
    sends chunk (k − s) mod n, and the next device adds it to its own: afterwards device k has the
    whole sum of chunk (k + 1) mod n. In n − 1 more steps these finished chunks go around, and
    each device replaces its own by what it receives (Patarasuk and Yuan 2009).

    Args:
        parts: one tensor for each of n devices, all of one shape, N numbers each.

    Returns:
        The sums, a tensor of that shape for each device; and how many numbers each device has
        sent in all steps together, 2 (n − 1) ⌈N/n⌉.
    """
    devices, sent = len(parts), 0
    chunks = [shard(part, devices) for part in parts]
    for step in range(2 * (devices - 1)):
        moved = [(k - step) % devices for k in range(devices)]  # in both rounds
        travelling = [chunks[k][moved[k]] for k in range(devices)]
        for k, chunk in enumerate(travelling):
            own = chunks[(k + 1) % devices]
            own[moved[k]] = own[moved[k]] + chunk if step < devices - 1 else chunk
        sent += len(travelling[0])
    return [unshard(own, parts[0].shape) for own in chunks], sent


# sharded data parallelism


class ShardedAdamW:
    """AdamW whose parameters and running means are divided among devices: ZeRO, stages 1 and 2.

    Each device has the gradient of its own examples. The mean over the devices is scattered, so
    that each gets its shard of it; each makes a step of AdamW on its shard of the parameters; and
    the new parameters are gathered (Rajbhandari et al. 2020, section 5).

    Attributes:
        shards: the parameters, n tensors (⌈N/n⌉,), see `shard`.
        exp_avg: running means of gradients, one such tensor for each device; zeros at the start.
        exp_avg_sq: running means of squared gradients, likewise.
        steps: steps so far.
    """

    def __init__(
        self,
        parameters: Tensor,
        devices: int,
        *,
        lr: float,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        max_norm: float | None = None,
    ) -> None:
        """Cut the parameters into shards.

        Args:
            parameters: N numbers, any shape.
            devices: n.
            lr: learning rate.
            betas: as for `adamw_step`.
            eps: as for `adamw_step`.
            weight_decay: as for `adamw_step`.
            max_norm: if the norm of the mean gradient, all shards together, is above it, the
                gradient is scaled to this norm; None leaves it alone.
        """
        self.shape, self.max_norm = parameters.shape, max_norm
        self.options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps}
        self.options["weight_decay"] = weight_decay
        self.shards = [part.clone() for part in shard(parameters, devices)]
        self.exp_avg = [torch.zeros_like(part) for part in self.shards]
        self.exp_avg_sq = [torch.zeros_like(part) for part in self.shards]
        self.steps = 0

    def step(self, gradients: Sequence[Tensor]) -> Tensor:
        """Make one step.

        Args:
            gradients: for each of n devices, the gradient of the mean loss of its examples, of the
                shape of the parameters; all devices have the same number of examples. If the
                gradients have fewer bits than the parameters, they are converted before any sum.

        Returns:
            The new parameters, gathered, in their shape.
        """
        self.steps += 1
        devices = len(gradients)
        wide = [gradient.to(self.shards[0].dtype) for gradient in gradients]
        flat = [torch.cat(shard(gradient, devices)) for gradient in wide]
        means = [total / devices for total in reduce_scatter(flat)]
        if self.max_norm is not None:
            norm = all_reduce([mean.square().sum() for mean in means])[0].sqrt()
            if norm > self.max_norm:
                means = [self.max_norm / norm * mean for mean in means]
        for k, mean in enumerate(means):
            self.shards[k], self.exp_avg[k], self.exp_avg_sq[k] = adamw_step(
                self.shards[k],
                mean,
                self.exp_avg[k],
                self.exp_avg_sq[k],
                self.steps,
                **self.options,
            )
        return unshard(self.shards, self.shape)


def fully_sharded_gradients(
    inputs: Sequence[Tensor],
    labels: Sequence[Tensor],
    layers: Sequence[Sequence[Tensor]],
    shapes: Sequence[tuple[int, int]],
) -> tuple[Tensor, list[list[Tensor]]]:
    """Gradients of an MLP whose parameters are sharded, too: ZeRO, stage 3, as in FSDP.

    The parameters of a layer are one matrix, of its weights and, as last column, its bias. They are
    gathered right before they are used, once forward and once backward, and then dropped; the
    gradients of a layer are scattered at once. Between layers is a ReLU, and the loss is the
    cross-entropy.

    Args:
        inputs: for each of n devices, its examples, (B, d_0) float.
        labels: for each device, (B,) int64.
        layers: for each layer, the n shards of its matrix, see `shard`.
        shapes: for each layer, that of its matrix, (d_l, d_(l−1) + 1).

    Returns:
        The mean loss over all devices' examples, (), and its gradient, in shards like the
        parameters.
    """
    devices = len(inputs)
    outputs = [list(inputs)]  # of each layer, on each device
    for layer, (parts, shape) in enumerate(zip(layers, shapes, strict=True)):
        weight = unshard(parts, shape)  # all-gather
        scores = [F.linear(x, weight[:, :-1], weight[:, -1]) for x in outputs[-1]]
        del weight  # before the next layer is gathered
        last = layer == len(layers) - 1
        outputs.append(scores if last else [x.relu() for x in scores])
    losses, grads = [], []
    for scores, asked in zip(outputs.pop(), labels, strict=True):
        losses.append(F.cross_entropy(scores, asked))
        grads.append(cross_entropy_gradient(scores, asked))
    found: list[list[Tensor]] = []
    for layer in reversed(range(len(layers))):
        weight = unshard(layers[layer], shapes[layer])  # all-gather, the second time
        flat = []
        for k, x in enumerate(outputs[layer]):
            grads[k], by_weight, by_bias = linear_backward(grads[k], x, weight[:, :-1])
            by_matrix = torch.cat([by_weight, by_bias[:, None]], dim=1)
            flat.append(torch.cat(shard(by_matrix, devices)))
            if layer:
                grads[k] = activation_backward(grads[k], x, "relu")
        del weight
        found.insert(0, [total / devices for total in reduce_scatter(flat)])
    return torch.stack(losses).mean(), found


def memory_per_device(
    parameters: int,
    devices: int,
    *,
    stage: int,
    parameter_bytes: int = 2,
    gradient_bytes: int = 2,
    optimizer_bytes: int = 12,
) -> int:
    """Bytes of a model's training state on each device, without activations.

    Stage 0 keeps everything on every device; stage 1 shards the state of the optimizer, stage 2
    the gradients as well, and stage 3 the parameters, too (Rajbhandari et al. 2020, figure 1). A
    shard has ⌈N/n⌉ numbers.

    Args:
        parameters: N, how many the model has.
        devices: n.
        stage: 0 to 3.
        parameter_bytes: bytes for each parameter; bfloat16 has 2.
        gradient_bytes: bytes for each gradient.
        optimizer_bytes: bytes of the optimizer for each parameter; 12 are a copy of the parameter
            and two running means, in float32.

    Returns:
        Bytes.

    Raises:
        ValueError: there is no such stage.
    """
    if stage not in range(4):
        raise ValueError(f"stage must be 0, 1, 2 or 3, got {stage}")
    part = -(-parameters // devices)
    held = [part if stage >= least else parameters for least in (3, 2, 1)]
    sizes = parameter_bytes, gradient_bytes, optimizer_bytes
    return sum(count * size for count, size in zip(held, sizes, strict=True))


def numbers_sent(parameters: int, devices: int, *, stage: int) -> int:
    """How many numbers each device sends in a step, with rings.

    An all-reduce is a reduce-scatter and an all-gather, and each of the two sends (n − 1) ⌈N/n⌉
    numbers. Stages 1 and 2 use the same two, of gradients and of parameters. Stage 3 gathers the
    parameters twice (Rajbhandari et al. 2020, section 7).

    Args:
        parameters: N.
        devices: n.
        stage: 0 to 3.

    Returns:
        The number.
    """
    return (3 if stage == 3 else 2) * (devices - 1) * -(-parameters // devices)


# tensor parallelism


class _Enter(torch.autograd.Function):
    """Equal tensors forward, and an all-reduce of their gradients backward."""

    @staticmethod
    def forward(ctx, *parts):
        return tuple(part.clone() for part in parts)

    @staticmethod
    def backward(ctx, *grads):
        return tuple(all_reduce(grads))


def enter_parallel(parts: Sequence[Tensor]) -> list[Tensor]:
    """Begin a part in which devices compute different things from equal inputs.

    Forward, every device keeps its tensor. Backward, every device gets the sum of all devices'
    gradients, because the input has contributed to what each of them computed (f of Shoeybi et al.
    2019, figure 3).

    Args:
        parts: one tensor for each device, all equal, float.

    Returns:
        The same numbers.
    """
    return list(_Enter.apply(*parts))


def leave_parallel(parts: Sequence[Tensor]) -> list[Tensor]:
    """End a part in which devices compute different things: add their results.

    Forward, an `all_reduce`. Backward, the devices' gradients are not added: all devices continue
    with equal numbers and compute the same loss, so their gradients are equal, and each device
    already has that of the sum (g of Shoeybi et al. 2019, figure 3).

    Args:
        parts: one tensor for each device, all of one shape, float, finite.

    Returns:
        The sum, once for each device.
    """
    totals = all_reduce([part.detach() for part in parts])
    # The difference is 0 (NaN for infinities), and has a gradient.
    return [total + (part - part.detach()) for total, part in zip(totals, parts, strict=True)]


def parallel_feed_forward(
    inputs: Sequence[Tensor],
    up: Sequence[Tensor],
    up_bias: Sequence[Tensor],
    down: Sequence[Tensor],
    down_bias: Sequence[Tensor],
) -> list[Tensor]:
    """Feed-forward network whose H hidden units are divided among n devices.

    relu(x W_1ᵀ + b_1) W_2ᵀ + b_2, where W_1 is (H, D) and W_2 is (D, H). Each device computes with
    its units from the start to the end, and one sum over the devices follows. Autograd needs one
    more, of the inputs' gradients.

    Args:
        inputs: x, one tensor (..., D) for each device, all equal.
        up: rows of W_1, (H/n, D) for each device.
        up_bias: entries of b_1, (H/n,) for each device.
        down: columns of W_2, (D, H/n) for each device.
        down_bias: b_2, whole on each device, (D,).

    Returns:
        (..., D) for each device, all equal. Gradients are those of the undivided network if every
        device computes the same loss from its result and goes backward from it.
    """
    partial = [
        F.linear(F.linear(x, first, bias).relu(), second)
        for x, first, bias, second in zip(enter_parallel(inputs), up, up_bias, down, strict=True)
    ]
    return [total + bias for total, bias in zip(leave_parallel(partial), down_bias, strict=True)]


# pipelines


def all_forward_all_backward(microbatches: int) -> list[str]:
    """Order of the jobs of any stage in GPipe: all forward passes, and then all backward.

    Args:
        microbatches: m, parts of the batch.

    Returns:
        ``F0``, ``F1``, …, and then the backward passes from the last microbatch, m − 1, down to
        ``B0``.
    """
    forward = [f"F{number}" for number in range(microbatches)]
    return forward + [f"B{number}" for number in reversed(range(microbatches))]


def one_forward_one_backward(stage: int, stages: int, microbatches: int) -> list[str]:
    """Order of the jobs of one stage in the schedule 1F1B.

    A stage begins with as many forward passes as there are stages after it, or with all m, if that
    is fewer. Then a forward and a backward pass alternate until no forward pass is left, and the
    remaining backward passes follow. Both kinds go through the microbatches in their order
    (Narayanan et al. 2021).

    Args:
        stage: number of the stage, from 0, which reads the inputs, to p − 1.
        stages: p.
        microbatches: m ≥ 1, parts of the batch.

    Returns:
        2 m jobs, such as ``F0`` and ``B0``.
    """
    ahead = min(microbatches, stages - 1 - stage)
    jobs = [f"F{number}" for number in range(ahead)]
    for number in range(microbatches):
        if ahead + number < microbatches:
            jobs.append(f"F{ahead + number}")
        jobs.append(f"B{number}")
    return jobs


def timetable(orders: Sequence[Sequence[str]]) -> list[list[str]]:
    """Lay out in time the jobs of a pipeline, each of which takes one unit of time.

    A stage does its jobs in their order, each as early as possible. A forward pass needs that of
    the same microbatch in the stage before; a backward pass needs its own stage's forward pass, and
    the backward pass of the stage after. What is needed must have ended at an earlier time.

    Args:
        orders: for each of p stages, its jobs, such as ``F0`` and ``B0``.

    Returns:
        p rows of the same length; ``""`` where a stage waits.

    Raises:
        ValueError: no stage can continue, because each waits for another.
    """
    stages = len(orders)
    rows: list[list[str]] = [[] for _ in orders]
    done: set[tuple[int, str]] = set()
    following = [0] * stages
    while len(done) < sum(map(len, orders)):
        started = []
        for stage, order in enumerate(orders):
            job = order[following[stage]] if following[stage] < len(order) else ""
            if job and all(need in done for need in _needs(stage, job, stages)):
                started.append((stage, job))
                following[stage] += 1
            else:
                job = ""
            rows[stage].append(job)
        if not started:
            raise ValueError("no stage can continue: each waits for another")
        done.update(started)
    return rows


def _needs(stage: int, job: str, stages: int) -> list[tuple[int, str]]:
    """Stages and jobs that have to come before."""
    if job[0] == "F":
        return [(stage - 1, job)] if stage else []
    own = [(stage, "F" + job[1:])]
    return [*own, (stage + 1, job)] if stage < stages - 1 else own


def idle_share(table: Sequence[Sequence[str]]) -> float:
    """Share of a timetable in which a stage waits: the bubble.

    Args:
        table: as of `timetable`.

    Returns:
        From 0 to 1.
    """
    cells = [job for row in table for job in row]
    return cells.count("") / len(cells)


def bubble_fraction(stages: int, microbatches: int) -> float:
    """Idle share of GPipe and 1F1B if all stages take equally long for a microbatch.

    Args:
        stages: p.
        microbatches: m.

    Returns:
        (p − 1) / (m + p − 1).
    """
    return (stages - 1) / (microbatches + stages - 1)


def run_pipeline(
    stages: Sequence[nn.Module],
    table: Sequence[Sequence[str]],
    inputs: Sequence[Tensor],
    loss: Callable[[Tensor, int], Tensor],
) -> tuple[Tensor, list[int]]:
    """Train the stages of a pipeline on a batch, job by job, as a timetable says.

    Gradients are accumulated in the parameters' ``grad``: their sum over the microbatches is the
    gradient of the sum of the losses.

    Args:
        stages: parts of a network, each on a separate device.
        table: as of `timetable`, a row for each stage.
        inputs: the microbatches.
        loss: called with the output of the last stage and the number of the microbatch; returns (),
            its part of the loss of the batch.

    Returns:
        The sum of the losses, and for each stage the most microbatches whose activations it held.
    """
    kept: list[dict[str, tuple[Tensor, Tensor]]] = [{} for _ in stages]
    most, total = [0] * len(stages), []
    sent: dict[tuple[int, str], Tensor] = {(0, f"F{k}"): x for k, x in enumerate(inputs)}
    for jobs in zip(*table, strict=True):
        for stage, job in enumerate(jobs):
            number = job[1:]
            if job.startswith("F"):
                x = sent.pop((stage, job)).detach().requires_grad_(stage > 0)
                out = stages[stage](x)
                if stage < len(stages) - 1:
                    sent[stage + 1, job] = out
                else:
                    out = loss(out, int(number))
                    total.append(out.detach())
                kept[stage][number] = x, out
                most[stage] = max(most[stage], len(kept[stage]))
            elif job:
                x, out = kept[stage].pop(number)
                out.backward(sent.pop((stage, job), None))
                if x.grad is not None:
                    sent[stage - 1, job] = x.grad
    return torch.stack(total).sum(), most
