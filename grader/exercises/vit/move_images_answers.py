"""Right and wrong answers to `vit.move_images`."""

import torch

from grader.author.answers import right, wrong


@right
def one_by_one(images, down, right):
    height, width = images.shape[-2:]
    moved = torch.zeros_like(images)
    for number, (d, r) in enumerate(zip(down.tolist(), right.tolist(), strict=True)):
        if abs(d) < height and abs(r) < width:
            rows = slice(max(d, 0), height + min(d, 0))
            columns = slice(max(r, 0), width + min(r, 0))
            source = images[number, :, max(-d, 0) : height - max(d, 0)]
            moved[number, :, rows, columns] = source[..., max(-r, 0) : width - max(r, 0)]
    return moved


@right
def from_a_frame_of_zeros(images, down, right):
    height, width = images.shape[-2:]
    framed = images.new_zeros(*images.shape[:2], 3 * height, 3 * width)
    framed[..., height : 2 * height, width : 2 * width] = images
    top = (height - down).clamp(0, 2 * height)
    left = (width - right).clamp(0, 2 * width)
    windows = [
        one[:, t : t + height, side : side + width]
        for one, t, side in zip(framed, top.tolist(), left.tolist(), strict=True)
    ]
    return torch.stack(windows)


@wrong(
    why="What leaves on one side comes back on the other: torch.roll wraps around. Zeros come in."
)
def rolled(images, down, right):
    pairs = zip(images, down.tolist(), right.tolist(), strict=True)
    return torch.stack([torch.roll(image, by, dims=(1, 2)) for image, *by in pairs])


wrong(
    "the_other_way",
    why="The images went the other way: with down = 1, row 0 is to be found in row 1.",
    change={"(height - down)": "(height + down)", "(width - right)": "(width + right)"},
)


wrong(
    "axes_exchanged",
    why="`down` moved along the columns and `right` along the rows.",
    change={"(height - down)": "(height - right)", "(width - right)": "(width - down)"},
)


wrong(
    "all_by_the_first",
    why="All images were moved by the numbers of the first; each has its own.",
    change={
        "(height - down)": "(height - down[:1].expand(count))",
        "(width - right)": "(width - right[:1].expand(count))",
    },
)


@wrong(why="The pixels at the edge were drawn out over the margin; what comes in is 0.")
def edge_drawn_out(images, down, right):
    height, width = images.shape[-2:]
    rows = (torch.arange(height) - down[:, None]).clamp(0, height - 1)
    columns = (torch.arange(width) - right[:, None]).clamp(0, width - 1)
    which = torch.arange(len(images))[:, None, None]
    return images.movedim(1, -1)[which, rows[:, :, None], columns[:, None]].movedim(-1, 1)


wrong(
    "only_down",
    why="The images were moved down and not to the side.",
    change={"(width - right)": "(width - 0 * right)"},
)


@wrong(
    why=(
        "An image that is moved by its height or its width, or more, did not end as zeros: a slice "
        "with a negative end counts from the other side."
    )
)
def not_out_of_sight(images, down, right):
    height, width = images.shape[-2:]
    moved = torch.zeros_like(images)
    for number, (d, r) in enumerate(zip(down.tolist(), right.tolist(), strict=True)):
        d, r = d % height if d >= height else d, r % width if r >= width else r
        d, r = -(-d % height) if -d >= height else d, -(-r % width) if -r >= width else r
        rows = slice(max(d, 0), height + min(d, 0))
        columns = slice(max(r, 0), width + min(r, 0))
        source = images[number, :, max(-d, 0) : height - max(d, 0)]
        moved[number, :, rows, columns] = source[..., max(-r, 0) : width - max(r, 0)]
    return moved


@wrong(
    why="What is outside was multiplied by 0, and 0 · ∞ is not a number: put 0 in its place.",
    corner=True,
)
def multiplied_by_zero(images, down, right):
    height, width = images.shape[-2:]
    rows, columns = torch.arange(height) - down[:, None], torch.arange(width) - right[:, None]
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[
        :, None
    ]
    which = torch.arange(len(images))[:, None, None]
    rows, columns = rows.clamp(0, height - 1), columns.clamp(0, width - 1)
    found = images.movedim(1, -1)[which, rows[:, :, None], columns[:, None]].movedim(-1, 1)
    return found * inside[:, None]


wrong(
    "always_float",
    why="The result is float; it keeps the dtype of the images.",
    change={"F.pad(images,": "F.pad(images.double(),"},
)
