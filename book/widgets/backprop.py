"""One pass up and down through a small network, to be stepped through; it needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from book.widgets.board import widget

NAMES = {"value": "values, forward", "weight": "weights", "gradient": "gradients, backward"}
KINDS = {"value": "var(--blue)", "gradient": "var(--orange)", "weight": "currentColor"}


@dataclass(frozen=True)
class Form:
    """How the network stands: where its layers are, along it, and their units, across it."""

    name: str
    size: tuple[int, int]
    layers: tuple[int, int, int, int]  # x, a_1, o_1, a_2
    pair: tuple[int, int]  # two units of a layer
    triple: tuple[int, int, int]  # three of them
    down: bool  # whether it goes down the page

    @property
    def half(self) -> int:
        """Of a unit's box, along the network."""
        return 27 if self.down else 33

    def at(self, along: float, across: float) -> tuple[float, float]:
        return (across, along) if self.down else (along, across)


FORMS = (
    Form("wide", (640, 392), (50, 250, 330, 530), (150, 270), (90, 210, 330), False),
    Form("tall", (360, 700), (64, 252, 342, 552), (112, 262), (72, 187, 302), True),
)


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
    steps = range(1, 12)
    drawings = ""
    for form in FORMS:
        drawing = _edges(form, weights, moved, by_weight)
        drawing += _units(form, x, a, o, z, by_bias, by_o, delta)
        drawing += _ends(form, p, y, loss, after)
        drawings += (
            f'<svg viewBox="0 0 {form.size[0]} {form.size[1]}" role="img" aria-label="{alt}" '
            f'class="course-{form.name}" fill="currentColor">{drawing}</svg>'
        )
    radios = "".join(
        f'<input type="radio" autocomplete="off" name="backprop" id="backprop-{k}" '
        f'aria-label="Step {k} of 11"'
        f"{' checked' if k == 1 else ''}>"
        for k in steps
    )
    says = "".join(
        f'<p class="c{k}">{words} <span>{_go(k - 1, "‹ Back") if k > 1 else ""}'
        f"{_go(k % 11 + 1, 'Next ›' if k < 11 else 'Again')}</span></p>"
        for k, words in zip(steps, captions, strict=True)
    )
    widget(
        "backprop",
        f"<style>{_rules(steps)}</style>{radios}"
        f"<div>{drawings}</div>"
        f'<div class="course-words" aria-live="polite">{says}</div>',
        alt,
        attributes='role="group" aria-label="Backpropagation, step by step"',
    )


def _go(step: int, words: str) -> str:
    return f'<label for="backprop-{step}">{words}</label>'


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


def _edges(
    form: Form, weights: Sequence[Tensor], moved: Sequence[Tensor], by_weight: Sequence[Tensor]
) -> str:
    """The lines between units, with weights, their gradients and what the update makes of them."""
    drawing, half = "", form.half
    x, a, o, z = form.layers
    for layer, (start, end, lefts, rights, share, step) in enumerate(
        [
            (x + half, a - half, form.pair, form.triple, 0.70, 10),
            (o + half, z - half, form.triple, form.pair, 0.30, 7),
        ]
    ):
        for j, left in enumerate(lefts):
            for i, right in enumerate(rights):
                (x0, y0), (x1, y1) = form.at(start, left), form.at(end, right)
                drawing += _line(f"M{x0} {y0}L{x1} {y1}", 0.3)
                at, top = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
                old, new = weights[layer][i, j], moved[layer][i, j]
                drawing += _text(at, top - 3, f"{old:.2f}", "f1 u0", "weight", 12)
                drawing += _text(at, top - 3, f"{new:.2f}", "f11 a11", "weight", 12)
                slope = f"{by_weight[layer][i, j]:.2f}"
                drawing += _text(at, top + 11, slope, f"f{step} a{step}", "gradient", 12)
    return drawing


def _units(
    form: Form,
    x: Tensor,
    a: Tensor,
    o: Tensor,
    z: Tensor,
    by_bias: Sequence[Tensor],
    by_o: Tensor,
    delta: Tensor,
) -> str:
    """The units, and above or beside each layer its name: a subscript is always the layer."""
    drawing = ""
    named = zip(("x", "a₁", "o₁", "a₂"), form.layers, (1, 2, 3, 4), strict=True)
    for name, along, step in named:
        at, top = form.at(along, 22 if form.down else 26)
        drawing += _text(at, top + 5 * form.down, name, f"f{step} a{step}", "weight", 15)
    for i, across in enumerate(form.pair):
        drawing += _box(form.at(form.layers[0], across), x[0, i], 1)
        drawing += _box(form.at(form.layers[3], across), z[0, i], 4, delta[0, i], 6)
    for i, across in enumerate(form.triple):
        (x0, y0), (x1, y1) = (
            form.at(form.layers[1] + form.half, across),
            form.at(form.layers[2] - form.half, across),
        )
        drawing += _line(f"M{x0} {y0}L{x1} {y1}", 0.6)
        drawing += _box(form.at(form.layers[1], across), a[0, i], 2, by_bias[0][i], 9)
        drawing += _box(form.at(form.layers[2], across), o[0, i], 3, by_o[0, i], 8)
    return drawing


def _ends(form: Form, p: Tensor, y: Tensor, loss: float, after: float) -> str:
    """Draw what comes after the scores, and what the colors mean."""
    drawing = ""
    for i, across in enumerate(form.pair):
        at, top = form.at(form.layers[3] + (44 if form.down else 70), across)
        drawing += _text(at, top - 2, f"p = {p[0, i]:.2f}", "f5 a5", "value", 13)
        drawing += _text(at, top + 15, f"y = {int(y[0, i])}", "f1 a1", "weight", 13)
    at, top = form.at(form.layers[3] + (90 if form.down else 30), sum(form.pair) / 2)
    drawing += _text(at, top + 4, f"loss {loss:.2f}", "f5 a5 u0", "value", 15)
    drawing += _text(at, top + 4, f"next loss {after:.2f}", "f11 a11", "value", 15)
    width, height = form.size
    for share, (kind, words) in zip((0.2, 0.5, 0.8), NAMES.items(), strict=True):
        drawing += _text(share * width, height - 8, words, "f1", kind, 12)
    return drawing


def _text(at: float, top: float, words: str, steps: str, kind: str, size: int = 14) -> str:
    words = words.replace("-0.00", "0.00").replace("-", "−")
    return (
        f'<text x="{at:.0f}" y="{top:.0f}" text-anchor="middle" font-size="{size}" '
        f'fill="{KINDS[kind]}" stroke="var(--pst-color-background,#fff)" stroke-width="4" '
        f'paint-order="stroke" class="{steps}">{words}</text>'
    )


def _line(path: str, opacity: float) -> str:
    return f'<path d="{path}" stroke="currentColor" stroke-opacity="{opacity}"/>'


def _box(
    place: tuple[float, float],
    value: Tensor,
    first: int,
    slope: Tensor | None = None,
    second: int = 0,
) -> str:
    """A unit: its value from one step on, its gradient from another."""
    at, top = place
    drawing = (
        f'<rect x="{at - 33}" y="{top - 27}" width="66" height="54" rx="8" fill="none" '
        'stroke="currentColor" stroke-opacity=".35"/>'
    )
    drawing += _text(at, top - 5, f"{value:.2f}", f"f{first} a{first}", "value")
    if slope is not None:
        drawing += _text(at, top + 17, f"{slope:.2f}", f"f{second} a{second}", "gradient")
    return drawing
