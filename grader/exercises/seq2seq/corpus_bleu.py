"""`seq2seq.corpus_bleu`: BLEU as sacrebleu computes it."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import sentence


def _copied(rng, longest, *, kinds, shorter):
    """A sentence, and nearly the same: a word changed here and there, and the end cut off."""
    reference = sentence(rng, longest, kinds=kinds, shortest=longest // 2)
    said = [word if rng.random() > 0.2 else "z" for word in reference]
    return said[: len(said) - rng.integers(0, shorter + 1)], reference


def _drawn(rng, *, count=5, longest=11, references=1, kinds=5, shorter=2, **settings):
    hypotheses, asked = [], []
    for _ in range(count):
        said, reference = _copied(rng, longest, kinds=kinds, shorter=shorter)
        others = [sentence(rng, longest, kinds=kinds, shortest=1) for _ in range(references - 1)]
        hypotheses.append(said)
        asked.append([reference, *others])
    return {"hypotheses": hypotheses, "references": asked, **settings}


def _texts(hypotheses, *references, **settings):
    asked = [[one.split() for one in some] for some in references]
    return {"hypotheses": [one.split() for one in hypotheses], "references": asked, **settings}


def _ties(**settings):
    """Two references, one word shorter and one word longer: the shorter counts."""
    return _texts(
        ["a b c d e", "f g h i j k"],
        ["a b c d e f", "a b c d"],
        ["f g h i j k", "f g h i j k l m"],
        **settings,
    )


def _short_pays(**settings):
    """One sentence is too short and one too long: together they are as long as they should be."""
    return _texts(["a b c d", "e f g h i j k l"], ["a b c d x y"], ["e f g h i j"], **settings)


def _silent(rng):
    """A sentence without words, whose reference counts."""
    made = _drawn(rng, count=3, smooth=True)
    return {**made, "hypotheses": [[], *made["hypotheses"][1:]]}


def _long_runs(rng):
    """One word in many matches: the product of all 60 precisions is below the least float."""
    said = [f"w{number}" for number in rng.integers(0, 9, 67)]
    return {"hypotheses": [said], "references": [[[said[0]] * 71]], "longest": 60, "smooth": True}


def _more(rng, hypotheses, references, **_):
    """Words at the end of each sentence, other ones in the hypothesis and in its references."""
    if min(map(len, hypotheses)) < 4 or sum(map(len, hypotheses)) == 4:  # one run of four
        return {}
    more = [int(number) for number in rng.integers(1, 6, len(hypotheses))]
    said = [[*one, *["said"] * count] for one, count in zip(hypotheses, more, strict=True)]
    asked = [
        [[*one, *["asked"] * count] for one in some]
        for some, count in zip(references, more, strict=True)
    ]
    return {"hypotheses": said, "references": asked}


EXERCISE = Exercise(
    title="BLEU of a corpus",
    section="corpus-bleu",
    cases=(
        Case("five sentences", lambda rng: _drawn(rng, longest=17), 2),
        Case("one sentence", lambda rng: _texts(["a b c d e f"], ["a b c d x e f"])),
        Case("all right", lambda rng: _texts(["a b c d e"], ["a b c d e"])),
        Case("short and long", lambda rng: _short_pays(), 2),
        Case("too short", lambda rng: _drawn(rng, longest=17, shorter=7, smooth=True)),
        Case("three references", lambda rng: _drawn(rng, references=3, kinds=3), 2),
        Case("two are equally close", lambda rng: _ties(), corner=True),
        Case("the closest of two", lambda rng: _texts(["a b c d e"], ["a b c d e f", "a b c"])),
        Case("four words", lambda rng: _texts(["a b c d"], ["a b c d e"])),
        Case(
            "no pair matches",
            lambda rng: _texts(["a x b y c"], ["a b c d e"], smooth=True),
            corner=True,
        ),
        Case("pairs at most", lambda rng: _drawn(rng, longest=2)),
        Case("no match of four", lambda rng: _texts(["a b c x d e"], ["a b c d e"]), corner=True),
        Case("smoothed", lambda rng: _texts(["a b c x d e"], ["a b c d e"], smooth=True)),
        Case(
            "smoothed twice",
            lambda rng: _texts(["a b x d e y a"], ["a b c d e f g"], smooth=True),
        ),
        Case(
            "no word matches",
            lambda rng: _texts(["a b c d e"], ["v w x y z"], smooth=True),
            corner=True,
        ),
        Case(
            "too short for four", lambda rng: _texts(["a b c"], ["a b c"], smooth=True), corner=True
        ),
        Case("nothing said", lambda rng: _texts([""], ["a b c"], smooth=True), corner=True),
        Case("nothing said for one of three", lambda rng: _silent(rng), corner=True),
        Case("shorter runs", lambda rng: _drawn(rng, longest=17) | {"longest": 2}),
        Case("runs of up to 60", lambda rng: _long_runs(rng), corner=True),
        Case(
            "a reference too few",
            lambda rng: _texts(["a b", "c d"], ["a b"]),
            raises="ValueError",
        ),
        Case(
            "a reference too many",
            lambda rng: _texts(["a b"], ["a b"], ["c d"]),
            raises="ValueError",
        ),
        Case(
            "a larger corpus",
            lambda rng: _drawn(rng, count=31, references=2),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "Add up matches and totals of all sentences for each n, and only then divide. Lengths are "
        "added up, too."
    ),
    needs=("clipped_counts", "brevity_penalty"),
    afresh=changed(_more),
)
