"""Right and wrong answers to `mlp.reverse_mode`."""

import torch

from grader.author.answers import right, wrong
from solutions.mlp import topological_order


@right
def collected_from_the_users(parents, slopes, output):
    order = topological_order(parents, output)
    users = {node: [] for node in order}
    for node in order:
        for parent, slope in zip(parents[node], slopes[node]):
            users[parent].append((node, slope))
    found = {output: 1.0}
    for node in order[-2::-1]:
        found[node] = sum(slope * found[user] for user, slope in users[node])
    return torch.tensor([found.get(n, 0.0) for n in range(len(parents))], dtype=torch.float64)


@right
def counting_who_is_left(parents, slopes, output):
    waiting = [0] * len(parents)
    reached, stack = {output}, [output]
    while stack:
        for parent in parents[stack.pop()]:
            waiting[parent] += 1
            if parent not in reached:
                reached.add(parent)
                stack.append(parent)
    derivatives = torch.zeros(len(parents)).double()
    derivatives[output] = 1
    ready = [output]
    while ready:
        node = ready.pop()
        for parent, slope in zip(parents[node], slopes[node]):
            derivatives[parent] += slope * derivatives[node]
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    return derivatives


@wrong(
    why=(
        "Every path from the output was followed separately and the products were added up: the "
        "result is right, but the cost is exponential. If numbers are used twice, the number of "
        "paths doubles at every step; one sweep visits each edge once."
    )
)
def sum_over_paths(parents, slopes, output):
    derivatives = torch.zeros(len(parents), dtype=torch.float64)
    paths = [(output, 1.0)]
    while paths:
        node, product = paths.pop()
        derivatives[node] += product
        for parent, slope in zip(parents[node], slopes[node]):
            paths.append((parent, product * slope))
    return derivatives


@wrong(
    why=(
        "The derivatives are right, but a function that calls itself once per level stops at about "
        "1,000 levels; the topological order needs no recursion."
    ),
    corner=True,
)
def recursion(parents, slopes, output):
    users = [[] for _ in parents]
    for node in topological_order(parents, output):
        for parent, slope in zip(parents[node], slopes[node]):
            users[parent].append((node, slope))
    found = {output: 1.0}

    def derivative(node):
        if node not in found:
            found[node] = sum((s * derivative(user) for user, s in users[node]), 0.0)
        return found[node]

    return torch.tensor([derivative(n) for n in range(len(parents))], dtype=torch.float64)


@wrong(
    why=(
        "The derivatives are right, but the work grows faster than the graph: with many nodes it "
        "takes too many steps. Go from each node to its parents, once, and add."
    ),
    corner=True,
)
def users_looked_for(parents, slopes, output):
    derivatives = {}
    for node in reversed(topological_order(parents, output)):
        total = 1.0 if node == output else 0.0
        for user in derivatives:
            for place, parent in enumerate(parents[user]):
                if parent == node:
                    total += slopes[user][place] * derivatives[user]
        derivatives[node] = total
    return torch.tensor([derivatives.get(n, 0.0) for n in range(len(parents))], dtype=torch.float64)


wrong(
    "last_user_wins",
    why=(
        "The share was assigned instead of added, so a number that is used "
        "twice keeps the gradient of one use only."
    ),
    change={
        "+= slopes[node][place] * derivatives[node]": ("= slopes[node][place] * derivatives[node]")
    },
)


wrong(
    "from_inputs_to_output",
    why=(
        "The nodes were visited in the order of the forward pass, where the "
        "derivatives above are still zero; reverse it."
    ),
    change={"reversed(topological_order(parents, output))": "topological_order(parents, output)"},
)


wrong(
    "by_number",
    why=(
        "The nodes were visited from the highest number down, but a node's number says nothing "
        "about when the node was computed; go backward through the topological order."
    ),
    change={"topological_order(parents, output)": "range(len(parents))"},
)


@wrong(
    why=(
        "A node passed on its derivative when it was first reached, before all nodes that "
        "use it had added their share."
    )
)
def handed_down_too_early(parents, slopes, output):
    derivatives = torch.zeros(len(parents), dtype=torch.float64)
    derivatives[output] = 1.0
    nodes = [output]
    for node in nodes:
        for place, parent in enumerate(parents[node]):
            derivatives[parent] += slopes[node][place] * derivatives[node]
            if parent not in nodes:
                nodes.append(parent)
    return derivatives


wrong(
    "no_seed",
    why=("The derivative of the output was not set, so there is nothing to pass down: dz/dz is 1."),
    change={"derivatives[output] = 1.0": "derivatives[output] = 0.0"},
)


wrong(
    "slopes_added",
    why=(
        "Along a path the slopes are multiplied; only the contributions of different paths are "
        "added."
    ),
    change={"slopes[node][place] * derivatives[node]": "slopes[node][place] + derivatives[node]"},
)


wrong(
    "first_slope_for_all",
    why="A node has one slope per parent, and each parent needs its own.",
    change={"slopes[node][place]": "slopes[node][0]"},
)
