"""Right and wrong answers to `test_time_compute.tool_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def token_by_token(tokens, *, result, close):
    mask = torch.ones_like(tokens, dtype=torch.bool)
    for row, said in enumerate(tokens.tolist()):
        inside = False
        for place, token in enumerate(said):
            mask[row, place] = not inside
            if token == result:
                inside = True
            elif token == close:
                inside = False
    return mask


@right
def counts_minus_own(tokens, *, result, close):
    asks, closes = (tokens == result).long(), (tokens == close).long()
    inside = (asks.cumsum(1) - asks) - (closes.cumsum(1) - closes)
    return inside < 1


wrong(
    "close_is_trained",
    why="The token that ends a result counts, too; the tool writes it, not the model.",
    change={
        "(count, (1, 0))[:, :-1] for count in (asks, closes))": (
            "(count, (1, 0))[:, 1 - at : count.shape[1] + 1 - at]"
            " for at, count in enumerate((closes, asks)))"
        ),
        "asked, closed = ": "closed, asked = ",
    },
)


@wrong(why="The token that asks for the result is left out; the model must learn to write it.")
def asking_left_out(tokens, *, result, close):
    asks, closes = (tokens == result).long().cumsum(1), (tokens == close).long()
    return asks <= closes.cumsum(1) - closes


wrong(
    "the_tools_own_tokens",
    why="True marks the tokens of the tool; the loss needs those of the model.",
    change={"asked <= closed": "asked > closed"},
)


@wrong(why="Everything after the first call is left out; after its end the model goes on.")
def never_closed(tokens, *, result, close):
    asks = (tokens == result).long()
    return asks.cumsum(1) - asks == 0


@wrong(why="Only the first call is masked; a row may have several.")
def first_call_alone(tokens, *, result, close):
    asks, closes = (tokens == result).long(), (tokens == close).long()
    return (asks.cumsum(1) - asks == 0) | (closes.cumsum(1) - closes > 0)


@wrong(
    why="A result that is cut off counts as the model's; there is no end, and it is the tool's.",
    corner=True,
)
def unclosed_counts(tokens, *, result, close):
    asks, closes = (tokens == result).long(), (tokens == close).long()
    inside = asks.cumsum(1) - asks > closes.cumsum(1) - closes
    later = closes.flip(1).cumsum(1).flip(1) > 0
    return ~(inside & later)


@wrong(why="Only the two marks are left out; what stands between them is the tool's.")
def marks_alone(tokens, *, result, close):
    return (tokens != result) & (tokens != close)


@wrong(
    why="The calls of all rows are counted in one sequence; each row begins outside of a call.",
    corner=True,
)
def rows_run_together(tokens, *, result, close):
    asks, closes = (tokens.flatten() == result).long(), (tokens.flatten() == close).long()
    inside = (asks.cumsum(0) - asks) - (closes.cumsum(0) - closes)
    return (inside < 1).view(tokens.shape)
