"""Right and wrong answers to `vit.occlusion`."""

import torch

from grader.author.answers import right, wrong


@right
def with_slices(model, images, paint, size):
    height, width = images.shape[-2:]
    chances = model(images).softmax(-1)
    highest, answer = chances.max(-1)
    falls = []
    for row in range(0, height, size):
        for column in range(0, width, size):
            square = (..., slice(row, row + size), slice(column, column + size))
            painted = images.clone()
            painted[square] = paint[square]
            again = torch.softmax(model(painted), dim=1)
            falls.append(highest - again[torch.arange(len(images)), answer])
    return torch.stack(falls, dim=-1).detach()


@right
def all_in_one_batch(model, images, paint, size):
    count, channels, height, width = images.shape
    down, across = height // size, width // size
    marks = torch.eye(down * across).reshape(-1, 1, down, across)
    marks = torch.kron(marks, torch.ones(1, 1, size, size)).bool()  # (N, 1, H, W)
    painted = torch.where(marks, paint, images[:, None])  # (B, N, C, H, W)
    before = model(images).log_softmax(-1).exp()
    after = model(painted.flatten(0, 1)).log_softmax(-1).exp().unflatten(0, (count, -1))
    said = torch.nn.functional.one_hot(model(images).argmax(-1), before.shape[-1])
    return ((before[:, None] - after) * said[:, None]).sum(-1)


wrong(
    "paint_stays",
    why=(
        "The patches painted before stay painted: each fall is that of all patches so far. Begin "
        "with a fresh copy for each patch."
    ),
    change={"painted = cut.clone()": "painted = cut"},
)


@wrong(
    why=(
        "After painting you took the largest probability again, of whatever class. The question is "
        "what happens to the answer that was given."
    )
)
def another_answer(model, images, paint, size):
    highest = model(images).softmax(-1).amax(-1)
    falls = []
    for row in range(0, images.shape[-2], size):
        for column in range(0, images.shape[-1], size):
            square = (..., slice(row, row + size), slice(column, column + size))
            painted = images.clone()
            painted[square] = paint[square]
            falls.append(highest - model(painted).softmax(-1).amax(-1))
    return torch.stack(falls, dim=-1)


wrong(
    "painted_with_zero",
    why="The patch was set to 0. It is to show what `paint` shows at that place.",
    change={"color[place]": "0"},
)


wrong(
    "paint_of_the_first_patch",
    why="Every patch got the upper left corner of `paint`, and not what stands at its own place.",
    change={"color[place]": "color[0]"},
)


wrong(
    "logits",
    why="These are drops of the logit; return drops of the probability, after the softmax.",
    change={
        "before = model(images).softmax(dim=-1)": "before = model(images)",
        "model(whole).softmax(dim=-1)": "model(whole)",
    },
)


wrong(
    "log_probability",
    why="These are drops of the log-probability; return drops of the probability itself.",
    change={
        "before = model(images).softmax(dim=-1)": "before = model(images).log_softmax(dim=-1)",
        "model(whole).softmax(dim=-1)": "model(whole).log_softmax(dim=-1)",
    },
)


wrong(
    "sign_turned",
    why="The sign is turned: a patch that the answer depends on has a fall above 0.",
    change={
        "before - model(whole).softmax(dim=-1)": "model(whole).softmax(dim=-1) - before",
    },
)


wrong(
    "share_of_it",
    why="The fall was divided by the probability before; it is a plain difference.",
    change={
        "(before - model(whole).softmax(dim=-1))": "(1 - model(whole).softmax(dim=-1) / before)",
    },
)


@wrong(
    why=(
        "All but one patch is painted over. The question is what the image says without the patch, "
        "and not what the patch says alone."
    )
)
def all_but_one(model, images, paint, size):
    before = model(images).softmax(-1)
    highest, answer = before.max(-1)
    falls = []
    for row in range(0, images.shape[-2], size):
        for column in range(0, images.shape[-1], size):
            square = (..., slice(row, row + size), slice(column, column + size))
            painted = paint.expand_as(images).clone()
            painted[square] = images[square]
            after = model(painted).softmax(-1)
            falls.append(highest - after[torch.arange(len(images)), answer])
    return torch.stack(falls, dim=-1)


@wrong(
    why=(
        "The patches are numbered column by column; as everywhere in this chapter they go row by "
        "row."
    )
)
def column_by_column(model, images, paint, size):
    highest, answer = model(images).softmax(-1).max(-1)
    falls = []
    for column in range(0, images.shape[-1], size):
        for row in range(0, images.shape[-2], size):
            square = (..., slice(row, row + size), slice(column, column + size))
            painted = images.clone()
            painted[square] = paint[square]
            after = model(painted).softmax(-1)
            falls.append(highest - after[torch.arange(len(images)), answer])
    return torch.stack(falls, dim=-1)
