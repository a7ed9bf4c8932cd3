"""Right and wrong answers to `diffusion.unmask`."""

import torch

from grader.author.answers import right, wrong


@right
def written_in_place(tokens, proposed, uniform, now, then, *, mask):
    found = tokens.clone()
    places = torch.logical_and(found.eq(mask), uniform.lt(1 - then / now))
    found[places] = proposed[places]
    return found


@right
def kept_where_it_stays(tokens, proposed, uniform, now, then, *, mask):
    stays = (tokens != mask) | (uniform * now >= now - then)
    return stays * tokens + ~stays * proposed


wrong(
    "visible_tokens_drawn_again",
    why=(
        "Visible tokens are replaced as well. They are what the model has read to propose the "
        "others: once visible, a token stays."
    ),
    change={"(tokens == mask) & (uniform": "(tokens == tokens) & (uniform"},
)


wrong(
    "not_divided_by_the_level",
    why=(
        "The probability is t − r. That share of all tokens is to become visible, but only a share "
        "t is hidden: (t − r) / t of these."
    ),
    change={"(now - then) / now": "(now - then)"},
)


wrong(
    "as_many_as_stay",
    why="r / t is the probability that a token stays hidden; it becomes visible with 1 − r / t.",
    change={"(now - then) / now": "then / now"},
)


wrong(
    "probability_of_the_new_level",
    why="1 − r is the share that is visible in the end; a part of it is visible already.",
    change={"(now - then) / now": "(1 - then)"},
)


wrong(
    "all_at_once",
    why=(
        "All hidden tokens become visible in one step, each drawn without knowing the others: they "
        "do not fit together."
    ),
    change={" & (uniform < (now - then) / now)": " & (uniform < 1)"},
)


wrong(
    "draws_above",
    why="Tokens with a draw above the probability become visible; they must be those below it.",
    change={"uniform < (now": "uniform >= (now"},
)


wrong(
    "hidden_again",
    why="Tokens that do not become visible in this step are hidden; those that were visible stay.",
    change={"torch.where(opened, proposed, tokens)": "torch.where(opened, proposed, mask)"},
)
