"""Right and wrong answers to `transfer.restore_spans`."""

import torch

from grader.author.answers import right, wrong


@right
def by_places(read, asked, *, sentinel):
    places = [i for i, token in enumerate(asked.tolist()) if token >= sentinel]
    ends = places[1:] + [len(asked)]
    parts = []
    for token in read:
        if token < sentinel:
            parts.append(token[None])
            continue
        for place, end in zip(places, ends):
            if asked[place] == token:
                parts.append(asked[place + 1 : end])
                break
    return torch.cat(parts) if parts else read[:0]


@right
def by_groups(read, asked, *, sentinel):
    group = (asked >= sentinel).cumsum(0)  # 0 before the first sentinel
    marks = asked[asked >= sentinel]
    pieces = [asked[group == k + 1][1:].tolist() for k in range(len(marks))]
    answers = {}
    for mark, piece in reversed(list(zip(marks.tolist(), pieces))):
        answers[mark] = piece
    whole = [answers.get(t, []) if t >= sentinel else [t] for t in read.tolist()]
    return read.new_tensor([t for part in whole for t in part])


wrong(
    "by_their_order",
    why=(
        "The spans were put back in the order in which they were written; their sentinels say "
        "where each belongs, and a model may leave one out."
    ),
    change={
        "text += spans.get(token, []) if token >= sentinel else [token]": (
            "if token >= sentinel:\n"
            "            text += spans.pop(next(iter(spans)), []) if spans else []\n"
            "        else:\n"
            "            text.append(token)"
        )
    },
)


wrong(
    "last_answer_counts",
    why="Of a sentinel that was answered twice the last answer was taken; the first one counts.",
    change={"spans.setdefault(token, span)": "spans[token] = span"},
)


wrong(
    "answers_joined",
    why="Two answers to one sentinel were joined; the first one counts, and the second is dropped.",
    change={
        "            span = []\n            spans.setdefault(token, span)\n": (
            "            span = spans.setdefault(token, [])\n"
        )
    },
)


wrong(
    "sentinels_left_in",
    why="A sentinel that was not answered stands in the text; it leaves nothing.",
    change={"spans.get(token, [])": "spans.get(token, [token])"},
)


wrong(
    "sentinel_with_its_span",
    why="The sentinels stand in the text before their spans; they only say where these belong.",
    change={"            span = []\n": "            span = [token]\n"},
)


wrong(
    "unanswered_breaks",
    why="A sentinel that the model did not answer ended in a KeyError; it leaves nothing.",
    change={"spans.get(token, [])": "spans[token]"},
)


wrong(
    "first_words_kept",
    why=(
        "What was written before the first sentinel was put at the beginning; it belongs to no gap."
    ),
    change={
        "    text: list[int] = []\n": (
            "    text = asked.tolist()[: sum((asked >= sentinel).cumsum(0) == 0)]\n"
        )
    },
)


wrong(
    "only_in_order",
    why=(
        "A sentinel was taken for the end of all as soon as it was not the next one in line; they "
        "may come in any order."
    ),
    change={
        "        if token >= sentinel:\n            span = []\n": (
            "        if token >= sentinel:\n"
            "            if token != sentinel + len(spans):\n"
            "                break\n"
            "            span = []\n"
        )
    },
)
