"""Right and wrong answers to `efficient_attention.parallel_scan`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.efficient_attention import combine


@right
def doubling(decay, x, state=None):
    if state is not None:
        x = torch.cat([x[..., :1, :] + decay[..., :1, :] * state[..., None, :], x[..., 1:, :]], -2)
    length, reach = x.shape[-2], 1
    while reach < length:
        earlier = (
            F.pad(decay[..., :-reach, :], (0, 0, reach, 0), value=1.0),
            F.pad(x[..., :-reach, :], (0, 0, reach, 0)),
        )
        decay, x = combine(earlier, (decay, x))
        reach *= 2
    return x


@right
def halves(decay, x, state=None):
    def scan(f, x):
        length = x.shape[-2]
        if length == 1:
            return f, x
        middle = length // 2
        power = 1
        while 2 * power < length:
            power *= 2
        middle = power
        f_1, x_1 = scan(f[..., :middle, :], x[..., :middle, :])
        f_2, x_2 = scan(f[..., middle:, :], x[..., middle:, :])
        x_2 = x_2 + f_2 * x_1[..., -1:, :]
        f_2 = f_2 * f_1[..., -1:, :]
        return torch.cat([f_1, f_2], -2), torch.cat([x_1, x_2], -2)

    def level(f, x, size):
        while size < x.shape[-2]:
            f, x = merge(f, x, size)
            size *= 2
        return f, x

    def merge(f, x, size):
        blocks = x.shape[-2] // (2 * size)
        f = f.unflatten(-2, (blocks, 2, size))
        x = x.unflatten(-2, (blocks, 2, size))
        right_x = x[..., 1, :, :] + f[..., 1, :, :] * x[..., 0, -1:, :]
        right_f = f[..., 1, :, :] * f[..., 0, -1:, :]
        x = torch.stack([x[..., 0, :, :], right_x], dim=-3).flatten(-4, -2)
        f = torch.stack([f[..., 0, :, :], right_f], dim=-3).flatten(-4, -2)
        return f, x

    length = x.shape[-2]
    full = 1
    while full < length:
        full *= 2
    padded_f = F.pad(decay, (0, 0, 0, full - length))
    padded_x = F.pad(x, (0, 0, 0, full - length))
    whole_f, whole_x = level(padded_f, padded_x, 1)
    states = whole_x[..., :length, :]
    if state is not None:
        states = states + whole_f[..., :length, :] * state.unsqueeze(-2)
    return states


@wrong(
    why=(
        "The result is right, but Python repeats something for each of the T steps. The number of "
        "rounds of a scan grows with the logarithm of T."
    ),
)
def one_after_another(decay, x, state=None):
    h = torch.zeros_like(x[..., 0, :]) if state is None else state
    found = []
    for t in range(x.shape[-2]):
        h = decay[..., t, :] * h + x[..., t, :]
        found.append(h)
    return torch.stack(found, dim=-2)


@wrong(
    why=(
        "You divided by the product of all decays so far. On paper this is right; in "
        "floating point "
        "the product vanishes after some hundred steps, and a single decay of zero makes it NaN."
    ),
)
def divided_by_the_product(decay, x, state=None):
    product = decay.cumprod(dim=-2)
    begin = 0.0 if state is None else state[..., None, :]
    return product * (begin + (x / product).cumsum(dim=-2))


@wrong(
    why=(
        "You put all products of decays into a table of T × T: right, and in few steps, but with "
        "T² work and memory instead of 2 T combinations."
    ),
)
def table_of_products(decay, x, state=None):
    length = x.shape[-2]
    later = (torch.arange(length)[:, None] > torch.arange(length))[..., None]  # (T, T, 1)
    factors = torch.where(later, decay[..., :, None, :], 1.0).cumprod(dim=-3)
    seen = later | torch.eye(length, dtype=torch.bool)[..., None]
    states = (factors * seen * x[..., None, :, :]).sum(dim=-2)
    return states if state is None else states + decay.cumprod(dim=-2) * state[..., None, :]


wrong(
    "combined_in_the_wrong_order",
    why=(
        "You combined the later step as the first one: the earlier input must decay, not the later "
        "one."
    ),
    change={
        "combine([part[..., :half, :] for part in even], odd)": (
            "combine(odd, [part[..., :half, :] for part in even])"
        )
    },
)


wrong(
    "state_not_used",
    why="You ignored the given initial state and started with zeros.",
    change={"if state is not None:": "if False:"},
)


wrong(
    "state_not_decayed",
    why="You added the initial state unchanged; the first step's decay multiplies it.",
    change={"decay[..., :1, :] * state[..., None, :]": "state[..., None, :]"},
)


wrong(
    "decay_of_the_step_before",
    why=(
        "In filling the gaps you used the decay of the step before; f_t belongs to the step that "
        "adds x_t."
    ),
    change={
        "even[0][..., 1:, :] * before": "odd[0][..., : length - half - 1, :] * before",
    },
)


wrong(
    "gaps_left_open",
    why="The double steps give every second state; you left the others without their past.",
    change={"even[0][..., 1:, :] * before + even[1][..., 1:, :]": "even[1][..., 1:, :]"},
)


@wrong(why="You summed the inputs without any decay.")
def plain_sum(decay, x, state=None):
    begin = 0.0 if state is None else state[..., None, :]
    return begin + x.cumsum(dim=-2)


@wrong(
    why=(
        "You multiplied each state by the product of the decays from the start, as if every input "
        "had come at the beginning."
    ),
)
def decayed_from_the_start(decay, x, state=None):
    begin = 0.0 if state is None else state[..., None, :]
    return decay.cumprod(dim=-2) * (begin + x.cumsum(dim=-2))
