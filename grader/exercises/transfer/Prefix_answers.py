"""Right and wrong answers to `transfer.Prefix`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class filled_in(nn.Module):
    def __init__(self, heads, length, d_k, d_v, *, device=None):
        super().__init__()
        for name, size in (("key", d_k), ("value", d_v)):
            drawn = torch.empty(heads, length, size, device=device).normal_()
            self.register_parameter(name, nn.Parameter(drawn))

    @property
    def length(self):
        return self.key.shape[1]

    def extend(self, key, value):
        found = []
        for kept, new in ((self.key, key), (self.value, value)):
            whole = new.new_zeros(*new.shape[:-2], self.length + new.shape[-2], new.shape[-1])
            whole[..., : self.length, :] = kept
            whole[..., self.length :, :] = new
            found.append(whole)
        return tuple(found)

    def forward(self, key, value):
        return self.extend(key, value)


@right
class broadcast(nn.Module):
    def __init__(self, heads, length, d_k, d_v, *, device=None):
        super().__init__()
        self.length = int(length)
        self.value = nn.Parameter(torch.empty(heads, length, d_v, device=device))
        self.key = nn.Parameter(torch.empty(heads, length, d_k, device=device))
        nn.init.normal_(self.key)
        nn.init.normal_(self.value)

    def extend(self, key, value):
        k = torch.broadcast_to(self.key, (*key.shape[:-2], *self.key.shape[1:]))
        v = torch.broadcast_to(self.value, (*value.shape[:-2], *self.value.shape[1:]))
        return torch.cat((k, key), -2), torch.cat((v, value), -2)

    forward = extend


wrong(
    "behind_the_text",
    why=(
        "The learned keys come after those of the text: a causal mask takes the last ones for "
        "the newest, and hides them from the tokens, or the tokens from each other."
    ),
    change={
        "torch.cat([first, key], dim=-2), torch.cat([second, value], dim=-2)": (
            "torch.cat([key, first], dim=-2), torch.cat([value, second], dim=-2)"
        )
    },
)


wrong(
    "it_grows",
    why=(
        "What was read is kept, as a cache for generation does: the next batch would see the texts "
        "of the one before. A prefix begins anew."
    ),
    change={
        "        return torch.cat([first": (
            "        self.length += key.shape[-2]\n        return torch.cat([first"
        )
    },
)


wrong(
    "keys_for_values",
    why="The learned keys were put before the values, too.",
    change={
        "second = self.value.expand(*value": (
            "second = (self.key if key.shape == value.shape else self.value + 0 * "
            "self.key.mean() + self.key.mean()).expand(*value"
        )
    },
)


wrong(
    "values_without",
    why="Only the keys got longer: each weight must meet a value.",
    change={"torch.cat([second, value], dim=-2)": "value"},
)


wrong(
    "starts_at_zero",
    why=(
        "Keys and values start at 0. All learned positions are then the same, get the same "
        "gradient, and stay the same for ever: a prefix of one."
    ),
    change={
        "torch.randn(heads, length, d_k, device=device)": (
            "torch.zeros(heads, length, d_k, device=device)"
        ),
        "torch.randn(heads, length, d_v, device=device)": (
            "torch.zeros(heads, length, d_v, device=device)"
        ),
    },
    corner=True,
)


wrong(
    "not_learned",
    why="Keys and values are no parameters: no optimizer will find them.",
    change={
        "nn.Parameter(torch.randn(heads, length, d_k, device=device))": (
            "torch.randn(heads, length, d_k, device=device).to(torch.float64)"
        ),
        "nn.Parameter(torch.randn(heads, length, d_v, device=device))": (
            "torch.randn(heads, length, d_v, device=device).to(torch.float64)"
        ),
    },
)


wrong(
    "one_for_all_heads",
    why="All heads share the first head's keys; each head has its own.",
    change={
        "first = self.key.expand(": "first = self.key[:1].expand(*key.shape[-3:-2], -1, -1).expand("
    },
)
