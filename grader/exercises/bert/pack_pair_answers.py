"""Right and wrong answers to `bert.pack_pair`."""

from grader.author.answers import right, wrong
from solutions.bert import truncate_pair


@right
def piece_by_piece(first, second, *, cls, sep, longest):
    texts = [list(first)] if second is None else [list(first), list(second)]
    room = longest - 1 - len(texts)
    while sum(map(len, texts)) > room:
        max(reversed(texts), key=len).pop()
    row = [cls]
    for text in texts:
        row += text
        row.append(sep)
    return row


@right
def with_one_call(first, second, *, cls, sep, longest):
    a, b = truncate_pair(first, second or [], longest - (2 if second is None else 3))
    row = [cls] + a + [sep]
    if second is not None:
        row.extend(b + [sep])
    return row


wrong(
    "no_last_sep",
    why="The [SEP] after the second text is missing: BERT puts one after each text.",
    change={"*second, sep]": "*second]"},
)


wrong(
    "cls_twice",
    why="The second text got its own [CLS]; a row has one, at its beginning.",
    change={"sep, *second, sep]": "sep, cls, *second, sep]"},
)


wrong(
    "no_cls",
    why="[CLS] is missing: BERT's predictions about the whole row are made at this token.",
    change={"return [cls, *first, sep, *second": "return [*first, sep, *second"},
)


wrong(
    "cut_afterwards",
    why=(
        "The row was packed first and cut afterward: its last [SEP] is gone, and only the second "
        "text was shortened."
    ),
    change={
        "first, second = truncate_pair(first, second, longest - 3)": "pass",
        "[cls, *first, sep, *second, sep]": "[cls, *first, sep, *second, sep][:longest]",
    },
)


wrong(
    "special_ones_not_counted",
    why="The texts may fill the whole row, and then the special tokens make it too long.",
    change={"truncate_pair(first, second, longest - 3)": "truncate_pair(first, second, longest)"},
)


wrong(
    "room_for_two",
    why="Room was kept for two special tokens; a pair has three: [CLS] and two [SEP].",
    change={"longest - 3": "longest - 2"},
)


wrong(
    "empty_taken_for_none",
    why="An empty second text was treated as None: the row of a pair has two [SEP].",
    change={"if second is None:": "if not second:"},
    corner=True,
)


wrong(
    "one_text_not_cut",
    why="A single text may be too long as well; cut it at its end.",
    change={"*first[: longest - 2]": "*first"},
)


wrong(
    "two_seps_for_one",
    why="A single text got two [SEP]; one follows each text.",
    change={"*first[: longest - 2], sep]": "*first[: longest - 3], sep, sep]"},
)


wrong(
    "cut_where_nothing_is_over",
    why=(
        "You cut as many tokens as the row is too long. If that number is negative there is room "
        "left, but the slice still cuts."
    ),
    change={"first[: longest - 2]": "first[: (longest - 2 - len(first)) or None]"},
)
