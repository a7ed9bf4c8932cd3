"""Right and wrong answers to `tokenization.split_special`."""

from grader.author.answers import equivalent, right, wrong


@right
def walking_through(text, specials):
    parts, between, at = [], "", 0
    while at < len(text):
        here = max((s for s in specials if text.startswith(s, at)), key=len, default=None)
        if here is None:
            between += text[at]
            at += 1
            continue
        parts += [between, here]
        between, at = "", at + len(here)
    return [part for part in [*parts, between] if part]


@right
def the_nearest_one(text, specials):
    parts = []
    while text:
        places = [(text.find(s), -len(s), s) for s in specials if s in text]
        if not places:
            return [*parts, text]
        at, _, special = min(places)
        parts += [text[:at]] * (at > 0) + [special]
        text = text[at + len(special) :]
    return parts


wrong(
    "specials_dropped",
    why="The special tokens are gone: a group in the pattern, `(…)`, keeps what it matches.",
    change={
        "f\"({'|'.join(": '"|".join(',
        'longest_first))})"': "longest_first))",
    },
)


wrong(
    "marks_not_escaped",
    why=(
        "In a regular expression | and . have a meaning of their own, so that `<|` fits where only "
        "< stands: re.escape takes it away."
    ),
    change={"map(re.escape, longest_first)": "longest_first"},
)


wrong(
    "order_as_given",
    why=(
        "Where one special token begins another, you took the shorter one: of a pattern, the "
        "first alternative that fits is taken, so the longest has to come first."
    ),
    change={"sorted(specials, key=len, reverse=True)": "specials"},
)


wrong(
    "empty_pieces",
    why="There are empty pieces at the ends and between neighbors; they are no text.",
    change={"[part for part in parts if part]": "parts"},
)


wrong(
    "stripped",
    why="Spaces around special tokens were stripped; a tokenizer gives back every byte.",
    change={"[part for part in parts if part]": "[part.strip() for part in parts if part.strip()]"},
)


wrong(
    "no_specials_no_text",
    why="Without special tokens the text is one piece, and an empty text is none.",
    change={"return [text] if text else []": "return []"},
    corner=True,
)


@wrong(why="The text was cut at every first occurrence alone; a special token may come many times.")
def once_each(text, specials):
    parts = [text]
    for special in sorted(specials, key=len, reverse=True):
        cut = []
        for part in parts:
            before, found, after = (
                part.partition(special) if part not in specials else (part, "", "")
            )
            cut += [before, found, after]
        parts = [part for part in cut if part]
    return [part for part in parts if part]


equivalent(
    "longest_first = sorted(specials, reverse=True)",
    why="Of texts that begin alike the longer one comes later in the alphabet.",
)


wrong(
    "capitals_ignored",
    why="Large and small letters were taken for the same; a special token is one text, as it is.",
    change={"re.split(f": "re.split('(?i)' + f"},
)


@wrong(
    why=(
        "The whole text was searched for one special token after the other, so that a longer one "
        "takes letters of a shorter one that began before it; read from left to right."
    ),
    corner=True,
)
def one_special_after_the_other(text, specials):
    parts = [text]
    for special in sorted(specials, key=len, reverse=True):
        found = []
        for part in parts:
            if part in specials:
                found.append(part)
                continue
            for index, between in enumerate(part.split(special)):
                found += [special] * (index > 0) + [between]
        parts = found
    return [part for part in parts if part]


wrong(
    "capitals_merged",
    why=(
        "You made one of special tokens that differ in capitals alone: each is a text of its own, "
        "letters as they are."
    ),
    change={"sorted(specials, ": "sorted({s.lower(): s for s in specials}.values(), "},
)
