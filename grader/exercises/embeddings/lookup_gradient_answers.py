"""Right and wrong answers to `embeddings.lookup_gradient`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import one_hot


@right
def one_hot_product(input, gradient, *, words):
    chosen = one_hot(input.flatten(), words).to(gradient)
    return chosen.T @ gradient.reshape(input.numel(), -1)


@right
def word_by_word(input, gradient, *, words):
    flat = gradient.reshape(-1, gradient.shape[-1])
    rows = torch.zeros(words, flat.shape[1], dtype=flat.dtype, device=flat.device)
    for number, slope in zip(input.reshape(-1).tolist(), flat, strict=True):
        rows[number] += slope
    return rows


@wrong(
    why=(
        "Writing through indices, with `rows[input] += gradient` as with `=`, "
        "keeps one of the n gradients of a word that occurs n times and loses "
        "n − 1."
    )
)
def last_one_wins(input, gradient, *, words):
    rows = gradient.new_zeros(words, gradient.shape[-1])
    for number, slope in zip(input.flatten(), gradient.flatten(0, -2), strict=True):
        rows[number] = slope
    return rows


@wrong(
    why=(
        "All gradients of a word after the first were skipped; every occurrence contributed to "
        "the loss, so each contributes to the gradient."
    )
)
def first_one_wins(input, gradient, *, words):
    rows = gradient.new_zeros(words, gradient.shape[-1])
    seen = set()
    for number, slope in zip(input.flatten(), gradient.flatten(0, -2), strict=True):
        if int(number) not in seen:
            rows[number] = slope
            seen.add(int(number))
    return rows


wrong(
    "mean_over_occurrences",
    why=(
        "The gradients of a word were averaged over its occurrences; the loss "
        "depends on the row through each of them, and derivatives through "
        "several paths add up."
    ),
    change={
        "rows.index_add(": (
            "torch.bincount(input.flatten(), "
            "minlength=words).clamp(min=1).to(rows)[:, None].reciprocal() * "
            "rows.index_add("
        )
    },
)


wrong(
    "mean_over_words",
    why=(
        "The gradients were divided by the number of words looked up; if the "
        "loss is a mean, that division is in `gradient` already."
    ),
    change={"gradient.reshape(-1, size))": "gradient.reshape(-1, size)) / input.numel()"},
)


@wrong(
    why=(
        "Every row received the sum of all gradients; a row that was not "
        "looked up did not take part in the loss, so its gradient is zero."
    )
)
def every_row(input, gradient, *, words):
    return gradient.reshape(-1, gradient.shape[-1]).sum(dim=0).repeat(words, 1)


wrong(
    "where_torch_puts_it",
    why=(
        "A tensor was made without a device, so it is on torch's default device; if the "
        "gradients are on a GPU, the devices differ. Use `new_zeros`, or pass `device=`."
    ),
    change={"gradient.new_zeros(words, size)": "torch.zeros(words, size, dtype=gradient.dtype)"},
    corner=True,
)
