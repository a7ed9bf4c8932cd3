"""Right and wrong answers to `transformer.EncoderLayer`."""

from torch import nn

from grader.author.answers import right, wrong
from solutions.mlp import SwiGLU
from solutions.transformer import FeedForward, MultiHeadAttention, RMSNorm


class _Parts(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden,
        *,
        norm_first=False,
        activation="relu",
        norm="layer",
        eps=1e-5,
        dropout=0.0,
        bias=True,
        device=None,
        **attention,
    ):
        super().__init__()
        norms = {"layer": nn.LayerNorm, "rms": RMSNorm}
        if norm not in norms:
            raise ValueError(norm)
        self.attention = MultiHeadAttention(
            embed_dim, num_heads, bias=bias, device=device, **attention
        )
        self.attention_norm = norms[norm](embed_dim, eps=eps, device=device)
        self.feed_forward = self.feed_forward_norm = None
        if hidden:
            if activation == "swiglu":
                self.feed_forward = SwiGLU(embed_dim, hidden, device=device)
            else:
                self.feed_forward = FeedForward(
                    embed_dim, hidden, activation=activation, bias=bias, device=device
                )
            self.feed_forward_norm = norms[norm](embed_dim, eps=eps, device=device)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first


@right
class both_orders_written_out(_Parts):
    def forward(self, x, mask=None, *, is_causal=False, need_weights=False, cache=None):
        asked = {"is_causal": is_causal, "need_weights": need_weights, "cache": cache}
        if self.norm_first:
            found = self.attention(self.attention_norm(x), None, mask, **asked)
        else:
            found = self.attention(x, None, mask, **asked)
        weights = None
        if need_weights:
            found, weights = found
        x = x + self.dropout(found)
        if not self.norm_first:
            x = self.attention_norm(x)
        if self.feed_forward is not None and self.norm_first:
            x = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        elif self.feed_forward is not None:
            x = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return x if weights is None else (x, weights)


@right
class one_part_after_the_other(_Parts):
    def forward(self, x, mask=None, *, is_causal=False, need_weights=False, cache=None):
        weights = ()
        for part in ("attention", "feed_forward"):
            norm = getattr(self, f"{part}_norm")
            if norm is None:
                continue
            given = norm(x) if self.norm_first else x
            if part == "attention":
                found = self.attention(
                    given,
                    mask=mask,
                    is_causal=is_causal,
                    need_weights=need_weights,
                    cache=cache,
                )
                if need_weights:
                    found, *weights = found
            else:
                found = self.feed_forward(given)
            x = self.dropout(found) + x
            x = x if self.norm_first else norm(x)
        return (x, *weights) if need_weights else x


wrong(
    "norm_after_though_first_was_asked",
    why="`norm_first=True` makes no difference to your result.",
    change={"self.norm_first = norm_first": "self.norm_first = False"},
)


wrong(
    "norm_first_though_after_was_asked",
    why="Without `norm_first` the norm comes after the sum, as in 2017; yours always comes first.",
    change={"self.norm_first = norm_first": "self.norm_first = True"},
)


wrong(
    "normalized_stream_added",
    why=(
        "With the norm first, you added f's result to norm(x), not to x: the stream is then "
        "normalized layer by layer, and the direct path through the network is lost."
    ),
    change={
        "x = x + self.dropout(found)": (
            "x = (given if self.norm_first else x) + self.dropout(found)"
        )
    },
)


wrong(
    "no_residual_around_attention",
    why="The input is not added to the result of attention, so the word itself is lost.",
    change={"x = x + self.dropout(found)": "x = self.dropout(found)"},
)


wrong(
    "no_residual_around_feed_forward",
    why="The residual connection around the feed-forward network is missing.",
    change={
        "x = _residual(x, self.feed_forward, self.feed_forward_norm, self)": (
            "x = _residual(x, self.feed_forward, self.feed_forward_norm, self) - "
            "(x if self.norm_first else 0)\n"
            "            x = x if self.norm_first else "
            "self.feed_forward_norm(self.feed_forward(self.attention_norm(x)))"
        )
    },
)


wrong(
    "one_norm_for_both",
    why="Each part has a separate norm; you used that of the attention twice.",
    change={
        "_residual(x, self.feed_forward, self.feed_forward_norm, self)": (
            "_residual(x, self.feed_forward, self.attention_norm, self)"
        )
    },
)


wrong(
    "norm_inside_and_outside",
    why="You normalized both before and after the part. Use one or the other.",
    change={
        "given = self.attention_norm(x) if self.norm_first else x": "given = self.attention_norm(x)"
    },
)


wrong(
    "mask_not_handed_on",
    why="The mask does not reach the attention, so every position attends to the padding.",
    change={"given, mask=mask, is_causal=is_causal": "given, is_causal=is_causal"},
)


wrong(
    "causal_not_handed_on",
    why="`is_causal` does not reach the attention, so every position sees the future.",
    change={"given, mask=mask, is_causal=is_causal": "given, mask=mask"},
)


wrong(
    "feed_forward_beside_attention",
    why=(
        "Both parts read the layer's input, side by side. Some models do so, but here the second "
        "part reads the stream after the first part."
    ),
    change={
        "        x = x + self.dropout(found)\n": (
            "        came = x\n        x = x + self.dropout(found)\n"
        ),
        "x = _residual(x, self.feed_forward, self.feed_forward_norm, self)": (
            "x = x + _residual(came, self.feed_forward, self.feed_forward_norm, self) - came"
        ),
    },
)


wrong(
    "stream_dropped",
    why=(
        "Apply dropout to f's result, before it is added. You applied it to the sum, and dropped "
        "the stream itself."
    ),
    change={
        "x = x + self.dropout(found)": "x = self.dropout(x + found)",
    },
)


wrong(
    "feed_forward_not_dropped",
    why=(
        "You applied no dropout to the result of the feed-forward network; apply it to the results "
        "of both parts."
    ),
    change={
        "x = _residual(x, self.feed_forward, self.feed_forward_norm, self)": (
            "dropout, self.dropout = self.dropout, nn.Identity()\n"
            "            x = _residual(x, self.feed_forward, self.feed_forward_norm, self)\n"
            "            self.dropout = dropout"
        )
    },
)


wrong(
    "eps_of_its_own",
    why="The norms have torch's default eps; use the one that is given.",
    change={
        "self.attention_norm = _norm(norm, embed_dim, eps, device)": (
            "self.attention_norm = _norm(norm, embed_dim, 1e-5, device)"
        ),
        "_norm(norm, embed_dim, eps, device) if hidden": (
            "_norm(norm, embed_dim, 1e-5, device) if hidden"
        ),
    },
)


wrong(
    "dropped_and_not_scaled",
    why=(
        "You did not divide the entries that stay by 1 − p, so in training a part adds less, on "
        "average, than in evaluation. `nn.Dropout` divides."
    ),
    change={
        "self.norm_first = norm_first": (
            "self.norm_first = norm_first\n"
            "        self.dropout.register_forward_hook("
            "lambda drop, x, y: y * (1 - drop.p) if drop.training else y)"
        )
    },
    corner=True,
)
