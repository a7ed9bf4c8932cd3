"""One forward pass of a small GPT over the reader's own text, every tensor at its true size."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from book.packed import small_gpt
from book.pages import BOOK, heading
from book.svg import COLORS
from book.widgets.board import widget
from book.widgets.tokens import readable
from solutions.gpt import GPT
from solutions.tokenization import BytePairTokenizer

BLOCK = 64  # numbers of a row that stand side by side before the next block
SHADES = 3  # of each sign, in the picture that needs no script
LIKELY = 6  # tokens whose probabilities are shown

__all__ = ["forward_pass", "small_gpt", "trace"]

Tensors = dict[str, Tensor]
Part = tuple[str, str, str]  # a sign before a tensor, the tensor's name and caption

# A step: name, what happens there, (page and section, exercise), and what is drawn.
BEGIN: list[tuple[str, str, tuple[str, str], list[Part]]] = [
    (
        "Tokens",
        "The text is split into tokens, and each token has a number. Choose one to follow its row.",
        ("tokenization.html#encoding", "tokenization.encode_word"),
        [],
    ),
    (
        "Embeddings",
        "The token’s row of one table plus the position’s row of another: the residual stream.",
        ("embeddings.html#lookup", "embeddings.lookup"),
        [
            ("", "embed", "token"),
            ("+", "positions", "position"),
            ("=", "x", "stream"),
        ],
    ),
]
LAYER: list[tuple[str, str, tuple[str, str], list[Part]]] = [
    (
        "Queries, keys, values",
        "Layer norm, then three matrices. The lines below mark which columns belong to which head.",
        ("self_attention.html#queries-keys-values", "transformer.split_heads"),
        [
            ("", "norm", "norm"),
            ("→", "q", "Q"),
            ("", "k", "K"),
            ("", "v", "V"),
        ],
    ),
    (
        "Attention weights",
        "One map for each head: a row for each query, a column for each key. Each row sums to 1, "
        "and future positions get 0.",
        (
            "self_attention.html#scaled-dot-product-attention",
            "self_attention.scaled_dot_product_attention",
        ),
        [],
    ),
    (
        "Heads’ output",
        "Each head averages its values. A matrix mixes the heads, and the result is added to the "
        "stream.",
        ("transformer.html#heads", "transformer.multi_head_attention"),
        [
            ("", "heads", "heads"),
            ("→", "out", "mixed"),
            ("⊕", "x", "stream"),
        ],
    ),
    (
        "MLP",
        "Layer norm, a hidden layer four times as wide with GELU, and a matrix back to the width "
        "of the stream, to which the result is added.",
        ("transformer.html#block", "transformer.FeedForward"),
        [
            ("", "norm2", "norm"),
            ("→", "hidden", "hidden"),
            ("→", "down", "output"),
            ("⊕", "y", "stream"),
        ],
    ),
]
END: list[tuple[str, str, tuple[str, str], list[Part]]] = [
    (
        "Logits",
        "A last layer norm. Then the chosen row is multiplied by every row of the token "
        "embeddings: one logit for each token.",
        ("gpt.html#gpt-2", "gpt.GPT"),
        [
            ("", "norm", "norm"),
            ("→", "logits", "logits of one row"),
        ],
    ),
    (
        "Next token",
        "A softmax turns logits into probabilities. One token is sampled and appended, and the "
        "whole pass runs again.",
        ("gpt.html#temperature", "gpt.tempered"),
        [],
    ),
]


def trace(model: GPT, tokens: Tensor) -> Tensors:
    """Run a GPT, and keep every tensor on the way.

    Args:
        model: in evaluation mode.
        tokens: (T,) int64.

    Returns:
        ``embed``, ``positions`` and ``x``, (T, D); for layer l ``l.norm``, ``l.q``, ``l.k``,
        ``l.v``, ``l.heads``, ``l.out``, ``l.x`` (the stream after attention), ``l.norm2``,
        ``l.down`` and ``l.y`` (after the MLP), (T, D), ``l.hidden``, (T, 4 D), and ``l.weights``,
        (heads, T, T); ``norm``, (T, D), and ``logits``, (T, V).
    """
    found: Tensors = {}

    def keep(name: str, *, given: bool = False) -> Callable:
        def hook(module, inputs, output) -> None:
            output = output[0] if isinstance(output, tuple) else output
            found[name] = (inputs[0] if given else output)[0]

        return hook

    hooks = [
        model.embed.register_forward_hook(keep("embed")),
        model.layers[0].register_forward_hook(keep("x", given=True)),
        model.norm.register_forward_hook(keep("norm")),
    ]
    for number, layer in enumerate(model.layers):
        attention, forward = layer.attention, layer.feed_forward
        parts = {
            "norm": (layer.attention_norm, False),
            "q": (attention.query, False),
            "k": (attention.key, False),
            "v": (attention.value, False),
            "heads": (attention.output, True),
            "out": (attention.output, False),
            "x": (layer.feed_forward_norm, True),
            "norm2": (layer.feed_forward_norm, False),
            "hidden": (forward.down, True),
            "down": (forward.down, False),
            "y": (layer, False),
        }
        for name, (module, given) in parts.items():
            hooks.append(module.register_forward_hook(keep(f"{number}.{name}", given=given)))
    with torch.no_grad():
        logits, weights = model(tokens[None], need_weights=True)
    for hook in hooks:
        hook.remove()
    found |= {f"{number}.weights": maps[0] for number, maps in enumerate(weights)}
    return found | {"positions": model.table.detach()[: len(tokens)], "logits": logits[0]}


def forward_pass(model: GPT, tokenizer: BytePairTokenizer, text: str, alt: str) -> None:
    """Show all tensors of a forward pass, step by step, with links to what builds each.

    The reader types another text, follows one token, takes parts out, and lets the model write. The
    browser computes that with `book/_static/small_gpt/`, which it loads when it is asked to.

    Args:
        model: the one in that folder, see `book.packed`.
        tokenizer: its tokenizer.
        text: the one to begin with, and the only one without JavaScript.
        alt: what is to be seen.

    Raises:
        ValueError: the alt text is empty, or the text has no token or too many for the model.
    """
    tokens = tokenizer.encode(text)
    if not alt.strip():
        raise ValueError("forward_pass() got an empty alt text; say what it shows.")
    if not 0 < len(tokens) <= len(model.table):
        raise ValueError(f"forward_pass() got {len(tokens)} tokens; 1 to {len(model.table)} fit.")
    words = [html.escape(readable(tokenizer.vocabulary[token])) for token in tokens]
    page = _Page(trace(model, torch.tensor(tokens)), words, model.config.num_heads)
    with torch.no_grad():
        early = [
            model.head(model.norm(page.tensors[f"{number}.y"][-1]))
            for number in range(len(model.layers))
        ]
    chips = "".join(
        f"<span>{word}<small>{token}</small></span>"
        for word, token in zip(words, tokens, strict=True)
    )
    steps = [page.step(*BEGIN[0], inside=f'<p class="course-chips">{chips}</p>')]
    steps.append(page.step(*BEGIN[1]))
    for number, logits in enumerate(early):
        (lens,) = _likely(logits, tokenizer, 1)
        steps.append(
            page.layer(number, f"{number + 1} of {len(early)}", f"“{lens[0]}” {lens[1]:.0%}")
        )
    likely = _likely(page.tensors["logits"][-1], tokenizer, LIKELY)
    three = ", ".join(f"“{name}” {chance:.0%}" for name, chance in likely[:3])
    says = f'<p role="status">Most likely after “{words[-1]}”: {three}.</p>'
    bars = f'<div class="course-bars">{"".join(_bar(*one) for one in likely)}</div>'
    steps += [page.step(*END[0]), page.step(*END[1], inside=f"{bars}{says}")]
    widget(
        "machine",
        f'<p>{html.escape(alt)}</p><ol class="course-steps">{"".join(steps)}</ol>',
        alt,
        model={"text": text},
        attributes=f'style="--n:{len(tokens)};--row:{len(tokens) - 1};--still:url({page.picture()})'
        f';--tall:{page.tall};--h:{page.heads}"',
    )


class _Page:
    """HTML of the steps, and the one picture that holds the cells of all their tensors."""

    def __init__(self, tensors: Tensors, words: Sequence[str], heads: int) -> None:
        self.tensors, self.heads, self.tall = tensors, heads, 0
        self.labels = "\n".join(words)
        self.blocks: list[np.ndarray] = []

    def step(
        self,
        name: str,
        about: str,
        links: tuple[str, str],
        parts: Sequence[Part],
        *,
        inside: str = "",
        layer: int | None = None,
    ) -> str:
        about, links = ("", "") if layer else (f"<p>{about}</p>", _links(*links))  # said once
        drawn = "".join(self.part(part, layer) for part in parts) or inside
        if parts or layer is not None:
            rows = f'<div class="course-rows" aria-hidden="true">{self.labels}</div>'
            drawn = f'<div class="course-tensors">{rows}{drawn}</div>'
        name = f'<p class="course-name"><b>{name}</b>{links}</p>'
        return f'<li class="course-step">{name}{about}{drawn}</li>'

    def layer(self, number: int, name: str, lens: str) -> str:
        """All steps of a layer, and what its stream would predict; layer 0 is open."""
        maps = "".join(
            self.tensor(f"{number}.weights.{head}", f"head {head + 1}")
            for head in range(self.heads)
        )
        steps = [self.step(*one, inside="" if one[3] else maps, layer=number) for one in LAYER]
        inside = f'<ol class="course-steps">{"".join(steps)}</ol>'
        opens = " open" * (number == 0)
        return (
            f'<li class="course-layer"><details{opens}><summary>Layer {name} '
            f"<small>predicts so far: <span>{lens}</span></small></summary>{inside}</details></li>"
        )

    def part(self, part: Part, layer: int | None) -> str:
        sign, name, caption = part
        return self.tensor(name if layer is None else f"{layer}.{name}", caption, sign)

    def tensor(self, name: str, caption: str, sign: str = "") -> str:
        """Blocks of a tensor's columns, with what it is and its shape below them."""
        values = self.values(name)
        shape = " × ".join(map(str, values.shape))
        places = [self.place(block) for block in self.cut(name, values)]
        cells = "".join(f'<i style="--at:{place}"></i>' for place in places)
        last = name.rpartition(".")[2]
        kind = " data-stream" * (last in ("x", "y")) + " data-wide" * (len(places) > 1)
        kind += " data-heads" * (last in ("q", "k", "v", "heads")) + " data-map" * last.isdigit()
        kind += " data-line" * (name == "logits")
        drawn = f'<div data-name="{name}">{cells}</div>'
        sign = sign and f"<b>{sign}</b>"
        caption = f"<figcaption>{caption} <span>{shape}</span></figcaption>"
        return f"<figure{kind}>{sign}{drawn}{caption}</figure>"

    def values(self, name: str) -> Tensor:
        """A tensor as it is drawn: one head's weights, or the logits of the last row."""
        stem, _, head = name.rpartition(".")
        if stem.endswith(".weights"):
            return self.tensors[stem][int(head)]
        return self.tensors[name][-1:] if name == "logits" else self.tensors[name]

    def cut(self, name: str, values: Tensor) -> Iterator[np.ndarray]:
        """Blocks of columns; entries from −1 to 1, of which 1 is a full color."""
        scale = 1.0 if ".weights." in name else 2.5 * values.square().mean().sqrt().item()
        shades = (values / scale).clamp(-1, 1).numpy()
        for first in range(0, shades.shape[1], BLOCK):
            yield shades[:, first : first + BLOCK]

    def place(self, block: np.ndarray) -> int:
        """Put a block below the others of the picture; return its first row there."""
        self.blocks.append(np.pad(block, ((0, 0), (0, BLOCK - block.shape[1]))))
        self.tall += len(block)
        return self.tall - len(block)

    def picture(self) -> str:
        """All blocks as one PNG: blue above 0, orange below, clear at 0."""
        levels = (np.rint(np.concatenate(self.blocks) * SHADES) + SHADES).astype(np.uint8)
        return f"data:image/png;base64,{base64.b64encode(_png(levels)).decode()}"


def _links(section: str, exercise: str) -> str:
    """To the section that explains a step, and to the exercise that builds it."""
    slug, page = exercise.partition(".")[0], section.partition(".")[0]
    return (
        f' <a href="{section}">{heading(BOOK / f"{page}.md")}</a>'
        f' <a href="{slug}.html#{exercise}"><code>{exercise}</code></a>'
    )


def _png(levels: np.ndarray) -> bytes:
    """A PNG of 4 bits per pixel; level k of 0 to 2 · SHADES has the color of k − SHADES."""
    shades = range(-SHADES, SHADES + 1)
    colors = [bytes.fromhex(code.removeprefix("#")) for code in COLORS[:2]]
    packed = np.pad(levels[:, ::2] << 4 | levels[:, 1::2], ((0, 0), (1, 0)))  # no filter
    height, width = levels.shape
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0),
        b"PLTE": b"".join(colors[shade < 0] for shade in shades),
        b"tRNS": bytes(round(255 * abs(shade) / SHADES) for shade in shades),
        b"IDAT": zlib.compress(packed.tobytes(), 9),
        b"IEND": b"",
    }
    made = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts.items():
        made += struct.pack(">I", len(data)) + kind + data
        made += struct.pack(">I", zlib.crc32(kind + data))
    return made


def _likely(logits: Tensor, tokenizer: BytePairTokenizer, count: int) -> list[tuple[str, float]]:
    """The likeliest next tokens, in HTML, and their probabilities."""
    chances, tokens = logits.softmax(dim=-1).topk(count)
    shown = [html.escape(readable(tokenizer.vocabulary[token])) for token in tokens.tolist()]
    return [*zip(shown, chances.tolist(), strict=True)]


def _bar(name: str, chance: float) -> str:
    return (
        f'<div class="course-bar"><b>{name}</b><span><i style="--share:{chance:.4f}"></i></span>'
        f"<span>{chance:.0%}</span></div>"
    )
