"""Diffusion and flow matching: samples from a density that is known only by examples.

Builds scores (gradients of log densities) of Gaussians and their mixtures, and Langevin dynamics
that follow them; the noising of data at many levels, the losses that train a denoiser, and one
sampling loop that is DDPM, DDIM or flow matching, by a table; classifier-free guidance; the Fréchet
distance; and masked diffusion, where noise means a token that is hidden.

A level is a pair of numbers: x_t = a x_0 + s ε has signal a and noise s. A table of levels is
(steps + 1, 2), with columns a and s; its row 0 is clean (a = 1, s = 0) and its last row is
noisiest. Every other row, table[::2], is a table again.

Sources: Hyvärinen 2005, "Estimation of Non-Normalized Statistical Models by Score Matching"; Efron
2011, "Tweedie's Formula and Selection Bias"; Vincent 2011, "A Connection Between Score Matching and
Denoising Autoencoders"; Song and Ermon 2019, "Generative Modeling by Estimating Gradients of the
Data Distribution"; Ho, Jain and Abbeel 2020, "Denoising Diffusion Probabilistic Models" (DDPM);
Song, Meng and Ermon 2021, "Denoising Diffusion Implicit Models" (DDIM); Salimans and Ho 2022,
"Progressive Distillation for Fast Sampling of Diffusion Models" (velocity); Ho and Salimans 2022,
"Classifier-Free Diffusion Guidance"; Lipman et al. 2023, "Flow Matching for Generative Modeling";
Heusel et al. 2017, "GANs Trained by a Two Time-Scale Update Rule" (Fréchet distance); Sahoo et al.
2024, "Simple and Effective Masked Diffusion Language Models".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# scores


def gaussian_score(points: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    """Score of a Gaussian with independent features: the gradient of ln p(x) with respect to x.

    ln p(x) = −½ Σ_k [(x_k − m_k)² / v_k + ln(2π v_k)].

    Args:
        points: x, (..., D) float.
        mean: m, (D,) float.
        variance: v > 0, (D,) float, or () for one variance of all features.

    Returns:
        (..., D), a vector at each point; it points to where the density grows.
    """
    return (mean - points) / variance


def mixture_score(points: Tensor, weights: Tensor, means: Tensor, variances: Tensor) -> Tensor:
    """Score of a mixture of isotropic Gaussians: the gradient of ln p(x) with respect to x.

    p(x) = Σ_k w_k N(x; m_k, v_k I). Its score is the average of the components' scores, each
    weighted by the probability that x came from that component. Far from all components the
    densities underflow; their logarithms do not.

    Args:
        points: x, (..., D) float.
        weights: w, (K,) float, probabilities; 0 is allowed.
        means: m, (K, D) float.
        variances: v > 0, (K,) float, of every feature of a component.

    Returns:
        (..., D).
    """
    gaps = means - points.unsqueeze(-2)  # (K, D), (..., 1, D) -> (..., K, D)
    width = points.shape[-1]
    log_density = -0.5 * (gaps.square().sum(dim=-1) / variances + width * variances.log())
    share = torch.softmax(weights.log() + log_density, dim=-1)  # (..., K)
    return (share.unsqueeze(-1) * gaps / variances[:, None]).sum(dim=-2)


def langevin(
    points: Tensor, score: Callable[[Tensor], Tensor], step: float, draws: Tensor
) -> Tensor:
    """Langevin dynamics: climb the log density, and add noise, many times.

    x ← x + h · score(x) + √(2h) · z, once for every z of the draws. With small steps h and enough
    of them, the points are samples of the density that the score belongs to.

    Args:
        points: x at the start, (..., D) float; it is not changed.
        score: called on (..., D), returns (..., D).
        step: h > 0.
        draws: z, (steps, ..., D) float, standard normal.

    Returns:
        (..., D), the points after the last step.
    """
    for draw in draws:
        points = points + step * score(points) + (2 * step) ** 0.5 * draw
    return points


def diffuse_mixture(
    weights: Tensor, means: Tensor, variances: Tensor, level: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Distribution of x_t = a x_0 + s ε, if that of x_0 is a mixture of isotropic Gaussians.

    It is such a mixture, too; ε is standard normal.

    Args:
        weights: w, (K,) float.
        means: m, (K, D) float.
        variances: v, (K,) float, of every feature of a component; 0 is a single point.
        level: (2,) float, signal a and noise s.

    Returns:
        weights (K,), means (K, D) and variances (K,) of x_t, in the order in which `mixture_score`
        takes them.
    """
    signal, noise = level
    return weights, signal * means, signal**2 * variances + noise**2


# levels


def table_from_betas(betas: Tensor) -> Tensor:
    """Table of levels of a chain that adds a little noise in every step.

    x_t = √(1 − β_t) x_{t−1} + √β_t ε_t. All steps up to t together are one: x_t = √ᾱ_t x_0 +
    √(1 − ᾱ_t) ε, where ᾱ_t is the product of 1 − β over these steps (Ho et al. 2020, eq. 4).

    Args:
        betas: β_1, …, β_T, (T,) float, from 0 to 1.

    Returns:
        (T + 1, 2), signal and noise after 0, …, T steps; after none, they are 1 and 0.
        On the device of ``betas``.
    """
    kept = torch.cat([betas.new_ones(1), 1 - betas]).cumprod(dim=0)  # ᾱ, (T + 1,)
    return torch.stack([kept, 1 - kept], dim=1).sqrt()


def cosine_table(steps: int) -> Tensor:
    """Table of levels on a quarter of a circle: a = cos(π t / 2), s = sin(π t / 2).

    t runs from 0 to 1 in equal steps, and a² + s² = 1: data of variance 1 keep that variance.
    (Nichol and Dhariwal 2021, eq. 17, begin a little after t = 0.)

    Args:
        steps: T, 1 or more.

    Returns:
        (T + 1, 2), in torch's default float; the last row is pure noise.
    """
    angles = torch.linspace(0, torch.pi / 2, steps + 1)
    return torch.stack([angles.cos(), angles.sin()], dim=1).clamp(min=0)  # cos(π/2) rounds below 0


def flow_table(steps: int) -> Tensor:
    """Table of levels on a straight line: a = 1 − t, s = t, as in flow matching.

    Args:
        steps: T, 1 or more.

    Returns:
        (T + 1, 2), in torch's default float; t runs from 0 to 1 in equal steps.
    """
    times = torch.linspace(0, 1, steps + 1)
    return torch.stack([1 - times, times], dim=1)


def spread(levels: Tensor, like: Tensor) -> tuple[Tensor, Tensor]:
    """Signal and noise, in shapes that multiply a batch of any number of axes.

    Args:
        levels: (B, 2) float, one level for each example; or (2,), one for all.
        like: (B, ...), the batch.

    Returns:
        a and s, (B, 1, ...) with as many axes as ``like``; or (1, 1, ...).
    """
    signal, noise = levels.unbind(dim=-1)
    shape = (*signal.shape, *[1] * (like.ndim - signal.ndim))
    return signal.reshape(shape), noise.reshape(shape)


def add_noise(clean: Tensor, draws: Tensor, levels: Tensor) -> Tensor:
    """Add noise to examples: x_t = a x_0 + s ε, in one step from clean to any level.

    Args:
        clean: x_0, (B, ...) float, with any number of axes.
        draws: ε, of the same shape, standard normal.
        levels: (B, 2) float, signal a and noise s of each example; or (2,), the same for all.

    Returns:
        x_t, of the shape of ``clean``.
    """
    signal, noise = spread(levels, clean)
    return signal * clean + noise * draws


# what a denoiser predicts


def tweedie(noisy: Tensor, score: Tensor, levels: Tensor) -> Tensor:
    """Expected clean example, given a noisy one, from the score of the noisy ones.

    E[x_0 | x_t] = (x_t + s² ∇ ln p(x_t)) / a (Efron 2011, for x_t / a): the data enter only
    through the score.

    Args:
        noisy: x_t, (B, ...) float.
        score: ∇ ln p(x_t), of the same shape.
        levels: (B, 2) float, signal a > 0 and noise s of each example; or (2,), the same for all.

    Returns:
        E[x_0 | x_t], of the shape of ``noisy``.
    """
    signal, noise = spread(levels, noisy)
    return (noisy + noise.square() * score) / signal


def clean_from_noise(noisy: Tensor, predicted: Tensor, levels: Tensor) -> Tensor:
    """The clean example that goes with a predicted noise: (x_t − s ε) / a.

    Args:
        noisy: x_t, (B, ...) float.
        predicted: ε, of the same shape.
        levels: (B, 2) float, signal a > 0 and noise s of each example; or (2,), the same for all.

    Returns:
        x_0, of the shape of ``noisy``.
    """
    signal, noise = spread(levels, noisy)
    return (noisy - noise * predicted) / signal


def score_from_noise(predicted: Tensor, levels: Tensor) -> Tensor:
    """The score that goes with a predicted noise: −ε / s.

    Args:
        predicted: ε, (B, ...) float.
        levels: (B, 2) float, signal a and noise s > 0 of each example; or (2,), the same for all.

    Returns:
        The score, of the shape of ``predicted``.
    """
    return -predicted / spread(levels, predicted)[1]


def from_velocity(
    noisy: Tensor, velocity: Tensor, levels: Tensor, rates: Tensor
) -> tuple[Tensor, Tensor]:
    """Clean example and noise, from a noisy example and its velocity.

    x_t = a x_0 + s ε and v = a' x_0 + s' ε, where a' and s' are the rates at which signal and noise
    change: two equations for x_0 and ε. On `flow_table`, a' = −1 and s' = 1, so v = ε − x_0; on
    `cosine_table`, per unit of angle, a' = −s and s' = a (Salimans and Ho 2022, section 4 and
    appendix D).

    Args:
        noisy: x_t, (B, ...) float.
        velocity: v, of the same shape.
        levels: (B, 2) float, a and s of each example; or (2,), the same for all.
        rates: a' and s', (B, 2) or (2,) float, of any size; a s' − s a' is not 0.

    Returns:
        x_0 and ε, each of the shape of ``noisy``.
    """
    (signal, noise), (fall, rise) = spread(levels, noisy), spread(rates, noisy)
    scale = signal * rise - noise * fall  # the determinant; 1 on both tables
    return (rise * noisy - noise * velocity) / scale, (signal * velocity - fall * noisy) / scale


def denoising_loss(
    predict: Callable[[Tensor], Tensor], clean: Tensor, draws: Tensor, levels: Tensor
) -> Tensor:
    """Loss of a model that predicts the noise in noisy examples (Ho et al. 2020, eq. 14).

    Add noise, let the model predict it, and take the mean of the squared errors.

    Args:
        predict: called once, on all of x_t, (B, ...); returns the predicted ε, of the same shape.
            Whatever else the model has to know, such as the level, is bound to it before.
        clean: x_0, (B, ...) float.
        draws: ε, of the same shape, standard normal.
        levels: (B, 2) float, signal and noise of each example; or (2,), the same for all.

    Returns:
        (), the mean over all entries.
    """
    return F.mse_loss(predict(add_noise(clean, draws, levels)), draws)


def flow_loss(
    predict: Callable[[Tensor], Tensor], clean: Tensor, draws: Tensor, times: Tensor
) -> Tensor:
    """Loss of a model that predicts velocities: flow matching on straight lines.

    An example goes from data to noise on x_t = (1 − t) x_0 + t ε, at the velocity dx_t/dt =
    ε − x_0 (Lipman et al. 2023, eq. 23 with σ = 0, where time runs from noise to data).

    Args:
        predict: called once, on all of x_t, (B, ...); returns the predicted velocity, of the same
            shape.
        clean: x_0, (B, ...) float.
        draws: ε, of the same shape, standard normal.
        times: t, (B,) float, from 0 to 1.

    Returns:
        (), the mean of the squared errors over all entries.
    """
    levels = torch.stack([1 - times, times], dim=1)
    return F.mse_loss(predict(add_noise(clean, draws, levels)), draws - clean)


# the reverse process


def posterior(noisy: Tensor, clean: Tensor, now: Tensor, then: Tensor) -> tuple[Tensor, Tensor]:
    """Distribution of a less noisy example, given a noisy and the clean one.

    DDPM's reverse step. Noise is added in two stages, from x_0 to x_r and from x_r to x_t. The
    second one is x_t = α x_r + σ ε with α = a_t / a_r and σ² = s_t² − α² s_r². The distribution of
    x_r given both ends is a Gaussian with mean (α s_r² / s_t²) x_t + (a_r σ² / s_t²) x_0 and
    variance σ² s_r² / s_t² (Ho et al. 2020, eq. 6 and 7, where r = t − 1).

    Args:
        noisy: x_t, (...) float.
        clean: x_0, of the same shape.
        now: (2,) float, signal a_t and noise s_t > 0 of ``noisy``.
        then: (2,) float, a_r > 0 and s_r, of a level with less noise.

    Returns:
        mean, of the shape of ``noisy``, and variance, ().
    """
    (signal, noise), (next_signal, next_noise) = now, then
    ratio = signal / next_signal  # α
    added = (noise**2 - ratio**2 * next_noise**2) / noise**2  # σ² / s_t², at most 1
    mean = ratio * (next_noise / noise) ** 2 * noisy + next_signal * added * clean
    return mean, added * next_noise**2


def reverse_step(
    noisy: Tensor,
    clean: Tensor,
    now: Tensor,
    then: Tensor,
    *,
    eta: float = 0.0,
    draws: Tensor | None = None,
) -> Tensor:
    """One step from a level to one with less noise.

    From x_t and an estimate of x_0, the noise is ε = (x_t − a_t x_0) / s_t. At the new level r, a
    part of the noise is ε and the rest is fresh: x_r = a_r x_0 + √(s_r² − f²) ε + f z, where f is
    eta times the standard deviation of `posterior` (Song et al. 2021, eq. 12 and 16). eta = 1 is
    DDPM with the variance of the posterior, eta = 0 is DDIM, and eta = 0 on `flow_table` is an
    Euler step of flow matching.

    Args:
        noisy: x_t, (...) float.
        clean: the model's estimate of x_0, of the same shape.
        now: (2,) float, signal a_t and noise s_t > 0 of ``noisy``.
        then: (2,) float, a_r > 0 and s_r, of a level with less noise.
        eta: from 0 to 1.
        draws: z, of the shape of ``noisy``, standard normal; it may be left out if eta is 0.

    Returns:
        x_r, of the shape of ``noisy``.

    Raises:
        ValueError: eta is above 0, and there are no draws.
    """
    if eta > 0 and draws is None:
        raise ValueError(f"eta = {eta} adds fresh noise; give draws, or eta = 0")
    (signal, noise), (next_signal, next_noise) = now, then
    predicted = (noisy - signal * clean) / noise
    _, variance = posterior(noisy, clean, now, then)
    old = (next_noise**2 - eta**2 * variance).sqrt()
    step = next_signal * clean + old * predicted
    return step if draws is None else step + eta * variance.sqrt() * draws


def sample(
    denoisers: Sequence[Callable[[Tensor], Tensor]],
    start: Tensor,
    table: Tensor,
    *,
    eta: float = 0.0,
    draws: Tensor | None = None,
) -> Tensor:
    """Samples from noise: `reverse_step` from the last row of a table to its first.

    Args:
        denoisers: one function for each row of the table, in its order: called on x_t, (...), at
            that level, it returns an estimate of x_0, of the same shape. The first one is not
            called.
        start: x at the last row, (...) float.
        table: (steps + 1, 2) float, from clean to noise.
        eta: from 0 to 1, as in `reverse_step`.
        draws: (steps, ...) float, standard normal, in the order in which the steps are made; it may
            be left out if eta is 0.

    Returns:
        x at row 0, of the shape of ``start``.
    """
    x = start
    for count, row in enumerate(range(len(table) - 1, 0, -1)):
        fresh = None if draws is None else draws[count]
        x = reverse_step(x, denoisers[row](x), table[row], table[row - 1], eta=eta, draws=fresh)
    return x


# a network


def time_features(times: Tensor, width: int, *, fastest: float = 1000.0) -> Tensor:
    """Sines and cosines of a time at many frequencies, so that a network can tell close ones apart.

    Feature i is sin(r_i t) and feature W/2 + i is cos(r_i t), for i from 0 to W/2 − 1. The rates
    r_i grow by equal factors, from 1 to ``fastest``.

    Args:
        times: t, (...) float, from 0 to 1.
        width: W, even, 4 or more.
        fastest: the highest rate, in radians per unit of time.

    Returns:
        (..., W), on the device of ``times``.

    Raises:
        ValueError: W is odd or below 4.
    """
    if width % 2 or width < 4:
        raise ValueError(f"width must be even and at least 4, got {width}")
    steps = torch.linspace(0, 1, width // 2, dtype=times.dtype, device=times.device)
    angles = times.unsqueeze(-1) * fastest**steps  # (..., 1) -> (..., W/2)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class ConditionedBlock(nn.Module):
    """A residual block with a condition c: x + down(SiLU(up(norm(x) + c))).

    Attributes:
        norm: `nn.LayerNorm`.
        up: `nn.Linear` from ``hidden`` to ``hidden``.
        down: `nn.Linear` from ``hidden`` to ``hidden``.
    """

    def __init__(self, hidden: int, *, device: torch.device | str | None = None) -> None:
        """Make the layers, as torch draws them.

        Args:
            hidden: H.
            device: where the parameters go.
        """
        super().__init__()
        self.norm = nn.LayerNorm(hidden, device=device)
        self.up = nn.Linear(hidden, hidden, device=device)
        self.down = nn.Linear(hidden, hidden, device=device)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """Add to x an update that is computed from x and the condition.

        Args:
            x: (..., H) float.
            condition: c, broadcastable to (..., H).

        Returns:
            (..., H).
        """
        return x + self.down(F.silu(self.up(self.norm(x) + condition)))


class Denoiser(nn.Module):
    """A network that predicts from noisy vectors, a time, and perhaps a label.

    c = SiLU(time(f) + the label's row) with f, the `time_features` of t; h = input(x); each block
    makes h of h and c; the result is output(h). The same network predicts noise, velocities or
    clean examples: its loss decides.

    Attributes:
        input: `nn.Linear` from D to H.
        time: `nn.Linear` from the W features of the time to H.
        label: `nn.Embedding` with C + 1 rows of H, or None without classes. The last row, number C,
            is the null label, which stands for no label.
        blocks: `nn.ModuleList` of `ConditionedBlock`.
        output: `nn.Linear` from H to D; weight and bias start at 0, so an untrained network
            returns 0.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        *,
        layers: int,
        time_width: int = 32,
        classes: int = 0,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts; all but the output as torch draws them.

        Args:
            features: D, numbers in an example.
            hidden: H.
            layers: blocks.
            time_width: W, even.
            classes: C; 0 is a network without labels.
            device: where the parameters go.
        """
        super().__init__()
        self.time_width = time_width
        self.input = nn.Linear(features, hidden, device=device)
        self.time = nn.Linear(time_width, hidden, device=device)
        self.label = nn.Embedding(classes + 1, hidden, device=device) if classes else None
        blocks = (ConditionedBlock(hidden, device=device) for _ in range(layers))
        self.blocks = nn.ModuleList(blocks)
        self.output = nn.Linear(hidden, features, device=device)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, x: Tensor, times: Tensor, labels: Tensor | None = None) -> Tensor:
        """Predict, for noisy examples.

        Args:
            x: (B, D) float.
            times: (B,) float, from 0 to 1; or (), the same for all.
            labels: (B,) int64, from 0 to C, where C is the null label; without it, all have the
                null label. Ignored by a network without classes.

        Returns:
            (B, D).
        """
        condition = self.time(time_features(times, self.time_width))
        if self.label is not None:
            null = self.label.weight[-1]
            condition = condition + (null if labels is None else self.label(labels))
        condition = F.silu(condition)
        h = self.input(x)
        for block in self.blocks:
            h = block(h, condition)
        return self.output(h)


# conditions


def drop_labels(labels: Tensor, uniform: Tensor, *, share: float, null: int) -> Tensor:
    """Replace a share of the labels by the null label, so that a model learns both predictions.

    Args:
        labels: (B,) int64.
        uniform: (B,) float in [0, 1); below ``share`` the label is dropped.
        share: from 0 to 1.
        null: number of the null label.

    Returns:
        (B,) int64.
    """
    return torch.where(uniform < share, null, labels)


def guided(conditional: Tensor, unconditional: Tensor, weight: float) -> Tensor:
    """Classifier-free guidance: exaggerate what a label changes in a prediction.

    The result lies on the line through both predictions, w of the way from the unconditional to
    the conditional one. With w = 0 the label is ignored, with 1 it is used as learned, and above 1
    it is exaggerated. In Ho and Salimans (2022, eq. 6), this weight is called 1 + w.

    Args:
        conditional: prediction with a label, (...) float: noise, velocity or clean example.
        unconditional: prediction with the null label, of the same shape.
        weight: w, any number.

    Returns:
        (...).
    """
    return unconditional + weight * (conditional - unconditional)


# judging samples


def frechet_distance(features: Tensor, others: Tensor) -> Tensor:
    """Fréchet distance between two sets, as if each were a Gaussian.

    ‖m_1 − m_2‖² + tr(C_1) + tr(C_2) − 2 tr((C_1 C_2)^½) with means m and covariances C, which
    divide by n − 1 (Heusel et al. 2017, eq. 6). The trace of the root is the sum of the roots of
    the eigenvalues of C_1 C_2: the singular values of R_1 R_2ᵀ, if C = Rᵀ R. They are accurate
    even if a covariance is singular, as it is with fewer examples than features.

    Args:
        features: (n, D) float, n ≥ 2, of one set.
        others: (m, D) float, m ≥ 2, of the other.

    Returns:
        (), 0 or more up to rounding; in squared units of the features.
    """
    (mean, root), (other_mean, other_root) = _moments(features), _moments(others)
    traces = root.square().sum() + other_root.square().sum()
    shared = torch.linalg.svdvals(root @ other_root.mT).sum()
    return (mean - other_mean).square().sum() + traces - 2 * shared


def _moments(features: Tensor) -> tuple[Tensor, Tensor]:
    """Mean, and an R with Rᵀ R = C."""
    mean = features.mean(dim=0)
    root = torch.linalg.qr(features - mean, mode="r").R
    return mean, root / (len(features) - 1) ** 0.5


# masked diffusion


def mask_tokens(tokens: Tensor, uniform: Tensor, levels: Tensor, *, mask: int) -> Tensor:
    """Noise for texts: hide each token with a probability, the level of its text.

    Args:
        tokens: (B, T) int64.
        uniform: (B, T) float in [0, 1); below the level, a token is hidden.
        levels: t, (B,) float, from 0 (nothing is hidden) to 1 (everything is).
        mask: the token that stands for a hidden one.

    Returns:
        (B, T) int64.
    """
    return torch.where(uniform < levels[:, None], mask, tokens)


def masked_diffusion_loss(logits: Tensor, tokens: Tensor, masked: Tensor, levels: Tensor) -> Tensor:
    """Loss of masked diffusion: cross-entropy of hidden tokens, weighted by 1 / t.

    With levels drawn uniformly from 0 to 1, its mean is an upper bound of −ln p(text) / T (Sahoo et
    al. 2024, section 3, with α_t = 1 − t). A hidden token weighs more where few are hidden.

    Args:
        logits: (B, T, V) float.
        tokens: (B, T) int64, before tokens were hidden.
        masked: (B, T) bool; True is hidden.
        levels: t > 0, (B,) float, the probability with which each text's tokens were hidden.

    Returns:
        (), in nats per token: a mean over all B · T tokens, hidden or not.
    """
    losses = F.cross_entropy(logits.flatten(0, 1), tokens.flatten(), reduction="none")
    losses = torch.where(masked, losses.reshape(tokens.shape), 0.0)
    return (losses / levels[:, None]).mean()


def unmask(
    tokens: Tensor, proposed: Tensor, uniform: Tensor, now: float, then: float, *, mask: int
) -> Tensor:
    """One reverse step of masked diffusion: make some hidden tokens visible.

    From level t to a lower level r, each hidden token becomes visible with probability (t − r) / t,
    so that a share r of all is hidden if a share t was (Sahoo et al. 2024, section 3). Visible
    tokens stay as they are.

    Args:
        tokens: (B, T) int64, ``mask`` where hidden.
        proposed: (B, T) int64, tokens that a model has drawn for every place.
        uniform: (B, T) float in [0, 1); below the probability, a hidden token becomes visible.
        now: t, above 0 and up to 1.
        then: r, from 0 up to t; with 0, all become visible.
        mask: the token that stands for a hidden one.

    Returns:
        (B, T) int64.
    """
    opened = (tokens == mask) & (uniform < (now - then) / now)
    return torch.where(opened, proposed, tokens)
