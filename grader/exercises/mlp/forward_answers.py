"""Right and wrong answers to `mlp.forward`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.mlp import activate


@right
def activation_before_the_layer(x, weights, biases, *, activation):
    outputs = []
    for index, (w, b) in enumerate(zip(weights, biases)):
        if index > 0:
            x = activate(x, activation)
        outputs.append(x)
        x = F.linear(x, w, b)
    return x, outputs


@right
def recursive(x, weights, biases, *, activation):
    if len(weights) == 1:
        return torch.addmm(biases[0], x, weights[0].t()), [x]
    below = torch.einsum("bi,oi->bo", x, weights[0]) + biases[0]
    o = activate(below, activation)
    scores, rest = recursive(o, weights[1:], biases[1:], activation=activation)
    return scores, [x, *rest]


wrong(
    "activation_on_the_scores",
    why=(
        "The last layer's scores went through the activation as well; a ReLU "
        "there makes every negative score 0, and the softmax cannot tell them "
        "apart."
    ),
    change={
        "return outputs[-1] @ weights[-1].T + biases[-1], outputs": (
            "return activate(outputs[-1] @ weights[-1].T + biases[-1], activation), outputs"
        )
    },
)


wrong(
    "no_activation",
    why=(
        "There is no activation between the layers, so the stack is one linear layer, whatever "
        "its depth."
    ),
    change={"activate(a, activation)": "a"},
)


@wrong(
    why=(
        "The cache holds a_l. The backward pass multiplies by the input of the *next layer*, "
        "which is o_l = σ(a_l)."
    )
)
def inputs_of_the_activation_kept(x, weights, biases, *, activation):
    outputs, o = [x], x
    for layer in range(len(weights) - 1):
        a = o @ weights[layer].T + biases[layer]
        outputs.append(a)
        o = activate(a, activation)
    return o @ weights[-1].T + biases[-1], outputs


wrong(
    "scores_kept_too",
    why=(
        "The list ends with the scores; it should hold the *input* of each layer, and the scores "
        "are the input of none."
    ),
    change={
        "return outputs[-1] @ weights[-1].T + biases[-1], outputs": (
            "scores = outputs[-1] @ weights[-1].T + biases[-1]; return scores, [*outputs, scores]"
        )
    },
)


@wrong(
    why=(
        "The loop treats the last layer like the others: its scores went through the activation "
        "and into the list, but scores have no σ, and they are no layer's input."
    )
)
def last_layer_like_the_others(x, weights, biases, *, activation):
    outputs = [x]
    for layer in range(len(weights)):
        a = outputs[layer] @ weights[layer].T + biases[layer]
        outputs.append(activate(a, activation))
    return outputs[-1], outputs


wrong(
    "input_not_kept",
    why=(
        "o_0 = x is missing from the list; without it the first layer's weights have no gradient."
    ),
    change={"biases[-1], outputs": "biases[-1], outputs[1:]"},
)


wrong(
    "hidden_biases_forgotten",
    why=("The hidden layers have no bias: the fold of every unit then passes through the origin."),
    change={" + biases[layer]": ""},
)


wrong(
    "every_layer_reads_x",
    why=("Each layer was applied to x; a stack applies it to the output of the layer below."),
    change={"outputs[layer] @ weights[layer]": "x @ weights[layer]"},
)


wrong(
    "hidden_weights_cut_off",
    why=(
        "The hidden layers' weights were detached from the graph (`detach()`, `.data`): the "
        "scores are right, and no gradient reaches these weights, so they never learn."
    ),
    change={"outputs[layer] @ weights[layer].T": "outputs[layer] @ weights[layer].detach().T"},
)
