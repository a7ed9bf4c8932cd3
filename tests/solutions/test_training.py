"""`solutions.training` against torch.optim and torch.nn, and the loop against being killed."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.data import Split
from solutions.training import (
    SGD,
    Adam,
    AdamW,
    Batches,
    BatchNorm1d,
    Dropout,
    RMSprop,
    adam_step,
    adamw_step,
    clip_by_global_norm,
    dropout,
    early_stopping,
    evaluate,
    fit,
    glorot_uniform,
    grid_trials,
    he_normal,
    momentum_step,
    nesterov_step,
    random_trials,
    rmsprop_step,
    warmup_cosine,
)

B, C, D, H = 11, 5, 7, 13
ROOT = Path(__file__).parents[2]


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def draw(rng, *shape, scale=1.0):
    return scale * torch.randn(shape, generator=rng, dtype=torch.float64)


def assert_equal(got, expected, **kwargs):
    """Close to the last few bits; the defaults of float64 are too generous for this."""
    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-13, **kwargs)


# batches


def test_batches_are_one_shuffle_of_the_data(rng):
    data = Split(draw(rng, 23, D), torch.arange(23))
    batches = Batches(data, 5, seed=3)
    assert len(batches) == len(list(batches)) == 5
    seen = [batch.labels for batch in batches(0)]
    assert [len(labels) for labels in seen] == [5, 5, 5, 5, 3]
    order = torch.cat(seen)
    assert not torch.equal(order, data.labels)
    assert torch.equal(order.sort().values, data.labels)
    features = torch.cat([batch.features for batch in batches(0)])
    assert torch.equal(features, data.features[order])  # rows stay together


def test_seed_and_epoch_alone_determine_the_order():
    orders = {}
    for seed in range(3):
        for epoch in range(3):
            torch.manual_seed(seed + epoch)  # of no importance
            order = torch.cat(list(Batches(torch.arange(31), 4, seed=seed)(epoch)))
            assert torch.equal(
                order, torch.cat(list(Batches(torch.arange(31), 4, seed=seed)(epoch)))
            )
            orders[tuple(order.tolist())] = seed, epoch
    assert len(orders) == 9
    before = torch.get_rng_state()
    list(Batches(torch.arange(31), 4))
    assert torch.equal(before, torch.get_rng_state())


def test_batches_keep_the_form_of_the_data():
    data = {"words": torch.arange(6), "more": [torch.arange(6), (torch.arange(6),)]}
    first, *_ = Batches(data, 4, shuffle=False)
    assert list(first) == ["words", "more"]
    assert isinstance(first["more"][1], tuple)
    assert torch.equal(first["more"][1][0], torch.arange(4))


def test_batches_of_a_list_are_collated():
    sentences = [torch.arange(n) for n in (3, 1, 4, 2)]
    pad = nn.utils.rnn.pad_sequence
    batches = Batches(sentences, 3, shuffle=False, collate=lambda part: pad(part, True, -1))
    assert [batch.tolist() for batch in batches] == [
        [[0, 1, 2, -1], [0, -1, -1, -1], [0, 1, 2, 3]],
        [[0, 1]],
    ]


def test_data_that_make_no_batches_are_refused():
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        Batches(torch.arange(3), 0)
    with pytest.raises(ValueError, match=r"one row per example.* got lengths \[3, 4\]"):
        Batches((torch.arange(3), torch.arange(4)), 2)
    with pytest.raises(ValueError, match=r"at least one.* got lengths \[0\]"):
        Batches(torch.arange(0), 2)
    with pytest.raises(
        TypeError, match=r"a batch is a tensor, or a tuple, list or dict .* got str"
    ):
        Batches("abc", 2)


# the loop


def problem(rng, count=37):
    """Three classes of points, in two parts."""
    x = draw(rng, count + 19, D).float()
    y = (x @ draw(rng, D, 3).float()).argmax(1)
    return Split(x[:count], y[:count]), Split(x[count:], y[count:])


def network(*, dropout=0.0, norm=False):
    torch.manual_seed(1)
    layers = [nn.Linear(D, H), nn.BatchNorm1d(H) if norm else nn.Identity(), nn.Tanh()]
    return nn.Sequential(*layers, nn.Dropout(dropout), nn.Linear(H, 3))


def cross_entropy(model, batch):
    return F.cross_entropy(model(batch.features), batch.labels)


def is_right(model, batch):
    return model(batch.features).argmax(1) == batch.labels


def test_fit_takes_the_steps_of_a_plain_loop(rng):
    train, dev = problem(rng)
    model, plain = network(), network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    history = fit(
        model,
        Batches(train, 8, seed=5),
        loss=cross_entropy,
        optimizer=optimizer,
        epochs=3,
        dev=[dev],
        metric=is_right,
        schedule=lambda step: 1 / (1 + step),
        clip_norm=0.7,
    )
    other = torch.optim.SGD(plain.parameters(), lr=0.3, momentum=0.9)
    losses, rates, norms, dev_losses, right = [], [], [], [], []
    for epoch in range(3):
        for batch in Batches(train, 8, seed=5)(epoch):
            other.param_groups[0]["lr"] = 0.3 / (1 + len(losses))
            value = cross_entropy(plain, batch)
            other.zero_grad()
            value.backward()
            norms.append(nn.utils.clip_grad_norm_(plain.parameters(), 0.7).item())
            other.step()
            losses.append(value.item())
            rates.append(other.param_groups[0]["lr"])
        dev_losses.append(cross_entropy(plain, dev).item())
        right.append(is_right(plain, dev).float().mean().item())
    assert history.train_loss == pytest.approx(losses, rel=1e-4)
    assert history.gradient_norm == pytest.approx(norms, rel=1e-4)
    assert max(norms) > 0.7 > min(norms)
    assert history.learning_rate == pytest.approx(rates)
    assert history.dev_loss == pytest.approx(dev_losses, rel=1e-4)
    assert history.dev_metric == pytest.approx(right)
    assert history.steps == [5, 10, 15]
    assert history.stopped is None
    assert optimizer.param_groups[0]["lr"] == 0.3  # as it was
    for got, expected in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)
    assert not model.training


def run(train, dev, *, epochs=4, model=None, **options):
    """A run in which everything that has a state takes part."""
    model = model or network(dropout=0.3, norm=True)
    history = fit(
        model,
        Batches(train, 8, seed=2),
        loss=options.pop("loss", cross_entropy),
        optimizer=torch.optim.AdamW(model.parameters(), lr=0.05),
        epochs=epochs,
        dev=[dev],
        metric=is_right,
        schedule=lambda step: 0.5 + 0.5 * math.cos(step / 7),
        clip_norm=1.0,
        **options,
    )
    return history, model.state_dict()


def assert_same_run(got, expected):
    assert got[0] == expected[0]
    assert got[1].keys() == expected[1].keys()
    for name, value in got[1].items():
        assert torch.equal(value, expected[1][name]), name


def test_seeds_make_runs_repeatable_and_leave_the_caller_alone(rng):
    train, dev = problem(rng)
    first = run(train, dev)
    torch.manual_seed(77)
    model = network(dropout=0.3, norm=True)
    torch.manual_seed(78)
    before = torch.get_rng_state()
    assert_same_run(run(train, dev, model=model), first)
    assert torch.equal(torch.get_rng_state(), before)
    assert run(train, dev, seed=1)[0].train_loss != first[0].train_loss


CHILD = """
import os, signal, sys
import torch
sys.path.insert(0, sys.argv[1])
from tests.solutions import test_training as tests

def deadly(model, batch):
    global left
    left -= model.training
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return tests.cross_entropy(model, batch)

left = int(sys.argv[4])
data = tests.problem(torch.Generator().manual_seed(0))
tests.run(*data, loss=deadly, patience=2, checkpoint=sys.argv[2],
          checkpoint_every=int(sys.argv[3]), resume=True)
"""


def test_a_run_killed_in_mid_epoch_loses_nothing(tmp_path, rng):
    """Five steps an epoch; killed in step 8 and, having gone on from 6, in step 13."""
    torch.set_num_threads(1)
    data = problem(rng)
    expected = run(*data, patience=2)
    file = tmp_path / "run.pt"
    for survived in (8, 7):
        child = subprocess.run(
            [sys.executable, "-c", CHILD, str(ROOT), str(file), "3", str(survived)],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            check=False,
        )
        assert child.returncode == -signal.SIGKILL
        position = torch.load(file, weights_only=True)["position"]
        assert position[1] not in (0, 5)  # in the middle of an epoch
    assert position == (2, 2)
    resumed = run(*data, patience=2, checkpoint=file, checkpoint_every=3, resume=True)
    assert_same_run(resumed, expected)
    again = run(*data, patience=2, checkpoint=file, checkpoint_every=3, resume=True)
    assert_same_run(again, expected)  # there was nothing left to do
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("state", ["optimizer", "random", "position", "base_rates"])
def test_each_part_of_a_checkpoint_is_needed(tmp_path, rng, state):
    """Had the loop forgotten one of them, the test above would notice."""

    class Stop(Exception):
        pass

    def until(calls):
        def loss(model, batch):
            nonlocal calls
            calls -= model.training
            if calls < 0:
                raise Stop
            return cross_entropy(model, batch)

        return loss

    data, file = problem(rng), tmp_path / "run.pt"
    options = {"patience": 1, "epochs": 8}
    expected = run(*data, **options)
    with pytest.raises(Stop):
        run(*data, loss=until(13), checkpoint=file, checkpoint_every=4, **options)
    saved = torch.load(file, weights_only=True)
    assert saved["position"] == (2, 2)
    saved[state] = {
        "optimizer": torch.optim.AdamW(network(norm=True).parameters(), lr=0.05).state_dict(),
        "random": {"cpu": torch.get_rng_state()},
        "position": (2, 0),
        "base_rates": [0.1],
    }[state]
    torch.save(saved, file)
    broken = run(*data, checkpoint=file, checkpoint_every=4, resume=True, **options)
    assert broken[0].train_loss != expected[0].train_loss


def test_the_best_weights_are_in_the_checkpoint(tmp_path):
    """The weight moves by 1 in each step; the best one, 2, was before the interruption."""
    for epochs in (3, 4):
        model = nn.Linear(1, 1, bias=False)
        nn.init.zeros_(model.weight)
        history = fit(
            model,
            lambda epoch: [torch.zeros(1)],
            loss=lambda model, batch: (
                -model.weight.sum() if model.training else (model.weight - 2).square().sum()
            ),
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            epochs=epochs,
            dev=[torch.zeros(1)],
            patience=9,
            checkpoint=tmp_path / "run.pt",
            resume=True,
        )
        assert (history.best_epoch, model.weight.item()) == (1, 2.0)
    assert history.steps == [1, 2, 3, 4]


def test_a_checkpoint_is_written_in_one_piece(tmp_path, monkeypatch, rng):
    data, file = problem(rng), tmp_path / "run.pt"
    run(*data, epochs=1, checkpoint=file)
    good = file.read_bytes()

    def crash(state, target):
        target.write(good[: len(good) // 2])
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", crash)
        with pytest.raises(OSError, match="disk full"):
            run(*data, epochs=2, checkpoint=file, resume=True)
    assert file.read_bytes() == good
    assert_same_run(run(*data, epochs=2, checkpoint=file, resume=True), run(*data, epochs=2))


def test_checkpoints_are_not_mixed_up(tmp_path, rng):
    data, file = problem(rng), tmp_path / "run.pt"
    run(*data, epochs=1, checkpoint=file)
    with pytest.raises(FileExistsError, match="exists: resume=True goes on from it; delete it"):
        run(*data, checkpoint=file)
    before = torch.get_rng_state()
    with pytest.raises(ValueError, match=r"was made with .*'seed': 0.* now .*'seed': 4"):
        run(*data, checkpoint=file, resume=True, seed=4)
    assert torch.equal(torch.get_rng_state(), before)


def test_early_stopping_goes_back_to_the_best_weights():
    """The weight moves by 1 in each step; the development loss is lowest at 3."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    seen = []

    def loss(model, batch):
        if model.training:
            return -model.weight.sum()
        seen.append(model.weight.item())
        return (model.weight - 3).square().sum()

    options = {"loss": loss, "epochs": 20, "dev": [torch.zeros(1)]}
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    history = fit(model, lambda epoch: [torch.zeros(1)], optimizer=optimizer, patience=4, **options)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert (history.best_epoch, history.stopped, model.weight.item()) == (2, "patience", 3.0)
    nn.init.zeros_(model.weight)
    options = {**options, "epochs": 5}
    history = fit(model, lambda epoch: [torch.zeros(1)], optimizer=optimizer, patience=4, **options)
    assert (history.stopped, model.weight.item()) == (None, 3.0)  # best weights all the same
    nn.init.zeros_(model.weight)
    history = fit(
        model,
        lambda epoch: [torch.zeros(1)],
        optimizer=optimizer,
        metric=lambda model, batch: -(model.weight - 2).abs().reshape(1),
        best_by="metric",
        patience=2,
        **options,
    )
    assert (history.best_epoch, model.weight.item()) == (1, 2.0)


def test_a_diverged_run_stops(rng):
    train, _ = problem(rng)
    model = network()
    history = fit(
        model,
        Batches(train, 8),
        loss=lambda model, batch: model(batch.features).pow(4).sum(),
        optimizer=torch.optim.SGD(model.parameters(), lr=1e3),
        epochs=9,
    )
    assert history.stopped == "diverged"
    assert history.steps == [5]
    assert not math.isfinite(history.train_loss[-1])


def test_losses_of_tokens_are_averaged_over_tokens(rng):
    """Padding makes batches of unequal weight: a mean of means would be another number."""
    values = {"values": draw(rng, 5, 3), "kept": torch.rand(5, 3, generator=rng) < 0.6}
    model = nn.Linear(1, 1)
    batches = Batches(values, 2, shuffle=False)
    got = evaluate(model, batches, lambda model, batch: batch["values"][batch["kept"]])
    assert got == pytest.approx(values["values"][values["kept"]].mean().item())
    means = evaluate(model, batches, lambda model, batch: batch["values"].mean())
    assert means == pytest.approx(values["values"].mean().item())  # weighted 2, 2, 1


def test_evaluation_changes_nothing(rng):
    train, _ = problem(rng)
    model = network(dropout=0.5, norm=True)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.train()
    assert evaluate(model, [train], cross_entropy) == evaluate(model, [train], cross_entropy)
    assert model.training
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": -1}, "epochs must not be negative, got -1"),
        ({"patience": 2}, "metric and patience look at development data"),
        ({"metric": is_right}, "metric and patience look at development data"),
        ({"best_by": "accuracy"}, "best_by must be 'loss' or 'metric', got 'accuracy'"),
        ({"best_by": "metric"}, "best_by='metric' needs a metric"),
        ({"patience": 0, "dev": []}, "patience counts epochs, from 1; got 0"),
        ({"clip_norm": 0.0}, "clip_norm must be above 0, got 0.0"),
        ({"checkpoint_every": 3}, "needs a checkpoint file"),
        ({"train": lambda epoch: []}, r"train\(0\) gave no batches"),
        ({"dev": iter([])}, "there are no batches to evaluate on; a generator is empty"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(rng, options, message):
    train, _ = problem(rng)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    usual = {"train": Batches(train, 8), "epochs": 1, "loss": cross_entropy, "optimizer": optimizer}
    with pytest.raises(ValueError, match=message):
        fit(model, **{**usual, **options})


def test_the_optimizer_of_another_model_is_refused(rng):
    optimizer = torch.optim.SGD(network().parameters(), lr=0.1)
    with pytest.raises(ValueError, match="holds none of the model's parameters; make it for this"):
        fit(network(), lambda epoch: [], loss=cross_entropy, optimizer=optimizer, epochs=1)


def test_no_bar_without_a_terminal(rng, capfd):
    run(*problem(rng), epochs=1, progress=True)
    run(*problem(rng), epochs=1)
    assert capfd.readouterr() == ("", "")


def test_a_bar_on_a_terminal(rng, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    run(*problem(rng), epochs=2)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "epoch 2 of 2" in shown.err
    assert "100%" in shown.err


# starting


@pytest.mark.parametrize("shape", [(C, D), (C, D, 3, 2)])
def test_initial_weights_are_those_of_torch(shape):
    generators = [torch.Generator().manual_seed(5) for _ in range(4)]
    empty = torch.empty(shape, dtype=torch.float64)
    uniform = torch.rand(shape, generator=generators[0], dtype=torch.float64)
    expected = nn.init.xavier_uniform_(empty.clone(), generator=generators[1])
    assert_equal(glorot_uniform(uniform), expected)
    normal = torch.randn(shape, generator=generators[2], dtype=torch.float64)
    expected = nn.init.kaiming_normal_(empty, nonlinearity="relu", generator=generators[3])
    assert_equal(he_normal(normal), expected)


def test_initial_weights_keep_the_size_of_signals(rng):
    x, width = draw(rng, 512, 257), 257
    y, forward = x, []
    for _ in range(10):
        y = torch.relu(y @ he_normal(draw(rng, width, width)).T)
        forward.append(y.square().mean().item() / x.square().mean().item())
    assert all(0.5 < size < 2 for size in forward)
    weight = glorot_uniform(torch.rand(199, 401, generator=rng, dtype=torch.float64))
    assert weight.var().item() == pytest.approx(2 / 600, rel=0.02)
    backward = draw(rng, 64, 199) @ weight
    assert 0.5 < backward.var().item() < 1.0  # 2 fan_out / (fan_in + fan_out) = 0.66


# stepping

STEPS = {
    "momentum": (
        lambda w, g, memory, step: momentum_step(w, g, *memory, lr=0.1, momentum=0.8),
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.8),
        1,
    ),
    "nesterov": (
        lambda w, g, memory, step: nesterov_step(w, g, *memory, lr=0.1, momentum=0.8),
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.8, nesterov=True),
        1,
    ),
    "rmsprop": (
        lambda w, g, memory, step: rmsprop_step(w, g, *memory, lr=0.1, alpha=0.9, eps=0.01),
        lambda w: torch.optim.RMSprop(w, lr=0.1, alpha=0.9, eps=0.01),
        1,
    ),
    "adam": (
        lambda w, g, memory, step: adam_step(
            w, g, *memory, step, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3
        ),
        lambda w: torch.optim.Adam(w, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3),
        2,
    ),
    "adamw": (
        lambda w, g, memory, step: adamw_step(
            w, g, *memory, step, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3
        ),
        lambda w: torch.optim.AdamW(w, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3),
        2,
    ),
    "adam by default": (
        lambda w, g, memory, step: adam_step(w, g, *memory, step, lr=0.1),
        lambda w: torch.optim.Adam(w, lr=0.1),
        2,
    ),
    "adamw by default": (
        lambda w, g, memory, step: adamw_step(w, g, *memory, step, lr=0.1),
        lambda w: torch.optim.AdamW(w, lr=0.1),
        2,
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_steps_are_those_of_torch(rng, name, scale):
    ours, theirs, memories = STEPS[name]
    start = draw(rng, D, C)
    parameter = nn.Parameter(start.clone())
    optimizer = theirs([parameter])
    memory = [torch.zeros_like(start)] * memories
    for step in range(1, 51):
        parameter.grad = draw(rng, D, C, scale=scale) + 0.1 * scale
        before = [start.clone(), *(part.clone() for part in memory)]
        moved, *new = ours(start, parameter.grad, memory, step)
        assert all(torch.equal(a, b) for a, b in zip(before, [start, *memory], strict=True))
        start, memory = moved, new
        optimizer.step()
        torch.testing.assert_close(start, parameter.detach(), rtol=1e-11, atol=1e-12)


OPTIMIZERS = {
    "SGD": (SGD, torch.optim.SGD, {"weight_decay": 0.2}),
    "momentum": (SGD, torch.optim.SGD, {"momentum": 0.7, "weight_decay": 0.2}),
    "Nesterov": (SGD, torch.optim.SGD, {"momentum": 0.7, "nesterov": True, "weight_decay": 0.2}),
    "RMSprop": (RMSprop, torch.optim.RMSprop, {"alpha": 0.9, "weight_decay": 0.2}),
    "Adam": (Adam, torch.optim.Adam, {"betas": (0.8, 0.95), "weight_decay": 0.2}),
    "AdamW": (AdamW, torch.optim.AdamW, {"betas": (0.8, 0.95), "weight_decay": 0.2}),
    "Adam by default": (Adam, torch.optim.Adam, {}),
    "AdamW by default": (AdamW, torch.optim.AdamW, {}),
}


def parameters(rng):
    return [nn.Parameter(draw(rng, *shape)) for shape in ((D, C), (C,), (2, 3))]


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("swapped", [None, "to torch", "from torch"])
def test_optimizers_are_those_of_torch(rng, name, swapped):
    """Groups with rates of their own, a missing gradient, and states that change sides midway."""
    ours, theirs, options = OPTIMIZERS[name]
    mine = parameters(rng)
    copies = [nn.Parameter(p.detach().clone()) for p in mine]

    def build(kind, tensors):
        return kind(
            [{"params": tensors[:2]}, {"params": tensors[2:], "lr": 0.02}], lr=0.1, **options
        )

    left, right = build(ours, mine), build(theirs, copies)
    for step in range(50):
        if step == 20 and swapped == "to torch":
            state, left = left.state_dict(), build(theirs, mine)
            left.load_state_dict(state)
        if step == 20 and swapped == "from torch":
            state, right = right.state_dict(), build(ours, copies)
            right.load_state_dict(state)
        for index, (p, q) in enumerate(zip(mine, copies, strict=True)):
            p.grad = None if step < 3 and index == 1 else draw(rng, *p.shape)
            q.grad = None if p.grad is None else p.grad.clone()
        left.param_groups[0]["lr"] = right.param_groups[0]["lr"] = 0.1 / (1 + step)
        left.step()
        right.step()
        for p, q in zip(mine, copies, strict=True):
            torch.testing.assert_close(p, q, rtol=1e-11, atol=1e-12)
    assert not any(p.requires_grad for state in left.state.values() for p in state.values())


def test_a_gradient_that_waited_starts_its_own_count(rng):
    """Bias correction counts the steps of each parameter, not those of the optimizer."""
    first, second = parameters(rng)[:2]
    optimizer = Adam([first, second], lr=0.1)
    for _ in range(9):
        first.grad = draw(rng, D, C)
        optimizer.step()
    assert second not in optimizer.state
    before, second.grad = second.detach().clone(), draw(rng, C)
    optimizer.step()
    torch.testing.assert_close(
        second.detach(), before - 0.1 * second.grad.sign(), rtol=0, atol=1e-6
    )


# steadying


@pytest.mark.parametrize("warmup", [0, 1, 7])
def test_the_schedule_is_a_ramp_and_the_cosine_of_torch(warmup):
    total, floor = 29, 0.1
    got = [warmup_cosine(step, warmup=warmup, total=total, floor=floor) for step in range(40)]
    assert got[:warmup] == pytest.approx([(step + 1) / warmup for step in range(warmup)])
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total - warmup, eta_min=floor)
    for factor in got[warmup : total + 1]:
        assert factor == pytest.approx(cosine.get_last_lr()[0], abs=1e-12)
        optimizer.step()
        cosine.step()
    assert got[total:] == [pytest.approx(floor)] * 11
    with pytest.raises(ValueError, match="warmup must be from 0 to total - 1, got 5 of 5 steps"):
        warmup_cosine(0, warmup=5, total=5)


@pytest.mark.parametrize("max_norm", [1e-3, 1.0, 1e3])
def test_clipping_is_that_of_torch(rng, max_norm):
    gradients = [draw(rng, H, D), draw(rng, D, scale=30.0), draw(rng, 2, 3, 5)]
    parameters = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    expected = nn.utils.clip_grad_norm_(parameters, max_norm)
    clipped, norm = clip_by_global_norm(gradients, max_norm=max_norm)
    assert_equal(norm, expected)
    for got, parameter in zip(clipped, parameters, strict=True):
        # torch adds 1e-6 to the norm
        torch.testing.assert_close(got, parameter.grad, rtol=1e-6, atol=0)
    zeros, norm = clip_by_global_norm([torch.zeros(3)], max_norm=1.0)
    assert norm == 0
    assert torch.equal(zeros[0], torch.zeros(3))


@pytest.mark.parametrize("momentum", [0.1, 0.7])
def test_batch_norm_is_that_of_torch(rng, momentum):
    ours = BatchNorm1d(D, eps=0.01, momentum=momentum).double()
    theirs = nn.BatchNorm1d(D, eps=0.01, momentum=momentum, dtype=torch.float64)
    assert {k: v.tolist() for k, v in ours.state_dict().items()} == {
        k: v.tolist() for k, v in theirs.state_dict().items()
    }
    with torch.no_grad():
        theirs.weight.copy_(draw(rng, D))
        theirs.bias.copy_(draw(rng, D))
        theirs.running_mean.copy_(draw(rng, D))
        theirs.running_var.copy_(draw(rng, D).square() + 0.1)
    ours.load_state_dict(theirs.state_dict())
    for training in (True, True, False, True):
        ours.train(training)
        theirs.train(training)
        x, weights = draw(rng, B, D, scale=3.0) + 2, draw(rng, B, D)
        left, right = x.clone().requires_grad_(), x.clone().requires_grad_()
        assert_equal(ours(left), theirs(right))
        ours.load_state_dict(theirs.state_dict())  # both ways, and both the same by now
        theirs.load_state_dict(ours.state_dict())
        inputs = [(left, *ours.parameters()), (right, *theirs.parameters())]
        for got, expected in zip(
            torch.autograd.grad((ours(left) * weights).sum(), inputs[0]),
            torch.autograd.grad((theirs(right) * weights).sum(), inputs[1]),
            strict=True,
        ):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
        for name, value in theirs.state_dict().items():
            assert_equal(ours.state_dict()[name], value)
    ours.train()
    with pytest.raises(ValueError, match="at least 2 examples per batch, got 1"):
        ours(draw(rng, 1, D))


# stopping in time


def test_dropout_keeps_the_mean(rng):
    x = draw(rng, 200, 101)
    draws = torch.rand(200, 101, generator=rng, dtype=torch.float64)
    y = dropout(x, draws, p=0.3)
    assert torch.equal(y == 0, draws < 0.3)
    assert_equal(y[draws >= 0.3], x[draws >= 0.3] / 0.7)
    ones = dropout(torch.ones_like(x), draws, p=0.3)
    assert ones.mean().item() == pytest.approx(1, abs=0.02)


def test_dropout_as_a_module(rng):
    layer, theirs = Dropout(0.3), nn.Dropout(0.3)
    x = torch.ones(200, 101)
    for module in (layer, theirs):
        torch.manual_seed(0)
        y = module(x)
        assert y.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
        assert (y == 0).float().mean().item() == pytest.approx(0.3, abs=0.02)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), x)
    for p in (-0.1, 1.0):
        with pytest.raises(ValueError, match=f"up to but not including 1, got {p}"):
            Dropout(p)


@pytest.mark.parametrize(
    ("losses", "patience", "expected"),
    [
        ([3.0], 1, (0, False)),
        ([3.0, 2.0, 2.5], 1, (1, True)),
        ([3.0, 2.0, 2.5], 2, (1, False)),
        ([3.0, 2.0, 2.0, 2.0], 2, (1, True)),  # equal is not better
        ([math.nan, 2.0, math.nan, 1.0], 2, (3, False)),
        ([math.nan, math.nan], 1, (0, True)),
        ([-1.0, 4.0, -2.0], 3, (2, False)),
    ],
)
def test_early_stopping(losses, patience, expected):
    assert early_stopping(losses, patience=patience) == expected


# searching


def test_random_trials_are_even_on_a_logarithmic_scale(rng):
    draws = torch.rand(4000, 2, generator=rng, dtype=torch.float64)
    trials = random_trials(draws, low=[1e-4, 2.0], high=[1.0, 64.0])
    powers = (trials[:, 0].log10() + 4).floor()
    assert torch.bincount(powers.long()).tolist() == pytest.approx([1000] * 4, rel=0.1)
    assert 2 <= trials[:, 1].min() <= 2.1
    assert 60 <= trials[:, 1].max() <= 64
    ends = random_trials(torch.tensor([[0.0, 1.0]]), low=[1e-4, 2.0], high=[1.0, 64.0])
    torch.testing.assert_close(ends, torch.tensor([[1e-4, 64.0]]))


def test_grid_trials_are_all_combinations():
    trials = grid_trials(3, low=[0.01, 1.0], high=[1.0, 4.0])
    expected = [[a, b] for a in (0.01, 0.1, 1.0) for b in (1.0, 2.0, 4.0)]
    assert_equal(trials, torch.tensor(expected, dtype=torch.float64))
    assert grid_trials(2, low=[1.0], high=[3.0]).tolist() == [[1.0], [pytest.approx(3.0)]]


# devices


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", [None, torch.bfloat16, torch.float16])
def test_the_loop_runs_on_cuda(tmp_path, rng, precision):
    data, file = problem(rng), tmp_path / "run.pt"
    options = {"mixed_precision": precision, "epochs": 3}
    network_ = lambda: network(dropout=0.3, norm=True).cuda()  # noqa: E731
    dtypes = set()

    def loss(model, batch):
        scores = model(batch.features)
        dtypes.add(scores.dtype)
        return F.cross_entropy(scores, batch.labels)

    expected = run(*data, model=network_(), loss=loss, **options)
    assert dtypes == {precision or torch.float32}
    assert expected[0].train_loss[-1] < expected[0].train_loss[0]
    run(*data, model=network_(), loss=loss, checkpoint=file, **{**options, "epochs": 1})
    resumed = run(
        *data,
        model=network_(),
        loss=loss,
        checkpoint=file,
        checkpoint_every=2,
        resume=True,
        **options,
    )
    assert_same_run(resumed, expected)
    assert ("scale" in torch.load(file, weights_only=True)["scaler"]) == (
        precision == torch.float16
    )


def test_mixed_precision_is_left_out_on_the_processor(rng):
    data = problem(rng)
    assert_same_run(run(*data, mixed_precision=torch.float16), run(*data))
