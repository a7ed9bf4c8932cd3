"""Exercises on linear models: scores, losses, the closed form, the loop, and honest tuning."""

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

B, C, D = 11, 5, 7


def scores_and_labels(rng, *, count=B, classes=C, scale=1.0):
    """Scores (count, classes), and a right class for each."""
    return {
        "input": scale * rng.standard_normal((count, classes)),
        "target": rng.integers(classes, size=count),
    }


def predictions(rng, *shape, scale=1.0):
    return {
        "input": scale * rng.standard_normal(shape),
        "target": scale * rng.standard_normal(shape),
    }


# linear

LINEAR = Exercise(
    symbol="linear",
    title="The scores of a linear model",
    section="one-family",
    cases=(
        Case("a batch", lambda rng: _layer(rng, B), 2, grad=("input", "weight", "bias")),
        Case("a single input", lambda rng: _layer(rng)),
        Case("two leading axes", lambda rng: _layer(rng, 2, 3), grad=("input", "bias")),
        Case("no bias", lambda rng: {**_layer(rng, B), "bias": None}, grad=("input", "weight")),
        Case("as many outputs as features", lambda rng: _layer(rng, B, outputs=D)),
        Case("huge and tiny inputs", lambda rng: _layer(rng, B, scale=1e8), hidden=True),
        Case("one output", lambda rng: _layer(rng, 3, outputs=1), hidden=True),
    ),
    hint="Each row of `weight` is one output's weights: a matrix product with its transpose "
    "leaves the leading axes of `input` alone.",
    mistakes=(
        Mistake(
            name="weight_not_transposed",
            why="`weight` has one row per output, (C, D), so inputs (B, D) meet its transpose; "
            "with as many outputs as features the wrong product has the right shape and no error "
            "warns you.",
            change={"weight.T": "weight"},
        ),
        Mistake(
            name="bias_forgotten",
            why="The bias is never added; all scores are then 0 for an input of zeros, whatever "
            "was learned.",
            change={"scores if bias is None else scores + bias": "scores"},
        ),
        Mistake(
            name="bias_as_truth_value",
            why="`if bias:` asks whether a tensor of several numbers is true, which has no answer "
            "(and would drop a single bias of 0); ask `bias is None`.",
            change={
                "scores if bias is None else scores + bias": "scores + bias if bias else scores"
            },
        ),
        Mistake(
            name="leading_axes_flattened",
            why="The input was reshaped to (examples, D) and the result left like that; whoever "
            "hands in (2, 3, D) expects (2, 3, C), and one input (D,) gives (C,).",
            change={"input @": "input.reshape(-1, input.shape[-1]) @"},
        ),
        Mistake(
            name="weight_detached",
            why="`.data` (like `.detach()`) cuts the weight out of the graph: the scores are "
            "right, but no gradient reaches it, so it would never learn.",
            change={"weight.T": "weight.data.T"},
        ),
    ),
    variants=(
        """
        def linear(input, weight, bias=None):
            out = torch.einsum("...d,cd->...c", input, weight)
            if bias is not None:
                out = out + bias
            return out
        """,
        """
        def linear(input, weight, bias=None):
            scores = (input.unsqueeze(-2) * weight).sum(dim=-1)
            return scores + (0 if bias is None else bias)
        """,
    ),
    forbidden=("F.linear", "nn.Linear", "F.bilinear"),
)


def _layer(rng, *lead, outputs=C, scale=1.0):
    spread = np.where(rng.random((*lead, D)) < 0.5, scale, 1 / scale)
    return {
        "input": spread * rng.standard_normal((*lead, D)),
        "weight": rng.standard_normal((outputs, D)),
        "bias": rng.standard_normal(outputs),
    }


# squared_loss

SQUARED_LOSS = Exercise(
    symbol="squared_loss",
    title="Squared loss",
    section="linear-regression",
    cases=(
        Case("several outputs", lambda rng: predictions(rng, B, C), 2, grad=("input", "target")),
        Case("one number per example", lambda rng: predictions(rng, B), grad=("input",)),
        Case("far off", lambda rng: predictions(rng, B, C, scale=1e4), grad=("input",)),
        Case("a single example", lambda rng: predictions(rng, 1, C), grad=("input",), hidden=True),
        Case("almost right", lambda rng: predictions(rng, B, C, scale=1e-5), hidden=True),
    ),
    hint="Sum all the squares, then divide by the number of examples: `len(input)`.",
    mistakes=(
        Mistake(
            name="mean_over_outputs",
            why="`.mean()` also divides by the number of outputs; every gradient is then C times "
            "smaller, and a penalty on the weights counts C times more.",
            change={".sum() / len(input)": ".mean()"},
        ),
        Mistake(
            name="sum_over_examples",
            why="The loss is summed over the examples instead of averaged, so twice the data "
            "would need half the learning rate.",
            change={".sum() / len(input)": ".sum()"},
        ),
        Mistake(
            name="last_axis_summed",
            why="Summing over the last axis adds up the outputs of (B, C), but of (B,) it adds up "
            "the examples.",
            change={".sum() / len(input)": ".sum(dim=-1).mean()"},
        ),
        Mistake(
            name="root_taken",
            why="A root turns the squared distance into the distance, which has another minimum: "
            "squares are smallest at the mean, distances at the median.",
            change={".square().sum()": ".square().reshape(len(input), -1).sum(dim=1).sqrt().sum()"},
        ),
        Mistake(
            name="half",
            why="A factor ½ makes the gradient tidier and is common in textbooks, but it is not "
            "in the formula here: the loss and its gradient come out half as large.",
            change={".sum() / len(input)": ".sum() / (2 * len(input))"},
        ),
    ),
    variants=(
        """
        def squared_loss(input, target):
            error = (target - input).reshape(len(target), -1)
            return (error**2).sum(dim=1).mean()
        """,
        """
        def squared_loss(input, target):
            error = (input - target).flatten()
            return torch.dot(error, error) / input.shape[0]
        """,
    ),
    forbidden=("F.mse_loss", "nn.MSELoss"),
)


# normal_equations

NORMAL_EQUATIONS = Exercise(
    symbol="normal_equations",
    title="Linear regression in closed form",
    section="linear-regression",
    cases=(
        Case("no penalty", lambda rng: _regression(rng), 2),
        Case("with a penalty", lambda rng: _regression(rng, l2=0.3), 2),
        Case("features far from zero", lambda rng: _regression(rng, l2=0.03, offset=10.0)),
        Case("more features than examples", lambda rng: _regression(rng, count=5, l2=0.1)),
        Case("one output", lambda rng: _regression(rng, outputs=1, l2=0.01), hidden=True),
        Case("a constant feature", lambda rng: _constant_feature(rng), hidden=True),
    ),
    hint="Center features and target first; then the bias is what brings the plane back to the "
    "means. `torch.linalg.solve(A, b)` solves A x = b for all columns of b at once.",
    mistakes=(
        Mistake(
            name="bias_penalized",
            why="A column of ones makes the bias one more weight, and then the penalty pulls it "
            "to 0 as well; the prediction would change if all targets were shifted by a constant.",
            source="""
            def normal_equations(features, target, *, l2=0.0):
                ones = features.new_ones(len(features), 1)
                x = torch.cat([features, ones], dim=1)
                penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
                solution = torch.linalg.solve(x.T @ x + penalty, x.T @ target)
                return solution[:-1].T, solution[-1]
            """,
        ),
        Mistake(
            name="no_bias",
            why="Solved for a plane through the origin: without a bias (or centering) the weights "
            "also have to explain the mean of the target.",
            source="""
            def normal_equations(features, target, *, l2=0.0):
                x = features
                penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
                weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
                return weight, features.new_zeros(target.shape[1])
            """,
        ),
        Mistake(
            name="features_not_centered",
            why="The bias b = ȳ − W x̄ is right, but W came from the features as they are; with b "
            "inserted, only their distances to the mean x̄ are left in the equations.",
            change={"x = features - center": "x = features"},
        ),
        Mistake(
            name="penalty_not_times_examples",
            why="The loss is a mean over B examples; multiplying the equations by B, so that XᵀX "
            "stands alone, multiplies λ by B as well.",
            change={"len(x) * l2": "l2"},
        ),
        Mistake(
            name="penalty_halved",
            why="λ Σ W² has the derivative 2 λ W, and the 2 cancels against that of the squared "
            "loss; ½ λ Σ W² is another convention, with another λ.",
            change={"len(x) * l2": "len(x) * l2 / 2"},
        ),
        Mistake(
            name="bias_is_mean_of_target",
            why="b = ȳ would be right if the features had mean zero; those of the caller have "
            "mean x̄, so W x̄ has to come off.",
            change={" - weight @ center": ""},
        ),
        Mistake(
            name="one_mean_for_all_outputs",
            why="The mean of the target was taken over examples and outputs at once; each output "
            "has a mean of its own.",
            change={"target.mean(dim=0)": "target.mean()"},
        ),
        Mistake(
            name="weight_not_transposed_back",
            why="The equations are solved for Wᵀ, (D, C); the weight is (C, D).",
            change={"return weight,": "return weight.T,"},
        ),
    ),
    variants=(
        """
        def normal_equations(features, target, *, l2=0.0):
            count, size = features.shape
            x = torch.cat([features, features.new_ones(count, 1)], dim=1)
            penalty = torch.full((size + 1,), count * l2, dtype=x.dtype)
            penalty[-1] = 0.0  # the bias is free
            solution = torch.linalg.inv(x.T @ x + torch.diag(penalty)) @ (x.T @ target)
            return solution[:size].T, solution[size]
        """,
        """
        def normal_equations(features, target, *, l2=0.0):
            x = features - features.mean(dim=0)
            y = target - target.mean(dim=0)
            u, s, vh = torch.linalg.svd(x, full_matrices=False)
            kept = s > 1e-9 * s.max()
            shrunk = torch.where(kept, s / (s**2 + len(x) * l2), 0.0)
            weight = y.T @ u @ torch.diag(shrunk) @ vh
            return weight, (target - features @ weight.T).mean(dim=0)
        """,
        """
        def normal_equations(features, target, *, l2=0.0):
            count, size = features.shape
            center = features.mean(dim=0, keepdim=True)
            x = torch.cat([features - center, (count * l2) ** 0.5 * torch.eye(size).double()])
            y = torch.cat([target - target.mean(dim=0), target.new_zeros(size, target.shape[1])])
            q, r = torch.linalg.qr(x)
            weight = torch.linalg.solve_triangular(r, q.T @ y, upper=True).T
            return weight, target.mean(dim=0) - (center @ weight.T).squeeze(0)
        """,
    ),
)


def _regression(rng, *, count=23, outputs=C, l2=0.0, offset=1.0):
    features = offset + rng.standard_normal((count, D))
    truth = rng.standard_normal((D, outputs))
    noise = rng.standard_normal((count, outputs))
    target = features @ truth + 3 * rng.standard_normal(outputs) + noise
    return {"features": features, "target": target, "l2": l2}


def _constant_feature(rng):
    drawn = _regression(rng, l2=0.2)
    drawn["features"][:, 2] = 4.0
    return drawn


# train

TRAIN = Exercise(
    symbol="train",
    title="The training loop",
    section="three-steps",
    cases=(
        Case("one step", lambda rng: _loop(rng, steps=1)),
        Case("many steps", lambda rng: _loop(rng, steps=29), 2),
        Case("with a penalty", lambda rng: _loop(rng, steps=17, l2=0.2), 2),
        Case("one output", lambda rng: _loop(rng, steps=3, outputs=1, l2=0.1), hidden=True),
        Case("no step at all", lambda rng: _loop(rng, steps=0), hidden=True),
        Case("another loss", lambda rng: _yes_or_no(rng), hidden=True),
    ),
    hint="Copy the start first (`.detach().clone().requires_grad_()`). In each step compute the "
    "objective once, ask `torch.autograd.grad` for both gradients, then change both parameters "
    "under `torch.no_grad()`. `torch.zeros(steps)` would make a history in float32, whatever the "
    "weights are; `weight.new_empty(steps)` does not.",
    mistakes=(
        Mistake(
            name="gradients_pile_up",
            why="`backward()` adds to `.grad` and nothing sets it back to zero, so every step "
            "goes along the sum of all gradients so far.",
            source="""
            def train(
                features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0
            ):
                weight = weight.detach().clone().requires_grad_()
                bias = bias.detach().clone().requires_grad_()
                history = weight.new_empty(steps)
                for step in range(steps):
                    objective = LOSSES[loss](linear(features, weight, bias), target)
                    objective = objective + l2 * weight.square().sum()
                    objective.backward()
                    with torch.no_grad():
                        weight -= learning_rate * weight.grad
                        bias -= learning_rate * bias.grad
                        history[step] = objective
                return weight.detach(), bias.detach(), history
            """,
        ),
        Mistake(
            name="uphill",
            why="The gradient points uphill, and it was added; the loss grows with every step.",
            change={
                "weight -= learning_rate": "weight += learning_rate",
                "bias -= learning_rate": "bias += learning_rate",
            },
        ),
        Mistake(
            name="bias_penalized",
            why="The penalty includes the bias, which then cannot follow the mean of the target.",
            change={
                "l2 * weight.square().sum()": "l2 * (weight.square().sum() + bias.square().sum())"
            },
        ),
        Mistake(
            name="penalty_halved",
            why="The penalty is λ Σ W², with the gradient 2 λ W; adding λ W to the gradient, as "
            "`weight_decay=λ` does in `torch.optim.SGD`, is half of it.",
            change={"l2 * weight.square().sum()": "l2 / 2 * weight.square().sum()"},
        ),
        Mistake(
            name="penalty_not_squared",
            why="`weight.norm()` is the root of Σ W²; its slope has the same length for weights of "
            "any size, while that of λ Σ W² fades as they shrink.",
            change={"l2 * weight.square().sum()": "l2 * weight.norm()"},
        ),
        Mistake(
            name="penalty_averaged",
            why="The penalty is the sum of the squared weights, not their mean: with `.mean()` one "
            "λ presses less on a weight the more weights there are.",
            change={"l2 * weight.square().sum()": "l2 * weight.square().mean()"},
        ),
        Mistake(
            name="start_ignored",
            why="The loop starts from zeros instead of from the given parameters.",
            change={
                "weight.detach().clone()": "torch.zeros_like(weight)",
                "bias.detach().clone()": "torch.zeros_like(bias)",
            },
        ),
        Mistake(
            name="start_overwritten",
            why="`.detach()` shares memory with the caller's tensors, so the in-place updates "
            "change them too: a second run would not start where the first one did. `.clone()` "
            "makes the copy.",
            change={
                "weight.detach().clone()": "weight.detach()",
                "bias.detach().clone()": "bias.detach()",
            },
        ),
        Mistake(
            name="one_after_the_other",
            why="The weight is moved before the bias's gradient is taken, so the two gradients "
            "belong to different models; take both, then move both.",
            source="""
            def train(
                features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0
            ):
                weight = weight.detach().clone().requires_grad_()
                bias = bias.detach().clone().requires_grad_()
                history = weight.new_empty(steps)
                for step in range(steps):
                    for parameter in (weight, bias):
                        objective = LOSSES[loss](linear(features, weight, bias), target)
                        objective = objective + l2 * weight.square().sum()
                        if parameter is weight:
                            history[step] = objective.detach()
                        (slope,) = torch.autograd.grad(objective, parameter)
                        with torch.no_grad():
                            parameter -= learning_rate * slope
                return weight.detach(), bias.detach(), history
            """,
        ),
        Mistake(
            name="penalty_not_recorded",
            why="The history holds the loss alone; gradient descent lowers loss plus penalty, and "
            "only that sum has to fall.",
            source="""
            def train(
                features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0
            ):
                weight = weight.detach().clone().requires_grad_()
                bias = bias.detach().clone().requires_grad_()
                history = weight.new_empty(steps)
                for step in range(steps):
                    value = LOSSES[loss](linear(features, weight, bias), target)
                    penalty = l2 * weight.square().sum()
                    slope, bias_slope = torch.autograd.grad(value + penalty, (weight, bias))
                    with torch.no_grad():
                        weight -= learning_rate * slope
                        bias -= learning_rate * bias_slope
                        history[step] = value
                return weight.detach(), bias.detach(), history
            """,
        ),
        Mistake(
            name="recorded_after_the_step",
            why="The objective was computed anew after the update, so the history lacks where the "
            "run began; the value that gave the gradient is the one to keep.",
            change={
                "history[step] = objective": "after = LOSSES[loss](linear(features, weight, bias), "
                "target); history[step] = after + l2 * weight.square().sum()"
            },
        ),
    ),
    variants=(
        """
        def train(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
            weight = weight.detach().clone().requires_grad_()
            bias = bias.detach().clone().requires_grad_()
            optimizer = torch.optim.SGD([weight, bias], lr=learning_rate)
            history = []
            for _ in range(steps):
                optimizer.zero_grad()
                scores = linear(features, weight, bias)
                objective = LOSSES[loss](scores, target) + l2 * (weight**2).sum()
                objective.backward()
                optimizer.step()
                history.append(objective.item())
            history = torch.tensor(history, dtype=features.dtype)
            return weight.detach(), bias.detach(), history
        """,
        """
        def train(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
            def value(weight, bias):
                return LOSSES[loss](linear(features, weight, bias), target)

            both = torch.func.grad_and_value(value, argnums=(0, 1))
            history = torch.zeros(steps, dtype=weight.dtype)
            for step in range(steps):
                (slope, bias_slope), loss_now = both(weight, bias)
                history[step] = loss_now + l2 * weight.norm() ** 2
                weight = weight - learning_rate * (slope + 2 * l2 * weight)
                bias = bias - learning_rate * bias_slope
            return weight.clone(), bias.clone(), history
        """,
    ),
    equivalent={
        "weight = (weight).clone().requires_grad_()": "the cases start from plain tensors; only "
        "where the start itself is being trained would its graph have to be cut",
        "bias = (bias).clone().requires_grad_()": "as for the weight",
    },
    needs=("linear", "squared_loss", "logistic_loss"),
)


def _loop(rng, *, steps, outputs=C, l2=0.0):
    return {
        "features": rng.standard_normal((B, D)),
        "target": rng.standard_normal((B, outputs)) + 2.0,
        "weight": rng.standard_normal((outputs, D)),
        "bias": rng.standard_normal(outputs),
        "loss": "squared",
        "learning_rate": 0.05,
        "steps": steps,
        "l2": l2,
    }


def _yes_or_no(rng):
    drawn = _loop(rng, steps=7, l2=0.1)
    return {**drawn, "target": (drawn["target"] > 2.0).astype(float), "loss": "logistic"}


# logistic_loss

LOGISTIC_LOSS = Exercise(
    symbol="logistic_loss",
    title="Logistic loss",
    section="logistic-regression",
    cases=(
        Case("one question per example", lambda rng: _answers(rng, B), grad=("input",)),
        Case("several questions", lambda rng: _answers(rng, B, C), 2, grad=("input",)),
        Case("sure, and often wrong", lambda rng: _answers(rng, B, scale=1e4), 2, grad=("input",)),
        Case("scores of zero", lambda rng: _answers(rng, B, C, scale=0.0), grad=("input",)),
        Case("answers that are probabilities", lambda rng: _soft_answers(rng), hidden=True),
        Case("tiny scores", lambda rng: _answers(rng, B, scale=1e-6), grad=("input",), hidden=True),
    ),
    hint="ln(1 + eᶻ) is ln(e⁰ + eᶻ): `torch.logaddexp` adds two exponentials without leaving the "
    "logarithm.",
    mistakes=(
        Mistake(
            name="exponential_overflows",
            why="eᶻ is infinite from z ≈ 710 on (in float32 from 89), and then so is the loss; "
            "pull the larger of 0 and z out of the logarithm first.",
            change={
                "torch.logaddexp(input, torch.zeros_like(input))": "torch.log(1 + torch.exp(input))"
            },
        ),
        Mistake(
            name="log_of_a_rounded_probability",
            why="σ(z) is rounded to exactly 0 or 1 for large scores, and the logarithm of 0 is "
            "−∞: a logarithm of a probability has to be computed from the score.",
            source="""
            def logistic_loss(input, target):
                p = torch.sigmoid(input)
                return -(target * p.log() + (1 - target) * (1 - p).log()).sum() / len(input)
            """,
        ),
        Mistake(
            name="probability_clamped",
            why="Clamping σ(z) away from 0 and 1 hides the overflow, but it caps the loss and "
            "sets its gradient to zero just where the model is most wrong.",
            source="""
            def logistic_loss(input, target):
                p = torch.sigmoid(input).clamp(1e-7, 1 - 1e-7)
                return -(target * p.log() + (1 - target) * (1 - p).log()).sum() / len(input)
            """,
        ),
        Mistake(
            name="labels_of_plus_and_minus_one",
            why="ln(1 + exp(−y z)) is the same loss for labels −1 and +1; with 0 for no, every no "
            "costs ln 2, whatever the score.",
            source="""
            def logistic_loss(input, target):
                return torch.logaddexp(-target * input, torch.zeros_like(input)).sum() / len(input)
            """,
        ),
        Mistake(
            name="yes_and_no_swapped",
            why="This is the loss of the opposite answers: ln(1 + eᶻ) is what a no costs, and a "
            "yes costs z less.",
            change={"target * input": "(1 - target) * input"},
        ),
        Mistake(
            name="mean_over_outputs",
            why="Averaged over the questions as well; within an example the losses add up.",
            change={").sum() / len(input)": ").mean()"},
        ),
        Mistake(
            name="sum_over_examples",
            why="Summed over the examples as well; the loss is their mean, or twice the data would "
            "need half the learning rate.",
            change={").sum() / len(input)": ").sum()"},
        ),
        Mistake(
            name="slope_wrong_at_zero",
            why="max(z, 0) + ln(1 + exp(−|z|)) has the right value, but at z = 0 autograd takes "
            "slopes of max and |z| that do not belong together: it finds 1 or 0 where σ(0) = ½ is "
            "due, and a model that starts from zeros begins there.",
            change={
                "torch.logaddexp(input, torch.zeros_like(input))": "input.clamp(min=0) + "
                "torch.log1p(torch.exp(-input.abs()))"
            },
        ),
    ),
    variants=(
        """
        def logistic_loss(input, target):
            from torch.nn.functional import logsigmoid

            loss = -target * logsigmoid(input) - (1 - target) * logsigmoid(-input)
            return loss.reshape(len(input), -1).sum(dim=1).mean()
        """,
        """
        def logistic_loss(input, target):
            pair = torch.stack([torch.zeros_like(input), input])
            top = pair.max(dim=0).values.detach()
            softplus = top + (pair - top).exp().sum(dim=0).log()
            return torch.sum(softplus - input * target) / input.shape[0]
        """,
    ),
    forbidden=(
        "F.binary_cross_entropy_with_logits",
        "F.binary_cross_entropy",
        "F.soft_margin_loss",
        "nn.BCEWithLogitsLoss",
        "nn.BCELoss",
    ),
)


def _answers(rng, *shape, scale=1.0):
    target = (rng.random(shape) < 0.5).astype(float)
    target[:2] = np.arange(2.0).reshape(2, *(1,) * (len(shape) - 1))  # a no and a yes, surely
    scores = rng.standard_normal(shape)
    if scale > 1:  # no yes or no by a hair
        scores += np.sign(scores)
    return {"input": scale * scores, "target": target}


def _soft_answers(rng):
    return {"input": rng.standard_normal((B, C)), "target": rng.random((B, C))}


# log_sum_exp

LOG_SUM_EXP = Exercise(
    symbol="log_sum_exp",
    title="Log-sum-exp",
    section="log-sum-exp",
    cases=(
        Case(
            "rows of a matrix", lambda rng: {"input": rng.standard_normal((B, C))}, grad=("input",)
        ),
        Case("numbers around a thousand", lambda rng: _level(rng, 1000.0), grad=("input",)),
        Case("numbers around minus a thousand", lambda rng: _level(rng, -1000.0), grad=("input",)),
        Case("rows far apart", lambda rng: _rows_apart(rng), grad=("input",)),
        Case("the middle one of three axes", lambda rng: _middle(rng), grad=("input",)),
        Case("minus infinity", lambda rng: _infinite(rng)),
        Case("one number alone", lambda rng: {"input": rng.standard_normal(1)}, hidden=True),
        Case("a vector", lambda rng: {"input": 1e4 * rng.standard_normal(C)}, hidden=True),
    ),
    hint="Subtract the largest number of each row before `exp` and add it back after `log`. What "
    "is −∞ minus −∞?",
    mistakes=(
        Mistake(
            name="no_shift",
            why="exp(1000) is infinite and exp(−1000) is 0, so the logarithm gives ±∞; the "
            "largest number has to come off first.",
            source="""
            def log_sum_exp(input, dim=-1):
                return input.exp().sum(dim=dim).log()
            """,
        ),
        Mistake(
            name="one_shift_for_all_rows",
            why="The largest number of the whole tensor was taken off everywhere; a row far below "
            "it underflows to log 0 = −∞. Each row needs its own maximum.",
            source="""
            def log_sum_exp(input, dim=-1):
                shift = input.max()
                return (input - shift).exp().sum(dim=dim).log() + shift
            """,
        ),
        Mistake(
            name="shift_not_added_back",
            why="What was taken off inside the exponential has to be added outside the logarithm.",
            change={" + shift.squeeze(dim)": ""},
        ),
        Mistake(
            name="shift_by_absolute_value",
            why="The largest absolute value was taken off; among very negative numbers that "
            "pushes them further down, and they underflow. It is the largest number that must "
            "become 0.",
            change={"input.amax(": "input.abs().amax("},
        ),
        Mistake(
            name="axis_ignored",
            why="The sum always runs along the last axis, whatever `dim` says.",
            change={
                "amax(dim=dim, keepdim=True)": "amax(dim=-1, keepdim=True)",
                "sum(dim=dim)": "sum(dim=-1)",
                "squeeze(dim)": "squeeze(-1)",
            },
        ),
        Mistake(
            name="infinity_minus_infinity",
            why="Where a whole row is −∞ its maximum is too, and −∞ − (−∞) is not a number; shift "
            "such a row by 0 instead. Masked attention produces these rows.",
            change={"largest.masked_fill(largest == -math.inf, 0.0)": "largest"},
        ),
        Mistake(
            name="axis_kept",
            why="The summed axis is still there with size 1; subtracted from a vector later it "
            "would broadcast.",
            source="""
            def log_sum_exp(input, dim=-1):
                largest = input.amax(dim=dim, keepdim=True)
                shift = torch.where(largest == -math.inf, 0.0, largest)
                return (input - shift).exp().sum(dim=dim, keepdim=True).log() + shift
            """,
        ),
    ),
    variants=(
        """
        def log_sum_exp(input, dim=-1):
            total, *rest = input.unbind(dim)
            for part in rest:
                total = torch.logaddexp(total, part)
            return total
        """,
        """
        def log_sum_exp(input, dim=-1):
            top = input.detach().max(dim=dim).values
            top = torch.nan_to_num(top, neginf=0.0)
            return top + torch.log(torch.exp(input - top.unsqueeze(dim)).sum(dim))
        """,
    ),
    forbidden=(
        "torch.logsumexp",
        "Tensor.logsumexp",
        "torch.special.logsumexp",
        "F.log_softmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
        "F.cross_entropy",
        "nn.LogSoftmax",
    ),
    equivalent={
        "shift = largest.masked_fill(largest == -math.inf, 1.0)": "any finite shift will do for "
        "a row of −∞",
    },
)


def _level(rng, level):
    return {"input": level + rng.standard_normal((B, C)), "dim": 1}


def _rows_apart(rng):
    return {"input": 2000.0 * np.arange(-2, 3)[:, None] + rng.standard_normal((5, 7)), "dim": 1}


def _middle(rng):
    return {"input": 10 * rng.standard_normal((3, 5, 7)), "dim": 1}


def _infinite(rng):
    values = rng.standard_normal((5, 7))
    values[1, :3] = -np.inf
    values[3] = -np.inf
    return {"input": values, "dim": -1}


# softmax

SOFTMAX = Exercise(
    symbol="softmax",
    title="Softmax that does not overflow",
    section="log-sum-exp",
    cases=(
        Case("a batch", lambda rng: {"input": rng.standard_normal((B, C))}, grad=("input",)),
        Case("numbers around a thousand", lambda rng: _level(rng, 1000.0), grad=("input",)),
        Case("rows far apart", lambda rng: _rows_apart(rng), grad=("input",)),
        Case("the middle one of three axes", lambda rng: _middle(rng), grad=("input",)),
        Case("a masked number", lambda rng: _masked(rng), hidden=True),
        Case("a vector", lambda rng: {"input": rng.standard_normal(7)}, hidden=True),
    ),
    hint="The logarithm of a probability is the score minus the log-sum-exp of all scores; give "
    "the summed axis back its place with `unsqueeze`.",
    mistakes=(
        Mistake(
            name="exponential_overflows",
            why="exp(1000) is infinite, and ∞/∞ is not a number; a softmax does not change when "
            "the largest score is subtracted from all, and then no exponential exceeds 1.",
            source="""
            def softmax(input, dim=-1):
                powers = input.exp()
                return powers / powers.sum(dim=dim, keepdim=True)
            """,
        ),
        Mistake(
            name="one_shift_for_all_rows",
            why="The largest number of the whole tensor was subtracted; a row far below it "
            "underflows to 0/0. Each row needs its own maximum.",
            source="""
            def softmax(input, dim=-1):
                powers = (input - input.max()).exp()
                return powers / powers.sum(dim=dim, keepdim=True)
            """,
        ),
        Mistake(
            name="sums_to_one_over_everything",
            why="The sum ran over all numbers, so the whole batch shares a probability of 1; each "
            "row should have its own.",
            source="""
            def softmax(input, dim=-1):
                powers = (input - input.amax(dim=dim, keepdim=True)).exp()
                return powers / powers.sum()
            """,
        ),
        Mistake(
            name="axis_ignored",
            why="The probabilities sum to 1 along the last axis, whatever `dim` says.",
            change={"log_sum_exp(input, dim).unsqueeze(dim)": "log_sum_exp(input).unsqueeze(-1)"},
        ),
        Mistake(
            name="logarithm_returned",
            why="These are the logarithms of the probabilities; one `exp` is missing.",
            change={").exp()": ")"},
        ),
        Mistake(
            name="divided_by_the_largest",
            why="Divided by the largest exponential instead of their sum: the best score gets 1, "
            "and the row sums to more.",
            source="""
            def softmax(input, dim=-1):
                return (input - input.amax(dim=dim, keepdim=True)).exp()
            """,
        ),
    ),
    variants=(
        """
        def softmax(input, dim=-1):
            powers = torch.exp(input - input.detach().amax(dim=dim, keepdim=True))
            return powers / powers.sum(dim=dim, keepdim=True)
        """,
        """
        def softmax(input, dim=-1):
            rows = input.movedim(dim, -1)
            rows = rows - rows.max(dim=-1, keepdim=True).values
            total = torch.logsumexp(rows, dim=-1, keepdim=True)
            return torch.exp(rows - total).movedim(-1, dim)
        """,
    ),
    forbidden=(
        "torch.softmax",
        "F.softmax",
        "Tensor.softmax",
        "torch.special.softmax",
        "F.log_softmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
        "nn.Softmax",
        "nn.LogSoftmax",
    ),
    needs=("log_sum_exp",),
)


def _masked(rng):
    values = rng.standard_normal((5, 7))
    values[1, :3] = -np.inf
    return {"input": values, "dim": -1}


# cross_entropy

CROSS_ENTROPY = Exercise(
    symbol="cross_entropy",
    title="Cross-entropy from scores",
    section="cross-entropy",
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng), 2, grad=("input",)),
        Case("huge scores", lambda rng: scores_and_labels(rng, scale=1e4), grad=("input",)),
        Case("as many examples as classes", lambda rng: scores_and_labels(rng, count=C)),
        Case("two classes", lambda rng: scores_and_labels(rng, classes=2), grad=("input",)),
        Case("one example", lambda rng: scores_and_labels(rng, count=1), hidden=True),
        Case(
            "tiny scores",
            lambda rng: scores_and_labels(rng, scale=1e-6),
            grad=("input",),
            hidden=True,
        ),
    ),
    hint="Per example: the log-sum-exp of its scores minus the score of the right class. `gather` "
    "picks one score per row.",
    mistakes=(
        Mistake(
            name="softmax_twice",
            why="The softmax was applied before a loss that contains one: probabilities between 0 "
            "and 1 are treated as scores, so the model can never be sure and the gradient fades.",
            change={
                "right = input.gather": "input = torch.softmax(input, dim=1); right = input.gather"
            },
        ),
        Mistake(
            name="sum_over_examples",
            why="The losses are summed over the batch instead of averaged, so the right learning "
            "rate depends on the batch size.",
            change={".mean()": ".sum()"},
        ),
        Mistake(
            name="sign_missing",
            why="This is the mean of ln p_y, the logarithm of a probability and never above 0; the "
            "loss is its negative, or the step downhill would make the right class less probable.",
            change={"(log_sum_exp(input) - right)": "(right - log_sum_exp(input))"},
        ),
        Mistake(
            name="mean_over_classes",
            why="The one-hot target has C entries per example, C − 1 of them zero; a mean over "
            "all entries divides by C once too often.",
            change={".mean()": ".mean() / input.shape[1]"},
        ),
        Mistake(
            name="gathered_by_column",
            why="`input[target, arange]` reads row `target` of each column; the example is the "
            "row and the class the column. With as many examples as classes no error tells you.",
            change={
                "input.gather(1, target[:, None]).squeeze(1)": "input[target, "
                "torch.arange(len(target))]"
            },
        ),
        Mistake(
            name="log_of_a_rounded_probability",
            why="The softmax was computed first and its logarithm after: where a probability is "
            "rounded to 0 the loss is infinite. The logarithm of the softmax needs no softmax.",
            source="""
            def cross_entropy(input, target):
                p = torch.softmax(input, dim=1)
                return -p[torch.arange(len(target)), target].log().mean()
            """,
        ),
        Mistake(
            name="bits",
            why="A logarithm to base 2 measures in bits; losses here are in nats, and their "
            "gradient is p − y without a factor.",
            change={").mean()": ").mean() / math.log(2)"},
        ),
        Mistake(
            name="log_of_the_mean",
            why="The probabilities were averaged before the logarithm. Independent examples "
            "multiply their probabilities, so it is the logarithms that are averaged.",
            source="""
            def cross_entropy(input, target):
                logs = input.gather(1, target[:, None]).squeeze(1) - log_sum_exp(input)
                return math.log(len(target)) - log_sum_exp(logs)
            """,
        ),
    ),
    variants=(
        """
        def cross_entropy(input, target):
            shifted = input - input.max(dim=1, keepdim=True).values
            logs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
            return -logs[torch.arange(len(target)), target].mean()
        """,
        """
        def cross_entropy(input, target):
            chosen = torch.nn.functional.one_hot(target, input.shape[1]).bool()
            right = input.masked_select(chosen)
            return torch.stack(
                [log_sum_exp(row - score) for row, score in zip(input, right)]
            ).mean()
        """,
    ),
    forbidden=(
        "F.cross_entropy",
        "nn.CrossEntropyLoss",
        "F.nll_loss",
        "nn.NLLLoss",
        "F.log_softmax",
        "nn.LogSoftmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
    ),
    equivalent={
        "right = (input.gather(1, target[:, None]))": (
            "the difference is then broadcast to all pairs of examples, whose mean is the same: "
            "the mean of a difference is the difference of the means"
        ),
    },
    needs=("log_sum_exp",),
)


# cross_entropy_gradient

CROSS_ENTROPY_GRADIENT = Exercise(
    symbol="cross_entropy_gradient",
    title="The gradient of the cross-entropy, by hand",
    section="cross-entropy",
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng), 2),
        Case("huge scores", lambda rng: scores_and_labels(rng, scale=1e3)),
        Case("as many examples as classes", lambda rng: scores_and_labels(rng, count=C)),
        Case("one example", lambda rng: scores_and_labels(rng, count=1), hidden=True),
        Case("two classes", lambda rng: scores_and_labels(rng, classes=2), hidden=True),
    ),
    hint="The loss is a mean over examples: what does that do to the gradient of one example?",
    mistakes=(
        Mistake(
            name="not_divided_by_examples",
            why="p − y is the gradient of one example's loss; the loss is a mean over B examples, "
            "so each gets 1/B of it.",
            change={" / len(input)": ""},
        ),
        Mistake(
            name="truth_minus_prediction",
            why="The sign is reversed: the score of the right class has to have a negative "
            "gradient, so that a step downhill raises it.",
            change={"softmax(input) - one_hot": "one_hot - softmax(input)"},
        ),
        Mistake(
            name="softmax_forgotten",
            why="z − y is the gradient of the squared loss (but for a factor 2); here "
            "probabilities are compared with the truth.",
            change={"softmax(input) - one_hot": "input - one_hot"},
        ),
        Mistake(
            name="softmax_over_examples",
            why="The softmax ran down the columns, so that the examples compete with each other; "
            "the classes of one example must sum to 1.",
            change={"softmax(input)": "softmax(input, 0)"},
        ),
        Mistake(
            name="divided_by_all_entries",
            why="Divided by B·C; the mean is over the B examples alone.",
            change={"len(input)": "input.numel()"},
        ),
        Mistake(
            name="scores_overwritten",
            why="`p = input` makes no copy, so subtracting 1 in place changes the caller's "
            "scores; the result is right only once.",
            source="""
            def cross_entropy_gradient(input, target):
                p = input
                p -= log_sum_exp(input)[:, None]
                p.exp_()
                p[torch.arange(len(target)), target] -= 1
                return p / len(target)
            """,
        ),
    ),
    variants=(
        """
        def cross_entropy_gradient(input, target):
            p = torch.exp(input - input.max(dim=1, keepdim=True).values)
            p = p / p.sum(dim=1, keepdim=True)
            p[torch.arange(len(target)), target] -= 1
            return p.div(len(target))
        """,
        """
        def cross_entropy_gradient(input, target):
            y = torch.zeros_like(input).scatter(1, target.unsqueeze(1), 1.0)
            p = 1 / torch.exp(input[:, None, :] - input[:, :, None]).sum(dim=2)
            return (p - y) / input.shape[0]
        """,
    ),
    forbidden=(
        "torch.autograd.grad",
        "Tensor.backward",
        "torch.autograd.backward",
        "torch.func.grad",
    ),
    needs=("softmax", "log_sum_exp"),
)


# hinge_loss

HINGE_LOSS = Exercise(
    symbol="hinge_loss",
    title="Hinge loss for several classes",
    section="support-vector-machine",
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng, scale=2.0), 2, grad=("input",)),
        Case(
            "a wider margin", lambda rng: {**scores_and_labels(rng), "margin": 2.5}, grad=("input",)
        ),
        Case("some right by far", lambda rng: _leads(rng), 2, grad=("input",)),
        Case(
            "two classes",
            lambda rng: scores_and_labels(rng, classes=2),
            grad=("input",),
            hidden=True,
        ),
        Case(
            "huge scores",
            lambda rng: scores_and_labels(rng, scale=1e4),
            grad=("input",),
            hidden=True,
        ),
        Case("all right by far", lambda rng: _leads(rng, least=3.0), grad=("input",), hidden=True),
    ),
    hint="Add the margin to every wrong class and to no other, take the largest of all classes, "
    "and subtract the right one: the right class itself is what keeps the result from falling "
    "below 0.",
    mistakes=(
        Mistake(
            name="no_margin",
            why="Without a margin this is the perceptron's loss: zero as soon as the right class "
            "is ahead by a hair, and zero for weights of zero, where it would stay.",
            change={"margin * wrong": "0 * margin"},
        ),
        Mistake(
            name="right_class_as_its_own_rival",
            why="The margin was added to the right class too, so it has to beat itself: no loss "
            "ever falls below the margin.",
            change={"margin * wrong": "margin"},
        ),
        Mistake(
            name="sum_over_rivals",
            why="Every rival within the margin was counted (Weston and Watkins' loss); here the "
            "strongest alone counts.",
            change={
                "(input + margin * wrong - right).amax(dim=1)": "((input + margin - right).relu() "
                "* wrong).sum(dim=1)"
            },
        ),
        Mistake(
            name="mean_over_rivals",
            why="The violations of all classes were averaged, as `F.multi_margin_loss` does; here "
            "the strongest rival alone counts, however many classes there are.",
            change={
                "(input + margin * wrong - right).amax(dim=1)": "((input + margin - right).relu() "
                "* wrong).mean(dim=1)"
            },
        ),
        Mistake(
            name="negative_loss",
            why="A lead larger than the margin was rewarded without end; the loss stops at 0, so "
            "that easy examples leave the weights alone.",
            change={
                "(input + margin * wrong - right).amax(dim=1)": "(input + margin - right)"
                ".masked_fill(~wrong, -math.inf).amax(dim=1)"
            },
        ),
        Mistake(
            name="squared",
            why="The violations were squared, which is another loss (the squared hinge): large "
            "errors dominate, and the slope at the margin is 0.",
            change={".amax(dim=1)": ".amax(dim=1).square()"},
        ),
        Mistake(
            name="margin_ignored",
            why="The margin is always 1, whatever the caller asks for.",
            change={"margin * wrong": "1.0 * wrong"},
        ),
    ),
    variants=(
        """
        def hinge_loss(input, target, *, margin=1.0):
            rows = torch.arange(len(target))
            rivals = input.clone()
            rivals[rows, target] = -float("inf")
            lead = input[rows, target] - rivals.max(dim=1).values
            return torch.relu(margin - lead).mean()
        """,
        """
        def hinge_loss(input, target, *, margin=1.0):
            total = 0.0
            for scores, label in zip(input, target.tolist()):
                rivals = torch.cat([scores[:label], scores[label + 1 :]])
                total = total + torch.clamp(rivals.max() - scores[label] + margin, min=0)
            return total / input.shape[0]
        """,
    ),
    forbidden=("F.multi_margin_loss", "nn.MultiMarginLoss", "F.hinge_embedding_loss"),
)


def _leads(rng, least=-1.0):
    """The right class leads by at least ``least``, and by 3 and more in every other example."""
    drawn = scores_and_labels(rng)
    scores, target = drawn["input"], drawn["target"]
    lead = np.where(np.arange(B) % 2, 3.0, least) + rng.random(B)
    rows = np.arange(B)
    scores[rows, target] = -np.inf
    scores[rows, target] = scores.max(axis=1) + lead
    return drawn


# LinearModel

LINEAR_MODEL = Exercise(
    symbol="LinearModel",
    title="A linear model as a module",
    section="as-a-module",
    cases=(
        Case("a batch", lambda rng: _model(rng, B), 2, grad=("x",)),
        Case("a single input", lambda rng: _model(rng)),
        Case("as it starts", lambda rng: _model(rng, B, state=False)),
        Case("two leading axes", lambda rng: _model(rng, 2, 3), grad=("x",), hidden=True),
        Case("one output", lambda rng: _model(rng, B, outputs=1), grad=("x",), hidden=True),
    ),
    hint="Assigning an `nn.Parameter` to an attribute registers it under that name; the names and "
    "shapes are in the docstring.",
    mistakes=(
        Mistake(
            name="plain_tensors",
            why="A tensor in an attribute is no parameter: `parameters()` does not list it, no "
            "optimizer moves it, and `state_dict()` does not save it. Wrap it in `nn.Parameter`.",
            change={
                "nn.Parameter(torch.zeros(out_features, in_features, device=device))": (
                    "torch.zeros(out_features, in_features, requires_grad=True).double()"
                ),
                "nn.Parameter(torch.zeros(out_features, device=device))": (
                    "torch.zeros(out_features, requires_grad=True).double()"
                ),
            },
        ),
        Mistake(
            name="buffers",
            why="A buffer is saved with the module but not trained: it is for numbers that belong "
            "to the model and get no gradient.",
            change={
                "self.weight = nn.Parameter(": 'self.register_buffer("weight", (',
                "self.bias = nn.Parameter(": 'self.register_buffer("bias", (',
                "in_features, device=device))": "in_features, device=device)))",
                "zeros(out_features, device=device))": "zeros(out_features, device=device)))",
            },
        ),
        Mistake(
            name="weight_in_times_out",
            why="The weight is (out_features, in_features), one row per output, as in "
            "`nn.Linear`; the other way round no saved parameters fit.",
            change={
                "torch.zeros(out_features, in_features, device=device)": "torch.zeros(in_features, "
                "out_features, device=device)",
                "self.weight, self.bias": "self.weight.T, self.bias",
            },
        ),
        Mistake(
            name="bias_as_a_row",
            why="The bias is (1, out_features): a batch of scores comes out right by broadcasting, "
            "but a single input gets an axis too many, and no saved `nn.Linear` fits.",
            change={
                "torch.zeros(out_features, device=device)": (
                    "torch.zeros(1, out_features, device=device)"
                )
            },
        ),
        Mistake(
            name="softmax_in_the_model",
            why="`forward` returns scores; the loss contains the softmax, and applying it twice "
            "flattens the gradient.",
            change={
                "return linear(x, self.weight, self.bias)": "return torch.softmax("
                "linear(x, self.weight, self.bias), dim=-1)"
            },
        ),
        Mistake(
            name="bias_not_used",
            why="The bias is there but `forward` does not add it, so it gets no gradient and "
            "stays where it began.",
            change={"self.weight, self.bias": "self.weight"},
        ),
        Mistake(
            name="random_start",
            why="The parameters start at random. Nothing is wrong with that in general, but here "
            "the start is stated: zeros, which a convex loss does not mind.",
            change={
                "torch.zeros(out_features, in_features, device": (
                    "torch.randn(out_features, in_features, device"
                )
            },
        ),
        Mistake(
            name="no_super_init",
            why="`super().__init__()` is missing; it makes the tables in which a module keeps its "
            "parameters, so nothing can be registered.",
            change={"super().__init__()": "pass"},
        ),
    ),
    variants=(
        """
        class LinearModel(nn.Module):
            def __init__(self, in_features, out_features, *, device=None):
                super().__init__()
                start = torch.zeros(out_features, in_features + 1, device=device)
                self.register_parameter("weight", nn.Parameter(start[:, 1:].clone()))
                self.register_parameter("bias", nn.Parameter(start[:, 0].clone()))

            def forward(self, x):
                return torch.einsum("ci,...i->...c", self.weight, x) + self.bias
        """,
        """
        class LinearModel(nn.Module):
            def __init__(self, in_features, out_features, *, device=None):
                super().__init__()
                self.bias = nn.Parameter(torch.empty(out_features, device=device))
                self.weight = nn.Parameter(torch.empty(out_features, in_features, device=device))
                for parameter in self.parameters():
                    nn.init.zeros_(parameter)

            def forward(self, x):
                flat = x.reshape(-1, x.shape[-1])
                scores = torch.addmm(self.bias, flat, self.weight.t())
                return scores.reshape(*x.shape[:-1], len(self.bias))
        """,
    ),
    forbidden=("nn.Linear", "F.linear"),
    needs=("linear",),
)


def _model(rng, *lead, outputs=C, state=True):
    given = {"weight": rng.standard_normal((outputs, D)), "bias": rng.standard_normal(outputs)}
    return Call(
        init={"in_features": D, "out_features": outputs},
        state=given if state else None,
        args={"x": rng.standard_normal((*lead, D))},
    )


# predict_tuned

PREDICT_TUNED = Exercise(
    symbol="predict_tuned",
    title="A hyperparameter, chosen honestly",
    section="hyperparameters",
    cases=(
        Case(
            "the best of four", lambda rng: _wrong_labels(rng, candidates=[0.0, 0.1, 0.3, 5.0]), 2
        ),
        Case("all equally good", lambda rng: _easy(rng)),
        Case(
            "held-out examples, after wrong labels",
            lambda rng: _wrong_labels(rng, candidates=[0.3, 0.1, 0.03, 0.0], new=211),
            2,
            at_least=0.88,
        ),
        Case("one candidate", lambda rng: _wrong_labels(rng, candidates=[0.1]), hidden=True),
    ),
    hint="Train one model per candidate and keep them all; `found.index(max(found))` is the first "
    "of the best.",
    mistakes=(
        Mistake(
            name="chosen_on_training_data",
            why="λ was chosen by the accuracy on the training data, which favors the smallest "
            "penalty: the model that learned the wrong labels by heart looks best there.",
            change={"linear(dev_features, *model), dev_labels": "linear(features, *model), labels"},
        ),
        Mistake(
            name="chosen_by_loss",
            why="λ was chosen by the loss on the development data; it is another judge than the "
            "`accuracy` asked for, and it can prefer a model that is wrong more often.",
            change={
                "accuracy(linear(dev_features, *model), dev_labels)": (
                    "-float(cross_entropy(linear(dev_features, *model), dev_labels))"
                )
            },
        ),
        Mistake(
            name="trained_again_on_everything",
            why="The chosen λ was used to train once more, on training and development data "
            "together. People do that before they ship, but nothing has judged that model: the "
            "one that won is to score.",
            change={
                "best = models[found.index(max(found))]": "best = train(torch.cat([features, "
                "dev_features]), torch.cat([labels, dev_labels]), "
                "weight=features.new_zeros(classes, features.shape[1]), "
                "bias=features.new_zeros(classes), loss='cross_entropy', "
                "learning_rate=learning_rate, steps=steps, "
                "l2=candidates[found.index(max(found))])[:2]"
            },
        ),
        Mistake(
            name="start_in_single_precision",
            why="`torch.zeros` makes float32, and torch refuses a product of float32 weights with "
            "float64 features; `features.new_zeros` takes dtype and device of the features.",
            change={
                "features.new_zeros(classes, features.shape[1])": (
                    "torch.zeros(classes, features.shape[1])"
                ),
                "features.new_zeros(classes)": "torch.zeros(classes)",
            },
        ),
        Mistake(
            name="last_model_kept",
            why="The new examples are scored with the model trained last instead of the best one.",
            change={"linear(new_features, *best)": "linear(new_features, *models[-1])"},
        ),
        Mistake(
            name="start_carried_over",
            why="Each candidate starts where the one before ended, so the runs are not "
            "comparable: the later ones had more steps. Start every run from zeros.",
            source="""
            def predict_tuned(
                features, labels, *, dev_features, dev_labels, new_features, classes, candidates,
                learning_rate=0.5, steps=300,
            ):
                weight = features.new_zeros(classes, features.shape[1])
                bias = features.new_zeros(classes)
                models = []
                for l2 in candidates:
                    weight, bias, _ = train(
                        features, labels, weight=weight, bias=bias, loss="cross_entropy",
                        learning_rate=learning_rate, steps=steps, l2=l2,
                    )
                    models.append((weight, bias))
                found = [accuracy(linear(dev_features, *model), dev_labels) for model in models]
                return linear(new_features, *models[found.index(max(found))])
            """,
        ),
        Mistake(
            name="later_of_equals",
            why="The last of equally good candidates was taken (≥ where > is meant does it); the "
            "docstring asks for the first, so that an equal candidate at the end changes nothing.",
            change={"found.index(max(found))": "-1 - found[::-1].index(max(found))"},
        ),
    ),
    variants=(
        """
        def predict_tuned(
            features, labels, *, dev_features, dev_labels, new_features, classes, candidates,
            learning_rate=0.5, steps=300,
        ):
            def fit(l2):
                return train(
                    features,
                    labels,
                    weight=torch.zeros(classes, features.shape[1], dtype=features.dtype),
                    bias=torch.zeros(classes, dtype=features.dtype),
                    loss="cross_entropy",
                    learning_rate=learning_rate,
                    steps=steps,
                    l2=l2,
                )[:2]

            models = [fit(l2) for l2 in candidates]
            best = max(models, key=lambda model: accuracy(linear(dev_features, *model), dev_labels))
            return linear(new_features, *best)
        """,
        """
        def predict_tuned(
            features, labels, *, dev_features, dev_labels, new_features, classes, candidates,
            learning_rate=0.5, steps=300,
        ):
            count, size = features.shape
            y = torch.nn.functional.one_hot(labels, classes).to(features.dtype)
            results = []
            for l2 in candidates:
                weight, bias = features.new_zeros(classes, size), features.new_zeros(classes)
                for _ in range(steps):
                    error = (torch.softmax(features @ weight.T + bias, dim=1) - y) / count
                    weight = weight - learning_rate * (error.T @ features + 2 * l2 * weight)
                    bias = bias - learning_rate * error.sum(dim=0)
                right = (dev_features @ weight.T + bias).argmax(dim=1) == dev_labels
                results.append((int(right.sum()), new_features @ weight.T + bias))
            counts = [right for right, _ in results]
            return results[counts.index(max(counts))][1]
        """,
    ),
    needs=("linear", "train", "cross_entropy", "log_sum_exp", "accuracy"),
)


def _blobs(rng, count, *, features, lead, wrong=0):
    """Three classes, three in five of the first; some labels are wrong."""
    fifth = count // 5
    labels = rng.permutation(np.repeat([0, 1, 2], [count - 2 * fifth, fifth, fifth]))
    points = rng.standard_normal((count, features))
    points[:, :3] += lead * np.eye(3)[labels]
    labels[:wrong] = (labels[:wrong] + rng.integers(1, 3, size=wrong)) % 3
    return points, labels


def _tuning(rng, *, candidates, sizes, wrong, lead, features, learning_rate, steps):
    (x, y), (dev_x, dev_y), (new_x, new_y) = (
        _blobs(rng, size, features=features, lead=lead, wrong=count)
        for size, count in zip(sizes, (wrong, 0, 0), strict=True)
    )
    args = {
        "features": x,
        "labels": y,
        "dev_features": dev_x,
        "dev_labels": dev_y,
        "new_features": new_x,
        "classes": 3,
        "candidates": candidates,
        "learning_rate": learning_rate,
        "steps": steps,
    }
    return Call(args=args, held_out={"labels": new_y})


def _wrong_labels(rng, *, candidates, new=7):
    """A quarter of the training labels are wrong, and there are features enough to learn them."""
    return _tuning(
        rng,
        candidates=candidates,
        sizes=(131, 101, new),
        wrong=33,
        lead=5.0,
        features=61,
        learning_rate=0.2,
        steps=60,
    )


def _easy(rng):
    """Classes so far apart that every candidate gets all of the development data right."""
    return _tuning(
        rng,
        candidates=[0.03, 0.01, 0.1],
        sizes=(31, 23, 7),
        wrong=0,
        lead=19.0,
        features=5,
        learning_rate=0.01,
        steps=50,
    )


EXERCISES = (
    LINEAR,
    SQUARED_LOSS,
    NORMAL_EQUATIONS,
    TRAIN,
    LOGISTIC_LOSS,
    LOG_SUM_EXP,
    SOFTMAX,
    CROSS_ENTROPY,
    CROSS_ENTROPY_GRADIENT,
    HINGE_LOSS,
    LINEAR_MODEL,
    PREDICT_TUNED,
)
