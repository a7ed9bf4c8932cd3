"""Right and wrong answers to `efficient_attention.ssm_recurrence`."""

import torch

from grader.author.answers import right, wrong
from solutions.efficient_attention import discretize


@right
def real_and_imaginary_apart(x, rate, frequency, step, weight):
    f, g = discretize(rate, frequency, step)
    real = x.new_zeros(x.shape[0], *rate.shape)
    imaginary = torch.zeros_like(real)
    outputs = []
    for t in range(x.shape[1]):
        now = x[:, t, :, None]
        real, imaginary = (
            f.real * real - f.imag * imaginary + g.real * now,
            f.real * imaginary + f.imag * real + g.imag * now,
        )
        outputs.append((weight[..., 0] * real - weight[..., 1] * imaginary).sum(-1))
    return torch.stack(outputs, dim=1)


@right
def all_powers_at_once(x, rate, frequency, step, weight):
    s = -rate + 1j * frequency
    f = (step.unsqueeze(-1) * s).exp()
    g = (f - 1) / s
    length = x.shape[1]
    at = torch.arange(length, device=x.device)
    back = at[:, None] - at
    powers = f[..., None, None] ** back.clamp(min=0) * (back >= 0)  # (D, H, T, T)
    states = torch.einsum("dhts,bsd,dh->btdh", powers, x.to(f.dtype), g)
    return torch.einsum("btdh,dh->btd", states, weight[..., 0] + 1j * weight[..., 1]).real


wrong(
    "output_before_the_input",
    why="The output was read before the step took its input in: every output comes one step late.",
    change={
        (
            "        h = f * h + g * now[..., None]  # (B, D, H)\n        outputs.append((w "
            "* h).sum(dim=-1).real)\n"
        ): (
            "        outputs.append((w * h).sum(dim=-1).real.expand(x.shape[0], -1))\n"
            "        h = f * h + g * now[..., None]\n"
        )
    },
)


wrong(
    "real_parts_multiplied",
    why=(
        "The real parts of w and h were multiplied. The real part of a product is another thing: "
        "Re w · Re h − Im w · Im h."
    ),
    change={"(w * h).sum(dim=-1).real": "(w.real * h.real).sum(dim=-1)"},
)


wrong(
    "state_made_real",
    why=(
        "Only the real part of the state was carried on; without the imaginary part it cannot turn."
    ),
    change={"h = f * h + g": "h = f * h.real + g"},
)


wrong(
    "input_not_discretized",
    why=(
        "The input was multiplied by 1 and not by g: how much comes in during a step "
        "depends on the step."
    ),
    change={"g * now[..., None]": "now[..., None]"},
)


wrong(
    "step_times_input",
    why=(
        "g was taken for Δ, as in Euler's method. That is right for tiny steps; during a "
        "longer one "
        "what came in has already begun to decay."
    ),
    change={"g * now[..., None]": "step[:, None] * now[..., None]"},
)


wrong(
    "one_euler_step",
    why="f was taken for 1 + Δ s, Euler's step; the exact factor is exp(Δ s), and never explodes.",
    change={
        "f, g = discretize(rate, frequency, step)\n": (
            "f, g = discretize(rate, frequency, step)\n"
            "    f = 1 + step[:, None] * torch.complex(-rate, frequency)\n"
        )
    },
)


wrong(
    "conjugated_weight",
    why="The weight was conjugated: its imaginary part has the wrong sign.",
    change={
        (
            "torch.complex(weight[..., 0], weight[..., 1])"
        ): "torch.complex(weight[..., 0], -weight[..., 1])"
    },
)


wrong(
    "mean_over_the_states",
    why="The states are summed with their weights; you took the mean.",
    change={"(w * h).sum(dim=-1)": "(w * h).mean(dim=-1)"},
)
