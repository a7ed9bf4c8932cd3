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
    why="You read the output before the step added its input, so every output comes one step late.",
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
        "You multiplied the real parts of w and h. The real part of the product is Re w · Re h − "
        "Im w · Im h."
    ),
    change={"(w * h).sum(dim=-1).real": "(w.real * h.real).sum(dim=-1)"},
)


wrong(
    "state_made_real",
    why=(
        "You carried on only the real part of the state; without the imaginary part it cannot "
        "rotate."
    ),
    change={"h = f * h + g": "h = f * h.real + g"},
)


wrong(
    "input_not_discretized",
    why=(
        "You multiplied the input by 1 and not by g: how much comes in during a step depends on "
        "its length."
    ),
    change={"g * now[..., None]": "now[..., None]"},
)


wrong(
    "step_times_input",
    why=(
        "You used Δ for g, as in Euler's method. That is accurate for tiny steps; during a longer "
        "one the input already begins to decay."
    ),
    change={"g * now[..., None]": "step[:, None] * now[..., None]"},
)


wrong(
    "one_euler_step",
    why=(
        "You used 1 + Δ s for f, Euler's method; the exact factor is exp(Δ s), which never "
        "explodes."
    ),
    change={
        "f, g = discretize(rate, frequency, step)\n": (
            "f, g = discretize(rate, frequency, step)\n"
            "    f = 1 + step[:, None] * torch.complex(-rate, frequency)\n"
        )
    },
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


wrong(
    "mean_over_the_states",
    why="The output is the weighted sum over states; you took the mean.",
    change={"(w * h).sum(dim=-1)": "(w * h).mean(dim=-1)"},
)
