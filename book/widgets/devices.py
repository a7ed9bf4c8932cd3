"""A training run divided among devices: what each of them holds, and when its stages wait."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from book.widgets.board import widget
from solutions.distributed import (
    all_forward_all_backward,
    idle_share,
    memory_per_device,
    one_forward_one_backward,
    timetable,
)

PARTS = {"parameter_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 12}
NAMES = ("parameters", "gradients", "optimizer", "activations")
GIGA = 1e9
WIDTH, ROW, LEFT = 640, 24, 30  # of the timetable: all of it, a stage's row, the stages' numbers
LEGIBLE = 24  # units of time, up to which jobs have their numbers
CHOICES = {"stage": (0, 1, 2, 3), "tensor": (1, 2, 4, 8), "stages": (1, 2, 4, 8)}
MICROBATCHES = (1, 2, 4, 8, 16, 32, 64)
PAGE = """<p role="status">{says}</p>
<div class="course-stack" aria-hidden="true">{bars}<b style="--share:0.5">{limit} GB</b></div>
<table><caption>{chosen}</caption><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" fill="currentColor"
aria-label="A timetable with a row for each stage">{drawing}</svg>
<p class="course-legend"><span style="--own:var(--blue)">forward</span>
<span style="--own:var(--orange)">backward</span></p>
<p class="course-key">Each row is a stage; where it is empty, the stage waits.</p>"""


class Model(NamedTuple):
    """A Transformer in four numbers: its parameters, those of one layer, its layers, its width."""

    parameters: int
    layer: int
    layers: int
    width: int


class Plan(NamedTuple):
    """How a model and its batch are divided; a microbatch is one sequence."""

    devices: int = 1024
    stage: int = 1
    tensor: int = 8
    stages: int = 4
    microbatches: int = 8
    schedule: str = "GPipe"
    checkpoint: bool = False

    @property
    def copies(self) -> int:
        """Devices with equal parts of the model: they share its state as ZeRO does."""
        return self.devices // (self.tensor * self.stages)

    def orders(self) -> list[list[str]]:
        """The jobs of each stage."""
        if self.schedule == "GPipe":
            return [all_forward_all_backward(self.microbatches)] * self.stages
        return [
            one_forward_one_backward(stage, self.stages, self.microbatches)
            for stage in range(self.stages)
        ]


BEGIN = Plan()


def bytes_held(model: Model, plan: Plan, *, kept: tuple[float, float], tokens: int) -> list[float]:
    """Bytes of a device of the first stage: parameters, gradients, optimizer and activations.

    Args:
        model: what is trained.
        plan: how it is divided.
        kept: numbers that a layer keeps for the backward pass, per token and feature: on every
            device, and those that tensor parallelism divides.
        tokens: of a sequence.
    """
    own = model.parameters // (plan.tensor * plan.stages)
    parts = [
        memory_per_device(
            own, plan.copies, stage=plan.stage, **(dict.fromkeys(PARTS, 0) | {one: size})
        )
        for one, size in PARTS.items()
    ]
    if plan.stage == 3 and plan.copies > 1:
        parts[0] += PARTS["parameter_bytes"] * (model.layer // plan.tensor)  # gathered
    layer = tokens * model.width * (kept[0] + kept[1] / plan.tensor)
    activations = at_once(plan.orders()[0]) * (model.layers // plan.stages) * layer
    if plan.checkpoint:
        activations = activations / layer * tokens * model.width + layer
    return [*map(float, parts), 2 * activations]


def at_once(order: Iterable[str]) -> int:
    """The most microbatches whose activations a stage holds."""
    most = now = 0
    for job in order:
        now += 1 if job[0] == "F" else -1
        most = max(most, now)
    return most


def training_plan(
    models: Mapping[str, Model],
    alt: str,
    *,
    model: str,
    kept: tuple[float, float],
    tokens: int,
    capacity: float,
    devices: Sequence[int] = (64, 256, 1024),
    plan: Plan = BEGIN,
) -> None:
    """Show what a device holds of a training run, and the timetable of its pipeline.

    The reader chooses the model and the plan.

    Args:
        models: by name.
        alt: what is to be seen.
        model: the one at first.
        kept: see `bytes_held`.
        tokens: see `bytes_held`.
        capacity: bytes of a device.
        devices: how many there can be.
        plan: the one at first.

    Raises:
        ValueError: the model or the plan cannot be chosen, or a model does not divide evenly.
    """
    uneven = [
        name
        for name, one in models.items()
        if one.layers % CHOICES["stages"][-1] or one.width % CHOICES["tensor"][-1]
    ]
    chosen = all(getattr(plan, name) in values for name, values in CHOICES.items())
    if not chosen or uneven or model not in models or plan.devices not in devices:
        raise ValueError(
            f"training_plan() expects a model of {list(models)}, with layers and a width that 8 "
            f"divides (unlike {uneven}), and a plan of {devices} and {CHOICES}; got {model}, "
            f"{plan}."
        )
    sizes = bytes_held(models[model], plan, kept=kept, tokens=tokens)
    rows = timetable(plan.orders())
    page = PAGE.format(
        says=html.escape(_says(plan, sum(sizes), idle_share(rows), capacity)),
        bars="".join(
            f'<i style="--share:{_share(sizes, k, capacity):.4f}"></i>' for k in range(len(sizes))
        ),
        limit=f"{capacity / GIGA:g}",
        chosen=html.escape(_chosen(model, plan)),
        heads="".join(f'<th scope="col">{name}</th>' for name in (*NAMES, "sum, GB")),
        cells="".join(f"<td>{gigabytes(size)}</td>" for size in (*sizes, sum(sizes))),
        width=WIDTH,
        height=ROW * plan.stages,
        drawing=_drawing(rows),
    )
    data = {
        "models": models,
        "model": model,
        "kept": kept,
        "tokens": tokens,
        "capacity": capacity,
        "choices": {"devices": devices, **CHOICES},
        "microbatches": MICROBATCHES,
        "plan": plan._asdict(),
    }
    kind = 'role="group" aria-label="A training run divided among devices"'
    kind += " data-over" * (sum(sizes) > capacity) + " data-far" * (sum(sizes) > 2 * capacity)
    widget("devices", page, alt, model=data, attributes=kind, parts=("plane",))


def gigabytes(size: float) -> str:
    return f"{size / GIGA:,.1f}"


def _share(sizes: Sequence[float], part: int, capacity: float) -> float:
    """Of the bar, which ends at twice the capacity: what is beyond is cut off."""
    before, end = sum(sizes[:part]), sum(sizes[: part + 1])
    return (min(end, 2 * capacity) - min(before, 2 * capacity)) / (2 * capacity)


def _chosen(model: str, plan: Plan) -> str:
    """The plan in words, also for paper; `devices.js` writes the same."""
    one = plan.microbatches == 1
    return (
        f"{model} on {plan.devices:,} devices: tensor {plan.tensor}, pipeline {plan.stages} "
        f"({plan.schedule}, {plan.microbatches} microbatch{'' if one else 'es'}), "
        f"ZeRO {plan.stage}{', checkpointing' if plan.checkpoint else ''}"
    )


def _says(plan: Plan, size: float, idle: float, capacity: float) -> str:
    """The sentence at first; `devices.js` writes the same."""
    over = size - capacity
    fits = f"{gigabytes(over)} GB too much" if over > 0 else "which fits"
    copies = (
        f"{plan.copies:,} copies of the model read"
        if plan.copies > 1
        else "One copy of the model, so ZeRO has nothing to divide, reads"
    )
    return (
        f"{copies} {plan.copies * plan.microbatches:,} sequences per step. "
        f"A device of the first stage holds {gigabytes(size)} GB, {fits}. "
        f"Each stage waits for {100 * idle:.1f}% of the time."
    )


def _drawing(rows: Sequence[Sequence[str]]) -> str:
    """The timetable: forward and backward passes, with their numbers if there is room."""
    unit = (WIDTH - LEFT) / len(rows[0])
    gap = min(1.5, unit / 5)
    paths = {"F": "", "B": ""}
    texts = ""
    for stage, row in enumerate(rows):
        texts += f'<text x="{LEFT / 2 - 4:g}" y="{ROW * stage + 17}">{stage}</text>'
        for time, job in enumerate(row):
            if not job:
                continue
            x = LEFT + unit * time
            paths[job[0]] += (
                f"M{x:.1f} {ROW * stage + 1}H{x + unit - gap:.1f}V{ROW * stage + ROW - 1}H{x:.1f}Z"
            )
            if len(row) <= LEGIBLE:
                texts += (
                    f'<text class="course-job" x="{x + unit / 2 - gap / 2:.1f}" '
                    f'y="{ROW * stage + 17}">{job[1:]}</text>'
                )
    forward, backward = paths.values()
    return (
        f'<path class="course-forward" d="{forward}"/>'
        f'<path class="course-backward" d="{backward}"/>{texts}'
    )
