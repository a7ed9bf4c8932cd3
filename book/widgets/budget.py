"""A budget of computation shared between parameters and tokens, on fitted surfaces of the loss."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from book.widgets.board import widget

WIDTH, HEIGHT = 330, 290
BOX = (46, 322, 10, 240)  # left, right, top and bottom of the axes
SIZES, TOKENS, LOSSES = (2.5, 6.5), (4.5, 8.5), (1.6, 3.2)  # ends of the axes; logarithms of counts
BUDGETS = [float(f"{part}e{power}") for power in range(10, 13) for part in (1, 2, 5)] + [1e13]
LEVELS = (1.6, 1.8, 2.0, 2.2, 2.5)
STEPS = 80  # of the curves
PAGE = """<p role="status">{says}</p>
<div class="course-both"><svg class="course-plane" viewBox="0 0 {width} {height}" role="img"
aria-label="{alt}" fill="currentColor">{plane}</svg>
<svg class="course-plane" viewBox="0 0 {width} {height}" role="img" aria-label="The loss over the
number of parameters, for this budget" fill="currentColor">{curve}</svg></div>"""


class Surface(NamedTuple):
    """The coefficients of E + a N⁻ᵅ + b D⁻ᵝ."""

    e: float
    a: float
    alpha: float
    b: float
    beta: float


def budget_plane(
    surfaces: Mapping[str, Surface],
    runs: Sequence[tuple[float, float, float]],
    alt: str,
    *,
    later: Sequence[tuple[float, float, float]] = (),
    budget: float = 1e11,
    size: float = 1e5,
) -> None:
    """Show how the predicted loss changes with the size of the model, for a budget of 6 N D.

    The reader sets the budget and the size, and chooses among the surfaces.

    Args:
        surfaces: by name; the first is shown.
        runs: parameters, tokens and loss of each run to which the surfaces were fitted.
        alt: what is to be seen.
        later: further runs, which the surfaces have not seen.
        budget: of multiplications and additions, one of `BUDGETS`.
        size: parameters at first.

    Raises:
        ValueError: there is no surface, the budget is none of `BUDGETS`, or a run lies outside of
            the axes.
    """
    if not surfaces or budget not in BUDGETS:
        raise ValueError(f"budget_plane() expects surfaces, and a budget of {BUDGETS}.")
    for run in (*runs, *later):
        if not (
            SIZES[0] < math.log10(run[0]) < SIZES[1] and TOKENS[0] < math.log10(run[1]) < TOKENS[1]
        ):
            raise ValueError(f"budget_plane() draws from 10^{SIZES} and 10^{TOKENS}; got {run}.")
    surface = Surface(*next(iter(surfaces.values())))
    share = [(10**one, budget / 6 / 10**one) for one in _spaced(SIZES)]
    best = [best_of(surface, one) for one in BUDGETS]
    plane = [
        _axes(SIZES, TOKENS, "parameters N", "tokens D"),
        _measured(runs),
        *(_path("ring", _level(surface, level), _apart) for level in LEVELS),
        _path("best", best, _apart),
        _path("now", share, _apart),
        *(_mark("run", run, _apart) for run in runs),
        *(_mark("later", run, _apart) for run in later),
        _mark("dot", (size, budget / 6 / size), _apart),
    ]
    curve = [
        _axes(SIZES, LOSSES, "parameters N", "loss"),
        _path("now", [(n, _loss(surface, n, d)) for n, d in share], _high),
        _mark("dot", (size, _loss(surface, size, budget / 6 / size)), _high),
    ]
    page = PAGE.format(
        says=html.escape(_says(surface, runs, budget, size)),
        width=WIDTH,
        height=HEIGHT,
        alt=html.escape(alt),
        plane="".join(plane),
        curve="".join(curve),
    )
    model = {
        "surfaces": {
            name: [float(f"{part:.8g}") for part in one] for name, one in surfaces.items()
        },
        "runs": [list(run) for run in runs],
        "later": [list(run) for run in later],
        "budgets": BUDGETS,
        "budget": budget,
        "size": size,
        "levels": LEVELS,
        "plane": {"box": BOX, "x": SIZES, "y": TOKENS},
        "curve": {"box": BOX, "x": SIZES, "y": LOSSES},
    }
    kind = 'role="group" aria-label="A budget shared between parameters and tokens"'
    widget("budget", page, alt, model=model, attributes=kind, parts=("plane",))


def best_of(surface: Surface, budget: float) -> tuple[float, float]:
    """Parameters and tokens whose loss is least among those of this budget."""
    _, a, alpha, b, beta = surface
    size = (alpha * a / (beta * b) * (budget / 6) ** beta) ** (1 / (alpha + beta))
    return size, budget / 6 / size


def _loss(surface: Surface, size: float, tokens: float) -> float:
    return surface.e + surface.a * size**-surface.alpha + surface.b * tokens**-surface.beta


def _says(
    surface: Surface, runs: Sequence[tuple[float, float, float]], budget: float, size: float
) -> str:
    """The sentence at first; `budget.js` writes the same."""
    best = best_of(surface, budget)
    loss = _loss(surface, size, budget / 6 / size)
    seen = all(
        min(run[k] for run in runs) <= best[k] <= max(run[k] for run in runs) for k in (0, 1)
    )
    return (
        f"{_count(size)} parameters read {_count(budget / 6 / size)} tokens: a loss of {loss:.2f}, "
        f"{loss - _loss(surface, *best):.2f} above the least of this budget, which takes "
        f"{_count(best[0])} parameters and {_count(best[1])} tokens: "
        f"{'among' if seen else 'outside'} the runs."
    )


def _count(number: float) -> str:
    unit, name = (1e3, "thousand") if number < 999_500 else (1e6, "million")
    return f"{number / unit:#.3g}".rstrip(".") + f" {name}"


def _spaced(ends: tuple[float, float]) -> list[float]:
    return [ends[0] + (ends[1] - ends[0]) * k / STEPS for k in range(STEPS + 1)]


def _level(surface: Surface, level: float) -> list[tuple[float, float]]:
    """Where the surface has this height."""
    found = []
    for one in _spaced(SIZES):
        left = level - surface.e - surface.a * (10**one) ** -surface.alpha
        if left > 0:
            found.append((10**one, (surface.b / left) ** (1 / surface.beta)))
    return found


def _place(point: tuple[float, float], y: tuple[float, float]) -> tuple[float, float]:
    left, right, top, bottom = BOX
    across = left + (right - left) * (point[0] - SIZES[0]) / (SIZES[1] - SIZES[0])
    up = bottom - (bottom - top) * (point[1] - y[0]) / (y[1] - y[0])
    return across, up


def _apart(point: Sequence[float]) -> tuple[float, float]:
    """In the plane of parameters and tokens."""
    return _place((math.log10(point[0]), math.log10(point[1])), TOKENS)


def _high(point: Sequence[float]) -> tuple[float, float]:
    """Over parameters, at the height of the loss."""
    return _place((math.log10(point[0]), point[1]), LOSSES)


def _path(name: str, points: Sequence[tuple[float, float]], at) -> str:
    """A line, of which only what lies within the axes is drawn."""
    inside = [(x, y) for x, y in map(at, points) if BOX[2] <= y <= BOX[3]]
    drawing = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in inside) if inside else ""
    return f'<path class="course-{name}" d="{drawing}"/>'


def _mark(name: str, point: Sequence[float], at) -> str:
    x, y = at(point)
    return (
        f'<circle class="course-{name}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if name == "dot" else 3}"/>'
    )


def _measured(runs: Sequence[tuple[float, float, float]]) -> str:
    """A rectangle around the runs."""
    left, bottom = _apart([min(run[k] for run in runs) for k in (0, 1)])
    right, top = _apart([max(run[k] for run in runs) for k in (0, 1)])
    return (
        f'<rect x="{left - 6:.1f}" y="{top - 6:.1f}" width="{right - left + 12:.1f}" '
        f'height="{bottom - top + 12:.1f}"/>'
    )


def _axes(x: tuple[float, float], y: tuple[float, float], below: str, beside: str) -> str:
    """Axes with their marks: powers of ten below, and beside for tokens."""
    left, right, top, bottom = BOX
    drawing = f'<path class="course-axes" d="M{left} {top}V{bottom}H{right}"/>'
    for tick in range(math.ceil(x[0]), math.floor(x[1]) + 1):
        across, _ = _place((tick, y[0]), y)
        drawing += f'<path class="course-grid" d="M{across:.1f} {top}V{bottom}"/>'
        drawing += f'<text x="{across:.1f}" y="{bottom + 18}">10{_raised(tick)}</text>'
    whole = range(math.ceil(y[0]), math.floor(y[1]) + 1)
    ticks = list(whole) if y == TOKENS else [2.0, 2.5, 3.0]
    for tick in ticks:
        _, up = _place((x[0], tick), y)
        name = f"10{_raised(int(tick))}" if y == TOKENS else f"{tick:.1f}"
        drawing += f'<path class="course-grid" d="M{left} {up:.1f}H{right}"/>'
        drawing += f'<text class="course-beside" x="{left - 6}" y="{up + 5:.1f}">{name}</text>'
    middle = (left + right) / 2
    drawing += f'<text x="{middle}" y="{HEIGHT - 8}">{below}</text>'
    return drawing + f'<text class="course-name" x="{left + 6}" y="{top + 12}">{beside}</text>'


def _raised(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
