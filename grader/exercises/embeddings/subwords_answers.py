"""Right and wrong answers to `embeddings.subwords`."""

from grader.author.answers import right, wrong


@right
def two_loops_and_a_list(word, *, shortest=3, longest=6):
    marked = "<" + word + ">"
    found = []
    for length in range(shortest, longest + 1):
        start = 0
        while start + length <= len(marked):
            piece = marked[start : start + length]
            if piece not in found:
                found.append(piece)
            start += 1
    if marked not in found:
        found.append(marked)
    return found


@right
def shifted_letters_zipped(word, *, shortest=3, longest=6):
    letters = ["<", *word, ">"]
    found = {}
    for length in range(shortest, longest + 1):
        for run in zip(*(letters[offset:] for offset in range(length)), strict=False):
            found.setdefault("".join(run))
    found.setdefault("".join(letters))
    return list(found)


wrong(
    "no_brackets",
    why=(
        "The brackets are missing: without them *her* in *where* and the word *her* would share "
        "a piece, and no piece would mark the end of the word."
    ),
    change={'f"<{word}>"': "word"},
)


wrong(
    "whole_word_missing",
    why="The whole word in its brackets is a piece too, so that it can have a vector of its own.",
    change={"[*pieces, marked]": "pieces"},
)


wrong(
    "whole_word_without_brackets",
    why="The whole word came without its brackets; it is a piece like the others, <where>.",
    change={"[*pieces, marked]": "[*pieces, word]"},
)


wrong(
    "whole_word_first",
    why="The whole word came first; put it at the end, unless it is listed already.",
    change={"[*pieces, marked]": "[marked, *pieces]"},
)


wrong(
    "repeats_kept",
    why="A piece that occurs twice was listed twice; each is listed once.",
    change={"list(dict.fromkeys([*pieces, marked]))": "[*pieces, marked]"},
)


wrong(
    "longest_left_out",
    why="`range` stops before its end: pieces of `longest` letters are missing.",
    change={"range(shortest, longest + 1)": "range(shortest, longest)"},
)


wrong(
    "last_piece_left_out",
    why="A word of T letters has T − n + 1 pieces of n letters; the last was left out.",
    change={"len(marked) - length + 1": "len(marked) - length"},
)


wrong(
    "cut_off_at_the_end",
    why="The pieces at the end are too short: a slice that runs past the end is cut off.",
    change={"range(len(marked) - length + 1)": "range(len(marked))"},
)


wrong(
    "side_by_side",
    why="The pieces do not overlap here; a piece must start at every letter.",
    change={"range(len(marked) - length + 1)": "range(0, len(marked) - length + 1, length)"},
)


wrong(
    "by_position_first",
    why="Order the pieces by length, then by position; here they are ordered by position first.",
    change={
        "for length in range(shortest, longest + 1)\n"
        "        for start in range(len(marked) - length + 1)": (
            "for start in range(len(marked))\n        for length in range(shortest, longest + 1)\n"
            "        if start + length <= len(marked)"
        )
    },
)


wrong(
    "sorted_by_letters",
    why="The pieces were sorted, or collected in a set, which loses the order.",
    change={"list(dict.fromkeys([*pieces, marked]))": "sorted({*pieces, marked})"},
)


wrong(
    "always_three_to_six",
    why="`shortest` and `longest` are not used.",
    change={"range(shortest, longest + 1)": "range(3, 7)"},
)
