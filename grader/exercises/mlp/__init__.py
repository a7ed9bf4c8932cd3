"""Exercises on multilayer perceptrons: layers, backpropagation, graphs of scalars, and cost.

What they share: sizes, and generators of inputs.
"""

from itertools import pairwise

import numpy as np

from grader.author.exercise import Made

B, SIZES = 11, (7, 5, 13, 3)

AUTOGRAD = (
    "torch.autograd.grad",
    "Tensor.backward",
    "torch.autograd.backward",
    "torch.func.grad",
    "torch.func.vjp",
)


def network(rng, sizes=SIZES):
    """Weights and biases, all random."""
    return {
        "weights": [
            rng.standard_normal((d_out, d_in)) / d_in**0.5 for d_in, d_out in pairwise(sizes)
        ],
        "biases": [rng.standard_normal(d_out) for d_out in sizes[1:]],
    }


def _numbers(rng, *shape, scale=1.0):
    spread = np.where(rng.random(shape) < 0.5, scale, 1 / scale)
    return {"input": spread * rng.standard_normal(shape)}


def _with_zeros(rng):
    drawn = _numbers(rng, 3, 5)
    drawn["input"][:, 1:3] = 0.0
    return drawn


def _graph(rng, count, output=None):
    """A graph without cycles whose node numbers are shuffled; the output is the last by default."""
    number = rng.permutation(count).tolist()
    parents = [[] for _ in range(count)]
    for node in range(3, count):
        found = rng.integers(max(0, node - 6), node, size=rng.integers(1, 4))
        parents[number[node]] = [number[parent] for parent in found.tolist()]
    return {"parents": parents, "output": number[count - 1 if output is None else output]}


def _detour():
    """Node 0 is used by the output itself and by the far end of a chain."""
    return {"parents": [[5], [0], [1], [2, 0], [3, 0], []], "output": 4}


def _count(rng, input_gradient=False):
    sizes = rng.choice([2, 3, 5, 7, 11, 13, 17], size=5, replace=False).tolist()
    return {"sizes": sizes, "batch": 19, "input_gradient": input_gradient}


def _chain(count):
    return {"parents": [[], *([node] for node in range(count - 1))], "output": count - 1}


def _fan(count):
    """One node that is computed from all others."""
    return {"parents": [*([] for _ in range(count)), [*range(count)]], "output": count}


def _counted(graph):
    """A graph whose nodes tell when they are compared, so that a search through a list costs."""
    return graph | {"parents": Made("nodes", {"parents": graph["parents"]})}


def _doublings(count):
    """Every node is computed from the one before, twice: 2^count paths in count + 1 nodes."""
    return {"parents": [[], *([node, node] for node in range(count))], "output": count}
