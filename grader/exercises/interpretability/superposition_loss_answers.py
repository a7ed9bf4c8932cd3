"""Right and wrong answers to `interpretability.superposition_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(x, weight, bias, importance):
    hidden = torch.einsum("...bn,...mn->...bm", x, weight)
    back = torch.einsum("...bm,...mn->...bn", hidden, weight) + bias[..., None, :]
    gaps = (x - back.clamp(min=0)) ** 2
    return torch.einsum("...bn,...n->...b", gaps, importance).mean(-1)


@right
def with_the_square_matrix(x, weight, bias, importance):
    overlaps = weight.transpose(-1, -2) @ weight
    rebuilt = torch.relu(x @ overlaps + bias.unsqueeze(-2))
    per_feature = (x - rebuilt).pow(2).mean(dim=-2)
    return (importance * per_feature).sum(dim=-1)


wrong(
    "relu_on_the_hidden_vector",
    why="The ReLU was applied to h; this model has it at the output, and h may have any sign.",
    change={
        "hidden = x @ weight.mT": "hidden = F.relu(x @ weight.mT)",
        "F.relu(hidden @ weight + bias.unsqueeze(-2))": "hidden @ weight + bias.unsqueeze(-2)",
    },
)


wrong(
    "no_relu",
    why="Without the ReLU the model is linear, and never represents more features than dimensions.",
    change={"F.relu(hidden @ weight + bias.unsqueeze(-2))": "hidden @ weight + bias.unsqueeze(-2)"},
)


wrong(
    "mean_over_features",
    why="The mean was taken over features too; the loss of an example is a sum over its features.",
    change={"errors.sum(dim=-1)": "errors.mean(dim=-1)"},
)


wrong(
    "sum_over_examples",
    why="The losses of the examples were added up; they are averaged.",
    change={".mean(dim=-1)": ".sum(dim=-1)"},
)


wrong(
    "importance_squared",
    why="The importance was multiplied into the error before the square, so it counts squared.",
    change={
        "importance.unsqueeze(-2) * (x - rebuilt).square()": (
            "(importance.unsqueeze(-2) * (x - rebuilt)).square()"
        )
    },
)


wrong(
    "importance_left_out",
    why="All features count the same; each error is multiplied by the importance of its feature.",
    change={"importance.unsqueeze(-2) * (x": "0 * importance.unsqueeze(-2) + (x"},
)


wrong(
    "bias_before_the_way_back",
    why="The bias was left out; it is added to the reconstructed features, before the ReLU.",
    change={"+ bias.unsqueeze(-2)": "+ 0 * bias.unsqueeze(-2)"},
)
