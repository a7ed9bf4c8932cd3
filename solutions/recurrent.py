"""Recurrent networks: one cell applied at every step, which carries a state.

Builds Elman's cell, the LSTM and the GRU; backpropagation through time by hand and truncated;
layers that are stacked, bidirectional and ignore padding, with the parameters of `nn.RNN`,
`nn.LSTM` and `nn.GRU`; a character model, n-grams, and a classifier of sequences.

Sources: Elman 1990, "Finding Structure in Time"; Werbos 1990, "Backpropagation Through Time";
Hochreiter and Schmidhuber 1997, "Long Short-Term Memory"; Cho et al. 2014, "Learning Phrase
Representations Using RNN Encoder-Decoder"; Kneser and Ney 1995, "Improved Backing-Off for M-Gram
Language Modeling"; Chen and Goodman 1999, "An Empirical Study of Smoothing Techniques".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

State = Tensor | tuple[Tensor, Tensor]


def rnn_cell(projected: Tensor, h: Tensor, weight_hh: Tensor, bias_hh: Tensor | None) -> Tensor:
    """One step of Elman's cell: tanh(p + W_hh h + b_hh).

    Args:
        projected: p = W_ih x + b_ih, the contribution of this step's input, (B, H) float.
        h: hidden state before the step, (B, H) float.
        weight_hh: W_hh, (H, H) float.
        bias_hh: b_hh, (H,) float; None adds nothing.

    Returns:
        (B, H), the hidden state after the step.
    """
    return torch.tanh(projected + F.linear(h, weight_hh, bias_hh))


def lstm_cell(
    projected: Tensor, h: Tensor, c: Tensor, weight_hh: Tensor, bias_hh: Tensor | None
) -> tuple[Tensor, Tensor]:
    """One step of the LSTM, with a forget gate.

    With a = p + W_hh h + b_hh in four parts of equal size, in this order: the input gate
    i = σ(a_i), the forget gate f = σ(a_f), the candidate g = tanh(a_g) and the output gate
    o = σ(a_o); then c' = f ⊙ c + i ⊙ g and h' = o ⊙ tanh(c') (Hochreiter and Schmidhuber 1997;
    the forget gate: Gers, Schmidhuber and Cummins 2000). The order is that of `nn.LSTM`.

    Args:
        projected: p = W_ih x + b_ih, (B, 4H) float.
        h: hidden state before the step, (B, H) float.
        c: cell state before the step, (B, H) float.
        weight_hh: W_hh, (4H, H) float.
        bias_hh: b_hh, (4H,) float; None adds nothing.

    Returns:
        h' and c', both (B, H), in this order.
    """
    i, f, g, o = (projected + F.linear(h, weight_hh, bias_hh)).chunk(4, dim=-1)  # each (B, H)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def gru_cell(projected: Tensor, h: Tensor, weight_hh: Tensor, bias_hh: Tensor | None) -> Tensor:
    """One step of the gated recurrent unit.

    With p and q = W_hh h + b_hh each in three parts of equal size, in this order: the reset gate
    r = σ(p_r + q_r), the update gate z = σ(p_z + q_z), the candidate n = tanh(p_n + r ⊙ q_n); then
    h' = (1 − z) ⊙ n + z ⊙ h. So r multiplies *after* the product with W_hh, and multiplies the bias
    too, as in `nn.GRU`; Cho et al. (2014, eq. 5 to 8) multiply before the product, and write h̃ for
    n.

    Args:
        projected: p = W_ih x + b_ih, (B, 3H) float.
        h: hidden state before the step, (B, H) float.
        weight_hh: W_hh, (3H, H) float.
        bias_hh: b_hh, (3H,) float; None adds nothing.

    Returns:
        h', (B, H).
    """
    p_r, p_z, p_n = projected.chunk(3, dim=-1)  # each (B, H)
    q_r, q_z, q_n = F.linear(h, weight_hh, bias_hh).chunk(3, dim=-1)
    z = torch.sigmoid(p_z + q_z)
    n = torch.tanh(p_n + torch.sigmoid(p_r + q_r) * q_n)
    return n + z * (h - n)


def rnn_states(
    x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, *, span: int | None = None
) -> Tensor:
    """Run Elman's cell over sequences; with a span, backpropagation is truncated.

    h_t = tanh(W_ih x_t + W_hh h_{t−1}). With a span, the steps are cut into runs of that length,
    the first of which starts at step 0. The states stay the same, but no gradient crosses the start
    of a run: it reaches neither the earlier runs nor, from the first run, ``h``.

    Args:
        x: (B, T, D) float.
        h: hidden state before the first step, (B, H) float.
        weight_ih: W_ih, (H, D) float.
        weight_hh: W_hh, (H, H) float.
        span: steps in a run, 1 or more; None for one run of all.

    Returns:
        (B, T, H), the hidden state after every step.
    """
    projected = x @ weight_ih.T  # (B, T, D) x (D, H) -> (B, T, H)
    states = []
    for t in range(x.shape[1]):
        if span is not None and t % span == 0:
            h = h.detach()
        h = rnn_cell(projected[:, t], h, weight_hh, None)
        states.append(h)
    return torch.stack(states, dim=1)


def rnn_backward(
    grad: Tensor, x: Tensor, h: Tensor, states: Tensor, weight_ih: Tensor, weight_hh: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Backpropagation through time, by hand, for h_t = tanh(W_ih x_t + W_hh h_{t−1}).

    From the last step to the first, δ_t = (∂L/∂h_t + W_hhᵀ δ_{t+1}) ⊙ (1 − h_t²) is the gradient
    at the input of the tanh, where ∂L/∂h_t is the direct gradient, with later states held fixed
    (Werbos 1990). A weight is used at every step, so its gradient is a sum over the steps.

    Args:
        grad: ∂L/∂h_t for every step, (B, T, H) float.
        x: (B, T, D) float, as in the forward pass.
        h: hidden state before the first step, (B, H) float.
        states: h_t after every step, (B, T, H) float.
        weight_ih: W_ih, (H, D) float.
        weight_hh: W_hh, (H, H) float.

    Returns:
        The gradients of x (B, T, D), h (B, H), W_ih (H, D) and W_hh (H, H).
    """
    before = torch.cat([h[:, None], states[:, :-1]], dim=1)  # (B, T, H), what each step began with
    delta = torch.empty_like(states)
    carried = torch.zeros_like(h)
    for t in reversed(range(states.shape[1])):
        delta[:, t] = (grad[:, t] + carried) * (1 - states[:, t].square())
        carried = delta[:, t] @ weight_hh  # (B, H) x (H, H): row vectors, so this is W_hhᵀ δ
    grad_ih = torch.einsum("bth,btd->hd", delta, x)
    grad_hh = torch.einsum("bth,btk->hk", delta, before)
    return delta @ weight_ih, carried, grad_ih, grad_hh


def orthogonal(normal: Tensor) -> Tensor:
    """Turn a matrix of normal numbers into an orthogonal one: an initialization for W_hh.

    The Q of the QR decomposition of the matrix (of its transpose, where it has more columns than
    rows, transposed back), with the signs chosen so that the diagonal of R is positive: then every
    orthogonal matrix is equally likely (Mezzadri 2007; as an initialization: Saxe, McClelland and
    Ganguli 2014).

    Args:
        normal: (rows, columns) float, of full rank.

    Returns:
        The same shape. The columns are of length 1 and at right angles; where there are more
        columns than rows, the rows are.
    """
    wide = normal.shape[0] < normal.shape[1]
    q, r = torch.linalg.qr(normal.T if wide else normal)
    q = q * r.diagonal().sign()
    return q.T if wide else q


def reverse_padded(x: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Reverse every sequence, and leave its padding where it is, at the end.

    Args:
        x: (B, T, D).
        lengths: (B,) int64, the real positions of each sequence, from 1 to T; without it all T.

    Returns:
        (B, T, D), on the device of x. Doing it twice gives x again.
    """
    if lengths is None:
        return x.flip(1)
    t = torch.arange(x.shape[1], device=x.device)
    last = lengths[:, None] - 1  # (B, 1)
    index = torch.where(t <= last, last - t, t)  # (B, T)
    return x.gather(1, index[:, :, None].expand_as(x))


def last_states(output: Tensor, lengths: Tensor, *, bidirectional: bool = False) -> Tensor:
    """Pick the output at which each direction has read its whole sequence.

    For the forward direction it is the output at the last real position. In a bidirectional layer,
    the second half of the features belongs to the backward direction, which reads from the last
    real position to the first and has read everything at position 0.

    Args:
        output: (B, T, features) float; a bidirectional layer has twice the hidden size of features.
        lengths: (B,) int64, the real positions of each sequence, from 1 to T.
        bidirectional: whether there is a backward half.

    Returns:
        (B, features), on the device of ``output``.
    """
    ends = output[torch.arange(len(output), device=output.device), lengths - 1]  # (B, features)
    if not bidirectional:
        return ends
    half = output.shape[2] // 2
    return torch.cat([ends[:, :half], output[:, 0, half:]], dim=1)


def unroll(
    x: Tensor,
    state: Sequence[Tensor],
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias_ih: Tensor | None = None,
    bias_hh: Tensor | None = None,
    *,
    kind: str,
    lengths: Tensor | None = None,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Apply one cell to every step of a batch of sequences of different lengths.

    A sequence that has ended keeps its state, and its outputs are zeros from there on. The padding
    of x does not matter, not even NaN or ∞, and not for the gradients either. W_ih x + b_ih needs
    no state, so one product can compute it for all steps; this is not checked.

    Args:
        x: (B, T, D) float.
        state: before the first step: h, or h and c for an LSTM; each (B, H) float.
        weight_ih: (H, D) float for ``"rnn"``, (4H, D) for ``"lstm"``, (3H, D) for ``"gru"``.
        weight_hh: as many rows, (…, H) float.
        bias_ih: as many entries; None adds nothing.
        bias_hh: as many entries; None adds nothing.
        kind: ``"rnn"``, ``"lstm"`` or ``"gru"``.
        lengths: (B,) int64, the real positions of each sequence, from 1 to T, which come first;
            without it all T.

    Returns:
        The output h_t of every step, (B, T, H), and the state after the last step of each
        sequence: a tuple of one or two, each (B, H). All are on the device of x.
    """
    cell = {"rnn": rnn_cell, "lstm": lstm_cell, "gru": gru_cell}[kind]
    if lengths is not None:
        real = torch.arange(x.shape[1], device=x.device)[:, None] < lengths[:, None, None]
        x = torch.where(real, x, 0.0)  # (B, T, 1), (B, T, D): no NaN gets through, or back
    state, outputs = tuple(state), []
    for t, projected in enumerate(F.linear(x, weight_ih, bias_ih).unbind(dim=1)):  # (B, …)
        after = cell(projected, *state, weight_hh, bias_hh)
        after = after if kind == "lstm" else (after,)
        if lengths is not None:
            after = tuple(
                torch.where(real[:, t], new, old) for new, old in zip(after, state, strict=True)
            )
        state = after
        outputs.append(state[0] if lengths is None else state[0] * real[:, t])
    return torch.stack(outputs, dim=1), state


class ElmanRNN(nn.Module):
    """Elman's network: a hidden state, an output at every step, and a learned initial state.

    h_t = tanh(W_xh x_t + W_hh h_{t−1} + b_h) and y_t = W_hy h_t + b_y.

    Attributes:
        weight_xh: parameter (hidden_size, input_size).
        weight_hh: parameter (hidden_size, hidden_size).
        bias_h: parameter (hidden_size,).
        weight_hy: parameter (output_size, hidden_size).
        bias_y: parameter (output_size,).
        h0: parameter (hidden_size,), the hidden state before the first step of every sequence.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        *,
        output_size: int,
        device: torch.device | str | None = None,
    ) -> None:
        """Draw all parameters uniformly between ±1/√hidden_size, except h0, which starts at zero.

        Args:
            input_size: features of each position.
            hidden_size: features H of the hidden state.
            output_size: features of each output.
            device: where the parameters go.
        """
        super().__init__()
        self.weight_xh = _uniform(hidden_size, input_size, fan=hidden_size, device=device)
        self.weight_hh = _uniform(hidden_size, hidden_size, fan=hidden_size, device=device)
        self.bias_h = _uniform(hidden_size, fan=hidden_size, device=device)
        self.weight_hy = _uniform(output_size, hidden_size, fan=hidden_size, device=device)
        self.bias_y = _uniform(output_size, fan=hidden_size, device=device)
        self.h0 = nn.Parameter(torch.zeros(hidden_size, device=device))

    def forward(self, x: Tensor, h: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Read sequences, and answer at every step.

        Args:
            x: (B, T, input_size) float.
            h: hidden state to continue from, (B, hidden_size) float; without it h0 for all.

        Returns:
            y, (B, T, output_size), and the hidden state after the last step, (B, hidden_size).
        """
        if h is None:
            h = self.h0.expand(len(x), -1)  # (H,) -> (B, H)
        states = []
        for t in range(x.shape[1]):
            projected = F.linear(x[:, t], self.weight_xh, self.bias_h)
            h = rnn_cell(projected, h, self.weight_hh, None)
            states.append(h)
        return F.linear(torch.stack(states, dim=1), self.weight_hy, self.bias_y), h


class Recurrent(nn.Module):
    """Stacked recurrent layers with the parameters of `nn.RNN`, `nn.LSTM` or `nn.GRU`.

    Each layer reads the outputs of the layer below. In a bidirectional layer a second cell reads
    every sequence from its last position to its first; its outputs are put back in the order of the
    sequence, and concatenated after those of the first cell. All parameters are drawn uniformly
    between ±1/√hidden_size.

    Attributes:
        weight_ih_l0: parameter (rows, input_size), with hidden_size rows for ``"rnn"``, 4 times as
            many for ``"lstm"``, 3 times for ``"gru"``.
        weight_hh_l0: parameter (rows, hidden_size).
        bias_ih_l0: parameter (rows,); none of the biases exists with ``bias=False``.
        bias_hh_l0: parameter (rows,).
        weight_ih_l0_reverse: the same for the backward direction; the other three likewise.
        weight_ih_l1: of the second layer, whose inputs have hidden_size features, or twice as many
            if bidirectional; and so on.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        *,
        kind: str = "rnn",
        num_layers: int = 1,
        bias: bool = True,
        bidirectional: bool = False,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parameters of all layers.

        Args:
            input_size: features of each position.
            hidden_size: features H of each hidden state.
            kind: ``"rnn"``, ``"lstm"`` or ``"gru"``.
            num_layers: how many layers.
            bias: whether there are biases.
            bidirectional: whether each layer reads in both directions.
            device: where the parameters go.

        Raises:
            ValueError: there is no such kind.
        """
        super().__init__()
        gates = {"rnn": 1, "lstm": 4, "gru": 3}
        if kind not in gates:
            raise ValueError(f"kind must be one of {', '.join(gates)}, got {kind!r}")
        self.kind, self.hidden_size, self.num_layers = kind, hidden_size, num_layers
        self.ways = ("", "_reverse") if bidirectional else ("",)
        rows, features = gates[kind] * hidden_size, input_size
        for layer in range(num_layers):
            for way in self.ways:
                shapes = {"weight_ih": (rows, features), "weight_hh": (rows, hidden_size)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                for name, shape in shapes.items():
                    made = _uniform(*shape, fan=hidden_size, device=device)
                    self.register_parameter(f"{name}_l{layer}{way}", made)
            features = hidden_size * len(self.ways)

    def forward(
        self, x: Tensor, state: State | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Read a batch of sequences.

        Args:
            x: (B, T, input_size) float.
            state: initial state, (layers · directions, B, hidden_size) float: layer by layer, the
                forward direction first in each. For an LSTM two of these, h and c. Without it
                zeros.
            lengths: (B,) int64, the real positions of each sequence, from 1 to T, which come
                first; without it all T.

        Returns:
            The outputs of the last layer, (B, T, directions · hidden_size), zeros in the padding;
            and the state after the last position that each direction reads, shaped as ``state``
            (for an LSTM the tuple of h and c).
        """
        if state is None:
            count = self.num_layers * len(self.ways)
            state = (x.new_zeros(count, len(x), self.hidden_size),) * 2
            state = state if self.kind == "lstm" else state[0]
        begins = list(zip(*state, strict=True)) if self.kind == "lstm" else [(h,) for h in state]
        ends = []
        for layer in range(self.num_layers):
            found = []
            for way in self.ways:
                names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
                weights = [getattr(self, f"{name}_l{layer}{way}", None) for name in names]
                run = reverse_padded(x, lengths) if way else x
                settings = {"kind": self.kind, "lengths": lengths}
                output, end = unroll(run, begins[len(ends)], *weights, **settings)
                found.append(reverse_padded(output, lengths) if way else output)
                ends.append(end)
            x = torch.cat(found, dim=-1)  # (B, T, H) each -> (B, T, directions · H)
        after = tuple(torch.stack(part) for part in zip(*ends, strict=True))
        return x, after if self.kind == "lstm" else after[0]


class RNN(Recurrent):
    """`Recurrent` of Elman's cells; weights load from `nn.RNN` and into it."""

    def __init__(self, input_size: int, hidden_size: int, **settings: Any) -> None:
        """Make the layers.

        Args:
            input_size: features of each position.
            hidden_size: features of each hidden state.
            settings: the others of `Recurrent`.
        """
        super().__init__(input_size, hidden_size, kind="rnn", **settings)


class LSTM(Recurrent):
    """`Recurrent` of LSTM cells; weights load from `nn.LSTM` and into it."""

    def __init__(self, input_size: int, hidden_size: int, **settings: Any) -> None:
        """Make the layers.

        Args:
            input_size: features of each position.
            hidden_size: features of each hidden state.
            settings: the others of `Recurrent`.
        """
        super().__init__(input_size, hidden_size, kind="lstm", **settings)


class GRU(Recurrent):
    """`Recurrent` of gated recurrent units; weights load from `nn.GRU` and into it."""

    def __init__(self, input_size: int, hidden_size: int, **settings: Any) -> None:
        """Make the layers.

        Args:
            input_size: features of each position.
            hidden_size: features of each hidden state.
            settings: the others of `Recurrent`.
        """
        super().__init__(input_size, hidden_size, kind="gru", **settings)


def gradient_by_distance(run: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Measure how much the last output depends on each earlier input, by distance.

    Args:
        run: maps x to outputs (B, T, H); the sequences of a batch must not affect one another.
        x: (B, T, D) float.

    Returns:
        (B, T): entry d is the Frobenius norm of the Jacobian of the last output with respect to
        the input d steps before it, √(Σ_jk (∂h_Tj / ∂x_(T−d)k)²).
    """
    x = x.detach().requires_grad_()
    last = run(x)[:, -1].sum(dim=0)  # (B, T, H) -> (H,)
    squares = x.new_zeros(x.shape[:2])
    for output in last:
        (slope,) = torch.autograd.grad(output, x, retain_graph=True)
        squares += slope.square().sum(dim=-1)  # (B, T, D) -> (B, T)
    return squares.sqrt().flip(1)


class KneserNey(nn.Module):
    """A language model that counts: n-grams with interpolated Kneser–Ney smoothing.

    The probability that symbol w follows a context of n − 1 symbols is, with ξ for the discount,
    P_n(w) = (max(#_n(w) − ξ, 0) + ξ N P_{n−1}(w)) / Σ_v #_n(v), where N is the number of different
    symbols that were counted after the context, and P_{n−1} belongs to the context without its
    first symbol; P_0 is 1 / symbols for every symbol. After a context that was never counted,
    P_n = P_{n−1} (Chen and Goodman 1999, section 2.7).

    The counts #_n(w): for n = order, how often w followed the context; for smaller n, after how
    many *different* symbols the context and w were seen together, since a symbol that follows many
    others is likely anywhere (Kneser and Ney 1995). There are no parameters.
    """

    def __init__(
        self, tokens: torch.Tensor, symbols: int, *, order: int = 5, discount: float = 0.75
    ) -> None:
        """Count.

        Args:
            tokens: (n,) int64, the text to learn from, at least ``order`` symbols.
            symbols: how many there are; tokens are from 0 to symbols − 1.
            order: n of the longest n-grams, from 1; symbols ** order must be below 2⁶³.
            discount: ξ, above 0 and at most 1, taken from each count.
        """
        super().__init__()
        self.symbols, self.order, self.discount = symbols, order, discount
        self.counts = []  # for n = 1, 2, ...: n-grams as numbers in base `symbols`, and counts
        for n in range(1, order):  # with one symbol more in front, each kind once, and that dropped
            longer = _as_numbers(tokens.unfold(0, n + 1, 1), symbols).unique()
            self.counts.append((longer % symbols**n).unique(return_counts=True))
        longest = _as_numbers(tokens.unfold(0, order, 1), symbols)  # (n - order + 1,)
        self.counts.append(longest.unique(return_counts=True))  # sorted

    def forward(self, tokens: Tensor) -> Tensor:
        """Log-probabilities of the next symbol, after every position.

        Args:
            tokens: (B, T) int64.

        Returns:
            (B, T, symbols) float64: entry t is for the symbol after tokens 0 to t. Near the
            beginning, after fewer than order − 1 tokens, only the lower orders count.
        """
        p = torch.ones(*tokens.shape, self.symbols, dtype=torch.float64, device=tokens.device)
        p = p / self.symbols
        every = torch.arange(self.symbols, device=tokens.device)
        for n, (kinds, count) in enumerate(self.counts, start=1):
            if n - 1 > tokens.shape[1]:
                break
            if n == 1:
                context = torch.zeros_like(tokens)  # before every position is nothing
            else:
                context = _as_numbers(tokens.unfold(1, n - 1, 1), self.symbols)  # (B, T − n + 2)
            wanted = context[..., None] * self.symbols + every
            place = torch.searchsorted(kinds, wanted).clamp(max=len(kinds) - 1)
            counted = torch.where(kinds[place] == wanted, count[place], 0).to(p.dtype)
            total = counted.sum(dim=-1, keepdim=True)
            different = (counted > 0).sum(dim=-1, keepdim=True)
            lower = p[:, -counted.shape[1] :]
            kept = (counted - self.discount).clamp(min=0)
            finer = (kept + different * lower * self.discount) / total
            p = torch.cat([p[:, : -counted.shape[1]], torch.where(total > 0, finer, lower)], dim=1)
        return p.log()


def bits_per_character(logits: Tensor, target: Tensor, mask: Tensor | None = None) -> Tensor:
    """Mean number of bits that a model needs for each symbol: −log₂ p(symbol).

    Args:
        logits: (..., symbols) float; log-probabilities are logits too.
        target: (...) int64, the symbols that came.
        mask: (...) bool, which positions count; without it all.

    Returns:
        (), a mean over the positions that count. Logits and targets at other positions do not
        matter, even NaN or a target that is not a symbol.
    """
    if mask is not None:
        logits, target = logits[mask], target[mask]  # (n, symbols), (n,)
    chosen = logits.log_softmax(dim=-1).gather(-1, target[..., None])  # (..., 1)
    return -chosen.mean() / math.log(2)


def draw_next(logits: Tensor, uniform: Tensor, *, temperature: float = 1.0) -> Tensor:
    """Draw symbols from softmax(logits / τ), one for each given number between 0 and 1.

    The line from 0 to 1 is divided into one piece per symbol, in their order, each as long as the
    symbol's probability; the symbol in whose piece the number falls is drawn.

    Args:
        logits: (B, symbols) float; divided by a small τ, they may overflow.
        uniform: (B,) float in [0, 1). A number at a border belongs to the piece on the right; if
            rounding leaves the end of all pieces below the number, the last piece that is not empty
            counts.
        temperature: τ ≥ 0, a number that the dtype of ``logits`` can hold. With 0 the largest logit
            wins, or the first of several that are equal.

    Returns:
        (B,) int64.

    Raises:
        ValueError: the temperature is negative.
    """
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, got {temperature}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits - logits.amax(dim=-1, keepdim=True)  # or the quotient overflows
    ends = (logits / temperature).softmax(dim=-1).cumsum(dim=-1)  # (B, V)
    last = ends[:, -1:]  # rounding may leave it below 1, and below the number
    return ((ends <= uniform[:, None]) & (ends < last)).sum(dim=-1)


class CharacterModel(nn.Module):
    """A language model: embed each symbol, run a recurrent layer, score the next symbol.

    Attributes:
        embedding: `nn.Embedding`, symbols to embed_dim.
        layer: `Recurrent`, embed_dim to hidden_size.
        output: `nn.Linear`, hidden_size to symbols.
    """

    def __init__(
        self,
        symbols: int,
        *,
        embed_dim: int,
        hidden_size: int,
        kind: str = "lstm",
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many different ones there are.
            embed_dim: features of each symbol.
            hidden_size: features of the hidden state.
            kind: of `Recurrent`.
            device: where the parameters go.
        """
        super().__init__()
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(embed_dim, hidden_size, kind=kind, device=device)
        self.output = nn.Linear(hidden_size, symbols, device=device)

    def forward(self, tokens: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Score the next symbol at every position.

        Args:
            tokens: (B, T) int64.
            state: the state that an earlier call returned; without it zeros.

        Returns:
            Logits (B, T, symbols) of the symbol after each position, and the state after the last.
        """
        found, state = self.layer(self.embedding(tokens), state)
        return self.output(found), state


def detach(state: State) -> State:
    """Detach a state from its graph and keep its numbers.

    Args:
        state: one tensor, or the two of an LSTM.

    Returns:
        The same, without a graph: no gradient goes further back than here.
    """
    return state.detach() if isinstance(state, Tensor) else (state[0].detach(), state[1].detach())


def train_characters(
    model: CharacterModel,
    tokens: Tensor,
    *,
    steps: int,
    batch_size: int = 16,
    span: int = 32,
    learning_rate: float = 1e-2,
    clip_norm: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Train on one long text by truncated backpropagation, with Adam.

    The text is cut into ``batch_size`` streams that are read side by side, ``span`` symbols a
    step. Each stream continues where the last step ended: its state is kept, and detached. At the
    end of the text all streams start again, with a fresh state. The learning rate falls to zero
    along a straight line.

    Args:
        model: the model to train, in place.
        tokens: (n,) int64, on the model's device; more than batch_size · (span + 1).
        steps: updates.
        batch_size: streams.
        span: symbols per stream and step.
        learning_rate: of the first step.
        clip_norm: limit of the norm of the gradient of all parameters together; a longer gradient
            is scaled down to it.

    Returns:
        The loss of every step in nats per symbol, and the length of its gradient before clipping;
        each (steps,).
    """
    parameters = [*model.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=learning_rate)
    length = (len(tokens) - 1) // batch_size
    read, asked = (
        part[: batch_size * length].reshape(batch_size, -1) for part in (tokens, tokens[1:])
    )
    rounds, losses, norms, state = length // span, [], [], None
    for step in range(steps):
        begin = step % rounds * span
        if begin == 0:
            state = None
        logits, state = model(read[:, begin : begin + span], state)
        loss = F.cross_entropy(logits.transpose(1, 2), asked[:, begin : begin + span])
        state = detach(state)
        optimizer.zero_grad()
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(parameters, clip_norm))
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(norms)


def generate(
    model: CharacterModel,
    prompt: Tensor,
    *,
    count: int,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Generate text: draw a symbol, feed it back as input, draw the next.

    Args:
        model: a character model.
        prompt: (T,) int64, read first; 1 symbol or more.
        count: symbols to draw.
        temperature: of `draw_next`.
        generator: source of the random numbers, on the CPU.

    Returns:
        (count,) int64, what was drawn, without the prompt.
    """
    drawn = []
    with torch.no_grad():
        logits, state = model(prompt[None])
        for _ in range(count):
            uniform = torch.rand(1, generator=generator).to(prompt.device)
            token = draw_next(logits[:, -1], uniform, temperature=temperature)
            drawn.append(token)
            logits, state = model(token[None], state)
    return torch.cat(drawn)


class SequenceClassifier(nn.Module):
    """An encoder with a head: embed, run the layer, and pass the last state to an MLP.

    Attributes:
        embedding: `nn.Embedding`, symbols to embed_dim.
        layer: `Recurrent`, embed_dim to hidden_size, optionally bidirectional.
        hidden: `nn.Linear`, from the last states of all directions to hidden_size; a ReLU follows.
        output: `nn.Linear`, hidden_size to classes.
    """

    def __init__(
        self,
        symbols: int,
        classes: int,
        *,
        embed_dim: int,
        hidden_size: int,
        kind: str = "gru",
        bidirectional: bool = False,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many different ones there are.
            classes: number of scores.
            embed_dim: features of each symbol.
            hidden_size: features of each direction's state, and of the head's hidden layer.
            kind: of `Recurrent`.
            bidirectional: whether to read in both directions.
            device: where the parameters go.
        """
        super().__init__()
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(
            embed_dim, hidden_size, kind=kind, bidirectional=bidirectional, device=device
        )
        self.bidirectional = bidirectional
        width = 2 * hidden_size if bidirectional else hidden_size
        self.hidden = nn.Linear(width, hidden_size, device=device)
        self.output = nn.Linear(hidden_size, classes, device=device)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Score every sequence once per class.

        Args:
            tokens: (B, T) int64, all of them symbols; the symbols in the padding do not matter.
            lengths: (B,) int64, the real positions of each sequence, from 1 to T; they come first.

        Returns:
            (B, classes), scores.
        """
        found, _ = self.layer(self.embedding(tokens), None, lengths)
        last = last_states(found, lengths, bidirectional=self.bidirectional)  # (B, directions · H)
        return self.output(self.hidden(last).relu())


def _uniform(*shape: int, fan: int, device: torch.device | str | None) -> nn.Parameter:
    """A parameter, uniform between ±1/√fan."""
    bound = 1 / math.sqrt(fan)
    return nn.Parameter(torch.empty(*shape, device=device).uniform_(-bound, bound))


def _as_numbers(grams: Tensor, symbols: int) -> Tensor:
    """Runs of symbols along the last axis as numbers in base `symbols`: (..., n) -> (...)."""
    numbers = torch.zeros_like(grams[..., 0])
    for place in grams.unbind(dim=-1):
        numbers = numbers * symbols + place
    return numbers
