"""Diffusion: held against autograd, closed forms of Gaussians, scipy, and limits of its steps."""

import math
from itertools import pairwise

import pytest
import scipy.linalg
import torch
from torch import distributions as D
from torch.nn import functional as F

from solutions.diffusion import (
    ConditionedBlock,
    Denoiser,
    add_noise,
    clean_from_noise,
    cosine_table,
    denoising_loss,
    diffuse_mixture,
    drop_labels,
    flow_loss,
    flow_table,
    frechet_distance,
    from_velocity,
    gaussian_score,
    guided,
    langevin,
    mask_tokens,
    masked_diffusion_loss,
    mixture_score,
    posterior,
    reverse_step,
    sample,
    score_from_noise,
    spread,
    table_from_betas,
    time_features,
    tweedie,
    unmask,
)

DOUBLE = torch.float64


@pytest.fixture(autouse=True)
def double():
    """Tables come in torch's default float."""
    torch.set_default_dtype(DOUBLE)
    yield
    torch.set_default_dtype(torch.float32)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


def uniform(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


def mixture(*, seed=1):
    """Three round Gaussians in five dimensions."""
    return normal(3, seed=seed).softmax(0), 2 * normal(3, 5, seed=seed + 1), 0.3 + uniform(3)


def as_distribution(weights, means, variances):
    deviation = variances.sqrt()[:, None].expand_as(means)
    parts = D.Independent(D.Normal(means, deviation), 1)
    return D.MixtureSameFamily(D.Categorical(weights), parts)


def gradient(function, points):
    points = points.clone().requires_grad_()
    return torch.autograd.grad(function(points).sum(), points)[0]


# scores


@pytest.mark.parametrize("variance", [torch.tensor(0.7), torch.tensor([0.2, 1.0, 3.0])])
def test_the_score_of_a_gaussian_is_the_gradient_of_its_log_density(variance):
    points, mean = normal(7, 2, 3), normal(3, seed=1)
    density = D.Normal(mean, variance.to(DOUBLE).sqrt()).log_prob
    expected = gradient(lambda x: density(x).sum(-1), points)
    torch.testing.assert_close(gaussian_score(points, mean, variance.to(DOUBLE)), expected)


def test_the_score_of_a_mixture_is_the_gradient_of_its_log_density():
    points, parts = 2 * normal(7, 2, 5), mixture()
    expected = gradient(as_distribution(*parts).log_prob, points)
    torch.testing.assert_close(mixture_score(points, *parts), expected)


def test_far_out_the_nearest_component_decides():
    weights, means, variances = mixture()
    variances = torch.full_like(variances, 0.01)
    direction = normal(5, seed=9)
    points = 1e4 * direction / direction.norm()
    best = (means @ points).argmax()
    expected = gaussian_score(points, means[best], variances[best])
    torch.testing.assert_close(mixture_score(points, weights, means, variances), expected)


def test_a_component_of_weight_zero_is_not_there():
    weights, means, variances = mixture()
    points, more = normal(7, 5), normal(1, 5, seed=8)
    found = mixture_score(
        points,
        torch.cat([weights, torch.zeros(1)]),
        torch.cat([means, more]),
        torch.cat([variances, torch.ones(1)]),
    )
    torch.testing.assert_close(found, mixture_score(points, weights, means, variances))


def test_langevin_with_one_step_is_its_formula():
    points, draws = normal(4, 3), normal(1, 4, 3, seed=1)
    expected = points + 0.1 * torch.sin(points) + math.sqrt(0.2) * draws[0]
    before = points.clone()
    torch.testing.assert_close(langevin(points, torch.sin, 0.1, draws), expected)
    assert torch.equal(points, before)
    assert torch.equal(langevin(points, torch.sin, 0.1, draws[:0]), points)


def test_langevin_ends_with_the_density_of_its_score():
    """A linear step has a stationary variance in closed form: 2h / (1 − (1 − h/v)²) = v / (1 −
    h/2v).
    """
    variance, step = 0.5, 0.05
    draws = normal(400, 4000, 1)
    score = lambda x: gaussian_score(x, torch.tensor([3.0]), torch.tensor([variance]))  # noqa: E731
    found = langevin(torch.zeros(4000, 1), score, step, draws)
    stationary = variance / (1 - step / (2 * variance))
    error = math.sqrt(2 / 4000)
    assert abs(found.var().item() / stationary - 1) < 4 * error
    assert abs(found.mean().item() - 3) < 4 * math.sqrt(stationary / 4000)


def test_a_noised_mixture_is_what_its_samples_have():
    """The density of x_t is an integral over x_0: compared with a sum over a fine grid."""
    weights, means = torch.tensor([0.3, 0.7]), torch.tensor([[-1.0], [2.0]])
    variances, level = torch.tensor([0.2, 0.5]), torch.tensor([0.6, 0.7])
    grid = torch.linspace(-8, 10, 20_001)[:, None]
    before = as_distribution(weights, means, variances).log_prob(grid).exp()
    points = torch.tensor([[-2.0], [0.1], [1.7]])
    moves = D.Normal(level[0] * grid[:, 0], level[1]).log_prob(points).exp()  # (3, 20001)
    expected = (moves * before).sum(1) * (grid[1, 0] - grid[0, 0])
    found = as_distribution(*diffuse_mixture(weights, means, variances, level)).log_prob(points)
    torch.testing.assert_close(found.exp(), expected, rtol=1e-9, atol=0)


# levels


def test_one_step_is_as_good_as_many():
    """Means and variances of the chain, step by step."""
    betas = torch.linspace(0.01, 0.3, 13)
    signal, variance = [1.0], [0.0]
    for beta in betas.tolist():
        signal.append(signal[-1] * math.sqrt(1 - beta))
        variance.append((1 - beta) * variance[-1] + beta)
    expected = torch.tensor([signal, [math.sqrt(v) for v in variance]]).T
    torch.testing.assert_close(table_from_betas(betas), expected)


@pytest.mark.parametrize("table", [cosine_table, flow_table])
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_tables_go_from_clean_to_noise(table, dtype):
    torch.set_default_dtype(dtype)
    found = table(11)
    assert found.shape == (12, 2)
    assert found.dtype == dtype
    assert found[0].tolist() == [1, 0]
    assert found[-1, 0] >= 0
    torch.testing.assert_close(found[-1], torch.tensor([0.0, 1.0]))
    assert (found[1:, 0] < found[:-1, 0]).all()
    assert (found[1:, 1] > found[:-1, 1]).all()


def test_two_tables_keep_what_they_promise():
    torch.testing.assert_close(cosine_table(7).square().sum(1), torch.ones(8))
    torch.testing.assert_close(flow_table(7).sum(1), torch.ones(8))
    torch.testing.assert_close(cosine_table(4)[2], torch.full((2,), math.sqrt(0.5)))


@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 3, 7, 2)])
def test_every_example_gets_noise_of_its_own_level(shape):
    clean, draws, levels = normal(*shape), normal(*shape, seed=1), uniform(5, 2)
    found = add_noise(clean, draws, levels)
    for row in range(5):
        expected = levels[row, 0] * clean[row] + levels[row, 1] * draws[row]
        torch.testing.assert_close(found[row], expected)
    alike = add_noise(clean, draws, levels[2])
    torch.testing.assert_close(alike, levels[2, 0] * clean + levels[2, 1] * draws)


def test_levels_are_spread_over_trailing_axes():
    signal, noise = spread(uniform(5, 2), torch.zeros(5, 3, 7))
    assert signal.shape == noise.shape == (5, 1, 1)
    assert spread(uniform(2), torch.zeros(5, 3))[0].shape == (1, 1)


# predictions


def test_tweedie_is_the_posterior_mean():
    """For a Gaussian x_0, in closed form; for a mixture, by a sum over a grid."""
    level, mean, variance = torch.tensor([0.6, 0.8]), normal(3), torch.tensor(0.4)
    noisy = normal(5, 3, seed=1)
    score = gaussian_score(noisy, level[0] * mean, level[0] ** 2 * variance + level[1] ** 2)
    gain = level[0] * variance / (level[0] ** 2 * variance + level[1] ** 2)
    torch.testing.assert_close(
        tweedie(noisy, score, level), mean + gain * (noisy - level[0] * mean)
    )
    parts = torch.tensor([0.3, 0.7]), torch.tensor([[-1.0], [2.0]]), torch.tensor([0.2, 0.5])
    grid, noisy = torch.linspace(-8, 10, 20_001)[:, None], torch.tensor([[-1.0], [0.2], [1.4]])
    weight = as_distribution(*parts).log_prob(grid).exp()
    weight = weight * D.Normal(level[0] * grid[:, 0], level[1]).log_prob(noisy).exp()
    expected = (weight * grid[:, 0]).sum(1, keepdim=True) / weight.sum(1, keepdim=True)
    score = mixture_score(noisy, *diffuse_mixture(*parts, level))
    torch.testing.assert_close(tweedie(noisy, score, level), expected)


def test_what_was_noised_is_found_again():
    clean, draws, levels = normal(5, 3, 2), normal(5, 3, 2, seed=1), 0.1 + uniform(5, 2)
    noisy = add_noise(clean, draws, levels)
    torch.testing.assert_close(clean_from_noise(noisy, draws, levels), clean)
    score = score_from_noise(draws, levels)
    torch.testing.assert_close(tweedie(noisy, score, levels), clean)
    rates = normal(5, 2, seed=2)
    found = from_velocity(noisy, add_noise(clean, draws, rates), levels, rates)
    torch.testing.assert_close(found, (clean, draws))


def test_a_velocity_is_the_derivative_of_the_path():
    clean, draws = normal(5, 3), normal(5, 3, seed=1)
    time = torch.tensor(0.3)
    flow = lambda t: add_noise(clean, draws, torch.stack([1 - t, t]))  # noqa: E731
    turn = lambda t: add_noise(clean, draws, torch.stack([t.cos(), t.sin()]))  # noqa: E731
    one = torch.ones_like(time)
    _, velocity = torch.autograd.functional.jvp(flow, time, one)
    torch.testing.assert_close(velocity, draws - clean)
    torch.testing.assert_close(
        from_velocity(flow(time), velocity, flow_at(time), torch.tensor([-1.0, 1.0])),
        (clean, draws),
    )
    _, velocity = torch.autograd.functional.jvp(turn, time, one)
    level = torch.stack([time.cos(), time.sin()])
    rates = torch.stack([-time.sin(), time.cos()])
    torch.testing.assert_close(velocity, level[0] * draws - level[1] * clean)
    torch.testing.assert_close(from_velocity(turn(time), velocity, level, rates), (clean, draws))


def flow_at(time):
    return torch.stack([1 - time, time])


def test_losses_are_the_mean_of_squared_errors():
    clean, draws, levels = normal(5, 3), normal(5, 3, seed=1), uniform(5, 2)
    noisy = levels[:, :1] * clean + levels[:, 1:] * draws
    loss = denoising_loss(torch.tanh, clean, draws, levels)
    torch.testing.assert_close(loss, (noisy.tanh() - draws).square().mean())
    times = levels[:, 0]
    noisy = (1 - times)[:, None] * clean + times[:, None] * draws
    loss = flow_loss(torch.tanh, clean, draws, times)
    torch.testing.assert_close(loss, (noisy.tanh() - draws + clean).square().mean())


def test_the_best_linear_denoiser_predicts_the_score():
    """Least squares on the loss finds ε̂ = s x / (a² v + s²), which is −s times the score."""
    clean, draws, level = normal(40_000, 1), normal(40_000, 1, seed=1), torch.tensor([0.6, 0.8])
    noisy = add_noise(clean, draws, level)
    best = (noisy * draws).mean() / noisy.square().mean()
    score = gaussian_score(noisy, torch.zeros(1), level.square().sum())
    error = 4 / math.sqrt(40_000)
    assert (score_from_noise(best * noisy, level) / score - 1).abs().max() < 2 * error


# the way back


def test_the_posterior_is_bayes_rule():
    """A Gaussian prior of x_r given x_0, and a Gaussian likelihood of x_t given x_r."""
    table = cosine_table(10)
    now, then = table[7], table[4]
    noisy, clean = normal(5, 3), normal(5, 3, seed=1)
    ratio = now[0] / then[0]
    added = now[1] ** 2 - ratio**2 * then[1] ** 2
    precision = 1 / then[1] ** 2 + ratio**2 / added
    mean = (then[0] * clean / then[1] ** 2 + ratio * noisy / added) / precision
    torch.testing.assert_close(posterior(noisy, clean, now, then), (mean, 1 / precision))


def test_the_posterior_in_betas_is_ddpms():
    betas = torch.linspace(0.01, 0.2, 9)
    table, kept = table_from_betas(betas), (1 - betas).cumprod(0)
    noisy, clean, t = normal(5, 3), normal(5, 3, seed=1), 6  # of β_1 to β_9: β_7
    mean, variance = posterior(noisy, clean, table[t + 1], table[t])
    first = kept[t - 1].sqrt() * betas[t] / (1 - kept[t])
    second = (1 - betas[t]).sqrt() * (1 - kept[t - 1]) / (1 - kept[t])
    torch.testing.assert_close(mean, first * clean + second * noisy)
    torch.testing.assert_close(variance, betas[t] * (1 - kept[t - 1]) / (1 - kept[t]))


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
def test_a_step_in_betas_is_ddims(eta):
    """Song et al. 2021, eq. 12 with the deviation of eq. 16; α there is the product ᾱ."""
    betas = torch.linspace(0.01, 0.2, 9)
    table, kept = table_from_betas(betas), (1 - betas).cumprod(0)
    noisy, noise, draws = normal(5, 3), normal(5, 3, seed=1), normal(5, 3, seed=2)
    now, then = kept[6], kept[2]  # from seven steps of noise to three
    clean = (noisy - (1 - now).sqrt() * noise) / now.sqrt()
    deviation = eta * ((1 - then) / (1 - now)).sqrt() * (1 - now / then).sqrt()
    pointing = (1 - then - deviation**2).sqrt() * noise
    expected = then.sqrt() * clean + pointing + deviation * draws
    found = reverse_step(noisy, clean, table[7], table[3], eta=eta, draws=draws)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("table", [cosine_table(10), flow_table(10)])
def test_a_step_with_eta_1_draws_from_the_posterior(table):
    noisy, clean, draws = normal(5, 3), normal(5, 3, seed=1), normal(5, 3, seed=2)
    mean, variance = posterior(noisy, clean, table[8], table[5])
    found = reverse_step(noisy, clean, table[8], table[5], eta=1.0, draws=draws)
    torch.testing.assert_close(found, mean + variance.sqrt() * draws)


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
def test_a_step_keeps_the_levels(eta):
    """With the true x_0, the noise at the new level has its deviation, whatever eta."""
    table = cosine_table(10)
    clean, draws, fresh = torch.tensor([2.0]), normal(40_000, 1), normal(40_000, 1, seed=1)
    noisy = add_noise(clean.expand(40_000, 1), draws, table[8])
    found = reverse_step(noisy, clean, table[8], table[5], eta=eta, draws=fresh)
    error = found - table[5, 0] * clean
    assert abs(error.std() / table[5, 1] - 1) < 4 / math.sqrt(2 * 40_000)


def test_on_the_flow_table_a_step_is_eulers():
    now, then = flow_table(10)[7], flow_table(10)[4]
    noisy, velocity = normal(5, 3), normal(5, 3, seed=1)
    clean, _ = from_velocity(noisy, velocity, now, torch.tensor([-1.0, 1.0]))
    expected = noisy + (then[1] - now[1]) * velocity
    torch.testing.assert_close(reverse_step(noisy, clean, now, then), expected)


def test_the_last_step_returns_the_estimate():
    clean, draws = normal(5, 3, seed=1), normal(5, 3, seed=2)
    table = cosine_table(10)
    found = reverse_step(normal(5, 3), clean, table[1], table[0], eta=1.0, draws=draws)
    assert torch.equal(found, clean)


@pytest.mark.parametrize("table", [cosine_table, flow_table])
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_no_step_of_a_table_rounds_below_a_root_of_zero(table, dtype):
    torch.set_default_dtype(dtype)
    for steps in range(1, 200, 7):
        levels = table(steps)
        for row in range(steps, 0, -1):
            x = torch.ones(2)
            found = reverse_step(x, x, levels[row], levels[row - 1], eta=1.0, draws=x)
            assert found.isfinite().all(), (steps, row)


def test_fresh_noise_has_to_be_given():
    with pytest.raises(ValueError, match=r"eta = 0\.5 adds fresh noise"):
        reverse_step(torch.ones(2), torch.ones(2), *flow_table(2).flip(0)[:2], eta=0.5)


def gaussian_denoisers(table, mean, variance):
    """The best there are, for a Gaussian."""

    def at(level):
        def denoise(x):
            _, means, variances = diffuse_mixture(torch.ones(1), mean[None], variance[None], level)
            return tweedie(x, gaussian_score(x, means[0], variances[0]), level)

        return denoise

    return [at(level) for level in table]


@pytest.mark.parametrize("table", [cosine_table, flow_table])
def test_many_small_steps_carry_noise_to_the_data(table):
    """Of a Gaussian, the path is known: x_0 = m + √v ε for the noise ε that it starts at."""
    mean, variance, start = normal(3), torch.tensor(0.3), normal(5, 3, seed=1)
    errors = []
    for steps in (250, 500):
        levels = table(steps)
        levels[-1, 0] = 1e-9  # Tweedie's formula divides by the signal
        found = sample(gaussian_denoisers(levels, mean, variance), start, levels)
        errors.append((found - mean - variance.sqrt() * start).abs().max().item())
    assert errors[0] < 0.02
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.05)  # Euler's: of the first order


def test_ddpm_samples_have_the_moments_of_the_data():
    mean, variance, table = torch.tensor([2.0]), torch.tensor(0.3), cosine_table(300)[:-1]
    denoisers = gaussian_denoisers(table, mean, variance)
    start, draws = normal(4000, 1), normal(len(table) - 1, 4000, 1, seed=1)
    found = sample(denoisers, start, table, eta=1.0, draws=draws)
    assert abs(found.mean() - 2) < 4 * math.sqrt(0.3 / 4000) + 0.01
    assert abs(found.var() / 0.3 - 1) < 4 * math.sqrt(2 / 4000) + 0.01


def test_sampling_is_its_steps_in_order():
    table, start, draws = cosine_table(3), normal(5, 2), normal(3, 5, 2, seed=1)
    weights = normal(4, seed=2)
    denoisers = [lambda x, w=w: w * x for w in weights]
    x = start
    for row, fresh in zip((3, 2, 1), draws, strict=True):
        x = reverse_step(x, weights[row] * x, table[row], table[row - 1], eta=0.7, draws=fresh)
    assert torch.equal(sample(denoisers, start, table, eta=0.7, draws=draws), x)


# a network


def test_time_features_are_waves_of_growing_rates():
    times = torch.tensor([0.0, 0.1, 1.0])
    found = time_features(times, 6, fastest=100.0)
    for column, rate in enumerate((1.0, 10.0, 100.0)):
        torch.testing.assert_close(found[:, column], (rate * times).sin())
        torch.testing.assert_close(found[:, 3 + column], (rate * times).cos())
    assert time_features(times.float(), 6).dtype == torch.float32
    assert time_features(times[1], 8).shape == (8,)


@pytest.mark.parametrize("width", [2, 7])
def test_a_width_that_cannot_be_halved_is_refused(width):
    with pytest.raises(ValueError, match=f"got {width}"):
        time_features(torch.zeros(3), width)


def lively(**other):
    """A network whose output does not start at 0."""
    torch.manual_seed(0)
    model = Denoiser(3, 11, layers=2, time_width=4, **other)
    torch.nn.init.normal_(model.output.weight)
    torch.nn.init.normal_(model.output.bias)
    return model


def test_the_network_is_its_formula():
    model = lively(classes=5)
    x, times, labels = normal(7, 3), uniform(7), torch.arange(7) % 6
    features = time_features(times, 4)
    condition = F.silu(
        features @ model.time.weight.T + model.time.bias + model.label.weight[labels]
    )
    h = x @ model.input.weight.T + model.input.bias
    for block in model.blocks:
        inside = F.layer_norm(h, (11,), block.norm.weight, block.norm.bias) + condition
        h = h + block.down(F.silu(block.up(inside)))
    expected = h @ model.output.weight.T + model.output.bias
    torch.testing.assert_close(model(x, times, labels), expected)


def test_no_label_is_the_null_label():
    model, x, times = lively(classes=5), normal(7, 3), uniform(7)
    torch.testing.assert_close(model(x, times), model(x, times, torch.full((7,), 5)))
    assert not torch.allclose(model(x, times), model(x, times, torch.zeros(7, dtype=torch.int64)))
    assert lively().label is None


def test_one_time_for_all():
    model, x = lively(), normal(7, 3)
    time = torch.tensor(0.3)
    torch.testing.assert_close(model(x, time), model(x, time.expand(7)))


def test_an_untrained_network_returns_zero():
    model = Denoiser(3, 11, layers=2, classes=2)
    assert torch.equal(model(normal(7, 3), uniform(7)), torch.zeros(7, 3))
    assert all(isinstance(block, ConditionedBlock) for block in model.blocks)


def test_the_network_learns():
    """On one point, x_0 = m: the velocity is (x_t − m) / t."""
    torch.manual_seed(0)
    model, clean = Denoiser(2, 32, layers=2), torch.tensor([1.0, -2.0]).expand(256, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for step in range(200):
        times, draws = uniform(256, seed=step), normal(256, 2, seed=step + 1000)
        loss = flow_loss(lambda x, t=times: model(x, t), clean, draws, times)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]


# conditions


def test_labels_are_dropped_below_the_share():
    labels, draws = torch.arange(5), torch.tensor([0.0, 0.19, 0.2, 0.5, 0.99])
    found = drop_labels(labels, draws, share=0.2, null=7)
    assert found.tolist() == [7, 7, 2, 3, 4]
    assert found.dtype == torch.int64


def test_guidance_goes_from_one_prediction_past_the_other():
    first, second = normal(5, 3), normal(5, 3, seed=1)
    torch.testing.assert_close(guided(first, second, 0.0), second)
    torch.testing.assert_close(guided(first, second, 1.0), first)
    torch.testing.assert_close(guided(first, second, 3.0), 3 * first - 2 * second)  # 1 + w, −w


# distances


def by_scipy(features, others):
    first, second = torch.cov(features.T), torch.cov(others.T)
    root = scipy.linalg.sqrtm((first @ second).numpy())
    gap = (features.mean(0) - others.mean(0)).square().sum()
    return gap + first.trace() + second.trace() - 2 * root.trace().real


def test_the_frechet_distance_is_scipys():
    features, others = normal(40, 5) @ normal(5, 5, seed=1), normal(30, 5, seed=2) + 1
    torch.testing.assert_close(frechet_distance(features, others), by_scipy(features, others))


def test_the_distance_of_a_set_from_itself_and_from_its_shift():
    features = normal(40, 5) @ normal(5, 5, seed=1)
    zero = torch.tensor(0.0)
    torch.testing.assert_close(frechet_distance(features, features), zero)
    torch.testing.assert_close(frechet_distance(features + 2, features), torch.tensor(20.0))
    torch.testing.assert_close(
        frechet_distance(3 * features, features),
        4 * (features.mean(0).square().sum() + torch.cov(features.T).trace()),
    )


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_singular_covariances_lose_no_digits(dtype):
    """Fewer examples than features: the same examples in fewer dimensions say how far it is."""
    features, others = normal(4, 3), normal(6, 3, seed=1)
    turn = torch.linalg.qr(normal(11, 3, seed=2)).Q.T
    expected = frechet_distance(features, others)
    found = frechet_distance((features @ turn).to(dtype), (others @ turn).to(dtype))
    tolerance = {torch.float32: 1e-5, DOUBLE: 1e-12}[dtype]
    torch.testing.assert_close(found.to(DOUBLE), expected, rtol=tolerance, atol=0)


# masked diffusion


def test_tokens_are_hidden_below_the_level_of_their_text():
    tokens = torch.arange(6).reshape(2, 3)
    draws = torch.tensor([[0.0, 0.3, 0.6], [0.0, 0.3, 0.6]])
    found = mask_tokens(tokens, draws, torch.tensor([0.3, 0.5]), mask=9)
    assert found.tolist() == [[9, 1, 2], [9, 9, 5]]
    assert found.dtype == torch.int64


def test_the_loss_weighs_each_text_by_its_level():
    logits, tokens = normal(2, 3, 7), torch.tensor([[0, 1, 2], [3, 4, 5]])
    masked = torch.tensor([[True, False, True], [False, True, False]])
    chances = logits.log_softmax(-1)
    expected = -((chances[0, 0, 0] + chances[0, 2, 2]) / 0.5 + chances[1, 1, 4] / 0.25) / 6
    found = masked_diffusion_loss(logits, tokens, masked, torch.tensor([0.5, 0.25]))
    torch.testing.assert_close(found, expected)
    nothing = torch.zeros(2, 3, dtype=torch.bool)
    assert masked_diffusion_loss(logits, tokens, nothing, torch.tensor([0.5, 0.25])) == 0


def test_the_loss_is_the_cross_entropy_for_a_model_that_ignores_its_input():
    """Then E[masked / t] = 1 for each token, and the bound is exact; averaged over many masks."""
    logits, tokens = normal(7).expand(4000, 5, 7), torch.arange(5).expand(4000, 5)
    levels = 0.05 + 0.95 * uniform(4000)
    masked = uniform(4000, 5, seed=1) < levels[:, None]
    found = masked_diffusion_loss(logits, tokens, masked, levels)
    expected = -normal(7).log_softmax(0)[:5].mean()
    assert abs(found / expected - 1) < 0.05


def test_what_is_shown_stays_and_the_last_step_shows_all():
    tokens = torch.tensor([[9, 1, 9, 3], [9, 9, 2, 9]])
    proposed = torch.tensor([[4, 5, 6, 7], [4, 5, 6, 7]])
    draws = torch.tensor([[0.1, 0.1, 0.9, 0.1], [0.49, 0.5, 0.1, 0.99]])
    found = unmask(tokens, proposed, draws, 0.8, 0.4, mask=9)
    assert found.tolist() == [[4, 1, 9, 3], [4, 9, 2, 9]]
    assert unmask(tokens, proposed, draws, 0.8, 0.0, mask=9).tolist() == [
        [4, 1, 6, 3],
        [4, 5, 2, 7],
    ]


def test_steps_back_hide_as_many_as_the_levels_say():
    tokens, proposed = torch.full((1, 20_000), 9), torch.zeros(1, 20_000, dtype=torch.int64)
    levels = [1.0, 0.7, 0.2]
    for step, (now, then) in enumerate(pairwise(levels)):
        tokens = unmask(tokens, proposed, uniform(1, 20_000, seed=step), now, then, mask=9)
        share = (tokens == 9).double().mean().item()
        assert abs(share - then) < 4 * math.sqrt(then * (1 - then) / 20_000)
