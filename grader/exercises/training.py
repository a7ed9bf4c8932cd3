"""Exercises on training: starting, stepping, steadying, stopping and searching."""

import numpy as np

from grader.exercise import Call, Case, Exercise, Mistake

B, C, D = 11, 5, 7

# glorot_uniform


def uniform(rng, *shape):
    return {"draws": rng.random(shape)}


def normal(rng, *shape):
    return {"draws": rng.standard_normal(shape)}


GLOROT_UNIFORM = Exercise(
    symbol="glorot_uniform",
    title="Glorot's initialization",
    section="first-weights",
    cases=(
        Case("a wide layer", lambda rng: uniform(rng, 5, 31), 2, grad=("draws",)),
        Case("a tall layer", lambda rng: uniform(rng, 29, 3)),
        Case("a convolution", lambda rng: uniform(rng, 5, 7, 3, 2)),
        Case("one output", lambda rng: uniform(rng, 1, 13)),
        Case("one input", lambda rng: uniform(rng, 11, 1), hidden=True),
    ),
    hint="Draws from [0, 1) become draws from [−1, 1) by 2u − 1; then the limit scales them. "
    "`draws[0]` holds the weights of one output, `draws[:, 0]` those of one input.",
    mistakes=(
        Mistake(
            name="limit_is_the_standard_deviation",
            why="√(2 / (fan_in + fan_out)) is the standard deviation; a uniform distribution on "
            "±a has the standard deviation a / √3, so the limit is √3 times larger.",
            change={"math.sqrt(6 / (": "math.sqrt(2 / ("},
        ),
        Mistake(
            name="not_centered",
            why="The draws from [0, 1) were scaled but not centered: all weights are positive, "
            "and every output is pushed the same way.",
            change={"(2 * draws - 1)": "draws"},
        ),
        Mistake(
            name="half_the_range",
            why="u − ½ reaches from −½ to ½; to reach from −1 to 1 it has to be doubled before "
            "the limit is applied.",
            change={"(2 * draws - 1)": "(draws - 0.5)"},
        ),
        Mistake(
            name="fan_in_alone",
            why="Only fan_in was used; Glorot's compromise averages it with fan_out, so that "
            "gradients on their way back keep their size too.",
            change={"math.sqrt(6 / (fan_in + fan_out))": "math.sqrt(6 / (2 * fan_in))"},
        ),
        Mistake(
            name="shape_for_fan",
            why="`shape[0]` and `shape[1]` are the fans of a linear layer alone: in a convolution "
            "each channel is read through a whole kernel, so both are multiplied by its size.",
            change={"draws[0].numel(), draws[:, 0].numel()": "draws.shape[1], draws.shape[0]"},
        ),
    ),
    variants=(
        """
        def glorot_uniform(draws):
            kernel = 1
            for size in draws.shape[2:]:
                kernel *= size
            limit = (6 / ((draws.shape[0] + draws.shape[1]) * kernel)) ** 0.5
            return -limit + 2 * limit * draws
        """,
        """
        def glorot_uniform(draws):
            fans = draws[0].numel() + draws.transpose(0, 1)[0].numel()
            deviation = math.sqrt(2 / fans)
            return (draws - 0.5) * math.sqrt(12) * deviation
        """,
    ),
    forbidden=("nn.init.xavier_uniform_", "nn.init.uniform_"),
)

# he_normal

HE_NORMAL = Exercise(
    symbol="he_normal",
    title="He's initialization",
    section="first-weights",
    cases=(
        Case("a wide layer", lambda rng: normal(rng, 5, 31), 2, grad=("draws",)),
        Case("a tall layer", lambda rng: normal(rng, 29, 3)),
        Case("a convolution", lambda rng: normal(rng, 5, 7, 3, 2)),
        Case("one output", lambda rng: normal(rng, 1, 13)),
        Case("one input", lambda rng: normal(rng, 11, 1), hidden=True),
    ),
    hint="The variance is 2 / fan_in, and a draw of variance 1 is multiplied by a standard "
    "deviation.",
    mistakes=(
        Mistake(
            name="variance_for_deviation",
            why="The draws were multiplied by the variance 2 / fan_in; scaling by c multiplies "
            "the variance by c², so the factor is its root.",
            change={"math.sqrt(2 / draws[0].numel())": "(2 / draws[0].numel())"},
        ),
        Mistake(
            name="fan_out",
            why="The number of outputs was taken; the variance of an output adds up over the "
            "inputs of its sum, and these are fan_in.",
            change={"draws[0].numel()": "draws[:, 0].numel()"},
        ),
        Mistake(
            name="no_two",
            why="1 / fan_in keeps the variance through a linear layer, but a ReLU then sets half "
            "of the outputs to zero: the mean square halves in every layer unless the 2 is "
            "there.",
            change={"2 / draws": "1 / draws"},
        ),
        Mistake(
            name="kernel_not_counted",
            why="In a convolution one output sums over inputs and kernel positions; fan_in is "
            "their product.",
            change={"draws[0].numel()": "draws.shape[1]"},
        ),
    ),
    variants=(
        """
        def he_normal(draws):
            fan_in = draws.numel() // draws.shape[0]
            return draws * (2.0 / fan_in) ** 0.5
        """,
        """
        def he_normal(draws):
            return draws / torch.tensor(draws.flatten(1).shape[1] / 2, dtype=draws.dtype).sqrt()
        """,
    ),
    forbidden=("nn.init.kaiming_normal_", "nn.init.normal_"),
)

# steps


def memory(rng, *names, shape=(C, D), scale=1.0, **rates):
    """A parameter, a gradient, and what the optimizer remembers; squares are not negative."""
    drawn = {
        "parameter": rng.standard_normal(shape),
        "gradient": scale * rng.standard_normal(shape),
    }
    for name in names:
        drawn[name] = scale * rng.standard_normal(shape)
        if "sq" in name:
            drawn[name] = drawn[name] ** 2
    return {**drawn, **rates}


def first(rng, *names, **rates):
    """The first step: nothing is remembered yet."""
    drawn = memory(rng, *names, **rates)
    return {**drawn, **{name: np.zeros((C, D)) for name in names}}


MOMENTUM_STEP = Exercise(
    symbol="momentum_step",
    title="A step with momentum",
    section="momentum",
    cases=(
        Case("on the way", lambda rng: memory(rng, "velocity", lr=0.3, momentum=0.7), 2),
        Case("the first step", lambda rng: first(rng, "velocity", lr=0.01)),
        Case("no momentum", lambda rng: memory(rng, "velocity", lr=0.2, momentum=0.0)),
        Case(
            "tiny gradients", lambda rng: memory(rng, "velocity", scale=1e-6, lr=2.0), hidden=True
        ),
    ),
    hint="First the new velocity, then the new parameter from the new velocity; two lines.",
    mistakes=(
        Mistake(
            name="old_velocity",
            why="The parameter was moved by the velocity before this gradient entered it, so the "
            "gradient acts one step late.",
            source="""
            def momentum_step(parameter, gradient, velocity, *, lr, momentum=0.9):
                return parameter - lr * velocity, momentum * velocity + gradient
            """,
        ),
        Mistake(
            name="averaged",
            why="(1 − μ) was put before the gradient, which makes an average of the velocity, as "
            "in Adam; here gradients add up, and the learning rate means something else.",
            change={"velocity + gradient": "velocity + (1 - momentum) * gradient"},
        ),
        Mistake(
            name="rate_in_the_velocity",
            why="η went into the velocity: the path is the same while η is constant, but a "
            "schedule then changes η for old gradients too late, and the state is not that of "
            "torch.",
            source="""
            def momentum_step(parameter, gradient, velocity, *, lr, momentum=0.9):
                velocity = momentum * velocity + lr * gradient
                return parameter - velocity, velocity
            """,
        ),
        Mistake(
            name="uphill",
            why="The velocity was added; it sums up gradients, and these point uphill.",
            change={"parameter - lr": "parameter + lr"},
        ),
        Mistake(
            name="velocity_not_returned",
            why="The old velocity was returned, so nothing is ever remembered and each step is "
            "one of plain gradient descent.",
            change={
                "velocity = momentum * velocity + gradient": "new = momentum * velocity + gradient",
                "lr * velocity, velocity": "lr * new, velocity",
            },
        ),
        Mistake(
            name="in_place",
            why="The tensors that came in were changed in place; a step function leaves them as "
            "they are and returns new ones, so the caller can compare.",
            source="""
            def momentum_step(parameter, gradient, velocity, *, lr, momentum=0.9):
                velocity.mul_(momentum).add_(gradient)
                parameter.sub_(lr * velocity)
                return parameter, velocity
            """,
        ),
    ),
    variants=(
        """
        def momentum_step(parameter, gradient, velocity, *, lr, momentum=0.9):
            new = torch.add(gradient, velocity, alpha=momentum)
            return torch.sub(parameter, new, alpha=lr), new
        """,
        """
        def momentum_step(parameter, gradient, velocity, *, lr, momentum=0.9):
            moved = parameter - lr * momentum * velocity - lr * gradient
            return moved, (parameter - moved) / lr
        """,
    ),
)

NESTEROV_STEP = Exercise(
    symbol="nesterov_step",
    title="A step with Nesterov's momentum",
    section="momentum",
    cases=(
        Case("on the way", lambda rng: memory(rng, "velocity", lr=0.3, momentum=0.7), 2),
        Case("the first step", lambda rng: first(rng, "velocity", lr=0.01)),
        Case(
            "tiny gradients", lambda rng: memory(rng, "velocity", scale=1e-6, lr=2.0), hidden=True
        ),
    ),
    hint="The velocity is that of plain momentum. The step then adds the gradient once more, to a "
    "velocity that is damped once more.",
    mistakes=(
        Mistake(
            name="plain_momentum",
            why="This is plain momentum: Nesterov's step goes along g + μ v, with the new v.",
            change={"(gradient + momentum * velocity)": "velocity"},
        ),
        Mistake(
            name="not_damped_again",
            why="g + v counts the new gradient at full weight twice and forgets the damping μ of "
            "the velocity.",
            change={"(gradient + momentum * velocity)": "(gradient + velocity)"},
        ),
        Mistake(
            name="both_damped",
            why="The new gradient was damped along with the velocity, μ (g + v); only what is old "
            "is damped.",
            change={"(gradient + momentum * velocity)": "momentum * (gradient + velocity)"},
        ),
        Mistake(
            name="look_ahead_kept",
            why="g + μ v was stored as the velocity; it is the direction of this one step, and "
            "the velocity to remember is v.",
            source="""
            def nesterov_step(parameter, gradient, velocity, *, lr, momentum=0.9):
                velocity = momentum * velocity + gradient
                velocity = gradient + momentum * velocity
                return parameter - lr * velocity, velocity
            """,
        ),
    ),
    variants=(
        """
        def nesterov_step(parameter, gradient, velocity, *, lr, momentum=0.9):
            step = (1 + momentum) * gradient + momentum**2 * velocity
            return parameter - lr * step, gradient + momentum * velocity
        """,
        """
        def nesterov_step(parameter, gradient, velocity, *, lr, momentum=0.9):
            new = gradient.add(velocity, alpha=momentum)
            return parameter.sub(gradient, alpha=lr).sub(new, alpha=lr * momentum), new
        """,
    ),
)

RMSPROP_STEP = Exercise(
    symbol="rmsprop_step",
    title="A step of RMSProp",
    section="own-rates",
    cases=(
        Case("on the way", lambda rng: memory(rng, "square_avg", lr=0.3, alpha=0.7), 2),
        Case("the first step", lambda rng: first(rng, "square_avg", lr=0.01)),
        Case("a large eps", lambda rng: memory(rng, "square_avg", lr=0.3, eps=0.2)),
        Case("no gradient at all", lambda rng: _still(rng)),
        Case(
            "tiny gradients", lambda rng: memory(rng, "square_avg", scale=1e-7, lr=0.5), hidden=True
        ),
    ),
    hint="Update the average of squares first; the step uses the new one. The root belongs to the "
    "average alone, ε is added after it.",
    mistakes=(
        Mistake(
            name="eps_under_the_root",
            why="ε was added under the root: √(s + 1e-8) is never below 1e-4, so small gradients "
            "are no longer brought to the usual size.",
            change={"(square_avg.sqrt() + eps)": "(square_avg + eps).sqrt()"},
        ),
        Mistake(
            name="no_root",
            why="The gradient was divided by the mean square, which has the unit of a squared "
            "gradient: ten times smaller gradients would make ten times longer steps.",
            change={"square_avg.sqrt()": "square_avg"},
        ),
        Mistake(
            name="old_average",
            why="The gradient was divided by the root of the old average; in the first step that "
            "is zero, and the step is as long as 1 / ε allows.",
            source="""
            def rmsprop_step(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
                moved = parameter - lr * gradient / (square_avg.sqrt() + eps)
                return moved, alpha * square_avg + (1 - alpha) * gradient.square()
            """,
        ),
        Mistake(
            name="gradient_not_squared",
            why="The gradient entered the average without its square; gradients of both signs "
            "then cancel, and the root of a negative average is not a number.",
            change={"gradient.square()": "gradient"},
        ),
        Mistake(
            name="sum_of_squares",
            why="The squares are added up and never forgotten, as in AdaGrad: the steps become "
            "shorter and shorter.",
            change={"alpha * square_avg + (1 - alpha) * gradient": "square_avg + gradient"},
        ),
        Mistake(
            name="shares_swapped",
            why="α is what is kept of the old average; here it is the share of the new square, so "
            "the average follows every single gradient.",
            change={"alpha * square_avg + (1 - alpha) *": "(1 - alpha) * square_avg + alpha *"},
        ),
    ),
    variants=(
        """
        def rmsprop_step(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
            new = torch.lerp(gradient * gradient, square_avg, alpha)
            return torch.addcdiv(parameter, gradient, new.sqrt() + eps, value=-lr), new
        """,
        """
        def rmsprop_step(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
            new = square_avg + (1 - alpha) * (gradient**2 - square_avg)
            rate = lr / (eps + new**0.5)
            return parameter - rate * gradient, new
        """,
    ),
)


def _still(rng):
    """Entries that never had a gradient, beside others that had."""
    drawn = first(rng, "square_avg", lr=0.1)
    drawn["gradient"][::2] = 0.0
    return drawn


def adam(rng, *, step, **rates):
    return {**memory(rng, "exp_avg", "exp_avg_sq", **rates), "step": step}


ADAM_STEP = Exercise(
    symbol="adam_step",
    title="A step of Adam",
    section="adam",
    cases=(
        Case(
            "the first step", lambda rng: {**first(rng, "exp_avg", "exp_avg_sq", lr=0.1), "step": 1}
        ),
        Case("the third step", lambda rng: adam(rng, step=3, lr=0.2, betas=[0.7, 0.95]), 2),
        Case("after a thousand", lambda rng: adam(rng, step=1000, lr=0.2)),
        Case("with a penalty", lambda rng: adam(rng, step=2, lr=0.1, weight_decay=0.3), 2),
        Case("a large eps", lambda rng: adam(rng, step=2, lr=0.1, eps=0.3)),
        Case("tiny gradients", lambda rng: adam(rng, step=5, scale=1e-7, lr=0.3), hidden=True),
    ),
    hint="Both averages first, then a corrected copy of each; what is returned are the averages "
    "without the correction.",
    mistakes=(
        Mistake(
            name="no_correction",
            why="Both averages start from zero, so at first they are far too small, and not "
            "equally so: without dividing by 1 − βᵗ the first steps have the wrong length.",
            change={"/ (1 - betas[0] ** step)": "", "/ (1 - betas[1] ** step)": ""},
        ),
        Mistake(
            name="one_corrected",
            why="The average of gradients was corrected and that of squares was not, though it "
            "starts from zero as well: its root is too small, and the first steps are too long.",
            change={"/ (1 - betas[1] ** step)": ""},
        ),
        Mistake(
            name="no_root",
            why="The average was divided by the mean square; its root has the unit of a gradient, "
            "so that the quotient has none and a step is about as long as η.",
            change={"(mean_square.sqrt() + eps)": "(mean_square + eps)"},
        ),
        Mistake(
            name="correction_kept",
            why="The corrected averages were returned and will be corrected again in the next "
            "step; the correction is for use, not for memory.",
            change={"+ eps), exp_avg, exp_avg_sq": "+ eps), mean, mean_square"},
        ),
        Mistake(
            name="step_from_zero",
            why="The correction was made with t − 1: steps count from 1, or the first divides by "
            "1 − β⁰ = 0.",
            change={
                "betas[0] ** step)": "betas[0] ** (step - 1))",
                "betas[1] ** step)": "betas[1] ** (step - 1))",
            },
        ),
        Mistake(
            name="correction_times_step",
            why="β · t was written for β to the power t; after t steps from zero an average has "
            "the weight 1 − βᵗ.",
            change={"betas[0] ** step": "betas[0] * step", "betas[1] ** step": "betas[1] * step"},
        ),
        Mistake(
            name="eps_under_the_root",
            why="ε was added under the root: √(s + 1e-8) is never below 1e-4, and small gradients "
            "are held back by it.",
            change={"(mean_square.sqrt() + eps)": "(mean_square + eps).sqrt()"},
        ),
        Mistake(
            name="eps_before_correction",
            why="ε was added to the root of the uncorrected average, and the correction applied "
            "to both: then ε weighs more at the start, by 1 / √(1 − β₂ᵗ), than Kingma and Ba's "
            "algorithm 1 says.",
            change={
                "(mean_square.sqrt() + eps)": (
                    "((exp_avg_sq.sqrt() + eps) / (1 - betas[1] ** step) ** 0.5)"
                ),
            },
        ),
        Mistake(
            name="betas_swapped",
            why="β₁ belongs to the average of gradients, β₂ to that of squares; they were swapped.",
            change={
                "gradient = gradient + weight_decay * parameter": (
                    "gradient, betas = gradient + weight_decay * parameter, betas[::-1]"
                )
            },
        ),
        Mistake(
            name="penalty_decoupled",
            why="λ w was taken off the weights directly, which is AdamW; in Adam it is part of "
            "the gradient, and so it goes through both averages.",
            change={
                "gradient = gradient + weight_decay * parameter": (
                    "parameter = parameter * (1 - lr * weight_decay)"
                ),
            },
        ),
        Mistake(
            name="penalty_forgotten",
            why="λ was ignored: the penalty's share λ w has to be added to the gradient.",
            change={"gradient = gradient + weight_decay * parameter": "pass"},
        ),
    ),
    variants=(
        """
        def adam_step(
            parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999), eps=1e-8,
            weight_decay=0.0,
        ):
            gradient = gradient.add(parameter, alpha=weight_decay)
            exp_avg = exp_avg.lerp(gradient, 1 - betas[0])
            exp_avg_sq = exp_avg_sq.mul(betas[1]).addcmul(gradient, gradient, value=1 - betas[1])
            size = lr / (1 - betas[0] ** step)
            root = exp_avg_sq.sqrt() / math.sqrt(1 - betas[1] ** step) + eps
            return torch.addcdiv(parameter, exp_avg, root, value=-size), exp_avg, exp_avg_sq
        """,
        """
        def adam_step(
            parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999), eps=1e-8,
            weight_decay=0.0,
        ):
            first, second = betas
            g = gradient + weight_decay * parameter
            m = exp_avg + (1 - first) * (g - exp_avg)
            s = exp_avg_sq + (1 - second) * (g**2 - exp_avg_sq)
            m_hat, s_hat = m / (1 - first**step), s / (1 - second**step)
            return parameter - lr / (s_hat**0.5 + eps) * m_hat, m, s
        """,
    ),
)

ADAMW_STEP = Exercise(
    symbol="adamw_step",
    title="A step of AdamW",
    section="decoupled",
    cases=(
        Case(
            "the first step", lambda rng: {**first(rng, "exp_avg", "exp_avg_sq", lr=0.1), "step": 1}
        ),
        Case("a strong decay", lambda rng: adam(rng, step=3, lr=0.2, weight_decay=0.7), 2),
        Case(
            "other averages",
            lambda rng: adam(rng, step=2, lr=0.2, betas=[0.6, 0.8], eps=0.2, weight_decay=0.1),
        ),
        Case("no decay", lambda rng: adam(rng, step=4, lr=0.2, weight_decay=0.0)),
        Case("tiny gradients", lambda rng: adam(rng, step=5, scale=1e-7, lr=0.3), hidden=True),
    ),
    hint="Shrink the parameter first, then call `adam_step` with it and with no penalty.",
    mistakes=(
        Mistake(
            name="penalty_in_the_gradient",
            why="The decay was handed on to Adam, where it joins the gradient and is divided by "
            "its size: weights with large gradients then hardly decay, which is what AdamW "
            "mends.",
            source="""
            def adamw_step(
                parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999),
                eps=1e-8, weight_decay=0.01,
            ):
                return adam_step(
                    parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps,
                    weight_decay=weight_decay,
                )
            """,
        ),
        Mistake(
            name="both",
            why="The weights shrink and the penalty is in the gradient too: λ acts twice.",
            change={"betas=betas, eps=eps": "betas=betas, eps=eps, weight_decay=weight_decay"},
        ),
        Mistake(
            name="rate_forgotten",
            why="The weights shrink by λ per step instead of η λ; with a schedule the decay would "
            "not slow down together with the steps.",
            change={"(1 - lr * weight_decay)": "(1 - weight_decay)"},
        ),
        Mistake(
            name="decay_after_the_step",
            why="The weights shrank after Adam's step, so the step shrank with them; the decay "
            "belongs to the old weights.",
            source="""
            def adamw_step(
                parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999),
                eps=1e-8, weight_decay=0.01,
            ):
                moved, *memory = adam_step(
                    parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps
                )
                return (1 - lr * weight_decay) * moved, *memory
            """,
        ),
        Mistake(
            name="settings_not_handed_on",
            why="β and ε were not handed on to `adam_step`, which then takes its own defaults.",
            change={", betas=betas, eps=eps": ""},
        ),
    ),
    variants=(
        """
        def adamw_step(
            parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999), eps=1e-8,
            weight_decay=0.01,
        ):
            moved, exp_avg, exp_avg_sq = adam_step(
                parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps
            )
            return moved - lr * weight_decay * parameter, exp_avg, exp_avg_sq
        """,
        """
        def adamw_step(
            parameter, gradient, exp_avg, exp_avg_sq, step, *, lr, betas=(0.9, 0.999), eps=1e-8,
            weight_decay=0.01,
        ):
            m = exp_avg.lerp(gradient, 1 - betas[0])
            s = exp_avg_sq.lerp(gradient * gradient, 1 - betas[1])
            m_hat, s_hat = m / (1 - betas[0] ** step), s / (1 - betas[1] ** step)
            step = m_hat / (s_hat.sqrt() + eps) + weight_decay * parameter
            return parameter - lr * step, m, s
        """,
    ),
    needs=("adam_step",),
)

# Adam


def optimizer(rng, *, steps=5, missing=(), groups=None, rates=None, reload=None, **init):
    """Two parameters and their gradients; ``missing`` are (step, index) without one."""
    shapes = (C, 3), (D,)
    gradients = [
        [
            None if (step, index) in missing else rng.standard_normal(shape)
            for index, shape in enumerate(shapes)
        ]
        for step in range(steps)
    ]
    args = {
        "parameters": [rng.standard_normal(shape) for shape in shapes],
        "groups": groups or [{}, {}],
        "gradients": gradients,
        "rates": rates,
        "reload": reload,
    }
    return Call(args=args, init=init)


_ADAM = """
class Adam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, *, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        rates = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, rates)
"""

ADAM = Exercise(
    symbol="Adam",
    title="Adam as an optimizer of PyTorch",
    section="adam",
    cases=(
        Case("five steps", lambda rng: optimizer(rng, lr=0.1), 2),
        Case(
            "all settings",
            lambda rng: optimizer(rng, lr=0.1, betas=[0.7, 0.9], eps=0.1, weight_decay=0.3),
        ),
        Case(
            "groups of their own",
            lambda rng: optimizer(
                rng, groups=[{"lr": 0.3, "weight_decay": 0.1}, {"betas": [0.5, 0.6], "eps": 0.2}]
            ),
        ),
        Case(
            "a schedule",
            lambda rng: optimizer(rng, lr=0.1, rates=[0.1, 0.5, 0.02, 0.3, 0.7]),
        ),
        Case(
            "gradients that are missing",
            lambda rng: optimizer(rng, lr=0.1, weight_decay=0.2, missing=[(0, 1), (1, 1), (3, 0)]),
            2,
        ),
        Case("saved and loaded", lambda rng: optimizer(rng, lr=0.1, reload=3), 2),
        Case(
            "everything at once",
            lambda rng: optimizer(
                rng,
                lr=0.2,
                groups=[{"weight_decay": 0.1}, {}],
                rates=[0.1, 0.2, 0.3, 0.2, 0.1],
                missing=[(0, 0), (2, 1)],
                reload=2,
            ),
            hidden=True,
        ),
    ),
    hint="`self.state[parameter]` is a dict that begins empty. Under `torch.no_grad()`: fill it, "
    "count the step, call `adam_step`, and `copy_` what comes back into the parameter.",
    mistakes=(
        Mistake(
            name="one_count_for_all",
            why="The steps are counted once for the whole optimizer, but a parameter whose "
            "gradient was missing has made fewer: its averages get the wrong correction.",
            change={
                'state["step"] += 1': "self.count = getattr(self, 'count', 0) + 1 / 2",
                'int(state["step"])': "math.ceil(self.count)",
            },
        ),
        Mistake(
            name="missing_gradient_is_zero",
            why="A gradient of None was treated as zero: averages, decay and momentum then move a "
            "parameter that took no part in the loss.",
            change={
                """if parameter.grad is None:
                    continue""": """if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)"""
            },
        ),
        Mistake(
            name="rates_of_the_constructor",
            why="The rates were read from the defaults and not from the group, so groups with "
            "settings of their own are ignored, and so is every schedule.",
            change={"name: group[name] for": "name: self.defaults[name] for"},
        ),
        Mistake(
            name="parameter_rebound",
            why="The name `parameter` was bound to the new tensor; the model still holds the old "
            "one. Write the numbers into it: `parameter.copy_(...)`.",
            change={"parameter.copy_(moved)": "parameter = moved"},
        ),
        Mistake(
            name="averages_not_kept",
            why="The new averages were computed but not put back into the state, so each step "
            "starts from zeros.",
            change={'moved, state["exp_avg"], state["exp_avg_sq"] =': "moved, _, _ ="},
        ),
        Mistake(
            name="state_outside",
            why="The averages lie in an attribute of their own: `state_dict()` does not see them, "
            "and a resumed training starts its averages anew.",
            change={
                "state = self.state[parameter]": "state = self.__dict__.setdefault(parameter, {})"
            },
        ),
        Mistake(
            name="count_not_kept",
            why="The count of steps is not raised: every step is corrected as if it were the "
            "first, or divides by zero.",
            change={'state["step"] += 1': 'state["step"] = torch.tensor(1.0)'},
        ),
    ),
    variants=(
        _ADAM
        + """
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                g = p.grad
                if g is not None:
                    g = g + group["weight_decay"] * p
                    state = self.state[p]
                    m = state.setdefault("exp_avg", torch.zeros_like(p))
                    s = state.setdefault("exp_avg_sq", torch.zeros_like(p))
                    t = state["step"] = state.get("step", torch.tensor(0.0)) + 1
                    m.mul_(first).add_(g, alpha=1 - first)
                    s.mul_(second).addcmul_(g, g, value=1 - second)
                    root = (s / (1 - second ** t.item())).sqrt() + group["eps"]
                    p.addcdiv_(m, root, value=-group["lr"] / (1 - first ** t.item()))
""",
        _ADAM
        + """
    def step(self):
        pairs = [(p, group) for group in self.param_groups for p in group["params"]]
        for p, group in pairs:
            if p.grad is None:
                continue
            state = self.state[p]
            zeros = torch.zeros_like(p.data)
            m, s = state.get("exp_avg", zeros), state.get("exp_avg_sq", zeros)
            step = state.get("step", torch.zeros(())) + 1
            moved, m, s = adam_step(
                p.data, p.grad, m, s, int(step), lr=group["lr"], betas=group["betas"],
                eps=group["eps"], weight_decay=group["weight_decay"],
            )
            p.data = moved
            state.update(exp_avg=m, exp_avg_sq=s, step=step)
""",
    ),
    needs=("adam_step",),
    equivalent={
        'state["step"] = (0.0)': "a plain number counts and is saved as a tensor of one is",
    },
    forbidden=("torch.optim.Adam", "torch.optim.AdamW"),
    probe="optimizer",
)

# warmup_cosine


def times(rng, low, high, **rest):
    return {"step": int(rng.integers(low, high)), **rest}


WARMUP_COSINE = Exercise(
    symbol="warmup_cosine",
    title="Warm-up and cosine",
    section="schedule",
    cases=(
        Case("on the ramp", lambda rng: times(rng, 1, 30, warmup=31, total=100)),
        Case("the first step", lambda rng: {"step": 0, "warmup": 7, "total": 31}),
        Case("the last of the ramp", lambda rng: {"step": 6, "warmup": 7, "total": 31}),
        Case("the top", lambda rng: {"step": 7, "warmup": 7, "total": 31, "floor": 0.2}),
        Case("on the way down", lambda rng: times(rng, 40, 90, warmup=31, total=100), 2),
        Case("to a floor", lambda rng: times(rng, 40, 90, warmup=31, total=100, floor=0.2)),
        Case("after the end", lambda rng: times(rng, 101, 170, warmup=3, total=100, floor=0.1)),
        Case("no ramp", lambda rng: times(rng, 1, 28, warmup=0, total=29), hidden=True),
        Case(
            "a ramp to a floor",
            lambda rng: times(rng, 1, 9, warmup=11, total=29, floor=0.3),
        ),
    ),
    hint="Two cases: before `warmup` and after. In the second, first compute how much of the way "
    "is done, as a number from 0 to 1 that stays at 1.",
    mistakes=(
        Mistake(
            name="ramp_from_zero",
            why="t / warmup is 0 in the first step, which then changes nothing; (t + 1) / warmup "
            "arrives at 1 in the last step of the ramp.",
            change={"(step + 1) / warmup": "step / warmup"},
        ),
        Mistake(
            name="ramp_from_the_floor",
            why="The ramp was lifted to begin at the floor; the floor is where the way down ends, "
            "and the ramp is (t + 1) / warmup whatever it is.",
            change={"(step + 1) / warmup": "floor + (1 - floor) * (step + 1) / warmup"},
        ),
        Mistake(
            name="straight_down",
            why="The way down was made a straight line; half a cosine wave leaves the top and "
            "reaches the floor slowly, and is steepest halfway.",
            change={"(1 + math.cos(math.pi * part)) / 2": "(1 - part)"},
        ),
        Mistake(
            name="ramp_not_subtracted",
            why="The cosine was counted from the start of training, so at the end of the ramp the "
            "rate drops at once.",
            change={"(step - warmup) / (total - warmup)": "step / total"},
        ),
        Mistake(
            name="ends_late",
            why="The way down was divided by all steps, not by those that remain after the ramp: "
            "at the end the rate is still above its floor.",
            change={"(total - warmup)": "total"},
        ),
        Mistake(
            name="whole_wave",
            why="A whole wave, 2π, goes down and up again; the schedule ends after half of it, at "
            "π.",
            change={"math.pi * part": "2 * math.pi * part"},
        ),
        Mistake(
            name="up_again",
            why="After `total` steps the cosine was followed on, and the rate rises again; it "
            "stays at the floor.",
            change={
                "min(1.0, (step - warmup) / (total - warmup))": "(step - warmup) / (total - warmup)"
            },
        ),
        Mistake(
            name="floor_added",
            why="The floor was added on top, so the factor begins at 1 + floor; the wave goes "
            "from 1 down to the floor and has the height 1 − floor.",
            change={"floor + (1 - floor) *": "floor +"},
        ),
        Mistake(
            name="floor_by_max",
            why="The wave was cut off at the floor; it is meant to arrive there at its end, "
            "slowly.",
            change={
                "floor + (1 - floor) * (1 + math.cos(math.pi * part)) / 2": (
                    "max(floor, (1 + math.cos(math.pi * part)) / 2)"
                ),
            },
        ),
    ),
    variants=(
        """
        def warmup_cosine(step, *, warmup, total, floor=0.0):
            if step < warmup:
                return float(step + 1) / float(warmup)
            left = max(0, total - step) / (total - warmup)
            return 1.0 - (1.0 - floor) * math.cos(math.pi / 2 * left) ** 2
        """,
        """
        def warmup_cosine(step, *, warmup, total, floor=0.0):
            if step >= total:
                return float(floor)
            if warmup > step:
                return (1 + step) * (1 / warmup)
            angle = (step - warmup) * math.pi / (total - warmup)
            return (1 + floor) / 2 + (1 - floor) / 2 * math.cos(angle)
        """,
    ),
)

# clip_by_global_norm


def lengths(rng, scale, max_norm):
    shapes = (C, D), (D,), (2, 3, 5)
    gradients = [scale * rng.standard_normal(shape) for shape in shapes]
    gradients[1] *= 10  # most of the length is here
    return {"gradients": gradients, "max_norm": max_norm}


CLIP = Exercise(
    symbol="clip_by_global_norm",
    title="Clip the gradient",
    section="clipping",
    cases=(
        Case("too long", lambda rng: lengths(rng, 3.0, 1.5), 2),
        Case("short enough", lambda rng: lengths(rng, 1e-3, 1.5), 2),
        Case("all zero", lambda rng: lengths(rng, 0.0, 1.0)),
        Case(
            "a single tensor", lambda rng: {"gradients": [rng.standard_normal(D)], "max_norm": 0.1}
        ),
        Case("huge", lambda rng: lengths(rng, 1e30, 1.0), hidden=True),
        Case("one is too long, by itself", lambda rng: _one_long(rng), hidden=True),
    ),
    hint="One norm for all of them: the root of the sum of all squares. One factor for all of "
    "them, and never above 1.",
    mistakes=(
        Mistake(
            name="each_by_its_own_norm",
            why="Each tensor was clipped by its own norm; that changes the direction of the whole "
            "gradient, and a common factor does not.",
            source="""
            def clip_by_global_norm(gradients, *, max_norm):
                norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
                return [g * (max_norm / g.norm()).clamp(max=1.0) for g in gradients], norm
            """,
        ),
        Mistake(
            name="entries_clipped",
            why="The entries were cut off at ±max_norm: large ones lose, small ones stay, and the "
            "direction changes; clipping by norm shortens all entries alike.",
            source="""
            def clip_by_global_norm(gradients, *, max_norm):
                norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
                return [g.clamp(-max_norm, max_norm) for g in gradients], norm
            """,
        ),
        Mistake(
            name="always_scaled",
            why="Gradients that were short enough have been stretched to max_norm; the factor "
            "must not exceed 1, or training never comes to rest.",
            change={".clamp(max=1.0)": ""},
        ),
        Mistake(
            name="norms_added",
            why="The norms were added up; lengths in perpendicular directions add up as squares.",
            change={
                "gradient.square().sum() for": "gradient.norm() for",
                ".sum().sqrt()": ".sum()",
            },
        ),
        Mistake(
            name="no_root",
            why="This is the squared length; without the root long gradients are cut far too "
            "short.",
            change={".sum().sqrt()": ".sum()"},
        ),
        Mistake(
            name="mean_for_sum",
            why="The mean of the squares does not grow with the number of parameters, a length "
            "does.",
            change={"gradient.square().sum() for": "gradient.square().mean() for"},
        ),
        Mistake(
            name="norm_after",
            why="The norm after clipping was returned; it says nothing that max_norm did not say. "
            "The one before shows when gradients explode.",
            change={
                "for gradient in gradients], norm": "for gradient in gradients], norm * factor"
            },
        ),
    ),
    variants=(
        """
        def clip_by_global_norm(gradients, *, max_norm):
            whole = torch.cat([gradient.flatten() for gradient in gradients])
            norm = torch.linalg.vector_norm(whole)
            if norm > max_norm:
                return [gradient / norm * max_norm for gradient in gradients], norm
            return [gradient.clone() for gradient in gradients], norm
        """,
        """
        def clip_by_global_norm(gradients, *, max_norm):
            squares = sum(torch.dot(g.reshape(-1), g.reshape(-1)) for g in gradients)
            norm = squares**0.5
            factor = max_norm / torch.maximum(norm, torch.full_like(norm, max_norm))
            return [factor * g for g in gradients], norm
        """,
    ),
    forbidden=("nn.utils.clip_grad_norm_", "nn.utils.clip_grad_value_"),
)


def _one_long(rng):
    drawn = lengths(rng, 0.01, 1.0)
    drawn["gradients"][2] *= 1000
    return drawn


# BatchNorm1d


def batch_norm(rng, *, training, count=B, scale=3.0, **init):
    args = {"x": scale * rng.standard_normal((count, D)) + 2 * rng.standard_normal(D)}
    state = {
        "weight": rng.standard_normal(D),
        "bias": rng.standard_normal(D),
        "running_mean": rng.standard_normal(D),
        "running_var": rng.random(D) + 0.3,
        "num_batches_tracked": np.array(6),
    }
    return Call(args=args, init={"num_features": D, **init}, state=state, training=training)


BATCH_NORM = Exercise(
    symbol="BatchNorm1d",
    title="Batch normalization",
    section="batch-norm",
    cases=(
        Case("in training", lambda rng: batch_norm(rng, training=True), 3, grad=("x",)),
        Case("in evaluation", lambda rng: batch_norm(rng, training=False), 2, grad=("x",)),
        Case(
            "another eps and momentum",
            lambda rng: batch_norm(rng, training=True, eps=0.5, momentum=0.7),
        ),
        Case(
            "as it is made",
            lambda rng: Call(
                args={"x": rng.standard_normal((B, D))}, init={"num_features": D}, training=False
            ),
        ),
        Case("two examples", lambda rng: batch_norm(rng, training=True, count=2), hidden=True),
        Case(
            "evaluation with another eps",
            lambda rng: batch_norm(rng, training=False, eps=0.3),
            hidden=True,
        ),
    ),
    hint="Decide first which mean and variance to use, then write the formula once. Running values "
    "are buffers (`register_buffer`) and are changed in place, under `torch.no_grad()`.",
    mistakes=(
        Mistake(
            name="unbiased_in_the_formula",
            why="The batch was normalized by the variance divided by B − 1, the default of `var`; "
            "the paper normalizes by the one divided by B (and keeps the other as running "
            "value).",
            change={"x.mean(dim=0), x.var(dim=0, correction=0)": "x.mean(dim=0), x.var(dim=0)"},
        ),
        Mistake(
            name="biased_kept",
            why="The running variance was fed with the variance divided by B; in evaluation it "
            "stands for the whole population, so it has to be the unbiased one.",
            change={"lerp_(x.var(dim=0), self": "lerp_(x.var(dim=0, correction=0), self"},
        ),
        Mistake(
            name="over_features",
            why="Mean and variance were taken over the features of each example: that is layer "
            "normalization. Here every feature has its own, over the batch.",
            change={
                "x.mean(dim=0), x.var(dim=0, correction=0)": (
                    "x.mean(dim=1, keepdim=True), x.var(dim=1, correction=0, keepdim=True)"
                ),
            },
        ),
        Mistake(
            name="running_values_in_training",
            why="The running values were used in training too; then the batch is not normalized, "
            "and no gradient flows through its mean and variance.",
            change={"mean, variance = x.mean(dim=0), x.var(dim=0, correction=0)": "pass"},
        ),
        Mistake(
            name="batch_values_in_evaluation",
            why="The batch's own mean was used in evaluation too: what a model says about one "
            "picture then depends on the pictures beside it.",
            change={
                "if self.training:": "if True:",
            },
        ),
        Mistake(
            name="running_values_not_updated",
            why="The running values were never moved: in evaluation the model is another one than "
            "in training.",
            source="""
            class BatchNorm1d(nn.Module):
                def __init__(self, num_features, *, eps=1e-5, momentum=0.1):
                    super().__init__()
                    self.eps, self.momentum = eps, momentum
                    self.weight = nn.Parameter(torch.ones(num_features))
                    self.bias = nn.Parameter(torch.zeros(num_features))
                    self.register_buffer("running_mean", torch.zeros(num_features))
                    self.register_buffer("running_var", torch.ones(num_features))
                    self.register_buffer("num_batches_tracked", torch.tensor(0))

                def forward(self, x):
                    mean, variance = self.running_mean, self.running_var
                    if self.training:
                        mean, variance = x.mean(dim=0), x.var(dim=0, correction=0)
                    return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias
            """,
        ),
        Mistake(
            name="batches_not_counted",
            why="`num_batches_tracked` was not raised; each call in training adds one to it.",
            change={"self.num_batches_tracked += 1": "pass"},
        ),
        Mistake(
            name="momentum_reversed",
            why="PyTorch's momentum is the share of the new batch, the other way round than for "
            "an optimizer: here the running values forget nearly everything at each step.",
            change={
                "lerp_(mean, self.momentum)": "lerp_(mean, 1 - self.momentum)",
                "lerp_(x.var(dim=0), self.momentum)": "lerp_(x.var(dim=0), 1 - self.momentum)",
            },
        ),
        Mistake(
            name="eps_outside",
            why="ε was added to the root; it belongs under it, as in the paper and in PyTorch.",
            change={"torch.sqrt(variance + self.eps)": "(torch.sqrt(variance) + self.eps)"},
        ),
        Mistake(
            name="statistics_detached",
            why="Mean and variance were detached: the output is right, but the gradient ignores "
            "that every example moves both, and the weights before it grow without bound.",
            change={
                "x.mean(dim=0), x.var(dim=0, correction=0)": (
                    "x.detach().mean(dim=0), x.detach().var(dim=0, correction=0)"
                ),
            },
        ),
        Mistake(
            name="buffers_as_parameters",
            why="The running values were made parameters: an optimizer would decay them, and they "
            "count as weights; `register_buffer` saves them without that.",
            change={
                'self.register_buffer("running_mean", torch.zeros(num_features))': (
                    "self.running_mean = nn.Parameter(torch.zeros(num_features))"
                ),
                'self.register_buffer("running_var", torch.ones(num_features))': (
                    "self.running_var = nn.Parameter(torch.ones(num_features))"
                ),
            },
        ),
    ),
    variants=(
        """
        class BatchNorm1d(nn.Module):
            def __init__(self, num_features, *, eps=1e-5, momentum=0.1):
                super().__init__()
                self.weight = nn.Parameter(torch.empty(num_features).fill_(1.0))
                self.bias = nn.Parameter(torch.empty(num_features).fill_(0.0))
                self.register_buffer("running_mean", self.bias.detach().clone())
                self.register_buffer("running_var", self.weight.detach().clone())
                self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.int64))
                self.settings = eps, momentum

            def forward(self, x):
                eps, momentum = self.settings
                if not self.training:
                    scale = self.weight / (self.running_var + eps).sqrt()
                    return x * scale + (self.bias - self.running_mean * scale)
                mean = x.sum(0) / x.shape[0]
                centered = x - mean
                squares = (centered**2).sum(0)
                keep = 1 - momentum
                new = momentum * mean.detach(), momentum * squares.detach() / (x.shape[0] - 1)
                self.running_mean.copy_(keep * self.running_mean + new[0])
                self.running_var.copy_(keep * self.running_var + new[1])
                self.num_batches_tracked.add_(1)
                return centered * (squares / x.shape[0] + eps).rsqrt() * self.weight + self.bias
        """,
        """
        class BatchNorm1d(nn.Module):
            def __init__(self, num_features, *, eps=1e-5, momentum=0.1):
                super().__init__()
                self.eps = eps
                self.momentum = momentum
                self.weight = nn.Parameter(torch.ones(num_features))
                self.bias = nn.Parameter(torch.zeros(num_features))
                self.register_buffer("running_mean", torch.zeros(num_features))
                self.register_buffer("running_var", torch.ones(num_features))
                self.register_buffer("num_batches_tracked", torch.tensor(0))

            def forward(self, x):
                if self.training:
                    count = len(x)
                    variance, mean = torch.var_mean(x, dim=0, correction=0)
                    unbiased = variance.detach() * count / (count - 1)
                    self.num_batches_tracked += 1
                    self.running_mean -= self.momentum * (self.running_mean - mean.detach())
                    self.running_var -= self.momentum * (self.running_var - unbiased)
                else:
                    mean, variance = self.running_mean, self.running_var
                normal = (x - mean) * (variance + self.eps) ** -0.5
                return torch.addcmul(self.bias, normal, self.weight)
        """,
    ),
    forbidden=("nn.BatchNorm1d", "F.batch_norm", "torch.batch_norm"),
)

# dropout


def drops(rng, *shape, p, scale=1.0):
    return {"input": scale * rng.standard_normal(shape), "draws": rng.random(shape), "p": p}


def _edges(rng):
    """Draws that equal p exactly."""
    drawn = drops(rng, 3, D, p=0.25)
    drawn["draws"][:, ::2] = 0.25
    return drawn


DROPOUT = Exercise(
    symbol="dropout",
    title="Dropout with given draws",
    section="dropout",
    cases=(
        Case("a batch", lambda rng: drops(rng, B, D, p=0.3), 2, grad=("input",)),
        Case("most are dropped", lambda rng: drops(rng, 2, 3, 31, p=0.9), grad=("input",)),
        Case("none are dropped", lambda rng: drops(rng, B, D, p=0.0)),
        Case("draws that equal p", _edges),
        Case("large entries", lambda rng: drops(rng, B, p=0.5, scale=1e8), hidden=True),
    ),
    hint="A comparison gives a mask, and a mask can be multiplied. Which share of the entries "
    "survives? Divide by that.",
    mistakes=(
        Mistake(
            name="not_scaled",
            why="What survives was not scaled up by 1 / (1 − p): the next layer sees smaller sums "
            "in training than in evaluation.",
            change={" / (1 - p)": ""},
        ),
        Mistake(
            name="kept_and_dropped_swapped",
            why="Entries are kept with probability p and dropped with 1 − p; p is the probability "
            "of zero.",
            change={"(draws >= p)": "(draws < p)"},
        ),
        Mistake(
            name="divided_by_p",
            why="Divided by p, the probability of zero; the mean stays when the survivors are "
            "divided by their own share, 1 − p.",
            change={"(1 - p)": "p"},
        ),
        Mistake(
            name="scaled_down",
            why="Multiplied by 1 − p, which is what the original method does in evaluation; in "
            "training the survivors are scaled up.",
            change={"/ (1 - p)": "* (1 - p)"},
        ),
        Mistake(
            name="equal_is_dropped",
            why="A draw equal to p was dropped; draws come from [0, 1), so dropping below p has "
            "probability p, and for p = 0 nothing may be dropped.",
            change={"draws >= p": "draws > p"},
        ),
        Mistake(
            name="rescaled_by_count",
            why="The scale was taken from how many entries happened to survive; with 1 / (1 − p) "
            "each entry has the right mean, whatever the others do.",
            change={"/ (1 - p)": "/ (draws >= p).double().mean()"},
        ),
    ),
    variants=(
        """
        def dropout(input, draws, *, p):
            return torch.where(draws < p, torch.zeros_like(input), input / (1 - p))
        """,
        """
        def dropout(input, draws, *, p):
            return (input * (1 / (1 - p))).masked_fill(~(draws >= p), 0.0)
        """,
    ),
    forbidden=("F.dropout", "nn.Dropout", "torch.dropout"),
)

# early_stopping


def curve(rng, *, length=19, patience, lowest, **holes):
    """Losses with one lowest value; ``nan`` and ``equal`` list epochs that are special."""
    losses = 1.0 + rng.random(length)
    losses[lowest] = 0.5
    losses[list(holes.get("equal", ()))] = 0.5
    losses[list(holes.get("nan", ()))] = np.nan
    return {"losses": [float(loss) for loss in losses], "patience": patience}


EARLY_STOPPING = Exercise(
    symbol="early_stopping",
    title="Early stopping",
    section="early-stopping",
    cases=(
        Case("long ago", lambda rng: curve(rng, patience=5, lowest=7)),
        Case("not long enough", lambda rng: curve(rng, patience=5, lowest=15)),
        Case("exactly so long ago", lambda rng: curve(rng, patience=5, lowest=13)),
        Case("one epoch less", lambda rng: curve(rng, patience=5, lowest=14)),
        Case("equal is not better", lambda rng: curve(rng, patience=6, lowest=10, equal=[14, 17])),
        Case("bumps that are no trend", lambda rng: _bumps(rng)),
        Case("some are not numbers", lambda rng: curve(rng, patience=9, lowest=8, nan=[0, 3, 18])),
        Case("none is a number", lambda rng: {"losses": [float("nan")] * 3, "patience": 2}),
        Case(
            "a first epoch",
            lambda rng: {"losses": [float(rng.random())], "patience": 1},
            hidden=True,
        ),
        Case("below zero", lambda rng: {"losses": [-1.0, -3.0, -2.0], "patience": 1}, hidden=True),
    ),
    hint="Find the epoch of the lowest loss; how many epochs came after it?",
    mistakes=(
        Mistake(
            name="worse_than_the_one_before",
            why="Each epoch was compared with the one before it; a curve may fall and rise many "
            "times below its best, and may creep upward for long. Compare with the best so far.",
            source="""
            def early_stopping(losses, *, patience):
                heights = [math.inf if math.isnan(loss) else loss for loss in losses]
                best = heights.index(min(heights))
                waited = 0
                for before, now in zip(heights, heights[1:]):
                    waited = waited + 1 if now >= before else 0
                return best, waited >= patience
            """,
        ),
        Mistake(
            name="last_of_equals",
            why="The last of equally good epochs was taken; an equal loss is no progress, and the "
            "waiting would begin anew.",
            change={
                "heights.index(min(heights))": (
                    "len(heights) - 1 - heights[::-1].index(min(heights))"
                ),
            },
        ),
        Mistake(
            name="one_too_late",
            why="Stopped one epoch too late: with patience 1 a single epoch without progress is "
            "enough.",
            change={"best >= patience": "best > patience"},
        ),
        Mistake(
            name="in_one_epoch_alone",
            why="Asked whether exactly `patience` epochs have passed; who looks one epoch later "
            "would then go on forever, so it is at least that many.",
            change={"best >= patience": "best == patience"},
        ),
        Mistake(
            name="one_too_early",
            why="Counted the best epoch itself among those waited; waiting begins after it.",
            change={"len(losses) - 1 - best": "len(losses) - best"},
        ),
        Mistake(
            name="nan_wins",
            why="Every comparison with NaN is false, so a NaN that comes first is never beaten; "
            "it has to be treated as infinitely bad.",
            change={"math.inf if math.isnan(loss) else loss": "loss"},
        ),
        Mistake(
            name="highest",
            why="The highest loss was taken for the best; a loss is better when it is lower.",
            change={
                "math.inf if math.isnan(loss) else loss": "-math.inf if math.isnan(loss) else loss",
                "min(heights)": "max(heights)",
            },
        ),
    ),
    variants=(
        """
        def early_stopping(losses, *, patience):
            best, lowest = 0, math.inf
            for epoch, loss in enumerate(losses):
                if loss < lowest:
                    best, lowest = epoch, loss
            return best, len(losses) > best + patience
        """,
        """
        def early_stopping(losses, *, patience):
            values = torch.tensor(losses, dtype=torch.float64).nan_to_num(nan=math.inf)
            best = int((values == values.min()).nonzero()[0])
            return best, bool(len(values[best + 1 :]) >= patience)
        """,
    ),
)


def _bumps(rng):
    """Falls in steps of two down and one up."""
    losses = np.cumsum([4.0, *[-2.0, 1.0] * 7, 0.5, 0.25]) + 0.01 * rng.random(17)
    return {"losses": [float(loss) for loss in losses], "patience": 4}


# random_trials


RANDOM_TRIALS = Exercise(
    symbol="random_trials",
    title="Trials of a random search",
    section="random-search",
    cases=(
        Case("two ranges", lambda rng: _ranges(rng, [1e-4, 0.03], [1.0, 0.3]), 2),
        Case(
            "the ends", lambda rng: {"draws": np.eye(2), "low": [1e-3, 2.0], "high": [10.0, 64.0]}
        ),
        Case(
            "as many trials as ranges", lambda rng: _ranges(rng, [1e-4, 3.0], [1.0, 7.0], count=2)
        ),
        Case(
            "three ranges", lambda rng: _ranges(rng, [1e-6, 1.0, 0.5], [1.0, 1e6, 0.6]), hidden=True
        ),
    ),
    hint="Even on a logarithmic scale: u = 0 gives `low`, u = 1 gives `high`, and u = ½ their "
    "geometric mean.",
    mistakes=(
        Mistake(
            name="linear_scale",
            why="low + (high − low) u is even on a linear scale: between 0.0001 and 1, nine in "
            "ten trials then lie above 0.1.",
            change={"low * (high / low) ** draws": "low + (high - low) * draws"},
        ),
        Mistake(
            name="ends_swapped",
            why="u = 0 gives `high` and u = 1 gives `low`; as random draws it would do no harm, "
            "but the docstring fixes which draw gives which trial.",
            change={"low * (high / low)": "high * (low / high)"},
        ),
        Mistake(
            name="ends_as_exponents",
            why="10 was raised to a power between low and high, as if these were exponents; they "
            "are values, so take their logarithms first.",
            change={"low * (high / low) ** draws": "10 ** (low + (high - low) * draws)"},
        ),
        Mistake(
            name="exponential_of_the_range",
            why="The range was stretched between low and high after the exponential; take "
            "logarithms of the ends, go between them, and come back.",
            change={
                "low * (high / low) ** draws": (
                    "low + (high - low) * (draws.exp() - 1) / (math.e - 1)"
                ),
            },
        ),
        Mistake(
            name="one_draw_for_all",
            why="One draw per trial was used for all its hyperparameters: the trials lie on a "
            "line, and the rest of the square is never seen.",
            change={"** draws": "** draws[:, :1]"},
        ),
        Mistake(
            name="ranges_across",
            why="The ranges were laid along the trials; each column is a hyperparameter, with a "
            "range of its own.",
            change={
                "draws.new_tensor(low), draws.new_tensor(high)": (
                    "draws.new_tensor(low)[:, None], draws.new_tensor(high)[:, None]"
                ),
            },
        ),
    ),
    variants=(
        """
        def random_trials(draws, *, low, high):
            low = torch.tensor(low, dtype=draws.dtype).log()
            high = torch.tensor(high, dtype=draws.dtype).log()
            return torch.exp(low + draws * (high - low))
        """,
        """
        def random_trials(draws, *, low, high):
            columns = []
            for column, bottom, top in zip(draws.T, low, high):
                columns.append(bottom ** (1 - column) * top**column)
            return torch.stack(columns, dim=1)
        """,
    ),
)


def _ranges(rng, low, high, *, count=13):
    return {"draws": rng.random((count, len(low))), "low": low, "high": high}


EXERCISES = (
    GLOROT_UNIFORM,
    HE_NORMAL,
    MOMENTUM_STEP,
    NESTEROV_STEP,
    RMSPROP_STEP,
    ADAM_STEP,
    ADAM,
    ADAMW_STEP,
    WARMUP_COSINE,
    CLIP,
    BATCH_NORM,
    DROPOUT,
    EARLY_STOPPING,
    RANDOM_TRIALS,
)
