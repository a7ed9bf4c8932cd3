"""Right and wrong answers to `interpretability.control_labels`."""

import torch

from grader.author.answers import right, wrong


@right
def by_loops(types, labels, uniform):
    ordered = sorted(labels.tolist())
    count = len(ordered)
    of_type = [ordered[int(u * count)] for u in uniform.tolist()]
    return torch.tensor([of_type[v] for v in types.tolist()], device=labels.device)


@right
def looked_up_once(types, labels, uniform):
    ordered, _ = torch.sort(labels)
    draws = uniform[types] * labels.numel()
    return ordered[draws.floor().to(torch.int64)]


wrong(
    "labels_not_sorted",
    why="The labels were taken in the order of the examples; the quantile needs them sorted.",
    change={"labels.sort().values[places]": "labels[places]"},
)


@wrong(
    why=(
        "Each example has a separate draw; in a control task, all examples of a type share "
        "one label."
    )
)
def label_for_each_example(types, labels, uniform):
    draws = uniform[torch.arange(len(types)) % len(uniform)]
    return labels.sort().values[(draws * len(labels)).long().clamp(max=len(labels) - 1)]


@wrong(
    why=(
        "All labels are equally likely; they must be as frequent as in the task, or "
        "guessing has another accuracy."
    )
)
def equally_frequent(types, labels, uniform):
    classes = labels.unique()
    places = (uniform * len(classes)).long().clamp(max=len(classes) - 1)
    return classes[places][types]


@wrong(why="Each type got its own most frequent label; that is the task, and not a control.")
def most_frequent_label(types, labels, uniform):
    found = torch.full_like(uniform, int(labels.mode().values), dtype=labels.dtype)
    for v in types.unique().tolist():
        found[v] = labels[types == v].mode().values
    return found[types]


wrong(
    "label_of_each_type",
    why="This returns a label for each type; the probe needs one for each example.",
    change={"[places][types]": "[places]"},
)


wrong(
    "rounded_to_the_nearest",
    why="The place is rounded down; rounding to the nearest makes the first label too rare.",
    change={"(uniform * len(labels)).long()": "(uniform * len(labels)).round().long()"},
)


wrong(
    "quantile_between_first_and_last",
    why="The draw was multiplied by N − 1; by N, each of the N labels is equally likely.",
    change={"(uniform * len(labels)).long()": "(uniform * (len(labels) - 1)).long()"},
    corner=True,
)


@wrong(
    why=(
        "The labels were shuffled over examples; one type then has several labels, which "
        "no probe can learn."
    )
)
def shuffled(types, labels, uniform):
    order = uniform[types].argsort(stable=True)
    return labels[order]
