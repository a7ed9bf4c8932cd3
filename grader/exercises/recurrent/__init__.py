"""Exercises on recurrent networks: cells, time, layers, padding, and models made of them.

What they share: what torch has ready-made, and generators of inputs.
"""

import numpy as np

from grader.author.parameters import few_bits

READY_MADE = (
    "nn.RNN",
    "nn.LSTM",
    "nn.GRU",
    "nn.RNNCell",
    "nn.LSTMCell",
    "nn.GRUCell",
    "torch.rnn_tanh",
    "torch.lstm",
    "torch.gru",
    "torch.rnn_tanh_cell",
    "torch.lstm_cell",
    "torch.gru_cell",
)
GATES = {"rnn": 1, "lstm": 4, "gru": 3}
CELLS = ("rnn_cell", "lstm_cell", "gru_cell")
RAGGED = np.array([4, 7, 1, 6])  # lengths in a batch of four


def cell_inputs(rng, gates, *, batch=2, hidden=5, bias=True):
    """Inputs of a cell: gates is 1, 3 or 4; for 4 there is a cell state."""
    made = {
        "projected": rng.standard_normal((batch, gates * hidden)),
        "h": rng.standard_normal((batch, hidden)),
    }
    if gates == 4:
        made["c"] = rng.standard_normal((batch, hidden))
    return made | {
        "weight_hh": 0.6 * rng.standard_normal((gates * hidden, hidden)),
        "bias_hh": rng.standard_normal(gates * hidden) if bias else None,
    }


def far_inputs(rng, gates):
    """Inputs of a cell: gates near 0 in the first row, far from it in the second."""
    made = cell_inputs(rng, gates)
    return {**made, "projected": made["projected"] * np.array([[1.0], [3e3]])}


def layer_state(rng, kind="rnn", *, features=3, hidden=5, layers=1, both=False, bias=True):
    """Parameters of a `Recurrent`, by name."""
    rows, made = GATES[kind] * hidden, {}
    for layer in range(layers):
        for way in ("", "_reverse")[: 1 + both]:
            end = f"_l{layer}{way}"
            made["weight_ih" + end] = 0.6 * rng.standard_normal((rows, features))
            made["weight_hh" + end] = 0.6 * rng.standard_normal((rows, hidden))
            if bias:
                made["bias_ih" + end] = 0.7 * rng.standard_normal(rows)
                made["bias_hh" + end] = 0.7 * rng.standard_normal(rows)
        features = hidden * (1 + both)
    return few_bits(made)
