"""Questions on Vision Transformers."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import vit


@question("short", "patches-of-an-image", 3, public=True)
def sizes(rng: Random) -> Drawn:
    (size, n), channels = rng.choice([(4, 32), (8, 64), (16, 224), (4, 28)]), rng.choice([1, 3])
    shape = tuple(vit.patches(torch.zeros(1, channels, n, n), size).shape[1:])
    return Drawn(
        text=f"An image of {channels} × {n} × {n} numbers is cut into patches of {size} × {size} pixels. How many patches are there, and how "
        "many numbers does each have? How many positions does the encoder read, with a class token?",
        answer=f"{shape[0]} of {shape[1]} numbers; {shape[0] + 1}",
        wrong=[
            f"{n // size} of {shape[1]} numbers; {n // size + 1}",
            f"{shape[0]} of {size * size} numbers; {shape[0]}",
            f"{shape[0]} of {shape[1]} numbers; {shape[0]}",
        ],
        steps=(
            (
                f"$({n}/{size})^2 = {shape[0]}$ patches of ${channels} \\cdot {size}^2 = {shape[1]}$ numbers",
                2,
            ),
            ("The class token takes one more position.", 1),
        ),
    )


@question("short", "patches-of-an-image", 4, public=True)
def place_of_a_patch(rng: Random) -> Drawn:
    size, side = rng.choice([2, 4, 8]), rng.choice([4, 7])
    n = size * side
    i = rng.randrange(side, side * side)
    rows = torch.arange(n).repeat(n, 1)
    first = vit.patches(torch.stack([rows.T, rows])[None], size)[0, i]
    corner = (int(first[0]), int(first[size * size]))
    return Drawn(
        text=f"An image of {n} × {n} pixels is cut into patches of {size} × {size} pixels, numbered row by row from 0. At which pixel (row, column) is "
        f"the upper left corner of patch {i}? Which patches are directly above and below it, if there are any?",
        answer=f"{corner}; {i - side} and {i + side if i + side < side * side else 'none'}",
        steps=(
            (
                f"There are {side} patches in a row: patch {i} is in row {i // side} and column {i % side}.",
                1,
            ),
            (f"Its corner is at {size} times that: {corner}.", 1),
            (
                f"The number of the patch above is smaller by {side}, that of the patch below is larger by {side}.",
                1,
            ),
        ),
    )


@question("mistake", "patches-of-an-image", 5, public=True)
def patches_mistake(rng: Random) -> Drawn:
    start = rng.choice([0, 10, 20])
    x = [[start + 4 * row + column for column in range(4)] for row in range(4)]
    return which_mistake(
        rng,
        "vit.patches",
        {"images": [[x]], "size": 2},
        [
            "reshaped_without_moving_axes",
            "patches_column_by_column",
            "pixels_column_by_column",
            "pixels_far_apart",
        ],
        text=f"A student's `patches` was called with patches of $2 \\times 2$ for the image ${table(x)}$. Each row of the result is a patch.",
    )


@question("short", "patch-embedding", 4, public=True)
def as_a_convolution(rng: Random) -> Drawn:
    size, channels, D = rng.choice([4, 8]), rng.choice([1, 3]), rng.choice([20, 50, 100])
    layer = vit.PatchEmbedding(size, channels, D)
    count = sum(one.numel() for one in layer.parameters())
    return Drawn(
        text=f"Patches of {channels} × {size} × {size} numbers are mapped to {D} features by one linear layer with bias. Written as a convolution, which kernel size and stride "
        f"does this layer have? How many parameters does it have, and how many with "
        f"images twice as high and wide?",
        answer=f"kernel {size}, stride {size}; {count}, and {count} again",
        steps=(
            ("The kernel is as large as a patch, and moves by a whole patch.", 1),
            (f"${D} \\cdot ({channels} \\cdot {size}^2 + 1) = {count}$", 1),
            (
                "All patches share the weights, so the number of parameters does not depend on the size of the image.",
                1,
            ),
        ),
    )


@question("short", "class-token", 3)
def class_token(rng: Random) -> Drawn:
    batch, D, patches = rng.choice([3, 5]), rng.choice([16, 32]), rng.choice([9, 16])
    found = vit.prepend(torch.zeros(D), torch.zeros(batch, patches, D))
    return Drawn(
        text=f"A class token of {D} features is prepended to a batch of {batch} images with {patches} patches each. What is the shape of the "
        "result? What information on the image does the token hold before the first layer, and how does it get more?",
        answer=f"{tuple(found.shape)}; nothing; by attention to the patches",
        steps=(
            (f"One more position for each image: {tuple(found.shape)}", 1),
            (
                "The token is learned, and the same for all images; what it holds later comes through attention.",
                1,
            ),
        ),
    )


@question("short", "whole-model", 5)
def parameters(rng: Random) -> Drawn:
    D, patches, pixels, classes = (
        rng.choice([10, 20]),
        rng.choice([16, 49]),
        rng.choice([16, 48]),
        rng.choice([5, 10]),
    )
    found = vit.vit_parameters(D, 0, 4 * D, patches=patches, pixels=pixels, classes=classes)
    embedding, positions, head = D * pixels + D, (patches + 1) * D, D * classes + classes
    rest = found - embedding - positions - head - D
    return Drawn(
        text=f"A Vision Transformer has {D} features, {patches} patches of {pixels} numbers each, a class token, and {classes} classes. How many parameters do "
        "the patch embedding, the class token, the position embeddings and the classifier have, with biases?",
        answer=f"{embedding}, {D}, {positions}, {head}",
        steps=(
            (f"Patch embedding: ${D} \\cdot {pixels} + {D} = {embedding}$", 1),
            (f"Class token: {D}; positions: $({patches} + 1) \\cdot {D} = {positions}$", 2),
            (
                f"Classifier: ${D} \\cdot {classes} + {classes} = {head}$; the last layer norm, which was not asked for, adds {rest}.",
                1,
            ),
        ),
    )


@question("curve", "data-grow", 3, public=True)
def crossing(rng: Random) -> Drawn:
    cross, gap = rng.choice([5, 6, 7]), rng.choice([0.3, 0.4])
    small = [60 * 2 ** (-0.35 * n) for n in range(10)]
    large = [small[n] * (1 + gap * (cross - n) / cross) for n in range(10)]
    named = dict(zip(rng.sample("AB", 2), (small, large), strict=True))
    right = next(letter for letter, one in named.items() if one is large)
    return Drawn(
        text="The figure sketches the errors of a convolutional network and of a Vision Transformer as the training set doubles, as one would expect "
        "from the assumptions built into each. Which curve is the Vision Transformer, and after how many doublings do they cross?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="doublings of the training set", y="error, %",
            alt="Two falling curves that cross.",
        ),
        answer=f"{right}, about {cross}",
        steps=(
            ("With few images, the convolutional network wins: locality and shared weights are built into it.", 1),
            (f"So the Vision Transformer is {right}. The curves cross at {cross} doublings.", 1),
        ),
    )  # fmt: skip


@question("prints", "moved-letters", 4)
def moved_by_a_pixel(rng: Random) -> Drawn:
    size, at = rng.choice([2, 4]), rng.choice([1, 3])
    line = [0] * 8
    line[at] = line[at + 1] = 1
    return prints(
        f"""line, size = {line}, {size}
moved = [0] + line[:-1]

def patches(line):
    return [line[n : n + size] for n in range(0, len(line), size)]

print(patches(line))
print(patches(moved))
print(patches(line)[0] in patches(moved))""",
        (f"Patches begin at fixed places, {size} pixels apart.", 1),
        (
            "Moved by a pixel, a stroke lands elsewhere in its patch, or in another patch: the vectors change.",
            2,
        ),
        ("A Vision Transformer has to learn that they are the same stroke.", 1),
    )


@question("mistake", "moved-letters", 4)
def moved_mistake(rng: Random) -> Drawn:
    x = [[rng.randint(1, 9) for _ in range(3)] for _ in range(3)]
    return which_mistake(
        rng,
        "vit.move_images",
        {"images": [[x]], "down": [1], "right": [0]},
        ["rolled", "the_other_way", "axes_exchanged", "edge_drawn_out"],
        text=f"A student's `move_images` was called to move ${table(x)}$ down by one pixel.",
        view=lambda found: found[0, 0],
    )


@question("short", "what-heads-see", 5)
def distance(rng: Random) -> Drawn:
    token = rng.choice([0.2, 0.5])
    near, far = (
        rng.choice([(0.6, 0.2), (0.4, 0.4), (0.3, 0.5)])
        if token == 0.2
        else rng.choice([(0.25, 0.25), (0.4, 0.1), (0.1, 0.4)])
    )
    row = [token, near, far, 0.0]
    weights = tensor([[1.0, 0.0, 0.0, 0.0], row, [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    mean = vit.attention_distance(weights, 3).item() * 3
    return Drawn(
        text=f"Three patches lie in a row. Patch 0 at one end gives {token} of its attention to the class token, {near} to itself and {far} to patch 1. What is "
        "its mean attention distance, in patches? How is the class token treated, and why?",
        answer=f"{num(mean)}; left out, because it has no position in the image",
        steps=(
            (
                f"Without the class token, the weights sum to {num(near + far)}, and are divided by this sum.",
                1,
            ),
            (
                f"Distance 0 has the weight {num(near / (near + far))} and distance 1 the weight {num(far / (near + far))}, so the mean is {num(mean)}.",
                2,
            ),
        ),
    )


@question("short", "attention-rollout", 5)
def rolled_out(rng: Random) -> Drawn:
    a, b = rng.choice(
        [
            ([[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]),
            ([[0.0, 1.0], [0.5, 0.5]], [[0.5, 0.5], [1.0, 0.0]]),
            ([[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]),
        ]
    )
    found = vit.rollout(tensor([[a], [b]]))
    mixed = [(tensor(one) + torch.eye(2)) / 2 for one in (a, b)]
    return Drawn(
        text=f"Two layers of one head have the attention weights $A_1 = {table(a)}$ and $A_2 = {table(b)}$. Compute the attention rollout, in which "
        "half of each position's weight stands for the residual connection. What does rollout leave out?",
        answer=f"${table(found, 4)}$; values and feed-forward networks",
        steps=(
            (f"$(A_1 + I)/2 = {table(mixed[0])}$, $(A_2 + I)/2 = {table(mixed[1])}$", 2),
            (f"The later layer stands on the left: ${table(found, 4)}$", 2),
            ("Attention weights tell from where something was read, not what effect it had.", 1),
        ),
    )


@question("mistake", "attention-rollout", 6)
def rollout_mistake(rng: Random) -> Drawn:
    a, b = rng.sample(
        [
            [[0.5, 0.5], [0.0, 1.0]],
            [[0.0, 1.0], [0.5, 0.5]],
            [[1.0, 0.0], [1.0, 0.0]],
            [[0.5, 0.5], [1.0, 0.0]],
        ],
        2,
    )
    return which_mistake(
        rng,
        "vit.rollout",
        {"weights": [[a], [b]]},
        ["multiplied_from_the_right", "without_residual", "last_layer_alone", "layers_averaged"],
        text=f"A student's `rollout` was called for two layers of one head, $A_1 = {table(a)}$ and $A_2 = {table(b)}$.",
        places=4,
    )


@question("short", "other-sizes", 3)
def larger_images(rng: Random) -> Drawn:
    size, small, large, D = 4, rng.choice([4, 7]), rng.choice([8, 14]), rng.choice([10, 32])
    found = vit.resize_positions(torch.zeros(1 + small * small, D), (small, small), (large, large))
    return Drawn(
        text=f"A Vision Transformer with patches of {size} × {size} and {D} features was trained on images of {size * small} × {size * small} pixels, with a class token. It will be used on images of {size * large} × {size * large} pixels. Which "
        f"of its parameters do not fit, what are their shapes before and after, and how are they converted?",
        answer=f"the position embeddings; ({1 + small * small}, {D}) and {tuple(found.shape)}; they are interpolated like an image",
        steps=(
            (
                f"The position embeddings have $1 + {small}^2$ rows, and $1 + {large}^2$ are needed.",
                1,
            ),
            (
                "Each feature is interpolated over the grid of patches; the class token's row is kept.",
                1,
            ),
            ("All other parameters are the same at every position.", 1),
        ),
    )
