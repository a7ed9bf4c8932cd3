"""Right and wrong answers to `transformer.rotary`."""

import torch

from grader.author.answers import right, wrong


@right
def half_turned(x, positions=None, *, base=10_000.0):
    length, size = x.shape[-2:]
    if size % 2:
        raise ValueError("odd")
    positions = torch.arange(length, device=x.device) if positions is None else positions
    exact = torch.float64 if x.dtype == torch.float64 else torch.float32
    if isinstance(base, (list, tuple)):
        rates = torch.as_tensor(base, dtype=exact, device=x.device)
    else:
        rates = 1.0 / base ** (torch.arange(0, size, 2, device=x.device).to(exact) / size)
    angles = torch.outer(positions.to(exact), rates).repeat(1, 2)
    turned = torch.cat([-x[..., size // 2 :], x[..., : size // 2]], dim=-1)
    return x * angles.cos().to(x.dtype) + turned * angles.sin().to(x.dtype)


@right
def as_complex_numbers(x, positions=None, *, base=10_000.0):
    size = x.shape[-1]
    if size % 2 == 1:
        raise ValueError("odd")
    if positions is None:
        positions = torch.arange(x.shape[-2], device=x.device)
    exact = x if x.dtype == torch.float64 else x.float()
    if isinstance(base, float | int):
        base = [base ** (-2 * i / size) for i in range(size // 2)]
    rates = torch.tensor(base, dtype=exact.dtype, device=x.device)
    angles = positions.unsqueeze(-1) * rates
    points = torch.complex(exact[..., : size // 2], exact[..., size // 2 :])
    found = points * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([found.real, found.imag], dim=-1).to(x.dtype)


wrong(
    "neighbors_paired",
    why=(
        "You paired neighbors, 2i and 2i + 1, as the paper does; here feature i is paired with i + "
        "d_k/2, as in the weights of most models. Both conventions work, but weights trained with "
        "one fail with the other."
    ),
    change={
        "first, second = x[..., :half], x[..., half:]": (
            "first, second = x[..., 0::2], x[..., 1::2]"
        ),
        "return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)": (
            "turned = [first * cos - second * sin, second * cos + first * sin]\n"
            "    return torch.stack(turned, dim=-1).flatten(-2)"
        ),
    },
)


wrong(
    "read_as_neighbors_written_as_halves",
    why=(
        "You read neighbors as pairs but wrote the results back as halves, so features change "
        "places. Scores between queries and keys hide this, because both are shuffled alike."
    ),
    change={
        "first, second = x[..., :half], x[..., half:]": (
            "first, second = x[..., 0::2], x[..., 1::2]"
        ),
    },
)


wrong(
    "clockwise",
    why=(
        "You rotated clockwise. A model trained that way scores as well, but it is not the "
        "rotation asked for: the first coordinate is first · cos − second · sin."
    ),
    change={
        "first * cos - second * sin, second * cos + first * sin": (
            "first * cos + second * sin, second * cos - first * sin"
        )
    },
)


wrong(
    "sign_lost",
    why=(
        "Both sines have a plus sign. That is not a rotation: it changes lengths, and scores no "
        "longer depend on the distance alone."
    ),
    change={"first * cos - second * sin": "first * cos + second * sin"},
)


wrong(
    "positions_ignored",
    why=(
        "You always count from 0. With cached keys, the new query comes after them, and its "
        "position is passed in."
    ),
    change={"if positions is None:": "if True:"},
)


wrong(
    "one_angle_for_all",
    why=(
        "You rotate all pairs at one rate. Fast pairs distinguish neighboring positions, slow ones "
        "distant positions."
    ),
    change={
        "-torch.arange(half, dtype=exact, device=x.device) / half": (
            "-torch.zeros(half, dtype=exact)"
        ),
    },
)


wrong(
    "exponent_halved",
    why="The exponent is 2i/d_k: divide i by half the number of features, not by all of it.",
    change={"device=x.device) / half)": "device=x.device) / x.shape[-1])"},
)


wrong(
    "counted_from_one",
    why="Without `positions`, the first position is 0, which is not rotated; you started at 1.",
    change={"torch.arange(x.shape[-2], device=x.device)": "torch.arange(1, x.shape[-2] + 1)"},
)


wrong(
    "angles_in_half_precision",
    why=(
        "You computed the angles in the dtype of x. In bfloat16, 1001 and 1002 are the same "
        "number, so distant positions cannot be told apart."
    ),
    change={"exact = torch.promote_types(x.dtype, torch.float32)": "exact = x.dtype"},
    corner=True,
)


wrong(
    "waves_added",
    why=(
        "You added the waves to x. Rotary positions rotate x. With addition, the score has terms "
        "that depend on the position of the query alone, or of the key alone."
    ),
    change={"first * cos - second * sin, second * cos + first * sin": "first + cos, second + sin"},
)


wrong(
    "base_written_in",
    why="You hard-coded 10,000; `base` may be another number.",
    change={"rates = base **": "rates = 10_000.0 **"},
)


wrong(
    "rates_taken_for_bases",
    why=(
        "You raised each number of a sequence to a power. A sequence holds the rates themselves, "
        "the angle of each pair per position."
    ),
    change={
        "rates = torch.tensor(base, dtype=exact, device=x.device)": (
            "powers = -torch.arange(half, dtype=exact) / half\n"
            "        rates = torch.tensor(base, dtype=exact) ** powers"
        )
    },
)


wrong(
    "rates_in_a_list_alone",
    why="Accept rates in any sequence, a tuple as well as a list.",
    change={"isinstance(base, Sequence)": "isinstance(base, list)"},
    corner=True,
)
