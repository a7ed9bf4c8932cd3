"""Distributed training on simulated devices, held against one device, torch's optimizers and
`torch.chunk`; and `solutions.zero` in two processes."""

import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions import distributed
from solutions.data import digits
from solutions.distributed import (
    ShardedAdamW,
    all_forward_all_backward,
    all_gather,
    all_reduce,
    bubble_fraction,
    fully_sharded_gradients,
    idle_share,
    leave_parallel,
    memory_per_device,
    numbers_sent,
    one_forward_one_backward,
    parallel_feed_forward,
    reduce_scatter,
    ring_all_reduce,
    run_pipeline,
    shard,
    timetable,
    unshard,
)
from solutions.training import clip_by_global_norm

ROOT = Path(__file__).parents[2]
DOUBLE = torch.float64


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


@pytest.mark.parametrize("devices", [1, 2, 3, 5])
def test_collectives(devices):
    parts = list(normal(devices, 3 * devices, 2))
    total = torch.stack(parts).sum(dim=0)
    for result in all_reduce(parts):
        torch.testing.assert_close(result, total)
    scattered = reduce_scatter(parts)
    assert [part.shape for part in scattered] == [(3, 2)] * devices
    for result in all_gather(scattered):
        torch.testing.assert_close(result, total)


def test_rows_that_cannot_be_scattered():
    with pytest.raises(ValueError, match=r"5 rows .* 2 equal parts"):
        reduce_scatter(list(normal(2, 5)))


@pytest.mark.parametrize("shape", [(), (7,), (2, 3, 5), (0, 3), (1, 1)])
@pytest.mark.parametrize("devices", [1, 2, 7, 11])
def test_shards_are_put_together_again(shape, devices):
    tensor = normal(*shape)
    parts = shard(tensor, devices)
    assert [part.shape for part in parts] == [(math.ceil(tensor.numel() / devices),)] * devices
    assert torch.cat(parts)[tensor.numel() :].eq(0).all()
    assert torch.equal(unshard(parts, shape), tensor)


@pytest.mark.parametrize("devices", [1, 2, 3, 7])
@pytest.mark.parametrize("shape", [(2, 7), (1,), (3, 2, 2)])
def test_ring_adds_up(devices, shape):
    parts = list(normal(devices, *shape))
    kept = [part.clone() for part in parts]
    results, sent = ring_all_reduce(parts)
    assert len(results) == devices
    for result in results:
        torch.testing.assert_close(result, torch.stack(parts).sum(dim=0))
        assert torch.equal(result, results[0])
    assert sent == 2 * (devices - 1) * math.ceil(math.prod(shape) / devices)
    assert sent == numbers_sent(math.prod(shape), devices, stage=0)
    assert all(map(torch.equal, parts, kept))


@pytest.mark.parametrize("max_norm", [None, 0.5, 1e3])
def test_sharded_steps_are_those_of_torch(max_norm):
    start = normal(3, 7)
    ours = ShardedAdamW(start, 4, lr=0.1, betas=(0.8, 0.95), weight_decay=0.3, max_norm=max_norm)
    theirs = nn.Parameter(start.clone())
    adamw = torch.optim.AdamW([theirs], 0.1, betas=(0.8, 0.95), weight_decay=0.3)
    for seed in range(1, 6):
        gradients = normal(4, 3, 7, seed=seed)
        theirs.grad = gradients.mean(dim=0)
        if max_norm is not None:
            theirs.grad = clip_by_global_norm([theirs.grad], max_norm=max_norm)[0][0]
        adamw.step()
        torch.testing.assert_close(ours.step(list(gradients)), theirs.detach(), rtol=1e-9, atol=0)
    assert ours.steps == 5
    assert [part.shape for part in ours.exp_avg] == [(6,)] * 4


@pytest.mark.parametrize("max_norm", [0.0, 1.0])
def test_sharded_step_of_no_gradient(max_norm):
    ours = ShardedAdamW(normal(5), 2, lr=0.1, weight_decay=0, max_norm=max_norm)
    torch.testing.assert_close(ours.step([torch.zeros(5, dtype=DOUBLE)] * 2), normal(5))


def test_fully_sharded_gradients_are_those_of_autograd():
    sizes, devices = (5, 7, 3, 4), 3
    matrices = [normal(out, inside + 1, seed=out) for inside, out in itertools.pairwise(sizes)]
    inputs = normal(devices, 2, 5, seed=9)
    labels = torch.arange(6).view(devices, 2) % 4
    loss, found = fully_sharded_gradients(
        list(inputs),
        list(labels),
        [shard(matrix, devices) for matrix in matrices],
        [tuple(matrix.shape) for matrix in matrices],
    )
    for matrix in matrices:
        matrix.requires_grad_()
    x = inputs.flatten(0, 1)
    for number, matrix in enumerate(matrices):
        x = F.linear(x if number == 0 else x.relu(), matrix[:, :-1], matrix[:, -1])
    expected = F.cross_entropy(x, labels.flatten())
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    for parts, matrix in zip(found, matrices, strict=True):
        torch.testing.assert_close(unshard(parts, matrix.shape), matrix.grad)


def test_memory_is_that_of_the_paper():
    """Rajbhandari et al. 2020, figure 1: 7.5 billion parameters, 64 devices."""
    found = [memory_per_device(7_500_000_000, 64, stage=stage) / 1e9 for stage in range(4)]
    assert [round(gigabytes, 1) for gigabytes in found] == [120.0, 31.4, 16.6, 1.9]
    with pytest.raises(ValueError, match="got 4"):
        memory_per_device(10, 2, stage=4)
    sizes = {"parameter_bytes": 1, "gradient_bytes": 10, "optimizer_bytes": 100}
    held = [memory_per_device(7, 2, stage=stage, **sizes) for stage in range(4)]
    assert held == [777, 477, 447, 444]


def test_traffic_of_the_stages():
    sent = [numbers_sent(10, 4, stage=stage) for stage in range(4)]
    assert sent == [18, 18, 18, 27]


@pytest.mark.parametrize("devices", [1, 2, 3])
def test_parallel_network_has_the_gradients_of_the_undivided_one(devices, monkeypatch):
    x, up, up_bias = normal(2, 4, 5), normal(6, 5, seed=1), normal(6, seed=2)
    down, down_bias = normal(5, 6, seed=3), normal(5, seed=4)
    target = normal(2, 4, 5, seed=5)
    whole = [tensor.clone().requires_grad_() for tensor in (x, up, up_bias, down, down_bias)]
    y = F.linear(F.linear(whole[0], whole[1], whole[2]).relu(), whole[3], whole[4])
    (y * target).sum().backward()
    parts = [
        [x.clone() for _ in range(devices)],
        up.chunk(devices),
        up_bias.chunk(devices),
        down.chunk(devices, dim=1),
        [down_bias.clone() for _ in range(devices)],
    ]
    parts = [[part.detach().clone().requires_grad_() for part in of] for of in parts]
    sums = []
    monkeypatch.setattr(distributed, "all_reduce", lambda of: sums.append(1) or all_reduce(of))
    results = parallel_feed_forward(*parts)
    assert len(sums) == 1
    torch.autograd.backward([(result * target).sum() for result in results])
    assert len(sums) == 2
    for result in results:
        torch.testing.assert_close(result, y)
    for part in parts[0]:
        torch.testing.assert_close(part.grad, whole[0].grad)
    for part in parts[4]:
        torch.testing.assert_close(part.grad, whole[4].grad)
    for of, tensor, axis in zip(parts[1:4], whole[1:4], (0, 0, 1), strict=True):
        torch.testing.assert_close(torch.cat([part.grad for part in of], dim=axis), tensor.grad)


def test_a_sum_with_its_own_gradient():
    parts = [part.requires_grad_() for part in normal(3, 4).unbind()]
    sums = leave_parallel(parts)
    weights = normal(3, 4, seed=1)
    torch.autograd.backward([(total * own).sum() for total, own in zip(sums, weights, strict=True)])
    for part, total, own in zip(parts, sums, weights, strict=True):
        torch.testing.assert_close(total.detach(), normal(3, 4).sum(dim=0))
        torch.testing.assert_close(part.grad, own)


def tables(stages, microbatches):
    gpipe = [all_forward_all_backward(microbatches)] * stages
    other = [one_forward_one_backward(stage, stages, microbatches) for stage in range(stages)]
    return timetable(gpipe), timetable(other)


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("microbatches", [1, 2, 4, 9])
def test_both_schedules_have_the_bubble_of_the_formula(stages, microbatches):
    for table in tables(stages, microbatches):
        assert len(table[0]) == 2 * (microbatches + stages - 1)
        assert idle_share(table) == pytest.approx(bubble_fraction(stages, microbatches))
        for row in table:
            jobs = [job for job in row if job]
            assert len(jobs) == len(set(jobs)) == 2 * microbatches


def test_small_schedules_by_hand():
    assert tables(2, 2)[1] == [
        ["F0", "F1", "", "B0", "", "B1"],
        ["", "F0", "B0", "F1", "B1", ""],
    ]
    assert tables(2, 2)[0] == [
        ["F0", "F1", "", "", "B1", "B0"],
        ["", "F0", "F1", "B1", "B0", ""],
    ]


def test_stages_that_wait_for_each_other():
    with pytest.raises(ValueError, match="no stage can continue"):
        timetable([["F0", "F1", "B0", "B1"], ["F0", "B1", "B0", "F1"]])


@pytest.mark.parametrize("kind", [0, 1])
def test_a_pipeline_accumulates_the_gradients_of_the_batch(kind):
    torch.manual_seed(0)
    stages = [nn.Sequential(nn.Linear(5, 5), nn.Tanh()).double() for _ in range(3)]
    x, target = normal(8, 5), normal(8, 5, seed=1)
    whole = F.mse_loss(stages[2](stages[1](stages[0](x))), target)
    parameters = [parameter for stage in stages for parameter in stage.parameters()]
    expected = torch.autograd.grad(whole, parameters)
    parts = target.chunk(4)
    loss, most = run_pipeline(
        stages,
        tables(3, 4)[kind],
        x.chunk(4),
        lambda output, number: F.mse_loss(output, parts[number]) / 4,
    )
    assert most == ([4, 4, 4], [3, 2, 1])[kind]
    torch.testing.assert_close(loss, whole.detach())
    for parameter, gradient in zip(parameters, expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)


TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
TORCHRUN += ["-m", "solutions.zero"]
FORKED = """
import torch._dynamo, torch.distributed.fsdp
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from solutions import zero
both = LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", start_method="fork")
elastic_launch(both, zero.main)()
"""
# The same, but the processes need not import torch again; macOS is not safe to fork.
FORKS = ["-c", FORKED] if sys.platform == "linux" else TORCHRUN


def found_by_two(folder, *given, by):
    """Run `solutions.zero` in two processes."""
    found = folder / "found.json"
    run = subprocess.run(
        [sys.executable, *by, "--double", "--steps=12", *given, "--losses", str(found)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COURSE_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(found.read_text())


def losses_of_one(steps=12, batch=60):
    """The same losses by a loop with torch's own AdamW."""
    train = digits(seed=0, device="cpu").train
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 37), nn.ReLU(), nn.Linear(37, 10)).double()
    adamw = torch.optim.AdamW(model.parameters(), 3e-3)
    losses = []
    for _ in range(steps):
        chosen = torch.randint(len(train.labels), (batch,))
        loss = F.cross_entropy(model(train.features[chosen].double()), train.labels[chosen])
        adamw.zero_grad()
        loss.backward()
        adamw.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(("given", "by"), [((), TORCHRUN), (("--fsdp",), FORKS)])
def test_two_processes_make_the_steps_of_one(given, by, tmp_path):
    found = found_by_two(tmp_path, *given, by=by)
    one = losses_of_one()
    assert one[-1] < one[0] - 0.1
    assert found["losses"] == pytest.approx(one, rel=1e-11)  # measured: 3e-16
    parameters = 65 * 37 + 38 * 10
    assert 3 * parameters / 2 <= found["kept"] < 0.53 * 3 * parameters
