"""Right and wrong answers to `efficient_attention.ssm_kernel`."""

import torch

from grader.author.answers import right, wrong
from solutions.efficient_attention import discretize


@right
def exponentials_of_times(rate, frequency, step, weight, *, length):
    s = torch.complex(-rate, frequency)
    g = torch.expm1(step[:, None] * s) / s
    times = torch.arange(length, device=step.device) * step[:, None]  # (D, length)
    waves = torch.exp(s[..., None] * times[:, None, :])
    c = weight[..., 0] + 1j * weight[..., 1]
    return ((c * g)[..., None] * waves).sum(dim=1).real


@right
def one_power_after_another(rate, frequency, step, weight, *, length):
    f, h = discretize(rate, frequency, step)
    answers = []
    for _ in range(length):
        answers.append((weight[..., 0] * h.real - weight[..., 1] * h.imag).sum(-1))
        h = f * h
    return torch.stack(answers, dim=-1)


wrong(
    "powers_from_one",
    why=(
        "Your powers start at f¹. At time 0 the input has only now come in and nothing has decayed "
        "yet: f⁰."
    ),
    change={
        "torch.arange(length, device=f.device)": "torch.arange(1, length + 1, device=f.device)"
    },
)


wrong(
    "backward_in_time",
    why=(
        "The kernel starts with time 0, the newest input; you wrote it from the oldest to the "
        "newest."
    ),
    change={
        "torch.arange(length, device=f.device)": "torch.arange(length, device=f.device).flip(0)"
    },
)


wrong(
    "input_not_discretized",
    why="g is missing: how much of the input comes in during a step.",
    change={"w * g, powers": "w, powers"},
)


wrong(
    "real_parts_multiplied",
    why=(
        "You took real parts before the product; the real part of a product is not the product of "
        "real parts."
    ),
    change={
        'torch.einsum("dh,dht->dt", w * g, powers).real': (
            'torch.einsum("dh,dht->dt", (w * g).real, powers.real)'
        )
    },
)


wrong(
    "magnitude_for_real_part",
    why="You took the absolute value; a kernel could then never change its sign.",
    change={"powers).real": "powers).abs()"},
)


wrong(
    "states_not_weighted",
    why="The weights w of the states are missing.",
    change={"w * g, powers": "g, powers"},
)


wrong(
    "conjugated_weight",
    why="You conjugated the weight: its imaginary part has the wrong sign.",
    change={
        (
            "torch.complex(weight[..., 0], weight[..., 1])"
        ): "torch.complex(weight[..., 0], -weight[..., 1])"
    },
)
