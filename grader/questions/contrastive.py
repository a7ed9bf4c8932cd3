"""Questions on contrastive learning: images with captions, and images alone."""

from __future__ import annotations

import math
from random import Random

from grader.questions import Drawn, apart, question
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num
from solutions import contrastive


@question("short", "two-encoders", 5, public=True)
def loss_of_two_pairs(rng: Random) -> Drawn:
    own, other, scale = (
        rng.choice([0.9, 0.8, 0.6]),
        rng.choice([0.1, 0.2, -0.2]),
        rng.choice([1, 5]),
    )
    loss = math.log(1 + math.exp(scale * (other - own)))
    return Drawn(
        text=f"A batch has two images and two captions. The cosine of each image with its own caption is {own}, with the other caption {other}. What is the loss of CLIP with a scale of {scale}?",
        answer=f"${num(loss)}$",
        steps=(
            (f"The scores are ${num(scale * own)}$ and ${num(scale * other)}$, in rows and in columns.", 1),
            (f"Each cross-entropy is $\\ln(1 + e^{{{num(scale * (other - own))}}}) = {num(loss)}$.", 2),
            ("Both directions are equal, so their mean is the same number.", 1),
        ),
    )  # fmt: skip


@question("mistake", "two-encoders", 5)
def loss_mistake(rng: Random) -> Drawn:
    far = rng.choice([1.0, 2.0])
    return which_mistake(
        rng,
        "contrastive.clip_loss",
        {"images": [[3.0, 0.0], [0.0, 1.0]], "texts": [[1.0, far], [1.0, 4.0]], "scale": 2.0},
        ["one_direction", "sum_of_both", "divided_by_the_scale", "lengths_left_in"],
        text=f"Two images have the vectors (3, 0) and (0, 1), and their captions (1, {num(far)}) and (1, 4). A student computed the loss of CLIP with a scale of 2.",
    )


@question("short", "batch-size-bound", 4, public=True)
def most_of_a_batch(rng: Random) -> Drawn:
    size = rng.choice([32, 64, 256])
    loss = rng.choice([0.5, 1.0, 1.5])
    found = math.log(size) - loss
    return Drawn(
        text=f"A contrastive model has a loss of {loss} nats per pair with batches of {size}. How much mutual information of image and text does this prove? What is the most that any loss with this batch could prove?",
        answer=f"${num(found)}$ nats; $\\ln {size} = {num(math.log(size))}$",
        steps=(
            (f"$\\ln {size} - {loss} = {num(found)}$", 2),
            (f"The loss is at least 0, so the bound is at most $\\ln {size} = {num(math.log(size))}$.", 1),
        ),
    )  # fmt: skip


@question("short", "batch-size-bound", 4)
def equal_captions(rng: Random) -> Drawn:
    groups, each = rng.choice([(4, 2), (8, 2), (5, 4), (8, 4), (16, 2), (12, 3), (9, 3), (6, 5)])
    return Drawn(
        text=f"A batch has {groups * each} images. They have {groups} different captions, each of them {each} times. What is the lowest loss of a model that knows captions exactly, and cannot tell images with the same caption apart?",
        answer=f"$\\ln {each} = {num(math.log(each))}$",
        wrong=["0, because the model is exact", f"$\\ln {groups} = {num(math.log(groups))}$"],
        steps=(
            (f"All other captions can be excluded; {each} equal ones remain.", 1),
            (f"A guess among them has a loss of $\\ln {each} = {num(math.log(each))}$, in both directions.", 2),
        ),
    )  # fmt: skip


@question("mistake", "zero-shot-classification", 5, public=True)
def ensemble_mistake(rng: Random) -> Drawn:
    long = rng.choice([4.0, 8.0])
    return which_mistake(
        rng,
        "contrastive.zero_shot",
        {"images": [[1.0, 0.0]], "prompts": [[[0.0, long], [2.0, 1.0]]]},
        ["prompts_not_normalized", "best_prompt", "mean_of_the_scores", "first_prompt_alone"],
        text=f"An image has the vector (1, 0), and a class has two prompts with the vectors (0, {num(long)}) and (2, 1). A student computed the score of the class with the prompt ensemble.",
    )


@question("short", "zero-shot-classification", 4)
def fair_baseline(rng: Random) -> Drawn:
    accuracy, share = rng.choice([91, 93, 88]), rng.choice([20, 50])
    return Drawn(
        text=f"Two encoders were trained on images whose captions name the class in {share}% of the cases. Their zero-shot accuracy is {accuracy}%. Which model should they be compared with, to find out what the captions gained beyond the class names?",
        answer=f"The same image encoder, trained with labels on the {share}% of the images whose captions name the class",
        wrong=[
            "A classifier that guesses among the classes",
            "An untrained encoder with the same prompts",
            "A classifier with labels for all test images",
        ],
        steps=(
            ("The baseline must see as many class names as the captions contain, on the same images.", 2),
            ("It has the same encoder and the same amount of tuning.", 1),
        ),
    )  # fmt: skip


@question("short", "retrieval", 4, public=True)
def recall_with_ties(rng: Random) -> Drawn:
    higher, equal, k = rng.choice([(1, 4, 3), (2, 5, 3), (0, 4, 3)])
    found = (k - higher) / equal
    return Drawn(
        text=f"For one query, {higher} candidates score higher than the partner, and {equal} candidates, including the partner, have its score. What does this query contribute to the recall at {k}, if ties are broken at random?",
        answer=f"${num(found)}$",
        wrong=["0", "1", num(1 / equal)],
        steps=(
            (f"{k - higher} of the {equal} equal candidates are among the first {k}.", 1),
            (f"The partner is one of them with probability $({k} - {higher})/{equal} = {num(found)}$.", 2),
        ),
    )  # fmt: skip


@question("prints", "retrieval", 4)
def printed_gap(rng: Random) -> Drawn:
    first, second = rng.choice([(3.0, 4.0), (6.0, 8.0), (4.0, 3.0)])
    return prints(
        f"""import torch
images = torch.tensor([[{first}, {second}]])
texts = torch.tensor([[2.0, 0.0], [-5.0, 0.0]])
units = [x / x.norm(dim=1, keepdim=True) for x in (images, texts)]
gap = units[0].mean(dim=0) - units[1].mean(dim=0)
print([round(x, 2) for x in gap.tolist()], round(gap.norm().item(), 2))""",
        ("Both texts become unit vectors, opposite to each other, so their mean is 0.", 2),
        ("The image becomes a unit vector, which is the difference: its length is 1.", 1),
    )


@question("short", "caption-shortcuts", 5)
def named_background(rng: Random) -> Drawn:
    kinds, batch = rng.choice([(16, 64), (8, 64), (32, 128)])
    return Drawn(
        text=f"The captions of a training set name one of {kinds} backgrounds, all equally frequent and independent of the object. With a batch of {batch}, about what loss does a model have that reads the background alone? Why may it then learn little of the object?",
        answer=f"About $\\ln {batch // kinds} = {num(math.log(batch // kinds))}$ instead of $\\ln {batch} = {num(math.log(batch))}$; few rivals are left, and the background takes up room in the space",
        steps=(
            (f"About {batch // kinds} captions of the batch name the same background: a guess among them has a loss of about {num(math.log(batch // kinds))}.", 2),
            ("The rest of the loss is small, and in a small space the background displaces the object.", 2),
        ),
    )  # fmt: skip


@question("short", "simclr", 4, public=True)
def negatives_of_a_view(rng: Random) -> Drawn:
    size = rng.choice([32, 64, 128])
    return Drawn(
        text=f"SimCLR is trained on batches of {size} images, each with two views. Among how many candidates does a view look for its partner, and what is the loss of a collapsed model?",
        answer=f"{2 * size - 1}; $\\ln {2 * size - 1} = {num(math.log(2 * size - 1))}$",
        wrong=[
            f"{size}; $\\ln {size} = {num(math.log(size))}$",
            f"{2 * size}; $\\ln {2 * size} = {num(math.log(2 * size))}$",
        ],
        steps=(
            (f"There are {2 * size} views, and a view is no candidate for itself.", 1),
            ("If all vectors are equal, all candidates have the same probability.", 2),
        ),
    )


@question("short", "masked-autoencoder", 4)
def visible_patches(rng: Random) -> Drawn:
    side, patch = rng.choice([(224, 16), (96, 8), (64, 8)])
    number = (side // patch) ** 2
    return Drawn(
        text=f"A masked autoencoder hides 75% of the patches of images of {side} × {side} pixels, with patches of {patch} × {patch}. How many patches does the encoder read, and how many enter the loss?",
        answer=f"{number // 4} and {number - number // 4}",
        wrong=[f"{number} and {number - number // 4}", f"{number // 4} and {number}"],
        steps=(
            (f"There are $({side}/{patch})^2 = {number}$ patches.", 1),
            (f"The encoder reads a quarter, {number // 4}; the loss is computed on the hidden {number - number // 4}.", 2),
        ),
    )  # fmt: skip


@question("short", "self-distillation", 4)
def teacher_after_steps(rng: Random) -> Drawn:
    decay, steps = rng.choice([(0.5, 3), (0.9, 2), (0.75, 2)])
    weight = {"w": tensor([0.0])}
    for _ in range(steps):
        weight = contrastive.update_teacher(weight, {"w": tensor([1.0])}, decay)
    found = weight["w"][0]
    apart(num(found), "1", "0")
    return Drawn(
        text=f"A weight of the teacher is 0, that of the student stays at 1. What is the teacher's weight after {steps} updates with $m = {decay}$?",
        answer=f"${num(found)}$",
        steps=(
            (f"Each update leaves a share {decay} of the distance.", 1),
            (f"$1 - {decay}^{steps} = {num(found)}$", 2),
        ),
    )
