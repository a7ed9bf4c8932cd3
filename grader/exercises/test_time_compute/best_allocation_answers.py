"""Right and wrong answers to `test_time_compute.best_allocation`."""

import torch

from grader.author.answers import right, wrong


@right
def by_loops(training, answering, accuracy, *, questions, budget):
    best = None
    for row in range(len(training)):
        for column in range(answering.shape[1]):
            cost = float(training[row] + questions * answering[row, column])
            key = (-float(accuracy[row, column]), cost)
            if cost <= budget and (best is None or key < best[0]):
                best = key, (row, column)
    if best is None:
        raise ValueError("nothing fits into the budget")
    return best[1]


@right
def by_sorting(training, answering, accuracy, *, questions, budget):
    cost = (training.unsqueeze(1) + questions * answering).flatten()
    order = cost.argsort(stable=True)
    order = order[cost[order] <= budget]
    if len(order) == 0:
        raise ValueError("nothing fits into the budget")
    place = int(order[accuracy.flatten()[order].argmax()])
    return place // answering.shape[1], place % answering.shape[1]


wrong(
    "training_left_out",
    why="Training costs nothing here; the budget has to pay for training and answering.",
    change={
        "training[:, None] + questions * answering": "0 * training[:, None] + questions * answering"
    },
)


wrong(
    "one_question",
    why="Only one question is paid for; the cost of an answer comes with each question.",
    change={"questions * answering": "answering"},
)


wrong(
    "training_for_each_question",
    why="The model is trained again for each question; it is trained once.",
    change={
        "training[:, None] + questions * answering": "questions * (training[:, None] + answering)"
    },
)


wrong(
    "below_the_budget",
    why="An allocation that costs exactly the budget is left out; it fits.",
    change={"cost <= budget": "cost < budget"},
    corner=True,
)


@wrong(why="The budget is ignored: this is the most accurate allocation of all.")
def budget_ignored(training, answering, accuracy, *, questions, budget):
    cost = training[:, None] + questions * answering
    if not (cost <= budget).any():
        raise ValueError("nothing fits into the budget")
    return divmod(int(accuracy.argmax()), cost.shape[1])


@wrong(why="Of equally accurate allocations, this takes the first; the cheapest was asked for.")
def first_of_equals(training, answering, accuracy, *, questions, budget):
    fits = training[:, None] + questions * answering <= budget
    if not fits.any():
        raise ValueError("nothing fits into the budget")
    return divmod(int(accuracy.masked_fill(~fits, -1.0).argmax()), fits.shape[1])


@wrong(why="This is the allocation that costs most, not the most accurate one.")
def dearest(training, answering, accuracy, *, questions, budget):
    cost = training[:, None] + questions * answering
    fits = cost <= budget
    if not fits.any():
        raise ValueError("nothing fits into the budget")
    return divmod(int(cost.masked_fill(~fits, -1.0).argmax()), cost.shape[1])


@wrong(why="This is the cheapest allocation; of those that fit, the most accurate was asked for.")
def cheapest(training, answering, accuracy, *, questions, budget):
    cost = training[:, None] + questions * answering
    if not (cost <= budget).any():
        raise ValueError("nothing fits into the budget")
    return divmod(int(cost.argmin()), cost.shape[1])


@wrong(why="Row and column are swapped: the model comes first, then the number of samples.")
def swapped(training, answering, accuracy, *, questions, budget):
    cost = training[:, None] + questions * answering
    fits = cost <= budget
    if not fits.any():
        raise ValueError("nothing fits into the budget")
    best = accuracy[fits].max()
    place = torch.where(fits & (accuracy == best), cost, torch.inf).argmin()
    row, column = divmod(int(place), cost.shape[1])
    return column, row


wrong(
    "no_error",
    why="Nothing fits, and an allocation is returned all the same; raise a ValueError.",
    change={
        "if not fits.any():": "if False:",
        "accuracy[fits].max()": "accuracy[fits].max() if fits.any() else 0",
    },
    corner=True,
)
