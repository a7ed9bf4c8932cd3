"""Right and wrong answers to `embeddings.build_vocabulary`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import UNKNOWN


@right
def sorted_twice(sentences, *, minimum=1):
    counts = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    unknown = counts.pop(UNKNOWN, 0)
    pairs = sorted(counts.items())
    pairs = sorted(pairs, key=lambda pair: pair[1], reverse=True)
    unknown += sum(count for _, count in pairs if count < minimum)
    pairs = [(UNKNOWN, unknown)] + [pair for pair in pairs if pair[1] >= minimum]
    return [word for word, _ in pairs], torch.tensor([count for _, count in pairs])


@right
def counted_word_by_word(sentences, *, minimum=1):
    tokens = sum(sentences, [])
    words = sorted(set(tokens) - {UNKNOWN}, key=lambda word: (-tokens.count(word), word))
    words = [word for word in words if not tokens.count(word) < minimum]
    vocabulary = [UNKNOWN] + words
    numbers = [words.index(t) + 1 if t in words else 0 for t in tokens]
    return vocabulary, torch.bincount(torch.tensor(numbers), minlength=len(vocabulary))


wrong(
    "cutoff_excluded",
    why=("A word that occurs exactly `minimum` times must be kept."),
    change={"count >= minimum": "count > minimum"},
)


wrong(
    "no_unknown_word",
    why=(
        "There is no entry for words that are not in the vocabulary; the first "
        "rare word of a new text would have no number."
    ),
    change={
        ("return [UNKNOWN, *kept], torch.tensor([found.total() - sum(counts), *counts])"): (
            "return kept, torch.tensor(counts)"
        )
    },
)


wrong(
    "unknown_counts_words",
    why=(
        "The unknown word got the number of different words left out as its count; it replaces "
        "every one of their tokens."
    ),
    change={"found.total() - sum(counts)": "len(found) - len(kept)"},
)


wrong(
    "unknown_never_occurs",
    why=(
        "The unknown word got a count of 0; it replaces every left-out token, so it occurs as "
        "often as all of them together, and noise must be drawn accordingly."
    ),
    change={"found.total() - sum(counts)": "0"},
)


wrong(
    "ties_in_order_of_appearance",
    why=(
        "`most_common` leaves words of equal frequency in the order they "
        "appeared in; shuffle the sentences and the numbers of words change."
    ),
    change={"(-found[word], word)": "-found[word]"},
)


wrong(
    "ties_backwards",
    why=(
        "`reverse=True` reversed both parts of the key: frequencies fall, but words of equal "
        "frequency run from z to a."
    ),
    change={
        "lambda word: (-found[word], word))": ("lambda word: (found[word], word), reverse=True)")
    },
)


wrong(
    "unknown_last",
    why=(
        "The unknown word came last; it is number 0, the one number that is "
        "the same in every vocabulary, and `encode` relies on it."
    ),
    change={
        ("return [UNKNOWN, *kept], torch.tensor([found.total() - sum(counts), *counts])"): (
            "return [*kept, UNKNOWN], torch.tensor([*counts, found.total() - sum(counts)])"
        )
    },
)


wrong(
    "alphabetical",
    why=(
        "The words are sorted by the alphabet alone; sorted by falling frequency, the first "
        "thousand numbers are the thousand most frequent words, so that a vocabulary can be cut "
        "by number."
    ),
    change={"(-found[word], word)": "word"},
)


wrong(
    "unknown_twice",
    why=(
        "The text contained the unknown word, which is now in the vocabulary twice, with two "
        "numbers; count it as left out."
    ),
    change={" and word != UNKNOWN": ""},
    corner=True,
)
