"""`seq2seq.clipped_counts`: n-grams that a reference has too, and not more often than there."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import sentence

_THE = {
    "hypothesis": ["the"] * 7,
    "references": [_.split() for _ in ("the cat is on the mat", "there is a cat on the mat")],
}


def _drawn(rng, *, longest=13, references=2, n=2, kinds=3):
    made = [sentence(rng, longest, kinds=kinds) for _ in range(references + 1)]
    return {"hypothesis": made[0], "references": made[1:], "n": n}


def _more(rng, hypothesis, references, n):
    """Two words at the end, each as often as is drawn; the first reference has some of them."""
    one, other, some = (int(number) for number in rng.integers(5, 30, 3))
    said = [*hypothesis, *["one"] * one, *["other"] * other]
    return {"hypothesis": said, "references": [[*references[0], *["one"] * some], *references[1:]]}


EXERCISE = Exercise(
    title="Clipped n-gram matches",
    section="ngram-precision",
    returns=("what is matched", "the number of n-grams"),
    cases=(
        Case("the the the", lambda rng: {**_THE, "n": 1}),
        Case("pairs", lambda rng: _drawn(rng), 2),
        Case("one reference", lambda rng: _drawn(rng, references=1, n=1)),
        Case(
            "threes, and three references",
            lambda rng: _drawn(rng, references=3, n=3, kinds=2),
            2,
            corner=False,
        ),
        Case("shorter than n", lambda rng: _drawn(rng, longest=3, n=4)),
        Case("a reference shorter than n", lambda rng: _short(rng), corner=True),
        Case(
            "as long as n",
            lambda rng: {"hypothesis": ["a", "b"], "references": [["a", "b"]], "n": 2},
            corner=True,
        ),
        Case("the other way round", lambda rng: _turned()),
        Case("no words", lambda rng: {"hypothesis": [], "references": [["a"]], "n": 1}),
        Case("words that look like others", lambda rng: _glued()),
        Case("words with spaces in them", lambda rng: _spaced(), corner=True),
        Case(
            "large letters",
            lambda rng: {"hypothesis": ["The", "the"], "references": [["the", "the"]], "n": 1},
            corner=True,
        ),
        Case("more", lambda rng: _drawn(rng, longest=31, references=3, n=2), hidden=True),
    ),
    hint=(
        "`collections.Counter` counts tuples. Of two counters, `&` keeps the smaller counts and "
        "`|` the larger."
    ),
    afresh=changed(_more),
)


def _short(rng):
    return {"hypothesis": ["a", "b", "a", "b"], "references": [["a"], ["a", "b", "c"]], "n": 2}


def _turned():
    return {"hypothesis": ["a", "b", "c"], "references": [["b", "a", "c"], ["c", "b"]], "n": 2}


def _spaced():
    """A word is what the list holds: joined by spaces, three of these runs would read the same."""
    return {
        "hypothesis": ["a b", "c", "d e", "f"],
        "references": [["a", "b c", "d e", "f"], ["a b c", "d", "e f"]],
        "n": 2,
    }


def _glued():
    """Glued together or with spaces between, different runs of words would read the same."""
    return {
        "hypothesis": ["ab", "c", "d"],
        "references": [["a", "bc", "d"], ["ab", "cd"]],
        "n": 2,
    }
