"""Right and wrong answers to `model_compression.QuantizedLinear`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class ByHand(nn.Module):
    def __init__(self, linear, *, bits=8, group=None):
        super().__init__()
        outputs, inputs = linear.weight.shape
        group = inputs if group is None else group
        if inputs % group != 0:
            raise ValueError("the groups do not fit")
        limit = 2 ** (bits - 1) - 1
        weight = linear.weight.detach().reshape(outputs, inputs // group, group)
        largest = weight.abs().max(dim=2, keepdim=True).values
        scale = torch.where(largest > 0, largest / limit, torch.ones_like(largest))
        self.register_buffer("codes", torch.round(weight / scale).to(torch.int8))
        self.register_buffer("scale", scale)
        self.register_buffer(
            "bias", linear.bias.detach().clone() if linear.bias is not None else None
        )

    def forward(self, x):
        weight = (self.codes * self.scale).reshape(len(self.codes), -1)
        out = x @ weight.T
        return out if self.bias is None else out + self.bias


@right
class GroupByGroup(nn.Module):
    def __init__(self, linear, *, bits=8, group=None):
        super().__init__()
        inputs = linear.weight.size(1)
        group = group or inputs
        if inputs // group * group < inputs:
            raise ValueError(f"{group} does not divide {inputs}")
        limit = 2 ** (bits - 1) - 1
        codes, scales = [], []
        with torch.no_grad():
            for part in linear.weight.split(group, dim=1):
                scale = part.abs().amax(dim=1, keepdim=True) / limit
                scale[scale == 0] = 1
                codes.append((part / scale).round().clamp(-limit, limit).char())
                scales.append(scale)
        self.register_buffer("codes", torch.stack(codes, dim=1))
        self.register_buffer("scale", torch.stack(scales, dim=1))
        self.register_buffer("bias", None)
        if linear.bias is not None:
            self.bias = linear.bias.data.clone()

    def forward(self, x):
        total = 0
        groups = x.unflatten(-1, (self.codes.shape[1], self.codes.shape[2]))
        for number in range(self.codes.shape[1]):
            weight = self.codes[:, number].to(self.scale.dtype)
            total = total + (groups[..., number, :] @ weight.T) * self.scale[:, number, 0]
        return total if self.bias is None else total + self.bias


wrong(
    "one_scale_for_all",
    why=(
        "One scale for the whole matrix: the largest weight of all decides how coarse every row is."
    ),
    change={
        "scale = absmax_scale(weight, bits, dim=-1)": (
            "scale = absmax_scale(weight, bits).expand(*weight.shape[:2], 1)"
        )
    },
)


wrong(
    "scale_across_rows",
    why="The scale is shared down a column, over all outputs, and not along the row of a group.",
    change={
        "scale = absmax_scale(weight, bits, dim=-1)": (
            "scale = absmax_scale(weight, bits, dim=0).amax(-1, "
            "keepdim=True).expand(len(weight), -1, 1)"
        )
    },
)


wrong(
    "groups_ignored",
    why="Every row has one scale, whatever `group` says.",
    change={
        "scale = absmax_scale(weight, bits, dim=-1)": (
            "scale = absmax_scale(weight, bits, dim=-1).amax(dim=1, keepdim=True).expand(-1, "
            "weight.shape[1], 1)"
        )
    },
)


wrong(
    "codes_without_scale",
    why="The forward pass multiplies by the codes themselves; scale them back first.",
    change={"dequantize(self.codes, self.scale).flatten(1)": "self.codes.to(x.dtype).flatten(1)"},
)


wrong(
    "bias_forgotten",
    why="The bias of the layer is lost.",
    change={"bias = None if linear.bias is None else linear.bias.detach().clone()": "bias = None"},
)


wrong(
    "weights_kept",
    why="The weights are rounded, but stored as floats, which saves no memory; store int8 codes.",
    change={
        'self.register_buffer("codes", quantize(weight, scale, bits))': (
            'self.register_buffer("codes", quantize(weight, scale, bits).to(weight.dtype))'
        )
    },
)


wrong(
    "groups_that_do_not_fit",
    why="A group that does not divide the row was accepted; raise a ValueError.",
    change={
        'raise ValueError(f"groups of {group} do not divide a row of {width} weights")': (
            "group = width"
        )
    },
    corner=True,
)


wrong(
    "trainable_scale",
    why="The scale is a parameter, which an optimizer would change; register a buffer.",
    change={'self.register_buffer("scale", scale)': "self.scale = nn.Parameter(scale)"},
)


wrong(
    "bias_shared",
    why=(
        "The bias is the memory of the given layer's: a change of one in place changes the other. "
        "`detach()` copies nothing; `clone()` does."
    ),
    change={"linear.bias.detach().clone()": "linear.bias.detach()"},
    corner=True,
)


wrong(
    "given_layer_rounded",
    why="The weights of the given layer were rounded, too; leave it as it is.",
    change={
        'self.register_buffer("scale", scale)': (
            'self.register_buffer("scale", scale)\n        '
            "linear.weight.data = dequantize(self.codes, scale).flatten(1)"
        )
    },
    corner=True,
)
