"""Right and wrong answers to `model_compression.distillation_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_the_formula(student, teacher, labels, *, temperature, weight):
    log_p = torch.log_softmax(teacher.detach() / temperature, dim=1)
    log_q = torch.log_softmax(student / temperature, dim=1)
    soft = (log_p.exp() * (log_p - log_q)).sum(dim=1)
    hard = -torch.log_softmax(student, dim=1).gather(1, labels[:, None])[:, 0]
    return (weight * temperature * temperature * soft + (1 - weight) * hard).mean()


@right
def cross_entropy_less_entropy(student, teacher, labels, *, temperature, weight):
    with torch.no_grad():
        p = (teacher / temperature).softmax(dim=-1)
        entropy = torch.special.entr(p).sum(dim=-1).mean()
    soft = F.cross_entropy(student / temperature, p) - entropy
    return weight * soft * temperature**2 + (1 - weight) * F.nll_loss(
        student.log_softmax(-1), labels
    )


wrong(
    "factor_forgotten",
    why="Without T² the gradients of the teacher's part shrink as 1 / T².",
    change={"temperature**2 * soft": "soft"},
)


wrong(
    "factor_not_squared",
    why="The factor is T²: one T comes from the student's softmax, the other from flatter targets.",
    change={"temperature**2 * soft": "temperature * soft"},
)


wrong(
    "other_direction",
    why="You computed KL(q ‖ p). The teacher's probabilities weight the logarithms: KL(p ‖ q).",
    change={"F.kl_div(log_q, log_p": "F.kl_div(log_p, log_q"},
)


wrong(
    "cross_entropy_for_kl",
    why=(
        "This is the cross-entropy; KL subtracts the teacher's entropy, so that a perfect "
        "student has a loss of 0."
    ),
    change={
        'F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)': (
            "-(log_p.exp() * log_q).sum(dim=-1).mean()"
        )
    },
)


wrong(
    "mean_over_classes",
    why="The KL divergence is a sum over classes; averaged over them it shrinks with their number.",
    change={'reduction="batchmean"': 'reduction="mean"'},
)


wrong(
    "teacher_not_softened",
    why="The teacher's logits were not divided by T, only the student's.",
    change={"teacher.detach() / temperature": "teacher.detach()"},
)


wrong(
    "labels_softened",
    why="The cross-entropy of the labels has temperature 1.",
    change={"F.cross_entropy(student, labels)": "F.cross_entropy(student / temperature, labels)"},
)


wrong(
    "weights_swapped",
    why="w is the weight of the teacher, 1 − w that of the labels.",
    change={
        "weight * temperature**2": "(1 - weight) * temperature**2",
        "(1 - weight) * F.cross": "weight * F.cross",
    },
)


wrong(
    "teacher_learns",
    why="The teacher gets a gradient, and would move toward the student; detach it.",
    change={"teacher.detach()": "teacher"},
    corner=True,
)


@wrong(
    why="The logarithm of a softmax that underflows is −∞, and 0 · −∞ is NaN; use log_softmax.",
    corner=True,
)
def logarithm_of_the_softmax(student, teacher, labels, *, temperature, weight):
    p = (teacher.detach() / temperature).softmax(dim=-1)
    q = (student / temperature).softmax(dim=-1)
    soft = (p * (p.log() - q.log())).sum(dim=-1).mean()
    return weight * temperature**2 * soft + (1 - weight) * F.cross_entropy(student, labels)
