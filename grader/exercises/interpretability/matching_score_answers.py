"""Right and wrong answers to `interpretability.matching_score`."""

import torch

from grader.author.answers import right, wrong


@right
def with_cosine_similarity(found, truth):
    pairs = torch.cosine_similarity(truth[:, :, None], found[:, None, :], dim=0)  # (n, K)
    return pairs.max(dim=1).values.mean()


@right
def one_true_direction_at_a_time(found, truth):
    lengths = found.norm(dim=0)
    unit = found / torch.where(lengths > 0, lengths, torch.ones_like(lengths))
    best = [(column / column.norm() @ unit).max() for column in truth.T]
    return torch.stack(best).mean()


wrong(
    "best_for_each_found",
    why=(
        "The best true direction was taken for every direction found; then a single good "
        "direction is a perfect score, and features that were missed cost nothing."
    ),
    change={"similarity.amax(dim=1)": "similarity.amax(dim=0)"},
)


wrong(
    "sign_ignored",
    why=(
        "The opposite direction counts as found; an active feature has a positive value, "
        "so the sign matters."
    ),
    change={"similarity.amax(dim=1)": "similarity.abs().amax(dim=1)"},
)


wrong(
    "found_not_scaled",
    why="The directions found were not divided by their lengths, so long columns score high.",
    change={"@ F.normalize(found, dim=0)": "@ found"},
)


wrong(
    "truth_not_scaled",
    why=(
        "The true directions were not divided by their lengths, so the score depends on "
        "the length of features."
    ),
    change={"F.normalize(truth, dim=0).T": "truth.T"},
)


wrong(
    "rows_scaled",
    why="Rows were given length 1; a direction is a column.",
    change={
        "F.normalize(truth, dim=0).T @ F.normalize(found, dim=0)": (
            "F.normalize(truth, dim=1).T @ F.normalize(found, dim=1)"
        )
    },
)


wrong(
    "best_of_all",
    why="The best pair alone was counted; average over all true directions.",
    change={"similarity.amax(dim=1).mean()": "similarity.amax()"},
)


wrong(
    "mean_similarity",
    why="All similarities were averaged; each true direction needs only one that matches.",
    change={"similarity.amax(dim=1).mean()": "similarity.mean()"},
)
