"""Right and wrong answers to `diffusion.sample`."""

from itertools import pairwise

from grader.author.answers import right, wrong
from solutions.diffusion import reverse_step


@right
def pairs_of_rows(denoisers, start, table, *, eta=0.0, draws=None):
    x = start
    fresh = [None] * (len(table) - 1) if draws is None else draws
    rows = zip(pairwise(table.flip(0)), list(denoisers)[:0:-1], fresh, strict=True)
    for (now, then), denoise, z in rows:
        x = reverse_step(x, denoise(x), now, then, eta=eta, draws=z)
    return x


@right
def called_again(denoisers, start, table, *, eta=0.0, draws=None):
    if len(table) == 1:
        return start
    first, rest = (None, None) if draws is None else (draws[0], draws[1:])
    x = reverse_step(start, denoisers[-1](start), table[-1], table[-2], eta=eta, draws=first)
    return called_again(denoisers[:-1], x, table[:-1], eta=eta, draws=rest)


wrong(
    "table_upside_down",
    why="The loop begins at the clean row; begin at the last row, which is noise, and go back.",
    change={
        "enumerate(range(len(table) - 1, 0, -1))": "enumerate(range(1, len(table)))",
    },
)


wrong(
    "denoiser_of_the_next_row",
    why=(
        "The denoiser is that of the row where x is going. It was trained for less noise than x "
        "has: call that of the row where x is."
    ),
    change={"denoisers[row](x)": "denoisers[row - 1](x)"},
)


wrong(
    "one_denoiser_for_all",
    why="The denoiser of the last row is called in every step; each row has its own.",
    change={"denoisers[row](x)": "denoisers[-1](x)"},
)


wrong(
    "clean_estimate_of_the_start",
    why="The estimate is made from the start in every step; the points have moved since.",
    change={"denoisers[row](x)": "denoisers[row](start)"},
)


wrong(
    "steps_from_the_start",
    why="Every step begins at the start; it has to begin where the one before has ended.",
    change={"reverse_step(x, denoisers": "reverse_step(start, denoisers"},
)


wrong(
    "draws_backward",
    why="The draws are taken by row, the last one first; they are in the order of the steps.",
    change={"draws[count]": "draws[row - 1]", "count, row in": "_, row in"},
)


wrong(
    "one_draw_for_all_steps",
    why="Every step gets the same fresh noise; noise that is repeated does not average out.",
    change={"draws[count]": "draws[0]", "count, row in": "_, row in"},
)


wrong(
    "last_step_left_out",
    why="The loop ends at row 1, and its noise stays in the samples; the last step goes to row 0.",
    change={"range(len(table) - 1, 0, -1)": "range(len(table) - 1, 1, -1)"},
)


wrong(
    "first_step_left_out",
    why="The loop begins one row too late: the start belongs to the last row of the table.",
    change={"range(len(table) - 1, 0, -1)": "range(len(table) - 2, 0, -1)"},
)


wrong(
    "eta_not_passed_on",
    why="eta does not reach the steps, so that every sampler is DDIM.",
    change={"eta=eta, draws=fresh": "draws=fresh"},
)


wrong(
    "straight_to_row_0",
    why="Every step goes to row 0; the next one down is row − 1.",
    change={"table[row - 1], eta": "table[0], eta"},
)
