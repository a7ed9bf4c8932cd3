"""Generative models: densities p(x, y) of naive Bayes, and what can be asked of them.

Builds Gaussian and Bernoulli naive Bayes. The features of a class are taken as independent, so a
density is a product over features, ln p(x, y) = ln p(y) + Σ_k ln p(x_k | y), and every question
is answered in logarithms: how dense (`log_evidence`), which class (`log_posterior`), what is
missing (`fill_in`), what else could have been (`draw_labels`, `sample_gaussian`). Without that
assumption: Gaussians with full covariances, and with them linear and quadratic discriminants.

Sources: Ng and Jordan 2002, "On Discriminative vs. Generative Classifiers"; Bishop 2006, "Pattern
Recognition and Machine Learning", sections 1.5 and 4.2; Murphy 2022, "Probabilistic Machine
Learning: An Introduction", section 9.3.
"""

from __future__ import annotations

import torch
from torch import nn


def log_prior(labels: torch.Tensor, *, classes: int, smoothing: float = 0.0) -> torch.Tensor:
    """How common each class is: ln p(y), by counting.

    p(y = c) = (n_c + α) / (n + α C), where n_c of n examples are of class c (Murphy 2022,
    sec. 4.6.3).

    Args:
        labels: (B,) int64, from 0 to classes − 1.
        classes: C; a class may be missing from the labels.
        smoothing: α ≥ 0, examples of each class that are counted in addition.

    Returns:
        (C,), in the default float dtype; −∞ for a class that was never counted.

    Raises:
        ValueError: there is no label, and α is 0.
    """
    if not len(labels) and not smoothing:
        raise ValueError("no labels to count; give some, or a smoothing above 0")
    counts = torch.bincount(labels, minlength=classes) + smoothing
    return (counts / counts.sum()).log()


def gaussian_log_density(
    input: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    *,
    observed: torch.Tensor | None = None,
) -> torch.Tensor:
    """Log density of every input under the independent Gaussians of every class.

    ln p(x | y = c) = −½ Σ_k [ln(2π s_ck) + (x_k − m_ck)² / s_ck] (Bishop 2006, eq. 1.46, summed).
    Input and mean may lie far from zero, as years do: subtract before you square.
    To leave a feature out of the sum is to integrate over it: its density integrates to 1.

    Args:
        input: x, (..., D) float.
        mean: m, (C, D) float.
        variance: s > 0, (C, D) float, or (1, D) where the classes share it.
        observed: (..., D) bool, broadcastable to ``input``; False leaves a feature out, and what
            ``input`` holds there does not matter, NaN included, nor for the gradients. Without
            it every feature counts.

    Returns:
        (..., C), in nats.
    """
    if observed is not None:
        input = torch.where(observed, input, 0.0)  # 0 · NaN would stay NaN in the gradients
    squares = (input.unsqueeze(-2) - mean).square() / variance  # (..., 1, D), (C, D) -> (..., C, D)
    terms = -0.5 * (squares + (2 * torch.pi * variance).log())
    if observed is not None:
        terms = torch.where(observed.unsqueeze(-2), terms, 0.0)
    return terms.sum(dim=-1)


def fit_gaussian(
    features: torch.Tensor,
    labels: torch.Tensor,
    *,
    classes: int,
    shared: bool = False,
    floor: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The Gaussians under which the training data are most probable: mean and variance.

    Variances divide by the number of examples, as maximum likelihood does. Shared variances are
    those of all examples around the means of their own classes (Bishop 2006, eq. 4.78, its
    diagonal).

    Args:
        features: (B, D) float.
        labels: (B,) int64, from 0 to classes − 1.
        classes: C.
        shared: one variance per feature for all classes.
        floor: added to every variance, as if each feature carried so much noise of its own; keeps
            a feature that never varies from having a variance of 0.

    Returns:
        mean (C, D) and variance (C, D), or (1, D) where shared, on the device of ``features``.

    Raises:
        ValueError: a class has no example.
    """
    one_hot = (labels[:, None] == torch.arange(classes, device=labels.device)).to(features.dtype)
    counts = one_hot.sum(dim=0)[:, None]  # (B, C) -> (C, 1)
    if not counts.all():
        raise _no_examples(counts)
    mean = one_hot.T @ features / counts  # (C, B) x (B, D) -> (C, D)
    squares = (features - mean[labels]).square()  # (B, D)
    if shared:
        return mean, squares.mean(dim=0, keepdim=True) + floor
    return mean, one_hot.T @ squares / counts + floor


def fit_covariance(
    features: torch.Tensor,
    labels: torch.Tensor,
    *,
    classes: int,
    shared: bool = False,
    floor: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The correlated Gaussians under which the training data are most probable.

    Σ_c = (1/n_c) Σ_i (x_i − m_c)(x_i − m_c)ᵀ over the examples of class c; one Σ for all classes
    is the same mean over all examples, each around the mean of its own class (Bishop 2006, eq.
    4.78). With its own Σ per class the model is quadratic discriminant analysis, with one for all
    linear discriminant analysis.

    Args:
        features: (B, D) float.
        labels: (B,) int64, from 0 to classes − 1.
        classes: C.
        shared: one covariance for all classes.
        floor: added to every variance, that is, to the diagonals.

    Returns:
        mean (C, D) and covariance (C, D, D), or (1, D, D) where shared.

    Raises:
        ValueError: a class has no example.
    """
    mean, _ = fit_gaussian(features, labels, classes=classes)
    gaps = features - mean[labels]
    groups = [gaps] if shared else [gaps[labels == c] for c in range(classes)]
    covariance = torch.stack([group.T @ group / len(group) for group in groups])  # (C, D, D)
    return mean, covariance + floor * gaps.new_ones(gaps.shape[1]).diag()


def multivariate_log_density(
    input: torch.Tensor, mean: torch.Tensor, covariance: torch.Tensor
) -> torch.Tensor:
    """Log density of every input under the correlated Gaussian of every class.

    −½ [(x − m_c)ᵀ Σ_c⁻¹ (x − m_c) + ln det Σ_c + D ln 2π] (Bishop 2006, eq. 2.43). With Σ = R Rᵀ
    and R triangular the distance is ‖R⁻¹(x − m)‖² and the determinant the square of R's diagonal
    multiplied up, whose logarithm is a sum: it stays finite where det Σ is 0 in floating point.

    Args:
        input: x, (..., D) float.
        mean: m, (C, D) float.
        covariance: Σ, (C, D, D) float, positive definite, or (1, D, D) where the classes share it.

    Returns:
        (..., C), in nats.
    """
    root = torch.linalg.cholesky(covariance)  # (C, D, D)
    gaps = input.reshape(-1, input.shape[-1]) - mean.unsqueeze(1)  # (B, D), (C, 1, D) -> (C, B, D)
    straight = torch.linalg.solve_triangular(root, gaps.mT, upper=False)  # (C, D, B)
    scale = (2 * torch.pi) ** 0.5 * root.diagonal(dim1=1, dim2=2)  # (C, D)
    density = -0.5 * straight.square().sum(dim=1) - scale.log().sum(dim=1, keepdim=True)  # (C, B)
    return density.T.reshape(*input.shape[:-1], len(mean))


def log_evidence(log_likelihood: torch.Tensor, log_prior: torch.Tensor) -> torch.Tensor:
    """Density of an input, whatever its class: ln p(x) = ln Σ_c p(x | c) p(c).

    Args:
        log_likelihood: ln p(x | y), (..., C) float, of any size; −∞ for a class that never
            makes such an input.
        log_prior: ln p(y), (C,) float; −∞ for a class that never comes.

    Returns:
        (...), in nats; −∞ for an input that no class makes.
    """
    return torch.logsumexp(log_likelihood + log_prior, dim=-1)


def log_posterior(log_likelihood: torch.Tensor, log_prior: torch.Tensor) -> torch.Tensor:
    """Turn densities around by Bayes' rule: ln p(y | x) = ln p(x | y) + ln p(y) − ln p(x).

    Args:
        log_likelihood: ln p(x | y), (..., C) float, of any size; −∞ for a class that never
            makes such an input, but not for all of them.
        log_prior: ln p(y), (C,) float.

    Returns:
        (..., C), in nats; the exponentials sum to 1 over the classes. −∞ for an impossible class.
    """
    return torch.log_softmax(log_likelihood + log_prior, dim=-1)


def joint_loss(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Loss of a generative model: −ln p(x, y), averaged over examples, in nats.

    The cross-entropy of the same scores is −ln p(y | x). The difference is ln p(x), which the
    cross-entropy leaves out (Ng and Jordan 2002, sec. 2).

    Args:
        input: ln p(x, y), (B, C) float, one log joint density per class; −∞ for a class that
            never makes such an input. What stands at the other classes does not matter.
        target: y, (B,) int64, the right classes.

    Returns:
        (), the loss.
    """
    return -input.gather(1, target[:, None]).mean()


def fit_bernoulli(
    features: torch.Tensor, labels: torch.Tensor, *, classes: int, smoothing: float = 1.0
) -> torch.Tensor:
    """How often each binary feature is 1 in each class.

    p_ck = (n_ck + α) / (n_c + 2α): the mean of the posterior under a Beta(α, α) prior (Murphy
    2022, sec. 4.6.2), as if each class had been seen 2α times more, α of them with the feature.

    Args:
        features: (B, D) float, each 0 or 1.
        labels: (B,) int64, from 0 to classes − 1.
        classes: C.
        smoothing: α; 1 is Laplace's rule of succession, 0 is maximum likelihood.

    Returns:
        (C, D), probabilities, on the device of ``features``.

    Raises:
        ValueError: a class has no example, and α is 0.
    """
    one_hot = (labels[:, None] == torch.arange(classes, device=labels.device)).to(features.dtype)
    counts = one_hot.sum(dim=0)[:, None]  # (B, C) -> (C, 1)
    if smoothing == 0 and not counts.all():
        raise _no_examples(counts)
    ones = one_hot.T @ features  # (C, B) x (B, D) -> (C, D)
    return (ones + smoothing) / (counts + 2 * smoothing)


def bernoulli_log_likelihood(
    input: torch.Tensor, probability: torch.Tensor, *, observed: torch.Tensor | None = None
) -> torch.Tensor:
    """Log probability of every binary input under the independent coins of every class.

    ln p(x | y = c) = Σ_k [x_k ln p_ck + (1 − x_k) ln(1 − p_ck)] (Bishop 2006, eq. 4.81), with
    0 ln 0 = 0: what is certain and happens costs nothing.

    Args:
        input: x, (..., D) float, each 0 or 1.
        probability: p, (C, D) float, from 0 to 1.
        observed: (..., D) bool, broadcastable to ``input``; False leaves a feature out.

    Returns:
        (..., C), in nats; −∞ where an observed feature has a value that its class never takes.
        Where it is finite, so are its gradients, those at probabilities of 0 and 1 included.
    """
    shows = input.unsqueeze(-2) == 1  # (..., D) -> (..., 1, D)
    chance = torch.where(shows, probability, 1 - probability)  # of what is seen, (..., C, D)
    if observed is not None:
        chance = torch.where(observed.unsqueeze(-2), chance, 1.0)
    return chance.log().sum(dim=-1)  # (..., C, D) -> (..., C)


def gaussian_linear_form(
    log_prior: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gaussian naive Bayes with shared variances, written as a linear model.

    softmax(W x + b) = p(y | x) with W_ck = m_ck / s_k and b_c = ln p(c) − ½ Σ_k m_ck² / s_k
    (Bishop 2006, eq. 4.69 and 4.70, for a diagonal covariance).

    Args:
        log_prior: ln p(y), (C,) float.
        mean: m, (C, D) float.
        variance: s > 0, (1, D) float.

    Returns:
        weight (C, D) and bias (C,).
    """
    weight = mean / variance
    return weight, log_prior - 0.5 * (mean * weight).sum(dim=-1)


def bernoulli_linear_form(
    log_prior: torch.Tensor, probability: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Bernoulli naive Bayes, written as a linear model.

    W x + b = ln p(x, y) with W_ck = ln p_ck − ln(1 − p_ck) and b_c = ln p(c) + Σ_k ln(1 − p_ck)
    (Bishop 2006, eq. 4.82, sorted by x).

    Args:
        log_prior: ln p(y), (C,) float.
        probability: p, (C, D) float, strictly between 0 and 1.

    Returns:
        weight (C, D) and bias (C,).
    """
    no = torch.log1p(-probability)
    return probability.log() - no, log_prior + no.sum(dim=-1)


def draw_labels(uniform: torch.Tensor, log_prior: torch.Tensor) -> torch.Tensor:
    """Classes drawn from p(y): the unit interval is cut into pieces as long as the probabilities.

    Class c gets the numbers from p(0) + … + p(c − 1), included, to p(0) + … + p(c), excluded. A
    class of probability 0 is never drawn, not even where rounding has left the sum of the others
    a little below 1.

    Args:
        uniform: (...) float in [0, 1), one draw per class wanted.
        log_prior: ln p(y), (C,) of the same dtype; the probabilities sum to 1, up to rounding.

    Returns:
        (...) int64.
    """
    edges = log_prior.exp().cumsum(dim=0)  # where each piece ends
    edges = edges / edges[-1]  # the last piece ends at 1, and so do empty ones after it
    return torch.searchsorted(edges, uniform, right=True)


def sample_gaussian(
    labels: torch.Tensor, noise: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor
) -> torch.Tensor:
    """One input per label, drawn from the Gaussians of its class: x = m_y + √s_y · ε.

    Args:
        labels: y, (...) int64.
        noise: ε, (..., D) float, standard normal.
        mean: m, (C, D) float.
        variance: s ≥ 0, (C, D) float, or (1, D) where the classes share it.

    Returns:
        (..., D).
    """
    deviation = variance.sqrt().expand_as(mean)
    return mean[labels] + deviation[labels] * noise


def sample_bernoulli(
    labels: torch.Tensor, uniform: torch.Tensor, probability: torch.Tensor
) -> torch.Tensor:
    """One binary input per label: feature k is 1 where the uniform draw is below p_yk.

    Args:
        labels: y, (...) int64.
        uniform: (..., D) float in [0, 1).
        probability: p, (C, D) float.

    Returns:
        (..., D), zeros and ones in the dtype of ``uniform``.
    """
    return (uniform < probability[labels]).to(uniform.dtype)


def fill_in(
    input: torch.Tensor, log_posterior: torch.Tensor, mean: torch.Tensor, *, observed: torch.Tensor
) -> torch.Tensor:
    """Replace what is missing by what is expected there, given what is seen.

    E[x_k | seen] = Σ_c p(c | seen) m_ck: the features of a class know nothing of each other, so
    all that the seen ones tell of the missing ones they tell through the class.

    Args:
        input: x, (..., D) float; what it holds where nothing was observed does not matter.
        log_posterior: ln p(y | seen), (..., C) float.
        mean: m, (C, D) float; for binary features their probabilities.
        observed: (..., D) bool, broadcastable to ``input``; False is missing.

    Returns:
        (..., D); observed features are as they were, ∞ and NaN too, and gradients flow to the
        posterior and the means through the others.
    """
    expected = log_posterior.exp() @ mean  # (..., C) x (C, D) -> (..., D)
    return torch.where(observed, input, expected)


def calibration_error(
    log_posterior: torch.Tensor, target: torch.Tensor, *, bins: int = 10
) -> torch.Tensor:
    """How far confidence is from being right: the expected calibration error (Guo et al. 2017).

    The confidence of an example is its largest probability. Bin j of M holds confidences above
    (j − 1) / M and up to j / M, and the error is Σ_j (n_j / n) abs(a_j − c_j), with a_j the
    fraction of right answers among the n_j examples of a bin and c_j their mean confidence. An
    empty bin counts for nothing; a confidence that rounding has left above 1 belongs to the last.

    Args:
        log_posterior: ln p(y | x), (B, C) float.
        target: y, (B,) int64, the right classes.
        bins: M.

    Returns:
        (), from 0 to 1, in the dtype of ``log_posterior``.
    """
    confidence, guess = log_posterior.exp().max(dim=1)
    gap = (guess == target).to(confidence.dtype) - confidence  # (B,), and n_j (a_j − c_j) summed
    bin = (confidence * bins).ceil().long().clamp(max=bins) - 1
    return gap.new_zeros(bins).index_add(0, bin, gap).abs().sum() / len(gap)


def chance_above(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """The chance that a number of one kind exceeds one of the other, a tie counting as half.

    (1 / nm) Σ_ij ([a_i > b_j] + ½ [a_i = b_j]): the area under the ROC curve of who calls all that
    lies above a threshold the first kind (Hanley and McNeil 1982). 1 is perfect, ½ a coin, 0 upside
    down.

    Args:
        first: a, (n,) float; ±∞ are allowed, in b too.
        second: b, (m,) float, of the same dtype.

    Returns:
        (), from 0 to 1, in their dtype.

    Raises:
        ValueError: one of the two is empty.
    """
    if not len(first) or not len(second):
        raise ValueError(f"nothing to compare: got {len(first)} and {len(second)} numbers")
    above = (first[:, None] > second).to(first.dtype)  # (n, 1), (m,) -> (n, m)
    equal = (first[:, None] == second).to(first.dtype)
    return (above + 0.5 * equal).mean()


class GaussianNB(nn.Module):
    """Gaussian naive Bayes with parameters that can be counted or trained.

    A call gives log joint densities. They are scores like any others: `joint_loss` of them makes
    the model generative, their cross-entropy makes it discriminative.

    Attributes:
        prior_logits: parameter (classes,), zeros at first; ln p(y) is their log-softmax.
        mean: parameter (classes, in_features), zeros at first.
        log_variance: parameter (classes, in_features), or (1, in_features) where shared; zeros
            at first.
    """

    def __init__(
        self,
        in_features: int,
        classes: int,
        *,
        shared: bool = False,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the three parameters.

        Args:
            in_features: D.
            classes: C.
            shared: one variance per feature for all classes.
            device: where the parameters go.
        """
        super().__init__()
        rows = 1 if shared else classes
        self.prior_logits = nn.Parameter(torch.zeros(classes, device=device))
        self.mean = nn.Parameter(torch.zeros(classes, in_features, device=device))
        self.log_variance = nn.Parameter(torch.zeros(rows, in_features, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Log joint density of every input with every class.

        Args:
            x: (..., in_features) float.

        Returns:
            (..., classes), ln p(x, y) in nats.
        """
        log_prior = torch.log_softmax(self.prior_logits, dim=0)
        return gaussian_log_density(x, self.mean, self.log_variance.exp()) + log_prior


def _no_examples(counts: torch.Tensor) -> ValueError:
    missing = [c for c, count in enumerate(counts.flatten().tolist()) if not count]
    return ValueError(
        f"every class needs an example, got none of {missing} among {len(counts)} classes; "
        "draw examples of each, or give smoothing to what takes it"
    )
