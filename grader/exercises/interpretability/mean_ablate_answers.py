"""Right and wrong answers to `interpretability.mean_ablate`."""

import torch

from grader.author.answers import right, wrong


@right
def by_slices(merged, reference, heads, *, num_heads):
    width = merged.shape[-1] // num_heads
    found, middle = merged.clone(), reference.mean(dim=0)
    for head in heads:
        found[..., head * width : (head + 1) * width] = middle[:, head * width : (head + 1) * width]
    return found


@right
def by_a_mask(merged, reference, heads, *, num_heads):
    chosen = torch.zeros(num_heads, dtype=torch.bool, device=merged.device)
    for head in heads:
        chosen[head] = True
    mask = chosen.repeat_interleave(merged.shape[-1] // num_heads)
    return torch.where(mask, reference.sum(dim=0) / len(reference), merged)


wrong(
    "set_to_zero",
    why=(
        "The heads were set to 0, a value that later layers may never have seen; use the "
        "mean of other examples."
    ),
    change={"reference.mean(dim=0)": "0 * reference.mean(dim=0)"},
)


wrong(
    "mean_over_positions",
    why="The mean was taken over positions, too; each position has its own mean.",
    change={"reference.mean(dim=0)": "reference.mean(dim=(0, 1), keepdim=True)[0]"},
)


@wrong(
    why="The mean was taken over the examples that are ablated; it must come from the other ones."
)
def own_mean(merged, reference, heads, *, num_heads):
    width = merged.shape[-1] // num_heads
    found = merged.clone()
    middle = merged.mean(dim=0) if merged.ndim > 2 else merged
    for head in heads:
        part = slice(head * width, (head + 1) * width)
        found[..., part] = middle[:, part] + 0 * reference[0, :, part]
    return found


wrong(
    "all_other_heads",
    why="The named heads were kept and all others replaced.",
    change={
        "return replace_heads(merged, reference.mean(dim=0), heads, num_heads=num_heads)": (
            "rest = [head for head in range(num_heads) if head not in heads]; "
            "return replace_heads(merged, reference.mean(dim=0), rest, num_heads=num_heads)"
        )
    },
)


@wrong(
    why=(
        "Every num_heads-th feature was taken for a head; a head is a range of features "
        "that stand side by side."
    )
)
def every_nth_feature(merged, reference, heads, *, num_heads):
    found = merged.clone()
    for head in heads:
        found[..., head::num_heads] = reference.mean(dim=0)[..., head::num_heads]
    return found


@wrong(why="A single example of the reference was used; the mean over all of them was asked for.")
def one_other_example(merged, reference, heads, *, num_heads):
    width = merged.shape[-1] // num_heads
    found = merged.clone()
    for head in heads:
        found[..., head * width : (head + 1) * width] = reference[
            0, :, head * width : (head + 1) * width
        ]
    return found


@wrong(why="The input itself was changed; the run that it belongs to may still need it.")
def in_place(merged, reference, heads, *, num_heads):
    width = merged.shape[-1] // num_heads
    with torch.no_grad():
        for head in heads:
            part = slice(head * width, (head + 1) * width)
            merged[..., part] = reference.mean(dim=0)[..., part]
    return merged
