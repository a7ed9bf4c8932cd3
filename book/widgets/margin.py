"""The plane of DPO's loss: how much likelier both answers have become, and where training went."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from book.widgets.board import widget
from book.widgets.sketch import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, frame, place

PAGE = """<p role="status">{says}</p>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="{alt}"
fill="currentColor">{axes}<g class="course-runs">{runs}</g></svg>"""
LABELS = "chosen: ln π − ln π₀ (nats)", "rejected: ln π − ln π₀"


def margin_plane(
    runs: Mapping[str, tuple[float, Sequence[tuple[float, float]]]],
    every: int,
    alt: str,
) -> None:
    """Show the loss in the plane of both log-probabilities, with the paths of training in it.

    Args:
        runs: by name, β and the path: what the log-probabilities of chosen and of rejected answers
            have gained, in nats, from (0, 0) on.
        every: steps between two points of a path.
        alt: what is to be seen.

    Raises:
        ValueError: a path does not begin at (0, 0), or they differ in length.
    """
    paths = [path for _, path in runs.values()]
    if len({len(path) for path in paths}) != 1 or any(
        max(map(abs, path[0])) > 1e-3 for path in paths
    ):
        raise ValueError("margin_plane() expects paths of the same length that begin at (0, 0).")
    x, y = (
        (math.floor(min(values) - 0.5), math.ceil(max(values) + 0.5))
        for values in zip(*(point for path in paths for point in path), strict=True)
    )
    drawing = "".join(
        f'<path class="course-run-{k}" d="{_line(path, x, y)}"/>' for k, path in enumerate(paths)
    )
    beta = next(iter(runs.values()))[0]
    page = PAGE.format(
        says=f"Chosen +0.0, rejected +0.0: the margin is 0.0 nats, and with β = {beta:g} the loss "
        f"{math.log(2):.3f}. The weight of the gradient is 0.50.",
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        axes=frame(x, y, *LABELS),
        runs=drawing,
    )
    model = {
        "runs": [
            {"name": name, "beta": beta, "path": [[round(v, 3) for v in point] for point in path]}
            for name, (beta, path) in runs.items()
        ],
        "every": every,
        "axes": {"box": [LEFT, RIGHT, TOP, BOTTOM], "x": x, "y": y},
    }
    label = 'role="group" aria-label="The loss of DPO"'
    widget("margin", page, alt, model=model, attributes=label, parts=("player", "plane"))


def _line(
    path: Sequence[tuple[float, float]], x: tuple[float, float], y: tuple[float, float]
) -> str:
    places = (place((a, b), x, y) for a, b in path)
    return "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up in places)
