"""Right and wrong answers to `interpretability.logit_lens`."""

import torch

from grader.author.answers import right, wrong


@right
def all_at_once(streams, norm, head):
    return head(norm(torch.stack(tuple(streams))))


@right
def one_by_one(streams, norm, head):
    found = []
    for stream in streams:
        found.append(head(norm(stream)).unsqueeze(0))
    return torch.cat(found, dim=0)


wrong(
    "norm_left_out",
    why="The norm was left out; the output layer was trained on normalized streams.",
    change={"head(norm(stream))": "head(stream)"},
)


@wrong(
    why="Only the last stream goes through the norm; every depth must, as if the model ended there."
)
def norm_at_the_end_alone(streams, norm, head):
    *before, last = streams
    return torch.stack([head(stream) for stream in (*before, norm(last))])


@wrong(
    why=(
        "The streams were added up first; the stream at a depth already contains all "
        "layers before it."
    )
)
def streams_added_up(streams, norm, head):
    return torch.stack([head(norm(sum(streams[: i + 1]))) for i in range(len(streams))])


wrong(
    "softmax_on_top",
    why="These are probabilities; the lens returns logits.",
    change={"head(norm(stream))": "head(norm(stream)).softmax(dim=-1)"},
)


@wrong(why="The depths are on the second axis from the left; they come first.")
def depths_second(streams, norm, head):
    found = torch.stack([head(norm(stream)) for stream in streams])
    return found.transpose(0, 1)


wrong(
    "deepest_first",
    why="The order of the depths is reversed; the first stream comes first.",
    change={"for stream in streams": "for stream in reversed(list(streams))"},
)
