"""Right and wrong answers to `tokenization.merge`."""

from grader.author.answers import right, wrong


@right
def built_from_the_left(tokens, pair, new):
    first, second = pair
    merged, closed = [], True  # closed: the last of merged is a merge, or nothing is there
    for token in tokens:
        if not closed and token == second and merged[-1] == first:
            merged[-1], closed = new, True
        else:
            merged.append(token)
            closed = False
    return merged


@right
def an_iterator(tokens, pair, new):
    merged, rest = [], list(tokens)[::-1]
    while rest:
        token = rest.pop()
        if rest and (token, rest[-1]) == tuple(pair):
            rest.pop()
            token = new
        merged.append(token)
    return merged


@wrong(
    why=(
        "After a merge the walk went on by one, so the second token of the pair was kept as well, "
        "and may be merged again."
    ),
)
def steps_of_one(tokens, pair, new):
    merged, at = [], 0
    while at < len(tokens):
        here = tuple(tokens[at : at + 2]) == tuple(pair)
        merged.append(new if here else tokens[at])
        at += 1
    return merged


@wrong(why="Only the first occurrence is merged; the pair is replaced wherever it stands.")
def first_alone(tokens, pair, new):
    for at in range(len(tokens) - 1):
        if tuple(tokens[at : at + 2]) == tuple(pair):
            return [*tokens[:at], new, *tokens[at + 2 :]]
    return list(tokens)


@wrong(
    why=(
        "The last token is lost where it is not part of a merge: a loop over neighbors ends one "
        "before it."
    ),
)
def last_token_lost(tokens, pair, new):
    merged, at = [], 0
    while at < len(tokens) - 1:
        here = tuple(tokens[at : at + 2]) == tuple(pair)
        merged.append(new if here else tokens[at])
        at += 2 if here else 1
    return merged


@wrong(why="The pair was merged in either order; (5, 7) is not (7, 5).")
def either_order(tokens, pair, new):
    merged, at = [], 0
    while at < len(tokens):
        two = tuple(tokens[at : at + 2])
        here = two in (tuple(pair), tuple(pair)[::-1])
        merged.append(new if here else tokens[at])
        at += 2 if here else 1
    return merged


@wrong(
    why=(
        "Read from right to left: a run such as 7, 7, 7 then keeps its first token and not its "
        "last."
    ),
)
def from_the_right(tokens, pair, new):
    merged, at = [], len(tokens) - 1
    while at >= 0:
        here = at > 0 and (tokens[at - 1], tokens[at]) == tuple(pair)
        merged.append(new if here else tokens[at])
        at -= 2 if here else 1
    return merged[::-1]


@wrong(why="The caller's list was changed; build a new one.")
def in_place(tokens, pair, new):
    at = 0
    while at < len(tokens) - 1:
        if tuple(tokens[at : at + 2]) == tuple(pair):
            tokens[at : at + 2] = [new]
        at += 1
    return tokens


@wrong(
    why=(
        "The pair was looked for in the numbers written as text, where 15 7 ends as 5 7 does; "
        "compare tokens, not digits."
    )
)
def as_text(tokens, pair, new):
    first, second = pair
    text = " ".join(map(str, tokens)).replace(f"{first} {second}", str(new))
    return [int(word) for word in text.split()]


wrong(
    "a_list_is_no_tuple",
    why=(
        "A slice of a list was compared with the pair as given. If the pair is a tuple "
        "they are never equal: `[5, 7] == (5, 7)` is False."
    ),
    change={"tuple(tokens[at : at + 2]) == tuple(pair)": "list(tokens[at : at + 2]) == pair"},
    corner=True,
)


wrong(
    "merged_again",
    why=(
        "What was just merged was taken for half of another pair. Read on after the pair: the new "
        "token may have the number of one of the two."
    ),
    change={
        "    merged, at = [], 0\n": "    merged, at, tokens = [], 0, list(tokens)\n",
        "        merged.append(new if here else tokens[at])\n        at += 2 if here else 1\n": (
            "        if here:\n            tokens[at : at + 2] = [new]\n            continue\n"
            "        merged.append(tokens[at])\n        at += 1\n"
        ),
    },
    corner=True,
)
