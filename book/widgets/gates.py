"""Gates and cell state of an LSTM that reads a text, one character after another."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from book.widgets.board import widget
from solutions.recurrent import CharacterModel, bits_per_character, lstm_cell

Tables = Mapping[str, tuple[Tensor, float]]
MOST = 140  # characters of a text that the reader writes

PAGE = """<p>{alt}</p>
<p class="course-read">{text}</p>
<div class="course-sliders" hidden>
<label for="gates-shift">forget gates</label>
<input id="gates-shift" type="range" min="-4" max="4" step="0.5" value="0"><output></output>
</div>
<div class="course-both"><div class="course-cells"><p>cell state of {units} units, from those that
forget most to those that forget least</p><div class="course-units">{cells}</div></div>
<div class="course-bars"><p>gates, the mean of all units</p>{bars}</div></div>
<p role="status">{says}</p>"""


def gate_board(tables: Tables, alphabet: str, texts: Sequence[str], alt: str) -> None:
    """Show what is left of every character in the cell state of an LSTM that reads a text.

    The reader chooses the text, how far it is read, and a unit; and may shift all forget gates.

    Args:
        tables: a model as `rounded` returns it.
        alphabet: its symbols.
        texts: one or more, of these symbols; the first is shown without JavaScript.
        alt: what is to be seen.

    Raises:
        ValueError: a text has a symbol that is not in the alphabet.
    """
    if unknown := {*"".join(texts)} - {*alphabet}:
        raise ValueError(f"gate_board() got texts with {sorted(unknown)}, unknown to the model.")
    tokens = torch.tensor([[alphabet.index(symbol) for symbol in texts[0]]])
    gates, cells, logits = unrolled(tables, tokens)
    sizes = terms_left(gates)[0].abs().sum(dim=1)  # (T, H) -> (T,)
    i, f, _, o = gates[0, -1].mean(dim=-1).tolist()
    bits = bits_per_character(logits[:, :-1], tokens[:, 1:])
    page = PAGE.format(
        alt=html.escape(alt),
        text="".join(
            f'<span style="--w:{share:.3f}">{html.escape(symbol)}</span>'
            for symbol, share in zip(texts[0], (sizes / sizes.max()).tolist(), strict=True)
        ),
        units=cells.shape[-1],
        cells="".join(
            f'<i style="--w:{abs(c) / (1 + abs(c)):.3f}"{" data-negative" * (c < 0)}></i>'
            for c in cells[0, -1].tolist()
        ),
        bars="".join(
            f'<div class="course-bar"><b>{name} gate</b><span><i style="--share:{share:.4f}"></i>'
            f"</span><span>{share:.2f}</span></div>"
            for name, share in (("input", i), ("forget", f), ("output", o))
        ),
        says=f"Half of what all {cells.shape[-1]} units hold after {len(sizes)} characters was "
        f"written by the last {half_from_last(sizes)}. The whole text costs {bits:.2f} bits per "
        "character, with the gates as learned.",
    )
    data = {
        "alphabet": alphabet,
        "texts": list(texts),
        "most": MOST,
        "hidden": cells.shape[-1],
        "tables": {
            name: [base64.b64encode(whole.to(torch.int8).numpy().tobytes()).decode(), step]
            for name, (whole, step) in tables.items()
        },
    }
    widget("gates", page, alt, model=data, parts=("player",))


def rounded(model: CharacterModel, tokens: Tensor) -> Tables:
    """The weights of a model in 8 bits, its units in the order of how much they keep of a text.

    Args:
        model: of one LSTM layer.
        tokens: (B, T) int64, the text.

    Returns:
        By name a tensor of whole numbers from −127 to 127, and what they are multiplied by.
        ``"read"``, (symbols, 4H), is what each symbol adds to the gates, all biases included;
        ``"again"``, (4H, H), is W_hh; ``"told"``, (symbols, H + 1), scores what comes next, its
        last column the bias.

    Raises:
        ValueError: the model is another one.
    """
    if model.layer.kind != "lstm" or model.layer.num_layers != 1 or len(model.layer.ways) != 1:
        raise ValueError("rounded() needs a model of one LSTM layer, which reads one way.")
    own = {name: part.detach().cpu() for name, part in model.named_parameters()}
    bias = own["layer.bias_ih_l0"] + own["layer.bias_hh_l0"]
    tables = {
        "read": (F.linear(own["embedding.weight"], own["layer.weight_ih_l0"], bias), 1.0),
        "again": (own["layer.weight_hh_l0"], 1.0),
        "told": (torch.cat([own["output.weight"], own["output.bias"][:, None]], dim=1), 1.0),
    }
    kept = unrolled(tables, tokens.cpu())[0][:, :, 1].log().mean(dim=(0, 1))  # (B, T, 4, H) -> (H,)
    units = len(kept)
    order = kept.argsort()
    rows = torch.cat([order + units * gate for gate in range(4)])
    columns = torch.cat([order, torch.tensor([units])])
    cut = {
        "read": tables["read"][0][:, rows],
        "again": tables["again"][0][rows][:, order],
        "told": tables["told"][0][:, columns],
    }
    steps = {name: part.abs().max().item() / 127 for name, part in cut.items()}
    return {name: ((part / steps[name]).round(), steps[name]) for name, part in cut.items()}


def unrolled(
    tables: Tables, tokens: Tensor, *, shift: float = 0.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Read texts with an LSTM, and keep what its gates did.

    Args:
        tables: as of `rounded`.
        tokens: (B, T) int64.
        shift: what is added to the scores of all forget gates.

    Returns:
        (B, T, 4, H), input gates, forget gates, candidates and output gates; (B, T, H), the cell
        state after every step; logits (B, T, symbols) of what follows.
    """
    read, again, told = (tables[name][0].double() * tables[name][1] for name in tables)
    units = again.shape[1]
    bias = torch.zeros(4 * units).double()
    bias[units : 2 * units] = shift
    h = c = torch.zeros(len(tokens), units).double()
    gates, cells, states = [], [], []
    for now in read[tokens].unbind(dim=1):
        i, f, g, o = (now + F.linear(h, again, bias)).chunk(4, dim=-1)
        gates.append(torch.stack([i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()], dim=1))
        h, c = lstm_cell(now, h, c, again, bias)
        cells.append(c)
        states.append(h)
    gates, cells, states = (torch.stack(part, dim=1) for part in (gates, cells, states))
    return gates, cells, F.linear(states, told[:, :-1], told[:, -1])


def terms_left(gates: Tensor) -> Tensor:
    """Terms of the last cell state, one for each step, which sum to it.

    Args:
        gates: (B, T, 4, H), as of `unrolled`, from the first step on.

    Returns:
        (B, T, H): what the step wrote, i ⊙ g, times all forget gates that came after it.
    """
    i, f, g, _ = gates.unbind(dim=2)
    after = torch.cat([f[:, 1:], torch.ones_like(f[:, :1])], dim=1)
    return i * g * after.flip(1).cumprod(dim=1).flip(1)


def half_from_last(sizes: Tensor) -> int:
    """How many of the last entries of (T,) it takes to make half of their sum."""
    return int((sizes.flip(0).cumsum(dim=0) < sizes.sum() / 2).sum()) + 1
