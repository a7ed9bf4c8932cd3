"""The best policy for a reward and a price: the reference, reweighted, as the reader sets both."""

from __future__ import annotations

import html
from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget
from book.widgets.sketch import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, frame

BETAS = [2 ** (3 - k / 2) for k in range(17)]  # from 8 to 1/32, two steps for each halving
FAR = 2.5  # nats: the end of the axis

PAGE = """<p role="status">{says}</p>
<div class="course-scroll"><table><thead><tr>
<th scope="col">answer</th><th scope="col">reward r</th>
<th scope="col">reference π₀</th><th scope="col">optimum π*</th><th scope="col">β ln π*/π₀</th>
</tr></thead><tbody>{rows}</tbody></table></div>"""


def tilt(
    answers: Sequence[str], reference: Tensor, rewards: Tensor, alt: str, *, beta: float
) -> None:
    """Show the optimum of reward less β times the divergence, and what it collects at which cost.

    Args:
        answers: to one prompt, with their names.
        reference: π₀, (answers,) float, which sums to 1.
        rewards: (answers,) float, from 0 to 1 in quarters, to begin with.
        alt: what is to be seen.
        beta: one of `BETAS`, to begin with.

    Raises:
        ValueError: not one probability and one reward for each answer, or another β.
    """
    if not len(answers) == len(reference) == len(rewards) or beta not in BETAS:
        raise ValueError(
            f"tilt() expects a probability and a reward for each answer and a β among {BETAS}; "
            f"got {len(answers)} answers, {len(reference)}, {len(rewards)} and {beta}."
        )
    reference, rewards = reference.double().cpu(), rewards.double().cpu()
    best = (reference.log() + rewards / beta).softmax(dim=0)
    implicit = beta * (best / reference).log()
    rows = ""
    for answer, *numbers in zip(
        answers, *(column.tolist() for column in (rewards, reference, best, implicit)), strict=True
    ):
        reward, before, after, own = numbers
        rows += (
            f'<tr><th scope="row"><code>{html.escape(answer)}</code></th><td>{reward:.2f}</td>'
            f"{_bar(before)}{_bar(after)}<td>{f'{own:.2f}'.replace('-', '−')}</td></tr>"
        )
    nats = (best * (best / reference).log()).sum().item()
    collected = (best * rewards).sum().item()
    ahead = (rewards[0] - rewards[1]).sigmoid().item()
    says = (
        f"β = {beta:.2g}: the optimum collects a reward of {collected:.2f}, {nats:.2f} nats from "
        f"the reference; less the price, {collected - beta * nats:.2f}. {answers[0]} is preferred "
        f"to {answers[1]} with a probability of {ahead:.2f}."
    ).replace("-", "−")
    model = {
        "answers": list(answers),
        "reference": [round(p, 6) for p in reference.tolist()],
        "rewards": rewards.tolist(),
        "betas": BETAS,
        "at": BETAS.index(beta),
        "axes": {"box": [LEFT, RIGHT, TOP, BOTTOM], "x": [0, FAR], "y": [0, 1]},
        "frame": frame((0, FAR), (0, 1), "KL from the reference (nats)", "expected reward"),
        "size": [WIDTH, HEIGHT],
        "alt": alt,
    }
    label = f'role="group" aria-label="{html.escape(alt)}"'
    page = PAGE.format(says=html.escape(says), rows=rows)
    widget("tilt", page, alt, model=model, attributes=label, parts=("player", "plane"))


def _bar(share: float) -> str:
    return f'<td class="course-share" style="--share:{share:.4f}">{share:.3f}</td>'
