"""Multilayer perceptrons: stacked layers, backpropagation by hand, and the cost of both.

Builds the activations and their slopes, a network's forward pass with a cache and its backward
pass, one training step without autograd, a network through given points, reverse mode on any graph
of scalars, forward mode and a backward pass that recomputes, the network as a PyTorch module and a
gated one, and formulas for multiply-adds and bytes.

The activations are written to be read: on their own they take several times as long as torch's,
which are one kernel each; next to the matrix products of a network the difference hardly matters.

Throughout, a network with layers 1 to N computes o_0 = x, a_l = W_l o_{l−1} + b_l and
o_l = σ(a_l); the last layer has no σ, and its a_N are the scores.

Sources: Rumelhart, Hinton and Williams 1986, "Learning representations by back-propagating
errors" (backpropagation); Baydin et al. 2018, "Automatic Differentiation in Machine Learning: a
Survey" (forward and reverse mode); Chen et al. 2016, "Training Deep Nets with Sublinear Memory
Cost" (recomputing); Hendrycks and Gimpel 2016, "Gaussian Error Linear Units"; Shazeer 2020, "GLU
Variants Improve Transformer" (SwiGLU); Paszke et al. 2019, "PyTorch" (the module).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def relu(input: Tensor) -> Tensor:
    """Set negative numbers to zero: max(0, a), entry by entry.

    Args:
        input: a, float, any shape.

    Returns:
        The shape of ``input``; 0 for −∞ too. The slope is 1 above zero, and 0 below and at zero.
    """
    return torch.where(input <= 0, 0.0, input)


def sigmoid(input: Tensor) -> Tensor:
    """Map every number to one between 0 and 1: 1 / (1 + exp(−a)), entry by entry.

    Args:
        input: a, float, any shape and size.

    Returns:
        The shape of ``input``. Values and slopes are finite for every finite input.
    """
    return torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))


def gelu(input: Tensor) -> Tensor:
    """Multiply every number by a share between 0 and 1: a Φ(a), entry by entry.

    Φ(a) is the probability that a standard normal number is below a, so numbers far above zero are
    kept and numbers far below it become 0 (Hendrycks and Gimpel 2016, eq. 1; no approximation).

    Args:
        input: a, float, any shape.

    Returns:
        The shape of ``input``, differentiable.
    """
    return input * 0.5 * (1 + torch.erf(input / math.sqrt(2)))


def activate(input: Tensor, activation: str) -> Tensor:
    """Apply an activation by name.

    Args:
        input: a, float, any shape.
        activation: ``"relu"``, ``"sigmoid"``, ``"tanh"`` or ``"identity"``.

    Returns:
        σ(a), the shape of ``input``.

    Raises:
        ValueError: there is no such activation.
    """
    known = {"relu": relu, "sigmoid": sigmoid, "tanh": torch.tanh, "identity": torch.clone}
    if activation not in known:
        raise _unknown(activation)
    return known[activation](input)


def activation_backward(grad: Tensor, output: Tensor, activation: str) -> Tensor:
    """Propagate a gradient back through an activation, given the activation's output.

    ∂L/∂a = ∂L/∂o · σ′(a), entry by entry. The backward pass does not have a, so write σ′ in terms
    of o = σ(a) alone. For ReLU it is 1 where o > 0, else 0.

    Args:
        grad: ∂L/∂o, float, any shape; not changed.
        output: o = σ(a), float, the shape of ``grad``.
        activation: ``"relu"``, ``"sigmoid"``, ``"tanh"`` or ``"identity"``.

    Returns:
        ∂L/∂a, the shape of ``grad``.

    Raises:
        ValueError: there is no such activation.
    """
    if activation == "relu":
        slope = output > 0
    elif activation == "sigmoid":
        slope = output * (1 - output)
    elif activation == "tanh":
        slope = 1 - output.square()
    elif activation == "identity":
        slope = torch.ones_like(output)
    else:
        raise _unknown(activation)
    return grad * slope


def softmax_jacobian(input: Tensor) -> Tensor:
    """Jacobian of the softmax: how every probability depends on every score.

    J_ij = ∂p_i/∂z_j = p_i (δ_ij − p_j), with p = softmax(z); δ_ij is 1 where i = j, else 0.

    Args:
        input: z, (..., C) float, scores.

    Returns:
        (..., C, C), one matrix for each vector of scores, of their dtype; it need not be
        differentiable.
    """
    p = torch.softmax(input, dim=-1)
    return torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)  # (..., C, 1) x (..., 1, C)


def collapse(weights: Sequence[Tensor], biases: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Collapse a stack of linear layers without activations into one linear layer.

    Args:
        weights: W_1 to W_N in the order in which they are applied; W_l is (d_l, d_{l−1}) float.
        biases: b_1 to b_N; b_l is (d_l,) float.

    Returns:
        weight (d_N, d_0) and bias (d_N,).
    """
    weight, bias = weights[0], biases[0]
    for layer in range(1, len(weights)):
        weight = weights[layer] @ weight  # (d_l, d_{l−1}) x (d_{l−1}, d_0) -> (d_l, d_0)
        bias = weights[layer] @ bias + biases[layer]
    return weight, bias


def linear_backward(grad: Tensor, input: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Propagate a gradient back through a linear layer a = W o + b, for a batch.

    For one example: ∂L/∂o = Wᵀ δ, ∂L/∂W = δ oᵀ and ∂L/∂b = δ, with δ = ∂L/∂a. Over a batch the
    gradients of W and b add up; the loss does any averaging.

    Args:
        grad: δ, (B, d_out) float.
        input: o, (B, d_in) float, the input of the layer.
        weight: W, (d_out, d_in) float.

    Returns:
        ∂L/∂o (B, d_in), ∂L/∂W (d_out, d_in) and ∂L/∂b (d_out,).
    """
    return grad @ weight, grad.T @ input, grad.sum(dim=0)


def forward(
    x: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], *, activation: str
) -> tuple[Tensor, list[Tensor]]:
    """Compute the scores of a network, and keep what its backward pass will need.

    o_0 = x; a_l = W_l o_{l−1} + b_l and o_l = σ(a_l) for every layer but the last, which returns
    its a_N as scores.

    Args:
        x: (B, d_0) float.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float.
        biases: b_1 to b_N; b_l is (d_l,) float.
        activation: σ, a name that `activate` knows.

    Returns:
        The scores (B, d_N), and the inputs of all layers: the list o_0, …, o_{N−1}. Autograd can
        differentiate all of them.
    """
    outputs = [x]
    for layer in range(len(weights) - 1):
        a = outputs[layer] @ weights[layer].T + biases[layer]  # (B, d_{l−1}) -> (B, d_l)
        outputs.append(activate(a, activation))
    return outputs[-1] @ weights[-1].T + biases[-1], outputs


def backward(
    grad: Tensor, outputs: Sequence[Tensor], weights: Sequence[Tensor], *, activation: str
) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """Backpropagation: gradients of everything, from the scores back to the input.

    δ_N = ∂L/∂a_N, and then δ_{l−1} = (W_lᵀ δ_l) ⊙ σ′(a_{l−1}); ∂L/∂W_l = δ_l o_{l−1}ᵀ and
    ∂L/∂b_l = δ_l, summed over the batch (Rumelhart et al. 1986).

    Args:
        grad: δ_N, (B, d_N) float, gradient of the loss with respect to the scores.
        outputs: o_0 to o_{N−1} as `forward` kept them; o_l is (B, d_l) float.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float.
        activation: σ, the name that was given to `forward`.

    Returns:
        ∂L/∂x (B, d_0), the list of ∂L/∂W_1 to ∂L/∂W_N and the list of ∂L/∂b_1 to ∂L/∂b_N.
    """
    weight_grads, bias_grads = [], []
    for layer in reversed(range(len(weights))):
        if weight_grads:  # not at the scores: they have no σ
            grad = activation_backward(grad, outputs[layer + 1], activation)
        grad, weight_grad, bias_grad = linear_backward(grad, outputs[layer], weights[layer])
        weight_grads.insert(0, weight_grad)
        bias_grads.insert(0, bias_grad)
    return grad, weight_grads, bias_grads


def numerical_gradient(
    x: Tensor,
    target: Tensor,
    *,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    activation: str,
    layer: int,
    step: float,
) -> Tensor:
    """Measure the gradient of one layer's weights: nudge each of them up and down.

    ∂L/∂w ≈ (L(w + ε) − L(w − ε)) / 2ε, where L is the mean cross-entropy of the scores, in nats.

    Args:
        x: (B, d_0) float.
        target: (B,) int64, the right classes.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float; not changed.
        biases: b_1 to b_N; b_l is (d_l,) float.
        activation: σ, a name that `activate` knows.
        layer: which weights to nudge; 0 means W_1.
        step: ε, the size of the nudge.

    Returns:
        The shape of ``weights[layer]``.
    """

    def loss(index: int, nudge: float) -> Tensor:
        nudged = weights[layer].flatten().clone()
        nudged[index] += nudge
        stack = list(weights)
        stack[layer] = nudged.reshape(weights[layer].shape)
        return F.cross_entropy(forward(x, stack, biases, activation=activation)[0], target)

    entries = range(weights[layer].numel())
    slopes = [(loss(i, step) - loss(i, -step)) / (2 * step) for i in entries]
    return torch.stack(slopes).reshape(weights[layer].shape)


def train_step(
    x: Tensor,
    target: Tensor,
    *,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    activation: str,
    learning_rate: float,
) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """The three steps, without autograd: loss, gradient, update.

    The loss is the mean cross-entropy of the scores, in nats; its gradient with respect to them
    is (softmax(scores) − one-hot(target)) / B.

    Args:
        x: (B, d_0) float.
        target: (B,) int64, the right classes.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float; not changed.
        biases: b_1 to b_N; b_l is (d_l,) float; not changed.
        activation: σ, a name that `activate` knows.
        learning_rate: η, the length of a step per unit of gradient.

    Returns:
        The loss () before the update, then the updated weights and the updated biases.
    """
    scores, outputs = forward(x, weights, biases, activation=activation)
    loss = F.cross_entropy(scores, target)
    grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
    _, weight_grads, bias_grads = backward(grad, outputs, weights, activation=activation)
    layers = range(len(weights))
    new_weights = [weights[layer] - learning_rate * weight_grads[layer] for layer in layers]
    new_biases = [biases[layer] - learning_rate * bias_grads[layer] for layer in layers]
    return loss, new_weights, new_biases


def interpolate(knots: Tensor, values: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """A network with one hidden layer of ReLU units that interpolates linearly between points.

    h(x) is the first value left of the first knot, then changes linearly from knot to knot, and
    keeps its last slope beyond the last knot. Each knot but the last has one unit, in this order:
    its weight in W_1 is 1, it folds at its knot, and its weight in W_2 is the change of the slope
    there.

    Args:
        knots: (n,) float, the positions of the points, two or more, in ascending order.
        values: (n,) float, the values of h at the knots.

    Returns:
        Weights (n − 1, 1) and (1, n − 1) and biases (n − 1,) and (1,), as `forward` takes them.
    """
    slopes = values.diff() / knots.diff()
    bends = slopes.diff(prepend=slopes.new_zeros(1))  # before the first knot the slope is 0
    weights = [torch.ones_like(knots[:-1]).unsqueeze(1), bends.unsqueeze(0)]
    return weights, [-knots[:-1], values[:1]]


def random_start(
    sizes: Sequence[int],
    *,
    generator: torch.Generator,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> tuple[list[Tensor], list[Tensor]]:
    """Draw parameters as `nn.Linear` does: uniformly between ±1/√d_{l−1}.

    Args:
        sizes: d_0 to d_N.
        generator: where the random numbers come from, on the CPU.
        dtype: of the parameters.
        device: where they go.

    Returns:
        weights, a list of (d_l, d_{l−1}), and biases, a list of (d_l,).
    """

    def draw(*shape: int, limit: float) -> Tensor:
        numbers = torch.rand(shape, generator=generator, dtype=dtype)
        return (limit * (2 * numbers - 1)).to(device)

    weights = [draw(d_out, d_in, limit=d_in**-0.5) for d_in, d_out in pairwise(sizes)]
    biases = [draw(d_out, limit=d_in**-0.5) for d_in, d_out in pairwise(sizes)]
    return weights, biases


def topological_order(parents: Sequence[Sequence[int]], output: int) -> list[int]:
    """List the nodes that an output is computed from, each after all of its parents.

    Of all such orders, the one of a depth-first search from the output: visit the parents of a node
    in the order given, each with all of its own parents, then list the node. Works without
    recursion, so that a chain may have any length (the checks do not look for recursion: a solution
    that raises Python's limit passes as long as its memory suffices), and the work grows with the
    number of edges.

    Args:
        parents: for every node of a graph without cycles, the nodes it is computed from.
        output: the node to start from.

    Returns:
        Node numbers, each once, ``output`` last. Nodes that it does not depend on are left out.
    """
    order, seen, stack = [], set(), [(output, False)]
    while stack:
        node, parents_listed = stack.pop()
        if parents_listed:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent in reversed(parents[node]))
    return order


def reverse_mode(
    parents: Sequence[Sequence[int]], slopes: Sequence[Sequence[float]], output: int
) -> Tensor:
    """Derivatives of one output with respect to every node of a graph, in one sweep.

    dz/dz = 1; then, from the output back, every node passes to each of its parents its own
    derivative times the slope between the two, and each parent adds up the shares that it receives
    (Baydin et al. 2018, section 3.2). The work grows with the number of edges, not with the number
    of paths, and a chain may have any length.

    Args:
        parents: for every node of a graph without cycles, the nodes it is computed from; a node
            that enters twice is listed twice.
        slopes: for every node, its derivative with respect to each of these parents.
        output: the node z to differentiate.

    Returns:
        (nodes,) float64; 0 for the nodes that z does not depend on.
    """
    derivatives = [0.0] * len(parents)
    derivatives[output] = 1.0
    for node in reversed(topological_order(parents, output)):
        for place, parent in enumerate(parents[node]):
            derivatives[parent] += slopes[node][place] * derivatives[node]
    return torch.tensor(derivatives, dtype=torch.float64)


class Value:
    """A number that remembers how it was computed, and can therefore be differentiated.

    Values are added, subtracted, multiplied and divided, with each other and with plain numbers
    from either side; the exponent of a power is a plain number.

    Attributes:
        data: the number.
        parents: the values it was computed from.
        slopes: its derivative with respect to each parent.
        grad: derivative of the output whose `backward` was called; 0 until then.
    """

    def __init__(
        self,
        data: float,
        parents: tuple[Value, ...] = (),
        slopes: tuple[float, ...] = (),
    ) -> None:
        self.data, self.parents, self.slopes = data, parents, slopes
        self.grad = 0.0

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: float) -> Value:
        slope = exponent * self.data ** (exponent - 1) if exponent else 0.0
        return Value(self.data**exponent, (self,), (slope,))

    def __neg__(self) -> Value:
        return self * -1.0

    def __sub__(self, other: Value | float) -> Value:
        return self + -other

    def __rsub__(self, other: float) -> Value:
        return -self + other

    def __truediv__(self, other: Value | float) -> Value:
        return self * (other**-1 if isinstance(other, Value) else 1 / other)

    def __rtruediv__(self, other: float) -> Value:
        return self**-1 * other

    def relu(self) -> Value:
        """Its positive part."""
        return Value(max(self.data, 0.0), (self,), (float(self.data > 0),))

    def exp(self) -> Value:
        """The exponential function of it."""
        power = math.exp(self.data)
        return Value(power, (self,), (power,))

    def log(self) -> Value:
        """Its natural logarithm."""
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def graph(self) -> list[Value]:
        """Everything it was computed from, itself first."""
        nodes = {self: None}
        stack = [self]
        while stack:
            fresh = [parent for parent in stack.pop().parents if parent not in nodes]
            nodes.update(dict.fromkeys(fresh))
            stack.extend(fresh)
        return list(nodes)

    def backward(self) -> None:
        """Set ``grad`` of every value in the graph, by `reverse_mode`."""
        nodes = self.graph()
        number = {node: index for index, node in enumerate(nodes)}
        parents = [[number[parent] for parent in node.parents] for node in nodes]
        slopes = [node.slopes for node in nodes]
        derivatives = reverse_mode(parents, slopes, number[self]).tolist()
        for node in nodes:
            node.grad = derivatives[number[node]]


def jvp(
    tangent: Tensor, outputs: Sequence[Tensor], weights: Sequence[Tensor], *, activation: str
) -> Tensor:
    """Forward mode: how the scores change when the input moves.

    ȯ_0 is the direction in which x moves; then ȧ_l = W_l ȯ_{l−1} and ȯ_l = σ′(a_l) ⊙ ȧ_l. The
    scores move by ȧ_N, the Jacobian of the network times ȯ_0 (Baydin et al. 2018, section 3.1).

    Args:
        tangent: ȯ_0, (B, d_0) float, one direction for each example.
        outputs: o_0 to o_{N−1} as `forward` kept them; o_l is (B, d_l) float.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float.
        activation: σ, the name that was given to `forward`.

    Returns:
        ȧ_N, (B, d_N), the change of the scores per unit of a step along ȯ_0.
    """
    for layer, weight in enumerate(weights):
        if layer:
            tangent = activation_backward(tangent, outputs[layer], activation)
        tangent = tangent @ weight.T  # (B, d_{l−1}) x (d_{l−1}, d_l) -> (B, d_l)
    return tangent


def recomputing_backward(
    grad: Tensor,
    kept: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    *,
    activation: str,
    every: int,
) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """Backpropagation from a few kept outputs; those between are computed a second time.

    Stretch by stretch, the last one first: run forward from the output that was kept at its start,
    go backward through it, discard the recomputed outputs (Chen et al. 2016). The cases compare the
    gradients; they do not measure the memory in use.

    Args:
        grad: δ_N, (B, d_N) float, gradient of the loss with respect to the scores.
        kept: o_0, o_k, o_2k, … with k = ``every``, as far as they lie below o_N. Each is the start
            of a stretch; kept outputs are used as they are, not computed again.
        weights: W_1 to W_N; W_l is (d_l, d_{l−1}) float.
        biases: b_1 to b_N; b_l is (d_l,) float.
        activation: σ, the name that was given to `forward`.
        every: k, number of layers in a stretch; the last one may be shorter.

    Returns:
        What `backward` returns: ∂L/∂x, the list of ∂L/∂W_l and the list of ∂L/∂b_l.
    """
    weight_grads, bias_grads = [], []
    for start in reversed(range(0, len(weights), every)):
        if weight_grads:  # the stretch above was given σ(a), and not a
            grad = activation_backward(grad, kept[start // every + 1], activation)
        stretch = slice(start, start + every)
        _, outputs = forward(
            kept[start // every], weights[stretch], biases[stretch], activation=activation
        )
        grad, by_weight, by_bias = backward(grad, outputs, weights[stretch], activation=activation)
        weight_grads = by_weight + weight_grads
        bias_grads = by_bias + bias_grads
    return grad, weight_grads, bias_grads


class MLP(nn.Module):
    """A multilayer perceptron as a PyTorch module; autograd does its backward pass.

    The loss knows what the scores mean, so the last layer has no activation. All parameters start
    as `nn.Linear` initializes them, each layer separately.

    Attributes:
        layers: `nn.ModuleList` of one `nn.Linear` for each layer, with the parameters
            ``layers.0.weight`` (d_1, d_0), ``layers.0.bias`` (d_1,), ``layers.1.weight`` and so
            on.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: str = "relu",
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            sizes: d_0 to d_N: inputs, hidden layers if any, outputs.
            activation: a name that `activate` knows.
            device: where the parameters go.
        """
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(d_in, d_out, device=device) for d_in, d_out in pairwise(sizes)
        )
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        """Compute the scores.

        Args:
            x: (..., d_0) float.

        Returns:
            (..., d_N), scores.
        """
        for layer in self.layers[:-1]:
            x = activate(layer(x), self.activation)
        return self.layers[-1](x)


class SwiGLU(nn.Module):
    """A hidden layer whose units are multiplied by gates, as in most language models since 2023.

    W_down (silu(W_gate x) ⊙ W_up x) with silu(a) = a σ(a), σ the sigmoid (Shazeer 2020, eq. 6).

    Attributes:
        gate: `nn.Linear` without bias; ``gate.weight`` is (hidden, features).
        up: `nn.Linear` without bias; ``up.weight`` is (hidden, features).
        down: `nn.Linear` without bias; ``down.weight`` is (outputs, hidden). All three start as
            `nn.Linear` initializes them, each separately.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        *,
        outputs: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the three layers.

        Args:
            features: D, numbers per input.
            hidden: H, the number of hidden units.
            outputs: numbers per output, 1 or more; ``features`` if None.
            device: where the parameters go.
        """
        super().__init__()
        self.gate = nn.Linear(features, hidden, bias=False, device=device)
        self.up = nn.Linear(features, hidden, bias=False, device=device)
        outputs = features if outputs is None else outputs
        self.down = nn.Linear(hidden, outputs, bias=False, device=device)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the outputs of the gated layer.

        Args:
            x: (..., features) float.

        Returns:
            (..., outputs).
        """
        gate = self.gate(x)  # (..., D) -> (..., H)
        return self.down(gate * sigmoid(gate) * self.up(x))


def multiply_adds(
    sizes: Sequence[int], *, batch: int = 1, input_gradient: bool = False
) -> tuple[int, int]:
    """Count the multiply-adds of a network's matrix products.

    A layer from d_{l−1} to d_l features takes B d_{l−1} d_l forward; backward it takes as many for
    ∂L/∂W_l and as many again for ∂L/∂o_{l−1}. Biases and activations are not counted.

    Args:
        sizes: d_0 to d_N.
        batch: B, number of examples.
        input_gradient: compute ∂L/∂o_0 = ∂L/∂x as well; training does not need it.

    Returns:
        Multiply-adds of the forward pass and of the backward pass.
    """
    products = [batch * d_in * d_out for d_in, d_out in pairwise(sizes)]
    forward, first = sum(products), products[0]
    return forward, 2 * forward if input_gradient else 2 * forward - first


def memory_bytes(sizes: Sequence[int], *, batch: int = 1, itemsize: int = 4) -> dict[str, int]:
    """Count the bytes that one training step holds at the same time.

    Args:
        sizes: d_0 to d_N.
        batch: B, number of examples.
        itemsize: bytes of one number; 4 for float32.

    Returns:
        ``"parameters"``, all weights and biases; ``"gradients"``, one number per
        parameter; ``"outputs"``, o_0 to o_{N−1}, which `forward` keeps for `backward`.
    """
    parameters = itemsize * sum((d_in + 1) * d_out for d_in, d_out in pairwise(sizes))
    outputs = itemsize * batch * sum(sizes[:-1])
    return {"parameters": parameters, "gradients": parameters, "outputs": outputs}


def _unknown(activation: str) -> ValueError:
    return ValueError(
        f"activation must be one of relu, sigmoid, tanh, identity, got {activation!r}; "
        "a softmax belongs to the loss"
    )
