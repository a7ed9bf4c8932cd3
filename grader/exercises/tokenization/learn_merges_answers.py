"""Right and wrong answers to `tokenization.learn_merges`."""

from collections import Counter

from grader.author.answers import right, wrong
from solutions.tokenization import best_pair, merge


@right
def a_loop_over_numbers(words, counts, number):
    merges, current = [], [list(word) for word in words]
    for new in range(256, 256 + number):
        pair = best_pair(current, counts)
        if pair is None:
            break
        merges += [pair]
        for k, word in enumerate(current):
            current[k] = merge(word, pair, new)
    return merges


@right
def on_its_own(words, counts, number):
    merges = []
    words = [tuple(word) for word in words]
    while len(merges) < number:
        found = Counter()
        for word, count in zip(words, counts, strict=True):
            for i in range(len(word) - 1):
                found[word[i : i + 2]] += count
        if not found:
            break
        most = max(found.values())
        best = min(pair for pair in found if found[pair] == most)
        merges.append(best)
        new, after = 255 + len(merges), []
        for word in words:
            rest, done = list(word), []
            while rest:
                if tuple(rest[:2]) == best:
                    done.append(new)
                    del rest[:2]
                else:
                    done.append(rest.pop(0))
            after.append(tuple(done))
        words = after
    return merges


wrong(
    "counted_once",
    why=(
        "All merges were chosen from the first count. Each merge changes which pairs there are: "
        "count again after it."
    ),
    change={
        "while len(merges) < number and (pair := best_pair(words, counts)):": (
            "found = count_pairs(words, counts)\n"
            "    for pair in sorted(found, key=lambda pair: (-found[pair], pair))[:number]:"
        )
    },
)


wrong(
    "new_token_from_257",
    why="The first new token is 256, the number that follows those of the bytes, 0 to 255.",
    change={"256 + len(merges)": "257 + len(merges)"},
)


wrong(
    "one_number_for_all",
    why="Every merge made the same token 256, so that later ones cannot tell them apart.",
    change={"256 + len(merges)": "256"},
)


wrong(
    "numbered_by_the_largest",
    why=(
        "The new token was numbered after the largest in the words, which is not 255 when some "
        "bytes do not occur: numbers 0 to 255 belong to the bytes."
    ),
    change={"256 + len(merges)": "1 + max(t for w in words for t in w)"},
)


wrong(
    "one_too_many",
    why="One merge too many: stop when there are `number` of them.",
    change={"len(merges) < number": "len(merges) <= number"},
)


wrong(
    "fails_when_nothing_is_left",
    why="When no pair is left, fewer merges are returned; None is no pair to merge.",
    change={
        "while len(merges) < number and (pair := best_pair(words, counts)):": (
            "for _ in range(number):\n        pair = best_pair(words, counts)"
        )
    },
)


wrong(
    "counts_forgotten",
    why="Every word counts once here; pairs of frequent words come first.",
    change={"best_pair(words, counts)": "best_pair(words, [1] * len(words))"},
)
