"""Right and wrong answers to `interpretability.top_k_codes`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_a_limit(scores, k):
    limit = scores.sort(dim=-1, descending=True).values[..., k - 1 : k]
    return torch.where((scores >= limit) & (scores > 0), scores, torch.zeros_like(scores))


@right
def by_rank(scores, k):
    rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
    return scores.clamp(min=0) * (rank < k)


wrong(
    "negative_codes",
    why="A row with fewer than k positive scores has negative codes; codes are 0 or more.",
    change={"F.relu(kept)": "kept"},
)


wrong(
    "largest_sizes",
    why=(
        "The scores with the largest absolute values were kept; a very negative score "
        "says that a feature is absent."
    ),
    change={
        "kept, places = scores.topk(k, dim=-1)": (
            "places = scores.abs().topk(k, dim=-1).indices; kept = scores.gather(-1, places)"
        )
    },
)


wrong(
    "largest_of_the_batch",
    why="One limit was taken for the whole batch; each row keeps its own k largest.",
    change={
        "kept, places = scores.topk(k, dim=-1)": (
            "limit = scores.flatten().topk(min(k, scores.numel())).values[-1]; "
            "places = torch.arange(scores.shape[-1]).expand_as(scores); "
            "kept = scores * (scores >= limit)"
        )
    },
)


@wrong(why="The kept codes moved to the front; each stays at the place of its score.")
def moved_to_the_front(scores, k):
    kept = scores.topk(k, dim=-1).values.relu()
    return torch.nn.functional.pad(kept, (0, scores.shape[-1] - k))


wrong(
    "smallest",
    why="The k smallest scores were kept.",
    change={"scores.topk(k, dim=-1)": "scores.topk(k, dim=-1, largest=False)"},
)


@wrong(
    why="The kept codes became ones; a code keeps its value, which is the amount of the feature."
)
def ones_for_codes(scores, k):
    kept, places = scores.topk(k, dim=-1)
    return torch.zeros_like(scores).scatter(-1, places, (kept > 0).to(scores.dtype) + 0 * kept)


equivalent("kept, places = scores.topk(k)", why="the last axis is the default of topk")
