"""Training: the loop that every later chapter uses.

A batch is a tensor, or a tuple, named tuple, list or dict of batches.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

Batch = Any


def clip_by_global_norm(
    gradients: Sequence[torch.Tensor], *, max_norm: float
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Shorten all gradients by one common factor where together they are too long.

    g ← g · min(1, max_norm / ‖g‖), with ‖g‖ the length of all gradients as one vector
    (Pascanu et al. 2013, algorithm 1).

    Args:
        gradients: float tensors of any shapes; not changed.
        max_norm: the length that is not exceeded, above 0.

    Returns:
        The gradients in their order and shapes, and ‖g‖ before clipping, ().
    """
    norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
    factor = (max_norm / norm).clamp(max=1.0)
    return [gradient * factor for gradient in gradients], norm


class Batches:
    """Minibatches of data in memory, shuffled anew each epoch; seed and epoch fix their order.

    Call it with the number of an epoch for its batches: ``for x, y in Batches((x, y), 32)(0)``.
    Iterating over the object itself gives the batches of epoch 0. ``len`` counts batches.
    """

    def __init__(
        self,
        data: Batch,
        size: int,
        *,
        seed: int = 0,
        shuffle: bool = True,
        collate: Callable[[list], Batch] | None = None,
    ) -> None:
        """Remember the data; nothing is copied.

        Args:
            data: tensors with one row per example (a tensor, or a tuple, named tuple, list or dict
                of them); batches have the same form. With ``collate``, any sequence of examples.
            size: examples per batch; the last batch of an epoch holds what is left.
            seed: of the shuffles.
            shuffle: False keeps the examples in order, as for development data.
            collate: makes a batch of a list of examples, say by padding them.

        Raises:
            ValueError: ``size`` is below 1, or the tensors differ in length or are empty.
        """
        lengths = {len(part) for part in ([data] if collate else _tensors(data))}
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        if len(lengths) != 1 or 0 in lengths:
            raise ValueError(
                "data must have one row per example, and at least one, in every tensor; "
                f"got lengths {sorted(lengths)}"
            )
        self.data, self.size, self.seed, self.shuffle = data, size, seed, shuffle
        self.collate, self.examples = collate, lengths.pop()

    def __call__(self, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch."""
        order = torch.arange(self.examples)
        if self.shuffle:
            generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
            order = torch.randperm(self.examples, generator=generator)
        for chosen in order.split(self.size):
            if self.collate:
                yield self.collate([self.data[index] for index in chosen.tolist()])
            else:
                yield _map(lambda part: part[chosen.to(part.device)], self.data)  # noqa: B023

    def __iter__(self) -> Iterator[Batch]:
        """The batches of epoch 0."""
        return self(0)

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return math.ceil(self.examples / self.size)


@dataclasses.dataclass
class History:
    """What `fit` saw, as lists of plain numbers.

    Attributes:
        train_loss: loss of the batch, before each step.
        learning_rate: of the first group of parameters, in each step.
        gradient_norm: length of the whole gradient before clipping, in each step; stays empty
            without ``clip_norm``.
        steps: how many steps had been made at the end of each epoch.
        dev_loss: at the end of each epoch.
        dev_metric: at the end of each epoch.
        best_epoch: the epoch (from 0) after which the development data liked the model best.
        stopped: ``"patience"`` or ``"diverged"`` where training ended before its last epoch.
    """

    train_loss: list[float] = dataclasses.field(default_factory=list)
    learning_rate: list[float] = dataclasses.field(default_factory=list)
    gradient_norm: list[float] = dataclasses.field(default_factory=list)
    steps: list[int] = dataclasses.field(default_factory=list)
    dev_loss: list[float] = dataclasses.field(default_factory=list)
    dev_metric: list[float] = dataclasses.field(default_factory=list)
    best_epoch: int | None = None
    stopped: str | None = None


def evaluate(
    model: nn.Module,
    batches: Iterable[Batch],
    measure: Callable[[nn.Module, Batch], torch.Tensor],
) -> float:
    """Average a loss or a metric over all batches, in evaluation mode and without gradients.

    Args:
        model: ends in the mode, training or evaluation, that it came in.
        batches: each is moved to the model's device.
        measure: gives one number per example (or token), or their mean. Means are weighted by
            the number of rows of the batch's first tensor.

    Returns:
        The mean over all examples (or tokens).

    Raises:
        ValueError: there are no batches.
    """
    device, was_training = _device(model), model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            batch = _map(lambda part: part.to(device), batch)
            values = torch.as_tensor(measure(model, batch))
            weight = values.numel() if values.dim() else len(next(_tensors(batch)))
            total += values.float().mean().item() * weight if weight else 0.0
            count += weight
    model.train(was_training)
    if not count:
        raise ValueError(
            "there are no batches to evaluate on; a generator is empty after its first use, so "
            "give a list or Batches"
        )
    return total / count


def fit(
    model: nn.Module,
    train: Callable[[int], Iterable[Batch]],
    *,
    loss: Callable[[nn.Module, Batch], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: Iterable[Batch] | None = None,
    metric: Callable[[nn.Module, Batch], torch.Tensor] | None = None,
    best_by: str = "loss",
    patience: int | None = None,
    schedule: Callable[[int], float] | None = None,
    clip_norm: float | None = None,
    mixed_precision: torch.dtype | None = None,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    checkpoint_every: int | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> History:
    """Train a model: any model, any batches, any loss.

    ::

        data = digits()
        model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
        history = fit(
            model,
            Batches(data.train, 32, seed=0),
            loss=lambda model, batch: F.cross_entropy(model(batch.features), batch.labels),
            optimizer=AdamW(model.parameters(), lr=1e-2),
            epochs=20,
            dev=[data.dev],
            metric=lambda model, batch: model(batch.features).argmax(dim=1) == batch.labels,
        )

    It runs where the model's parameters are; batches are moved there. The same arguments give the
    same model, to the bit, on the same machine: also when training was killed and resumed.
    Afterwards the model is in evaluation mode.

    Args:
        model: trained in place.
        train: gives the batches of an epoch when called with its number, from 0, the same ones
            each time: `Batches`, or a function of your own.
        loss: ``loss(model, batch)``: one number per example (or token), or their mean. The mean
            is minimized.
        optimizer: made for the parameters of ``model``; ours or one of `torch.optim`.
        epochs: how often to go through the training data.
        dev: development batches, looked at after each epoch (a list, or `Batches`).
        metric: ``metric(model, batch)``, as ``loss``; recorded for ``dev``.
        best_by: ``"loss"``: the best epoch has the lowest ``dev`` loss; ``"metric"``: the highest
            metric.
        patience: stop after so many epochs without a new best, and go back to the weights of the
            best epoch, also when the epochs ran out before.
        schedule: factor of the learning rate in each step, counted from 0.
        clip_norm: longest gradient, see `clip_by_global_norm`; ``math.inf`` only records it.
        mixed_precision: ``torch.bfloat16``, or ``torch.float16`` with scaled losses, for the
            forward pass on CUDA; elsewhere it does nothing.
        seed: of dropout and whatever else draws from torch's generators during training; the
            state of these before the call is restored after it.
        checkpoint: file to write to after each epoch. All that is needed to go on is in it.
        checkpoint_every: write also after every so many steps.
        resume: go on from ``checkpoint`` if that file exists, with otherwise the same arguments.
        progress: show a bar; by default on a terminal, but not in a notebook.

    Returns:
        What was seen on the way.

    Raises:
        ValueError: arguments that contradict each other, an epoch without batches, a checkpoint
            made with other settings.
        FileExistsError: ``checkpoint`` exists, and ``resume`` is not set.
    """
    _check(model, optimizer, epochs, dev, metric, best_by, patience, clip_norm)
    if checkpoint_every is not None and (checkpoint is None or checkpoint_every < 1):
        raise ValueError("checkpoint_every counts steps, from 1, and needs a checkpoint file")
    device = _device(model)
    on_cuda = device.type == "cuda" and mixed_precision is not None
    scaler = torch.amp.GradScaler(device.type, enabled=on_cuda and mixed_precision == torch.float16)
    settings = {"seed": seed, "clip_norm": clip_norm, "patience": patience, "best_by": best_by}
    base_rates = [group["lr"] for group in optimizer.param_groups]
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    history, best_weights, start, done = History(), None, 0, 0
    unread: dict[str, list[torch.Tensor]] = {"train_loss": [], "gradient_norm": []}

    def autocast() -> contextlib.AbstractContextManager:
        return torch.autocast("cuda", mixed_precision) if on_cuda else contextlib.nullcontext()

    def read() -> None:  # numbers stay on the device until needed: reading one waits for it
        for name, values in unread.items():
            getattr(history, name).extend(torch.stack(values).tolist() if values else [])
            values.clear()

    def save(epoch: int) -> None:
        read()
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scaler": scaler.state_dict(),
            "random": _random_state(device),
            "position": (epoch, done),  # `done` batches of this epoch are behind us
            "history": dataclasses.asdict(history),
            "best_weights": best_weights,
            "base_rates": base_rates,
            "settings": settings,
        }
        _write(Path(checkpoint), state)

    if checkpoint is not None and Path(checkpoint).exists() and not resume:
        raise FileExistsError(
            f"{checkpoint} exists: resume=True goes on from it; delete it to start anew"
        )
    before = _random_state(device)
    try:
        torch.manual_seed(seed)
        if checkpoint is not None and Path(checkpoint).exists():
            state = torch.load(checkpoint, map_location=device, weights_only=True)
            if state["settings"] != settings:
                raise ValueError(f"{checkpoint} was made with {state['settings']}, now {settings}")
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            scaler.load_state_dict(state["scaler"])
            _set_random_state(state["random"], device)
            history, (start, done) = History(**state["history"]), state["position"]
            best_weights, base_rates = state["best_weights"], state["base_rates"]
        with _bar(progress, epochs, train, len(history.train_loss)) as advance:
            for epoch in range(start, epochs if history.stopped is None else 0):
                model.train()
                for batch in itertools.islice(train(epoch), done, None):
                    step = len(history.train_loss) + len(unread["train_loss"])
                    with autocast():
                        batch = _map(lambda part: part.to(device), batch)
                        value = loss(model, batch).mean()
                    optimizer.zero_grad()
                    scaler.scale(value).backward()
                    scaler.unscale_(optimizer)
                    if clip_norm is not None:
                        held = [p for p in parameters if p.grad is not None]
                        clipped, norm = clip_by_global_norm(
                            [p.grad for p in held], max_norm=clip_norm
                        )
                        for parameter, gradient in zip(held, clipped, strict=True):
                            parameter.grad = gradient
                        unread["gradient_norm"].append(norm)
                    if schedule is not None:
                        for group, rate in zip(optimizer.param_groups, base_rates, strict=True):
                            group["lr"] = rate * schedule(step)
                    scaler.step(optimizer)
                    scaler.update()
                    unread["train_loss"].append(value.detach())
                    history.learning_rate.append(optimizer.param_groups[0]["lr"])
                    done += 1
                    advance(epoch)
                    if checkpoint_every is not None and (step + 1) % checkpoint_every == 0:
                        save(epoch)
                if not done:
                    raise ValueError(f"train({epoch}) gave no batches")
                read()
                history.steps.append(len(history.train_loss))
                if not math.isfinite(history.train_loss[-1]):
                    history.stopped = "diverged"
                if dev is not None:
                    with autocast():
                        history.dev_loss.append(evaluate(model, dev, loss))
                        if metric is not None:
                            history.dev_metric.append(evaluate(model, dev, metric))
                    if _is_best(history, best_by):
                        history.best_epoch = epoch
                        if patience is not None:
                            weights = model.state_dict().items()
                            best_weights = {name: value.clone() for name, value in weights}
                    best = -1 if history.best_epoch is None else history.best_epoch
                    if patience is not None and epoch - best >= patience:
                        history.stopped = history.stopped or "patience"
                done = 0
                if checkpoint is not None:
                    save(epoch + 1)
                if history.stopped is not None:
                    break
    finally:
        for group, rate in zip(optimizer.param_groups, base_rates, strict=True):
            group["lr"] = rate
        _set_random_state(before, device)
    if best_weights is not None:
        model.load_state_dict(best_weights)
    model.eval()
    return history


def _check(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: object,
    metric: object,
    best_by: str,
    patience: int | None,
    clip_norm: float | None,
) -> None:
    """Refuse arguments of `fit` that cannot be meant."""
    own = {id(p) for p in model.parameters()}
    if not own & {id(p) for group in optimizer.param_groups for p in group["params"]}:
        raise ValueError(
            "the optimizer holds none of the model's parameters; make it for this model: "
            "AdamW(model.parameters(), lr=...)"
        )
    if epochs < 0:
        raise ValueError(f"epochs must not be negative, got {epochs}")
    if best_by not in ("loss", "metric"):
        raise ValueError(f"best_by must be 'loss' or 'metric', got {best_by!r}")
    if dev is None and (metric is not None or patience is not None):
        raise ValueError("metric and patience look at development data; give dev as well")
    if best_by == "metric" and metric is None:
        raise ValueError("best_by='metric' needs a metric")
    if patience is not None and patience < 1:
        raise ValueError(f"patience counts epochs, from 1; got {patience}")
    if clip_norm is not None and not clip_norm > 0:
        raise ValueError(f"clip_norm must be above 0, got {clip_norm}")


def _is_best(history: History, best_by: str) -> bool:
    """Whether the last epoch is better than all before it; NaN never is."""
    values = history.dev_metric if best_by == "metric" else [-v for v in history.dev_loss]
    return all(values[-1] > v or math.isnan(v) for v in values[:-1]) and not math.isnan(values[-1])


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _tensors(batch: Batch) -> Iterator[torch.Tensor]:
    """All tensors of a batch, in order."""
    if isinstance(batch, torch.Tensor):
        yield batch
    elif isinstance(batch, dict | tuple | list):
        for part in batch.values() if isinstance(batch, dict) else batch:
            yield from _tensors(part)
    else:
        raise TypeError(
            f"a batch is a tensor, or a tuple, list or dict of them; got {type(batch).__name__}"
        )


def _map(change: Callable[[torch.Tensor], torch.Tensor], batch: Batch) -> Batch:
    """The same batch with every tensor changed; what is no tensor stays."""
    if isinstance(batch, torch.Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {name: _map(change, part) for name, part in batch.items()}
    if isinstance(batch, tuple | list):
        parts = [_map(change, part) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch


def _random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Where torch's generators stand: that of the processor, and that of the device."""
    state = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        state["device"] = torch.get_device_module(device).get_rng_state()
    return state


def _set_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    torch.set_rng_state(state["cpu"].cpu())
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(state["device"].cpu())


def _write(path: Path, state: dict) -> None:
    """Write a file in one piece: at any moment either the old one or the new one is there."""
    draft = path.with_name(f"{path.name}.tmp")
    with draft.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


@contextlib.contextmanager
def _bar(
    wanted: bool | None, epochs: int, train: object, done: int
) -> Iterator[Callable[[int], None]]:
    """A progress bar on the terminal, or nothing; yields what to call after each step."""
    if wanted is False:
        yield lambda epoch: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    silent = not console.is_terminal or (wanted is None and console.is_jupyter)
    total = epochs * len(train) if hasattr(train, "__len__") else None
    with Progress(console=console, disable=silent) as bar:
        task = bar.add_task("epoch", total=total, completed=done)
        yield lambda epoch: bar.update(
            task, advance=1, description=f"epoch {epoch + 1} of {epochs}"
        )
