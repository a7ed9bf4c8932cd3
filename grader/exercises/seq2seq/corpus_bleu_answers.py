"""Right and wrong answers to `seq2seq.corpus_bleu`."""

import math
from collections import Counter

from grader.author.answers import right, wrong
from solutions.seq2seq import brevity_penalty, clipped_counts


@right
def all_at_once(hypotheses, references, *, longest=4, smooth=False):
    if len(references) != len(hypotheses):
        raise ValueError("one list of references for each hypothesis")
    matched, total = [0] * longest, [0] * longest
    n_said = n_asked = 0
    for said, asked in zip(hypotheses, references, strict=True):
        for n in range(longest):
            got = Counter(tuple(said[i : i + n + 1]) for i in range(len(said) - n))
            best = Counter()
            for reference in asked:
                best |= Counter(tuple(reference[i : i + n + 1]) for i in range(len(reference) - n))
            matched[n] += sum(min(times, best[gram]) for gram, times in got.items())
            total[n] += max(0, len(said) - n)
        gaps = sorted((abs(len(one) - len(said)), len(one)) for one in asked)
        n_said, n_asked = n_said + len(said), n_asked + gaps[0][1]
    if not all(total) or not matched[0]:
        return 0.0
    mean, missing = 1.0, 0
    for some, every in zip(matched, total, strict=True):
        if some == 0:
            if not smooth:
                return 0.0
            missing += 1
            some = 0.5**missing
        mean *= (some / every) ** (1 / longest)
    brevity = 1.0 if n_said >= n_asked else math.exp(1 - n_asked / n_said)
    return 100 * brevity * mean


@right
def with_the_parts(hypotheses, references, *, longest=4, smooth=False):
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses")
    precisions, share = [], 1.0
    for n in range(1, longest + 1):
        matched = total = 0
        for i in range(len(hypotheses)):
            one, all_of_them = clipped_counts(hypotheses[i], references[i], n)
            matched, total = matched + one, total + all_of_them
        if total == 0 or (n == 1 and matched == 0):
            return 0.0
        if matched == 0 and smooth:
            share /= 2
        precisions.append((matched or (share if smooth else 0)) / total)
    if min(precisions) == 0:
        return 0.0
    mean = math.exp(sum(map(math.log, precisions)) / longest)
    lengths = 0
    for said, some in zip(hypotheses, references, strict=True):
        nearest = None
        for length in sorted(map(len, some)):
            if nearest is None or abs(length - len(said)) < abs(nearest - len(said)):
                nearest = length
        lengths += nearest
    return brevity_penalty(sum(map(len, hypotheses)), lengths) * mean * 100


@wrong(
    why=(
        "BLEU of each sentence was averaged. One sentence without a match of four words gets 0, "
        "which says little about it; a corpus adds up matches and totals first."
    )
)
def averaged_over_sentences(hypotheses, references, *, longest=4, smooth=False):
    if len(references) != len(hypotheses):
        raise ValueError("as many references as hypotheses")

    def one(said, some):
        logs, halves = 0.0, 1
        for n in range(1, longest + 1):
            matched, total = clipped_counts(said, some, n)
            if matched == 0 and smooth and n > 1:
                halves *= 2
                matched = 1 / halves
            if matched == 0 or total == 0:
                return 0.0
            logs += math.log(matched / total) / longest
        closest = min((abs(len(other) - len(said)), len(other)) for other in some)[1]
        return 100 * brevity_penalty(len(said), closest) * math.exp(logs)

    scores = [one(said, some) for said, some in zip(hypotheses, references, strict=True)]
    return sum(scores) / len(scores)


@wrong(
    why=(
        "The brevity penalty was computed for each sentence and averaged; a sentence may be short "
        "if another is long, because the lengths of the corpus are compared."
    )
)
def brevity_per_sentence(hypotheses, references, *, longest=4, smooth=False):
    if len(references) != len(hypotheses):
        raise ValueError("as many references as hypotheses")
    pairs = list(zip(hypotheses, references, strict=True))
    logs, halves = 0.0, 1
    for n in range(1, longest + 1):
        counts = [clipped_counts(said, some, n) for said, some in pairs]
        matched, total = (sum(column) for column in zip(*counts, strict=True))
        if matched == 0 and smooth and n > 1:
            halves *= 2
            matched = 1 / halves
        if matched == 0 or total == 0:
            return 0.0
        logs += math.log(matched / total) / longest
    penalties = []
    for said, some in pairs:
        closest = min((abs(len(other) - len(said)), len(other)) for other in some)[1]
        penalties.append(brevity_penalty(len(said), closest))
    return 100 * sum(penalties) / len(penalties) * math.exp(logs)


wrong(
    "no_brevity_penalty",
    why="Without the brevity penalty, the best translation is one short phrase that is safe.",
    change={"100 * brevity_penalty(length, sum(closest)) * math": "100 * math"},
)


wrong(
    "shortest_reference",
    why=(
        "You used the length of the shortest reference; use the one that is closest to the "
        "hypothesis in length."
    ),
    change={"key=lambda r: (abs(r - len(hypothesis)), r)": "key=lambda r: r"},
)


wrong(
    "longer_of_two",
    why="Of two references equally close in length, the shorter one counts.",
    change={"(abs(r - len(hypothesis)), r)": "(abs(r - len(hypothesis)), -r)"},
)


wrong(
    "first_reference_for_length",
    why="The first reference gives the length, whichever is closest.",
    change={
        "min((len(one) for one in some), key=lambda r: (abs(r - len(hypothesis)), r))": (
            "len(some[0])"
        ),
    },
)


wrong(
    "arithmetic_mean",
    why=(
        "The precisions were averaged; take their geometric mean, since they fall by about the "
        "same factor from n to n + 1."
    ),
    change={
        "logs += math.log(matched / total) / longest": "logs += matched / total / longest",
        "math.exp(logs)": "logs",
    },
)


wrong(
    "mean_of_precisions",
    why="The mean over n is missing: the product of all precisions was taken, and not its root.",
    change={"math.log(matched / total) / longest": "math.log(matched / total)"},
)


@wrong(
    why=(
        "The precision of each sentence was averaged: a sentence of two words then counts as much "
        "as one of thirty. Matches and totals are added up first."
    )
)
def precisions_averaged(hypotheses, references, *, longest=4, smooth=False):
    if len(references) != len(hypotheses):
        raise ValueError("as many references as hypotheses")
    pairs = list(zip(hypotheses, references, strict=True))
    logs, halves = 0.0, 1
    for n in range(1, longest + 1):
        counts = [clipped_counts(said, some, n) for said, some in pairs]
        shares = [matched / total for matched, total in counts if total]
        if not shares:
            return 0.0
        share = sum(shares) / len(shares)
        if share == 0 and smooth and n > 1:
            halves *= 2
            share = 1 / halves / sum(total for _, total in counts)
        if share == 0:
            return 0.0
        logs += math.log(share) / longest
    closest = [
        min((abs(len(one) - len(said)), len(one)) for one in some)[1] for said, some in pairs
    ]
    return 100 * brevity_penalty(sum(map(len, hypotheses)), sum(closest)) * math.exp(logs)


wrong(
    "fraction",
    why="BLEU is reported from 0 to 100; this is a fraction.",
    change={"100 * brevity": "1 * brevity"},
)


wrong(
    "always_four",
    why="`longest` is not used: n-grams of up to four words are counted, whatever its value.",
    change={"    logs, halves = 0.0, 1\n": "    longest = 4\n    logs, halves = 0.0, 1\n"},
)


wrong(
    "never_smoothed",
    why="smooth is not used: one n without a match makes everything 0.",
    change={"matched == 0 and smooth and n > 1": "False"},
)


wrong(
    "always_smoothed",
    why="Precisions of zero were smoothed although `smooth` is off; then BLEU is 0.",
    change={"matched == 0 and smooth and n > 1": "matched == 0 and n > 1"},
    corner=True,
)


wrong(
    "words_smoothed",
    why="Where not even a word matches, BLEU is 0, smoothed or not.",
    change={" and smooth and n > 1": " and smooth"},
    corner=True,
)


wrong(
    "half_each_time",
    why="Each further n without a match gets half of what the one before got; yours get the same.",
    change={"halves *= 2": "halves = 2"},
)


wrong(
    "missing_lengths_skipped",
    why=(
        "If there is no n-gram of some length at all, BLEU is 0; you left that n out and took the "
        "mean of the others."
    ),
    change={
        "if matched == 0 or total == 0:": (
            "if total == 0:\n            continue\n        if matched == 0:"
        ),
    },
)


wrong(
    "lengths_not_checked",
    why="With fewer references than hypotheses, you compared the first ones without an error.",
    change={
        "if len(hypotheses) != len(references):": "if False:",
        "list(zip(hypotheses, references, strict=True))": (
            "list(zip(hypotheses, references, strict=False))"
        ),
    },
    corner=True,
)


wrong(
    "empty_sentence_skipped",
    why=(
        "You skipped empty hypotheses. The length of their references counts in the brevity "
        "penalty, or leaving sentences out would cost nothing."
    ),
    change={
        "pairs = list(zip(hypotheses, references, strict=True))": (
            "pairs = [pair for pair in zip(hypotheses, references, strict=True) if pair[0]]\n"
            "    if not pairs:\n"
            "        return 0.0"
        )
    },
    corner=True,
)


wrong(
    "product_underflows",
    why=(
        "The precisions were multiplied, and the root taken at the end: the product of many small "
        "numbers is 0. Add up their logarithms."
    ),
    change={
        "logs, halves = 0.0, 1": "whole, halves = 1.0, 1",
        "logs += math.log(matched / total) / longest": "whole *= matched / total",
        "math.exp(logs)": "whole ** (1 / longest)",
    },
    corner=True,
)
