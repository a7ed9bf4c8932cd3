"""Right and wrong answers to `test_time_compute.step_labels`."""

import torch

from grader.author.answers import right, wrong


@right
def no_mistake_so_far(steps, solutions):
    return (steps != solutions).long().cumsum(dim=1) == 0


@right
def step_by_step(steps, solutions):
    found = torch.ones_like(steps, dtype=torch.bool)
    for row in range(len(steps)):
        for place in range(steps.shape[1]):
            found[row, place] = bool((steps[row, : place + 1] == solutions[row, : place + 1]).all())
    return found


wrong(
    "each_step_alone",
    why="Each step is judged alone: after a mistake, a step that happens to agree counts as right.",
    change={"(steps == solutions).cumprod(dim=1).bool()": "steps == solutions"},
)


@wrong(why="The label of the whole answer is repeated: steps before the first mistake are right.")
def outcome_at_each_step(steps, solutions):
    return (steps == solutions).all(dim=1, keepdim=True).expand_as(steps).clone()


wrong(
    "down_the_batch",
    why="The product runs down the batch, from answer to answer; it must run along the steps.",
    change={"cumprod(dim=1)": "cumprod(dim=0)"},
)


wrong(
    "mistakes_marked",
    why="True marks what is wrong; the label of a right step is True.",
    change={
        "(steps == solutions).cumprod(dim=1).bool()": (
            "~(steps == solutions).cumprod(dim=1).bool()"
        )
    },
)


@wrong(why="Each label is one step late: a step's label must count its own mistake.")
def before_the_step(steps, solutions):
    same = (steps == solutions).long()
    before = torch.cat([torch.ones_like(same[:, :1]), same[:, :-1]], dim=1)
    return before.cumprod(dim=1).bool()


@wrong(why="The product runs from the end: you asked whether the rest of the answer is right.")
def from_the_end(steps, solutions):
    return (steps == solutions).flip(1).cumprod(dim=1).flip(1).bool()


wrong(
    "as_numbers",
    why="The labels are whole numbers; return bool.",
    change={".bool()": ""},
)
