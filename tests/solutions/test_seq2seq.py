"""`solutions.seq2seq` against torch.nn, sacrebleu, and every sequence there is."""

import itertools
import math
from functools import partial

import draws
import pytest
import sacrebleu
import torch
from draws import draw
from torch import nn
from torch.nn import functional as F

from grader.enclose.worker.fixtures import Stepwise
from solutions.data import dates
from solutions.seq2seq import (
    BOS,
    EOS,
    PAD,
    UNKNOWN,
    Batch,
    Buckets,
    ConvEncoder,
    EncoderDecoder,
    RecurrentDecoder,
    RecurrentEncoder,
    Vocabulary,
    beam_search,
    brevity_penalty,
    clipped_counts,
    corpus_bleu,
    exact_match,
    exhaustive_search,
    extend_beams,
    greedy,
    length_score,
    perplexity,
    sample,
    scheduled_inputs,
    sequence_loss,
    shift_right,
    start_remembering,
)

assert_equal = partial(draws.assert_equal, rtol=1e-10, atol=1e-11)

KINDS = ("rnn", "lstm", "gru")


def weighted(output):
    """A sum in which every entry counts differently."""
    return (output.flatten() * torch.cos(torch.arange(output.numel()))).sum()


def table(rng, rows=37, symbols=4):
    """A model that remembers everything it has read."""
    return Stepwise((2 * draw(rng, rows, symbols)).log_softmax(dim=-1))


def wide(model):
    """The same model with weights drawn wide, so that what it says depends on what it reads."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.7)
    return model.double()


# training


def test_shifting(rng):
    target = torch.randint(4, 9, (3, 5), generator=rng)
    shifted = shift_right(target, bos=7)
    assert shifted[:, 0].tolist() == [7, 7, 7]
    assert torch.equal(shifted[:, 1:], target[:, :-1])


def test_the_loss_is_that_of_torch(rng):
    logits = draw(rng, 3, 5, 7).requires_grad_()
    target = torch.randint(1, 7, (3, 5), generator=rng)
    target[0, 2:], target[2, 4:] = PAD, PAD
    expected = F.cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD)
    got = sequence_loss(logits, target)
    assert_equal(got, expected)
    assert_equal(*(torch.autograd.grad(loss, logits)[0] for loss in (got, expected)))
    spoiled = logits.detach().masked_fill((target == PAD)[..., None], math.nan)
    assert_equal(sequence_loss(spoiled, target), expected.detach())


def test_scheduled_inputs():
    forced, written = torch.tensor([[1, 5, 6, 7]]), torch.tensor([[8, 9, 10, 11]])
    chances = torch.tensor([[0.0, 0.1, 0.9, 0.4]])
    assert scheduled_inputs(forced, written, chances, share=0.5).tolist() == [[1, 8, 6, 10]]
    assert torch.equal(scheduled_inputs(forced, written, chances, share=0.0), forced)


# writing


def test_greedy_goes_on_until_every_row_has_ended(rng):
    model, first = table(rng), torch.tensor([1, 0, 3])
    written = greedy(model, None, first, eos=2)
    ends = [row.index(2) for row in written.tolist()]
    assert written.shape[1] == max(ends) + 1
    assert len(set(ends)) > 1
    for row, token in zip(written.tolist(), first.tolist(), strict=True):
        state, end = None, row.index(2)
        for t in range(end + 1):
            log_probs, state = model(torch.tensor([token]), state)
            token = row[t]
            assert token == log_probs.argmax()
        assert row[end:] == [2] * (len(row) - end)
    assert torch.equal(greedy(model, None, first, eos=2, max_length=2), written[:, :2])


def test_sampling_without_heat_is_greedy(rng):
    model, first = table(rng), torch.tensor([1, 0, 3])
    chances = torch.rand(3, 20, generator=rng)
    cold = sample(model, None, first, chances, eos=2, temperature=0)
    written = greedy(model, None, first, eos=2, max_length=20)
    assert torch.equal(cold[:, : written.shape[1]], written)
    assert (cold[:, written.shape[1] :] == 2).all()


def test_samples_are_as_likely_as_they_should_be(rng):
    model = table(rng)
    rows = sample(model, None, torch.ones(20_000).long(), torch.rand(20_000, 2, generator=rng))
    first, state = model(torch.tensor([1]), None)
    for token in (0, 1, 3):
        second, _ = model(torch.tensor([token]), state)
        for after in range(4):
            share = ((rows[:, 0] == token) & (rows[:, 1] == after)).double().mean()
            expected = (first[0, token] + second[0, after]).exp()
            torch.testing.assert_close(share, expected, atol=0.01, rtol=0)


def by_brute_force(model, *, symbols, eos, max_length, penalty):
    """Every sequence that ends, with its score, the best first."""
    found = []
    others = [v for v in range(symbols) if v != eos]
    for length in range(1, max_length + 1):
        for body in itertools.product(others, repeat=length - 1):
            tokens, token, state, total = [*body, eos], 1, None, 0.0
            for following in tokens:
                log_probs, state = model(torch.tensor([token]), state)
                total, token = total + log_probs[0, following].item(), following
            found.append((total / ((5 + length) / 6) ** penalty, tokens))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("penalty", [0.0, 0.7, 2.0])
def test_a_wide_beam_is_exact(rng, penalty):
    settings = {"eos": 2, "max_length": 4, "penalty": penalty}
    for _ in range(5):
        model, first = table(rng), torch.tensor([1])
        expected = by_brute_force(model, symbols=4, **settings)
        every = beam_search(model, None, first, beam=4**4, **settings)
        assert [list(found.tokens) for found in every] == [tokens for _, tokens in expected]
        assert_equal([found.score for found in every], [score for score, _ in expected])
        best = exhaustive_search(model, None, first, **settings)
        assert best.tokens == expected[0][1]
        assert best.score == pytest.approx(expected[0][0], rel=1e-12)


@pytest.mark.parametrize("penalty", [0.0, 1.0, 3.0])
def test_stopping_early_changes_nothing(rng, penalty, monkeypatch):
    """As soon as nothing can be won; held against a search that always goes to the end."""
    saved = 0
    for beam in (1, 2, 3, 5):
        for _ in range(10):
            model, calls = table(rng), []

            def step(token, state, model=model, calls=calls):
                calls.append(token)
                return model(token, state)

            settings = {"beam": beam, "eos": 2, "max_length": 12, "penalty": penalty}
            got = beam_search(step, None, torch.tensor([1]), **settings)
            expected = to_the_end(model, **settings)
            assert [one.tokens for one in got] == [one[1] for one in expected]
            saved += 12 - len(calls)
    assert saved > 0


def to_the_end(model, *, beam, eos, max_length, penalty):
    """Beam search with lists, one call for each hypothesis, and no stopping."""
    live, finished = [(0.0, [], None)], []
    for length in range(1, max_length + 1):
        candidates = []
        for total, tokens, state in live:
            last = torch.tensor([tokens[-1] if tokens else 1])
            log_probs, after = model(last, state)
            for v, more in enumerate(log_probs[0].tolist()):
                candidates.append((total + more, [*tokens, v], after))
        candidates = sorted(candidates, key=lambda one: -one[0])[:beam]
        scale = ((5 + length) / 6) ** penalty
        finished += [(one[0] / scale, one[1]) for one in candidates if one[1][-1] == eos]
        live = [one for one in candidates if one[1][-1] != eos]
    ends = finished or [(one[0] / scale, one[1]) for one in live]
    return sorted(ends, reverse=True)[:beam]


def test_a_beam_of_one_is_greedy_unless_it_ends(rng):
    for _ in range(5):
        model, first = table(rng), torch.tensor([1])
        (found,) = beam_search(model, None, first, beam=1, eos=2)
        assert found.tokens == greedy(model, None, first, eos=2)[0].tolist()


def test_a_search_without_an_end_gives_what_lives(rng):
    log_probs = draw(rng, 37, 4)
    log_probs[:, 2] = -math.inf
    model = Stepwise(log_probs.log_softmax(dim=-1))
    found = beam_search(model, None, torch.tensor([1]), beam=3, eos=2, max_length=5, penalty=1.0)
    assert [len(one.tokens) for one in found] == [5, 5, 5]
    expected = to_the_end(model, beam=3, eos=2, max_length=5, penalty=1.0)
    assert_equal([one.score for one in found], [score for score, _ in expected])


def test_extending(rng):
    log_probs, scores = draw(rng, 3, 5), draw(rng, 3)
    rows, tokens, best = extend_beams(log_probs, scores, beam=4)
    every = sorted(
        ((scores[k] + log_probs[k, v]).item(), k, v) for k in range(3) for v in range(5)
    )[::-1]
    assert list(zip(rows.tolist(), tokens.tolist(), strict=True)) == [one[1:] for one in every[:4]]
    assert_equal(best, torch.tensor([one[0] for one in every[:4]], dtype=torch.float64))
    assert len(extend_beams(log_probs, scores, beam=99)[0]) == 15


def test_length_score():
    log_prob = torch.tensor([-3.0, -4.0])
    assert torch.equal(length_score(log_prob, 7), log_prob)
    torch.testing.assert_close(length_score(log_prob, 7, penalty=1.0), log_prob / 2)


# measuring


def test_perplexity(rng):
    logits, target = draw(rng, 3, 5, 7), torch.randint(1, 7, (3, 5), generator=rng)
    target[0, 2:], target[2, 4:] = PAD, PAD
    chosen = logits.log_softmax(dim=-1).gather(-1, target[..., None])[..., 0]
    rows = [row[real] for row, real in zip(chosen, target != PAD, strict=True)]
    assert_equal(perplexity(rows), sequence_loss(logits, target).exp())
    even = torch.full((5,), 1 / 8).log()
    torch.testing.assert_close(perplexity([even, even[:0], even[:2]]), torch.tensor(8.0))


def test_exact_match():
    written = torch.tensor([[5, 6, 2, 9], [5, 2, 2, 2], [5, 6, 7, 8], [2, 5, 5, 5], [5, 6, 7, 8]])
    target = torch.tensor([[5, 6, 2], [5, 6, 2], [5, 6, 7], [2, 0, 0], [5, 6, 2]])
    assert exact_match(written, target).tolist() == [True, False, False, True, False]
    assert exact_match(target, written).tolist() == [True, False, False, True, False]


def words(rng, count, longest):
    """Sentences of few different words, so that n-grams repeat and match."""
    lengths = torch.randint(longest + 1, (count,), generator=rng).tolist()
    return [["abc"[i] for i in torch.randint(3, (n,), generator=rng).tolist()] for n in lengths]


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("longest", [1, 3, 8, 13, 21])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_bleu_is_that_of_sacrebleu(rng, smooth, longest, number):
    above = 0
    for count in (1, 2, 5, 11):
        hypotheses = words(rng, count, longest)
        sets = [words(rng, count, longest) for _ in range(number)]
        references = [list(some) for some in zip(*sets, strict=True)]
        expected = sacrebleu.corpus_bleu(
            [" ".join(one) for one in hypotheses],
            [[" ".join(one) for one in some] for some in sets],
            tokenize="none",
            smooth_method="exp" if smooth else "none",
        ).score
        above += expected > 0
        assert corpus_bleu(hypotheses, references, smooth=smooth) == pytest.approx(expected)
    assert above > 0 or longest < 8


def test_bleu_of_shorter_runs(rng):
    hypotheses, references = words(rng, 5, 13), [[one] for one in words(rng, 5, 13)]
    metric = sacrebleu.BLEU(tokenize="none", max_ngram_order=2)
    expected = metric.corpus_score(
        [" ".join(one) for one in hypotheses], [[" ".join(one[0]) for one in references]]
    )
    got = corpus_bleu(hypotheses, references, longest=2)
    assert got == pytest.approx(expected.score)
    with pytest.raises(ValueError, match="got 4 for 5"):
        corpus_bleu(hypotheses, references[:4])


def test_the_example_of_the_paper():
    said = ["the", "the", "the", "the", "the", "the", "the"]
    meant = [
        ["the", "cat", "is", "on", "the", "mat"],
        ["there", "is", "a", "cat", "on", "the", "mat"],
    ]
    assert clipped_counts(said, meant, 1) == (2, 7)
    assert clipped_counts(said, meant, 2) == (0, 6)
    assert clipped_counts(said[:1], meant, 2) == (0, 0)
    assert brevity_penalty(7, 6) == brevity_penalty(6, 6) == brevity_penalty(0, 0) == 1.0
    assert brevity_penalty(3, 6) == pytest.approx(math.exp(-1))
    assert brevity_penalty(0, 6) == 0.0


# models


def test_a_vocabulary_and_back():
    vocabulary = Vocabulary(["cab", "dc"])
    assert vocabulary.symbols[4:] == ["a", "b", "c", "d"]
    assert len(vocabulary) == 8
    tokens, lengths = vocabulary.encode(["bad", "", "xd"])
    assert tokens.tolist() == [[5, 4, 7, EOS], [EOS, PAD, PAD, PAD], [UNKNOWN, 7, EOS, PAD]]
    assert lengths.tolist() == [4, 1, 3]
    assert vocabulary.decode(tokens) == [["b", "a", "d"], [], ["<unk>", "d"]]


def encoders(symbols):
    settings = {"embed_dim": 3, "hidden_size": 5}
    for kind in KINDS:
        for bidirectional in (False, True):
            yield RecurrentEncoder(symbols, kind=kind, bidirectional=bidirectional, **settings)
    yield ConvEncoder(symbols, hidden_size=5, max_length=11, kernel_size=3)


@pytest.mark.parametrize("which", range(7))
def test_encoders_do_not_see_padding_or_neighbors(rng, which):
    torch.manual_seed(0)
    encoder = wide(list(encoders(9))[which])
    source, lengths = torch.randint(9, (3, 7), generator=rng), torch.tensor([2, 7, 4])
    memory, mask, summary = encoder(source, lengths)
    assert mask.tolist() == [[t < n for t in range(7)] for n in (2, 7, 4)]
    assert memory.shape == (3, 7, encoder.features)
    assert summary.shape == (3, encoder.features)
    assert not memory[~mask].any()
    for row, length in enumerate(lengths.tolist()):
        alone = encoder(source[row : row + 1, :length], lengths[row : row + 1])
        assert_equal(memory[row, :length], alone.memory[0])
        assert_equal(summary[row], alone.summary[0])


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_and_gradients_are_those_of_torch(rng, kind):
    torch.manual_seed(0)
    encoder = RecurrentEncoder(9, embed_dim=3, hidden_size=5, kind=kind)
    decoder = RecurrentDecoder(7, summary_size=5, embed_dim=2, hidden_size=11, kind=kind)
    model = wide(EncoderDecoder(encoder, decoder))
    layers = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[kind]
    read, write = layers(3, 5, batch_first=True).double(), layers(7, 11, batch_first=True).double()
    read.load_state_dict(encoder.layer.state_dict())
    write.load_state_dict(decoder.layer.state_dict())
    source, target = (torch.randint(4, 7, (3, n), generator=rng) for n in (6, 5))
    lengths, fed = torch.tensor([4, 6, 1]), shift_right(target)
    packed = nn.utils.rnn.pack_padded_sequence(
        encoder.embedding(source), lengths, batch_first=True, enforce_sorted=False
    )
    state = read(packed)[1]
    last = (state[0] if kind == "lstm" else state)[0]
    h = torch.tanh(decoder.bridge(last))
    parts = h.chunk(2, dim=1) if kind == "lstm" else [h]
    start = tuple(part[None].contiguous() for part in parts)
    fed_in = torch.cat([decoder.embedding(fed), last[:, None].expand(-1, 5, -1)], dim=-1)
    found = write(fed_in, start if kind == "lstm" else start[0])[0]
    expected, got = decoder.output(found), model(source, lengths, fed)
    assert_equal(got, expected)
    leaves = [encoder.embedding.weight, decoder.embedding.weight, decoder.bridge.weight]
    ours = [*leaves, *encoder.layer.parameters(), *decoder.layer.parameters()]
    theirs = [*leaves, *read.parameters(), *write.parameters()]
    one = torch.autograd.grad(weighted(got), ours)
    other = torch.autograd.grad(weighted(expected), theirs, retain_graph=True)
    for mine, wanted in zip(one, other, strict=True):
        assert_equal(mine, wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_step_by_step_is_teacher_forcing(rng, kind):
    torch.manual_seed(0)
    for encoder in encoders(9):
        decoder = RecurrentDecoder(
            7, summary_size=encoder.features, embed_dim=2, hidden_size=11, kind=kind
        )
        model = wide(EncoderDecoder(encoder, decoder))
        source, lengths = torch.randint(9, (3, 7), generator=rng), torch.tensor([2, 7, 4])
        fed = shift_right(torch.randint(7, (3, 5), generator=rng))
        expected = model(source, lengths, fed).log_softmax(dim=-1)
        state, rows = model.begin(source, lengths), []
        for token in fed.unbind(dim=1):
            log_probs, state = model.step(token, state)
            rows.append(log_probs)
        assert_equal(torch.stack(rows, dim=1), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_searching_with_a_model_follows_its_rows(rng, kind):
    """The scores that a search returns are those of teacher forcing on what it returns."""
    torch.manual_seed(0)
    encoder = RecurrentEncoder(9, embed_dim=3, hidden_size=5, kind=kind)
    decoder = RecurrentDecoder(7, summary_size=5, embed_dim=2, hidden_size=11, kind=kind)
    model = wide(EncoderDecoder(encoder, decoder)).requires_grad_(False)
    source, lengths = torch.randint(9, (1, 7), generator=rng), torch.tensor([7])
    state = model.begin(source, lengths)
    found = beam_search(model.step, state, torch.tensor([BOS]), beam=5, max_length=6)
    assert len({tuple(one.tokens) for one in found}) == len(found) > 1
    for tokens, score in found:
        target = torch.tensor([tokens])
        logits = model(source, lengths, shift_right(target))
        assert_equal(-sequence_loss(logits, target, pad=-1).item() * len(tokens), score)


def test_a_model_learns_to_turn_words_around():
    torch.manual_seed(0)
    texts = ["".join(text) for text in itertools.product("abc", repeat=3)]
    vocabulary = Vocabulary(texts)
    source, lengths = vocabulary.encode(texts)
    target, _ = vocabulary.encode([text[::-1] for text in texts])
    model = EncoderDecoder(
        RecurrentEncoder(len(vocabulary), embed_dim=5, hidden_size=24),
        RecurrentDecoder(len(vocabulary), summary_size=24, embed_dim=5, hidden_size=24),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(120):
        loss = sequence_loss(model(source, lengths, shift_right(target)), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        first = torch.full((len(texts),), BOS)
        written = greedy(model.step, model.begin(source, lengths), first, max_length=5)
    assert exact_match(written, target).all()


def test_buckets_hold_every_pair_once_and_little_padding(rng):
    lengths = torch.randint(1, 20, (70,), generator=rng)
    source = torch.arange(70)[:, None].expand(-1, 19) + 1
    source = source * (torch.arange(19) < lengths[:, None])
    batches = Buckets(Batch(source, lengths, source[:, :1]), 8, pool=4, seed=1)
    one, again, other = list(batches(0)), list(batches(0)), list(batches(1))
    assert len(one) == len(batches) == 8
    names = torch.cat([batch.target[:, 0] for batch in one]).tolist()
    assert len(set(names)) == 64
    assert names == torch.cat([batch.target[:, 0] for batch in again]).tolist()
    assert names != torch.cat([batch.target[:, 0] for batch in other]).tolist()
    for batch in one:
        assert batch.source.shape[1] == batch.lengths.max()
        assert torch.equal((batch.source > 0).sum(dim=1), batch.lengths)
    room = sum(batch.source.numel() for batch in one)
    assert sum(batch.lengths.sum() for batch in one) > 0.8 * room


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_that_remembers(kind):
    model = RecurrentEncoder(9, embed_dim=3, hidden_size=5, kind=kind, bidirectional=True)
    start_remembering(model)
    for name, parameter in model.layer.named_parameters():
        if name.startswith("weight_hh"):
            for block in parameter.split(5):
                torch.testing.assert_close(block.T @ block, torch.eye(5))
        if name.startswith("bias_hh") and kind != "rnn":
            assert (parameter[5:10] == 1).all()
            assert not (parameter[:5] == 1).any()


def test_dates_fit_the_vocabulary():
    pairs = dates(200).train
    vocabulary = Vocabulary([pair.target for pair in pairs])
    tokens, _ = vocabulary.encode([pairs[0].target])
    assert "".join(vocabulary.decode(tokens)[0]) == pairs[0].target
