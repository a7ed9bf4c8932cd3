"""`solutions.recurrent` against torch.nn, autograd, and counting by hand."""

import itertools
import math
from collections import Counter, defaultdict
from functools import partial

import draws
import pytest
import torch
from draws import draw
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from solutions.recurrent import (
    GRU,
    LSTM,
    RNN,
    CharacterModel,
    ElmanRNN,
    KneserNey,
    Recurrent,
    SequenceClassifier,
    bits_per_character,
    draw_next,
    generate,
    gradient_by_distance,
    gru_cell,
    last_states,
    lstm_cell,
    orthogonal,
    reverse_padded,
    rnn_backward,
    rnn_cell,
    rnn_states,
    train_characters,
    unroll,
)

assert_equal = partial(draws.assert_equal, rtol=1e-10, atol=1e-11)

PAIRS = {"rnn": (RNN, nn.RNN), "lstm": (LSTM, nn.LSTM), "gru": (GRU, nn.GRU)}
SETTINGS = [
    {"num_layers": layers, "bidirectional": both, "bias": bias}
    for layers, both, bias in itertools.product((1, 2, 3), (False, True), (True, False))
]


def weighted(*outputs):
    """A sum in which every entry counts differently."""
    flat = torch.cat([output.flatten() for output in outputs])
    return (flat * torch.cos(torch.arange(len(flat)))).sum()


def flat(output, state):
    return [output, *(state if isinstance(state, tuple) else (state,))]


def both_layers(kind, **settings):
    """Ours and torch's, with the same weights, drawn wide."""
    ours, theirs = PAIRS[kind]
    torch.manual_seed(0)
    theirs = theirs(3, 5, batch_first=True, **settings).double()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.7)
    ours = ours(3, 5, **settings).double()
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


# cells


@pytest.mark.parametrize(("kind", "gates"), [("rnn", 1), ("lstm", 4), ("gru", 3)])
def test_cells(rng, kind, gates):
    theirs = {"rnn": nn.RNNCell, "lstm": nn.LSTMCell, "gru": nn.GRUCell}[kind](3, 5).double()
    x, h, c = draw(rng, 2, 3), draw(rng, 2, 5), draw(rng, 2, 5)
    projected = F.linear(x, theirs.weight_ih, theirs.bias_ih)
    assert projected.shape == (2, gates * 5)
    weights = theirs.weight_hh, theirs.bias_hh
    if kind == "lstm":
        for got, expected in zip(
            lstm_cell(projected, h, c, *weights), theirs(x, (h, c)), strict=True
        ):
            assert_equal(got, expected)
    else:
        cell = rnn_cell if kind == "rnn" else gru_cell
        assert_equal(cell(projected, h, *weights), theirs(x, h))


# layers


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kind", PAIRS)
def test_layers_have_the_outputs_and_gradients_of_torch(rng, kind, settings):
    ours, theirs = both_layers(kind, **settings)
    count = settings["num_layers"] * (1 + settings["bidirectional"])
    parts = [draw(rng, count, 2, 5) for _ in range(1 + (kind == "lstm"))]
    x = draw(rng, 2, 7, 3)
    for start in (None, parts):
        slopes = []
        for layer in (ours, theirs):
            leaves = [x.clone().requires_grad_(), *layer.parameters()]
            if start is None:
                found = flat(*layer(leaves[0]))
            else:
                state = [part.clone().requires_grad_() for part in start]
                leaves += state
                found = flat(*layer(leaves[0], tuple(state) if kind == "lstm" else state[0]))
            slopes.append((found, torch.autograd.grad(weighted(*found), leaves)))
        for one, other in zip(*slopes, strict=True):
            for got, expected in zip(one, other, strict=True):
                assert_equal(got, expected)


@pytest.mark.parametrize("settings", SETTINGS[::2], ids=str)
@pytest.mark.parametrize("kind", PAIRS)
def test_lengths_are_what_packing_does(rng, kind, settings):
    ours, theirs = both_layers(kind, **settings)
    lengths = torch.tensor([4, 7, 1, 6])
    x = draw(rng, 4, 7, 3)
    x[torch.arange(7) >= lengths[:, None]] = math.nan  # nobody may look there
    leaves = [x.clone().requires_grad_() for _ in range(2)]
    packed = pack_padded_sequence(leaves[1], lengths, batch_first=True, enforce_sorted=False)
    output, state = theirs(packed)
    expected = flat(pad_packed_sequence(output, batch_first=True)[0], state)
    got = flat(*ours(leaves[0], lengths=lengths))
    for one, other in zip(got, expected, strict=True):
        assert_equal(one, other)
    ours_in = torch.autograd.grad(weighted(*got), [leaves[0], *ours.parameters()])
    theirs_in = torch.autograd.grad(weighted(*expected), [leaves[1], *theirs.parameters()])
    for one, other in zip(ours_in, theirs_in, strict=True):
        assert_equal(one, other)
    # the state of the last layer, picked out of its outputs
    picked = last_states(got[0], lengths, bidirectional=settings["bidirectional"])
    ways = 1 + settings["bidirectional"]
    assert_equal(picked, torch.cat([*got[1][-ways:]], dim=1))


@pytest.mark.parametrize("kind", PAIRS)
def test_weights_load_both_ways_and_start_alike(kind):
    ours, theirs = PAIRS[kind]
    settings = {"num_layers": 2, "bidirectional": True}
    one, other = ours(3, 50, **settings), theirs(3, 50, batch_first=True, **settings)
    other.load_state_dict(one.state_dict())
    assert list(one.state_dict()) == list(other.state_dict())
    x = torch.randn(2, 3, 3)
    torch.testing.assert_close(one(x)[0], other(x)[0])
    for parameter in one.parameters():
        assert 0.9 / 50**0.5 < parameter.abs().max() <= 1 / 50**0.5
    assert all(p.device.type == "meta" for p in ours(3, 5, device="meta").parameters())


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="one of rnn, lstm, gru, got 'cnn'"):
        Recurrent(2, 3, kind="cnn")


def test_unroll_reads_on_where_it_left_off(rng):
    weights = draw(rng, 20, 3), draw(rng, 20, 5), draw(rng, 20), draw(rng, 20)
    x, state = draw(rng, 2, 7, 3), [draw(rng, 2, 5), draw(rng, 2, 5)]
    whole, end = unroll(x, state, *weights, kind="lstm")
    first, between = unroll(x[:, :3], state, *weights, kind="lstm")
    second, after = unroll(x[:, 3:], between, *weights, kind="lstm")
    assert_equal(torch.cat([first, second], dim=1), whole)
    assert_equal(torch.stack(after), torch.stack(end))


def test_reversing_twice_is_nothing(rng):
    x, lengths = draw(rng, 3, 7, 2), torch.tensor([1, 7, 4])
    assert torch.equal(reverse_padded(reverse_padded(x, lengths), lengths), x)
    assert torch.equal(reverse_padded(x, lengths)[2, :4], x[2, :4].flip(0))
    assert torch.equal(reverse_padded(x), x.flip(1))


# Elman


def test_elman_network_is_a_recurrent_layer_and_a_linear_one(rng):
    net = ElmanRNN(3, 5, output_size=2).double()
    assert not net.h0.any()
    net.h0.data = draw(rng, 5)
    layer = RNN(3, 5).double()
    weights = net.weight_xh, net.weight_hh, net.bias_h, torch.zeros(5)
    layer.load_state_dict(dict(zip(layer.state_dict(), weights, strict=True)))
    x = draw(rng, 4, 7, 3)
    states, end = layer(x, net.h0.expand(1, 4, 5))
    y, h = net(x)
    assert_equal(y, states @ net.weight_hy.T + net.bias_y)
    assert_equal(h, end[0])
    assert_equal(net(x[:, 4:], net(x[:, :4])[1])[0], y[:, 4:])
    (slope,) = torch.autograd.grad(weighted(y), net.h0)
    assert slope.abs().min() > 0


# backpropagation through time


def test_gradients_by_hand(rng):
    x, h, wx, wh = (draw(rng, *s).requires_grad_() for s in ((2, 7, 3), (2, 5), (5, 3), (5, 5)))
    states = rnn_states(x, h, wx, wh)
    grad = draw(rng, *states.shape)
    expected = torch.autograd.grad(states, (x, h, wx, wh), grad)
    with torch.no_grad():
        for got, want in zip(rnn_backward(grad, x, h, states, wx, wh), expected, strict=True):
            assert_equal(got, want)


@pytest.mark.parametrize("span", [1, 2, 3, 7, 11])
def test_a_span_changes_gradients_alone(rng, span):
    x, h, wx, wh = (draw(rng, *s).requires_grad_() for s in ((2, 7, 3), (2, 5), (5, 3), (5, 5)))
    states = rnn_states(x, h, wx, wh, span=span)
    assert torch.equal(states, rnn_states(x, h, wx, wh))
    (slope,) = torch.autograd.grad(states[:, -1].sum(), x)
    reached = slope.abs().sum(dim=(0, 2)) > 0
    begin = 6 // span * span
    assert reached.tolist() == [t >= begin for t in range(7)]


def test_gradient_by_distance_is_the_norm_of_the_jacobian(rng):
    layer, x = LSTM(3, 5).double(), draw(rng, 2, 7, 3)
    got = gradient_by_distance(lambda x: layer(x)[0], x)
    for row, one in zip(got, x, strict=True):
        jacobian = torch.func.jacrev(lambda x: layer(x[None])[0][0, -1])(one)  # (H, T, D)
        assert_equal(row, jacobian.square().sum(dim=(0, 2)).sqrt().flip(0))


@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7)])
def test_orthogonal_start(shape):
    expected = nn.init.orthogonal_(torch.empty(shape), generator=torch.Generator().manual_seed(1))
    wide = shape[0] < shape[1]  # torch draws the transposed matrix then, and in another order
    flat = torch.empty(shape).normal_(generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(orthogonal(flat), expected)
    square = expected @ expected.T if wide else expected.T @ expected
    torch.testing.assert_close(square, torch.eye(min(shape)))


# counting


def by_hand(text, context, symbols, order, discount):
    """Interpolated Kneser–Ney from its definition, with dictionaries."""
    p = [1 / symbols] * symbols
    for n in range(1, order + 1):
        if n - 1 > len(context):
            return p
        counts = defaultdict(Counter)
        if n == order:
            for i in range(len(text) - n + 1):
                counts[tuple(text[i : i + n - 1])][text[i + n - 1]] += 1
        else:
            for gram in {tuple(text[i : i + n + 1]) for i in range(len(text) - n)}:
                counts[gram[1:-1]][gram[-1]] += 1
        now = counts[tuple(context[len(context) - n + 1 :])]
        total = sum(now.values())
        if total:
            p = [
                (max(now[w] - discount, 0) + discount * len(now) * p[w]) / total
                for w in range(symbols)
            ]
    return p


@pytest.mark.parametrize(("order", "discount"), [(1, 0.5), (2, 0.75), (3, 0.9), (4, 0.2)])
def test_kneser_ney_by_hand(rng, order, discount):
    text = torch.randint(5, (60,), generator=rng).square() % 7  # some symbols never occur
    tokens = torch.randint(7, (2, 9), generator=rng)
    got = KneserNey(text, 7, order=order, discount=discount)(tokens).exp()
    torch.testing.assert_close(got.sum(dim=-1), torch.ones(2, 9, dtype=torch.float64))
    for row, one in enumerate(tokens.tolist()):
        for t in range(9):
            hand = by_hand(text.tolist(), one[: t + 1], 7, order, discount)
            assert_equal(got[row, t], torch.tensor(hand, dtype=torch.float64))


def test_kneser_ney_knows_that_francisco_follows_one_word_alone():
    # a, b, c, d follow one another freely; f is frequent, and follows s alone
    text = torch.tensor([0, 4, 5, 1, 4, 5, 2, 4, 5, 3, 1, 0, 2, 3, 0, 1, 3, 2, 4, 5, 4, 5])
    once = KneserNey(text, 7, order=2)(torch.tensor([[6]])).exp()[0, 0]  # after the unseen
    assert once.argmax() != 5
    assert torch.bincount(text).argmax() in (4, 5)
    assert once[5] < once[1]


def test_bits(rng):
    logits, target = draw(rng, 2, 5, 7), torch.randint(7, (2, 5), generator=rng)
    expected = F.cross_entropy(logits.transpose(1, 2), target, reduction="none") / math.log(2)
    assert_equal(bits_per_character(logits, target), expected.mean())
    mask = torch.tensor([[1, 1, 0, 1, 0], [1, 0, 0, 1, 1]], dtype=torch.bool)
    assert_equal(bits_per_character(logits, target, mask), expected[mask].mean())
    even = bits_per_character(torch.zeros(3, 8), torch.tensor([1, 2, 3]))
    torch.testing.assert_close(even, torch.tensor(3.0))


# models


def test_draws_are_as_likely_as_they_should_be():
    logits = torch.tensor([[0.5, -1.0, 2.0, 0.0]])
    spread = (torch.arange(10_000) + 0.5) / 10_000
    drawn = draw_next(logits.expand(10_000, -1), spread, temperature=2.0)
    shares = torch.bincount(drawn, minlength=4) / 10_000
    torch.testing.assert_close(shares, (logits[0] / 2).softmax(0), atol=2e-4, rtol=0)
    assert draw_next(logits, torch.tensor([0.0]), temperature=0).item() == 2
    assert draw_next(logits, torch.tensor([1.0 - 2**-24])).item() == 3
    with pytest.raises(ValueError, match="not be negative"):
        draw_next(logits, torch.zeros(1), temperature=-1.0)


@pytest.mark.parametrize("kind", PAIRS)
def test_a_model_that_reads_piece_by_piece_says_the_same(rng, kind):
    model = CharacterModel(7, embed_dim=3, hidden_size=5, kind=kind)
    tokens = torch.randint(7, (2, 9), generator=rng)
    whole, _ = model(tokens)
    first, state = model(tokens[:, :4])
    second, _ = model(tokens[:, 4:], state)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)


@pytest.mark.parametrize("kind", PAIRS)
def test_a_model_learns_a_rhyme_and_says_it(kind):
    torch.manual_seed(0)
    rhyme = torch.tensor([0, 1, 2, 1, 3, 1, 0, 4]).repeat(60)  # what follows 1 needs a memory
    model = CharacterModel(5, embed_dim=4, hidden_size=12, kind=kind)
    losses, norms = train_characters(model, rhyme, steps=150, batch_size=4, span=16)
    assert losses.shape == norms.shape == (150,)
    assert losses[-1] < 0.1
    said = generate(model, rhyme[:8], count=16, temperature=0.0)
    assert said.tolist() == rhyme[:16].tolist()


def test_training_starts_anew_with_the_text(monkeypatch):
    """The state is carried on within a round through the text, and reset at its end."""
    given = []
    model = CharacterModel(5, embed_dim=2, hidden_size=3, kind="lstm")
    forward = model.forward

    def watched(tokens, state=None):
        given.append((tokens, state))
        return forward(tokens, state)

    monkeypatch.setattr(model, "forward", watched)
    text = torch.arange(2 * 9 + 1) % 5
    train_characters(model, text, steps=5, batch_size=2, span=4)
    assert [state is None for _, state in given] == [True, False, True, False, True]
    assert torch.equal(torch.cat([tokens for tokens, _ in given[:2]], dim=1)[1], text[9:17])
    assert not any(part.requires_grad for _, state in given if state for part in state)


def test_generating_follows_the_generator(rng):
    model = CharacterModel(7, embed_dim=3, hidden_size=5)
    runs = [
        generate(model, torch.tensor([1]), count=20, generator=torch.Generator().manual_seed(s))
        for s in (1, 1, 2)
    ]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_classifier_does_not_see_padding_or_its_neighbors(rng, bidirectional):
    model = SequenceClassifier(9, 4, embed_dim=3, hidden_size=5, bidirectional=bidirectional)
    tokens, lengths = torch.randint(9, (3, 7), generator=rng), torch.tensor([2, 7, 4])
    scores = model(tokens, lengths)
    assert scores.shape == (3, 4)
    for row, length in enumerate(lengths.tolist()):
        alone = model(tokens[row : row + 1, :length], lengths[row : row + 1])
        torch.testing.assert_close(scores[row], alone[0])
