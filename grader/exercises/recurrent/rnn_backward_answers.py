"""Right and wrong answers to `recurrent.rnn_backward`."""

import torch

from grader.author.answers import right, wrong


@right
def summed_on_the_way(grad, x, h, states, weight_ih, weight_hh):
    grad_x, grad_ih = torch.zeros_like(x), torch.zeros_like(weight_ih)
    grad_hh, later = torch.zeros_like(weight_hh), torch.zeros_like(h)
    for t in range(x.shape[1] - 1, -1, -1):
        now = states[:, t]
        delta = (grad[:, t] + later) * (1 - now * now)
        grad_x[:, t] = delta @ weight_ih
        grad_ih = grad_ih + delta.T @ x[:, t]
        grad_hh = grad_hh + delta.T @ (states[:, t - 1] if t else h)
        later = delta @ weight_hh
    return grad_x, later, grad_ih, grad_hh


@right
def over_reversed_lists(grad, x, h, states, weight_ih, weight_hh):
    before = [h, *states.unbind(1)[:-1]]
    steps = list(zip(grad.unbind(1), x.unbind(1), states.unbind(1), before, strict=True))
    carried, slopes = 0.0, []
    sums = [0.0, 0.0]
    for asked, given, state, past in reversed(steps):
        delta = (asked + carried) * (1 - state**2)
        carried = torch.einsum("bh,hk->bk", delta, weight_hh)
        slopes.insert(0, torch.einsum("bh,hd->bd", delta, weight_ih))
        sums[0] = sums[0] + torch.einsum("bh,bd->hd", delta, given)
        sums[1] = sums[1] + torch.einsum("bh,bk->hk", delta, past)
    return torch.stack(slopes, dim=1), carried, sums[0], sums[1]


wrong(
    "nothing_carried",
    why=(
        "Each step gets only its own gradient; the gradient from the later steps is not carried "
        "back."
    ),
    change={"(grad[:, t] + carried)": "grad[:, t]"},
)


wrong(
    "only_the_last_loss",
    why=(
        "Only the gradient of the last step is carried back; the direct gradients of earlier "
        "states are left out."
    ),
    change={"(grad[:, t] + carried)": "(carried if t + 1 < states.shape[1] else grad[:, t])"},
)


wrong(
    "slope_at_the_carried_alone",
    why=(
        "The slope of tanh multiplies both the direct gradient of this state and the gradient "
        "carried back to it."
    ),
    change={
        "(grad[:, t] + carried) * (1 - states[:, t].square())": (
            "grad[:, t] + carried * (1 - states[:, t].square())"
        )
    },
)


wrong(
    "state_after_for_before",
    why=(
        "In the gradient of W_hh, each δ_t is multiplied by the state *before* the step, "
        "h_{t−1}, which for the first step is the argument `h`."
    ),
    change={'"bth,btk->hk", delta, before': '"bth,btk->hk", delta, states'},
)


wrong(
    "first_state_forgotten",
    why=(
        "The first step started from `h`, not from zeros; its share of the gradient of W_hh is "
        "missing."
    ),
    change={"torch.cat([h[:, None], ": "torch.cat([torch.zeros_like(h)[:, None], "},
)


wrong(
    "not_transposed",
    why="Going back takes W_hhᵀ δ; for row vectors that is delta @ weight_hh, without a transpose.",
    change={"delta[:, t] @ weight_hh": "delta[:, t] @ weight_hh.T"},
)


wrong(
    "forward_in_time",
    why=(
        "You went from the first step to the last, but the gradient from later steps must be "
        "known first."
    ),
    change={"reversed(range(states.shape[1]))": "range(states.shape[1])"},
)


wrong(
    "mean_over_the_batch",
    why=(
        "The gradients of the weights are sums over batch and steps; a mean is in the loss, "
        "if at all."
    ),
    change={
        "    return delta @ weight_ih, carried, grad_ih, grad_hh\n": (
            "    return delta @ weight_ih, carried, grad_ih / len(x), grad_hh / len(x)\n"
        )
    },
)


wrong(
    "derivative_of_the_logistic",
    why=(
        "h (1 − h) is the slope of the logistic function; that of tanh, in terms of its output, "
        "is 1 − h²."
    ),
    change={"(1 - states[:, t].square())": "(states[:, t] * (1 - states[:, t]))"},
)
