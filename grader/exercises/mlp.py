"""Exercises on multilayer perceptrons: layers, backpropagation, graphs of scalars, and cost."""

from itertools import pairwise

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

B, SIZES = 11, (7, 5, 13, 3)

AUTOGRAD = (
    "torch.autograd.grad",
    "Tensor.backward",
    "torch.autograd.backward",
    "torch.func.grad",
    "torch.func.vjp",
)


def network(rng, sizes=SIZES):
    """Weights and biases, all random."""
    return {
        "weights": [
            rng.standard_normal((d_out, d_in)) / d_in**0.5 for d_in, d_out in pairwise(sizes)
        ],
        "biases": [rng.standard_normal(d_out) for d_out in sizes[1:]],
    }


# relu

RELU = Exercise(
    symbol="relu",
    title="The simplest activation",
    section="collapse",
    cases=(
        Case("both signs", lambda rng: _numbers(rng, B, 7), 2, grad=("input",)),
        Case("exact zeros", lambda rng: _with_zeros(rng), grad=("input",)),
        Case("infinite numbers", lambda rng: {"input": np.array([-np.inf, -1.0, 2.0, np.inf])}),
        Case("huge and tiny", lambda rng: _numbers(rng, 5, scale=1e9), hidden=True),
        Case("one number", lambda rng: {"input": np.asarray(-rng.random())}, hidden=True),
    ),
    hint="Choose between two numbers at every entry. `torch.where` does so, and sends the gradient "
    "only to the one it chose.",
    mistakes=(
        Mistake(
            name="slope_one_at_zero",
            why="The values are right, but at exactly 0 the gradient passes with slope 1, as it "
            "does through `clamp(min=0)` or where only `input < 0` is switched off; the unit would "
            "be trained there as if it were on.",
            change={"torch.where(input <= 0, 0.0, input)": "input.clamp(min=0.0)"},
        ),
        Mistake(
            name="slope_one_half_at_zero",
            why="`torch.maximum` splits the gradient of a tie: at exactly 0 it gives the slope ½, "
            "and 0 is asked for.",
            change={
                "torch.where(input <= 0, 0.0, input)": "torch.maximum(input, "
                "torch.zeros_like(input))"
            },
        ),
        Mistake(
            name="mask_times_input",
            why="The input is multiplied by a mask of 0 and 1; where it is −∞ the product 0 · ∞ is "
            "not a number: choose with `torch.where` instead of multiplying.",
            change={"torch.where(input <= 0, 0.0, input)": "input * (input > 0)"},
        ),
        Mistake(
            name="sign_dropped",
            why="This is the absolute value: negative numbers come back positive and are not "
            "switched off.",
            change={"torch.where(input <= 0, 0.0, input)": "input.abs()"},
        ),
        Mistake(
            name="half_of_the_sum",
            why="(a + |a|) / 2 has the right values for finite numbers, but at exactly 0 the slope "
            "½, as |a| has slope 0 there, and at −∞ it is −∞ + ∞, which is not a number.",
            change={"torch.where(input <= 0, 0.0, input)": "(input + input.abs()) / 2"},
        ),
        Mistake(
            name="max_of_python",
            why="Python's `max` asks whether one whole tensor is larger than 0, which has no "
            "single answer; ReLU decides for every entry alone.",
            change={
                "torch.where(input <= 0, 0.0, input)": "max(input, torch.tensor(0.0).double())"
            },
        ),
        Mistake(
            name="input_overwritten",
            why="The zeros are written into the caller's tensor: whoever kept a_l for the backward "
            "pass finds it changed.",
            source="""
            def relu(input):
                input[input <= 0] = 0.0
                return input
            """,
        ),
    ),
    variants=(
        """
        def relu(input):
            return input.masked_fill(input <= 0, 0.0)
        """,
        """
        def relu(input):
            return F.threshold(input, 0.0, 0.0)
        """,
    ),
    forbidden=("torch.relu", "F.relu", "Tensor.relu", "nn.ReLU", "torch.relu_", "F.relu6"),
)


def _numbers(rng, *shape, scale=1.0):
    spread = np.where(rng.random(shape) < 0.5, scale, 1 / scale)
    return {"input": spread * rng.standard_normal(shape)}


def _with_zeros(rng):
    drawn = _numbers(rng, 3, 5)
    drawn["input"][:, 1:3] = 0.0
    return drawn


# sigmoid

SIGMOID = Exercise(
    symbol="sigmoid",
    title="An activation that never overflows",
    section="elementwise",
    cases=(
        Case("both signs", lambda rng: _numbers(rng, B, 7), 2, grad=("input",)),
        Case("far from zero", lambda rng: _far(rng), 2, grad=("input",)),
        Case("exactly zero", lambda rng: _with_zeros(rng), grad=("input",)),
        Case("one number", lambda rng: {"input": rng.standard_normal(())}, hidden=True),
        Case("a long row", lambda rng: _numbers(rng, 2, 31), grad=("input",), hidden=True),
    ),
    hint="1 / (1 + e⁻ᵃ) = exp(−ln(1 + e⁻ᵃ)), and `torch.logaddexp` adds two exponentials without "
    "leaving the logarithm.",
    mistakes=(
        Mistake(
            name="gradient_overflows",
            why="1 / (1 + e⁻ᵃ) has the right value at −1,000, since 1/∞ is 0; its gradient there "
            "is 0 · ∞, not a number, and one such entry ruins every weight.",
            change={
                "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": "1 / (1 + "
                "torch.exp(-input))"
            },
        ),
        Mistake(
            name="infinity_over_infinity",
            why="eᵃ / (1 + eᵃ) is ∞/∞ for large a, although the true value is close to 1.",
            change={
                "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": "torch.exp(input) "
                "/ (1 + torch.exp(input))"
            },
        ),
        Mistake(
            name="both_branches_computed",
            why="`torch.where` picks the right value, but both branches are computed and "
            "differentiated: the one that overflows is given the gradient 0, and 0 · ∞ is not a "
            "number.",
            change={
                "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": "torch.where("
                "input >= 0, 1 / (1 + torch.exp(-input)), torch.exp(input) / (1 + "
                "torch.exp(input)))"
            },
        ),
        Mistake(
            name="sign_lost",
            why="The minus in e⁻ᵃ is missing, so the curve falls where it should rise.",
            change={"logaddexp(-input": "logaddexp(input"},
        ),
        Mistake(
            name="range_of_tanh",
            why="tanh runs from −1 to 1; the sigmoid is (1 + tanh(a/2)) / 2, from 0 to 1.",
            change={
                "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": "torch.tanh(input "
                "/ 2)"
            },
        ),
        Mistake(
            name="softmax_over_the_row",
            why="A softmax makes the entries of a row compete for a sum of 1; the sigmoid looks at "
            "one entry at a time.",
            change={
                "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": "torch.softmax("
                "input, dim=-1) if input.dim() else torch.ones_like(input)"
            },
        ),
        Mistake(
            name="flat_at_zero",
            why="Splitting by sign with e^(−|a|) avoids the overflow, but |a| has the slope 0 at "
            "a = 0 for autograd, where the sigmoid is steepest: ¼.",
            source="""
            def sigmoid(input):
                power = torch.exp(-input.abs())
                return torch.where(input >= 0, 1 / (1 + power), power / (1 + power))
            """,
        ),
    ),
    variants=(
        """
        def sigmoid(input):
            return F.logsigmoid(input).exp()
        """,
        """
        def sigmoid(input):
            pair = torch.stack([input, torch.zeros_like(input)])
            return torch.softmax(pair, dim=0)[0]
        """,
    ),
    forbidden=(
        "torch.sigmoid",
        "F.sigmoid",
        "Tensor.sigmoid",
        "nn.Sigmoid",
        "torch.special.expit",
        "torch.sigmoid_",
    ),
)


def _far(rng):
    size = rng.uniform(800, 2000, size=(2, 5))
    return {"input": np.concatenate([size, -size, rng.standard_normal((2, 5))])}


# softmax_jacobian

SOFTMAX_JACOBIAN = Exercise(
    symbol="softmax_jacobian",
    title="The one that is not elementwise",
    section="elementwise",
    cases=(
        Case("one vector", lambda rng: _numbers(rng, 5), grad=("input",)),
        Case("a batch", lambda rng: _numbers(rng, 3, 5), 2, grad=("input",)),
        Case("two leading axes", lambda rng: _numbers(rng, 2, 3, 5)),
        Case("as many vectors as scores", lambda rng: _numbers(rng, 5, 5)),
        Case("scores of a thousand", lambda rng: {"input": 1e3 + rng.random((3, 5))}, hidden=True),
        Case("two classes", lambda rng: _numbers(rng, 3, 2), grad=("input",), hidden=True),
    ),
    hint="p_i on the diagonal (`torch.diag_embed`), less the outer product of p with itself.",
    mistakes=(
        Mistake(
            name="diagonal_alone",
            why="Only the diagonal p (1 − p) was computed, as if every probability depended on its "
            "own score alone; they share one sum, so raising a score lowers all other "
            "probabilities.",
            change={
                "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": "torch.diag_embed("
                "p * (1 - p))"
            },
        ),
        Mistake(
            name="sign_flipped",
            why="The two terms are subtracted the wrong way round: a score would lower its own "
            "probability.",
            change={
                "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": "p.unsqueeze(-1) "
                "* p.unsqueeze(-2) - torch.diag_embed(p)"
            },
        ),
        Mistake(
            name="delta_forgotten",
            why="p_i − p_i p_j puts p_i into the whole row; it belongs only where i = j.",
            change={"torch.diag_embed(p)": "p.unsqueeze(-1)"},
        ),
        Mistake(
            name="outer_product_with_the_wrong_axes",
            why="Both factors vary along the same axis, so the second term is p_j² in every row "
            "and not p_i p_j.",
            change={"p.unsqueeze(-1) * ": "p.unsqueeze(-2) * "},
        ),
        Mistake(
            name="softmax_over_the_batch",
            why="The softmax ran along the first axis: the probabilities of one example no longer "
            "sum to 1.",
            change={"torch.softmax(input, dim=-1)": "torch.softmax(input, dim=0)"},
        ),
        Mistake(
            name="one_vector_alone",
            why="`torch.diag` and `torch.outer` know one vector and no axes in front; "
            "`torch.diag_embed` and a product that broadcasts take any number of them.",
            change={
                "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": "torch.diag(p) "
                "- torch.outer(p, p)"
            },
        ),
        Mistake(
            name="scores_taken_for_probabilities",
            why="The formula needs p = softmax(z); it was applied to the scores themselves.",
            change={"torch.softmax(input, dim=-1)": "input"},
        ),
    ),
    variants=(
        """
        def softmax_jacobian(input):
            p = torch.exp(input - torch.logsumexp(input, dim=-1, keepdim=True))
            eye = torch.eye(input.shape[-1], dtype=input.dtype)
            return torch.einsum("...i,...ij->...ij", p, eye - p.unsqueeze(-2))
        """,
        """
        def softmax_jacobian(input):
            p = input.softmax(-1)
            flat = p.reshape(-1, p.shape[-1])
            rows = [torch.diag(row) - torch.outer(row, row) for row in flat]
            return torch.stack(rows).reshape(*p.shape, p.shape[-1])
        """,
    ),
    forbidden=(
        "torch.autograd.functional.jacobian",
        "torch.func.jacrev",
        "torch.func.jacfwd",
        *AUTOGRAD,
    ),
)


# collapse

COLLAPSE = Exercise(
    symbol="collapse",
    title="A stack of linear layers is one",
    section="collapse",
    cases=(
        Case("three layers", lambda rng: network(rng), 2),
        Case("all of one width", lambda rng: network(rng, (5, 5, 5, 5)), 2),
        Case("one layer", lambda rng: network(rng, (7, 5))),
        Case("through a narrow place", lambda rng: network(rng, (7, 2, 5))),
        Case("five layers", lambda rng: network(rng, (2, 3, 5, 7, 11, 13)), hidden=True),
    ),
    hint="Two layers first: W₂ (W₁ x + b₁) + b₂. Multiply out, and read off the new weight and the "
    "new bias.",
    mistakes=(
        Mistake(
            name="order_reversed",
            why="The product was taken in the order W₁ W₂; the layer applied first stands next to "
            "x, on the right.",
            change={"weights[layer] @ weight ": "weight @ weights[layer] "},
        ),
        Mistake(
            name="weights_transposed",
            why="W₁ was multiplied by W₂ᵀ from the right, which is the rule for a batch of rows; a "
            "weight maps d_{l−1} to d_l numbers, so the next one stands to its left as it is.",
            source="""
            def collapse(weights, biases):
                weight, bias = weights[0], biases[0]
                for layer in range(1, len(weights)):
                    weight = weight @ weights[layer].T
                    bias = bias @ weights[layer].T + biases[layer]
                return weight, bias
            """,
        ),
        Mistake(
            name="biases_added_up",
            why="The biases were added as they are; all but the last still go through the layers "
            "above them.",
            change={"weights[layer] @ bias + biases[layer]": "bias + biases[layer]"},
        ),
        Mistake(
            name="last_bias_alone",
            why="Only the last bias was kept; those below are multiplied by the weights above and "
            "do not vanish.",
            change={"weights[layer] @ bias + biases[layer]": "biases[layer]"},
        ),
        Mistake(
            name="bias_through_its_own_layer",
            why="Each bias was multiplied by the weight of its own layer, but it is added after "
            "that layer's product: only the layers above act on it.",
            change={
                "weight, bias = weights[0], biases[0]": "weight, bias = weights[0], "
                "torch.zeros_like(biases[-1]) if len(weights) == 1 else biases[0]",
                "weights[layer] @ bias + biases[layer]": "weights[layer] @ bias + "
                "weights[layer] @ weights[layer].T @ biases[layer]",
            },
        ),
        Mistake(
            name="product_of_biases",
            why="The biases were multiplied with one another; they add up, each after the layers "
            "above it.",
            change={"+ biases[layer]": "* biases[layer]"},
        ),
    ),
    variants=(
        """
        def collapse(weights, biases):
            size = weights[0].shape[1]
            origin = torch.zeros(1, size, dtype=weights[0].dtype)
            points = torch.cat([origin, torch.eye(size, dtype=weights[0].dtype)])
            for w, b in zip(weights, biases):
                points = points @ w.T + b
            bias = points[0].clone()
            return (points[1:] - bias).T, bias
        """,
        """
        def collapse(weights, biases):
            def rest(layer):
                if layer == len(weights) - 1:
                    return torch.eye(len(biases[-1]), dtype=biases[-1].dtype)
                return rest(layer + 1) @ weights[layer + 1]

            above = [rest(layer) for layer in range(len(weights))]
            return above[0] @ weights[0], sum(a @ b for a, b in zip(above, biases))
        """,
    ),
)


# linear_backward

LINEAR_BACKWARD = Exercise(
    symbol="linear_backward",
    title="Back through a linear layer",
    section="backpropagation",
    cases=(
        Case("a batch", lambda rng: _layer(rng), 2),
        Case("everything square", lambda rng: _layer(rng, 5, 5, 5), 2),
        Case("one example", lambda rng: _layer(rng, 1)),
        Case("one output", lambda rng: _layer(rng, 11, 7, 1), hidden=True),
        Case("tiny gradients", lambda rng: _layer(rng, scale=1e-9), hidden=True),
    ),
    hint="Let the shapes lead: only one product of δ (B, d_out) and o (B, d_in) is (d_out, d_in), "
    "and it sums over the batch by itself.",
    mistakes=(
        Mistake(
            name="weight_transposed",
            why="For one example the formula is Wᵀ δ; for a batch δ is a row, and the same product "
            "is δ W, without the transpose.",
            change={"grad @ weight": "grad @ weight.T"},
        ),
        Mistake(
            name="weight_gradient_transposed",
            why="o δᵀ has one row per input; the gradient has the shape of W, one row per output: "
            "δ oᵀ.",
            change={"grad.T @ input": "input.T @ grad"},
        ),
        Mistake(
            name="bias_averaged",
            why="The bias's gradient was averaged over the batch. The loss has divided by B "
            "already, if it is a mean; dividing again makes the bias learn B times too slowly.",
            change={"grad.sum(dim=0)": "grad.mean(dim=0)"},
        ),
        Mistake(
            name="weight_averaged",
            why="The weight's gradient was divided by B. Whether the examples are averaged is "
            "decided once, in the loss.",
            change={"grad.T @ input": "grad.T @ input / len(input)"},
        ),
        Mistake(
            name="everything_averaged",
            why="The gradients of weight and bias were averaged over the batch. A loss that is a "
            "mean has divided δ by B already; dividing again makes both learn B times too slowly.",
            change={
                "grad.T @ input": "grad.T @ input / len(input)",
                "grad.sum(dim=0)": "grad.mean(dim=0)",
            },
        ),
        Mistake(
            name="columns_for_rows",
            why="These are the formulas for one example, where δ and o are columns; in a batch "
            "every example is a row, so that all three change sides: δ W, δᵀ o and a sum.",
            change={
                "grad @ weight": "weight.T @ grad",
                "grad.T @ input": "grad @ input.T",
                "grad.sum(dim=0)": "grad.clone()",
            },
        ),
        Mistake(
            name="bias_not_summed",
            why="One bias serves all examples, so its gradient is the sum of theirs; what came "
            "back still has a row for each.",
            change={"grad.sum(dim=0)": "grad.clone()"},
        ),
        Mistake(
            name="bias_summed_over_outputs",
            why="Summed over the outputs instead of over the batch: one number per example, where "
            "one per output is due.",
            change={"grad.sum(dim=0)": "grad.sum(dim=1)"},
        ),
    ),
    variants=(
        """
        def linear_backward(grad, input, weight):
            by_input = torch.einsum("bo,oi->bi", grad, weight)
            by_weight = torch.einsum("bo,bi->oi", grad, input)
            return by_input, by_weight, torch.einsum("bo->o", grad)
        """,
        """
        def linear_backward(grad, input, weight):
            by_weight, by_bias = torch.zeros_like(weight), torch.zeros_like(weight[:, 0])
            for delta, o in zip(grad, input):
                by_weight = by_weight + torch.outer(delta, o)
                by_bias = by_bias + delta
            return (weight.T @ grad.T).T, by_weight, by_bias
        """,
    ),
    forbidden=AUTOGRAD,
)


def _layer(rng, count=B, d_in=7, d_out=5, scale=1.0):
    return {
        "grad": scale * rng.standard_normal((count, d_out)),
        "input": rng.standard_normal((count, d_in)),
        "weight": rng.standard_normal((d_out, d_in)),
    }


# activation_backward

ACTIVATION_BACKWARD = Exercise(
    symbol="activation_backward",
    title="Back through an activation",
    section="backpropagation",
    cases=(
        Case("ReLU", lambda rng: _activated(rng, "relu"), grad=("grad",)),
        Case("sigmoid", lambda rng: _activated(rng, "sigmoid"), grad=("grad",)),
        Case("tanh", lambda rng: _activated(rng, "tanh"), grad=("grad",)),
        Case("no activation", lambda rng: _activated(rng, "identity")),
        Case("a whole picture", lambda rng: _activated(rng, "tanh", 2, 3, 5), hidden=True),
        Case("ReLU, mostly off", lambda rng: _activated(rng, "relu", shift=-1.0), hidden=True),
    ),
    hint="You are given what the activation returned, so σ′ must be written in terms of o.",
    mistakes=(
        Mistake(
            name="slope_at_the_output",
            why="σ′ was evaluated at o as if o were a: σ(o)(1 − σ(o)) or 1 − tanh²(o). The output "
            "is σ(a) already, so the slope is o (1 − o) or 1 − o².",
            change={
                "output * (1 - output)": "torch.sigmoid(output) * (1 - torch.sigmoid(output))",
                "output.square()": "torch.tanh(output).square()",
            },
        ),
        Mistake(
            name="relu_lets_everything_through",
            why="An output of a ReLU is never negative, so o ≥ 0 holds everywhere and no gradient "
            "is ever stopped; the unit was on where o > 0.",
            change={"output > 0": "output >= 0"},
        ),
        Mistake(
            name="sign_of_the_gradient",
            why="The gradient was cut off where it is itself negative; what counts is whether the "
            "unit was on in the forward pass.",
            change={"output > 0": "grad > 0"},
        ),
        Mistake(
            name="square_forgotten",
            why="The slope of tanh is 1 − tanh², and o is tanh(a) to the first power.",
            change={"output.square()": "output"},
        ),
        Mistake(
            name="gradient_from_above_dropped",
            why="This is σ′ alone; the chain rule multiplies it by the gradient that arrives from "
            "above.",
            change={"grad * slope": "slope * torch.ones_like(grad)"},
        ),
        Mistake(
            name="half_of_the_product",
            why="The slope of the sigmoid is o (1 − o); only one of the two factors is here.",
            change={"output * (1 - output)": "1 - output"},
        ),
    ),
    variants=(
        """
        def activation_backward(grad, output, activation):
            slopes = {
                "relu": lambda o: torch.sign(o),
                "sigmoid": lambda o: o - o**2,
                "tanh": lambda o: (1 - o) * (1 + o),
                "identity": lambda o: 1.0,
            }
            return grad * slopes[activation](output)
        """,
        """
        def activation_backward(grad, output, activation):
            if activation == "relu":
                return torch.where(output > 0, grad, 0.0)
            if activation == "sigmoid":
                return grad * output - grad * output * output
            if activation == "tanh":
                return torch.addcmul(grad, grad * output, output, value=-1)
            return grad + 0.0
        """,
    ),
    forbidden=AUTOGRAD,
)


def _activated(rng, activation, *shape, shift=0.0):
    shape = shape or (B, 7)
    a = rng.standard_normal(shape) + shift
    outputs = {
        "relu": np.maximum(a, 0.0),
        "sigmoid": 1 / (1 + np.exp(-a)),
        "tanh": np.tanh(a),
        "identity": a,
    }
    return {
        "grad": rng.standard_normal(shape),
        "output": outputs[activation],
        "activation": activation,
    }


# forward

FORWARD = Exercise(
    symbol="forward",
    title="Forward, with a cache",
    section="backpropagation",
    cases=(
        Case("three layers, ReLU", lambda rng: _pass(rng, "relu"), 2, grad=("x",)),
        Case("three layers, tanh", lambda rng: _pass(rng, "tanh"), grad=("x",)),
        Case("one layer", lambda rng: _pass(rng, "relu", (7, 3))),
        Case("all of one width", lambda rng: _pass(rng, "sigmoid", (5, 5, 5, 5), 5)),
        Case("no activation", lambda rng: _pass(rng, "identity"), hidden=True),
        Case("five layers", lambda rng: _pass(rng, "tanh", (7, 3, 5, 2, 11, 3)), hidden=True),
    ),
    hint="Start the list with x. Every hidden layer appends its o_l; the last layer's scores are "
    "returned and not appended.",
    mistakes=(
        Mistake(
            name="activation_on_the_scores",
            why="The last layer's scores went through the activation as well; a ReLU there makes "
            "every negative score 0, and the softmax cannot tell them apart.",
            change={
                "return outputs[-1] @ weights[-1].T + biases[-1], outputs": "return activate("
                "outputs[-1] @ weights[-1].T + biases[-1], activation), outputs"
            },
        ),
        Mistake(
            name="no_activation",
            why="Nothing stands between the layers, so the stack is one linear layer, whatever "
            "its depth.",
            change={"activate(a, activation)": "a"},
        ),
        Mistake(
            name="inputs_of_the_activation_kept",
            why="The cache holds a_l. The backward pass multiplies by what the *next layer* was "
            "given, and that is o_l = σ(a_l).",
            source="""
            def forward(x, weights, biases, *, activation):
                outputs, o = [x], x
                for layer in range(len(weights) - 1):
                    a = o @ weights[layer].T + biases[layer]
                    outputs.append(a)
                    o = activate(a, activation)
                return o @ weights[-1].T + biases[-1], outputs
            """,
        ),
        Mistake(
            name="scores_kept_too",
            why="The list ends with the scores; it should hold what each layer was *given*, one "
            "entry per layer, and no layer is given the scores.",
            change={
                "return outputs[-1] @ weights[-1].T + biases[-1], outputs": "scores = outputs[-1] "
                "@ weights[-1].T + biases[-1]; return scores, [*outputs, scores]"
            },
        ),
        Mistake(
            name="last_layer_like_the_others",
            why="The loop treats the last layer like the others: its scores went through the "
            "activation and into the list, but scores have no σ, and no layer is given them.",
            source="""
            def forward(x, weights, biases, *, activation):
                outputs = [x]
                for layer in range(len(weights)):
                    a = outputs[layer] @ weights[layer].T + biases[layer]
                    outputs.append(activate(a, activation))
                return outputs[-1], outputs
            """,
        ),
        Mistake(
            name="input_not_kept",
            why="o_0 = x is missing from the list; without it the first layer's weights have no "
            "gradient.",
            change={"biases[-1], outputs": "biases[-1], outputs[1:]"},
        ),
        Mistake(
            name="hidden_biases_forgotten",
            why="The hidden layers have no bias: every kink of every unit then passes through the "
            "origin.",
            change={" + biases[layer]": ""},
        ),
        Mistake(
            name="every_layer_reads_x",
            why="Each layer was applied to x; a stack applies it to the output of the layer below.",
            change={"outputs[layer] @ weights[layer]": "x @ weights[layer]"},
        ),
    ),
    variants=(
        """
        def forward(x, weights, biases, *, activation):
            outputs = []
            for index, (w, b) in enumerate(zip(weights, biases)):
                if index > 0:
                    x = activate(x, activation)
                outputs.append(x)
                x = F.linear(x, w, b)
            return x, outputs
        """,
        """
        def forward(x, weights, biases, *, activation):
            if len(weights) == 1:
                return torch.addmm(biases[0], x, weights[0].t()), [x]
            below = torch.einsum("bi,oi->bo", x, weights[0]) + biases[0]
            o = activate(below, activation)
            scores, rest = forward(o, weights[1:], biases[1:], activation=activation)
            return scores, [x, *rest]
        """,
    ),
    needs=("relu", "sigmoid"),
)


def _pass(rng, activation, sizes=SIZES, count=B):
    x = rng.standard_normal((count, sizes[0]))
    return {"x": x, **network(rng, sizes), "activation": activation}


# backward

BACKWARD = Exercise(
    symbol="backward",
    title="Backpropagation",
    section="backpropagation",
    cases=(
        Case("three layers, tanh", lambda rng: _back(rng, "tanh"), 2, grad=("grad",)),
        Case("three layers, ReLU", lambda rng: _back(rng, "relu"), 2, grad=("grad",)),
        Case("all of one width", lambda rng: _back(rng, "sigmoid", (5, 5, 5, 5), 5), 2),
        Case("one layer", lambda rng: _back(rng, "sigmoid", (7, 3))),
        Case("five layers", lambda rng: _back(rng, "tanh", (7, 3, 5, 2, 11, 3)), hidden=True),
        Case("no activation", lambda rng: _back(rng, "identity"), hidden=True),
    ),
    hint="From the last layer down: `linear_backward` with what the layer was given; then, if "
    "there is a layer below, `activation_backward` with that same tensor: it is what the layer "
    "below put out.",
    mistakes=(
        Mistake(
            name="slopes_forgotten",
            why="δ went down through the weights alone; every activation on the way multiplies it "
            "by σ′.",
            change={
                "grad = activation_backward(grad, outputs[layer + 1], activation)": "grad = grad "
                "* 1.0"
            },
        ),
        Mistake(
            name="slope_of_another_layer",
            why="σ′ was taken from what the layer was given and not from what it put out; where "
            "both have one width, no error warns you.",
            change={"outputs[layer + 1], activation": "outputs[layer], activation"},
        ),
        Mistake(
            name="slope_at_the_input",
            why="The last multiplication by σ′ is one too many: x did not come out of an "
            "activation.",
            change={
                "return grad, weight_grads": "return activation_backward(grad, outputs[0], "
                "activation), weight_grads"
            },
        ),
        Mistake(
            name="lists_back_to_front",
            why="The gradients are in the order in which they were found, the last layer first; "
            "they are to be listed like the weights they belong to.",
            change={
                "weight_grads.insert(0, weight_grad)": "weight_grads.append(weight_grad)",
                "bias_grads.insert(0, bias_grad)": "bias_grads.append(bias_grad)",
            },
        ),
        Mistake(
            name="gradient_not_handed_down",
            why="Every layer was given the gradient of the scores; each needs the one that the "
            "layer above has handed down.",
            source="""
            def backward(grad, outputs, weights, *, activation):
                weight_grads, bias_grads, delta = [], [], grad
                for layer in reversed(range(len(weights))):
                    if weight_grads:
                        delta = grad @ weights[layer + 1]
                        delta = activation_backward(delta, outputs[layer + 1], activation)
                    by_input, by_weight, by_bias = linear_backward(
                        delta, outputs[layer], weights[layer]
                    )
                    weight_grads.insert(0, by_weight)
                    bias_grads.insert(0, by_bias)
                return by_input, weight_grads, bias_grads
            """,
        ),
        Mistake(
            name="slope_before_the_weights",
            why="For a layer of equal width the order can be mistaken: first Wᵀ takes δ down to "
            "o_{l−1}, and there σ′ is applied; here σ′ came first.",
            source="""
            def backward(grad, outputs, weights, *, activation):
                weight_grads, bias_grads = [], []
                for layer in reversed(range(len(weights))):
                    below, by_weight, by_bias = linear_backward(
                        grad, outputs[layer], weights[layer]
                    )
                    weight_grads.insert(0, by_weight)
                    bias_grads.insert(0, by_bias)
                    if layer > 0:
                        sloped = activation_backward(grad, outputs[layer], activation)
                        below = sloped @ weights[layer]
                    grad = below
                return grad, weight_grads, bias_grads
            """,
        ),
    ),
    variants=(
        """
        def backward(grad, outputs, weights, *, activation):
            deltas = [grad]
            for layer in range(len(weights) - 1, 0, -1):
                below = torch.einsum("bo,oi->bi", deltas[0], weights[layer])
                deltas.insert(0, activation_backward(below, outputs[layer], activation))
            by_weight = [torch.einsum("bo,bi->oi", d, o) for d, o in zip(deltas, outputs)]
            return deltas[0] @ weights[0], by_weight, [delta.sum(dim=0) for delta in deltas]
        """,
        """
        def backward(grad, outputs, weights, *, activation):
            below, by_weight, by_bias = linear_backward(grad, outputs[-1], weights[-1])
            if len(weights) == 1:
                return below, [by_weight], [by_bias]
            below = activation_backward(below, outputs[-1], activation)
            x, rest, biases = backward(below, outputs[:-1], weights[:-1], activation=activation)
            return x, [*rest, by_weight], [*biases, by_bias]
        """,
    ),
    forbidden=AUTOGRAD,
    needs=("activation_backward", "linear_backward"),
)


def _back(rng, activation, sizes=SIZES, count=B):
    stack = network(rng, sizes)
    outputs = [rng.standard_normal((count, sizes[0]))]
    for weight, bias in zip(stack["weights"][:-1], stack["biases"][:-1], strict=True):
        a = outputs[-1] @ weight.T + bias
        apply = {
            "relu": lambda a: np.maximum(a, 0.0),
            "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
            "tanh": np.tanh,
            "identity": np.copy,
        }
        outputs.append(apply[activation](a))
    return {
        "grad": rng.standard_normal((count, sizes[-1])),
        "outputs": outputs,
        "weights": stack["weights"],
        "activation": activation,
    }


# numerical_gradient

NUMERICAL_GRADIENT = Exercise(
    symbol="numerical_gradient",
    title="A gradient, measured",
    section="gradient-check",
    tolerance=1e-6,
    cases=(
        Case("the first layer", lambda rng: _measured(rng, "tanh", layer=0), 2),
        Case("the last layer", lambda rng: _measured(rng, "sigmoid", layer=1)),
        Case("a long step", lambda rng: _measured(rng, "tanh", layer=0, step=0.5), 2),
        Case("weights of all sizes", lambda rng: _uneven(rng)),
        Case("ReLU", lambda rng: _measured(rng, "relu", layer=1, step=0.3), hidden=True),
        Case("counted from the end", lambda rng: _measured(rng, "tanh", layer=-1), hidden=True),
    ),
    hint="For every entry: copy the weights, add ε to this entry, take the loss; the same with −ε; "
    "divide the difference by 2ε.",
    mistakes=(
        Mistake(
            name="one_sided",
            why="The loss at w was subtracted from that at w + ε; the error of this one-sided "
            "quotient shrinks like ε, that of the central one like ε².",
            change={"loss(i, -step)) / (2 * step)": "loss(i, 0.0)) / step"},
        ),
        Mistake(
            name="half_the_distance",
            why="From w − ε to w + ε is a distance of 2ε; divided by ε, every derivative comes out "
            "twice as large.",
            change={"(2 * step)": "step"},
        ),
        Mistake(
            name="whole_matrix_nudged",
            why="All weights were moved at once, which measures the sum of all derivatives; move "
            "one and leave the others where they are.",
            change={"nudged[index] += nudge": "nudged += nudge"},
        ),
        Mistake(
            name="nudges_pile_up",
            why="The nudged weights were not put back, so every entry is measured at another "
            "point; and the caller's weights are changed.",
            source="""
            def numerical_gradient(
                x, target, *, weights, biases, activation, layer, step
            ):
                weights = [weight.clone() for weight in weights]
                slope = torch.zeros_like(weights[layer])

                def loss():
                    return F.cross_entropy(
                        forward(x, weights, biases, activation=activation)[0], target
                    )

                for index in range(slope.numel()):
                    entry = weights[layer].view(-1)
                    entry[index] += step
                    above = loss()
                    entry[index] -= 2 * step
                    slope.view(-1)[index] = (above - loss()) / (2 * step)
                return slope
            """,
        ),
        Mistake(
            name="put_back_by_arithmetic",
            why="The caller's weights were nudged and moved back by the same amount, but w + ε − ε "
            "is w only up to rounding: nudge a copy, or keep the old number and write it back.",
            source="""
            def numerical_gradient(
                x, target, *, weights, biases, activation, layer, step
            ):
                weight = weights[layer]
                slope = torch.zeros_like(weight)

                def loss():
                    return F.cross_entropy(
                        forward(x, weights, biases, activation=activation)[0], target
                    )

                for row in range(weight.shape[0]):
                    for column in range(weight.shape[1]):
                        weight[row, column] += step
                        above = loss()
                        weight[row, column] -= 2 * step
                        below = loss()
                        weight[row, column] += step
                        slope[row, column] = (above - below) / (2 * step)
                return slope
            """,
        ),
        Mistake(
            name="copy_never_used",
            why="A copy was nudged, and the loss was computed from the weights that stayed where "
            "they were: both losses are equal, and every derivative is 0.",
            change={"stack[layer] = nudged.reshape(weights[layer].shape)": "nudged.square()"},
        ),
        Mistake(
            name="step_in_proportion",
            why="The weight was moved by a fraction ε of itself, but the difference was divided by "
            "2ε: this is w · ∂L/∂w.",
            change={"nudged[index] += nudge": "nudged[index] *= 1 + nudge"},
        ),
        Mistake(
            name="loss_summed",
            why="The loss was summed over the examples; the derivative of the mean is B times "
            "smaller.",
            change={
                "activation=activation)[0], target)": "activation=activation)[0], target, "
                'reduction="sum")'
            },
        ),
        Mistake(
            name="down_minus_up",
            why="L(w − ε) − L(w + ε) has the opposite sign: the gradient points to where the loss "
            "grows.",
            change={"(loss(i, step) - loss(i, -step))": "(loss(i, -step) - loss(i, step))"},
        ),
    ),
    variants=(
        """
        def numerical_gradient(x, target, *, weights, biases, activation, layer, step):
            weights = list(weights)
            center = weights[layer]
            slope = torch.empty_like(center)
            for row in range(center.shape[0]):
                for column in range(center.shape[1]):
                    sides = []
                    for sign in (1.0, -1.0):
                        moved = center.clone()
                        moved[row, column] = moved[row, column] + sign * step
                        weights[layer] = moved
                        scores = forward(x, weights, biases, activation=activation)[0]
                        right = scores.log_softmax(dim=1).gather(1, target[:, None])
                        sides.append(-right.mean())
                    slope[row, column] = (sides[0] - sides[1]) / step / 2
            return slope
        """,
        """
        def numerical_gradient(x, target, *, weights, biases, activation, layer, step):
            size = weights[layer].numel()
            moves = step * torch.eye(size, dtype=x.dtype).reshape(size, *weights[layer].shape)
            losses = []
            for move in torch.cat([moves, -moves]):
                moved = list(weights)
                moved[layer] = weights[layer] + move
                scores, _ = forward(x, moved, biases, activation=activation)
                losses.append(F.nll_loss(torch.log_softmax(scores, 1), target))
            up, down = torch.stack(losses).chunk(2)
            return ((up - down) / (2 * step)).reshape(weights[layer].shape)
        """,
    ),
    forbidden=(*AUTOGRAD, "torch.func.jacrev", "torch.autograd.functional.jacobian"),
    needs=("forward",),
)


def _measured(rng, activation, *, layer, step=0.1):
    return {
        "x": rng.standard_normal((5, 3)),
        "target": rng.integers(2, size=5),
        **network(rng, (3, 5, 2)),
        "activation": activation,
        "layer": layer,
        "step": step,
    }


def _uneven(rng):
    drawn = _measured(rng, "tanh", layer=1, step=0.2)
    drawn["weights"][1] *= np.array([[5.0], [0.2]])
    return drawn


# train_step

TRAIN_STEP = Exercise(
    symbol="train_step",
    title="Loss, gradient, update",
    section="mlp-training",
    cases=(
        Case("three layers, ReLU", lambda rng: _step(rng, "relu"), 2),
        Case("two layers, tanh", lambda rng: _step(rng, "tanh", (7, 5, 3)), 2),
        Case("a long step", lambda rng: _step(rng, "sigmoid", learning_rate=30.0)),
        Case("one layer", lambda rng: _step(rng, "relu", (7, 3))),
        Case("all of one width", lambda rng: _step(rng, "tanh", (5, 5, 5)), hidden=True),
        Case("one example", lambda rng: _step(rng, "tanh", count=1), hidden=True),
    ),
    hint="`forward`, the cross-entropy, its gradient p − y for the scores, `backward`, and then "
    "all parameters at once.",
    mistakes=(
        Mistake(
            name="not_a_mean",
            why="p − y is the gradient for one example; the loss is a mean over B of them, so it "
            "must be divided by B.",
            change={"/ len(x)": "/ 1"},
        ),
        Mistake(
            name="uphill",
            why="The gradient points to where the loss grows, and it was added.",
            change={
                "weights[layer] - learning_rate": "weights[layer] + learning_rate",
                "biases[layer] - learning_rate": "biases[layer] + learning_rate",
            },
        ),
        Mistake(
            name="scores_for_probabilities",
            why="The softmax is missing: scores minus one-hot is the gradient of a squared error, "
            "not of the cross-entropy.",
            change={"scores.softmax(dim=1)": "scores"},
        ),
        Mistake(
            name="softmax_over_the_batch",
            why="The softmax ran over the examples, which then compete for each class; it belongs "
            "along the classes.",
            change={"scores.softmax(dim=1)": "scores.softmax(dim=0)"},
        ),
        Mistake(
            name="biases_stand_still",
            why="The biases were returned as they came: they have gradients and need the update "
            "too.",
            change={"biases[layer] - learning_rate * bias_grads[layer]": "biases[layer]"},
        ),
        Mistake(
            name="updated_on_the_way_down",
            why="Each layer was updated before δ passed through it, so the layers below got a "
            "gradient through weights that were never part of the forward pass.",
            source="""
            def train_step(
                x, target, *, weights, biases, activation, learning_rate
            ):
                scores, outputs = forward(x, weights, biases, activation=activation)
                loss = F.cross_entropy(scores, target)
                grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
                weights, biases = list(weights), list(biases)
                for layer in reversed(range(len(weights))):
                    _, by_weight, by_bias = linear_backward(grad, outputs[layer], weights[layer])
                    weights[layer] = weights[layer] - learning_rate * by_weight
                    biases[layer] = biases[layer] - learning_rate * by_bias
                    if layer:
                        grad = grad @ weights[layer]
                        grad = activation_backward(grad, outputs[layer], activation)
                return loss, weights, biases
            """,
        ),
        Mistake(
            name="updated_in_place",
            why="The caller's parameters were changed in place (`weight -= …`), and the docstring "
            "promises that they stay: return new tensors.",
            source="""
            def train_step(
                x, target, *, weights, biases, activation, learning_rate
            ):
                scores, outputs = forward(x, weights, biases, activation=activation)
                loss = F.cross_entropy(scores, target)
                grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
                _, *grads = backward(grad, outputs, weights, activation=activation)
                for values, slopes in zip((weights, biases), grads):
                    for value, slope in zip(values, slopes):
                        value -= learning_rate * slope
                return loss, weights, biases
            """,
        ),
        Mistake(
            name="loss_as_a_plain_number",
            why="`.item()` made a Python number of the loss; the docstring asks for a tensor of "
            "shape (), which stays on its device.",
            change={"return loss,": "return loss.item(),"},
        ),
        Mistake(
            name="loss_after_the_update",
            why="The loss was computed again with the new parameters; the one that belongs to this "
            "gradient is that of the old.",
            change={
                "return loss,": "loss = F.cross_entropy(forward(x, new_weights, new_biases, "
                "activation=activation)[0], target); return loss,"
            },
        ),
    ),
    variants=(
        """
        def train_step(x, target, *, weights, biases, activation, learning_rate):
            scores, outputs = forward(x, weights, biases, activation=activation)
            log_p = scores - scores.logsumexp(dim=1, keepdim=True)
            rows = torch.arange(len(x))
            grad = log_p.exp()
            grad[rows, target] -= 1.0
            _, by_weight, by_bias = backward(
                grad / len(x), outputs, weights, activation=activation
            )
            return (
                -log_p[rows, target].mean(),
                [w - learning_rate * g for w, g in zip(weights, by_weight)],
                [b - learning_rate * g for b, g in zip(biases, by_bias)],
            )
        """,
        """
        def train_step(x, target, *, weights, biases, activation, learning_rate):
            scores, outputs = forward(x, weights, biases, activation=activation)
            y = torch.nn.functional.one_hot(target, scores.shape[1]).to(scores.dtype)
            p = torch.softmax(scores, dim=1)
            _, *grads = backward(p - y, outputs, weights, activation=activation)
            rate = learning_rate / len(target)
            moved = [
                [value.sub(slope, alpha=rate) for value, slope in zip(values, slopes)]
                for values, slopes in zip((weights, biases), grads)
            ]
            return -(y * torch.log_softmax(scores, dim=1)).sum() / len(target), *moved
        """,
    ),
    forbidden=AUTOGRAD,
    needs=("forward", "backward"),
)


def _step(rng, activation, sizes=SIZES, *, count=B, learning_rate=0.7):
    return {
        "x": rng.standard_normal((count, sizes[0])),
        "target": rng.integers(sizes[-1], size=count),
        **network(rng, sizes),
        "activation": activation,
        "learning_rate": learning_rate,
    }


# topological_order

TOPOLOGICAL_ORDER = Exercise(
    symbol="topological_order",
    title="Parents first",
    section="any-architecture",
    cases=(
        Case("a diamond", lambda rng: {"parents": [[], [0], [0], [1, 2]], "output": 3}),
        Case("a number times itself", lambda rng: {"parents": [[1, 1], []], "output": 0}),
        Case("numbers that say nothing", lambda rng: _graph(rng, 23), 2),
        Case("a part of the graph", lambda rng: _graph(rng, 23, output=11)),
        Case("a chain of 5,000 nodes", lambda rng: _chain(5000)),
        Case("a long way and a short one", lambda rng: _detour(), hidden=True),
        Case("another graph", lambda rng: _graph(rng, 17), hidden=True),
    ),
    hint="Keep a stack of your own. A node goes on it twice: once to send you to its parents, and, "
    "below them, once to be listed. There are other orders with all parents first; the one of a "
    "depth-first search is compared.",
    mistakes=(
        Mistake(
            name="listed_on_the_way_in",
            why="Each node was listed before its parents were visited, so the output comes first "
            "and nothing is ready when its turn comes.",
            source="""
            def topological_order(parents, output):
                order, stack = [], [output]
                while stack:
                    node = stack.pop()
                    if node not in order:
                        order.append(node)
                        stack.extend(reversed(parents[node]))
                return order
            """,
        ),
        Mistake(
            name="first_come_reversed",
            why="A breadth-first search, reversed, puts a node by its *shortest* distance from the "
            "output; a node that is also reached by a longer way then comes too late for it.",
            source="""
            def topological_order(parents, output):
                order = [output]
                for node in order:
                    order.extend(p for p in dict.fromkeys(parents[node]) if p not in order)
                return order[::-1]
            """,
        ),
        Mistake(
            name="listed_once_per_use",
            why="A node that is used twice is listed twice; in the backward pass it would hand "
            "down its gradient twice.",
            source="""
            def topological_order(parents, output):
                order, stack = [], [(output, False)]
                while stack:
                    node, ready = stack.pop()
                    if ready:
                        order.append(node)
                    else:
                        stack.append((node, True))
                        stack.extend((parent, False) for parent in reversed(parents[node]))
                return order
            """,
        ),
        Mistake(
            name="seen_when_put_on_the_stack",
            why="A node was marked as seen when it was put on the stack, so a deeper node that "
            "needs it first cannot go there any more; mark it when it is taken off.",
            source="""
            def topological_order(parents, output):
                order, seen, stack = [], {output}, [(output, False)]
                while stack:
                    node, ready = stack.pop()
                    if ready:
                        order.append(node)
                        continue
                    stack.append((node, True))
                    for parent in reversed(parents[node]):
                        if parent not in seen:
                            seen.add(parent)
                            stack.append((parent, False))
                return order
            """,
        ),
        Mistake(
            name="sorted_by_number",
            why="The nodes were sorted by their numbers, and a number says nothing about when its "
            "node was computed; only the parents do.",
            source="""
            def topological_order(parents, output):
                found, stack = {output}, [output]
                while stack:
                    fresh = set(parents[stack.pop()]) - found
                    found |= fresh
                    stack += fresh
                return sorted(found)
            """,
        ),
        Mistake(
            name="recursion",
            why="The order is right, but a function that calls itself once per level stops at "
            "about 1,000 levels, and a loss summed over a thousand examples is such a chain.",
            source="""
            def topological_order(parents, output):
                order, seen = [], set()

                def visit(node):
                    if node not in seen:
                        seen.add(node)
                        for parent in parents[node]:
                            visit(parent)
                        order.append(node)

                visit(output)
                return order
            """,
        ),
        Mistake(
            name="everything_listed",
            why="The search was started from every node; those that the output does not depend on "
            "have no place in its derivative.",
            change={
                "[(output, False)]": "[(node, False) for node in reversed(range(len(parents)))]"
            },
        ),
        Mistake(
            name="last_parent_first",
            why="A stack returns what was put on it last, so the parents were visited from right "
            "to left; put them on in reverse.",
            change={"reversed(parents[node])": "parents[node]"},
        ),
    ),
    variants=(
        """
        def topological_order(parents, output):
            order, seen = [], {output}
            stack = [(output, iter(parents[output]))]
            while stack:
                node, left = stack[-1]
                for parent in left:
                    if parent not in seen:
                        seen.add(parent)
                        stack.append((parent, iter(parents[parent])))
                        break
                else:
                    order.append(node)
                    stack.pop()
            return order
        """,
        """
        def topological_order(parents, output):
            listed, stack = {}, [output]
            entered = set()
            while stack:
                node = stack[-1]
                entered.add(node)
                missing = [p for p in parents[node] if p not in listed]
                if missing:
                    stack.append(missing[0])
                else:
                    listed.setdefault(node, None)
                    stack.pop()
            return list(listed)
        """,
    ),
)


def _graph(rng, count, output=None):
    """A graph without cycles whose node numbers are shuffled; the output is the last by default."""
    number = rng.permutation(count).tolist()
    parents = [[] for _ in range(count)]
    for node in range(3, count):
        found = rng.integers(max(0, node - 6), node, size=rng.integers(1, 4))
        parents[number[node]] = [number[parent] for parent in found.tolist()]
    return {"parents": parents, "output": number[count - 1 if output is None else output]}


def _chain(count):
    return {"parents": [[], *([node] for node in range(count - 1))], "output": count - 1}


def _detour():
    """Node 0 is used by the output itself and by the far end of a chain."""
    return {"parents": [[5], [0], [1], [2, 0], [3, 0], []], "output": 4}


# reverse_mode

REVERSE_MODE = Exercise(
    symbol="reverse_mode",
    title="Reverse mode, on any graph",
    section="any-architecture",
    cases=(
        Case("a diamond", lambda rng: _slopes(rng, parents=[[], [0], [0], [1, 2]], output=3)),
        Case("a number times itself", lambda rng: _slopes(rng, parents=[[1, 1], []], output=0)),
        Case("a long way and a short one", lambda rng: _slopes(rng, **_detour()), 2),
        Case("a large graph", lambda rng: _slopes(rng, **_graph(rng, 23)), 2),
        Case("a part of the graph", lambda rng: _slopes(rng, **_graph(rng, 23, output=13))),
        Case("no parents", lambda rng: _slopes(rng, parents=[[], [0]], output=0), hidden=True),
        Case("another graph", lambda rng: _slopes(rng, **_graph(rng, 29)), hidden=True),
    ),
    hint="The derivative of z with respect to itself is 1. Go through the topological order "
    "backward; by the time a node is reached, all who use it have handed it their share.",
    mistakes=(
        Mistake(
            name="last_user_wins",
            why="The share was assigned instead of added, so a number that is used twice keeps the "
            "gradient of one use only.",
            change={
                "+= slopes[node][place] * derivatives[node]": "= slopes[node][place] * "
                "derivatives[node]"
            },
        ),
        Mistake(
            name="from_inputs_to_output",
            why="The nodes were visited in the order of the forward pass, where the derivatives "
            "above are still zero; reverse it.",
            change={
                "reversed(topological_order(parents, output))": "topological_order(parents, output)"
            },
        ),
        Mistake(
            name="by_number",
            why="The nodes were visited from the highest number down, and a number says nothing "
            "about when its node was computed; go backward through the topological order.",
            change={"topological_order(parents, output)": "range(len(parents))"},
        ),
        Mistake(
            name="handed_down_too_early",
            why="A node handed its derivative down as soon as it was first reached, before all who "
            "use it had added their share.",
            source="""
            def reverse_mode(parents, slopes, output):
                derivatives = torch.zeros(len(parents), dtype=torch.float64)
                derivatives[output] = 1.0
                nodes = [output]
                for node in nodes:
                    for place, parent in enumerate(parents[node]):
                        derivatives[parent] += slopes[node][place] * derivatives[node]
                        if parent not in nodes:
                            nodes.append(parent)
                return derivatives
            """,
        ),
        Mistake(
            name="no_seed",
            why="Nothing was put in at the output, so there is nothing to hand down: dz/dz is 1.",
            change={"derivatives[output] = 1.0": "derivatives[output] = 0.0"},
        ),
        Mistake(
            name="slopes_added",
            why="Along a path the slopes are multiplied; sums are for different paths that meet.",
            change={
                "slopes[node][place] * derivatives[node]": "slopes[node][place] + derivatives[node]"
            },
        ),
        Mistake(
            name="first_slope_for_all",
            why="A node has one slope per parent, and each parent is handed its own.",
            change={"slopes[node][place]": "slopes[node][0]"},
        ),
    ),
    variants=(
        """
        def reverse_mode(parents, slopes, output):
            count = len(parents)
            edges = torch.zeros(count, count, dtype=torch.float64)
            for node in range(count):
                for parent, slope in zip(parents[node], slopes[node]):
                    edges[node, parent] += slope
            seed = torch.zeros(count, dtype=torch.float64)
            seed[output] = 1.0
            return torch.linalg.solve(torch.eye(count).double() - edges.T, seed)
        """,
        """
        def reverse_mode(parents, slopes, output):
            users = [[] for _ in parents]
            for node in topological_order(parents, output):
                for parent, slope in zip(parents[node], slopes[node]):
                    users[parent].append((node, slope))
            found = {output: 1.0}

            def derivative(node):
                if node not in found:
                    found[node] = sum((s * derivative(user) for user, s in users[node]), 0.0)
                return found[node]

            return torch.tensor([derivative(n) for n in range(len(parents))], dtype=torch.float64)
        """,
    ),
    needs=("topological_order",),
)


def _slopes(rng, *, parents, output):
    sizes = [len(found) for found in parents]
    slopes = [(rng.choice([-1, 1], size) * rng.uniform(0.5, 1.5, size)).tolist() for size in sizes]
    return {"parents": parents, "slopes": slopes, "output": output}


# MLP

MLP = Exercise(
    symbol="MLP",
    title="The network as a module",
    section="mlp-digits",
    cases=(
        Case("three layers", lambda rng: _module(rng), 2, grad=("x",)),
        Case("tanh", lambda rng: _module(rng, activation="tanh"), grad=("x",)),
        Case("one layer", lambda rng: _module(rng, sizes=(7, 3)), grad=("x",)),
        Case("a single input", lambda rng: _module(rng, lead=())),
        Case("all of one width", lambda rng: _module(rng, sizes=(5, 5, 5)), grad=("x",)),
        Case("two leading axes", lambda rng: _module(rng, lead=(2, 3)), hidden=True),
        Case(
            "five layers",
            lambda rng: _module(rng, sizes=(7, 3, 5, 2, 11, 3), activation="sigmoid"),
            hidden=True,
        ),
    ),
    hint="An `nn.ModuleList` of `nn.Linear`; in `forward`, all but the last are followed by "
    "`activate`.",
    mistakes=(
        Mistake(
            name="layers_in_a_list",
            why="The layers are in a Python list, where a module does not look: it has no "
            "parameters, an optimizer would find nothing to train, and nothing would say so.",
            source="""
            class MLP(nn.Module):
                def __init__(self, sizes, *, activation="relu", device=None):
                    super().__init__()
                    self.layers = [
                        nn.Linear(d_in, d_out, device=device) for d_in, d_out in pairwise(sizes)
                    ]
                    self.activation = activation

                def forward(self, x):
                    for layer in self.layers[:-1]:
                        x = activate(layer(x), self.activation)
                    return self.layers[-1](x)
            """,
        ),
        Mistake(
            name="activation_on_the_scores",
            why="The scores went through the activation as well; scores must be free to be "
            "negative, and the loss contains its own softmax.",
            change={
                "return self.layers[-1](x)": "return activate(self.layers[-1](x), self.activation)"
            },
        ),
        Mistake(
            name="no_activation",
            why="No activation between the layers: this network is a linear model with extra "
            "parameters.",
            change={"activate(layer(x), self.activation)": "layer(x)"},
        ),
        Mistake(
            name="always_relu",
            why="The argument `activation` is stored and never used.",
            change={"activate(layer(x), self.activation)": "relu(layer(x))"},
        ),
        Mistake(
            name="no_bias",
            why="The layers were made without biases, which the docstring lists.",
            change={
                "nn.Linear(d_in, d_out, device=device)": "nn.Linear(d_in, d_out, bias=False, "
                "device=device)"
            },
        ),
        Mistake(
            name="softmax_at_the_end",
            why="The module returns probabilities; the loss takes scores, and a second softmax "
            "inside it would flatten the first.",
            change={"return self.layers[-1](x)": "return self.layers[-1](x).softmax(dim=-1)"},
        ),
        Mistake(
            name="activations_among_the_layers",
            why="The activations stand in the list as well, so the linear layers are numbered 0, "
            "2, 4; the docstring numbers them 0, 1, 2, and the activation belongs into `forward`.",
            source="""
            class MLP(nn.Module):
                def __init__(self, sizes, *, activation="relu", device=None):
                    super().__init__()
                    layers = []
                    for d_in, d_out in pairwise(sizes):
                        layers += [nn.Linear(d_in, d_out, device=device), nn.ReLU()]
                    self.layers = nn.Sequential(*layers[:-1])

                def forward(self, x):
                    return self.layers(x)
            """,
        ),
        Mistake(
            name="no_super_init",
            why="`super().__init__()` is missing; it makes the tables in which a module keeps its "
            "parameters and submodules.",
            change={"super().__init__()": "pass"},
        ),
    ),
    variants=(
        """
        class MLP(nn.Module):
            def __init__(self, sizes, *, activation="relu", device=None):
                super().__init__()
                self.layers = nn.ModuleList()
                for index in range(len(sizes) - 1):
                    self.layers.append(nn.Linear(sizes[index], sizes[index + 1], device=device))
                self.act = activation

            def forward(self, x):
                for index, layer in enumerate(self.layers):
                    if index > 0:
                        x = activate(x, self.act)
                    x = layer(x)
                return x
        """,
        """
        class MLP(nn.Module):
            def __init__(self, sizes, *, activation="relu", device=None):
                super().__init__()
                self.layers = nn.Sequential(
                    *(nn.Linear(a, b, device=device) for a, b in zip(sizes, sizes[1:]))
                )
                self.sigma = {
                    "relu": nn.ReLU(), "tanh": nn.Tanh(), "sigmoid": nn.Sigmoid()
                }.get(activation, nn.Identity())

            def forward(self, x):
                *hidden, last = self.layers
                for layer in hidden:
                    x = self.sigma(F.linear(x, layer.weight, layer.bias))
                return x @ last.weight.T + last.bias
        """,
    ),
    needs=("relu", "sigmoid"),
)


def _module(rng, *, sizes=SIZES, activation=None, lead=(B,)):
    stack = network(rng, sizes)
    state = {}
    for layer, (weight, bias) in enumerate(zip(stack["weights"], stack["biases"], strict=True)):
        state |= {f"layers.{layer}.weight": weight, f"layers.{layer}.bias": bias}
    init = {"sizes": list(sizes)} | ({"activation": activation} if activation else {})
    return Call(init=init, state=state, args={"x": rng.standard_normal((*lead, sizes[0]))})


# multiply_adds

MULTIPLY_ADDS = Exercise(
    symbol="multiply_adds",
    title="What a pass costs",
    section="mlp-cost",
    cases=(
        Case("one example", lambda rng: {"sizes": list(SIZES)}),
        Case("a batch", lambda rng: {"sizes": list(SIZES), "batch": B}, 2),
        Case("with the input's gradient", lambda rng: _count(rng, input_gradient=True), 2),
        Case("one layer", lambda rng: {"sizes": [7, 3], "batch": 5}),
        Case("another network", lambda rng: _count(rng), hidden=True),
    ),
    hint="Forward, a layer is one product. Backward it is two, one for the weights and one for its "
    "input; who needs the gradient of the first input?",
    mistakes=(
        Mistake(
            name="backward_like_forward",
            why="Backward was counted once per layer, but there are two products: one makes the "
            "gradient of the weights, the other that of the layer's input.",
            change={
                "2 * forward if input_gradient else 2 * forward - first": "forward if "
                "input_gradient else forward - first"
            },
        ),
        Mistake(
            name="weights_alone",
            why="Without `input_gradient` only the gradients of the weights were counted, but the "
            "hidden layers still hand δ down; the first layer alone is spared.",
            change={"2 * forward - first": "forward"},
        ),
        Mistake(
            name="input_gradient_always",
            why="∂L/∂x was counted although nobody asked for it; the first layer then needs only "
            "the gradient of its weights.",
            change={"2 * forward if input_gradient else 2 * forward - first": "2 * forward"},
        ),
        Mistake(
            name="batch_forgotten",
            why="The batch is missing: every example passes through every product.",
            change={"batch * d_in * d_out": "d_in * d_out"},
        ),
        Mistake(
            name="additions_apart",
            why="Multiplications and additions were counted separately; the unit here is the "
            "multiply-add, one of each (torch's FlopCounterMode counts both, so twice as many).",
            change={"batch * d_in * d_out": "2 * batch * d_in * d_out"},
        ),
        Mistake(
            name="biases_counted",
            why="The additions of the biases were counted as multiply-adds; they are d_out per "
            "example beside d_in · d_out, and by agreement left out.",
            change={"batch * d_in * d_out": "batch * (d_in + 1) * d_out"},
        ),
        Mistake(
            name="last_layer_spared",
            why="The product of the last layer was left out of the backward pass; it is the first "
            "layer whose input needs no gradient.",
            change={"products[0]": "products[-1]"},
        ),
    ),
    variants=(
        """
        def multiply_adds(sizes, *, batch=1, input_gradient=False):
            ahead = back = 0
            for layer in range(1, len(sizes)):
                product = batch * sizes[layer - 1] * sizes[layer]
                ahead += product
                back += product
                if layer > 1 or input_gradient:
                    back += product
            return ahead, back
        """,
        """
        def multiply_adds(sizes, *, batch=1, input_gradient=False):
            weights = sum(a * b for a, b in zip(sizes, sizes[1:]))
            by_input = weights if input_gradient else sum(
                a * b for a, b in zip(sizes[1:], sizes[2:])
            )
            return batch * weights, batch * (weights + by_input)
        """,
    ),
)


def _count(rng, input_gradient=False):
    sizes = rng.choice([2, 3, 5, 7, 11, 13, 17], size=5, replace=False).tolist()
    return {"sizes": sizes, "batch": 19, "input_gradient": input_gradient}


# memory_bytes

MEMORY_BYTES = Exercise(
    symbol="memory_bytes",
    title="What a step remembers",
    section="mlp-cost",
    cases=(
        Case("one example", lambda rng: {"sizes": list(SIZES)}),
        Case("a batch", lambda rng: {"sizes": list(SIZES), "batch": B}, 2),
        Case("float64", lambda rng: {"sizes": list(SIZES), "batch": B, "itemsize": 8}, 2),
        Case("one layer", lambda rng: {"sizes": [7, 3], "batch": 5}),
        Case("bfloat16, a large batch", lambda rng: _bytes(rng), hidden=True),
    ),
    hint="A layer has (d_{l−1} + 1) d_l parameters, whatever the batch. The cache has one row per "
    "example and everything that some layer was given.",
    mistakes=(
        Mistake(
            name="biases_forgotten",
            why="The weights were counted without the biases, one for each output of a layer.",
            change={"(d_in + 1) * d_out": "d_in * d_out"},
        ),
        Mistake(
            name="scores_kept",
            why="The scores were counted among the kept outputs; the cache holds what layers were "
            "given, o_0 to o_{N−1}.",
            change={"sum(sizes[:-1])": "sum(sizes)"},
        ),
        Mistake(
            name="input_not_kept",
            why="o_0 = x is missing: the first layer needs it for the gradient of its weights.",
            change={"sum(sizes[:-1])": "sum(sizes[1:-1])"},
        ),
        Mistake(
            name="what_layers_put_out",
            why="What the layers put out was counted, the scores among it and x not; the cache "
            "holds what they were *given*, o_0 to o_{N−1}.",
            change={"sum(sizes[:-1])": "sum(sizes[1:])"},
        ),
        Mistake(
            name="both_sides_of_the_activation",
            why="Both a_l and o_l were counted for the hidden layers; the slope of the activation "
            "follows from o_l alone, so `forward` keeps no a_l.",
            change={"sum(sizes[:-1])": "(sum(sizes[:-1]) + sum(sizes[1:-1]))"},
        ),
        Mistake(
            name="cache_without_batch",
            why="The outputs were counted for one example; each of the B examples has its own.",
            change={"itemsize * batch * sum": "itemsize * sum"},
        ),
        Mistake(
            name="gradients_per_example",
            why="The gradients were multiplied by the batch; they are summed over it, one number "
            "per parameter.",
            change={'"gradients": parameters': '"gradients": batch * parameters'},
        ),
        Mistake(
            name="numbers_for_bytes",
            why="The parameters were counted in numbers; each takes `itemsize` bytes.",
            change={"parameters = itemsize * sum": "parameters = sum"},
        ),
    ),
    variants=(
        """
        def memory_bytes(sizes, *, batch=1, itemsize=4):
            count = sum(a * b for a, b in zip(sizes, sizes[1:])) + sum(sizes[1:])
            kept = batch * sum(size for size in list(sizes)[: len(sizes) - 1])
            numbers = {"parameters": count, "gradients": count, "outputs": kept}
            return {name: itemsize * number for name, number in numbers.items()}
        """,
        """
        def memory_bytes(sizes, *, batch=1, itemsize=4):
            layers = [torch.nn.Linear(a, b, device="meta") for a, b in zip(sizes, sizes[1:])]
            held = itemsize * sum(p.numel() for layer in layers for p in layer.parameters())
            outputs = [itemsize * batch * layer.in_features for layer in layers]
            return {"parameters": held, "gradients": held, "outputs": sum(outputs)}
        """,
    ),
)


def _bytes(rng):
    return {"sizes": _count(rng)["sizes"], "batch": 1009, "itemsize": 2}


EXERCISES = (
    RELU,
    COLLAPSE,
    SIGMOID,
    SOFTMAX_JACOBIAN,
    LINEAR_BACKWARD,
    ACTIVATION_BACKWARD,
    FORWARD,
    BACKWARD,
    NUMERICAL_GRADIENT,
    TRAIN_STEP,
    TOPOLOGICAL_ORDER,
    REVERSE_MODE,
    MULTIPLY_ADDS,
    MEMORY_BYTES,
    MLP,
)
