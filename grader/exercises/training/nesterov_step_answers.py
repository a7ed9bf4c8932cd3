"""Right and wrong answers to `training.nesterov_step`."""

from grader.author.answers import right, wrong


@right
def multiplied_out(parameter, gradient, velocity, *, lr, momentum=0.9):
    step = (1 + momentum) * gradient + momentum**2 * velocity
    return parameter - lr * step, gradient + momentum * velocity


@right
def with_alpha(parameter, gradient, velocity, *, lr, momentum=0.9):
    new = gradient.add(velocity, alpha=momentum)
    return parameter.sub(gradient, alpha=lr).sub(new, alpha=lr * momentum), new


wrong(
    "plain_momentum",
    why=("This is plain momentum: Nesterov's step goes along g + μ v, with the new v."),
    change={"(gradient + momentum * velocity)": "velocity"},
)


wrong(
    "not_damped_again",
    why=(
        "g + v counts the new gradient at full weight twice and forgets the "
        "damping μ of the velocity."
    ),
    change={"(gradient + momentum * velocity)": "(gradient + velocity)"},
)


wrong(
    "both_damped",
    why=(
        "The new gradient was damped along with the velocity, μ (g + v); only "
        "what is old is damped."
    ),
    change={"(gradient + momentum * velocity)": "momentum * (gradient + velocity)"},
)


@wrong(
    why=(
        "g + μ v was stored as the velocity; it is the direction of this one "
        "step, and the velocity to remember is v."
    )
)
def look_ahead_kept(parameter, gradient, velocity, *, lr, momentum=0.9):
    velocity = momentum * velocity + gradient
    velocity = gradient + momentum * velocity
    return parameter - lr * velocity, velocity


wrong(
    "rate_in_the_velocity",
    why=(
        "η went into the velocity: the path is the same while η is constant, but a schedule then "
        "acts too late on old gradients, and the state is not that of torch."
    ),
    change={
        "velocity + gradient": "velocity + lr * gradient",
        "lr * (gradient + momentum * velocity)": "(lr * gradient + momentum * velocity)",
    },
)


@wrong(
    why=(
        "η went into the velocity, with the sign turned; here the velocity sums up gradients as "
        "they are, and the step alone has η and the minus."
    )
)
def rate_and_sign_in_the_velocity(parameter, gradient, velocity, *, lr, momentum=0.9):
    velocity = momentum * velocity - lr * gradient
    return parameter + momentum * velocity - lr * gradient, velocity


wrong(
    "results_swapped",
    why="The velocity was returned first; the new parameter comes first, then the new velocity.",
    change={
        "return parameter - lr * (gradient + momentum * velocity), velocity": (
            "return velocity, parameter - lr * (gradient + momentum * velocity)"
        )
    },
)


@wrong(
    why=("The old velocity was returned, so nothing is ever remembered from one step to the next.")
)
def velocity_not_returned(parameter, gradient, velocity, *, lr, momentum=0.9):
    new = momentum * velocity + gradient
    return parameter - lr * (gradient + momentum * new), velocity
