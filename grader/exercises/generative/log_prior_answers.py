"""Right and wrong answers to `generative.log_prior`."""

import torch

from grader.author.answers import right, wrong


@right
def comparing_with_every_class(labels, *, classes, smoothing=0.0):
    if len(labels) == 0 and smoothing == 0:
        raise ValueError("nothing to count")
    counts = (labels[:, None] == torch.arange(classes)).sum(dim=0) + smoothing
    return torch.log(counts) - torch.log(torch.tensor(len(labels) + smoothing * classes))


@right
def scattering_ones(labels, *, classes, smoothing=0.0):
    if not labels.numel() and not smoothing:
        raise ValueError("nothing to count")
    counts = torch.full((classes,), float(smoothing))
    counts.scatter_add_(0, labels, torch.ones(len(labels)))
    return torch.log_softmax(counts.log(), dim=0)


wrong(
    "smoothing_not_in_the_sum",
    why=(
        "The added examples count in the numerator but not in the total, so "
        "the probabilities sum to more than 1; each class adds α to the total "
        "as well."
    ),
    change={"counts.sum()": "len(labels)"},
)


wrong(
    "smoothing_once_in_the_sum",
    why=(
        "The total grew by α alone, but every one of the C classes has got α "
        "more examples, so the probabilities sum to more than 1."
    ),
    change={"counts.sum()": "(len(labels) + smoothing)"},
)


wrong(
    "smoothing_after_dividing",
    why=(
        "α was added to the frequencies instead of the counts; it stands for α "
        "more *examples*, whose weight fades as real ones come in."
    ),
    change={
        "classes) + smoothing": "classes)",
        "return (counts / counts.sum()).log()": (
            "shares = counts / counts.sum() + smoothing; return (shares / shares.sum()).log()"
        ),
    },
)


wrong(
    "classes_found_in_the_labels",
    why=(
        "The number of classes was taken from the labels; a class that happens "
        "to be missing from them is then missing from the result."
    ),
    change={", minlength=classes": ""},
)


wrong(
    "probabilities",
    why=(
        "The probabilities came back, not their logarithms; they are to be added to log densities."
    ),
    change={".log()": ""},
)


wrong(
    "all_equal",
    why=(
        "Every class got 1/C, whatever the labels say; that is what one believes before counting."
    ),
    change={"(counts / counts.sum()).log()": "torch.ones(classes).log_softmax(0)"},
)


wrong(
    "always_single_precision",
    why=(
        "The counts became float32, whatever torch's default float is: `.float()` means one dtype. "
        "A quotient of whole numbers is of the default float by itself."
    ),
    change={"minlength=classes) + smoothing": "minlength=classes).float() + smoothing"},
    corner=True,
)
