"""Exercises on convolution: sizes, patches, matrices, gradients, pooling, and two networks.

What they share: sizes, and generators of inputs.
"""

import numpy as np

from grader.author.exercise import Call
from grader.author.parameters import few_bits

CONVOLUTION = (
    "F.conv2d",
    "torch.conv2d",
    "torch.convolution",
    "nn.Conv2d",
    "F.conv1d",
    "F.conv3d",
)

PATCHES = ("F.unfold", "nn.Unfold")


def settings(stride=1, padding=0, dilation=1):
    return {"stride": stride, "padding": padding, "dilation": dilation}


def _back(rng, *, count=2, channels=3, filters=5, **steps):
    """A gradient of the shape that the convolution of a (7, 11) picture has."""
    used = settings(**steps)
    rows, columns = (
        (n + 2 * used["padding"] - used["dilation"] * (k - 1) - 1) // used["stride"] + 1
        for n, k in ((7, 3), (11, 2))
    )
    return {
        "grad_output": rng.standard_normal((count, filters, rows, columns)),
        "weight": rng.standard_normal((filters, channels, 3, 2)),
        "size": [7, 11],
        **steps,
    }


def whole(given):
    """The same with whole numbers, whose sums in half precision do not depend on their order."""
    return {
        name: np.rint(value) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }


def _map(rng, kernel_size, **steps):
    return {
        "input": rng.standard_normal((2, 3, 5, 7)) - 0.5,
        "kernel_size": kernel_size,
        **steps,
    }


def _rectified(rng, kernel_size):
    drawn = _map(rng, kernel_size)
    return {**drawn, "input": np.maximum(drawn["input"], 0.0)}


def _dense(rng, name, inputs, outputs):
    return {
        f"{name}.weight": rng.standard_normal((outputs, inputs)) / np.sqrt(inputs),
        f"{name}.bias": 0.3 * rng.standard_normal(outputs),
    }


def _filters(rng, name, channels, filters, size=3, *, bias=True):
    shape = (filters, channels, size, size)
    state = {f"{name}.weight": rng.standard_normal(shape) / np.sqrt(channels * size)}
    if bias:
        state[f"{name}.bias"] = 0.3 * rng.standard_normal(filters)
    return few_bits(state)


def _norm(rng, name, channels):
    return {
        f"{name}.weight": 1.0 + 0.3 * rng.standard_normal(channels),
        f"{name}.bias": 0.5 * rng.standard_normal(channels),
        f"{name}.running_mean": 0.5 * rng.standard_normal(channels),
        f"{name}.running_var": 0.5 + rng.random(channels),
        f"{name}.num_batches_tracked": np.array(3),
    }


def _block(rng, state, inside, outside, *, training=False, **kind):
    """A call of a block with this state on two pictures of 5×4 pixels."""
    return Call(
        init={"in_channels": inside, "out_channels": outside, **kind},
        state=state,
        args={"x": rng.standard_normal((2, inside, 5, 4))},
        training=training,
    )


def _block_state(rng, inside, outside, *, stride=1, residual=True, prefix=""):
    state = {
        **_filters(rng, "conv1", inside, outside, bias=False),
        **_norm(rng, "norm1", outside),
        **_filters(rng, "conv2", outside, outside, bias=False),
        **_norm(rng, "norm2", outside),
    }
    if residual and (stride != 1 or inside != outside):
        state |= _filters(rng, "shortcut", inside, outside, 1, bias=False)
    return {f"{prefix}{name}": value for name, value in state.items()}
