"""The training loop against a plain one, and against being killed."""

import math
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from draws import draw
from torch import nn
from torch.nn import functional as F

from solutions.data import Split
from solutions.fit import Batches, Together, evaluate, fit, stack_batches

D, H = 7, 13
ROOT = Path(__file__).parents[2]


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
    with pytest.raises(ValueError, match=r"one row per example.* got lengths \[\]"):
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


def test_models_trained_together_become_what_they_become_alone(rng):
    """Each with its own weights, data, order and rate; batch norm keeps its running statistics."""
    sets = [(draw(rng, 14, 3), draw(rng, 14, 2)) for _ in range(3)]
    rates = (1e-3, 1e-2, 1e-1)

    def squared(model, batch):
        return (model(batch[0]) - batch[1]).square().mean()

    def make():
        layers = (nn.Linear(3, 5, bias=False), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 2))
        return nn.Sequential(*layers).double()

    alone, together = [], Together()
    for seed, (part, rate) in enumerate(zip(sets, rates, strict=True)):
        torch.manual_seed(seed)
        alone.append(make())
        torch.manual_seed(seed)
        together.append(make())
        optimizer = torch.optim.Adam(alone[-1].parameters(), lr=rate)
        fit(alone[-1], Batches(part, 5, seed=seed), loss=squared, optimizer=optimizer, epochs=3)
    groups = [
        {"params": model.parameters(), "lr": rate}
        for model, rate in zip(together, rates, strict=True)
    ]
    fit(
        together,
        stack_batches([Batches(part, 5, seed=seed) for seed, part in enumerate(sets)]),
        loss=lambda models, batch: len(models) * squared(models, batch),
        optimizer=torch.optim.Adam(groups),
        epochs=3,
    )
    for one, other in zip(alone, together, strict=True):
        for name, value in one.state_dict().items():
            torch.testing.assert_close(other.state_dict()[name], value, rtol=1e-9, atol=1e-12)
    x = draw(rng, 3, 7, 3)
    before = [buffer.clone() for buffer in together.buffers()]
    expected = torch.stack([model(part) for model, part in zip(alone, x, strict=True)])
    torch.testing.assert_close(together(x), expected, rtol=1e-9, atol=1e-12)
    assert all(map(torch.equal, before, together.buffers()))  # in evaluation nothing moves


def test_models_together_draw_their_own_dropout():
    models = Together(nn.Dropout(0.5) for _ in range(2))
    first, second = models(torch.ones(2, 100))
    assert not torch.equal(first, second)


def test_batches_are_stacked_in_their_form():
    sources = [Batches({"x": torch.arange(7) + 10 * i}, 3, seed=i) for i in range(2)]
    stacked = list(stack_batches(sources)(1))
    assert [batch["x"].shape for batch in stacked] == [(2, 3), (2, 3), (2, 1)]
    for i, source in enumerate(sources):
        for batch, alone in zip(stacked, source(1), strict=True):
            assert torch.equal(batch["x"][i], alone["x"])


def test_models_together_need_the_same_number_of_batches():
    sources = [Batches(torch.arange(float(length)), 2) for length in (4, 6)]
    with pytest.raises(ValueError, match=r"shorter|longer"):
        list(stack_batches(sources)(0))


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
        options.pop("batches", Batches(train, 8, seed=2)),
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


def noisy(data):
    """Batches whose making draws: a part of the numbers is covered, others each time."""

    def cover(examples):
        x, y = (torch.stack(part) for part in zip(*examples, strict=True))
        return Split(x * (torch.rand(x.shape) < 0.8), y)

    return Batches(list(zip(*data, strict=True)), 8, seed=2, collate=cover)


KILL = """
import os, signal, sys
import rich.progress
import torch
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests/solutions"]  # where draws.py is
from solutions import fit as loop
from tests.solutions import test_fit as tests

torch.set_num_threads(1)
torch.optim.AdamW(tests.network().parameters())  # imports much; better once than in each fork
data = tests.problem(torch.Generator().manual_seed(0))
batches = tests.noisy(data[0])

def fork(work, *args):
    child = os.fork()
    if not child:
        work(*args)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def run(file):
    return tests.run(*data, batches=batches, epochs=3, patience=2, checkpoint=file,
                     checkpoint_every=2, resume=True)

def finish(file):
    history, weights = run(file)
    torch.save((vars(history), weights), file + ".result")

def count_down(left, then=lambda *args: None):
    def hook(*args):
        nonlocal left
        left -= 1
        if left < 0:
            then(*args)
            os.kill(os.getpid(), signal.SIGKILL)
        return hook
    return hook

def at_line(file, number):  # of all that are run in fit.py
    hook = count_down(number)
    sys.settrace(lambda frame, *_: hook if frame.f_code.co_filename == loop.__file__ else None)
    run(file)

def in_writing(file, number):
    good, hook = torch.save, count_down(number, lambda state, target: target.write(b"PK" * 2000))
    torch.save = lambda *args: (hook(*args), good(*args))
    run(file)

def before_or_after_renaming(file, number):
    good, hook = os.replace, count_down(number)
    os.replace = lambda *args: (hook(), good(*args), hook())
    run(file)

fork(finish, "whole")
for kill, numbers in ((at_line, range(5, 5000, 401)), (in_writing, range(0, 9, 2)),
                      (before_or_after_renaming, range(0, 18, 3))):
    for number in numbers:
        file = f"{kill.__name__}-{number}"
        assert fork(kill, file, number) == -signal.SIGKILL
        assert fork(finish, file) == 0
"""


def test_a_run_killed_anywhere_loses_nothing(tmp_path):
    """SIGKILL at lines all over the loop, with half a checkpoint written, around its renaming."""
    subprocess.run([sys.executable, "-c", KILL, str(ROOT)], cwd=tmp_path, check=True)
    whole = torch.load(tmp_path / "whole.result")
    results = {file.stem: torch.load(file) for file in tmp_path.glob("*-*.result")}
    assert len(results) == 13 + 5 + 6
    for result in results.values():
        assert_same_run(result, whole)
    assert not list(tmp_path.glob("*.tmp"))


def test_a_run_may_be_killed_again(tmp_path, rng):
    """Five steps an epoch; cut short in step 8 and, having gone on from 6, in step 13."""
    data, file = problem(rng), tmp_path / "made" / "for it" / "run.pt"
    options = {"patience": 2, "checkpoint": file, "checkpoint_every": 3, "resume": True}
    expected = run(*data, patience=2)
    for survived, position in ((8, (1, 1)), (7, (2, 2))):
        with pytest.raises(Stop):
            run(*data, loss=until(survived), **options)
        assert torch.load(file, weights_only=True)["position"] == position
    assert_same_run(run(*data, **options), expected)
    assert_same_run(run(*data, **options), expected)  # there was nothing left to do
    assert list(file.parent.iterdir()) == [file]


class Stop(Exception):
    pass


def until(calls):
    """A loss that fails after so many batches."""

    def loss(model, batch):
        nonlocal calls
        calls -= model.training
        if calls < 0:
            raise Stop
        return cross_entropy(model, batch)

    return loss


@pytest.mark.parametrize("kind", ["Batches", "DataLoader"])
def test_batches_may_draw_from_torch(tmp_path, rng, kind):
    """Order and content of batches come from the generator that dropout draws from, too."""
    data = problem(rng)
    batches = noisy(data[0])
    if kind == "DataLoader":
        loader = torch.utils.data.DataLoader(
            batches.data, 8, shuffle=True, collate_fn=batches.collate
        )
        batches = lambda epoch: loader  # noqa: E731
    options = {"batches": batches, "checkpoint_every": 4}
    expected = run(*data, checkpoint=tmp_path / "whole.pt", **options)
    for survived in (4, 7, 11):
        file = tmp_path / f"{survived}.pt"
        with pytest.raises(Stop):
            run(*data, loss=until(survived), checkpoint=file, **options)
        assert_same_run(run(*data, checkpoint=file, resume=True, **options), expected)


@pytest.mark.parametrize("state", ["optimizer", "random", "position", "base_rates"])
def test_each_part_of_a_checkpoint_is_needed(tmp_path, rng, state):
    """Had the loop forgotten one of them, the test above would notice."""
    data, file = problem(rng), tmp_path / "run.pt"
    options = {"patience": 1, "epochs": 8}
    expected = run(*data, **options)
    with pytest.raises(Stop):
        run(*data, loss=until(13), checkpoint=file, checkpoint_every=4, **options)
    saved = torch.load(file, weights_only=True)
    assert saved["position"] == (2, 2)
    saved[state] = {
        "optimizer": torch.optim.AdamW(network(norm=True).parameters(), lr=0.05).state_dict(),
        "random": ({"cpu": torch.get_rng_state()},) * 2,
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


@pytest.mark.parametrize("room", [0, 1000, 9000])
def test_a_full_disk_is_said_and_loses_nothing(tmp_path, rng, room):
    """Either nothing can be written, or a part that torch notices in a riddle of its own."""
    data, file = problem(rng), tmp_path / "run.pt"
    run(*data, epochs=1, checkpoint=file)
    good, (soft, hard) = file.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    assert len(good) > 9000
    message = rf"could not write the checkpoint {file} \(.*\); .*: make room .* resume=True"
    if room:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    else:
        (tmp_path / "run.pt.tmp").symlink_to("/dev/full")
    try:
        with pytest.raises(OSError, match=message):
            run(*data, epochs=2, checkpoint=file, resume=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == good
    assert list(tmp_path.iterdir()) == [file]  # the draft takes no room
    assert_same_run(run(*data, epochs=2, checkpoint=file, resume=True), run(*data, epochs=2))


def test_numbers_of_numpy_come_back_from_a_checkpoint(tmp_path, rng):
    """They come in with a search for a rate, or a schedule; torch refuses to load them."""
    data, file = problem(rng), tmp_path / "run.pt"

    def train(epochs, kind, **options):
        model = network()
        history = fit(
            model,
            Batches(data[0], 8),
            loss=cross_entropy,
            optimizer=torch.optim.AdamW(model.parameters(), lr=kind(0.05), betas=(kind(0.5), 0.9)),
            epochs=epochs,
            schedule=lambda step: kind(1 / (1 + step)),
            clip_norm=kind(1.0),
            **options,
        )
        return history, model.state_dict()

    train(1, np.float64, checkpoint=file, seed=np.int64(3))
    resumed = train(2, np.float64, checkpoint=file, seed=np.int64(3), resume=True)
    assert_same_run(resumed, train(2, float, seed=3))


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


def test_sentences_of_unequal_length(rng):
    """A chapter on language needs dicts of padded words, a loss per word, a perplexity."""
    sentences = [torch.randint(1, 9, (length,), generator=rng) for length in (2, 3, 5, 7, 11, 13)]

    def pad(part):
        words = nn.utils.rnn.pad_sequence(part, batch_first=True)
        return {"words": words, "is_word": words > 0, "longest": torch.tensor(words.shape[1])}

    def losses(model, batch):
        scores, words = model(batch["words"][:, :-1]), batch["words"][:, 1:]
        values = F.cross_entropy(scores.transpose(1, 2), words, reduction="none")
        return values[batch["is_word"][:, 1:]]

    results = []
    for size in (1, 4):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(9, 5), nn.Linear(5, 9))
        history = fit(
            model,
            Batches(sentences, 3, collate=pad),
            loss=losses,
            optimizer=torch.optim.AdamW(model.parameters(), lr=0.1),
            epochs=3,
            dev=Batches(sentences, size, shuffle=False, collate=pad),
            metric=lambda model, batch: batch["longest"] * 1.0,
        )
        results.append(history.dev_loss)
        assert history.dev_metric[0] == pytest.approx({1: 41 / 6, 4: (4 * 7 + 2 * 13) / 6}[size])
    with torch.no_grad():
        values = torch.cat([losses(model, pad([sentence])) for sentence in sentences])
    assert len(values) == 41 - 6
    assert math.exp(history.dev_loss[-1]) == pytest.approx(values.mean().exp().item(), rel=1e-5)
    assert results[0] == pytest.approx(results[1], rel=1e-5)  # however they are batched
    assert history.dev_loss[-1] < history.dev_loss[0]


def test_an_epoch_is_any_number_of_steps(tmp_path):
    """Pieces of an endless text: so many steps, looked at every so often, and resumed."""
    text = torch.arange(101) % 7

    def pieces(epoch):
        for _ in range(20):
            begin = torch.randint(90, (16, 1))
            yield text[begin + torch.arange(9)]

    def losses(model, words):
        return F.cross_entropy(model(words[:, :-1]).transpose(1, 2), words[:, 1:])

    def train(**options):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 7))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        options = {"loss": losses, "optimizer": optimizer, "dev": [text[None]], **options}
        return fit(model, pieces, epochs=3, **options), model.state_dict()

    expected = train()
    assert expected[0].steps == [20, 40, 60]
    assert expected[0].dev_loss[-1] < 0.1

    count = iter(range(33))

    def stop(model, words):
        if model.training and next(count, None) is None:
            raise Stop
        return losses(model, words)

    options = {"checkpoint": tmp_path / "run.pt", "checkpoint_every": 25, "resume": True}
    with pytest.raises(Stop):
        train(**{**options, "loss": stop})
    assert_same_run(train(**options), expected)


def test_a_part_of_the_parameters_is_trained(rng):
    train, _ = problem(rng)
    model = network()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    optimizer = torch.optim.SGD(model[-1].parameters(), lr=0.1)
    fit(model, Batches(train, 8), loss=cross_entropy, optimizer=optimizer, epochs=1, clip_norm=1.0)
    changed = [name for name, value in model.state_dict().items() if (value != before[name]).any()]
    assert changed == ["4.weight", "4.bias"]


def test_a_model_without_parameters_is_evaluated():
    batches = [torch.arange(3.0), torch.arange(5.0)]
    assert evaluate(nn.Identity(), batches, lambda model, batch: model(batch).mean()) == 13 / 8


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
        ({"train": [1, 2]}, r"train is called with the number of an epoch; give Batches\(...\)"),
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


def test_parameters_that_no_checkpoint_would_save_are_refused():
    model, other = network(), network()
    for strangers in (other.parameters(), [*model.parameters(), nn.Parameter(torch.ones(1))]):
        optimizer = torch.optim.SGD(strangers, lr=0.1)
        with pytest.raises(ValueError, match="parameters that are not the model's; make it for"):
            fit(model, lambda epoch: [], loss=cross_entropy, optimizer=optimizer, epochs=1)


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
    assert re.search(r"epoch 2 of 2, loss \d\.\d+", shown.err)
    assert "100%" in shown.err


def test_a_bar_without_a_length_knows_its_end_after_an_epoch(rng, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    train, dev = problem(rng)
    run(train, dev, epochs=2, batches=lambda epoch: Batches(train, 8)(epoch))
    assert "100%" in capfd.readouterr().err


def test_a_line_in_a_notebook_that_asks_for_it(rng, capfd, monkeypatch):
    monkeypatch.setattr("rich.console.Console.is_jupyter", True, raising=False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    run(*problem(rng), epochs=2)
    assert capfd.readouterr() == ("", "")
    run(*problem(rng), epochs=2, progress=True)
    assert re.search(r"step \d+ of \d+, epoch 2 of 2, loss \d\.\d+", capfd.readouterr().out)


@pytest.mark.parametrize("cut", ["half", "text", "other"])
def test_a_file_that_is_no_checkpoint_is_told(tmp_path, rng, cut):
    path = tmp_path / "run.pt"
    run(*problem(rng), epochs=1, checkpoint=path)
    if cut == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif cut == "text":
        path.write_text("no checkpoint")
    else:
        torch.save({"weights": torch.zeros(2)}, path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="cannot be read as a checkpoint of fit"):
        run(*problem(rng), epochs=2, checkpoint=path, resume=True)
    assert path.read_bytes() == before


# devices


@pytest.mark.cuda
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
    losses = expected[0].train_loss
    assert sum(losses[-5:]) < sum(losses[:5])  # an epoch's; that of one batch may rise
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
