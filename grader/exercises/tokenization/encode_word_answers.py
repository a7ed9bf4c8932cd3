"""Right and wrong answers to `tokenization.encode_word`."""

from grader.author.answers import equivalent, right, wrong
from solutions.tokenization import merge


@right
def one_merge_after_the_other(tokens, merges):
    tokens = list(tokens)
    if isinstance(merges, dict):
        merges = sorted(merges, key=merges.get)
    for rank, pair in enumerate(merges):  # a merge makes no pair of a smaller rank
        tokens = merge(tokens, pair, 256 + rank)
    return tokens


@right
def one_place_at_a_time(tokens, merges):
    tokens = list(tokens)
    try:
        ranks = dict(merges.items())
    except AttributeError:
        ranks = {tuple(pair): k for k, pair in enumerate(merges)}
    while True:
        found = [
            (ranks[tuple(tokens[at : at + 2])], at)
            for at in range(len(tokens) - 1)
            if tuple(tokens[at : at + 2]) in ranks
        ]
        if not found:
            return tokens
        rank, at = min(found)
        tokens[at : at + 2] = [256 + rank]


@wrong(
    why=(
        "The first pair that can be merged was merged, from left to right. Training made the "
        "merges in an order, and only in that order does a word get the tokens it would have had "
        "there."
    ),
)
def from_left_to_right(tokens, merges):
    ranks, tokens = merges, list(tokens)
    if not isinstance(merges, dict):
        ranks = {tuple(pair): k for k, pair in enumerate(merges)}
    at = 0
    while at < len(tokens) - 1:
        pair = tuple(tokens[at : at + 2])
        if pair in ranks:
            tokens = merge(tokens, pair, 256 + ranks[pair])
            at = 0
        else:
            at += 1
    return tokens


@wrong(
    why=(
        "The longest token that fits was taken at each place, as WordPiece does; BPE applies its "
        "merges in order, and may end with others."
    ),
)
def longest_first(tokens, merges):
    made = {k: (k,) for k in range(256)}
    if isinstance(merges, dict):
        merges = sorted(merges, key=merges.get)
    for k, (one, other) in enumerate(merges):
        made[256 + k] = made[one] + made[other]
    number = {parts: token for token, parts in made.items()}
    found, at = [], 0
    while at < len(tokens):
        end = max(e for e in range(at + 1, len(tokens) + 1) if tuple(tokens[at:e]) in number)
        found.append(number[tuple(tokens[at:end])])
        at = end
    return found


wrong(
    "last_merge_first",
    why="The latest merge was applied first; the earliest comes first, for later ones build on it.",
    change={"first = min(pairs": "first = max(pairs"},
)


wrong(
    "one_merge_alone",
    why="One merge was applied and no other: look again, until no pair of the word has a rank.",
    change={"while pairs :=": "if pairs :="},
)


@wrong(
    why=("The pair was merged only at its first place; merge it wherever it occurs."),
)
def every_pair_once(tokens, merges):
    tokens = list(tokens)
    if isinstance(merges, dict):
        merges = sorted(merges, key=merges.get)
    for rank, pair in enumerate(merges):
        for at in range(len(tokens) - 1):
            if tokens[at : at + 2] == list(pair):
                tokens[at : at + 2] = [256 + rank]
                break
    return tokens


wrong(
    "rank_for_token",
    why="The rank itself was put in: merge k makes the token 256 + k, for 0 to 255 are the bytes.",
    change={"256 + rank[first]": "rank[first]"},
)


equivalent(
    "tokens = (tokens)",
    why="A list comes in; merge makes a new one, and without a merge it may be the same.",
)


wrong(
    "order_of_the_dict",
    why=(
        "The merges were numbered in the order in which the dict holds them; what the dict says "
        "of a pair is its place."
    ),
    change={"    if not isinstance(merges, Mapping):\n        rank": "    if True:\n        rank"},
    corner=True,
)
