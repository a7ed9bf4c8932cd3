"""Right and wrong answers to `tokenization.wordpiece`."""

from grader.author.answers import equivalent, right, wrong


@right
def shortened_from_the_end(word, vocabulary):
    known, parts, rest, mark = set(vocabulary), [], word, ""
    while rest:
        part = rest
        while part and mark + part not in known:
            part = part[:-1]
        if not part:
            return ["[UNK]"]
        parts.append(mark + part)
        rest, mark = rest[len(part) :], "##"
    return parts


@right
def calling_itself(word, vocabulary, mark=""):
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if mark + word[:end] in vocabulary:
            rest = calling_itself(word[end:], vocabulary, "##")
            return ["[UNK]"] if rest == ["[UNK]"] else [mark + word[:end], *rest]
    return ["[UNK]"]


wrong(
    "shortest_first",
    why="The shortest part that fits was taken; the longest is.",
    change={"range(len(word), at, -1)": "range(at + 1, len(word) + 1)"},
)


wrong(
    "no_mark",
    why="Parts inside of a word are looked up with ## before them; those without begin a word.",
    change={'mark = "##" if at else ""': 'mark = ""'},
)


wrong(
    "mark_on_the_first",
    why="The first part of a word has no ## before it.",
    change={'mark = "##" if at else ""': 'mark = "##"'},
)


wrong(
    "unknown_in_part",
    why=(
        "What could be read before the unknown part was kept; one unknown part makes the whole "
        "word unknown."
    ),
    change={"return [UNKNOWN]": "return [*parts, UNKNOWN]"},
)


wrong(
    "mark_not_shown",
    why="The parts were returned without ##; with it a reader, and a model, can tell them apart.",
    change={"parts.append(mark + word[at:end])": "parts.append(word[at:end])"},
)


@wrong(
    why=(
        "This tries other cuts when the longest part leads nowhere. WordPiece is greedy: it does "
        "not go back, and the word is unknown."
    ),
)
def goes_back(word, vocabulary):
    def cut(at):
        if at == len(word):
            return []
        for end in range(len(word), at, -1):
            part = ("##" if at else "") + word[at:end]
            if part in vocabulary and (rest := cut(end)) is not None:
                return [part, *rest]
        return None

    found = cut(0)
    return ["[UNK]"] if found is None else found


@wrong(
    why=(
        "The word was cut from its end, each time with the longest part that it ends with. "
        "WordPiece begins at the first letter."
    ),
)
def from_the_right(word, vocabulary):
    known, parts, end = set(vocabulary), [], len(word)
    while end:
        starts = (at for at in range(end) if ("##" if at else "") + word[at:end] in known)
        at = next(starts, None)
        if at is None:
            return ["[UNK]"]
        parts.insert(0, ("##" if at else "") + word[at:end])
        end = at
    return parts


equivalent(
    "known, parts, at = (vocabulary), [], 0",
    why="A list is searched more slowly than a set, with the same result.",
)


wrong(
    "in_small_letters",
    why=(
        "The word was put into small letters. That is the business of whoever calls; here *Play* "
        "and *play* are two words."
    ),
    change={
        "known, parts, at = set(vocabulary), [], 0": (
            "word, known, parts, at = word.lower(), set(vocabulary), [], 0"
        )
    },
)


wrong(
    "long_words_unknown",
    why=(
        "Words of more than 100 letters were called unknown, as BERT's own code does; the "
        "docstring knows no such limit."
    ),
    change={
        "known, parts, at = set(vocabulary), [], 0": (
            "if len(word) > 100:\n        return [UNKNOWN]\n"
            "    known, parts, at = set(vocabulary), [], 0"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "Of all ways to cut the word, the one of fewest parts was taken. WordPiece is greedy: the "
        "longest part that begins here, whatever comes after it."
    ),
)
def fewest_parts(word, vocabulary):
    best = [[]]
    for end in range(1, len(word) + 1):
        ways = [None]
        for start in range(end):
            part = ("##" if start else "") + word[start:end]
            if part in vocabulary and best[start] is not None:
                ways.append([*best[start], part])
        best.append(min((way for way in ways if way), key=len, default=None))
    return ["[UNK]"] if best[-1] is None else best[-1]
