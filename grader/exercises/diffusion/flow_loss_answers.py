"""Right and wrong answers to `diffusion.flow_loss`."""

import torch

from grader.author.answers import right, wrong
from solutions.diffusion import spread


@right
def interpolated(predict, clean, draws, times):
    t = times.reshape(-1, *[1] * (clean.ndim - 1))
    error = predict(torch.lerp(clean, draws, t)) - (draws - clean)
    return error.square().mean()


@right
def along_the_velocity(predict, clean, draws, times):
    velocity = draws - clean
    moved = torch.einsum("b,b...->b...", times, velocity)
    return (velocity - predict(clean + moved)).pow(2).sum() / clean.numel()


wrong(
    "velocity_toward_the_data",
    why=(
        "The target is x_0 − ε. Here time runs from data to noise, and the velocity with it: "
        "ε − x_0. (Papers whose time runs the other way have the other sign.)"
    ),
    change={"draws - clean)": "clean - draws)"},
)


wrong(
    "time_reversed",
    why="At time 0 this is pure noise; t = 0 is the data, and t = 1 the noise.",
    change={"[1 - times, times]": "[times, 1 - times]"},
)


wrong(
    "noise_is_the_target",
    why="The prediction is compared with the noise; this model predicts the velocity ε − x_0.",
    change={"draws - clean)": "draws)"},
)


wrong(
    "clean_is_the_target",
    why="The prediction is compared with x_0; this model predicts the velocity ε − x_0.",
    change={"draws - clean)": "clean)"},
)


wrong(
    "on_a_circle",
    why=(
        "The signal is √(1 − t²), so that the squares sum to 1. That path is bent, and ε − x_0 is "
        "not the velocity on it."
    ),
    change={"[1 - times, times]": "[(1 - times**2).sqrt(), times]"},
)


@wrong(why="All examples are at the time of the first one; each has its own.")
def one_time_for_the_batch(predict, clean, draws, times):
    t = times[0]
    return (predict((1 - t) * clean + t * draws) - (draws - clean)).square().mean()


@wrong(
    why=(
        "The squares are summed over the features and averaged over examples; the mean runs over "
        "all entries."
    )
)
def summed_over_the_features(predict, clean, draws, times):
    (signal, noise) = spread(torch.stack([1 - times, times], dim=1), clean)
    error = predict(signal * clean + noise * draws) - (draws - clean)
    return error.square().flatten(1).sum(dim=1).mean()


@wrong(
    why=(
        "The velocity was taken at the noisy example: ε − x_t. The whole way from data to noise is "
        "ε − x_0, in one unit of time."
    )
)
def from_the_noisy_example(predict, clean, draws, times):
    (signal, noise) = spread(torch.stack([1 - times, times], dim=1), clean)
    noisy = signal * clean + noise * draws
    return (predict(noisy) - (draws - noisy)).square().mean()
