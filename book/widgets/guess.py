"""A text that several models read: what each expected at every character, and what that cost."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from book.svg import shade
from book.widgets.board import widget

TOP = 5  # characters that are shown of what a model expected
DEEPEST = 5.0  # bits between two models from which the shade grows no deeper
BEFORE = 24  # characters that are shown again of what stood before
SHOWN = {" ": "␣", "\n": "⏎"}

PAGE = """<div class="course-tools"></div>
<p class="course-key">{key}</p>
<p class="course-read">{text}</p>
<div class="course-steps" hidden><label for="guess-at">character</label>
<input id="guess-at" type="range" min="1" max="{count}" value="{at}"></div>
<p class="course-before">{before}</p>
<div class="course-panels">{panels}</div>
<p role="status">{says}</p>"""


def guess_board(
    alphabet: Sequence[str],
    came: Tensor,
    expected: Mapping[str, Tensor],
    colors: Mapping[str, str],
    alt: str,
    *,
    first: str,
    second: str,
    before: str = "",
) -> None:
    """Show a text, shaded by who guessed each character better, and what each model expected there.

    The reader chooses one model or two, and a character. At first it is the one that the first
    model guessed better than the second by most.

    Args:
        alphabet: the symbols.
        came: (T,) int64, the text.
        expected: by name of a model its log-probabilities, (T, symbols), each before it read the
            character.
        colors: by name of a model what it stands for, of `book.figures.COLOR`.
        alt: what is to be seen.
        first: the model to begin with.
        second: the other; without JavaScript there are only these two.
        before: what stands before the text.

    Raises:
        ValueError: ``alt`` is empty, a model to begin with is not among them, or log-probabilities
            have another shape.
    """
    if not alt.strip():
        raise ValueError("guess_board() got an empty alt text; say what is to be seen.")
    if {first, second} - {*expected} or first == second:
        raise ValueError(f"guess_board() begins with {first!r} and {second!r}; of {[*expected]}.")
    for name, log_p in expected.items():
        if log_p.shape != (len(came), len(alphabet)):
            raise ValueError(
                f"guess_board() got log-probabilities of shape {tuple(log_p.shape)} from {name}, "
                f"for {len(came)} characters of {len(alphabet)} symbols."
            )
    text = "".join(alphabet[token] for token in came.tolist())
    models = [
        {"name": name, "color": shade(colors[name]), **_guesses(log_p, came, alphabet)}
        for name, log_p in expected.items()
    ]
    one, two = (next(m for m in models if m["name"] == name) for name in (first, second))
    ahead = [b - a for a, b in zip(one["bits"], two["bits"], strict=True)]  # hundredths of bits
    at = ahead.index(max(ahead))
    begin = [models.index(one), models.index(two), at]
    page = PAGE.format(
        key="".join(
            f'<span><i data-side="{side}"></i>{html.escape(model["name"])} predicted it better'
            "</span>"
            for side, model in enumerate((one, two))
        ),
        text="".join(
            f'<span style="--w:{min(abs(bits) / 100 / DEEPEST, 1):.2f}" data-side="{+(bits < 0)}"'
            f"{' data-here' * (place == at)}>{_printed(symbol)}</span>"
            for place, (symbol, bits) in enumerate(zip(text, ahead, strict=True))
        ),
        count=len(text),
        at=at + 1,
        before=html.escape(_short(before + text[:at])) + "<b>?</b>",
        panels="".join(_panel(model, text[at], at, model in (one, two)) for model in models),
        says=html.escape(_says(one, two, ahead, before + text[:at], text[at], at)),
    )
    widget(
        "guess",
        page,
        alt,
        model={"text": text, "before": before, "models": models, "begin": begin},
        attributes=f'role="group" aria-label="{html.escape(alt)}" '
        f'style="--one:{one["color"]};--two:{two["color"]}"',
    )


def _guesses(log_p: Tensor, came: Tensor, alphabet: Sequence[str]) -> dict[str, object]:
    """Data of one model that the script needs, in few bytes."""
    log_p = log_p.detach().double().cpu()
    cost = -log_p.gather(1, came.cpu()[:, None])[:, 0] / math.log(2)  # (T,) bits
    best = log_p.topk(TOP, dim=1)
    return {
        "bits": [round(100 * bits) for bits in cost.tolist()],  # in hundredths
        "tops": "".join(alphabet[token] for token in best.indices.flatten().tolist()),
        "chances": [round(1000 * p) for p in best.values.exp().flatten().tolist()],  # thousandths
    }


def _panel(model: Mapping, symbol: str, at: int, chosen: bool) -> str:
    """The bars of one model: its first five, and below them the right one if it is none of them."""
    tops = model["tops"][TOP * at : TOP * at + TOP]
    rows = [*zip(tops, model["chances"][TOP * at : TOP * at + TOP], strict=True)]
    bits = model["bits"][at] / 100
    if symbol not in tops:
        rows.append((symbol, 1000 * 2**-bits))
    bars = "".join(
        f'<div class="course-bar"{" data-right" * (top == symbol)}><b>'
        f"{html.escape(SHOWN.get(top, top))}</b><span>"
        f'<i style="--share:{chance / 1000:.3f}"></i></span><span>{"✓ " * (top == symbol)}'
        f"{html.escape(percent(chance))}</span></div>"
        for top, chance in rows
    )
    return (
        f'<div class="course-panel"{" data-chosen" * chosen} style="--tone:{model["color"]}">'
        f"<p><b>{html.escape(model['name'])}</b> <span>{bits:.2f} bits</span></p>{bars}</div>"
    )


def percent(chance: float) -> str:
    """Thousandths as whole percents, for those who read."""
    return f"{math.floor(chance / 10 + 0.5)}%" if chance >= 10 else "<1%"


def _says(
    one: Mapping, two: Mapping, ahead: Sequence[int], before: str, symbol: str, at: int
) -> str:
    count = len(ahead)
    means = ", ".join(f"{m['name']} {sum(m['bits']) / 100 / count:.2f}" for m in (one, two))
    wins = [sum(bits > 0 for bits in ahead), sum(bits < 0 for bits in ahead)]
    here, there = (f"{m['bits'][at] / 100:.2f}" for m in (one, two))
    symbol = SHOWN.get(symbol, symbol)
    return (
        f"Bits per character in these {count}: {means}. Predicted better by {one['name']}: "
        f"{wins[0]}, by {two['name']}: {wins[1]}. “{symbol}” after “{_short(before)}”: "
        f"{here} bits for {one['name']}, {there} for {two['name']}."
    )


def _short(text: str) -> str:
    """The end of what stood before, on one line."""
    return "…" * (len(text) > BEFORE) + text[-BEFORE:].replace("\n", "⏎")


def _printed(symbol: str) -> str:
    return "⏎\n" if symbol == "\n" else html.escape(symbol)
