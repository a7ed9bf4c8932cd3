"""Right and wrong answers to `bert.next_sentences`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_lists(document, first, chance, other):
    of = document.tolist()
    second, label = [], []
    for s, number, place in zip(first.tolist(), chance, other):
        if s + 1 == len(of) or of[s + 1] != of[s]:
            raise ValueError("nothing follows")
        elsewhere = [t for t, which in enumerate(of) if which != of[s]]
        if not elsewhere:
            raise ValueError("one document")
        strange = bool(number >= 0.5)
        second.append(elsewhere[int(place * len(elsewhere))] if strange else s + 1)
        label.append(int(strange))
    return torch.tensor(second, dtype=torch.int64), torch.tensor(label, dtype=torch.int64)


@right
def by_ranks(document, first, chance, other):
    whole = len(document)
    if (first == whole - 1).any() or (document[first] != document[first + 1]).any():
        raise ValueError("a last sentence")
    strange_ones = document[None, :] != document[first][:, None]
    number = strange_ones.sum(1)
    if (number == 0).any():
        raise ValueError("no other document")
    wanted = torch.floor(other * number).long()
    rank = strange_ones.cumsum(1) - 1
    found = (strange_ones & (rank == wanted[:, None])).int().argmax(1)
    label = (chance >= 0.5).to(torch.int64)
    return label * found + (1 - label) * (first + 1), label


wrong(
    "labels_swapped",
    why="Labels are the wrong way round: 0 says that the second sentence follows the first.",
    change={"strange.long()": "(~strange).long()"},
)


wrong(
    "other_half",
    why="You take the next sentence for draws of 0.5 and above; take it for those below.",
    change={"strange = chance >= 0.5": "strange = chance < 0.5"},
)


wrong(
    "limit_included",
    why=(
        "A draw of exactly one half takes another sentence; only a draw below 0.5 takes the next "
        "one."
    ),
    change={"chance >= 0.5": "chance > 0.5"},
    corner=True,
)


wrong(
    "from_anywhere",
    why=(
        "The other sentence may come from the same document, or be the true next one: the label "
        "then says that it does not follow, although it does."
    ),
    change={
        "(other * (len(document) - size)).long()": "(other * len(document)).long()",
        "torch.where(place < start, place, place + size)": "place",
    },
)


wrong(
    "document_not_stepped_over",
    why=(
        "The n places were counted from the front, including the document's own sentences; skip "
        "those."
    ),
    change={"torch.where(place < start, place, place + size)": "place"},
)


wrong(
    "always_stepped_over",
    why="Sentences before the document keep their numbers; only those after it are shifted.",
    change={"torch.where(place < start, place, place + size)": "(place + size) % len(document)"},
)


wrong(
    "across_the_border",
    why=(
        "The last sentence of a document was paired with the first of the next one and called its "
        "continuation; raise an error instead."
    ),
    change={"if bool(last[first].any()):": "if bool((first == len(document) - 1).any()):"},
    corner=True,
)


wrong(
    "end_of_the_text_forgotten",
    why="No sentence follows the last one of the text, and comparing neighbors does not show this.",
    change={"last = torch.ones_like(": "last = torch.zeros_like("},
    corner=True,
)


wrong(
    "sentence_itself",
    why="The first sentence was paired with itself; the one after it comes next.",
    change={"elsewhere, first + 1)": "elsewhere, first)"},
)


wrong(
    "one_document_goes_through",
    why="With one document there is no other sentence to draw; raise a ValueError.",
    change={"if bool((size == len(document)).any()):": "if False:"},
    corner=True,
)


wrong(
    "same_for_the_batch",
    why="One number decided for the whole batch; each pair has its own.",
    change={"strange = chance >= 0.5": "strange = (chance[:1] >= 0.5).expand(chance.shape)"},
)


equivalent(
    "last = torch.ones_like(document)",
    why="1 and 0 in place of True and False: any() asks the same of both.",
)
