"""`solutions.bert` against transformers, against plain loops, and by counting."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from transformers import BertConfig, BertForPreTraining

from solutions.bert import (
    BERT,
    SPECIALS,
    BertEmbeddings,
    MaskedHead,
    Pooler,
    Specials,
    Tagger,
    choose_positions,
    corrupt,
    fit_probe,
    from_bert,
    key_mask,
    marked_sentences,
    mask_tokens,
    mlm_loss,
    next_sentences,
    pack_pair,
    pretrain,
    read_sentences,
    segment_ids,
    to_bert,
    truncate_pair,
    word_vectors,
)
from solutions.tokenization import BytePairTokenizer

DOUBLE = torch.float64
PAD, CLS, SEP, MASK = 19, 20, 21, 22
SIZES = {"embed_dim": 12, "num_heads": 3, "num_layers": 2, "hidden": 20, "longest": 17, "pad": PAD}


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


def uniform(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


@pytest.fixture
def theirs():
    """BERT of another library, with weights that are large enough to matter."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=23,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        max_position_embeddings=17,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=PAD,
        attn_implementation="eager",
    )
    model = BertForPreTraining(config).double().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model


@pytest.fixture
def batch():
    rows = [
        pack_pair([3, 1, 4, 1, 5], [9, 2, 6], cls=CLS, sep=SEP, longest=17),
        pack_pair([7, 18], None, cls=CLS, sep=SEP, longest=17),
    ]
    rows = [torch.tensor(row) for row in rows]
    tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
    return tokens, segment_ids(tokens, SEP)


def made():
    torch.manual_seed(1)
    return BERT(23, **SIZES).double()


# the model


def test_weights_go_to_and_from_transformers_with_equal_logits(theirs, batch):
    tokens, segments = batch
    ours = made()
    ours.load_state_dict(from_bert(theirs.state_dict()))
    mask = tokens != PAD
    expected = theirs(tokens, attention_mask=mask.long(), token_type_ids=segments)
    words, pair = ours(tokens, segments)
    torch.testing.assert_close(words, expected.prediction_logits, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(pair, expected.seq_relationship_logits, rtol=1e-10, atol=1e-10)

    torch.manual_seed(2)
    other = made()
    for parameter in other.parameters():
        nn.init.normal_(parameter, std=0.5)
    theirs.load_state_dict(to_bert(other.state_dict()))
    expected = theirs(tokens, attention_mask=mask.long(), token_type_ids=segments)
    words, pair = other(tokens, segments)
    torch.testing.assert_close(words, expected.prediction_logits, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(pair, expected.seq_relationship_logits, rtol=1e-10, atol=1e-10)


def test_names_there_and_back_are_all_of_them(theirs):
    state = theirs.state_dict()
    back = to_bert(from_bert(state))
    assert back.keys() == state.keys()
    assert all(torch.equal(back[name], tensor) for name, tensor in state.items())


def test_losses_and_gradients_are_those_of_transformers(theirs, batch):
    tokens, segments = batch
    ours = made()
    ours.load_state_dict(from_bert(theirs.state_dict()))
    labels = torch.full_like(tokens, -100)
    labels[0, 2], labels[0, 7], labels[1, 1] = 1, 9, 7
    follows = torch.tensor([0, 1])
    words, pair = ours(tokens, segments)
    (mlm_loss(words, labels) + F.cross_entropy(pair, follows)).backward()
    mask = (tokens != PAD).long()
    given = {"attention_mask": mask, "token_type_ids": segments}
    theirs(tokens, **given, labels=labels, next_sentence_label=follows).loss.backward()
    slopes = from_bert({name: p.grad for name, p in theirs.named_parameters()})
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, slopes[name], rtol=1e-5, atol=1e-6)


def test_states_and_weights_are_those_of_transformers(theirs, batch):
    tokens, segments = batch
    ours = made()
    ours.load_state_dict(from_bert(theirs.state_dict()))
    mask = (tokens != PAD).long()
    with torch.no_grad():
        expected = theirs.bert(
            tokens,
            attention_mask=mask,
            token_type_ids=segments,
            output_hidden_states=True,
            output_attentions=True,
        )
        for found, wanted in zip(
            ours.states(tokens, segments), expected.hidden_states, strict=True
        ):
            torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(ours.weights(tokens, segments), torch.stack(expected.attentions))


def test_what_stands_in_the_padding_changes_nothing(batch):
    tokens, segments = batch
    model = made()
    alone = tokens[1:, :4]
    words, pair = model(alone)
    padded_words, padded_pair = model(tokens, segments)
    torch.testing.assert_close(padded_words[1:, :4], words)
    torch.testing.assert_close(padded_pair[1:], pair)


def test_the_start():
    torch.manual_seed(0)
    model = BERT(101, **SIZES | {"embed_dim": 60, "hidden": 150, "longest": 53}, std=0.05)
    for name, parameter in model.named_parameters():
        if "norm" in name or name.endswith("bias"):
            assert torch.equal(parameter, torch.full_like(parameter, "norm.weight" in name))
        else:
            assert abs(parameter.std().item() - 0.05) < 0.012


def test_the_tables_are_added_before_the_norm():
    torch.manual_seed(0)
    layer = BertEmbeddings(23, 12, longest=7, eps=0.1).double()
    nn.init.normal_(layer.norm.bias)
    tokens, segments = torch.tensor([[1, 5, 22]]), torch.tensor([[0, 0, 1]])
    total = layer.words.weight[[1, 5, 22]] + layer.positions.weight[:3]
    total = total + layer.segments.weight[[0, 0, 1]]
    expected = F.layer_norm(total, (12,), layer.norm.weight, layer.norm.bias, 0.1)
    torch.testing.assert_close(layer(tokens, segments)[0], expected)
    with pytest.raises(ValueError, match="8 tokens"):
        layer(torch.zeros(1, 8, dtype=torch.int64), torch.zeros(1, 8, dtype=torch.int64))


def test_the_heads():
    torch.manual_seed(0)
    head, pooler = MaskedHead(23, 12, eps=0.1).double(), Pooler(12).double()
    nn.init.normal_(head.bias)
    hidden, table = normal(2, 5, 12), normal(23, 12, seed=1)
    inner = F.gelu(hidden @ head.transform.weight.T + head.transform.bias)
    expected = F.layer_norm(inner, (12,), eps=0.1) @ table.T + head.bias
    torch.testing.assert_close(head(hidden, table), expected)
    first = torch.tanh(hidden[:, 0] @ pooler.dense.weight.T + pooler.dense.bias)
    torch.testing.assert_close(pooler(hidden), first)


def test_a_tagger_trains_all_that_it_reads_with(batch):
    model = Tagger(made(), 5).double()
    found = model(*batch)
    assert found.shape == (2, 11, 5)
    torch.testing.assert_close(found, model.classifier(model.bert.states(*batch)[-1]))
    mlm_loss(found, batch[0] % 5).backward()
    without = {name.split(".")[1] for name, p in model.named_parameters() if p.grad is None}
    assert without == {"pooler", "masked", "next"}


# what is read


@given(st.lists(st.integers(0, 9), max_size=9), st.lists(st.integers(0, 9), max_size=9))
def test_truncation_leaves_the_longer_one_longer_by_one_at_most(first, second):
    for room in range(20):
        a, b = truncate_pair(first, second, room)
        assert a == first[: len(a)]
        assert b == second[: len(b)]
        assert len(a) + len(b) == min(room, len(first) + len(second))
        if len(a) < len(first):
            assert len(a) >= len(b)
        if len(b) < len(second):
            assert len(b) >= len(a) - 1


def test_pairs_are_packed_and_segments_found(batch):
    tokens, segments = batch
    assert tokens[0].tolist() == [CLS, 3, 1, 4, 1, 5, SEP, 9, 2, 6, SEP]
    assert segments[0].tolist() == [0] * 7 + [1] * 4
    assert tokens[1].tolist() == [CLS, 7, 18, SEP] + [PAD] * 7
    assert segments[1].tolist() == [0] * 11
    assert pack_pair([1, 2, 3], [4, 5, 6, 7], cls=CLS, sep=SEP, longest=7) == [
        *(CLS, 1, 2, SEP),
        *(4, 5, SEP),
    ]
    assert pack_pair([1, 2, 3], None, cls=CLS, sep=SEP, longest=4) == [CLS, 1, 2, SEP]
    assert key_mask(tokens, PAD).shape == (2, 1, 11)
    assert key_mask(tokens, PAD)[1, 0].tolist() == [True] * 4 + [False] * 7


# tasks without labels


def test_shares_of_what_is_done():
    tokens = torch.randint(23, (200, 101), generator=torch.Generator().manual_seed(0))
    before = tokens.clone()
    read, labels = mask_tokens(
        tokens, ordinary=19, mask=MASK, generator=torch.Generator().manual_seed(1)
    )
    assert torch.equal(tokens, before)
    chosen, ordinary = labels != -100, tokens < 19
    assert not chosen[~ordinary].any()
    assert abs(chosen[ordinary].double().mean() - 0.15) < 0.01
    assert torch.equal(read[~chosen], tokens[~chosen])
    assert torch.equal(labels[chosen], tokens[chosen])
    masked, kept = read[chosen] == MASK, read[chosen] == tokens[chosen]
    assert abs(masked.double().mean() - 0.8) < 0.03
    assert abs(kept.double().mean() - 0.1 - 0.1 / 19) < 0.02
    changed = read[chosen][~masked & ~kept]
    assert changed.max() == 18
    assert len(changed.unique()) == 19
    again, _ = mask_tokens(
        tokens, ordinary=19, mask=MASK, generator=torch.Generator().manual_seed(1)
    )
    assert torch.equal(read, again)


def test_thresholds_belong_to_what_the_statement_says():
    tokens = torch.tensor([[0, 1, 2, 3, 4]])
    chosen = choose_positions(tokens, torch.tensor([[0.1, 0.15, 0.2, 0.0, 0.1]]), ordinary=4)
    assert chosen.tolist() == [[True, False, False, True, False]]
    action = torch.tensor([[0.0, 0.8, 0.9, 0.79, 0.89]])
    read, labels = corrupt(
        tokens, torch.ones_like(chosen), action, torch.full((1, 5), 0.99), ordinary=4, mask=7
    )
    assert read.tolist() == [[7, 3, 2, 7, 3]]
    assert labels.tolist() == [[0, 1, 2, 3, 4]]


def test_the_loss_is_that_of_chosen_positions_alone():
    logits, labels = normal(3, 5, 7).requires_grad_(), torch.full((3, 5), -100)
    labels[0, 1], labels[2, 4] = 6, 0
    chosen = logits.log_softmax(-1)
    expected = -(chosen[0, 1, 6] + chosen[2, 4, 0]) / 2
    torch.testing.assert_close(mlm_loss(logits, labels), expected)
    nothing = mlm_loss(logits, torch.full((3, 5), -100))
    nothing.backward()
    assert nothing == 0
    assert not logits.grad.any()


@settings(max_examples=50)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=5), st.integers(0, 1000))
def test_next_sentences_by_a_plain_loop(sizes, seed):
    document = [number for number, size in enumerate(sizes) for _ in range(size)]
    able = [s for s in range(len(document) - 1) if document[s] == document[s + 1]]
    if not able:
        return
    first = torch.tensor(able * 3)
    chance, other = uniform(len(first), seed=seed), uniform(len(first), seed=seed + 1)
    second, label = next_sentences(torch.tensor(document), first, chance, other)
    for s, c, o, found, kind in zip(first.tolist(), chance, other, second, label, strict=True):
        elsewhere = [t for t in range(len(document)) if document[t] != document[s]]
        wanted = s + 1 if c < 0.5 else elsewhere[int(o * len(elsewhere))]
        assert (found, kind) == (wanted, int(c >= 0.5))


def test_pairs_that_cannot_be_made_are_refused():
    chance = torch.tensor([0.1])
    with pytest.raises(ValueError, match="last of its document"):
        next_sentences(torch.tensor([0, 0, 1]), torch.tensor([1]), chance, chance)
    with pytest.raises(ValueError, match="last of its document"):
        next_sentences(torch.tensor([0, 0, 1]), torch.tensor([2]), chance, chance)
    with pytest.raises(ValueError, match="one document"):
        next_sentences(torch.tensor([0, 0, 0]), torch.tensor([1]), chance, chance)


# what a layer knows


def test_words_are_means_over_their_tokens():
    hidden = normal(2, 5, 3).requires_grad_()
    words = torch.tensor([[-1, 0, 0, 1, -1], [-1, 3, 2, 2, 2]])
    found = word_vectors(hidden, words, 4)
    rows = [hidden[0, 1:3], hidden[0, 3:4], hidden[1, 2:5], hidden[1, 1:2]]
    torch.testing.assert_close(found, torch.stack([row.mean(dim=0) for row in rows]))
    found.sum().backward()
    assert not hidden.grad[words < 0].any()


def test_a_probe_is_where_no_gradient_is_left():
    x, labels = normal(50, 4), torch.arange(50) % 3
    weight, bias = (part.requires_grad_() for part in fit_probe(x, labels, classes=3, decay=0.1))
    errors = x @ weight.T + bias - F.one_hot(labels, 3)
    (errors.square().sum(dim=1).mean() + 0.1 * weight.square().sum()).backward()
    torch.testing.assert_close(weight.grad, torch.zeros_like(weight), rtol=0, atol=1e-12)
    torch.testing.assert_close(bias.grad, torch.zeros_like(bias), rtol=0, atol=1e-12)


# a text, and training


def test_quotes_are_taken_away_and_remembered():
    found = marked_sentences('The "if" statement ("else:"): it is. So "a b" is')
    assert [[tuple(word) for word in sentence] for sentence in found] == [
        [("The", False), ("if", True), ("statement", False), ("(else:):", True)],
        [("it", False), ("is.", False)],
        [("So", False), ("a", True), ("b", True), ("is", False)],
    ]
    assert marked_sentences('An "open quote.') == []


def test_a_small_model_learns_a_text_by_heart():
    tokenizer = BytePairTokenizer(specials=SPECIALS)
    paragraphs = ['One "x" is here. Two "y" are there.', "Cats sleep. Dogs bark. Birds sing."]
    sentences = read_sentences(paragraphs, tokenizer)
    assert tokenizer.decode(sentences.tokens[1]) == " Two y are there."
    assert sentences.words[1][:6] == [0, 0, 0, 0, 1, 1]
    assert sentences.code[0] == [False, True, False, False]
    assert sentences.document.tolist() == [0, 0, 1, 1, 1]
    special = Specials(*range(256, 260))

    def run():
        torch.manual_seed(0)
        sizes = SIZES | {"embed_dim": 24, "longest": 64, "pad": special.pad}
        model = BERT(260, **sizes, std=0.1)
        return pretrain(model, sentences, special, steps=60, size=8, longest=64, rate=1e-2)

    losses = run()
    assert losses == run()
    assert sum(words for words, _ in losses[-10:]) < 0.75 * sum(words for words, _ in losses[:10])


@pytest.mark.cuda
def test_on_the_gpu(batch):
    model = made()
    expected = model(*batch)
    found = model.cuda()(*(part.cuda() for part in batch))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu(), other)
