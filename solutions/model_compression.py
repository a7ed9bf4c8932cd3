"""Smaller models: quantization, distillation, pruning.

Builds rounding of weights to a few bits, with one scale per tensor, row or group; asymmetric
ranges; two 4-bit integers in a byte; a linear layer that stores integers; rounding by GPTQ, which
makes the remaining weights compensate for each error; the straight-through estimator, which trains
through rounding; the distillation loss; masks that prune the smallest weights, and layers without
their weakest units.

A code is the integer that stands for a number, and x ≈ scale · code. Codes of b bits run from −L to
L with L = 2^(b−1) − 1, so that 0 lies in the middle; the code −2^(b−1) is not used.

Sources: Hinton, Vinyals and Dean 2015, "Distilling the Knowledge in a Neural Network"; Jacob et al.
2018, "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
Inference"; Hassibi and Stork 1993, "Second Order Derivatives for Network Pruning: Optimal Brain
Surgeon"; Frantar and Alistarh 2022, "Optimal Brain Compression"; Frantar et al. 2023, "GPTQ:
Accurate Post-Training Quantization for Generative Pre-trained Transformers"; Bengio, Léonard and
Courville 2013, "Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
Computation"; Han et al. 2015, "Learning both Weights and Connections for Efficient Neural
Networks"; Frankle and Carbin 2019, "The Lottery Ticket Hypothesis".
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# rounding


def largest_code(bits: int) -> int:
    """Largest integer L of symmetric codes: 127 for 8 bits, 7 for 4, 1 for 2.

    Args:
        bits: b, from 2 to 8.

    Returns:
        2^(b−1) − 1.
    """
    return 2 ** (bits - 1) - 1


def absmax_scale(x: Tensor, bits: int, *, dim: int | None = None) -> Tensor:
    """Scale of symmetric codes: the largest magnitude becomes the largest code.

    scale = max abs(x) / L with L = 2^(b−1) − 1. Where all numbers are 0 the scale is 1, so that
    nothing is divided by 0.

    Args:
        x: (...) float.
        bits: b, from 2 to 8.
        dim: the axis along which numbers share a scale; None is one scale for the whole tensor.

    Returns:
        x's shape with 1 in the place of ``dim``; or (), for the whole tensor.
    """
    largest = x.abs().amax() if dim is None else x.abs().amax(dim=dim, keepdim=True)
    return torch.where(largest > 0, largest / largest_code(bits), 1.0)


def quantize(x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """Round x / scale to the nearest integer of −L to L.

    A number beyond the range gets the code at its end. Halves go to the even integer, as in
    `torch.round`.

    Args:
        x: (...) float.
        scale: > 0, broadcastable to x.
        bits: b, from 2 to 8.

    Returns:
        Codes, (...) int8.
    """
    limit = largest_code(bits)
    return (x / scale).round().clamp(-limit, limit).to(torch.int8)


def dequantize(codes: Tensor, scale: Tensor) -> Tensor:
    """Numbers that codes stand for: scale · code.

    Args:
        codes: (...) integer.
        scale: float, broadcastable to the codes.

    Returns:
        (...), in the dtype of the scale.
    """
    return codes.to(scale.dtype) * scale


def decibels(x: Tensor, approximation: Tensor) -> Tensor:
    """Signal-to-noise ratio of an approximation, 10 log₁₀(mean of x² / mean of squared errors).

    Args:
        x: (...) float.
        approximation: of the same shape; not equal to x everywhere.

    Returns:
        (), in decibels: 20 more is an error 10 times smaller.
    """
    error = (x - approximation).square().mean()
    return 10 * torch.log10(x.square().mean() / error)


def affine_range(x: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Scale and zero point of asymmetric codes, from 0 to 2^b − 1, for the range of x.

    x ≈ scale · (code − zero) (Jacob et al. 2018). The range is widened to contain 0, and
    the zero point is the integer nearest to −low / scale, so that the number 0 has a code without
    error: ReLU and padding produce many of them. If all numbers are 0, the scale is 1.

    Args:
        x: (...) float, at least one number.
        bits: b, from 2 to 8.

    Returns:
        scale, () in the dtype of x, and zero, () int64, from 0 to 2^b − 1.
    """
    low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
    scale = torch.where(high > low, (high - low) / (2**bits - 1), 1.0)
    return scale, (-low / scale).round().long()


def quantize_affine(x: Tensor, scale: Tensor, zero: Tensor, bits: int) -> Tensor:
    """Codes from 0 to 2^b − 1: round(x / scale) + zero.

    Args:
        x: (...) float.
        scale: > 0, ().
        zero: () int64.
        bits: b, from 2 to 8.

    Returns:
        (...) uint8.
    """
    return ((x / scale).round() + zero).clamp(0, 2**bits - 1).to(torch.uint8)


def pack_int4(codes: Tensor) -> Tensor:
    """Store two 4-bit integers in each byte.

    The last axis is read in pairs. The first of a pair goes into the low four bits, the second one
    into the high four, each as two's complement: −1 is 1111, −8 is 1000.

    Args:
        codes: (..., D) integers from −8 to 7, D even.

    Returns:
        (..., D/2) uint8.

    Raises:
        ValueError: D is odd.
    """
    if codes.shape[-1] % 2:
        raise ValueError(f"two codes share a byte, so D must be even, got {codes.shape[-1]}")
    low, high = (codes & 15).unflatten(-1, (-1, 2)).unbind(dim=-1)
    return (low | high << 4).to(torch.uint8)


def unpack_int4(packed: Tensor) -> Tensor:
    """Read the integers that `pack_int4` has stored.

    Args:
        packed: (..., D/2) uint8.

    Returns:
        (..., D) int8, from −8 to 7.
    """
    wide = packed.int()
    nibbles = torch.stack([wide & 15, wide >> 4], dim=-1).flatten(-2)
    return torch.where(nibbles > 7, nibbles - 16, nibbles).to(torch.int8)


class QuantizedLinear(nn.Module):
    """A linear layer that stores integers: y = x Wᵀ + b with W = scale · codes.

    A group is ``group`` neighbors in a row of the weights, and has one scale. The layer is for
    inference: codes and scales are buffers, so they move with the model, and no optimizer changes
    them.

    Attributes:
        codes: buffer, (outputs, groups, group) int8.
        scale: buffer, (outputs, groups, 1) float.
        bias: buffer, (outputs,) float, or None.
    """

    codes: Tensor
    scale: Tensor
    bias: Tensor | None

    def __init__(self, linear: nn.Linear, *, bits: int = 8, group: int | None = None) -> None:
        """Quantize the weights of a layer by rounding, with `absmax_scale`; keep its bias.

        Args:
            linear: from D inputs; it is not changed, and shares no memory with the new layer.
            bits: b, from 2 to 8.
            group: G, a divisor of D; None is one scale for each row.

        Raises:
            ValueError: G does not divide D.
        """
        super().__init__()
        width = linear.in_features
        group = group or width
        if width % group:
            raise ValueError(f"groups of {group} do not divide a row of {width} weights")
        weight = linear.weight.detach().unflatten(-1, (-1, group))  # (outputs, D/G, G)
        scale = absmax_scale(weight, bits, dim=-1)
        self.register_buffer("codes", quantize(weight, scale, bits))
        self.register_buffer("scale", scale)
        bias = None if linear.bias is None else linear.bias.detach().clone()
        self.register_buffer("bias", bias)

    def forward(self, x: Tensor) -> Tensor:
        """Multiply by the weights that the codes stand for.

        Args:
            x: (..., D) float.

        Returns:
            (..., outputs).
        """
        return F.linear(x, dequantize(self.codes, self.scale).flatten(1), self.bias)


# rounding that looks at the inputs


def gptq(
    weight: Tensor, inputs: Tensor, scale: Tensor, bits: int, *, damping: float = 0.01
) -> Tensor:
    """GPTQ: round one column after another, and let the later ones make up for each error.

    The goal is a small ‖X Wᵀ − X Ŵᵀ‖² over the inputs X. For each row of W, XᵀX is half of its
    Hessian; H = XᵀX + λ I, where λ is ``damping`` times the mean of the diagonal of XᵀX. Let U be
    the upper triangular matrix with H⁻¹ = Uᵀ U. For each column i in turn, every row w of W is
    rounded at i, as by `quantize`, and then its later columns j > i change by
    −(w_i − ŵ_i) U_ij / U_ii (Frantar et al. 2023).

    Args:
        weight: W, (outputs, D) float; it is not changed.
        inputs: X, (N, D) float, not 0 everywhere: examples of what the layer reads.
        scale: > 0, (outputs, 1) or (), such as that of `absmax_scale` for the weights as they
            were; fixed.
        bits: b, from 2 to 8.
        damping: above 0; with a large one, the result is that of `quantize`.

    Returns:
        Codes, (outputs, D) int8.
    """
    hessian = inputs.mT @ inputs
    diagonal = hessian.diagonal()
    hessian = hessian + torch.diag(damping * diagonal.mean().expand_as(diagonal))
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(hessian))
    upper = torch.linalg.cholesky(inverse, upper=True)
    weight, codes = weight.clone(), []
    for column in range(weight.shape[1]):
        now = weight[:, column : column + 1]  # (outputs, 1)
        code = quantize(now, scale, bits)
        error = (now - dequantize(code, scale)) / upper[column, column]
        weight[:, column + 1 :] -= error * upper[column, column + 1 :]
        codes.append(code)
    return torch.cat(codes, dim=1)


# rounding in training


def straight_through(x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """Round in the forward pass, and let gradients pass as if nothing had been rounded.

    The derivative of rounding is 0 almost everywhere, and training would stop. So the gradient of
    x is the gradient of the result where abs(x) ≤ scale · L (Bengio et al. 2013, for a
    threshold), and 0 beyond, where the code is at the end of its range.

    Args:
        x: (...) float.
        scale: > 0, broadcastable to x; it gets no gradient. An `absmax_scale` is a rounded
            quotient: times L it may be just below the largest number, which keeps its gradient
            if the scale is a millionth larger.
        bits: b, from 2 to 8.

    Returns:
        Exactly ``dequantize(quantize(x, scale, bits), scale)``, (...).
    """
    scale = scale.detach()
    rounded = dequantize(quantize(x, scale, bits), scale)  # an integer has no gradient
    inside = x.abs() <= scale * largest_code(bits)
    return rounded + torch.where(inside, x - x.detach(), 0.0)  # adds 0, and has a gradient


# distillation


def distillation_loss(
    student: Tensor, teacher: Tensor, labels: Tensor, *, temperature: float, weight: float
) -> Tensor:
    """Loss of a student that learns from a teacher's probabilities and from labels.

    w T² KL(p ‖ q) + (1 − w) · cross-entropy of the labels (Hinton et al. 2015, section 2), with
    p = softmax(teacher / T) and q = softmax(student / T). Gradients of the first part shrink as
    1 / T²; the factor T² keeps its share. The second part has temperature 1. The teacher gets no
    gradient.

    Args:
        student: logits, (N, C) float.
        teacher: logits, (N, C) float.
        labels: (N,) int64.
        temperature: T > 0.
        weight: w, from 0 (labels alone) to 1 (teacher alone).

    Returns:
        (), in nats, a mean over the N examples.
    """
    log_p = (teacher.detach() / temperature).log_softmax(dim=-1)
    log_q = (student / temperature).log_softmax(dim=-1)
    soft = F.kl_div(log_q, log_p, reduction="batchmean", log_target=True)
    return weight * temperature**2 * soft + (1 - weight) * F.cross_entropy(student, labels)


# pruning


def magnitude_masks(weights: Sequence[Tensor], sparsity: float) -> list[Tensor]:
    """Masks that remove the weights of smallest magnitude, by one ranking of all tensors.

    Exactly round(sparsity · number of weights) are removed. Of equal magnitudes, those that come
    first are removed first. One tensor alone gives pruning per layer.

    Args:
        weights: tensors of any shapes, float.
        sparsity: share of the weights to remove, from 0 to 1.

    Returns:
        bool, one mask for each tensor and of its shape; True stays.
    """
    sizes = torch.cat([weight.abs().flatten() for weight in weights])
    kept = torch.ones_like(sizes, dtype=torch.bool)
    kept[sizes.argsort(stable=True)[: round(sparsity * len(sizes))]] = False
    parts = kept.split([weight.numel() for weight in weights])
    return [part.reshape(weight.shape) for part, weight in zip(parts, weights, strict=True)]


def prune_units(first: nn.Linear, second: nn.Linear, keep: int) -> tuple[nn.Linear, nn.Linear]:
    """Structured pruning: two layers without the weakest of the hidden units between them.

    A unit's strength is the norm of its weights in the first layer times that in the second. With
    ReLU, weights and bias twice as large before the unit and weights half as large after it leave
    the function as it was, and the strength, too. Biases are not counted.

    Args:
        first: to H hidden units; it is not changed.
        second: from the H units; it is not changed.
        keep: how many units stay, from 1 to H; they keep their order.

    Returns:
        Smaller layers, to and from ``keep`` units, with biases where the given ones have them.
    """
    strength = first.weight.norm(dim=1) * second.weight.norm(dim=0)
    stay = strength.topk(keep).indices.sort().values
    made = []
    for layer, axis in ((first, 0), (second, 1)):
        weight = layer.weight.detach().index_select(axis, stay)
        small = nn.Linear(weight.shape[1], weight.shape[0], bias=layer.bias is not None)
        small.weight = nn.Parameter(weight)
        if layer.bias is not None:
            bias = layer.bias.detach()
            small.bias = nn.Parameter(bias[stay] if axis == 0 else bias.clone())
        made.append(small)
    return made[0], made[1]
