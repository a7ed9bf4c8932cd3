"""`solutions.transformer` against torch.nn, transformers, and counting by hand."""

import itertools
import math
from functools import partial

import draws
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.mlp import SwiGLU
from solutions.self_attention import causal_mask, padding_mask, scaled_dot_product_attention
from solutions.transformer import (
    Config,
    Decoder,
    DecoderLayer,
    DecoderOnly,
    Encoder,
    EncoderLayer,
    FeedForward,
    MultiHeadAttention,
    RMSNorm,
    Transformer,
    attention_back,
    decoder_mask,
    from_llama,
    from_torch,
    merge_heads,
    multi_head_attention,
    one_hot_positions,
    repeat_heads,
    rotary,
    sinusoidal,
    split_heads,
)

assert_equal = partial(draws.assert_equal, rtol=1e-9, atol=1e-10)

D, HEADS, HIDDEN = 6, 3, 11
MODERN = {
    "positions": "rotary",
    "norm": "rms",
    "norm_first": True,
    "activation": "swiglu",
    "bias": False,
}


@pytest.fixture(autouse=True)
def rng():
    torch.manual_seed(0)


def draw(*shape):
    return torch.randn(shape, dtype=torch.float64)


def wide(module):
    """The module in float64, every parameter drawn anew, so that no bias is zero."""
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def slopes(output, leaves):
    weight = torch.cos(torch.arange(output.numel(), dtype=output.dtype)).view(output.shape)
    return torch.autograd.grad((output * weight).sum(), leaves)


def assert_same(ours, theirs, call_ours, call_theirs, *inputs):
    """Outputs, gradients of inputs, and gradients of all parameters agree."""
    found, grads = [], []
    for module, call in ((ours, call_ours), (theirs, call_theirs)):
        leaves = [x.clone().requires_grad_() for x in inputs]
        names, parameters = zip(*module.named_parameters(), strict=True)
        found.append(call(*leaves))
        of = slopes(found[-1], [*leaves, *parameters])
        grads.append((of[: len(leaves)], dict(zip(names, of[len(leaves) :], strict=True))))
    assert_equal(*found)
    for one, other in zip(grads[0][0], grads[1][0], strict=True):
        assert_equal(one, other)
    renamed = from_torch(grads[1][1])
    assert renamed.keys() == grads[0][1].keys()
    for name, gradient in grads[0][1].items():
        assert_equal(gradient, renamed[name])


def ready(ours, theirs):
    """Both in float64, with the same wide weights."""
    theirs = wide(theirs)
    ours = ours.double()
    ours.load_state_dict(from_torch(theirs.state_dict()))
    return ours, theirs


# heads


def test_heads_are_slices_of_the_features():
    x = draw(2, 5, 7, D)
    heads = split_heads(x, HEADS)
    assert heads.shape == (2, 5, HEADS, 7, 2)
    for head in range(HEADS):
        assert_equal(heads[:, :, head], x[..., 2 * head : 2 * head + 2])
    assert_equal(merge_heads(heads), x)
    with pytest.raises(ValueError, match="4 heads"):
        split_heads(x, 4)


def test_neighbors_share_a_head():
    x = draw(2, 3, 5, 7)
    assert_equal(repeat_heads(x, 2), x[:, [0, 0, 1, 1, 2, 2]])
    assert_equal(repeat_heads(x, 1), x)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("masked", [None, "padding", "causal", "both"])
def test_attention_is_that_of_torch(bias, masked):
    theirs = nn.MultiheadAttention(D, HEADS, bias=bias, batch_first=True)
    ours, theirs = ready(MultiHeadAttention(D, HEADS, bias=bias), theirs)
    lengths, causal = torch.tensor([4, 7]), masked in ("causal", "both")
    mask = padding_mask(lengths, 7) if masked in ("padding", "both") else None
    blocked = {
        "key_padding_mask": None if mask is None else ~mask[:, 0],
        "attn_mask": ~causal_mask(7) if causal else None,
    }
    for need in (False, True):

        def call(x, need=need):
            found = ours(x, mask=mask, is_causal=causal, need_weights=need)
            return found[0] if need else found

        assert_same(ours, theirs, call, lambda x: theirs(x, x, x, **blocked)[0], draw(2, 7, D))
    x = draw(2, 7, D)
    _, weights = ours(x, mask=mask, is_causal=causal, need_weights=True)
    _, expected = theirs(x, x, x, **blocked, average_attn_weights=False)
    assert_equal(weights, expected)


def test_attention_to_a_memory():
    theirs = nn.MultiheadAttention(D, HEADS, batch_first=True)
    ours, theirs = ready(MultiHeadAttention(D, HEADS), theirs)
    given = draw(2, 5, D), draw(2, 7, D)
    mask = torch.rand(5, 7) < 0.7
    mask[:, 2] = True
    assert_same(
        ours,
        theirs,
        lambda x, memory: ours(x, memory, mask),
        lambda x, memory: theirs(x, memory, memory, attn_mask=~mask)[0],
        *given,
    )


def test_attention_as_a_function_is_the_layer():
    layer = wide(MultiHeadAttention(D, HEADS, bias=False))
    weights = [part.weight for part in (layer.query, layer.key, layer.value, layer.output)]
    x, memory = draw(2, 5, D), draw(2, 7, D)
    mask = torch.rand(2, 5, 7) < 0.5
    mask[0, 3] = False  # nothing to look at
    found = multi_head_attention(x, memory, *weights, num_heads=HEADS, mask=mask)
    assert_equal(found, layer(x, memory, mask))
    assert (found[0, 3] == 0).all()


def test_a_query_without_a_key_finds_zeros_and_harms_no_gradient():
    layer = wide(MultiHeadAttention(D, HEADS))
    x = draw(2, 5, D).requires_grad_()
    mask = torch.ones(2, 5, 5, dtype=torch.bool)
    mask[1, 2] = False
    for need in (False, True):
        found = layer(x, mask=mask, need_weights=need)
        found = found[0] if need else found
        assert_equal(found[1, 2], layer.output.bias)
        assert all(part.isfinite().all() for part in slopes(found, [x, *layer.parameters()]))


@pytest.mark.parametrize("options", [{}, {"kv_heads": 2, "rotary_base": 100.0, "qk_norm": True}])
def test_both_paths_give_the_same_numbers(options):
    layer = wide(MultiHeadAttention(16, 4, **options))
    x = draw(2, 5, 16)
    mask = torch.rand(2, 1, 5) < 0.6
    mask[..., 0] = True
    for given, causal in itertools.product((None, mask, mask[0], mask[0, 0]), (False, True)):
        fast = layer(x, mask=given, is_causal=causal)
        slow, weights = layer(x, mask=given, is_causal=causal, need_weights=True)
        assert_equal(fast, slow)
        assert_equal(weights.sum(-1), torch.ones(2, 4, 5).double())
    assert_equal(layer(x[0]), layer(x)[0])


def test_grouped_queries_are_shared_rows_of_weights():
    grouped = wide(MultiHeadAttention(16, 4, kv_heads=2))
    full = MultiHeadAttention(16, 4).double()
    state = grouped.state_dict()
    for name in ("key.weight", "key.bias", "value.weight", "value.bias"):
        rows = state[name].view(2, 4, *state[name].shape[1:])
        state[name] = rows.repeat_interleave(2, dim=0).flatten(0, 1)
    full.load_state_dict(state)
    x = draw(2, 5, 16)
    assert_equal(grouped(x, is_causal=True), full(x, is_causal=True))


def test_sizes_that_do_not_fit():
    for sizes in ((7, 2, 2), (12, 6, 4)):
        with pytest.raises(ValueError, match="must divide"):
            MultiHeadAttention(*sizes[:2], kv_heads=sizes[2])


class Cache:
    """The least that a cache has to be."""

    def __init__(self):
        self.key = self.value = None
        self.length = 0

    def extend(self, key, value):
        if self.length:
            key = torch.cat([self.key, key], dim=-2)
            value = torch.cat([self.value, value], dim=-2)
        self.key, self.value, self.length = key, value, key.shape[-2]
        return key, value


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "one-hot", "rotary", "none"])
def test_a_cache_changes_no_logit(positions):
    config = Config(
        embed_dim=16, vocabulary=7, longest=11, kv_heads=2, positions=positions, qk_norm=True
    )
    model = wide(DecoderOnly(config)).eval()
    tokens = torch.randint(7, (2, 11))
    caches = [Cache() for _ in model.layers]
    parts = [model(part, caches=caches) for part in tokens.split([4, 1, 3, 1, 2], dim=1)]
    assert_equal(torch.cat(parts, dim=1), model(tokens))


def test_stacks_refuse_masks_that_are_not_bool_or_do_not_fit():
    config = Config(embed_dim=16)
    model = wide(Transformer(config))
    source, target = draw(3, 5, 16), draw(3, 7, 16)
    real = torch.ones(3, 1, 5, dtype=torch.bool)
    model(source, target, real)
    with pytest.raises(ValueError, match="mask must be bool"):
        model(source, target, real.double())
    with pytest.raises(ValueError, match=r"\(3, 5\) does not fit .* \(3, 5, 5\)"):
        model(source, target, real[:, 0])
    with pytest.raises(ValueError, match=r"\(3, 7\) does not fit .* \(3, 7, 7\)"):
        model.decoder(target, source, torch.ones(3, 7, dtype=torch.bool))


def test_a_square_mask_for_as_many_sequences_is_read_as_queries_by_keys_with_a_warning():
    model, x = wide(Transformer(Config(embed_dim=16))).encoder, draw(5, 5, 16)
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    with pytest.warns(UserWarning, match=r"\(5, 5\) is read as \(queries, keys\)"):
        out = model(x, mask)
    torch.testing.assert_close(out, model(x, mask[None]))


# positions


def test_sinusoidal_entry_by_entry():
    for length, features in ((5, 8), (7, 5), (3, 1), (0, 4)):
        table = sinusoidal(length, features)
        assert table.shape == (length, features)
        for t, column in itertools.product(range(length), range(features)):
            angle = t / 10_000 ** (column // 2 * 2 / features)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert table[t, column].item() == pytest.approx(expected, abs=1e-5)


def test_one_hot_positions():
    x = draw(2, 5, 7)
    appended = one_hot_positions(x, longest=11, append=True)
    assert appended.shape == (2, 5, 18)
    assert_equal(appended[..., :7], x)
    assert (appended[1, 3, 7:].nonzero().flatten() == 3).all()
    added = one_hot_positions(x, longest=6, append=False) - x
    assert_equal(added, torch.eye(5, 7).double().expand(2, 5, 7))
    for longest, append in ((4, True), (4, False), (8, False)):
        with pytest.raises(ValueError, match="positions"):
            one_hot_positions(x, longest=longest, append=append)


def test_appended_positions_are_learned_positions_once_a_matrix_follows():
    x, layer = draw(2, 5, 7), nn.Linear(7 + 5, 3).double()
    appended = layer(one_hot_positions(x, longest=5, append=True))
    learned = layer.weight[:, 7:].T  # (T, 3)
    assert_equal(appended, F.linear(x, layer.weight[:, :7], layer.bias) + learned)


def test_rotary_depends_on_the_distance():
    q, k = draw(1, 8), draw(1, 8)
    scores = [
        [
            (rotary(q, torch.tensor([s])) @ rotary(k, torch.tensor([t])).T).item()
            for t in range(100, 112)
        ]
        for s in range(100, 112)
    ]
    for i, j in itertools.product(range(11), repeat=2):
        assert scores[i][j] == pytest.approx(scores[i + 1][j + 1], abs=1e-10)
    assert_equal(rotary(q, torch.tensor([9])).norm(), q.norm())
    with pytest.raises(ValueError, match="odd"):
        rotary(draw(2, 3))


def test_rotary_is_a_complex_product():
    x = draw(2, 3, 5, 8)
    rates = 100.0 ** (-torch.arange(4).double() / 4)
    turned = torch.complex(x[..., :4], x[..., 4:]) * torch.exp(
        1j * torch.arange(5).double()[:, None] * rates
    )
    assert_equal(rotary(x, base=100.0), torch.cat([turned.real, turned.imag], dim=-1))
    assert rotary(x.bfloat16(), torch.tensor([1000] * 5)).dtype == torch.bfloat16


# masks, norms, feed-forward


def test_decoder_mask():
    mask = decoder_mask(torch.tensor([2, 4]), 4)
    for b, i, j in itertools.product(range(2), range(4), range(4)):
        assert mask[b, i, j] == (j <= i and j < (2, 4)[b])


def test_rms_norm_is_that_of_torch():
    ours, theirs = wide(RMSNorm(7, eps=0.3)), nn.RMSNorm(7, eps=0.3).double()
    theirs.load_state_dict(ours.state_dict())
    assert_same(ours, theirs, ours, theirs, draw(2, 3, 7))
    narrow = RMSNorm(7).bfloat16()
    assert narrow(300 * torch.ones(2, 7).bfloat16()).eq(1).all()


@pytest.mark.parametrize("activation", ["relu", "gelu", "relu2"])
def test_feed_forward(activation):
    layer = wide(FeedForward(5, 7, activation=activation))
    bend = {"relu": F.relu, "gelu": F.gelu, "relu2": lambda a: F.relu(a) ** 2}[activation]
    x = draw(2, 3, 5)
    hidden = bend(x @ layer.up.weight.T + layer.up.bias)
    assert_equal(layer(x), hidden @ layer.down.weight.T + layer.down.bias)
    with pytest.raises(ValueError, match="activation"):
        FeedForward(5, 7, activation="tanh")


# layers and models


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_layers_are_those_of_torch(norm_first, activation):
    options = {"norm_first": norm_first, "activation": activation}
    made = {"dropout": 0.0, "batch_first": True, **options}
    ours, theirs = ready(
        EncoderLayer(D, HEADS, HIDDEN, **options),
        nn.TransformerEncoderLayer(D, HEADS, HIDDEN, **made),
    )
    mask = padding_mask(torch.tensor([4, 7]), 7)
    assert_same(
        ours,
        theirs,
        lambda x: ours(x, mask),
        lambda x: theirs(x, src_key_padding_mask=~mask[:, 0]),
        draw(2, 7, D),
    )
    ours, theirs = ready(
        DecoderLayer(D, HEADS, HIDDEN, **options),
        nn.TransformerDecoderLayer(D, HEADS, HIDDEN, **made),
    )
    assert_same(
        ours,
        theirs,
        lambda x, memory: ours(x, memory, memory_mask=mask),
        lambda x, memory: theirs(
            x, memory, tgt_mask=~causal_mask(5), memory_key_padding_mask=~mask[:, 0]
        ),
        draw(2, 5, D),
        draw(2, 7, D),
    )


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
def test_the_whole_model_is_that_of_torch(norm_first):
    config = Config(
        embed_dim=D, num_heads=HEADS, num_layers=2, hidden=HIDDEN, norm_first=norm_first
    )
    theirs = nn.Transformer(
        D, HEADS, 2, 2, HIDDEN, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    ours, theirs = ready(Transformer(config), theirs)
    lengths = torch.tensor([4, 7])
    mask = padding_mask(lengths, 7)
    blocked = {"src_key_padding_mask": ~mask[:, 0], "memory_key_padding_mask": ~mask[:, 0]}
    assert_same(
        ours,
        theirs,
        lambda source, target: ours(source, target, mask),
        lambda source, target: theirs(source, target, tgt_mask=~causal_mask(5), **blocked),
        draw(2, 7, D),
        draw(2, 5, D),
    )


def test_stacks_are_their_layers():
    config = Config(embed_dim=D, num_heads=HEADS, hidden=HIDDEN, num_layers=2, final_norm=False)
    x, memory = draw(2, 5, D), draw(2, 7, D)
    encoder, decoder = wide(Encoder(config)), wide(Decoder(config))
    expected = encoder.layers[1](encoder.layers[0](x, is_causal=True), is_causal=True)
    assert_equal(encoder(x, is_causal=True), expected)
    assert_equal(decoder(x, memory), decoder.layers[1](decoder.layers[0](x, memory), memory))


def test_a_layer_without_feed_forward_and_one_that_shows_its_weights():
    layer = wide(EncoderLayer(D, HEADS, 0, norm_first=True))
    x = draw(2, 5, D)
    assert_equal(layer(x), x + layer.attention(layer.attention_norm(x)))
    found, weights = layer(x, is_causal=True, need_weights=True)
    assert_equal(found, layer(x, is_causal=True))
    assert weights.shape == (2, HEADS, 5, 5)
    assert weights.triu(1).eq(0).all()
    with pytest.raises(ValueError, match="norm"):
        EncoderLayer(D, HEADS, 3, norm="batch")


def test_dropout_is_in_each_residual_branch_and_in_training_alone():
    torch.manual_seed(1)
    layer = EncoderLayer(64, 4, 64, norm_first=True, dropout=0.25)
    x = torch.randn(3, 50, 64)
    layer.eval()
    assert_equal(layer(x), layer(x))
    layer.train()
    with torch.no_grad():
        layer.feed_forward.down.weight.zero_()
        layer.feed_forward.down.bias.zero_()
        dropped = (layer(x) == x).float().mean().item()
    assert dropped == pytest.approx(0.25, abs=0.02)


def llama(**changes):
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {
        "vocab_size": 31,
        "hidden_size": 24,
        "intermediate_size": 13,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5,
    }
    model = LlamaForCausalLM(LlamaConfig(**sizes, **changes)).double().eval()
    return wide(model)


def exact_angles(x, position_ids):
    """Rotary positions of Llama, in float64."""
    rates = 10_000.0 ** (-torch.arange(2).double() / 2)
    angles = position_ids[..., None] * torch.cat([rates, rates])
    return angles.cos(), angles.sin()


@pytest.mark.parametrize("tied", [False, True])
def test_llama_weights_go_both_ways(tied):
    theirs = llama(tie_word_embeddings=tied)
    config = Config(
        embed_dim=24,
        num_heads=6,
        kv_heads=2,
        hidden=13,
        num_layers=3,
        vocabulary=31,
        tied=tied,
        **MODERN,
    )
    ours = DecoderOnly(config).double()
    ours.load_state_dict(from_llama(theirs.state_dict()))
    tokens = torch.randint(31, (2, 17))
    # they compute angles and norms in float32 whatever the weights are: first so, then in float64
    assert_equal(ours(tokens), theirs(tokens).logits, rtol=1e-4, atol=1e-4)
    theirs.model.rotary_emb.forward = exact_angles
    for module in theirs.modules():
        if "RMSNorm" in type(module).__name__:
            module.forward = partial(
                F.rms_norm, normalized_shape=(24,), weight=module.weight, eps=1e-5
            )
    logits = theirs(tokens).logits
    assert_equal(ours(tokens), logits)
    assert logits.std() > 0.5
    back = from_llama(ours.state_dict(), back=True)
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(back[name], tensor)
    grads = slopes(ours(tokens), [ours.layers[0].attention.key.weight])
    expected = slopes(theirs(tokens).logits, [theirs.model.layers[0].self_attn.k_proj.weight])
    assert_equal(grads, expected)


def test_ties_and_starts():
    torch.manual_seed(0)
    sizes = {"embed_dim": 64, "vocabulary": 1000, "hidden": 32, "num_layers": 1}
    tied = DecoderOnly(Config(**sizes, tied=True, positions="learned"))
    assert tied.head.weight is tied.embed.weight
    assert tied.embed.weight.std().item() == pytest.approx(1 / 8, rel=0.02)
    assert tied.table.std().item() == pytest.approx(0.02, rel=0.03)
    assert tied(torch.randint(1000, (3, 50))).std().item() == pytest.approx(1, rel=0.1)
    fixed = DecoderOnly(Config(**sizes, positions="sinusoidal"))
    assert "table" not in fixed.state_dict()
    for wrong in ({"positions": "guessed"}, {"vocabulary": 0}):
        with pytest.raises(ValueError, match=r"positions|vocabulary"):
            DecoderOnly(Config(**{**sizes, **wrong}))
    with pytest.raises(ValueError, match="257 are"):
        fixed(torch.zeros(1, 257, dtype=torch.int64))


def test_a_decoder_shows_its_weights_and_sees_no_future():
    model = wide(DecoderOnly(Config(embed_dim=16, vocabulary=7, **MODERN)))
    assert isinstance(model.layers[0].feed_forward, SwiGLU)
    tokens = torch.randint(7, (2, 9))
    logits, weights = model(tokens, need_weights=True)
    assert_equal(logits, model(tokens))
    assert [part.shape for part in weights] == [(2, 4, 9, 9)] * 2
    changed = tokens.clone()
    changed[:, 5] = (tokens[:, 5] + 1) % 7
    assert_equal(model(changed)[:, :5], logits[:, :5])
    padded = model(tokens, decoder_mask(torch.tensor([4, 9]), 9))
    assert_equal(padded[0, :4], model(tokens[:1, :4])[0])


def test_attention_back():
    weights = torch.rand(2, 3, 7, 7).double()
    for back, start in ((0, 0), (1, 0), (2, 5), (6, 0), (3, 2)):
        queries = range(max(back, start), 7)
        expected = sum(weights[..., i, i - back] for i in queries) / len(queries)
        assert_equal(attention_back(weights, back, start=start), expected)
    with pytest.raises(ValueError, match="none is at 7"):
        attention_back(weights, 7)


def test_weights_are_attention_to_values_that_say_whose_they_are():
    q, k = draw(2, 5, 3), draw(2, 7, 3)
    weights = scaled_dot_product_attention(q, k, torch.eye(7).double())
    assert_equal(weights, torch.softmax(q @ k.mT / 3**0.5, dim=-1))
