"""Right and wrong answers to `transformer.one_hot_positions`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong


@right
def written_into_zeros(x, *, longest, append):
    length, features = x.shape[-2:]
    if length > longest or (longest > features and not append):
        raise ValueError("too long")
    at = torch.arange(length, device=x.device)
    if not append:
        found = x.clone()
        found[..., at, at] = found[..., at, at] + 1
        return found
    found = x.new_zeros(*x.shape[:-1], features + longest)
    found[..., :features] = x
    found[..., at, features + at] = 1
    return found


@right
def by_padding(x, *, longest, append):
    if x.shape[-2] > longest:
        raise ValueError("too many positions")
    hot = F.one_hot(torch.arange(x.shape[-2]), longest).to(x)
    if append:
        return torch.cat((x, hot.broadcast_to((*x.shape[:-1], longest))), -1)
    if longest > x.shape[-1]:
        raise ValueError("too few features")
    return x + F.pad(hot, (0, x.shape[-1] - longest))


wrong(
    "put_before",
    why="Append the new features after the others, not before them.",
    change={
        "torch.cat([x, places.expand(*x.shape[:-1], width)], dim=-1)": (
            "torch.cat([places.expand(*x.shape[:-1], width), x], dim=-1)"
        )
    },
)


wrong(
    "as_long_as_the_sequence",
    why=(
        "You appended as many features as this sequence has positions. The next sequence may be "
        "longer, but the next layer needs one width: `longest`."
    ),
    change={"width = longest if append": "width = x.shape[-2] if append"},
)


wrong(
    "always_appended",
    why="With `append=False`, add the 1 to an existing feature; the width stays the same.",
    change={"    if append:\n": "    if True:\n"},
)


wrong(
    "a_number_added",
    why=(
        "You added the number t to feature t. Add 1: the position is given by which feature has "
        "the 1, and a number that grows with the position soon drowns the feature."
    ),
    change={"return x + places": "return x + places * torch.arange(width, dtype=x.dtype)"},
)


wrong(
    "cut_off",
    why=(
        "Positions beyond `longest` got no mark, or features beyond D were dropped, without an "
        "error. Positions that look alike are hard to notice: raise ValueError."
    ),
    change={
        "if x.shape[-2] > longest:": "if False:",
        "if not append and longest > x.shape[-1]:": "if False:",
        "places = torch.eye(width, dtype=x.dtype, device=x.device)[: x.shape[-2]]": (
            "places = torch.eye(max(width, x.shape[-2]), dtype=x.dtype)[: x.shape[-2], :width]"
        ),
    },
    corner=True,
)


wrong(
    "in_float32",
    why="The one-hot numbers are float32 whatever the dtype of x is; give them that dtype.",
    change={"dtype=x.dtype, ": ""},
    corner=True,
)


wrong(
    "written_into_x",
    why="You changed x in place; it belongs to the caller.",
    change={"return x + places": "return x.add_(places)"},
)
