"""Right and wrong answers to `tokenization.best_pair`."""

from collections import Counter

from grader.author.answers import right, wrong
from solutions.tokenization import count_pairs


@right
def sorted_twice(words, counts):
    found = count_pairs(words, counts)
    ordered = sorted(sorted(found), key=found.get, reverse=True)
    return ordered[0] if ordered else None


@right
def largest_then_smallest(words, counts):
    found = Counter()
    for word, count in zip(words, counts, strict=True):
        for i in range(1, len(word)):
            found[word[i - 1], word[i]] += count
    if not found:
        return None
    most = max(found.values())
    return min(pair for pair, count in found.items() if count == most)


wrong(
    "first_of_equals",
    why=(
        "Of equally frequent pairs the first that was met is returned; on another order of the "
        "words the tokenizer would be another one."
    ),
    change={"(-found[pair], pair)": "-found[pair]"},
)


wrong(
    "largest_of_equals",
    why="Of equally frequent pairs this takes the largest, as max of (count, pair) does.",
    change={
        "min(found, key=lambda pair: (-found[pair], pair), default=None)": (
            "max(found, key=lambda pair: (found[pair], pair), default=None)"
        )
    },
)


wrong(
    "smallest_pair",
    why="This is the smallest of all pairs: `min` of a dictionary looks at its keys alone.",
    change={", key=lambda pair: (-found[pair], pair)": ""},
)


wrong(
    "least_frequent",
    why="This is the rarest pair; what is merged is what occurs most often.",
    change={"(-found[pair], pair)": "(found[pair], pair)"},
)


wrong(
    "nothing_is_an_error",
    why="If there is no pair at all, as when every word is one token, return None.",
    change={", default=None": ""},
    corner=True,
)


wrong(
    "counts_ignored",
    why="Every word was counted once, however often it occurs.",
    change={"count_pairs(words, counts)": "count_pairs(words, [1] * len(words))"},
)


wrong(
    "second_token_decides",
    why=("Equals were ordered by their second token: a tuple is smaller where its first entry is."),
    change={"(-found[pair], pair)": "(-found[pair], pair[::-1])"},
)


wrong(
    "first_token_decides",
    why=(
        "Equals were ordered by their first token alone; where that is the same too, the second "
        "decides, as Python orders tuples."
    ),
    change={"(-found[pair], pair)": "(-found[pair], pair[0])"},
)


wrong(
    "words_as_keys",
    why=(
        "You made the words keys of a dictionary, so a word that is listed twice keeps its last "
        "count only. Add its counts."
    ),
    change={
        "    found = count_pairs(words, counts)": (
            "    found = dict(zip(map(tuple, words), counts, strict=True))\n"
            "    found = count_pairs(list(found), list(found.values()))"
        )
    },
    corner=True,
)


@wrong(
    why="You returned a list, but a pair is a tuple: a list cannot be the key of a dictionary.",
    corner=True,
)
def in_a_list(words, counts):
    found = count_pairs(words, counts)
    return list(min(found, key=lambda pair: (-found[pair], pair))) if found else None
