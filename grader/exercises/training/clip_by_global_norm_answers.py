"""Right and wrong answers to `training.clip_by_global_norm`."""

import torch

from grader.author.answers import right, wrong


@right
def as_one_vector(gradients, *, max_norm):
    whole = torch.cat([gradient.flatten() for gradient in gradients])
    norm = torch.linalg.vector_norm(whole, dtype=torch.promote_types(whole.dtype, torch.float32))
    if norm > max_norm:
        parts = (whole / norm * max_norm).split([g.numel() for g in gradients])
        return [part.view(g.shape).to(g.dtype) for part, g in zip(parts, gradients)], norm
    return [gradient.clone() for gradient in gradients], norm


@right
def divided_by_the_larger(gradients, *, max_norm):
    wide = [g.double() if g.dtype == torch.float64 else g.float() for g in gradients]
    norm = sum((g * g).sum() for g in wide) ** 0.5
    factor = max_norm / torch.maximum(norm, torch.full_like(norm, max_norm))
    return tuple((factor * g).type_as(old) for g, old in zip(wide, gradients)), norm


@wrong(
    why=(
        "Each tensor was clipped by its own norm; that changes the direction "
        "of the whole gradient, and a common factor does not."
    )
)
def each_by_its_own_norm(gradients, *, max_norm):
    norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
    return [g * (max_norm / g.norm()).clamp(max=1.0) for g in gradients], norm


@wrong(
    why=(
        "The entries were cut off at ±max_norm: large ones lose, small ones "
        "stay, and the direction changes; clipping by norm shortens all "
        "entries alike."
    )
)
def entries_clipped(gradients, *, max_norm):
    norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
    return [g.clamp(-max_norm, max_norm) for g in gradients], norm


wrong(
    "always_scaled",
    why=(
        "Gradients that were short enough have been stretched to max_norm; the "
        "factor must not exceed 1, or training never comes to rest."
    ),
    change={".clamp(max=1.0)": ""},
)


wrong(
    "norms_added",
    why=("The norms were added up; lengths in perpendicular directions add up as squares."),
    change={
        "torch.linalg.vector_norm(torch.stack([g.norm() for g in wide]))": (
            "sum(g.norm() for g in wide)"
        )
    },
)


wrong(
    "no_root",
    why=("This is the squared length; without the root long gradients are cut far too short."),
    change={"in wide]))": "in wide])).square()"},
)


wrong(
    "mean_for_sum",
    why=("The mean of the squares does not grow with the number of parameters, a length does."),
    change={"g.norm() for": "g.square().mean().sqrt() for"},
)


wrong(
    "norm_after",
    why=(
        "The norm after clipping was returned; it says nothing that max_norm "
        "did not say. The one before shows when gradients explode."
    ),
    change={"return clipped, norm": "return clipped, norm * factor"},
)


wrong(
    "eps_under_the_fraction",
    why=(
        "A small number was added to the norm; gradients that are small themselves then come out "
        "too short. A norm of 0 needs no such help: max_norm / 0 is infinite, and 1 is less."
    ),
    change={"max_norm / norm": "max_norm / (norm + 1e-6)"},
)


wrong(
    "largest_norm",
    why="The longest tensor was taken for the whole; the squares of all of them add up.",
    change={
        "torch.linalg.vector_norm(torch.stack([g.norm() for g in wide]))": (
            "torch.stack([g.norm() for g in wide]).max()"
        )
    },
)


@wrong(why="The gradients that came in were changed; return new ones.")
def in_place(gradients, *, max_norm):
    norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
    factor = (max_norm / norm).clamp(max=1.0)
    return [g.mul_(factor) for g in gradients], norm


@wrong(
    why=(
        "Only the tensors that are too long by themselves were shortened; one factor, that of the "
        "whole gradient, belongs to all."
    )
)
def long_ones_alone(gradients, *, max_norm):
    norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
    factor = (max_norm / norm).clamp(max=1.0)
    return [g * factor if g.norm() > max_norm else g for g in gradients], norm


@wrong(
    why="0 / 0 is NaN: where every gradient is zero, the factor has to be 1.",
)
def zero_by_zero(gradients, *, max_norm):
    norm = torch.stack([g.square().sum() for g in gradients]).sum().sqrt()
    return [g / norm * norm.clamp(max=max_norm) for g in gradients], norm


wrong(
    "summed_in_half_precision",
    why=(
        "Squares of half precision were summed up as such: in float16 they overflow beyond 255, "
        "and in bfloat16 three digits are left. Add them up in float32."
    ),
    change={
        "gradient.to(_wide(gradient)) for": "gradient for",
    },
    corner=True,
)


wrong(
    "left_in_float32",
    why="Half-precision gradients came back in float32; each comes back in the dtype that it had.",
    change={"(g * factor).to(own.dtype)": "g * factor"},
    corner=True,
)


wrong(
    "all_of_one_dtype",
    why=(
        "All gradients came back in one dtype; a gradient belongs to a parameter, and has the "
        "dtype of that."
    ),
    change={
        "(g * factor).to(own.dtype) for g, own": "(g * factor).to(gradients[0].dtype) for g, own"
    },
    corner=True,
)


wrong(
    "factor_in_half_precision",
    why=(
        "The common factor was rounded to half precision: in float16 it is 0 below 10⁻⁸, and has "
        "few digits before. Multiply in float32, and round the result."
    ),
    change={
        "(g * factor).to(own.dtype) for g, own": "own * factor.to(own.dtype) for g, own",
    },
    corner=True,
)


@wrong(
    why=(
        "The norm was computed relative to the largest entry of each tensor, and a tensor without "
        "entries has none: its share of the norm is 0."
    ),
    corner=True,
)
def scaled_by_the_largest(gradients, *, max_norm):
    wide = [g.to(torch.promote_types(g.dtype, torch.float32)) for g in gradients]
    dtype = max((g.dtype for g in wide), key=lambda one: torch.finfo(one).bits)
    top = max(float(g.abs().max()) for g in wide) or 1.0
    norm = sum((g.to(dtype) / top).square().sum() for g in wide).sqrt() * top
    factor = (max_norm / norm).clamp(max=1.0)
    return [(g * factor).to(old.dtype) for g, old in zip(wide, gradients)], norm
