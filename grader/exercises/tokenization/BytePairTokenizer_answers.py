"""Right and wrong answers to `tokenization.BytePairTokenizer`."""

from collections import Counter

from grader.author.answers import equivalent, right, wrong
from solutions.tokenization import (
    byte_tokens,
    decode,
    encode_word,
    learn_merges,
    learn_merges_fast,
    pieces,
    split_special,
    token_bytes,
)


@right
class everything_made_at_once:
    def __init__(self, merges=(), specials=()):
        self.merges, self.specials = [tuple(pair) for pair in merges], list(specials)

    @property
    def vocabulary(self):
        return token_bytes(self.merges) + [one.encode("utf-8") for one in self.specials]

    def __len__(self):
        return 256 + len(self.merges) + len(self.specials)

    def train(self, text, size):
        room = size - 256 - len(self.specials)
        if room < 0:
            raise ValueError("too small")
        plain = [part for part in split_special(text, self.specials) if part not in self.specials]
        words = [byte_tokens(piece) for part in plain for piece in pieces(part)]
        self.merges = learn_merges_fast(words, [1] * len(words), room)

    def encode(self, text):
        tokens = []
        for part in split_special(text, self.specials):
            if part in self.specials:
                tokens += [256 + len(self.merges) + self.specials.index(part)]
            else:
                for piece in pieces(part):
                    tokens += encode_word(byte_tokens(piece), self.merges)
        return tokens

    def decode(self, tokens):
        return b"".join(self.vocabulary[one] for one in tokens).decode("utf-8", "replace")


@right
class with_tables:
    def __init__(self, merges=(), specials=()):
        self.specials = list(specials)
        self.merges = [tuple(pair) for pair in merges]
        self.refresh()

    def refresh(self):
        self.vocabulary = token_bytes(self.merges)
        self.of_special = {}
        for special in self.specials:
            self.of_special[special] = len(self.vocabulary)
            self.vocabulary.append(special.encode())

    def __len__(self):
        return len(self.vocabulary)

    def train(self, text, size):
        if size < 256 + len(self.specials):
            raise ValueError(size)
        found = Counter()
        for part in split_special(text, self.specials):
            if part not in self.of_special:
                found.update(pieces(part))
        words = [byte_tokens(piece) for piece in found]
        counts = list(found.values())
        self.merges = learn_merges(words, counts, size - 256 - len(self.specials))
        self.refresh()

    def encode(self, text):
        return [token for part in split_special(text, self.specials) for token in self.part(part)]

    def part(self, part):
        if part in self.of_special:
            return [self.of_special[part]]
        return [t for piece in pieces(part) for t in encode_word(byte_tokens(piece), self.merges)]

    def decode(self, tokens):
        return decode(tokens, self.vocabulary)


wrong(
    "specials_trained_on",
    why=(
        "Training merged letters across special tokens, or of them: cut them out before pairs are "
        "counted."
    ),
    change={
        "[part for part in split_special(text, self.specials) if part not in self.specials]": (
            "[text]"
        )
    },
)


wrong(
    "specials_encoded_as_text",
    why="A special token was encoded letter by letter; it is one token, whatever the merges.",
    change={"for part in split_special(text, self.specials):\n": "for part in [text]:\n"},
)


wrong(
    "specials_first",
    why="Special tokens were numbered from 256 on; they come after the merges.",
    change={"first = 256 + len(self.merges)": "first = 256"},
)


wrong(
    "size_without_specials",
    why="The size is that of the whole vocabulary, and special tokens take part of it.",
    change={"size - least)": "size - 256)"},
)


wrong(
    "not_cut_into_pieces",
    why=(
        "The text was not cut into pieces, so that merges reach across words: 'of the' would "
        "become one token, with every spelling of what stands around it."
    ),
    change={
        "Counter(piece for part in parts for piece in pieces(part))": "Counter(parts)",
        "for piece in pieces(part):": "for piece in [part]:",
    },
)


wrong(
    "remembers_the_last_training",
    why=(
        "Pieces that were encoded before a new training keep their old tokens: what is remembered "
        "has to be forgotten with the merges."
    ),
    change={
        "self._known: dict[str, list[int]] = {}": 'self._known = getattr(self, "_known", {})',
    },
)


wrong(
    "merges_added",
    why="A second training went on from the first; `train` learns new merges.",
    change={
        "self._set(learn_merges_fast(words, [*found.values()], size - least))": (
            "self._set(self.merges + learn_merges_fast(words, [*found.values()], size - least))"
        )
    },
)


wrong(
    "size_not_checked",
    why=(
        "A size smaller than what is there without any merge is an error: the docstring says which."
    ),
    change={"if size < least:": "if False:"},
    corner=True,
)


equivalent(
    "self.specials = (specials)",
    why="What comes in is a list, which nobody changes.",
)


wrong(
    "specials_numbered_before_training",
    why=(
        "The numbers of the special tokens were set once, in the constructor; training puts merges "
        "before them, and then they are others."
    ),
    change={
        "        self._set(merges)\n": (
            "        self._set(merges)\n        self._first = 256 + len(self.merges)\n"
        ),
        "first = 256 + len(self.merges)\n        tokens": "first = self._first\n        tokens",
    },
)


wrong(
    "parts_joined_again",
    why=(
        "What is left of the text without its special tokens was put together again, and merges "
        "were learned of letters that never stood side by side."
    ),
    change={
        "Counter(piece for part in parts for piece in pieces(part))": (
            "Counter(pieces(''.join(parts)))"
        )
    },
)


wrong(
    "encoded_in_one_piece",
    why=(
        "The text to encode was not cut into pieces, so that a merge may reach across a border "
        "that training never crossed."
    ),
    change={"for piece in pieces(part):": "for piece in [part]:"},
)


wrong(
    "one_memory_for_all",
    why=(
        "What was encoded is remembered by the class and not by the object: a second tokenizer "
        "gives the tokens of the first."
    ),
    change={
        "    def _set(self": "    _known = {}\n\n    def _set(self",
        "        self._known: dict[str, list[int]] = {}\n": "",
        "        self._set(learn_merges_fast": (
            "        self._known.clear()\n        self._set(learn_merges_fast"
        ),
    },
)


wrong(
    "length_without_specials",
    why="The special tokens were not counted: they are tokens too.",
    change={"return len(self.vocabulary)": "return 256 + len(self.merges)"},
)


wrong(
    "least_size_refused",
    why="A size that holds the bytes and the special tokens, and no merge, is enough: ``<``.",
    change={"if size < least:": "if size <= least:"},
    corner=True,
)


wrong(
    "spaces_not_trained_on",
    why="Parts of the text that are spaces alone were dropped; spaces are text too.",
    change={"if part not in self.specials]": "if part not in self.specials and part.strip()]"},
    corner=True,
)


wrong(
    "a_question_mark_for_half_a_pair",
    why="Half of a surrogate pair is no character: a ValueError, and no question mark for it.",
    corner=True,
    change={
        "encode_word_fast(byte_tokens(piece), self._rank)": (
            'encode_word_fast(byte_tokens(piece.encode("utf-8", "replace").decode()), self._rank)'
        )
    },
)


wrong(
    "specials_as_they_came",
    why=(
        "`specials` is what was handed in, a tuple here; the attribute is a list of its own, which "
        "nobody else changes."
    ),
    change={"self.specials = list(specials)": "self.specials = specials"},
    corner=True,
)


wrong(
    "no_room_no_training",
    why=(
        "Where there is no room for a merge, training was left out, and the merges of an earlier "
        "training stayed: the vocabulary is larger than `size` says."
    ),
    change={
        "self._set(learn_merges_fast(words": (
            "if size > least:\n            self._set(learn_merges_fast(words"
        )
    },
    corner=True,
)
