"""`solutions.transfer` against transformers, against its own definitions, and round trips."""

import copy
import itertools
import math

import pytest
import torch
from draws import draw
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from solutions.transfer import (
    Adapter,
    At,
    Classifier,
    LoRA,
    Prefix,
    Prompted,
    Reader,
    Rewriter,
    add_lora,
    calibrated,
    draw_spans,
    few_shot_prompt,
    forgotten,
    holes,
    label_scores,
    layer_rates,
    lora_linear,
    lora_size,
    masked_loss,
    next_token_loss,
    prefix_mask,
    prompt_loss,
    restore_spans,
    span_corruption,
    span_loss,
    text_infilling,
    with_prompt,
)
from solutions.transformer import Config, MultiHeadAttention

CONFIG = Config(
    embed_dim=12,
    num_heads=3,
    num_layers=2,
    hidden=20,
    vocabulary=23,
    positions="rotary",
    norm_first=True,
    activation="gelu",
)


@pytest.fixture
def reader():
    torch.manual_seed(0)
    return Reader(CONFIG, is_causal=True).double()


# spans

SPANS = st.integers(1, 40).flatmap(
    lambda length: st.tuples(
        st.just(length), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=9)
    )
)


def spans_of(gaps, length, least):
    """Starts and lengths from gaps and lengths, as far as they fit."""
    starts, lengths, end = [], [], 0
    for gap, size in gaps:
        size = max(size, least)
        if end + gap + size > length:
            break
        starts.append(end + gap)
        lengths.append(size)
        end += gap + size
    return starts, lengths


@settings(max_examples=200, deadline=None)
@given(SPANS)
def test_spans_that_were_cut_out_can_be_put_back(case):
    length, gaps = case
    tokens = torch.arange(length) * 7 % 50
    starts, lengths = spans_of(gaps, length, 1)
    read, asked = span_corruption(tokens, starts, lengths, sentinel=100)
    assert torch.equal(restore_spans(read, asked, sentinel=100), tokens)
    marks = [token for token in read.tolist() if token >= 100]
    assert marks == list(range(100, 100 + len(marks)))  # in their order, each once
    assert [token for token in asked.tolist() if token >= 100] == [*marks, 100 + len(marks)]
    assert len(read) + len(asked) == length + 2 * len(marks) + 1  # nothing is asked twice
    assert not any(a >= 100 and b >= 100 for a, b in itertools.pairwise(read))


def test_the_example_of_the_paper():
    words = ["Thank", "you", "for", "inviting", "me", "to", "your", "party", "last", "week", "."]
    read, asked = span_corruption(torch.arange(len(words)), [2, 8], [2, 1], sentinel=100)
    named = lambda tokens: [words[t] if t < 100 else f"<{'XYZ'[t - 100]}>" for t in tokens]  # noqa: E731
    assert " ".join(named(read)) == "Thank you <X> me to your party <Y> week ."
    assert " ".join(named(asked)) == "<X> for inviting <Y> last <Z>"


@pytest.mark.parametrize("spans", [([3], [0]), ([2, 3], [2, 1]), ([9], [3]), ([4, 1], [1, 1])])
def test_spans_that_cannot_be_cut_are_refused(spans):
    with pytest.raises(ValueError, match="no span"):
        span_corruption(torch.arange(11), *spans, sentinel=100)


@settings(max_examples=100, deadline=None)
@given(SPANS)
def test_infilling_leaves_one_mask_per_span(case):
    length, gaps = case
    starts, lengths = spans_of(gaps, length, 0)
    expected, end = "", 0
    text = "".join(chr(97 + place % 26) for place in range(length))
    for start, size in zip(starts, lengths, strict=True):
        expected += text[end:start] + "_"
        end = start + size
    expected += text[end:]
    tokens = torch.tensor([ord(letter) for letter in text])
    found = text_infilling(tokens, starts, lengths, mask=ord("_"))
    assert "".join(map(chr, found)) == expected


# one stack


def test_the_mask_makes_the_family(rng, reader):
    tokens = torch.randint(23, (2, 7), generator=rng)
    both = Reader(CONFIG).double()
    both.load_state_dict(reader.state_dict())
    as_decoder = both(tokens, prefix_mask(torch.tensor([0, 0]), 7))
    torch.testing.assert_close(as_decoder, reader(tokens))
    whole = both(tokens, prefix_mask(torch.tensor([7, 7]), 7))
    torch.testing.assert_close(whole, both(tokens))
    changed = tokens.clone()
    changed[:, 4] = (tokens[:, 4] + 1) % 23
    moved = [
        (model(changed, mask) != model(tokens, mask)).any(dim=-1)[0].tolist()
        for model, mask in (
            (both, None),
            (reader, None),
            (both, prefix_mask(torch.tensor([3, 3]), 7)),
            (both, prefix_mask(torch.tensor([5, 5]), 7)),
        )
    ]
    assert moved == [[True] * 7, [False] * 4 + [True] * 3, [False] * 4 + [True] * 3, [True] * 7]


def test_a_prefix_of_one_is_a_causal_mask():
    assert torch.equal(prefix_mask(torch.tensor([0]), 5), prefix_mask(torch.tensor([1]), 5))
    assert prefix_mask(torch.tensor([3, 0]), 4).int().tolist() == [
        [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
    ]


def test_the_decoder_sees_the_source_and_not_what_is_to_come(rng):
    torch.manual_seed(0)
    model = Rewriter(CONFIG).double()
    source, target = (torch.randint(23, (2, length), generator=rng) for length in (7, 5))
    real = torch.arange(7) < torch.tensor([[7], [4]])
    logits = model(source, target, real)
    assert logits.shape == (2, 5, 23)
    other = torch.where(real, source, (source + 3) % 23)
    torch.testing.assert_close(model(other, target, real), logits)  # padding does not matter
    later = target.clone()
    later[:, 3:] = 0
    torch.testing.assert_close(model(source, later, real)[:, :3], logits[:, :3])
    assert not torch.allclose(model((source + 1) % 23, target, real), logits)


# what each family is asked


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 6), st.integers(0, 9), st.integers(0, 9), st.integers(0, 99))
def test_drawn_spans_lie_apart(number, more, room, seed):
    missing = number + more
    length = missing + number - 1 + room
    drawn = draw_spans(length, missing, number, torch.Generator().manual_seed(seed))
    read, asked = span_corruption(torch.arange(length), *drawn, sentinel=100)
    assert len(read) == length - missing + number
    assert len(asked) == missing + number + 1


def test_all_places_of_a_span_are_drawn(rng):
    drawn = [draw_spans(5, 2, 1, rng)[0][0] for _ in range(200)]
    assert set(drawn) == {0, 1, 2, 3}


def test_each_family_is_asked_what_it_should(rng, reader):
    rows = torch.randint(20, (5, 9), generator=rng)
    log_p = reader.score(reader(rows)).log_softmax(dim=-1)[:, :-1]
    expected = -log_p.gather(-1, rows[:, 1:, None]).mean()
    torch.testing.assert_close(next_token_loss(reader, rows), expected)
    both = Reader(CONFIG).double()
    again = torch.Generator().manual_seed(7)
    chosen = torch.rand(rows.shape, generator=again) < 0.4
    log_p = both.score(both(torch.where(chosen, 22, rows))).log_softmax(dim=-1)
    expected = -log_p.gather(-1, rows[..., None])[..., 0][chosen].mean()
    found = masked_loss(both, rows, again.manual_seed(7), mask=22, share=0.4)
    torch.testing.assert_close(found, expected)
    model = Rewriter(CONFIG).double()
    given = {"sentinel": 20, "missing": 3, "number": 2}
    losses = []
    again.manual_seed(7)
    for row in rows:
        read, asked = span_corruption(row, *draw_spans(9, 3, 2, again), sentinel=20)
        log_p = model(read[None], asked[None, :-1])[0].log_softmax(dim=-1)
        losses.append(-log_p.gather(-1, asked[1:, None]).mean())
    found = span_loss(model, rows, again.manual_seed(7), **given)
    torch.testing.assert_close(found, torch.stack(losses).mean())


def test_a_hole_for_each_word_with_room_on_both_sides():
    tokens = torch.tensor([1, 5, 6, 1, 2, 7, 8, 9, 2, 3])
    rows, labels = holes(tokens, torch.tensor([2, 1]), before=2, after=1, hole=0)
    assert rows.tolist() == [[5, 6, 0, 2], [6, 1, 0, 7], [8, 9, 0, 3]]
    assert labels.tolist() == [1, 0, 0]
    assert tokens.tolist() == [1, 5, 6, 1, 2, 7, 8, 9, 2, 3]


# the head, and who learns


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.drop = nn.Linear(5, 7), nn.Dropout(0.5)
        self.norm = nn.BatchNorm1d(7)

    def forward(self, x):
        return self.norm(self.drop(self.layer(x)))


def test_a_frozen_trunk_stays_as_it_is(rng):
    torch.manual_seed(0)
    trunk = Noisy().double()
    model = Classifier(trunk, 7, 3, frozen=True).double().train()
    x, before = draw(rng, 11, 5), copy.deepcopy(trunk.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
    for _ in range(3):
        model(x).square().sum().backward()
        optimizer.step()
    for name, value in trunk.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert model.training
    assert not any(part.training for part in trunk.modules())
    model.eval()
    expected = trunk.eval()(x) @ model.head.weight.T + model.head.bias
    torch.testing.assert_close(model(x), expected)
    thawed = Classifier(trunk, 7, 3).train()
    assert trunk.training
    assert all(p.requires_grad for p in thawed.parameters())


def test_rates_fall_from_the_top_to_the_bottom(reader):
    names = [name for name, _ in Classifier(At(reader, -1), 12, 2).named_parameters()]
    rates = layer_rates(names, layers=2, rate=1.0, decay=2.0)
    assert list(rates) == names
    assert {name.split(".layers.")[-1][0] for name in names if rates[name] == 0.5} == {"1"}
    assert {name.split(".layers.")[-1][0] for name in names if rates[name] == 0.25} == {"0"}
    assert [name for name in names if rates[name] == 0.125] == ["trunk.reader.embed.weight"]
    top = {name for name in names if rates[name] == 1.0}
    assert top == {"trunk.reader.encoder.norm.weight", "trunk.reader.encoder.norm.bias"} | {
        "head.weight",
        "head.bias",
    }


def test_an_adapter_starts_as_nothing(rng):
    adapter, x = Adapter(12, 5).double(), draw(rng, 3, 12)
    assert torch.equal(adapter(x), x)
    adapter(x).square().sum().backward()
    assert adapter.up.weight.grad.abs().max() > 0
    nn.init.normal_(adapter.up.weight)
    middle = F.gelu(x @ adapter.down.weight.T + adapter.down.bias)
    torch.testing.assert_close(adapter(x), x + middle @ adapter.up.weight.T)


# low rank


def test_low_rank_by_hand_and_by_functional_call(rng):
    x, weight, A, B = draw(rng, 2, 5, 7), draw(rng, 11, 7), draw(rng, 3, 7), draw(rng, 11, 3)
    leaves = [part.requires_grad_() for part in (x, A, B)]
    found = lora_linear(x, weight, A, B, alpha=6.0)
    expected = x @ (weight + 2 * B @ A).T
    torch.testing.assert_close(found, expected)
    ours, theirs = (torch.autograd.grad(out.cos().sum(), leaves) for out in (found, expected))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)
    base = nn.Linear(7, 11).double()
    layer = LoRA(base, rank=3, alpha=6.0)
    with torch.no_grad():
        layer.A.copy_(A), layer.B.copy_(B)
    torch.testing.assert_close(layer(x), lora_linear(x, base.weight, A, B, alpha=6.0) + base.bias)


def test_merging_changes_the_weight_and_no_logit(rng, reader):
    tokens, target = (torch.randint(23, (4, 9), generator=rng) for _ in range(2))
    plain = reader.score(reader(tokens))
    shapes = {name: tuple(p.shape) for name, p in reader.named_parameters()}
    weights = copy.deepcopy(reader.state_dict())
    parts = ["query", "value", "up"]
    trained = add_lora(reader, parts, rank=3, alpha=6.0)
    assert len(trained) == 2 * 2 * len(parts)
    assert sum(math.prod(shape) for shape in trained.values()) == lora_size(shapes, parts, 3)
    torch.testing.assert_close(reader.score(reader(tokens)), plain, rtol=0, atol=0)
    optimizer = torch.optim.AdamW(reader.parameters(), lr=0.01)
    for _ in range(3):
        loss = F.cross_entropy(reader.score(reader(tokens)).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with_gradient = {name for name, p in reader.named_parameters() if p.grad is not None}
    assert with_gradient == set(trained)
    learned = reader.score(reader(tokens))
    assert not torch.allclose(learned, plain)
    layers = [module for module in reader.modules() if isinstance(module, LoRA)]
    for layer in layers:
        layer.merge()
        layer.merge()
    torch.testing.assert_close(reader.score(reader(tokens)), learned, rtol=1e-12, atol=1e-12)
    for layer in layers:
        layer.unmerge()
        layer.unmerge()
    torch.testing.assert_close(reader.score(reader(tokens)), learned, rtol=1e-12, atol=1e-12)
    for name, value in weights.items():
        name = next(
            (name.replace(f".{p}.", f".{p}.base.") for p in parts if f".{p}." in name), name
        )
        torch.testing.assert_close(reader.state_dict()[name], value, rtol=1e-12, atol=1e-12)


def test_the_start_of_low_rank_and_layers_that_are_not_there(reader):
    torch.manual_seed(0)
    layer = LoRA(nn.Linear(400, 300), rank=50, alpha=50)
    assert layer.A.std().item() == pytest.approx(0.05, rel=0.03)
    assert not layer.B.any()
    with pytest.raises(ValueError, match="called"):
        add_lora(reader, ["c_attn"], rank=2, alpha=2)


# prompts


def test_a_prompt_of_words_is_the_words(rng, reader):
    words, tokens = torch.tensor([3, 1, 19]), torch.randint(23, (2, 6), generator=rng)
    whole = torch.cat([words.expand(2, -1), tokens], dim=1)
    model = Prompted(reader, words)
    torch.testing.assert_close(model(tokens), reader(whole)[:, 3:])
    logits = reader.score(reader(tokens, prompt=model.prompt))
    asked = F.cross_entropy(logits[:, 2:-1].flatten(0, 1), tokens.flatten())
    loss = prompt_loss(logits, tokens)
    torch.testing.assert_close(loss, asked)
    loss.backward()
    assert [name for name, p in model.named_parameters() if p.grad is not None] == ["prompt"]


def test_positions_begin_with_the_prompt(rng):
    prompt, embedded, table = draw(rng, 3, 5), draw(rng, 2, 4, 5), draw(rng, 11, 5)
    found = with_prompt(prompt, embedded, table)
    torch.testing.assert_close(found[1, :3], prompt + table[:3])
    torch.testing.assert_close(found[1, 3:], embedded[1] + table[3:7])
    assert torch.equal(with_prompt(prompt, embedded)[:, 3:], embedded)


def test_a_prefix_is_a_cache_of_a_text_that_nobody_wrote(rng):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3).double()
    x, before = draw(rng, 2, 5, 12), draw(rng, 4, 12)
    prefix = Prefix(3, 4, 4, 4).double()
    with torch.no_grad():  # the keys and values of four words
        prefix.key.copy_(attention.key(before).unflatten(-1, (3, 4)).transpose(0, 1))
        prefix.value.copy_(attention.value(before).unflatten(-1, (3, 4)).transpose(0, 1))
    whole = torch.cat([before.expand(2, -1, -1), x], dim=1)
    for _ in range(2):
        found = attention(x, is_causal=True, cache=prefix)
        torch.testing.assert_close(found, attention(whole, is_causal=True)[:, 4:])
    found.sum().backward()
    assert prefix.key.grad.abs().max() > 0
    assert prefix.length == 4


# asked, and not trained


def test_scores_of_answers_are_those_of_the_whole_text(rng, reader):
    question = torch.randint(23, (5,), generator=rng)
    answers = [[3], [4, 5, 6], [4, 5]]
    width = max(map(len, answers))
    labels = torch.tensor([answer + [0] * (width - len(answer)) for answer in answers])
    lengths = torch.tensor([1, 3, 2])
    whole = torch.cat([question.expand(3, -1), labels], dim=1)
    log_probs = reader.score(reader(whole))[:, 4:-1].log_softmax(dim=-1)
    sums, means = (label_scores(log_probs, labels, lengths, mean=mean) for mean in (False, True))
    for answer, total, mean in zip(answers, sums, means, strict=True):
        text = torch.cat([question, torch.tensor(answer)])[None]
        log_p = reader.score(reader(text))[0, 4:-1].log_softmax(dim=-1)
        expected = sum(log_p[t, token] for t, token in enumerate(answer))
        torch.testing.assert_close(total, expected)
        torch.testing.assert_close(mean, expected / len(answer))
    assert sums[2] > sums[1]  # a beginning is never less probable than the whole


def test_what_is_always_said_counts_for_nothing(rng):
    scores, blank = draw(rng, 7, 3), draw(rng, 3)
    p = scores.softmax(dim=-1) / blank.softmax(dim=-1)
    torch.testing.assert_close(calibrated(scores, blank), p / p.sum(dim=-1, keepdim=True))
    torch.testing.assert_close(calibrated(blank + 5, blank), torch.full_like(blank, 1 / 3))
    several = torch.stack([blank, blank + 3])
    torch.testing.assert_close(calibrated(scores, several), calibrated(scores, blank))


def test_a_prompt_ends_where_the_answer_begins():
    found = few_shot_prompt([("one or two? ", " two"), ("a or b?", "a")], "is or are?\n")
    assert found == "Q: one or two?\nA: two\n\nQ: a or b?\nA: a\n\nQ: is or are?\nA:"
    assert few_shot_prompt([], "x") == "Q: x\nA:"


def test_forgetting_is_in_bits():
    before, after = torch.tensor([1.0, 2.0]), torch.tensor([1.0 + 2 * math.log(2), 2.0])
    torch.testing.assert_close(forgotten(before, after), torch.tensor(1.0))
