"""Heads of five trained models: what removing them costs, and what they attend to.

    python benchmarks/head_roles.py [--seeds 0 1 2 3 4]

The models with rotary positions of the page on the Transformer, trained with its functions. On one
half of the unseen text each head is removed alone; on the other, heads are removed one after
another in three orders, the random one drawn three times. Roles are chosen on the first half and
measured on the second. Records, by seed: the bits that each head costs alone, its weight on the
previous letter, the bits per letter of each order; and for each role its weight, that on the same
places of another text (percent), and the bits that its head and the other heads cost.
"""

from __future__ import annotations

import argparse
import math

import torch
from defined import definitions
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

DATA = {"device", "reference", "alphabet", "number", "stream", "cut", "seen", "unseen"}
ON = definitions("transformer", DATA | {"train_letters", "BASE", "CHANGES", "unseen_bits"})
PER_LAYER = ON["BASE"]["num_heads"]
HEADS, WIDE = PER_LAYER * ON["BASE"]["num_layers"], ON["BASE"]["embed_dim"] // PER_LAYER
FROM = 8  # queries with fewer letters before them are left out


@torch.no_grad()
def bits_without(model: nn.Module, heads: list[int], text: Tensor) -> float:
    """Bits per letter with the columns of W_O of these heads set to zero."""
    outputs = [layer.attention.output.weight for layer in model.layers]
    before = [weight.clone() for weight in outputs]
    for head in heads:
        layer, place = divmod(head, PER_LAYER)
        outputs[layer][:, place * WIDE : (place + 1) * WIDE] = 0
    loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    for weight, old in zip(outputs, before, strict=True):
        weight.copy_(old)
    return loss.item() / math.log(2)


def role_keys(tokens: Tensor) -> Tensor:
    """Which keys play each role for the queries from FROM on: (roles, B, Q, T) bool."""
    seen = ON["seen"]
    query, key = (torch.arange(start, tokens.shape[1]) for start in (FROM, 0))
    earlier = key < query[:, None] - 1  # (Q, T)
    spaces = (tokens == ON["number"][" "])[:, None] & earlier  # (B, Q, T)
    last = (spaces * (key + 1)).amax(dim=-1, keepdim=True) - 1
    occurrences = torch.bincount(seen, minlength=len(ON["alphabet"]))
    common = occurrences[tokens][:, None].masked_fill(~earlier, len(seen))
    rarest = (common == common.amin(dim=-1, keepdim=True)) & earlier
    before = (key == query[:, None] - 1).expand_as(spaces)
    return torch.stack([before, spaces & (key == last), rarest])


@torch.no_grad()
def role_weights(model: nn.Module, text: Tensor) -> list[Tensor]:
    """Weight of each head on each role, and on the same places of another text, (roles, heads)."""
    keys = role_keys(text[:, :-1]).float()
    weights = torch.cat(model(text[:, :-1], need_weights=True)[1], dim=1)[:, :, FROM:]
    per_query = weights.shape[0] * weights.shape[2]
    return [
        torch.einsum("bhqk,rbqk->rh", weights, of) / per_query for of in (keys, keys.roll(1, 1))
    ]


def removals(model: nn.Module, seed: int, order: list[int], text: Tensor) -> dict[str, Tensor]:
    """Bits per letter by the number of heads removed, (heads + 1,), for each order."""
    draws = [torch.Generator().manual_seed(10 * seed + i) for i in range(3)]
    orders = {
        "least first": [order],
        "random": [torch.randperm(HEADS, generator=draw).tolist() for draw in draws],
        "most first": [order[::-1]],
    }
    return {
        name: torch.tensor(
            [[bits_without(model, some[:gone], text) for gone in range(HEADS + 1)] for some in of]
        ).mean(dim=0)
        for name, of in orders.items()
    }


def roles(model: nn.Module, rise: Tensor, dev: Tensor, test: Tensor) -> Tensor:
    """Weight, control, cost of the head and mean cost of the others, for each role: (4, roles)."""
    (chosen, chance), (on, off) = role_weights(model, dev), role_weights(model, test)
    best = torch.cat([chosen[:1], (chosen - chance)[1:]]).argmax(dim=1)
    place = torch.arange(len(best))
    others = (rise.sum() - rise[best]) / (HEADS - 1)
    return torch.stack([100 * on[place, best], 100 * off[place, best], rise[best], others])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    given = parser.parse_args()
    torch.set_num_threads(1)
    dev, test = ON["unseen"][: 400 * 25].view(2, 200, 25)
    rises, back, removed, played = [], [], [], []
    for seed in given.seeds:
        *_, model = ON["unseen_bits"](ON["CHANGES"]["rotary positions"], seed)
        alone = torch.tensor([bits_without(model, [head], dev) for head in range(HEADS)])
        rises.append(alone - bits_without(model, [], dev))
        with torch.no_grad():
            weights = model(test[:, :-1], need_weights=True)[1]
        back.append(torch.cat([ON["attention_back"](part, 1).mean(dim=0) for part in weights]))
        removed.append(removals(model, seed, alone.argsort().tolist(), test))
        played.append(roles(model, rises[-1], dev, test))
        print(seed, rises[-1], flush=True)

    def written(parts: list[Tensor], digits: int = 5) -> list:
        return torch.stack(parts).double().round(decimals=digits).tolist()

    parts = zip(("shares", "elsewhere", "costs", "rest"), torch.stack(played, -1), strict=True)
    record(
        __file__,
        given.seeds,
        rises=written(rises),
        back=written(back),
        removed={name: written([of[name] for of in removed]) for name in removed[0]},
        **{name: written(list(of)) for name, of in parts},
    )


if __name__ == "__main__":
    main()
