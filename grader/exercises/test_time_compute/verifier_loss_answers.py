"""Right and wrong answers to `test_time_compute.verifier_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_log_sigmoid(scores, labels, mask):
    if labels.ndim == 1:
        labels = labels.unsqueeze(1).repeat(1, scores.shape[1])
    signs = torch.where(labels, 1.0, -1.0)[mask].to(scores.dtype)
    return -F.logsigmoid(signs * scores[mask]).mean()


@right
def by_softplus(scores, labels, mask):
    labels = labels.reshape(len(scores), -1).expand(scores.shape)
    believed = scores[mask]
    return (F.softplus(believed) - believed * labels[mask]).mean()


wrong(
    "mask_left_out",
    why="Prompts and padding count, too; only the tokens of the mask do.",
    change={
        "scores[mask], wanted": "scores.nan_to_num(), labels.expand_as(scores).to(scores.dtype)"
    },
)


wrong(
    "sum_over_tokens",
    why="The losses are added; the loss is their mean.",
    change={"(scores[mask], wanted)": "(scores[mask], wanted, reduction='sum')"},
)


wrong(
    "labels_swapped",
    why="The labels are turned round: the verifier learns to believe in wrong answers.",
    change={"[mask].to(scores.dtype)": "[mask].logical_not().to(scores.dtype)"},
)


@wrong(why="The mean is taken over all tokens of the table; divide by the tokens that count.")
def divided_by_all(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    scores = scores.masked_fill(~mask, 0.0)
    wanted = labels.expand_as(scores).to(scores.dtype)
    losses = F.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    return (losses * mask).mean()


@wrong(
    why="Each answer has the same weight, however long it is; the mean is over all tokens together."
)
def mean_of_answers(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    scores = scores.masked_fill(~mask, 0.0)
    wanted = labels.expand_as(scores).to(scores.dtype)
    losses = F.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
    counts = mask.sum(dim=1)
    return ((losses * mask).sum(dim=1) / counts.clamp(min=1))[counts > 0].mean()


@wrong(why="Scores are already taken as probabilities; they are logits, and need a sigmoid.")
def no_sigmoid(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    wanted = labels.expand_as(scores)[mask].to(scores.dtype)
    return F.binary_cross_entropy(scores[mask].clamp(1e-6, 1 - 1e-6), wanted)


@wrong(why="The last column alone counts; every token of the mask is taught the label.")
def last_column_alone(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    wanted = labels.expand_as(scores)[:, -1].to(scores.dtype)
    return F.binary_cross_entropy_with_logits(scores[:, -1], wanted)


@wrong(why="Squared errors of probabilities; the loss is a cross-entropy.")
def squared_errors(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    wanted = labels.expand_as(scores)[mask].to(scores.dtype)
    return (scores[mask].sigmoid() - wanted).square().mean()


@wrong(why="The logarithm of a sigmoid is −∞ for large scores; take both in one step.", corner=True)
def logarithm_of_zero(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels
    wanted = labels.expand_as(scores)[mask]
    believed = scores[mask].sigmoid()
    return -torch.where(wanted, believed, 1 - believed).log().mean()


@wrong(why="Labels of tokens are replaced by the first label of their answer.")
def first_label_for_all(scores, labels, mask):
    labels = labels[:, None] if labels.ndim == 1 else labels[:, :1]
    wanted = labels.expand_as(scores)[mask].to(scores.dtype)
    return F.binary_cross_entropy_with_logits(scores[mask], wanted)
