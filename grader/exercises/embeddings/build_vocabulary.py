"""`embeddings.build_vocabulary`: which words get a vector?."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

ALPHABET = ["value", "name", "class", "block", "scope", "the", "of", "is", "in"]


def _text(rng, *, sentences=6, minimum=2):
    """Sentences in which the words' frequencies are far apart, and some are equal."""
    share = np.geomspace(1, 30, len(ALPHABET))
    lengths = rng.integers(3, 8, size=sentences)
    text = [[str(w) for w in rng.choice(ALPHABET, size=n, p=share / share.sum())] for n in lengths]
    text[0] += ["zip", "zip", "yes", "abs", "abs", "who", "who"]
    return {"sentences": text, "minimum": minimum}


def _capitals(rng):
    """Words that only their first letter tells apart."""
    return {"sentences": [*_text(rng, sentences=2)["sentences"], ["The", "who", "Who", "the"]]}


def _at_the_cutoff(rng):
    """Words that occur exactly as often as asked, and words that miss it by one."""
    words = ["def", "for", "if", "del", "try", "as"]
    text = [word for word, n in zip(words, (3, 2, 5, 3, 1, 2), strict=True) for _ in range(n)]
    rng.shuffle(text)
    return {"sentences": [text[:7], text[7:]], "minimum": 3}


def _with_unknown(rng):
    """A text from which rare words have been taken out before."""
    text = _text(rng, sentences=3)
    text["sentences"][1] += ["<unk>", "of", "<unk>", "<unk>"]
    return text


def _rare(rng):
    """No word is frequent enough, and neither is the unknown one, which is counted all the same."""
    words = [str(word) for word in rng.choice(ALPHABET, size=rng.integers(2, 8), replace=False)]
    return {"sentences": [words, ["<unk>"]], "minimum": 2}


EXERCISE = Exercise(
    title="Building a vocabulary",
    section="vocabulary",
    hint=(
        "Count all words with `Counter`, keep the frequent ones, and sort by the key "
        "`(-count, word)`: tuples are compared entry by entry."
    ),
    cases=(
        Case("rare words dropped", _text, 2),
        Case("every word kept, capitals too", _capitals),
        Case("exactly at the cutoff", _at_the_cutoff),
        Case("a text that has unknown words", _with_unknown, corner=True),
        Case("nothing is frequent enough", _rare, corner=True),
        Case("another text", lambda rng: _text(rng, sentences=29, minimum=5), hidden=True),
    ),
)
