"""Diffusion beside `diffusers`: the same levels, the same targets, the same samples.

Its schedulers keep their tables in float32, so that all numbers agree to float32's rounding.
"""

import pytest
import torch
from diffusers import DDIMScheduler, DDPMScheduler, FlowMatchEulerDiscreteScheduler

from solutions.diffusion import (
    add_noise,
    clean_from_noise,
    flow_table,
    from_velocity,
    sample,
    table_from_betas,
)

KINDS = ["linear", "scaled_linear", "squaredcos_cap_v2"]
PLAIN = {"num_train_timesteps": 200, "clip_sample": False}


def noise_of(x):
    """A model of the noise: any function will do, if it bends."""
    return torch.tanh(1.5 * x + 0.2)


@pytest.fixture
def start():
    return torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("kind", KINDS)
def test_levels_and_noisy_examples(kind, start):
    theirs = DDPMScheduler(**PLAIN, beta_schedule=kind)
    table = table_from_betas(theirs.betas)
    torch.testing.assert_close(table[1:, 0] ** 2, theirs.alphas_cumprod)
    steps = torch.tensor([0, 77, 199])
    draws = torch.randn(start.shape, generator=torch.Generator().manual_seed(1))
    due = theirs.add_noise(start, draws, steps)
    torch.testing.assert_close(add_noise(start, draws, table[steps + 1]), due)


@pytest.mark.parametrize("kind", KINDS)
def test_ddpm(kind, start):
    theirs = DDPMScheduler(**PLAIN, beta_schedule=kind, variance_type="fixed_small")
    generator = torch.Generator().manual_seed(2)
    due = start
    for step in theirs.timesteps:
        due = theirs.step(noise_of(due), step, due, generator=generator).prev_sample
    generator.manual_seed(2)
    draws = [torch.randn(start.shape, generator=generator) for _ in theirs.timesteps[:-1]]
    draws = torch.stack([*draws, torch.zeros_like(start)])  # no noise in the last step
    table = table_from_betas(theirs.betas)
    assert len(table) == len(draws) + 1
    denoisers = [lambda x, row=row: clean_from_noise(x, noise_of(x), row) for row in table]
    found = sample(denoisers, start, table, eta=1.0, draws=draws)
    torch.testing.assert_close(found, due, rtol=5e-4, atol=1e-4)  # 200 steps round to 1.3e-4


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("target", ["epsilon", "v_prediction"])
def test_ddim_in_fewer_steps(eta, target, start):
    theirs = DDIMScheduler(**PLAIN, beta_schedule="scaled_linear", prediction_type=target)
    theirs.set_timesteps(20)
    draws = torch.randn(20, *start.shape, generator=torch.Generator().manual_seed(3))
    due = start
    for step, fresh in zip(theirs.timesteps, draws, strict=True):
        more = {"variance_noise": fresh} if eta else {}
        due = theirs.step(noise_of(due), step, due, eta=eta, **more).prev_sample
    kept = [0, *(theirs.timesteps.flip(0) + 1).tolist()]
    table = table_from_betas(theirs.betas)[kept]

    def clean(x, row):
        if target == "epsilon":
            return clean_from_noise(x, noise_of(x), row)
        return from_velocity(x, noise_of(x), row, torch.stack([-row[1], row[0]]))[0]

    denoisers = [lambda x, row=row: clean(x, row) for row in table]
    found = sample(denoisers, start, table, eta=eta, draws=draws if eta else None)
    torch.testing.assert_close(found, due, rtol=1e-4, atol=1e-5)


def test_flow_matching_by_euler_steps(start):
    theirs = FlowMatchEulerDiscreteScheduler(num_train_timesteps=1000)
    theirs.set_timesteps(sigmas=flow_table(8)[1:, 1].flip(0).tolist())
    due = start
    for step in theirs.timesteps:
        due = theirs.step(noise_of(due), step, due).prev_sample
    table, rates = flow_table(8), torch.tensor([-1.0, 1.0])
    denoisers = [lambda x, row=row: from_velocity(x, noise_of(x), row, rates)[0] for row in table]
    torch.testing.assert_close(sample(denoisers, start, table), due)
