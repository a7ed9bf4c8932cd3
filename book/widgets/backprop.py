"""One pass up and down through a small network, to be stepped through; it needs no script."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from book.widgets.board import widget

COLUMNS = {"x": [115, 255], "o": [65, 185, 305], "z": [115, 255]}  # heights of their units
KINDS = {"value": "var(--blue)", "gradient": "var(--orange)", "weight": "currentColor"}


def backprop_steps(
    captions: Sequence[str],
    alt: str,
    *,
    x: Tensor,
    a: Tensor,
    o: Tensor,
    z: Tensor,
    p: Tensor,
    y: Tensor,
    loss: float,
    weights: Sequence[Tensor],
    by_o: Tensor,
    delta: Tensor,
    by_weight: Sequence[Tensor],
    by_bias: Sequence[Tensor],
    moved: Sequence[Tensor],
    after: float,
) -> None:
    """Show a network of two inputs, three hidden units and two scores, one step at a time.

    Args:
        captions: HTML, one per step: the input; up to the hidden layer's sums and outputs, the
            scores and the loss; down to the gradients of the scores, the second weights, the
            hidden outputs, sums and the first weights; the update.
        alt: what is to be seen.
        x: (1, 2), the input.
        a: (1, 3), the hidden layer's sums.
        o: (1, 3), its outputs.
        z: (1, 2), the scores.
        p: (1, 2), their softmax.
        y: (1, 2), one-hot.
        loss: in nats.
        weights: (3, 2) and (2, 3).
        by_o: (1, 3), the gradient with respect to o.
        delta: (1, 2), with respect to z.
        by_weight: with respect to the weights.
        by_bias: (3,) and (2,), with respect to the biases, which are those of a and z too.
        moved: the weights after the update.
        after: the loss after it, in nats.

    Raises:
        ValueError: not one caption for each of the eleven steps.
    """
    if len(captions) != 11:
        raise ValueError(f"backprop_steps() expects 11 captions, one per step; got {len(captions)}")
    drawing = ""
    for layer, (left, right, start, end, along, step) in enumerate(
        [("x", "o", 83, 217, 0.72, 10), ("o", "z", 363, 487, 0.28, 7)]
    ):
        for j, begin in enumerate(COLUMNS[left]):
            for i, finish in enumerate(COLUMNS[right]):
                drawing += _line(f"M{start} {begin}L{end} {finish}", 0.3)
                at, top = start + along * (end - start), begin + along * (finish - begin)
                old, new = weights[layer][i, j], moved[layer][i, j]
                drawing += _text(at, top - 4, f"{old:.2f}", "f1 u0", "weight", 11)
                drawing += _text(at, top - 4, f"{new:.2f}", "f11 a11", "weight", 11)
                slope = f"{by_weight[layer][i, j]:.2f}"
                drawing += _text(at, top + 10, slope, f"f{step} a{step}", "gradient", 11)
    for i, top in enumerate(COLUMNS["x"]):
        drawing += _box(50, top, f"x{'₁₂'[i]}", x[0, i], 1)
    for i, top in enumerate(COLUMNS["o"]):
        drawing += _line(f"M283 {top}H297", 0.6)
        drawing += _box(250, top, "a₁", a[0, i], 2, by_bias[0][i], 9)
        drawing += _box(330, top, "o₁", o[0, i], 3, by_o[0, i], 8)
    for i, top in enumerate(COLUMNS["z"]):
        drawing += _box(520, top, "a₂", z[0, i], 4, delta[0, i], 6)
        drawing += _text(590, top - 2, f"p = {p[0, i]:.2f}", "f5 a5", "value", 12)
        drawing += _text(590, top + 14, f"y = {int(y[0, i])}", "f1 a1", "weight", 12)
    drawing += _text(565, 189, f"loss {loss:.2f}", "f5 a5 u0", "value", 14)
    drawing += _text(565, 189, f"next loss {after:.2f}", "f11 a11", "value", 14)
    steps = range(1, 12)
    radios = "".join(
        f'<input type="radio" name="backprop" id="backprop-{k}" aria-label="Step {k} of 11"'
        f"{' checked' if k == 1 else ''}>"
        for k in steps
    )
    says = "".join(
        f'<p class="c{k}">{words} <label for="backprop-{k % 11 + 1}">'
        f"{'Next ›' if k < 11 else 'Again'}</label></p>"
        for k, words in zip(steps, captions, strict=True)
    )
    widget(
        "backprop",
        f"<style>{_rules(steps)}</style>{radios}"
        f'<div class="course-scroll" tabindex="0"><svg viewBox="0 0 630 345" role="img" '
        f'aria-label="{alt}" fill="currentColor">{drawing}</svg></div>'
        f'<div class="course-words" aria-live="polite">{says}</div>',
        alt,
        attributes='role="group" aria-label="Backpropagation, step by step"',
    )


def _rules(steps: range) -> str:
    """A step hides what comes later (f), stresses its own (a), and has its sentence (c).

    The update takes what it replaces (u) away.
    """
    rules = ""
    for step in steps:
        on = f".course-backprop input:nth-of-type({step}):checked~div"
        later = ",".join(f"{on} .f{k}" for k in steps if k > step)
        rules += f"{later}{{visibility:hidden}}" if later else ""
        rules += f"{on} .a{step}:not(.a1){{font-weight:700}}{on} .c{step}{{display:block}}"
    return f"{rules}{on} .u0{{display:none}}"


def _text(at: float, top: float, words: str, steps: str, kind: str, size: int = 13) -> str:
    words = words.replace("-0.00", "0.00").replace("-", "−")
    return (
        f'<text x="{at:.0f}" y="{top:.0f}" text-anchor="middle" font-size="{size}" '
        f'fill="{KINDS[kind]}" stroke="var(--pst-color-background,#fff)" stroke-width="4" '
        f'paint-order="stroke" class="{steps}">{words}</text>'
    )


def _line(path: str, opacity: float) -> str:
    return f'<path d="{path}" stroke="currentColor" stroke-opacity="{opacity}"/>'


def _box(
    at: float,
    top: float,
    name: str,
    value: Tensor,
    first: int,
    slope: Tensor | None = None,
    second: int = 0,
) -> str:
    """A unit: its value from one step on, its gradient from another."""
    drawing = (
        f'<rect x="{at - 33}" y="{top - 27}" width="66" height="54" rx="8" fill="none" '
        'stroke="currentColor" stroke-opacity=".35"/>'
    )
    drawing += _text(at, top - 33, name, "f1 a1", "weight", 11)
    drawing += _text(at, top - 5, f"{value:.2f}", f"f{first} a{first}", "value")
    if slope is not None:
        drawing += _text(at, top + 17, f"{slope:.2f}", f"f{second} a{second}", "gradient")
    return drawing
