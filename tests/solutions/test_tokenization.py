"""Byte-pair encoding against the tokenizers package, and text that comes back as it went in."""

import itertools
import json
import math
import unicodedata
import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from solutions import data, tokenization
from solutions.tokenization import (
    BytePairTokenizer,
    best_pair,
    bits_per_byte,
    count_pairs,
    count_words,
    decode,
    encode_word,
    encode_word_fast,
    learn_merges,
    learn_merges_fast,
    merge,
    pieces,
    read_merges,
    show_token,
    split_special,
    token_bytes,
    wordpiece,
    write_merges,
)

SIZE = 1_000
ODD = "naïve ½ ² ٣ 日本語 🙂\u3000x \x1c y\n\n  it's I'LL we've \tfin  don’t 3.14  \r\n a\u0301 ──"


@pytest.fixture(scope="module")
def text() -> str:
    return data.text() + ODD


@pytest.fixture(scope="module")
def theirs(text) -> Tokenizer:
    """The other library's tokenizer, trained on the same text to the same size."""
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    found.train_from_iterator(
        [text],
        trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False),
    )
    return found


@pytest.fixture(scope="module")
def ours(text) -> BytePairTokenizer:
    found = BytePairTokenizer()
    found.train(text, SIZE)
    return found


def test_merges_and_tokens_are_those_of_the_tokenizers_package(theirs, ours, text):
    model = json.loads(theirs.to_str())["model"]
    assert write_merges(ours.merges) == [" ".join(pair) for pair in model["merges"]]
    assert [show_token(token) for token in ours.vocabulary] == sorted(
        model["vocab"], key=model["vocab"].get
    )
    assert ours.encode(text) == theirs.encode(text).ids


def test_pieces_are_those_of_the_tokenizers_package(text):
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    shown = [show_token(piece.encode()) for piece in pieces(text)]
    assert shown == [piece for piece, _ in theirs]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.text())
def test_any_text_comes_back(ours, text):
    assert "".join(pieces(text)) == text
    tokens = ours.encode(text)
    assert ours.decode(tokens) == text
    assert b"".join(ours.vocabulary[token] for token in tokens) == text.encode()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.text(alphabet="ab c", max_size=60), st.integers(0, 12))
def test_counts_that_are_kept_up_are_those_that_are_counted_anew(text, number):
    words, counts = count_words(text)
    assert learn_merges_fast(words, counts, number) == learn_merges(words, counts, number)


def test_a_pair_that_overlaps_itself():
    assert count_pairs([[7, 7, 7], [7, 8]], [2, 3]) == {(7, 7): 4, (7, 8): 3}
    assert merge([7, 7, 7, 7, 7], (7, 7), 9) == [9, 9, 7]
    assert learn_merges_fast([[1] * 9], [1], 9) == learn_merges([[1] * 9], [1], 9)


def test_ties_go_to_the_smallest_and_nothing_to_merge_is_none():
    assert best_pair([[3, 4], [2, 9]], [1, 1]) == (2, 9)
    assert best_pair([[3], []], [5, 5]) is None
    assert learn_merges([[3, 4]], [1], 5) == [(3, 4)]


def test_a_new_word_is_merged_in_the_order_of_training():
    a, b, c = 1, 2, 3
    merges = [(b, c), (a, b)]
    assert encode_word([a, b, c], merges) == [a, 256]
    assert encode_word([a, b, a, b, c], merges) == [257, a, 256]
    assert encode_word([], merges) == []


@given(st.text("abc", min_size=1), st.integers(0, 20), st.lists(st.text("abc"), min_size=1))
def test_a_heap_merges_as_the_plain_loop_does(text, number, new):
    merges = learn_merges(*count_words(text), number)
    rank = {pair: place for place, pair in enumerate(merges)}
    for word in new:
        tokens = tokenization.byte_tokens(word)
        assert encode_word_fast(tokens, rank) == encode_word(tokens, merges)
    assert encode_word_fast([7] * 5, {(7, 7): 0}) == [256, 256, 7]


def test_a_long_piece_takes_few_steps(ours, theirs):
    """So many letters without a space: the plain loop looked at all pairs in each round."""
    piece = "".join(letter for letter in data.text() if letter.isascii() and letter.isalpha())[
        :8_000
    ]
    rank, looks = ours._rank, 0

    class Counted(dict):
        def get(self, *args):
            nonlocal looks
            looks += 1
            return super().get(*args)

    tokens = encode_word_fast(tokenization.byte_tokens(piece), Counted(rank))
    assert tokens == ours.encode(piece) == theirs.encode(piece).ids
    assert looks < 3 * len(piece)


@pytest.mark.parametrize("code", [0xD800, 0xDFFF])
def test_half_a_surrogate_pair_is_refused_by_name(ours, code):
    half, name = chr(code), rf"U\+{code:X} is half of a surrogate pair"
    with pytest.raises(ValueError, match=name):
        ours.encode(f"some text {half} and more")
    with pytest.raises(ValueError, match=name):
        BytePairTokenizer().train(f"x{half}", 300)
    assert ours.decode(ours.encode("\U00010000")) == "\U00010000"  # a whole one


def test_what_is_a_letter_hardly_ever_changes():
    """As the docstring says: between Unicode 3.2, which Python keeps, and the version at hand."""

    def sort(category):
        return category[0] if category[0] in "LN" else "other"

    old, now = unicodedata.ucd_3_2_0.category, unicodedata.category
    known = [letter for letter in map(chr, range(0x110000)) if old(letter) != "Cn"]
    changed = [letter for letter in known if sort(old(letter)) != sort(now(letter))]
    assert len(known) == 234_737
    assert len(changed) >= 19
    if unicodedata.unidata_version == "14.0.0":
        assert len(changed) == 19


def test_merges_as_a_file_of_gpt2(ours):
    lines = ["#version: 0.2", *write_merges(ours.merges), ""]
    assert read_merges(lines) == ours.merges
    given = read_merges(["Ġ t", "h e", "Ġt he"])
    assert token_bytes(given)[256:] == [b" t", b"he", b" the"]
    with pytest.raises(ValueError, match="no line before it"):
        read_merges(["th e"])


def test_given_merges_of_gpt2s_form_the_ids_are_those_of_the_tokenizers_package():
    lines = ["Ġ t", "h e", "i n", "Ġt he", "Ġ a", "r e", "e r", "Ġ th", "Ġ i", "Ġi n", "in g"]
    lines.remove("Ġ th")  # no line makes "th"
    ours = BytePairTokenizer(read_merges(lines))
    vocabulary = {show_token(token): number for number, token in enumerate(ours.vocabulary)}
    pairs = [tuple(line.split(" ")) for line in lines]
    theirs = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for text in (ODD, "the other thing in a ring", "singing in the rain"):
        assert ours.encode(text) == theirs.encode(text).ids


def test_special_tokens_are_never_cut(text):
    specials = ["<|end|>", "<|end|>!", "a.c"]
    assert split_special("x<|end|>!abc", specials) == ["x", "<|end|>!", "abc"]
    assert split_special("a.ca.c", specials) == ["a.c", "a.c"]
    assert split_special("", specials) == split_special("", []) == []
    tokenizer = BytePairTokenizer(specials=specials)
    tokenizer.train("<|end|>" * 50 + "low lower", 256 + len(specials) + 3)
    assert len(tokenizer) == 262
    assert not any(b"<" in token for token in tokenizer.vocabulary[256:259])
    tokens = tokenizer.encode("low<|end|>low")
    assert tokens.count(259) == 1
    assert tokenizer.decode(tokens) == "low<|end|>low"
    with pytest.raises(ValueError, match="256"):
        BytePairTokenizer(specials=["x"]).train("abc", 256)


def test_what_is_no_text_is_shown_as_such():
    vocabulary = token_bytes([])
    whole = tokenization.byte_tokens("é")
    assert decode(whole, vocabulary) == "é"
    assert decode(whole[:1], vocabulary) == "\ufffd"
    assert decode([], vocabulary) == ""


def test_wordpiece_takes_the_longest_part():
    known = {"un", "unaff", "##aff", "##able", "##ab", "##le", "a"}
    assert wordpiece("unaffable", known) == ["unaff", "##able"]
    assert wordpiece("unx", known) == ["[UNK]"]
    assert wordpiece("aff", known) == ["[UNK]"]
    assert wordpiece("", known) == []


def test_bits_per_byte_does_not_depend_on_the_tokens():
    text = "日本"  # 6 bytes
    for tokens in (1, 2, 6):
        losses = torch.full((tokens,), 6 * math.log(256) / tokens, dtype=torch.float64)
        assert bits_per_byte(losses, text) == pytest.approx(8.0)


def test_the_categories_are_those_of_unicode():
    import unicodedata

    for code in itertools.chain(range(0x3000), range(0xAC00, 0xAD00), range(0x1F600, 0x1F650)):
        kind = unicodedata.category(chr(code))[0]
        assert (len(pieces(f"a{chr(code)}a")) == 1) == (kind == "L")
        assert (len(pieces(f"1{chr(code)}1")) == 1) == (kind == "N")


def test_a_saved_tokenizer_is_the_same_when_it_is_loaded(tmp_path):
    tokenizer = tokenization.BytePairTokenizer(specials=["<|endoftext|>", "<☃>"])
    tokenizer.train("a low, lower, lowest tower <|endoftext|> a slow owl" * 3, 280)
    file = tmp_path / "tokenizer.json"
    tokenization.save_tokenizer(tokenizer, file)
    loaded = tokenization.load_tokenizer(file)
    text = "slower owls ☃ <☃><|endoftext|>"
    assert loaded.encode(text) == tokenizer.encode(text)
    assert loaded.decode(loaded.encode(text)) == text
    assert (loaded.merges, loaded.specials) == (tokenizer.merges, tokenizer.specials)


def test_a_tokenizer_of_another_version_of_unicode_is_loaded_with_a_warning(tmp_path):
    """Python 3.13 has version 15.1, and knows letters that 3.11 with 14 takes for marks."""
    file = tmp_path / "tokenizer.json"
    tokenization.save_tokenizer(BytePairTokenizer([(7, 8)]), file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenization.load_tokenizer(file)
        parts = json.loads(file.read_text())
        assert parts.pop("unicode") == unicodedata.unidata_version
        older = tmp_path / "older.json"
        older.write_text(json.dumps(parts))
        tokenization.load_tokenizer(older)
    here = unicodedata.unidata_version
    file.write_text(file.read_text().replace(here, "99.0.0"))
    with pytest.warns(UserWarning, match=f"Unicode 99.0.0; this Python has {here}"):
        assert tokenization.load_tokenizer(file).merges == [(7, 8)]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"merges": [[0, 999]], "specials": []}', '{"merges": 1}', "\xff"]
)
def test_a_file_that_holds_no_tokenizer_is_refused(tmp_path, content):
    file = tmp_path / "tokenizer.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(ValueError, match=r"tokenizer\.json holds no tokenizer"):
        tokenization.load_tokenizer(file)
