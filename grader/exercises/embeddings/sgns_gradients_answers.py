"""Right and wrong answers to `embeddings.sgns_gradients`."""

import torch

from grader.author.answers import right, wrong


@right
def context_and_noise_as_rows(center, context, noise):
    count = center.shape[0]
    rows = torch.cat([context.unsqueeze(1), noise], dim=1)
    errors = torch.sigmoid(torch.einsum("bkd,bd->bk", rows, center)) / count
    errors[:, 0] -= 1 / count
    on_rows = torch.einsum("bk,bd->bkd", errors, center)
    return torch.einsum("bk,bkd->bd", errors, rows), on_rows[:, 0], on_rows[:, 1:]


@right
def pair_by_pair(center, context, noise):
    slopes = [torch.zeros_like(part) for part in (center, context, noise)]
    for b in range(len(center)):
        words = [(context[b], 1.0, slopes[1][b])]
        words += [(noise[b, k], 0.0, slopes[2][b, k]) for k in range(noise.shape[1])]
        for vector, label, slope in words:
            error = 1 / (1 + torch.exp(-vector @ center[b])) - label
            slope += error * center[b] / len(center)
            slopes[0][b] += error * vector / len(center)
    return tuple(slopes)


wrong(
    "error_without_minus_one",
    why=(
        "For a true context the error is σ − 1: it vanishes when the model is confident of the "
        "pair. With σ alone, true pairs are pushed apart."
    ),
    change={"keepdim=True)) - 1": "keepdim=True))"},
)


wrong(
    "own_vector",
    why=(
        "The gradients of context and noise are multiples of these vectors "
        "themselves; the derivative of u·v with respect to u is v, the other "
        "vector of the product."
    ),
    change={
        "found * center / batch": "found * context / batch",
        "drawn * center.unsqueeze(1) / batch": "drawn * noise / batch",
    },
)


wrong(
    "noise_error_reversed",
    why=(
        "The error of a noise word is σ(x) and not σ(−x): it is small where "
        "the model already rejects the word."
    ),
    change={"drawn = torch.sigmoid((noise": "drawn = torch.sigmoid(-(noise"},
)


wrong(
    "batch_forgotten",
    why=("The loss is a mean over the pairs, so every gradient is divided by their number."),
    change={"batch = len(center)": "batch = 1"},
)


wrong(
    "noise_left_out_of_center",
    why=(
        "The center's gradient has to include the noise words: the center is a factor of their "
        "products too, and only these products push vectors apart."
    ),
    change={" + (drawn * noise).sum(dim=1)": ""},
)


wrong(
    "noise_averaged",
    why=(
        "The noise's share of the center's gradient was averaged; the loss "
        "sums over the noise words, and so does its derivative."
    ),
    change={"(drawn * noise).sum(dim=1)": "(drawn * noise).mean(dim=1)"},
)


wrong(
    "uphill",
    why=(
        "These point uphill in the loss: the signs are those of the objective "
        "that the paper maximizes."
    ),
    change={"batch = len(center)": "batch = -len(center)"},
)


wrong(
    "derivative_of_sigmoid",
    why=(
        "σ(1 − σ) is the derivative of σ; the loss is its logarithm, whose derivative is 1 − σ, "
        "which does not vanish if the model is confident and wrong."
    ),
    change={
        ("drawn = torch.sigmoid((noise * center.unsqueeze(1)).sum(dim=2, keepdim=True))"): (
            "found = -found * (1 + found) * -1\n"
            "    drawn = torch.sigmoid((noise * center.unsqueeze(1)).sum(dim=2, "
            "keepdim=True))\n"
            "    drawn = drawn * (1 - drawn)"
        )
    },
)
