"""`solutions.translation` against the Transformer it is made of, and against itself uncached."""

import datetime
import itertools
import re
from functools import partial

import draws
import pytest
import torch
from babel.dates import format_date

from solutions.attention import AttendingDecoder, date_tokens
from solutions.self_attention import padding_mask
from solutions.seq2seq import (
    BOS,
    EOS,
    PAD,
    UNKNOWN,
    Vocabulary,
    beam_search,
    exhaustive_search,
    greedy,
    shift_right,
)
from solutions.transformer import Config, Transformer, sinusoidal
from solutions.translation import (
    HELD_FORMATS,
    PARTS,
    SMALL,
    beam_searches,
    cross_attention,
    date_lines,
    exactly_right,
    numbered,
    padded,
    pair_batches,
    recurrent,
    small,
    teach,
    transformer,
)

assert_equal = partial(draws.assert_equal, rtol=1e-10, atol=1e-11)

SYMBOLS, D, HEADS, HIDDEN = 11, 12, 3, 7
CONFIGS = {
    "2017": Config(embed_dim=D, num_heads=HEADS, num_layers=2, hidden=HIDDEN),
    "since": Config(
        embed_dim=D,
        num_heads=HEADS,
        num_layers=2,
        hidden=HIDDEN,
        positions="rotary",
        qk_norm=True,
        norm="rms",
        norm_first=True,
        activation="relu2",
        bias=False,
    ),
}
PAIRS = [([4, 5, 6], [7, 8]), ([9, 4, 5, 6, 7], [10, 9, 8, 7, 6, 5]), ([8], [4, 4, 10])]


@pytest.fixture(params=CONFIGS)
def model(request):
    """A model in float64 whose every parameter is drawn, biases and norms too."""
    made = transformer(SYMBOLS, CONFIGS[request.param]).double()
    rng = torch.Generator().manual_seed(0)
    for parameter in made.parameters():
        drawn = torch.randn(parameter.shape, generator=rng, dtype=torch.float64)
        parameter.data = parameter.data + 0.3 * drawn
    made.config = CONFIGS[request.param]
    return made


def test_it_is_the_whole_transformer_with_the_same_weights(model):
    batch = padded(PAIRS)
    read = shift_right(batch.target)
    whole = Transformer(model.config).double()
    whole.encoder.load_state_dict(model.encoder.stack.state_dict())
    whole.decoder.load_state_dict(model.decoder.stack.state_dict())
    table = model.encoder.embedding.weight.detach().clone().requires_grad_()

    def embedded(tokens):
        x = table[tokens] * D**0.5
        turned = model.config.positions == "rotary"
        return x if turned else x + sinusoidal(tokens.shape[1], D).double()

    mask = padding_mask(batch.lengths, batch.source.shape[1])
    expected = whole(embedded(batch.source), embedded(read), mask) @ table.T
    got = model(batch.source, batch.lengths, read)
    assert_equal(got, expected)
    weights = torch.randn(got.shape, generator=torch.Generator().manual_seed(1)).double()
    (got * weights).sum().backward()
    (expected * weights).sum().backward()
    shared = model.encoder.embedding.weight
    assert shared is model.decoder.embedding.weight
    assert_equal(shared.grad[PAD + 1 :], table.grad[PAD + 1 :])  # of read, written and scored
    theirs = dict(whole.named_parameters())
    for name, parameter in model.named_parameters():
        if "embedding" not in name:
            assert_equal(parameter.grad, theirs[name.replace("stack.", "")].grad)


def test_decoding_step_by_step_is_reading_all_at_once(model):
    batch = padded(PAIRS)
    read = shift_right(batch.target)
    expected = model(batch.source, batch.lengths, read).log_softmax(dim=-1)
    state = model.begin(batch.source, batch.lengths)
    for at in range(read.shape[1]):
        log_probs, state = model.step(read[:, at], state)
        assert_equal(log_probs, expected[:, at])
    for keys, values in state[2]:
        assert keys.shape == values.shape == (3, HEADS, read.shape[1], D // HEADS)


def test_a_piece_of_several_tokens_goes_on_from_the_state(model):
    batch = padded(PAIRS)
    read = shift_right(batch.target)
    memory, mask, state = model.begin(batch.source, batch.lengths)
    whole, _ = model.decoder(read, memory, mask, None)
    first, state = model.decoder(read[:, :2], memory, mask, state)
    rest, _ = model.decoder(read[:, 2:], memory, mask, state)
    assert_equal(torch.cat([first, rest], dim=1), whole)


def test_padding_of_the_source_changes_nothing(model):
    batch = padded(PAIRS)
    read = shift_right(batch.target)
    together = model(batch.source, batch.lengths, read)
    for row, pair in enumerate(PAIRS):
        alone = padded([pair])
        width = alone.target.shape[1]
        assert_equal(
            model(alone.source, alone.lengths, shift_right(alone.target))[0], together[row, :width]
        )
    other = batch.source.masked_fill(batch.source == PAD, 7)
    assert_equal(model(other, batch.lengths, read), together)


def test_searches_work_through_it(model):
    batch = padded(PAIRS[:1])
    first = torch.tensor([BOS])
    with torch.no_grad():
        state = model.begin(batch.source, batch.lengths)
        best = exhaustive_search(model.step, state, first, max_length=3)
        found = beam_search(model.step, state, first, beam=SYMBOLS**2, max_length=3)[0]
        row = greedy(model.step, state, first, max_length=3)
        narrow = beam_search(model.step, state, first, beam=1, max_length=3)[0]
    assert found.tokens == best.tokens
    assert found.score == pytest.approx(best.score, abs=1e-6)
    assert narrow.tokens == row[0, : len(narrow.tokens)].tolist()


@pytest.mark.parametrize("kind", ["lstm", "attention", "transformer"])
@pytest.mark.parametrize("penalty", [0.0, 1.0, 3.0])
def test_searches_side_by_side_find_what_each_finds_alone(kind, penalty):
    rng = torch.Generator().manual_seed(2)
    sizes = torch.randint(1, 8, (13, 1), generator=rng).tolist()
    sources = [torch.randint(4, SYMBOLS, size, generator=rng).tolist() for size in sizes]
    torch.manual_seed(1)
    made = small(kind, SYMBOLS)
    teach(made, [(source, source) for source in sources], rate=0.05, epochs=20, batch=13)
    made = made.double()
    limits = {"beam": 3, "max_length": 6, "penalty": penalty}
    batch = padded([(source, []) for source in sources])
    with torch.no_grad():
        state = made.begin(batch.source, batch.lengths)
        together = beam_searches(made.step, state, torch.full((13,), BOS), **limits)
        for source, found in zip(sources, together, strict=True):
            one = padded([(source, [])])
            alone = beam_search(
                made.step, made.begin(one.source, one.lengths), torch.tensor([BOS]), **limits
            )
            assert [row.tokens for row in found] == [row.tokens for row in alone]
            expected = pytest.approx([row.score for row in alone], rel=1e-9)
            assert [row.score for row in found] == expected
    ends = [row.tokens[-1] == EOS for found in together for row in found]
    lengths = {len(row.tokens) for found in together for row in found}
    assert any(ends)
    assert len(lengths) > 1  # searches end at different times


def test_searches_that_finish_nothing_return_what_they_have():
    def step(token, state):  # never the end token
        log_probs = torch.full((len(token), 5), -torch.inf, dtype=torch.float64)
        log_probs[:, 4], log_probs[:, 3] = -0.5, -1.5
        return log_probs, state

    first = torch.tensor([BOS, BOS])
    for found in beam_searches(step, None, first, beam=2, max_length=2):
        assert found == beam_search(step, None, first[:1], beam=2, max_length=2)
        assert found[0].tokens == [4, 4]


def test_zero_starts_hand_on_what_they_are_given():
    made = transformer(SYMBOLS, CONFIGS["since"], zero=True)
    x = torch.randn(2, 5, D)
    for stack in (made.encoder.stack, made.decoder.stack):
        memory = () if stack is made.encoder.stack else (torch.randn(2, 3, D),)
        for layer in stack.layers:
            assert torch.equal(layer(x, *memory), x)
    drawn = transformer(SYMBOLS, CONFIGS["since"])
    assert not torch.equal(drawn.encoder.stack.layers[0](x), x)


def test_the_table_begins_with_vectors_of_length_one():
    made = transformer(2000, CONFIGS["since"])
    lengths = made.encoder.embedding.weight.norm(dim=1)
    assert lengths.square().mean().item() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("positions", ["learned", "none"])
def test_positions_that_it_has_not(positions):
    with pytest.raises(ValueError, match="positions"):
        transformer(SYMBOLS, Config(embed_dim=D, num_heads=HEADS, positions=positions))


def test_cross_attention_is_a_distribution_over_the_source(model):
    batch = padded(PAIRS)
    read = shift_right(batch.target)
    before = model(batch.source, batch.lengths, read)
    weights = cross_attention(model, batch.source, batch.lengths, read)
    assert weights.shape == (3, 2, HEADS, 7, 5)
    assert_equal(weights.sum(dim=-1), torch.ones(3, 2, HEADS, 7, dtype=torch.float64))
    assert not weights[0, ..., 3:].any()
    assert (weights[2, ..., 0] == 1).all()
    # the first layer's, by hand
    layer = model.decoder.stack.layers[0]
    memory, mask, _ = model.encoder(batch.source, batch.lengths)
    x = read.new_zeros(0)

    def keep(module, args):
        nonlocal x
        x = args[0]

    handle = layer.cross.register_forward_pre_hook(keep)
    assert_equal(model(batch.source, batch.lengths, read), before)  # no hook of ours is left
    handle.remove()
    query = layer.cross.query_norm(layer.cross.query(x).unflatten(-1, (HEADS, -1)))
    key = layer.cross.key_norm(layer.cross.key(memory).unflatten(-1, (HEADS, -1)))
    scores = torch.einsum("bthd,bshd->bhts", query, key) / (D // HEADS) ** 0.5
    scores = scores.masked_fill(~mask[:, None, None], -torch.inf)
    assert_equal(weights[:, 0], scores.softmax(dim=-1))


def test_padded():
    batch = padded(PAIRS)
    assert batch.source.tolist() == [[4, 5, 6, 0, 0], [9, 4, 5, 6, 7], [8, 0, 0, 0, 0]]
    assert batch.lengths.tolist() == [3, 5, 1]
    assert batch.target[0].tolist() == [7, 8, EOS, PAD, PAD, PAD, PAD]
    assert batch.target[1, -1] == EOS


def test_batches_hold_each_pair_once_and_lengths_together():
    rng = torch.Generator().manual_seed(0)
    sizes = torch.randint(1, 40, (1003, 2), generator=rng).tolist()
    pairs = [([at + 4] * m, [at + 4] * n) for at, (m, n) in enumerate(sizes)]
    batches = list(pair_batches(pairs, 20, seed=0, pool=10))
    seen = [row for batch in batches for row in batch.source[:, 0].tolist()]
    assert sorted(seen) == [at + 4 for at in range(1003)]
    assert sorted(len(batch.source) for batch in batches) == [3, *[20] * 50]
    real = sum(int(batch.lengths.sum()) for batch in batches)
    assert real == sum(m for m, _ in sizes)
    for batch in batches:
        long = (batch.lengths + (batch.target != PAD).sum(dim=1))[batch.lengths > 0]
        assert long.max() - long.min() < 30  # of 2 to 80, unsorted
    again = list(pair_batches(pairs, 20, seed=0, pool=10))
    other = list(pair_batches(pairs, 20, seed=1, pool=10))
    assert all(torch.equal(a.source, b.source) for a, b in zip(batches, again, strict=True))
    assert seen != [row for batch in other for row in batch.source[:, 0].tolist()]


@pytest.fixture(scope="module")
def lines():
    return {part: date_lines(part, 1500) for part in PARTS}


def days(some):
    """The days of lines, as eight digits each."""
    return {
        "".join(line.target[at : at + 8]) for line in some for at in range(0, 8 * line.dates, 8)
    }


def test_no_day_is_in_two_parts_and_no_year_kept_back_in_another(lines):
    for one, other in itertools.combinations(("train", "dev", "test", "years"), 2):
        assert not days(lines[one]) & days(lines[other])
    assert not days(lines["formats"]) & (days(lines["train"]) | days(lines["dev"]))
    kept = {day[:4] for day in days(lines["years"])}
    assert len(kept) == 20
    assert not kept & {day[:4] for part in set(PARTS) - {"years"} for day in days(lines[part])}


def test_a_line_is_dates_as_they_are_written(lines):
    held = set(HELD_FORMATS)
    forms = set(itertools.product(("de", "en", "es", "fr"), ("full", "long", "medium")))
    for part, allowed in (("test", forms - held), ("formats", held)):
        for number, line in enumerate(lines[part][:60]):
            assert line.dates == 1 + number % 3
            pieces = " ".join(line.source).split(" ; ")
            assert len(pieces) == line.dates
            for at, piece in enumerate(pieces):
                digits = "".join(line.target[8 * at : 8 * at + 8])
                day = datetime.datetime.strptime(digits, "%Y%m%d").date()
                possible = {
                    " ".join(
                        date_tokens(re.sub(r"\s+", " ", format_date(day, format=form, locale=of)))
                    )
                    for of, form in allowed
                }
                assert piece in possible


def test_lines_follow_from_part_and_seed():
    assert date_lines("dev", 10) == date_lines("dev", 20)[:10]
    assert date_lines("dev", 10) != date_lines("dev", 10, seed=1)
    assert max(line.dates for line in date_lines("dev", 10, most=2)) == 2
    with pytest.raises(ValueError, match="part"):
        date_lines("rest", 3)


def test_numbered(lines):
    words = Vocabulary(line.source for line in lines["train"])
    source, target = numbered(lines["train"], words)[1]
    assert [words.symbols[n] for n in source] == lines["train"][1].source
    assert [words.symbols[n] for n in target] == lines["train"][1].target
    unknown = [UNKNOWN in source for source, _ in numbered(lines["formats"], words)]
    assert any(unknown)
    assert not any(UNKNOWN in source for source, _ in numbered(lines["test"], words))


def test_the_five_have_about_as_many_parameters():
    counts = [sum(p.numel() for p in small(kind, 103).parameters()) for kind in SMALL]
    assert max(counts) < 1.05 * min(counts)


def test_attention_among_the_recurrent_ones():
    model = recurrent("attention", 7, embed_dim=3, hidden_size=5, decoder_size=11)
    assert isinstance(model.decoder, AttendingDecoder)
    assert model.encoder.features == 10
    assert model.decoder.layer.hidden_size == 11
    assert recurrent("lstm", 7, embed_dim=3, hidden_size=5).decoder.layer.kind == "lstm"


@pytest.mark.parametrize("muon", [True, False])
@pytest.mark.parametrize("kind", SMALL)
def test_each_learns_to_say_one_thing(kind, muon):
    pairs = [([5, 6], [7, 8]), ([6], [9])] * 32
    torch.manual_seed(0)
    model = small(kind, 10)
    losses = teach(model, pairs, rate=0.02 if muon else 0.01, muon=muon, epochs=60, batch=32)
    assert len(losses) == 120
    assert losses[-1] < 0.3 < losses[0]
    assert not model.training
    assert exactly_right(model, pairs).all()
    assert exactly_right(model, [([5, 6], [7, 8]), ([6], [7])]).tolist() == [True, False]


def test_the_same_seed_teaches_the_same():
    pairs = [([5, 6, 4], [7, 8]), ([6], [9, 4, 4]), ([4, 4], [5])] * 5
    found = []
    for seed in (0, 0, 1):
        torch.manual_seed(0)
        found.append(teach(small("gru", 10), pairs, rate=0.01, batch=4, seed=seed))
    assert found[0] == found[1] != found[2]


def test_what_takes_which_steps():
    """Without a gradient to speak of, Muon moves its matrices by its rate, AdamW by its own."""
    pairs = [([5, 6, 4], [7, 8])]
    for kind in ("gru", "transformer"):
        torch.manual_seed(0)
        model = small(kind, 10)
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        teach(model, pairs, rate=0.04)  # one step, of which a twentieth
        for name, parameter in model.named_parameters():
            moved = parameter.detach() - before[name]
            if parameter.ndim == 2 and parameter.shape[0] != 10 and moved.any():
                largest = torch.linalg.matrix_norm(moved, ord=2).item()
                rows, columns = parameter.shape
                assert 0.0013 < largest / max(1, rows / columns) ** 0.5 < 0.0025, name
            else:
                assert moved.abs().max() < 0.00051, name
