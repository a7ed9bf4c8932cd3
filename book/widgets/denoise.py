"""The path of one point from noise to a sample, as the reader sets sampler and start."""

from __future__ import annotations

import html

import torch
from torch import Tensor

from book.svg import shade
from book.widgets.board import widget
from solutions.diffusion import (
    cosine_table,
    diffuse_mixture,
    flow_table,
    mixture_score,
    sample,
    tweedie,
)

SIDE, FAR = 420, 2.9  # units of the drawing; the end of both axes
START, STEPS = (0.5, 0.4), 10
COUNTS = [1, 2, 3, 5, 10, 20, 50]
ETAS = [0, 0.25, 0.5, 0.75, 1]

PAGE = """<svg class="course-plane" viewBox="0 0 {side} {side}" role="img" aria-label="{alt}">
<g class="course-clusters">{clusters}</g>
<path class="course-way" d="{path}"/><circle class="course-end" r="6" cx="{x:.1f}" cy="{y:.1f}"/>
</svg><p role="status">{says}</p>"""


def denoise(weights: Tensor, means: Tensor, variances: Tensor, alt: str) -> None:
    """Show how a sampler with the exact denoiser leads a start to a cluster.

    Args:
        weights: (K,) float, of the clusters.
        means: (K, 2) float, within `FAR` of the origin.
        variances: (K,) float, of each feature of a cluster.
        alt: what is to be seen.

    Raises:
        ValueError: a mean is outside the frame.
    """
    parts = [part.double().cpu() for part in (weights, means, variances)]
    if parts[1].abs().max() >= FAR:
        raise ValueError(f"denoise() draws from {-FAR} to {FAR}; a mean lies outside: {means}.")
    path = walk(*parts, START, STEPS)
    weights, means, variances = parts
    ends = [_place(point) for point in path.tolist()]
    clusters = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{shade(k)}"/>'
        f'<text x="{x:.1f}" y="{y - r - 13:.1f}">{w:.0%}</text>'
        for k, ((x, y), r, w) in enumerate(
            zip(
                map(_place, means.tolist()),
                (SIDE / FAR * variances.sqrt()).tolist(),  # two standard deviations
                weights.tolist(),
                strict=True,
            )
        )
    )
    page = PAGE.format(
        side=SIDE,
        alt=html.escape(alt),
        clusters=clusters,
        path="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in ends),
        x=ends[-1][0],
        y=ends[-1][1],
        says=_told(path, means, weights),
    )
    model = {
        "weights": [round(one, 6) for one in weights.tolist()],
        "means": [[round(part, 8) for part in mean] for mean in means.tolist()],
        "variances": [round(one, 8) for one in variances.tolist()],
        "axes": {"box": [0, SIDE, 0, SIDE], "x": [-FAR, FAR], "y": [-FAR, FAR]},
        "start": START,
        "counts": COUNTS,
        "etas": ETAS,
        "steps": STEPS,
    }
    label = 'role="group" aria-label="The path of a sampler"'
    widget("denoise", page, alt, model=model, attributes=label, parts=("player", "plane"))


def walk(
    weights: Tensor,
    means: Tensor,
    variances: Tensor,
    start: tuple[float, float],
    steps: int,
    *,
    straight: bool = False,
) -> Tensor:
    """The path without fresh noise, (steps + 1, 2) float64, on the cosine or straight table."""
    # float32 tables: at the noisy end the signal is 0 on both
    table = (flow_table if straight else cosine_table)(steps).double()
    seen = []

    def denoiser(level: Tensor):
        def clean(x: Tensor) -> Tensor:
            seen.append(x)
            if level[0] < 1e-6:
                return (weights @ means).expand_as(x)
            return tweedie(
                x, mixture_score(x, *diffuse_mixture(weights, means, variances, level)), level
            )

        return clean

    begin = torch.tensor([start], dtype=torch.float64)
    end = sample([denoiser(level) for level in table], begin, table)
    return torch.cat([*seen, end])


def _place(point: tuple[float, float]) -> tuple[float, float]:
    x, y = point
    return SIDE * (x + FAR) / (2 * FAR), SIDE * (FAR - y) / (2 * FAR)


def _told(path: Tensor, means: Tensor, weights: Tensor) -> str:
    begin, end = path[0], path[-1]
    nearest = int((means - end).norm(dim=1).argmin())
    long = path.diff(dim=0).norm(dim=1).sum() / (end - begin).norm()
    return (
        f"From ({begin[0]:.1f}, {begin[1]:.1f}) to ({end[0]:.2f}, {end[1]:.2f}), nearest to the "
        f"cluster of {weights[nearest]:.0%}. Calls of the denoiser: {len(path) - 1}. "
        f"The path is {long:.2f} times as long as a straight line."
    ).replace("-", "−")
