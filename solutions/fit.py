"""The training loop of the course: any model, any batches, any loss.

`fit` trains, measures, clips, schedules, stops early, and writes checkpoints from which a run that
was killed goes on as if nothing had happened. `Batches` shuffles data in memory. The chapter on
training builds what the loop puts together.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel

from solutions.training import clip_by_global_norm, early_stopping

UNREADABLE = (OSError, RuntimeError, EOFError, pickle.UnpicklingError, KeyError, TypeError)

_State = dict[str, torch.Tensor]  # of random number generators

# A batch is a tensor, or a tuple, named tuple, list or dict of batches; its type is Any.


def map_tensors(batch: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """Apply a function to every tensor of a batch, and keep its form.

    Args:
        batch: a tensor, or a tuple, named tuple, list or dict of batches; what is something else
            stays as it is.
        change: what to do with a tensor: ``lambda part: part.to("cuda")``.

    Returns:
        A batch of the same form.
    """
    if isinstance(batch, torch.Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {name: map_tensors(part, change) for name, part in batch.items()}
    if isinstance(batch, tuple | list):
        parts = [map_tensors(part, change) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch


class Batches:
    """Minibatches of data in memory, shuffled anew each epoch; seed and epoch fix their order.

    Call it with the number of an epoch for its batches: ``for x, y in Batches((x, y), 32)(0)``.
    Iterating over the object itself gives the batches of epoch 0. ``len`` counts batches.
    """

    def __init__(
        self,
        data: Any,
        size: int,
        *,
        seed: int = 0,
        shuffle: bool = True,
        collate: Callable[[list], Any] | None = None,
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
        lengths = {len(data)} if collate else set()
        if not collate:
            map_tensors(data, lambda part: lengths.add(len(part)))
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        if len(lengths) != 1 or 0 in lengths:
            raise ValueError(
                "data must have one row per example, and at least one, in every tensor; "
                f"got lengths {sorted(lengths)}"
            )
        self.data, self.size, self.seed, self.shuffle = data, size, seed, shuffle
        self.collate, self.examples = collate, lengths.pop()

    def __call__(self, epoch: int) -> Iterator[Any]:
        """The batches of one epoch."""
        order = torch.arange(self.examples)
        if self.shuffle:
            generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
            order = torch.randperm(self.examples, generator=generator)
        for chosen in order.split(self.size):
            if self.collate:
                yield self.collate([self.data[index] for index in chosen.tolist()])
            else:
                yield map_tensors(self.data, lambda part: part[chosen.to(part.device)])  # noqa: B023

    def __iter__(self) -> Iterator[Any]:
        """The batches of epoch 0."""
        return self(0)

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return math.ceil(self.examples / self.size)


class Together(nn.ModuleList):
    """Models of one architecture that run as one: each operation is called once for all of them.

    With small models most of the time of a step goes into calling operations. Small dense layers
    and convolutions train together in about half of the time; models with attention gain nothing.
    The results are those of training one after the other. Each model keeps its own parameters, and
    may have its own learning rate; afterwards, use each alone::

        models = Together(make(seed) for seed in range(5))
        optimizer = AdamW(models.parameters(), lr=1e-2)
        logits = models(features)  # (models, examples, 64) becomes (models, examples, 10)

    Minimize the *sum* of the models' losses: then each gradient is what it is for the model alone.
    `stack_batches` makes batches for all models out of the batches for each. Each model draws its
    own dropout.
    """

    def __init__(self, models: Iterable[nn.Module] = ()) -> None:
        """Hold the models.

        Args:
            models: alike but for the numbers in their parameters; more can be appended.
        """
        super().__init__(models)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Run each model on its own inputs.

        Args:
            inputs: (models, ...) each: what the first model gets, the second, and so on.

        Returns:
            (models, ...), their outputs.
        """
        weights = _stacked([dict(model.named_parameters()) for model in self])
        buffers = [dict(model.named_buffers()) for model in self]
        moving = _stacked(buffers)

        def run(weights: dict, moving: dict, *inputs: torch.Tensor) -> torch.Tensor:
            return functional_call(self[0], (weights, moving), inputs)

        with sdpa_kernel(SDPBackend.MATH):  # vmap would call the other kernels once for each model
            outputs = vmap(run, randomness="different")(weights, moving, *inputs)
        if self.training:  # the running means of batch norm
            for place, own in enumerate(buffers):
                for name, buffer in own.items():
                    buffer.copy_(moving[name][place])
        return outputs


def stack_batches(
    sources: Sequence[Callable[[int], Iterable[Any]]],
) -> Callable[[int], Iterator[Any]]:
    """Give each model of `Together` its own batches.

    Args:
        sources: one for each model, each like ``train`` of `fit`; their batches have the same form
            and size.

    Returns:
        The same for all of them: its batches have the models in front, (models, examples, ...).

    Raises:
        ValueError: in an epoch one of them gives more batches than another.
    """

    def batches(epoch: int) -> Iterator[Any]:
        for parts in zip(*(source(epoch) for source in sources), strict=True):
            tensors: list[list[torch.Tensor]] = [[] for _ in parts]
            for part, own in zip(parts, tensors, strict=True):
                map_tensors(part, own.append)
            stacks = map(torch.stack, zip(*tensors, strict=True))
            yield map_tensors(parts[0], lambda _: next(stacks))  # noqa: B023

    return batches


def _stacked(states: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Stack the tensors of models, by name.

    Args:
        states: one for each model, all with the same names.

    Returns:
        For each name (models, ...).
    """
    return {name: torch.stack([state[name] for state in states]) for name in states[0]}


@dataclasses.dataclass
class History:
    """The measurements of `fit`, as lists of plain numbers.

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
    batches: Iterable[Any],
    measure: Callable[[nn.Module, Any], torch.Tensor],
) -> float:
    """Average a loss or a metric over all batches, in evaluation mode and without gradients.

    Args:
        model: ends in the mode, training or evaluation, that it came in.
        batches: each is moved to the model's device.
        measure: ``measure(model, batch)``: one number per example (or token), or their mean. A
            mean counts as often as the batch's first tensor has rows, which is not the number of
            its tokens; so where there is padding, return what is left: ``losses[is_token]``.

    Returns:
        The mean over all examples (or tokens).

    Raises:
        ValueError: there are no batches.
    """
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    was_training = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            rows: list[int] = []
            map_tensors(batch, lambda part: rows.extend(part.shape[:1]))  # noqa: B023
            batch = map_tensors(batch, lambda part: part.to(device))
            values = torch.as_tensor(measure(model, batch))
            weight = values.numel() if values.dim() else (rows or [1])[0]
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
    train: Callable[[int], Iterable[Any]],
    *,
    loss: Callable[[nn.Module, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: Iterable[Any] | None = None,
    metric: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    best_by: str = "loss",
    patience: int | None = None,
    schedule: Callable[[int], float] | None = None,
    clip_norm: float | None = None,
    mixed_precision: torch.dtype | None = None,
    seed: int = 0,
    checkpoint: str | os.PathLike | None = None,
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
    same model, to the bit, on the same machine: also when training was killed and resumed. (On
    CUDA some operations of torch add in any order; `torch.use_deterministic_algorithms` forbids
    that.) Afterwards the model is in evaluation mode.

    Args:
        model: trained in place.
        train: gives the batches of an epoch when called with its number, from 0: `Batches`, or a
            function of your own. An epoch is what it gives, say 200 random pieces of a text. It
            may draw from torch's own generators; else the number alone decides on the batches.
        loss: ``loss(model, batch)``: one number per example (or token), or their mean. The mean
            is minimized.
        optimizer: made for parameters of ``model``, all or some; ours or one of `torch.optim`.
        epochs: how many there are.
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
        checkpoint: path of a file to write to after each epoch; it holds all that is needed to go
            on.
        checkpoint_every: write also after every so many steps.
        resume: go on from ``checkpoint`` if that file exists, with otherwise the same arguments.
        progress: show how far it is: by default a bar on a terminal; True shows a line in a
            notebook, too.

    Returns:
        What was seen on the way.

    Raises:
        ValueError: arguments that contradict each other, an epoch without batches, a checkpoint
            made with other settings.
        FileExistsError: ``checkpoint`` exists, and ``resume`` is not set.
        OSError: a checkpoint cannot be written, say to a full disk; the last one is still there.
    """
    _check_settings(model, train, optimizer, epochs, dev, metric, best_by, patience, clip_norm)
    if checkpoint_every is not None and (checkpoint is None or checkpoint_every < 1):
        raise ValueError("checkpoint_every counts steps, from 1, and needs a checkpoint file")
    update = _Update(model, loss, optimizer, clip_norm, schedule, mixed_precision)
    run = _Run(model, update, checkpoint, checkpoint_every)
    run.settings = _plain(
        {"seed": seed, "clip_norm": clip_norm, "patience": patience, "best_by": best_by}
    )
    history = run.history
    with run.begun(seed, resume), _progress_bar(progress, epochs, train, run) as advance:
        for epoch in range(run.epoch, 0 if history.stopped else epochs):
            model.train()
            for batch in run.batches(train, epoch):
                run.note(*update(batch, run.step))
                advance(epoch)
            run.end_epoch()
            if dev is not None:
                with update.autocast():
                    history.dev_loss.append(evaluate(model, dev, loss))
                    if metric is not None:
                        history.dev_metric.append(evaluate(model, dev, metric))
                run.keep_best(best_by, patience)
            run.save_epoch(epoch + 1)
            if history.stopped:
                break
    if run.best_weights is not None:
        model.load_state_dict(run.best_weights)
    model.eval()
    return history


class _Update:
    """One step of training: forward, backward, clip, set the rate, change the parameters."""

    def __init__(
        self,
        model: nn.Module,
        loss: Callable[[nn.Module, Any], torch.Tensor],
        optimizer: torch.optim.Optimizer,
        clip_norm: float | None,
        schedule: Callable[[int], float] | None,
        mixed_precision: torch.dtype | None,
    ) -> None:
        """Remember what a step needs; the arguments are those of `fit`."""
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.clip_norm, self.schedule, self.precision = clip_norm, schedule, mixed_precision
        self.device = next(model.parameters()).device
        self.mixed = self.device.type == "cuda" and mixed_precision is not None
        scaled = self.mixed and mixed_precision == torch.float16
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=scaled)
        self.base_rates = [group["lr"] for group in optimizer.param_groups]

    def __call__(self, batch: Any, step: int) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Make step number ``step``; return its loss, and the gradient's norm if it is clipped."""
        with self.autocast():
            value = self.loss(self.model, self.moved(batch)).mean()
        self.optimizer.zero_grad()
        self.scaler.scale(value).backward()
        self.scaler.unscale_(self.optimizer)
        norm = None if self.clip_norm is None else self.clip(self.clip_norm)
        if self.schedule is not None:
            self.set_rates(float(self.schedule(step)))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return value.detach(), norm

    def autocast(self) -> contextlib.AbstractContextManager:
        """Mixed precision on CUDA; nothing elsewhere."""
        return torch.autocast("cuda", self.precision) if self.mixed else contextlib.nullcontext()

    def moved(self, batch: Any) -> Any:
        """A batch on the model's device."""
        return map_tensors(batch, lambda part: part.to(self.device))

    def clip(self, longest: float) -> torch.Tensor:
        """Shorten the gradient to at most ``longest``; return its norm, (), before that."""
        groups = self.optimizer.param_groups
        held = [p for group in groups for p in group["params"] if p.grad is not None]
        clipped, norm = clip_by_global_norm([p.grad for p in held], max_norm=longest)
        for parameter, gradient in zip(held, clipped, strict=True):
            parameter.grad = gradient
        return norm

    def set_rates(self, factor: float) -> None:
        """Set every learning rate to ``factor`` times what it was before training."""
        for group, rate in zip(self.optimizer.param_groups, self.base_rates, strict=True):
            group["lr"] = rate * factor


class _Run:
    """How far a training is: all that its checkpoint holds.

    Attributes:
        history: what was seen so far.
        best_weights: of the best epoch, where `fit` goes back to it.
        epoch: the one to continue with.
        done: batches of it that have been trained on.
        settings: arguments that a checkpoint must have been made with.
    """

    def __init__(
        self,
        model: nn.Module,
        update: _Update,
        path: str | os.PathLike | None,
        every: int | None,
    ) -> None:
        """Begin at step 0.

        Args:
            model: what is trained.
            update: makes its steps.
            path: of the checkpoint; None for none.
            every: write it after so many steps, besides after each epoch.
        """
        self.model, self.update, self.path, self.every = model, update, path, every
        self.history, self.epoch, self.done = History(), 0, 0
        self.best_weights: dict[str, torch.Tensor] | None = None
        self.settings: dict[str, Any] = {}
        # at an epoch's start; at the checkpoint
        self.random: tuple[_State, _State | None] = _random_state(update.device), None
        # losses and norms stay on the device until they are needed: reading one waits for it
        self.unread: dict[str, list[torch.Tensor]] = {"train_loss": [], "gradient_norm": []}

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return len(self.history.learning_rate)

    @property
    def last_loss(self) -> float:
        """That of the last step on the processor; elsewhere that of the last epoch, for reading a
        number of the device waits for it.
        """
        if self.unread["train_loss"] and self.update.device.type == "cpu":
            return self.unread["train_loss"][-1].item()
        return self.history.train_loss[-1] if self.history.train_loss else math.nan

    @contextlib.contextmanager
    def begun(self, seed: int, resume: bool) -> Iterator[None]:
        """Seed torch's generators and load the checkpoint, if there is one; put the generators and
        the learning rates back at the end, whatever happens.
        """
        there = self.path is not None and os.path.exists(self.path)
        if there and not resume:
            raise FileExistsError(
                f"{self.path} exists: resume=True goes on from it; delete it to start anew"
            )
        before = _random_state(self.update.device)
        try:
            torch.manual_seed(seed)
            if there:
                self.load()
            yield
        finally:
            self.update.set_rates(1.0)
            _set_random_state(before, self.update.device)

    def batches(self, train: Callable[[int], Iterable[Any]], epoch: int) -> Iterator[Any]:
        """The batches of an epoch; of one that was interrupted those that are left."""
        resumed = self.random[1]
        self.epoch, self.random = epoch, (_random_state(self.update.device), None)
        batches = iter(train(epoch))
        if self.done:  # make those behind us again, as their making may draw
            for _ in itertools.islice(batches, self.done):
                pass
            if resumed is not None:
                _set_random_state(resumed, self.update.device)
        yield from batches
        if not self.done:
            raise ValueError(f"train({epoch}) gave no batches")

    def note(self, loss: torch.Tensor, norm: torch.Tensor | None) -> None:
        """Keep what a step gave, and write the checkpoint when it is time."""
        self.unread["train_loss"].append(loss)
        if norm is not None:
            self.unread["gradient_norm"].append(norm)
        self.history.learning_rate.append(float(self.update.optimizer.param_groups[0]["lr"]))
        self.done += 1
        if self.every is not None and self.step % self.every == 0:
            self.save()

    def read(self) -> None:
        """Fetch losses and norms from the device."""
        for name, values in self.unread.items():
            getattr(self.history, name).extend(torch.stack(values).tolist() if values else [])
            values.clear()

    def end_epoch(self) -> None:
        """Note where the epoch ended, and whether its last loss is a number."""
        self.read()
        self.history.steps.append(self.step)
        if not math.isfinite(self.history.train_loss[-1]):
            self.history.stopped = "diverged"

    def keep_best(self, by: str, patience: int | None) -> None:
        """Keep the weights if this epoch is the best, and stop when patience has run out."""
        history = self.history
        values = history.dev_loss if by == "loss" else [-value for value in history.dev_metric]
        history.best_epoch, stop = early_stopping(values, patience=patience or len(values))
        if patience is None:
            return
        if history.best_epoch == self.epoch:
            weights = self.model.state_dict().items()
            self.best_weights = {name: value.clone() for name, value in weights}
        if stop:
            history.stopped = history.stopped or "patience"

    def save_epoch(self, following: int) -> None:
        """Write the checkpoint between two epochs."""
        self.epoch, self.done = following, 0
        if self.path is not None:
            self.save()

    def save(self) -> None:
        """Write the checkpoint.

        Its keys: ``model`` and ``optimizer`` are state dicts; ``scaler`` that of mixed precision;
        ``random`` the generators' states when the epoch began and now; ``position`` the epoch and
        the number of its batches that have been used; ``history``, ``best_weights``,
        ``base_rates`` and ``settings`` as here. All of it loads with ``weights_only=True``.
        """
        assert self.path is not None
        self.read()
        now = _random_state(self.update.device)
        state = {
            "model": self.model.state_dict(),
            "optimizer": _plain(self.update.optimizer.state_dict()),
            "scaler": self.update.scaler.state_dict(),
            "random": (self.random[0] if self.done else now, now),
            "position": (self.epoch, self.done),
            "history": dataclasses.asdict(self.history),
            "best_weights": self.best_weights,
            "base_rates": _plain(self.update.base_rates),
            "settings": self.settings,
        }
        _write_checkpoint(self.path, state)

    def load(self) -> None:
        """Go back to where the checkpoint was written.

        Raises:
            ValueError: the file is damaged or no checkpoint, or was made with other settings.
        """
        assert self.path is not None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
            made = state["settings"]
        except PermissionError:
            raise
        except UNREADABLE as error:
            raise ValueError(
                f"{self.path} cannot be read as a checkpoint of fit: it is damaged or another kind "
                "of file. Delete it to start anew."
            ) from error
        if made != self.settings:
            raise ValueError(f"{self.path} was made with {made}, now {self.settings}")
        self.model.load_state_dict(state["model"])
        self.update.optimizer.load_state_dict(state["optimizer"])
        self.update.scaler.load_state_dict(state["scaler"])
        _set_random_state(state["random"][0], self.update.device)
        self.random = state["random"]
        vars(self.history).update(state["history"])
        (self.epoch, self.done), self.best_weights = state["position"], state["best_weights"]
        self.update.base_rates = state["base_rates"]


def _check_settings(
    model: nn.Module,
    train: object,
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: object,
    metric: object,
    best_by: str,
    patience: int | None,
    clip_norm: float | None,
) -> None:
    """Refuse arguments of `fit` that cannot be meant.

    Args:
        model: as for `fit`, like all that follow.
        train: can be called.
        optimizer: holds nothing but parameters of the model.
        epochs: not negative.
        dev: needed by ``metric`` and ``patience``.
        metric: needed by ``best_by="metric"``.
        best_by: ``"loss"`` or ``"metric"``.
        patience: from 1, or None.
        clip_norm: above 0, or None.

    Raises:
        ValueError: one of them is not so.
    """
    own = {id(p) for p in model.parameters()}
    if not own >= {id(p) for group in optimizer.param_groups for p in group["params"]}:
        raise ValueError(
            "the optimizer holds parameters that are not the model's; make it for this model: "
            "AdamW(model.parameters(), lr=...)"
        )
    if not callable(train):
        raise ValueError(
            "train is called with the number of an epoch; give Batches(...), or a function: "
            "lambda epoch: batches"
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


def _random_state(device: torch.device) -> _State:
    """Note where torch's generators stand: that of the processor, and that of the device.

    Args:
        device: whose generator is noted as well.

    Returns:
        ``"cpu"`` and, for another device, ``"device"``: what `_set_random_state` takes.
    """
    state = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        state["device"] = torch.get_device_module(device).get_rng_state()
    return state


def _set_random_state(state: _State, device: torch.device) -> None:
    """Put torch's generators back to where they stood.

    Args:
        state: from `_random_state`.
        device: the same device.
    """
    torch.set_rng_state(state["cpu"].cpu())
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(state["device"].cpu())


def _write_checkpoint(path: str | os.PathLike, state: dict) -> None:
    """Write a file in one piece: at any moment either the old one or the new one is there.

    Args:
        path: of the file; folders that are missing on the way are made.
        state: tensors and plain values, nested in dicts, lists and tuples.

    Raises:
        OSError: it cannot be written.
    """
    draft = f"{path}.tmp"
    try:
        os.makedirs(os.path.dirname(draft) or ".", exist_ok=True)
        with open(draft, "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except (OSError, RuntimeError) as error:  # torch.save makes a RuntimeError of a full disk
        with contextlib.suppress(OSError):
            os.remove(draft)
        raise OSError(
            f"could not write the checkpoint {path} ({error}); the last one that could be written "
            "is untouched: make room on the disk, then go on from it with resume=True"
        ) from error


def _plain(value: Any) -> Any:
    """Make numbers of numpy's scalars, which a checkpoint could hold but not give back.

    Args:
        value: anything, nested in dicts, lists and tuples.

    Returns:
        The same, with plain numbers.
    """
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_plain(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value


@contextlib.contextmanager
def _progress_bar(wanted: bool | None, epochs: int, train: object, run: _Run) -> Iterator[Callable]:
    """Show a bar on a terminal, a line that is written over in a notebook, or nothing.

    Args:
        wanted: None for a bar on a terminal alone, True for a line in a notebook too; where there
            is neither, nothing is shown.
        epochs: of the whole training.
        train: its length, if it has one, is the number of steps per epoch.
        run: knows the steps made and the losses.

    Yields:
        What to call with the number of the epoch after each step.
    """
    if wanted is False:
        yield lambda epoch: None
        return
    from rich.console import Console
    from rich.progress import Progress

    def total() -> int | None:
        """Steps of the whole training; without a length, not known before an epoch has ended."""
        first = run.history.steps[:1]
        if hasattr(train, "__len__"):
            return epochs * len(train)
        return epochs * first[0] if first else None

    def told(epoch: int) -> str:
        return f"epoch {epoch + 1} of {epochs}, loss {run.last_loss:.3g}"

    console = Console(stderr=True)
    if wanted and console.is_jupyter:
        yield lambda epoch: print(f"step {run.step} of {total() or '?'}, {told(epoch)}", end="\r")
        print()
        return
    with Progress(console=console, disable=not console.is_terminal or console.is_jupyter) as bar:
        task = bar.add_task("epoch", total=total(), completed=run.step)
        yield lambda epoch: bar.update(task, total=total(), advance=1, description=told(epoch))
