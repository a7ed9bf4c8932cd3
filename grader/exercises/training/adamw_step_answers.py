"""Right and wrong answers to `training.adamw_step`."""

from grader.author.answers import right, wrong
from solutions.training import adam_step


@right
def decay_taken_off_after(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.01,
):
    moved, exp_avg, exp_avg_sq = adam_step(
        parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps
    )
    return moved - lr * weight_decay * parameter, exp_avg, exp_avg_sq


@right
def without_adam_step(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.01,
):
    m = exp_avg.lerp(gradient, 1 - betas[0])
    s = exp_avg_sq.lerp(gradient * gradient, 1 - betas[1])
    m_hat, s_hat = m / (1 - betas[0] ** step), s / (1 - betas[1] ** step)
    step = m_hat / (s_hat.sqrt() + eps) + weight_decay * parameter
    return parameter - lr * step, m, s


@wrong(
    why=(
        "The decay was handed on to Adam, where it joins the gradient and is "
        "divided by its size: weights with large gradients then hardly decay, "
        "which is what AdamW mends."
    )
)
def penalty_in_the_gradient(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.01,
):
    return adam_step(
        parameter,
        gradient,
        exp_avg,
        exp_avg_sq,
        step,
        lr=lr,
        betas=betas,
        eps=eps,
        weight_decay=weight_decay,
    )


wrong(
    "both",
    why=("The weights shrink and the penalty is in the gradient too: λ acts twice."),
    change={"betas=betas, eps=eps": "betas=betas, eps=eps, weight_decay=weight_decay"},
)


wrong(
    "rate_forgotten",
    why=(
        "The weights shrink by λ per step instead of η λ; with a schedule the "
        "decay would not slow down together with the steps."
    ),
    change={"(1 - lr * weight_decay)": "(1 - weight_decay)"},
)


@wrong(
    why=(
        "The weights shrank after Adam's step, so the step shrank with them; "
        "the decay belongs to the old weights."
    )
)
def decay_after_the_step(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.01,
):
    moved, *memory = adam_step(
        parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps
    )
    return (1 - lr * weight_decay) * moved, *memory


wrong(
    "settings_not_handed_on",
    why=("β and ε were not handed on to `adam_step`, which then takes its own defaults."),
    change={", betas=betas, eps=eps": ""},
)


wrong(
    "decay_forgotten",
    why="λ was ignored: this is Adam without any decay.",
    change={"parameter = (1 - lr * weight_decay) * parameter": "pass"},
)


wrong(
    "decay_added",
    why="The weights grow by the factor 1 + η λ; decay makes them smaller.",
    change={"(1 - lr * weight_decay)": "(1 + lr * weight_decay)"},
)


wrong(
    "parameter_decayed_in_place",
    why="The parameter that came in was shrunk in place; make a new tensor of it.",
    change={
        "parameter = (1 - lr * weight_decay) * parameter": ("parameter.mul_(1 - lr * weight_decay)")
    },
)
