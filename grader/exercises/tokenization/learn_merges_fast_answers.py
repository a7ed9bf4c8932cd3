"""Right and wrong answers to `tokenization.learn_merges_fast`."""

from collections import Counter, defaultdict
from itertools import compress, pairwise, repeat

from grader.author.answers import equivalent, right, wrong
from solutions.tokenization import count_pairs, merge


@right
def the_best_by_looking_at_all(words, counts, number):
    words = [list(word) for word in words]
    found, where = Counter(), defaultdict(Counter)

    def change(index, sign):
        for pair in zip(words[index], words[index][1:]):
            found[pair] += sign * counts[index]
            where[pair][index] += sign

    for index in range(len(words)):
        change(index, 1)
    merges = []
    while len(merges) < number:
        most = max(found.values(), default=0)
        if most == 0:
            break
        pair = min(two for two, count in found.items() if count == most)
        for index in [k for k, often in where[pair].items() if often]:
            change(index, -1)
            words[index] = merge(words[index], pair, 256 + len(merges))
            change(index, 1)
        merges.append(pair)
    return merges


@right
def pairs_next_to_the_merge(words, counts, number):
    words = [list(word) for word in words]
    found, where = Counter(), defaultdict(set)
    for index, word in enumerate(words):
        for pair in zip(word, word[1:]):
            found[pair] += counts[index]
            where[pair].add(index)
    merges = []
    while len(merges) < number and found:
        pair = max(found, key=lambda two: (found[two], -two[0], -two[1]))
        new = 256 + len(merges)
        for index in where.pop(pair):
            word, count, at = words[index], counts[index], 0
            while at + 1 < len(word):
                if (word[at], word[at + 1]) == pair:
                    around = word[max(at - 1, 0) : at + 3]
                    for two in zip(around, around[1:]):
                        found[two] -= count
                    word[at : at + 2] = [new]
                    around = word[max(at - 1, 0) : at + 2]
                    for two in zip(around, around[1:]):
                        found[two] += count
                        where[two].add(index)
                at += 1
        found = +found  # without those that are gone
        found.pop(pair, None)
        merges.append(pair)
    return merges


@wrong(
    why=(
        "All words are looked through at every merge, to count their pairs again or to find those "
        "that have the pair: right, and about as costly as the plain loop. A merge touches few "
        "words; remember which, and change only their counts."
    ),
)
def looks_through_all_words(words, counts, number):
    words = [list(word) for word in words]
    merges, found = [], Counter(count_pairs(words, counts))
    while len(merges) < number and found:
        pair = min(found, key=lambda two: (-found[two], two))
        has = map(list.__contains__, map(list, map(pairwise, words)), repeat(pair))
        for index in list(compress(range(len(words)), has)):
            for old in pairwise(words[index]):
                found[old] -= counts[index]
            words[index] = merge(words[index], pair, 256 + len(merges))
            for new in pairwise(words[index]):
                found[new] += counts[index]
        found = +found
        merges.append(pair)
    return merges


wrong(
    "stale_entries_merged",
    why=(
        "An entry of the heap was believed although the pair's count has changed since: compare it "
        "with the count of now, and pass over it."
    ),
    change={"if -count != found[pair]:": "if not found[pair]:"},
)


wrong(
    "old_pairs_stay_counted",
    why=(
        "The new pairs were counted and the old ones never taken off, so that pairs that are gone "
        "are still found frequent."
    ),
    change={"changed[old] -= counts[index]": "pass"},
)


wrong(
    "new_pairs_not_found_again",
    why=(
        "It is not noted in which words the new pairs stand, so a merge of one of them changes "
        "nothing."
    ),
    change={"where[now].add(index)": "pass"},
)


wrong(
    "words_count_once",
    why="After a merge the pairs of a word were counted once, not as often as the word occurs.",
    change={
        "changed[old] -= counts[index]": "changed[old] -= 1",
        "changed[now] += counts[index]": "changed[now] += 1",
    },
)


wrong(
    "rising_counts_alone",
    why=(
        "Only pairs that became more frequent were put into the heap again; one that lost some of "
        "its count is never found at its new one."
    ),
    change={"if change:": "if change > 0:"},
)


equivalent(
    "found: Counter[Pair] = (count_pairs(words, counts))",
    why="What count_pairs returns is a Counter already.",
)
