"""Right and wrong answers to `contrastive.zero_shot`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.contrastive import cosines


@right
def with_einsum(images, prompts):
    classes = (prompts / prompts.norm(dim=-1, keepdim=True)).sum(dim=-2)
    classes = classes / classes.norm(dim=-1, keepdim=True)
    return torch.einsum("bd,cd->bc", images / images.norm(dim=-1, keepdim=True), classes)


@right
def class_by_class(images, prompts):
    columns = []
    for of in prompts:
        mean = sum(one / one.norm() for one in of) / len(of)
        columns.append(F.cosine_similarity(images, mean[None], dim=1))
    return torch.stack(columns, dim=1)


wrong(
    "prompts_not_normalized",
    why="The prompts are averaged with their lengths, so that the longest decides.",
    change={"F.normalize(prompts, dim=2).mean(dim=1)": "prompts.mean(dim=1)"},
)


wrong(
    "best_prompt",
    why="The best prompt of each class decides; the ensemble averages all of them.",
    change={
        "cosines(images, F.normalize(prompts, dim=2).mean(dim=1))": (
            "cosines(images, prompts.flatten(0, 1)).unflatten(1, prompts.shape[:2]).amax(dim=2)"
        )
    },
)


wrong(
    "mean_of_the_scores",
    why=(
        "The scores of the prompts are averaged. The mean prompt is shorter if the prompts of a "
        "class disagree, and has to be divided by its length once more."
    ),
    change={
        "cosines(images, F.normalize(prompts, dim=2).mean(dim=1))": (
            "cosines(images, prompts.flatten(0, 1)).unflatten(1, prompts.shape[:2]).mean(dim=2)"
        )
    },
)


wrong(
    "first_prompt_alone",
    why="Only the first prompt of each class is used.",
    change={"F.normalize(prompts, dim=2).mean(dim=1)": "F.normalize(prompts, dim=2)[:, 0]"},
)


@wrong(why="The images are not divided by their lengths: these are no cosines.")
def images_not_normalized(images, prompts):
    return images @ F.normalize(F.normalize(prompts, dim=2).mean(dim=1), dim=1).T


wrong(
    "softmax_over_classes",
    why="A softmax was taken; the scores are the cosines themselves.",
    change={
        "cosines(images, F.normalize(prompts, dim=2).mean(dim=1))": (
            "cosines(images, F.normalize(prompts, dim=2).mean(dim=1)).softmax(dim=1)"
        )
    },
)


@wrong(why="The scores are transposed: rows are images, columns are classes.")
def classes_first(images, prompts):
    return cosines(F.normalize(prompts, dim=2).mean(dim=1), images)


wrong(
    "normalized_along_the_prompts",
    why="The prompts are divided along the axis of the templates; each vector has its own length.",
    change={"F.normalize(prompts, dim=2)": "F.normalize(prompts, dim=1)"},
)
