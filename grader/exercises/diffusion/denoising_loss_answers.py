"""Right and wrong answers to `diffusion.denoising_loss`."""

import torch

from grader.author.answers import right, wrong
from solutions.diffusion import spread


@right
def by_hand(predict, clean, draws, levels):
    signal, noise = spread(levels, clean)
    error = predict(signal * clean + noise * draws) - draws
    return (error * error).sum() / error.numel()


@right
def noise_added_in_a_loop(predict, clean, draws, levels):
    levels = levels.expand(len(clean), 2)
    noisy = [a * x + s * e for x, e, (a, s) in zip(clean, draws, levels, strict=True)]
    error = predict(torch.stack(noisy)) - draws
    return torch.linalg.vector_norm(error) ** 2 / error.numel()


@wrong(
    why=(
        "The model is called on one example at a time. It is called once, on the whole batch: what "
        "is bound to it, such as the levels, belongs to all examples."
    ),
    corner=True,
)
def example_by_example(predict, clean, draws, levels):
    levels = levels.expand(len(clean), 2)
    total = 0
    for x, e, level in zip(clean, draws, levels, strict=True):
        noisy = level[0] * x + level[1] * e
        total = total + (predict(noisy[None])[0] - e).pow(2).mean()
    return total / len(clean)


wrong(
    "clean_is_the_target",
    why="The prediction is compared with x_0; this model predicts the noise ε.",
    change={"levels)), draws)": "levels)), clean)"},
)


@wrong(
    why=(
        "The target is s ε, the noise as it was added; this model predicts ε, whose size is the "
        "same at all levels."
    )
)
def noise_as_it_was_added(predict, clean, draws, levels):
    signal, noise = spread(levels, clean)
    return (predict(signal * clean + noise * draws) - noise * draws).square().mean()


@wrong(why="The model is shown the clean examples; it has to find the noise in the noisy ones.")
def noise_not_added(predict, clean, draws, levels):
    return (predict(clean + 0 * levels.sum()) - draws).square().mean()


@wrong(
    why=(
        "All examples get the noise of the first level; with a level for each, one batch trains "
        "the model at many levels."
    )
)
def one_level_for_the_batch(predict, clean, draws, levels):
    signal, noise = levels.reshape(-1, 2)[0]
    return (predict(signal * clean + noise * draws) - draws).square().mean()


@wrong(
    why=(
        "The squares are summed over the features and averaged over examples; the mean runs over "
        "all entries."
    )
)
def summed_over_the_features(predict, clean, draws, levels):
    signal, noise = spread(levels, clean)
    error = predict(signal * clean + noise * draws) - draws
    return error.square().flatten(1).sum(dim=1).mean()


wrong(
    "absolute_errors",
    why="These are absolute errors, which teach a model medians; the expected noise needs squares.",
    change={"F.mse_loss": "F.l1_loss"},
)


wrong(
    "root_of_the_mean",
    why="The root of the mean was taken; the loss is the mean of the squares itself.",
    change={"levels)), draws)": "levels)), draws).sqrt()"},
)


@wrong(
    why=(
        "The errors are weighted by s, so that high levels count more; here all levels count alike."
    )
)
def weighted_by_the_noise(predict, clean, draws, levels):
    signal, noise = spread(levels, clean)
    return (noise * (predict(signal * clean + noise * draws) - draws).square()).mean()
