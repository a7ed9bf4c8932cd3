"""Right and wrong answers to `seq2seq.clipped_counts`."""

from grader.author.answers import right, wrong


@right
def with_lists(hypothesis, references, n):
    def grams(words):
        return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]

    said, matched = grams(hypothesis), 0
    for gram in set(said):
        matched += min(said.count(gram), max(grams(one).count(gram) for one in references))
    return matched, len(said)


@right
def with_dictionaries(hypothesis, references, n):
    def count(words):
        found = {}
        for end in range(n, len(words) + 1):
            key = tuple(words[end - n : end])
            found[key] = found.get(key, 0) + 1
        return found

    said = count(hypothesis)
    others = [count(reference) for reference in references]
    matched = 0
    for key, times in said.items():
        matched += min(times, max(other.get(key, 0) for other in others))
    return (matched, sum(said.values()))


wrong(
    "not_clipped",
    why=(
        "Every n-gram that occurs in a reference was counted as often as it occurs in the "
        "hypothesis: “the the the the” is then a perfect translation."
    ),
    change={
        "(counts & allowed).total()": (
            "sum(times for gram, times in counts.items() if allowed[gram])"
        ),
    },
)


wrong(
    "each_kind_once",
    why=(
        "Each kind of n-gram was counted once; one that occurs twice in the hypothesis and twice "
        "in a reference is matched twice."
    ),
    change={"(counts & allowed).total()": "len(counts & allowed)"},
)


wrong(
    "references_added",
    why=(
        "The counts of the references were added: an n-gram may be matched as often as in any one "
        "of them, the largest count."
    ),
    change={"allowed |= _ngrams": "allowed += _ngrams"},
)


wrong(
    "in_every_reference",
    why=(
        "You allowed only n-grams that all references share; one reference is enough, because "
        "there are many ways to translate."
    ),
    change={
        "    for reference in references:\n        allowed |= _ngrams(reference, n)": (
            "    allowed = _ngrams(references[0], n)\n"
            "    for reference in references:\n        allowed &= _ngrams(reference, n)"
        )
    },
)


wrong(
    "first_reference_alone",
    why="Only the first reference was used.",
    change={"for reference in references:": "for reference in references[:1]:"},
)


wrong(
    "kinds_in_total",
    why="The total counts all n-grams of the hypothesis, repeated ones too; you counted kinds.",
    change={", counts.total()": ", len(counts)"},
)


@wrong(why="The last n-gram is missing: m words have m − n + 1 runs of n.")
def last_one_missing(hypothesis, references, n):
    def grams(words):
        return [tuple(words[at : at + n]) for at in range(len(words) - n)]

    said = grams(hypothesis)
    matched = sum(
        min(said.count(gram), max(grams(one).count(gram) for one in references))
        for gram in set(said)
    )
    return matched, len(said)


@wrong(why="The runs were cut one after another, without overlap: every position begins one.")
def without_overlap(hypothesis, references, n):
    def grams(words):
        return [tuple(words[at : at + n]) for at in range(0, len(words) - n + 1, n)]

    said = grams(hypothesis)
    matched = sum(
        min(said.count(gram), max(grams(one).count(gram) for one in references))
        for gram in set(said)
    )
    return matched, len(said)


wrong(
    "precision_returned",
    why="Return the two counts: for a corpus they are summed before the division.",
    change={
        "return (counts & allowed).total(), counts.total()": (
            "return (counts & allowed).total() / max(counts.total(), 1)"
        )
    },
)


wrong(
    "recall",
    why=(
        "You divided by the total of the reference: that is recall. Precision asks how much of the "
        "hypothesis is right."
    ),
    change={", counts.total()": ", _ngrams(references[0], n).total()"},
)


@wrong(why="The words of an n-gram were counted in any order: “b a” is another pair than “a b”.")
def order_ignored(hypothesis, references, n):
    def grams(words):
        return [tuple(sorted(words[at : at + n])) for at in range(len(words) - n + 1)]

    said = grams(hypothesis)
    matched = sum(
        min(said.count(gram), max(grams(one).count(gram) for one in references))
        for gram in set(said)
    )
    return matched, len(said)


wrong(
    "single_words",
    why="Single words were counted, whatever n is.",
    change={"counts = _ngrams(hypothesis, n)": "n = 1\n    counts = _ngrams(hypothesis, n)"},
)


@wrong(
    why=(
        "The words of an n-gram were joined without a separator: “a bc” and “ab c” are then the "
        "same."
    )
)
def joined(hypothesis, references, n):
    def grams(words):
        return ["".join(words[at : at + n]) for at in range(len(words) - n + 1)]

    said = grams(hypothesis)
    matched = sum(
        min(said.count(gram), max(grams(one).count(gram) for one in references))
        for gram in set(said)
    )
    return matched, len(said)
