"""`solutions.generative` against scikit-learn, torch.distributions and finite differences."""

import math
from functools import partial

import draws
import pytest
import torch
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
)
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB
from torch.autograd import gradcheck
from torch.distributions import (
    Bernoulli,
    Independent,
    MixtureSameFamily,
    MultivariateNormal,
    Normal,
)
from torch.distributions import Categorical as Classes
from torch.nn import functional as F

from solutions.generative import (
    GaussianNB,
    bernoulli_linear_form,
    bernoulli_log_likelihood,
    calibration_error,
    chance_above,
    draw_labels,
    fill_in,
    fit_bernoulli,
    fit_covariance,
    fit_gaussian,
    gaussian_linear_form,
    gaussian_log_density,
    joint_loss,
    log_evidence,
    log_posterior,
    log_prior,
    multivariate_log_density,
    sample_bernoulli,
    sample_gaussian,
)

assert_equal = partial(draws.assert_equal, rtol=1e-12, atol=1e-12)

B, C, D = 31, 5, 7


@pytest.fixture(autouse=True)
def double():
    """The prior comes in the default dtype; the oracles compute in float64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def draw(rng, *shape):
    return torch.randn(shape, generator=rng)


def labeled(rng, *, binary=False):
    """Examples of five classes, unequally many, with means and scales of their own."""
    labels = torch.cat([torch.arange(C), torch.randint(C - 1, (B - C,), generator=rng)])
    scales = torch.linspace(0.3, 2.0, C)[labels, None]
    features = draw(rng, C, D)[labels] + scales * draw(rng, B, D)
    return (features > 0).double() if binary else features, labels


def classes(rng):
    """A prior, means and variances."""
    return F.log_softmax(draw(rng, C), 0), draw(rng, C, D), draw(rng, C, D).exp()


# density


@pytest.mark.parametrize("lead", [(), (B,), (2, 3)])
@pytest.mark.parametrize("shared", [False, True])
def test_gaussian_log_density_is_that_of_torch(rng, lead, shared):
    _, mean, variance = classes(rng)
    x, variance = draw(rng, *lead, D), variance[:1] if shared else variance
    leaves = [value.clone().requires_grad_() for value in (x, mean, variance)]
    copies = [value.clone().requires_grad_() for value in (x, mean, variance)]
    got = gaussian_log_density(*leaves)
    theirs = Independent(Normal(copies[1], copies[2].expand(C, D).sqrt()), 1)
    expected = theirs.log_prob(copies[0].unsqueeze(-2))
    assert got.shape == (*lead, C)
    assert_equal(got, expected)
    weights = torch.cos(torch.arange(got.numel()).double()).reshape(got.shape)
    for one, other in zip(
        torch.autograd.grad((got * weights).sum(), leaves),
        torch.autograd.grad((expected * weights).sum(), copies),
        strict=True,
    ):
        assert_equal(one, other)


def test_what_is_not_observed_is_integrated_over(rng):
    """Summing the full density over a fine grid of the missing feature leaves the others."""
    _, mean, variance = classes(rng)
    x = draw(rng, D)
    seen = torch.arange(D) != 3
    grid = torch.linspace(-40, 40, 16_001)
    inputs = x.repeat(len(grid), 1)
    inputs[:, 3] = grid
    full = gaussian_log_density(inputs, mean, variance).exp().sum(0) * (grid[1] - grid[0])
    hidden = torch.where(seen, x, torch.nan)
    assert_equal(gaussian_log_density(hidden, mean, variance, observed=seen), full.log())
    probability = variance / (1 + variance)
    both = torch.stack([torch.where(seen, x > 0, value) for value in (False, True)]).double()
    summed = bernoulli_log_likelihood(both, probability).logsumexp(0)
    assert_equal(bernoulli_log_likelihood(both[0], probability, observed=seen), summed)
    assert_equal(bernoulli_log_likelihood(both[1], probability, observed=seen), summed)


@pytest.mark.parametrize("lead", [(), (B,), (2, 3)])
def test_bernoulli_log_likelihood_is_that_of_torch(rng, lead):
    probability = torch.sigmoid(3 * draw(rng, C, D))
    x = (draw(rng, *lead, D) > 0).double()
    expected = Independent(Bernoulli(probability), 1).log_prob(x.unsqueeze(-2))
    torch.testing.assert_close(
        bernoulli_log_likelihood(x, probability), expected, rtol=1e-10, atol=1e-12
    )
    assert gradcheck(lambda p: bernoulli_log_likelihood(x, p), probability.clone().requires_grad_())


def test_a_certain_coin_is_certain():
    probability = torch.tensor([[0.0, 1.0, 0.5]])
    x = torch.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    expected = torch.tensor([[math.log(0.5)], [-math.inf], [-math.inf]])
    assert_equal(bernoulli_log_likelihood(x, probability), expected)
    seen = torch.tensor([False, True, True])
    expected = torch.tensor([[math.log(0.5)], [math.log(0.5)], [-math.inf]])
    assert_equal(bernoulli_log_likelihood(x, probability, observed=seen), expected)


def test_evidence_is_the_density_of_a_mixture(rng):
    prior, mean, variance = classes(rng)
    x = 3 * draw(rng, B, D)
    mixture = MixtureSameFamily(
        Classes(logits=prior), Independent(Normal(mean, variance.sqrt()), 1)
    )
    got = log_evidence(gaussian_log_density(x, mean, variance), prior)
    assert_equal(got, mixture.log_prob(x))


def test_bayes_rule_multiplied_out(rng):
    prior, mean, variance = classes(rng)
    likelihood = gaussian_log_density(draw(rng, B, D), mean, variance)
    posterior = log_posterior(likelihood, prior)
    assert_equal(posterior.exp().sum(-1), torch.ones(B))
    joint = posterior + log_evidence(likelihood, prior)[:, None]
    assert_equal(joint.exp(), likelihood.exp() * prior.exp())
    far = log_posterior(likelihood - 1e5, prior)  # no exponential of these is a number
    torch.testing.assert_close(far, posterior, rtol=1e-9, atol=1e-9)


# fits


def test_log_prior_counts():
    labels = torch.tensor([0, 3, 3, 1, 0, 3])
    assert_equal(log_prior(labels, classes=4).exp(), torch.tensor([2, 1, 0, 3]) / 6)
    smooth = log_prior(labels, classes=4, smoothing=0.5)
    assert_equal(smooth.exp(), torch.tensor([2.5, 1.5, 0.5, 3.5]) / 8)
    assert log_prior(labels, classes=4)[2] == -math.inf


def test_gaussian_naive_bayes_is_that_of_scikit_learn(rng):
    x, y = labeled(rng)
    new = 2 * draw(rng, 11, D)
    theirs = ScikitGaussianNB(var_smoothing=0.01).fit(x.numpy(), y.numpy())
    mean, variance = fit_gaussian(x, y, classes=C, floor=theirs.epsilon_)
    assert_equal(mean, torch.from_numpy(theirs.theta_))
    assert_equal(variance, torch.from_numpy(theirs.var_))
    prior = log_prior(y, classes=C)
    assert_equal(prior.exp(), torch.from_numpy(theirs.class_prior_))
    likelihood = gaussian_log_density(new, mean, variance)
    joint = torch.from_numpy(theirs.predict_joint_log_proba(new.numpy()))
    posterior = torch.from_numpy(theirs.predict_log_proba(new.numpy()))
    torch.testing.assert_close(likelihood + prior, joint, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(log_posterior(likelihood, prior), posterior, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("smoothing", [0.1, 1.0, 3.0])
def test_bernoulli_naive_bayes_is_that_of_scikit_learn(rng, smoothing):
    x, y = labeled(rng, binary=True)
    new = (draw(rng, 11, D) > 0).double()
    theirs = BernoulliNB(alpha=smoothing, binarize=None).fit(x.numpy(), y.numpy())
    probability = fit_bernoulli(x, y, classes=C, smoothing=smoothing)
    assert_equal(probability.log(), torch.from_numpy(theirs.feature_log_prob_))
    prior = log_prior(y, classes=C)
    likelihood = bernoulli_log_likelihood(new, probability)
    joint = torch.from_numpy(theirs.predict_joint_log_proba(new.numpy()))
    torch.testing.assert_close(likelihood + prior, joint, rtol=1e-10, atol=1e-10)
    posterior = torch.from_numpy(theirs.predict_log_proba(new.numpy()))
    torch.testing.assert_close(log_posterior(likelihood, prior), posterior, rtol=1e-9, atol=1e-10)


def test_without_smoothing_the_frequencies_are_the_fit(rng):
    x, y = labeled(rng, binary=True)
    frequencies = torch.stack([x[y == c].mean(0) for c in range(C)])
    assert_equal(fit_bernoulli(x, y, classes=C, smoothing=0.0), frequencies)


@pytest.mark.parametrize("shared", [False, True])
def test_counting_is_where_the_gradient_of_the_joint_loss_vanishes(rng, shared):
    x, y = labeled(rng)
    x, y = torch.cat([x, x + 0.1 * draw(rng, B, D)]), y.repeat(2)  # two examples of each class
    model = GaussianNB(D, C, shared=shared)
    mean, variance = fit_gaussian(x, y, classes=C, shared=shared)
    counted = {"prior_logits": log_prior(y, classes=C), "mean": mean}
    model.load_state_dict(counted | {"log_variance": variance.log()})
    for slope in torch.autograd.grad(joint_loss(model(x), y), model.parameters()):
        assert slope.abs().max() < 1e-13
    best = joint_loss(model(x), y).item()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.01 * draw(rng, *parameter.shape)
    assert joint_loss(model(x), y) > best


# two losses, one model


def test_the_losses_differ_by_the_evidence(rng):
    prior, mean, variance = classes(rng)
    x, y = labeled(rng)
    likelihood = gaussian_log_density(x, mean, variance)
    conditional = F.cross_entropy(likelihood + prior, y)
    evidence = log_evidence(likelihood, prior).mean()
    assert_equal(joint_loss(likelihood + prior, y), conditional - evidence)


def test_module_starts_as_standard_normals(rng):
    model = GaussianNB(D, C)
    assert {name: tuple(value.shape) for name, value in model.state_dict().items()} == {
        "prior_logits": (C,),
        "mean": (C, D),
        "log_variance": (C, D),
    }
    assert GaussianNB(D, C, shared=True).log_variance.shape == (1, D)
    x = draw(rng, 2, 3, D)
    expected = Normal(0.0, 1.0).log_prob(x).sum(-1, keepdim=True).expand(2, 3, C) - math.log(C)
    assert_equal(model(x).detach(), expected)


def test_module_normalizes_its_prior(rng):
    model = GaussianNB(D, C)
    with torch.no_grad():
        model.prior_logits.copy_(draw(rng, C) + 3)
    x = draw(rng, B, D)
    prior = F.log_softmax(model.prior_logits, 0)
    shape = model.mean, model.log_variance.exp()
    assert_equal(model(x), gaussian_log_density(x, *shape) + prior)
    assert gradcheck(lambda *_: model(x), tuple(model.parameters()))


# linear forms


def test_shared_variances_make_a_linear_model(rng):
    prior, mean, variance = classes(rng)
    x = 3 * draw(rng, B, D)
    weight, bias = gaussian_linear_form(prior, mean, variance[:1])
    likelihood = gaussian_log_density(x, mean, variance[:1])
    assert_equal(F.log_softmax(F.linear(x, weight, bias), -1), log_posterior(likelihood, prior))


def test_linear_form_is_that_of_a_discriminant_with_uncorrelated_features(rng):
    """Linear discriminant analysis has a full covariance; make it diagonal, and it is ours."""
    x, y = labeled(rng)
    x, y = torch.cat([x, x + draw(rng, B, D)]), y.repeat(2)
    mean, _ = fit_gaussian(x, y, classes=C)
    inside = x - mean[y]
    factor = torch.linalg.cholesky(inside.T @ inside / len(x))
    x = torch.linalg.solve_triangular(factor, x.T, upper=False).T * torch.arange(1, D + 1)
    mean, variance = fit_gaussian(x, y, classes=C, shared=True)
    weight, bias = gaussian_linear_form(log_prior(y, classes=C), mean, variance)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(x.numpy(), y.numpy())
    torch.testing.assert_close(weight, torch.from_numpy(theirs.coef_), rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(bias, torch.from_numpy(theirs.intercept_), rtol=1e-8, atol=1e-8)


def test_bernoulli_is_a_linear_model(rng):
    prior = F.log_softmax(draw(rng, C), 0)
    probability = torch.sigmoid(3 * draw(rng, C, D))
    x = (draw(rng, B, D) > 0).double()
    scores = F.linear(x, *bernoulli_linear_form(prior, probability))
    assert_equal(scores, bernoulli_log_likelihood(x, probability) + prior)


# correlations


@pytest.mark.parametrize("lead", [(), (0,), (B,), (2, 3)])
@pytest.mark.parametrize("shared", [False, True])
def test_multivariate_log_density_is_that_of_torch(rng, lead, shared):
    mean, mixed = draw(rng, C, D), draw(rng, 1 if shared else C, D, D)
    covariance = mixed @ mixed.mT + 0.3 * torch.eye(D)
    x = draw(rng, *lead, D)
    theirs = MultivariateNormal(mean, covariance.expand(C, D, D), validate_args=False).log_prob(
        x.unsqueeze(-2)
    )
    torch.testing.assert_close(
        multivariate_log_density(x, mean, covariance), theirs, rtol=1e-10, atol=1e-10
    )


def test_discriminants_are_those_of_scikit_learn(rng):
    x, y = labeled(rng)
    x = torch.cat([x, x + 0.5 * draw(rng, *x.shape), x - 0.5 * draw(rng, *x.shape)])
    y = y.repeat(3)
    prior = log_prior(y, classes=C)
    own, common = (fit_covariance(x, y, classes=C, shared=s, floor=0.2) for s in (False, True))
    linear_one = LinearDiscriminantAnalysis(
        solver="lsqr", covariance_estimator=_Fixed(common[1][0])
    )
    expected = linear_one.fit(x.numpy(), y.numpy()).predict_log_proba(x.numpy())
    got = log_posterior(multivariate_log_density(x, *common), prior)
    torch.testing.assert_close(got, torch.from_numpy(expected), rtol=1e-7, atol=1e-7)
    for c in range(C):  # each covariance is that of torch, with n in place of n − 1
        members = x[y == c]
        expected = torch.cov(members.T, correction=0) + 0.2 * torch.eye(D)
        assert_equal(own[1][c], expected)
        assert_equal(own[0][c], members.mean(0))


class _Fixed:
    """A covariance estimator for scikit-learn that says what it is told."""

    def __init__(self, covariance):
        self.covariance_ = covariance.numpy()

    def fit(self, _):
        return self


# being right, and being sure


def test_calibration_error_by_hand():
    shares = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.45, 0.55]])
    target = torch.tensor([0, 1, 1, 1])
    # up to 0.75: 0.7 and 0.55, both right; above: 0.9 and 0.8, one of them right
    expected = (abs(2 - 1.25) + abs(1 - 1.7)) / 4
    assert_equal(calibration_error(shares.log(), target, bins=4), torch.tensor(expected))


def test_who_says_what_is_so_is_calibrated(rng):
    scores = draw(rng, 200_000, C)
    target = torch.distributions.Categorical(logits=scores).sample()
    assert calibration_error(scores.log_softmax(1), target) < 0.01
    assert calibration_error((3 * scores).log_softmax(1), target) > 0.1


def test_chance_above_is_the_area_under_the_curve(rng):
    first, second = (draw(rng, 23) + 0.5).round(decimals=0), draw(rng, 31).round(decimals=0)
    kind = torch.cat([torch.ones(23), torch.zeros(31)])
    expected = roc_auc_score(kind.numpy(), torch.cat([first, second]).numpy())
    assert math.isclose(chance_above(first, second).item(), expected, rel_tol=1e-12)
    with pytest.raises(ValueError, match="got 23 and 0 numbers"):
        chance_above(first, second[:0])


# sampling and filling in


def test_labels_are_drawn_by_the_pieces_of_the_unit_interval(rng):
    prior = torch.tensor([0.25, 0.0, 0.5, 0.25]).log()
    uniform = torch.tensor([[0.0, 0.2499, 0.25], [0.7499, 0.75, 0.9999]])
    assert draw_labels(uniform, prior).tolist() == [[0, 0, 2], [2, 3, 3]]
    many = draw_labels(torch.rand(100_000, generator=rng), prior)
    shares = torch.bincount(many, minlength=4) / len(many)
    # a share of 100,000 draws has a standard error of at most 0.0016
    torch.testing.assert_close(shares, prior.exp(), rtol=0, atol=0.01)


def test_what_rounding_leaves_over_goes_to_no_impossible_class():
    prior = torch.tensor([0.1] * 10 + [0.0]).log()
    assert draw_labels(torch.tensor([1 - 2**-53]), prior - 1e-9).tolist() == [9]


def test_gradients_are_finite_where_values_are(rng):
    _, mean, variance = (value.requires_grad_() for value in classes(rng))
    x, seen = torch.full((D,), torch.nan), torch.zeros(D, dtype=torch.bool)
    x[:3], seen[:3] = 0.5, True
    total = gaussian_log_density(x, mean, variance, observed=seen).sum()
    for slope in torch.autograd.grad(total, (mean, variance)):
        assert slope.isfinite().all()
    probability = torch.tensor([[0.0, 1.0, 0.5]]).requires_grad_()
    total = bernoulli_log_likelihood(torch.tensor([0.0, 1.0, 1.0]), probability).sum()
    (slope,) = torch.autograd.grad(total, probability)
    assert_equal(slope, torch.tensor([[-1.0, 1.0, 2.0]]))


def test_nothing_to_count_is_refused():
    nothing = torch.zeros(0, dtype=torch.int64)
    with pytest.raises(ValueError, match="no labels"):
        log_prior(nothing, classes=3)
    assert_equal(log_prior(nothing, classes=3, smoothing=1.0), torch.full((3,), 1 / 3).log())


def test_samples_have_the_moments_of_their_class(rng):
    _, mean, variance = classes(rng)
    labels = draw_labels(torch.rand(50_000, generator=rng), torch.full((C,), 1 / C).log())
    x = sample_gaussian(labels, draw(rng, len(labels), D), mean, variance)
    fitted = fit_gaussian(x, labels, classes=C)
    deviation = variance.sqrt()
    assert ((fitted[0] - mean) / deviation).abs().max() < 0.06
    assert (fitted[1] / variance - 1).abs().max() < 0.08
    shared = sample_gaussian(labels, torch.ones(len(labels), D), mean, variance[:1])
    assert_equal(shared, (mean + deviation[:1])[labels])
    probability = torch.sigmoid(mean)
    coins = sample_bernoulli(labels, torch.rand(len(labels), D, generator=rng), probability)
    assert set(coins.unique().tolist()) == {0.0, 1.0}
    found = fit_bernoulli(coins, labels, classes=C, smoothing=0.0)
    # of some 10,000 draws in a class, one of at most 0.005
    torch.testing.assert_close(found, probability, rtol=0, atol=0.03)


def test_fill_in_is_the_conditional_mean(rng):
    """Against the mean over samples weighted by how well they explain what is seen."""
    prior, mean, variance = classes(rng)
    x, seen = draw(rng, D), torch.arange(D) < 4
    likelihood = gaussian_log_density(x, mean, variance, observed=seen)
    hidden = torch.where(seen, x, torch.nan)
    got = fill_in(hidden, log_posterior(likelihood, prior), mean, observed=seen)
    assert torch.equal(got[:4], x[:4])
    density = (likelihood + prior).exp()
    assert_equal(got[4:], (density[:, None] * mean).sum(0)[4:] / density.sum())


# errors, devices


def test_a_class_without_examples_is_refused(rng):
    x, y = labeled(rng)
    message = r"got none of \[5, 6\] among 7 classes"
    with pytest.raises(ValueError, match=message):
        fit_gaussian(x, y, classes=7)
    with pytest.raises(ValueError, match=message):
        fit_bernoulli((x > 0).double(), y, classes=7, smoothing=0.0)
    assert_equal(fit_bernoulli((x > 0).double(), y, classes=7)[5:], torch.full((2, D), 0.5))


def test_inputs_stay_as_they_are(rng):
    prior, mean, variance = classes(rng)
    x, y = labeled(rng)
    before = [value.clone() for value in (prior, mean, variance, x, y)]
    fit_gaussian(x, y, classes=C, floor=0.1), fit_bernoulli(x, y, classes=C)
    likelihood = gaussian_log_density(x, mean, variance, observed=x > 0)
    posterior = log_posterior(likelihood, prior)
    fill_in(x, posterior, mean, observed=x > 0), log_evidence(likelihood, prior)
    gaussian_linear_form(prior, mean, variance[:1]), sample_gaussian(y, x, mean, variance)
    for value, old in zip((prior, mean, variance, x, y), before, strict=True):
        assert torch.equal(value, old)


@pytest.mark.cuda
def test_everything_runs_on_cuda(rng):
    x, y = labeled(rng)
    uniform, noise = torch.rand(B, generator=rng), draw(rng, B, D)

    def run(device):
        here = [value.to(device) for value in (x, y, uniform, noise)]
        features, labels, draws, normal = here
        prior = log_prior(labels, classes=C)
        mean, variance = fit_gaussian(features, labels, classes=C, shared=True, floor=0.1)
        seen = features > 0
        likelihood = gaussian_log_density(features, mean, variance, observed=seen)
        posterior = log_posterior(likelihood, prior)
        probability = fit_bernoulli(seen.double(), labels, classes=C)
        drawn = draw_labels(draws, prior)
        return [
            joint_loss(likelihood + prior, labels),
            log_evidence(likelihood, prior),
            fill_in(features, posterior, mean, observed=seen),
            bernoulli_log_likelihood(seen.double(), probability),
            *gaussian_linear_form(prior, mean, variance),
            *bernoulli_linear_form(prior, probability),
            sample_gaussian(drawn, normal, mean, variance),
            sample_bernoulli(drawn, normal, probability),
            GaussianNB(D, C, device=device)(features).detach(),
        ]

    for there, here in zip(run("cuda"), run("cpu"), strict=True):
        assert there.device.type == "cuda"
        torch.testing.assert_close(there.cpu(), here, rtol=1e-10, atol=1e-12)
