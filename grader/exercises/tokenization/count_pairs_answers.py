"""Right and wrong answers to `tokenization.count_pairs`."""

from collections import Counter

from grader.author.answers import right, wrong


@right
def by_index(words, counts):
    found = {}
    for k in range(len(words)):
        for i in range(len(words[k]) - 1):
            pair = words[k][i], words[k][i + 1]
            found[pair] = found.get(pair, 0) + counts[k]
    return found


@right
def every_window(words, counts):
    windows = (
        (word[i], word[i + 1])
        for word, count in zip(words, counts, strict=True)
        for _ in range(count)
        for i in range(len(word) - 1)
    )
    return Counter(windows)


@wrong(why="Every word was counted once; one that occurs a hundred times speaks a hundred times.")
def counts_ignored(words, counts):
    found = Counter()
    for word in words:
        for pair in zip(word, word[1:]):
            found[pair] += 1
    return dict(found)


@wrong(
    why=(
        "The words were joined first, so that the last token of one and the first of the next "
        "count as neighbors; no merge may reach across the end of a word."
    ),
)
def across_words(words, counts):
    found = Counter()
    joined = [(token, count) for word, count in zip(words, counts) for token in word]
    for (one, count), (other, _) in zip(joined, joined[1:]):
        found[one, other] += count
    return dict(found)


@wrong(why="Pairs were sorted: (5, 7) and (7, 5) are different neighbors, and so are their merges.")
def order_lost(words, counts):
    found = Counter()
    for word, count in zip(words, counts):
        for pair in zip(word, word[1:]):
            found[tuple(sorted(pair))] += count
    return dict(found)


@wrong(
    why=(
        "A pair was counted once in a word, however often it stands there: in 5, 7, 5, 7 the pair "
        "(5, 7) occurs twice."
    ),
)
def once_in_a_word(words, counts):
    found = Counter()
    for word, count in zip(words, counts):
        for pair in set(zip(word, word[1:])):
            found[pair] += count
    return dict(found)


@wrong(
    why=(
        "The count was overwritten, not added, so each pair has the count of the last "
        "word that contains it: use `+=` instead of `=`."
    ),
)
def stored_for_added(words, counts):
    found = {}
    for word, count in zip(words, counts):
        for pair in zip(word, word[1:]):
            found[pair] = count
    return found


@wrong(
    why=(
        "Every second pair was looked at, as if pairs could not overlap: in 7, 8, 9 both (7, 8) "
        "and (8, 9) stand side by side."
    ),
)
def steps_of_two(words, counts):
    found = Counter()
    for word, count in zip(words, counts):
        for i in range(0, len(word) - 1, 2):
            found[word[i], word[i + 1]] += count
    return dict(found)
