"""LoRA's rank, each at its own learning rate, on a task near to pretraining and on one far away.

    python benchmarks/lora_rank.py

The decoder is pretrained as long as that of `transfer_ways.py`. The near task is the page's: which
of five words stands in a hole, by a new head; the labels are those of `transfer_ways.py`. The far
task is the next token of the same text read *backward*, scored by the frozen table: the layers have
to learn a language with the same words and another order. What is trained: nothing in the layers
(rank 0), LoRA of rank 1 to 64 on queries, values and both feed-forward layers, the same number of
entries at random places of these matrices, or the whole matrices. Rates are a factor of two apart,
chosen on development data with a seed that is not reported, until the best lies between two that
are worse; then three seeds. A third part draws 32 labels twenty times for the head that begins as
the vectors of the five words. Takes about ten minutes on one core.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
import transfer_ways as ways
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from tuning import next_rate

from solutions.data import text
from solutions.tokenization import BytePairTokenizer
from solutions.transfer import At, Classifier, Reader, add_lora, holes, next_token_loss

RANKS = [0, 1, 4, 16, 64]
RANDOM = [1, 4, 16]  # as many entries as LoRA of this rank has
STEPS, BATCH, SEEDS, TUNING = 240, 32, [0, 1, 2], 3
DRAWS, FEW_STEPS, FEW_RATES = 20, 60, [2.5e-5, 5e-5, 1e-4, 2e-4]
WHOLE = "the matrices whole"
VOCABULARY = 774  # nine rows more than there are tokens: not the decoder of `transfer_ways.py`


def data() -> dict[str, Tensor]:
    """The text that may be read, and what was kept back; the five words and the mask."""
    lines = text().splitlines()
    tokenizer = BytePairTokenizer(specials=["<mask>", *(f"<{k}>" for k in range(8))])
    tokenizer.train("\n".join(lines), 765)
    encode = tokenizer.encode
    parts = {
        name: torch.tensor(
            encode("\n".join(line for k, line in enumerate(lines) if (k % 4 == 3) == kept))
        )
        for name, kept in (("seen", False), ("unseen", True))
    }
    words = torch.tensor([encode(word)[0] for word in ways.WORDS])
    return parts | {"words": words, "hole": torch.tensor(encode("<mask>")[0])}


def add_entries(reader: Reader, count: int) -> None:
    """Train so many entries, at random places of all the matrices that LoRA updates."""
    layers = ways.lora_matrices(reader)
    sizes = [layer.weight.numel() for layer in layers]
    chosen = torch.randperm(sum(sizes))[:count]
    start = 0
    for layer, size in zip(layers, sizes, strict=True):
        inside = chosen[(chosen >= start) & (chosen < start + size)] - start
        parametrize.register_parametrization(layer, "weight", ways.Entries(inside))
        start += size


def updated(base: Reader, way: str) -> tuple[Reader, int]:
    """A copy in which only the parameters that this way trains need gradients; their number."""
    reader = copy.deepcopy(base).requires_grad_(False)
    per_rank = sum(sum(layer.weight.shape) for layer in ways.lora_matrices(reader))
    if way == WHOLE:
        for layer in ways.lora_matrices(reader):
            layer.weight.requires_grad_(True)
    elif way.startswith("random"):
        add_entries(reader, int(way.split()[-1]) * per_rank)
    elif way != "rank 0":
        rank = int(way.split()[-1])
        add_lora(reader, ways.PARTS, rank=rank, alpha=rank)
    return reader, sum(p.numel() for p in reader.parameters() if p.requires_grad)


def descend(model: nn.Module, loss_of, rate: float, steps: int) -> None:
    """Train by AdamW, with a rate that falls along a straight line."""
    chosen = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(chosen, lr=rate, weight_decay=0.01, foreach=True)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()


def near(base: Reader, way: str, part: ways.Rows, rate: float, seed: int) -> tuple:
    """A new head, and updates below it."""
    torch.manual_seed(seed)
    reader, count = updated(base, way)
    asks = {name: p.requires_grad for name, p in reader.named_parameters()}
    model = Classifier(At(reader, -1), 64, len(ways.WORDS), frozen=way == "rank 0")
    for name, parameter in reader.named_parameters():
        parameter.requires_grad_(asks[name])
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.head.bias)
    generator = torch.Generator().manual_seed(seed)

    def loss_of() -> Tensor:
        batch = torch.randint(len(part[0]), (BATCH,), generator=generator)
        return F.cross_entropy(model(part[0][batch]), part[1][batch])

    descend(model.train(), loss_of, rate, STEPS)
    return model.eval(), count


def far(base: Reader, way: str, tokens: Tensor, rate: float, seed: int) -> tuple:
    """The next token of a text, by the frozen table."""
    torch.manual_seed(seed)
    reader, count = updated(base, way)
    generator = torch.Generator().manual_seed(seed)
    if count:
        descend(
            reader,
            lambda: next_token_loss(reader, pieces(tokens, BATCH, generator)),
            rate,
            STEPS,
        )
    return reader, count


def pieces(tokens: Tensor, count: int, generator: torch.Generator) -> Tensor:
    starts = torch.randint(len(tokens) - ways.LENGTH, (count, 1), generator=generator)
    return tokens[starts + torch.arange(ways.LENGTH)]


def searched(train, dev_loss, first: float) -> tuple[float, dict[str, float]]:
    """The rate between two that are worse, and the losses of all that were tried."""
    losses: dict[str, float] = {}
    while f"{(rate := next_rate(losses, first)):g}" not in losses:
        losses[f"{rate:g}"] = dev_loss(train(rate))
    return rate, losses


def few_labels(base: Reader, pool: ways.Rows, test: ways.Rows, words: Tensor) -> dict:
    """The head that begins as the words' vectors: 32 labels, drawn again and again."""
    with torch.no_grad():
        zero = base.score(base(test[0])[:, -1])[:, words].argmax(dim=1) == test[1]
    found: dict = {"zero": 100 * zero.double().mean().item(), "rates": {}}
    for rate in FEW_RATES:
        rights = []
        for draw in range(DRAWS):
            torch.manual_seed(draw)
            generator = torch.Generator().manual_seed(2_000 + draw)
            chosen = torch.randperm(len(pool[1]), generator=generator)[:32]
            model = Classifier(At(copy.deepcopy(base), -1), 64, len(words))
            with torch.no_grad():
                model.head.bias.zero_()
                model.head.weight.copy_(base.embed.weight[words])

            def loss_of(model=model, chosen=chosen, generator=generator) -> Tensor:
                batch = chosen[torch.randint(32, (BATCH,), generator=generator)]
                return F.cross_entropy(model(pool[0][batch]), pool[1][batch])

            descend(model.train(), loss_of, rate, FEW_STEPS)
            rights.append(round(100 * ways.judged(model.eval(), test)[1].double().mean().item(), 2))
        found["rates"][f"{rate:g}"] = rights
        print("32 labels", rate, rights, flush=True)
    return found


def near_trial(base: Reader, way: str, labeled: ways.Rows, dev: ways.Rows, test: ways.Rows) -> dict:
    """The rate of this way, and right answers in percent for each seed."""
    rate, losses = searched(
        lambda rate: near(base, way, ways.shuffled(labeled, TUNING), rate, TUNING)[0],
        lambda model: round(ways.judged(model, dev)[0], 4),
        2.5e-3,
    )
    runs = [near(base, way, ways.shuffled(labeled, seed), rate, seed) for seed in SEEDS]
    rights = [ways.judged(model, test)[1].double().mean().item() for model, _ in runs]
    right = [round(100 * right, 2) for right in rights]
    return {"trained": runs[0][1], "rate": rate, "losses": losses, "right": right}


def far_trial(base: Reader, way: str, fit: Tensor, loss_on: Callable[[str, Reader], float]) -> dict:
    """The rate of this way, and the loss in nats for each seed."""
    if way == "rank 0":
        return {"trained": 0, "loss": [loss_on("test", base)]}
    rate, losses = searched(
        lambda rate: far(base, way, fit, rate, TUNING)[0],
        lambda model: loss_on("dev", model),
        1e-2,
    )
    runs = [far(base, way, fit, rate, seed) for seed in SEEDS]
    loss = [loss_on("test", model) for model, _ in runs]
    return {"trained": runs[0][1], "rate": rate, "losses": losses, "loss": loss}


def main() -> None:
    torch.set_num_threads(1)
    of = data()
    given = {"before": ways.BEFORE, "after": ways.AFTER, "hole": of["hole"].item()}
    pool, test = (holes(of[name], of["words"], **given) for name in ("seen", "unseen"))
    pool, test = ((rows[:, : ways.BEFORE], labels) for rows, labels in (pool, test))
    base = ways.pretrained(of["seen"], VOCABULARY)
    development, labeled = ways.split(pool)

    backward = of["seen"].flip(0)
    cut = len(backward) * 9 // 10
    fit, dev = backward[:cut], backward[cut:]
    judge = {
        name: pieces(part, 400, torch.Generator().manual_seed(9))
        for name, part in (("dev", dev), ("test", of["unseen"].flip(0)))
    }

    def loss_on(name: str, model: Reader) -> float:
        with torch.no_grad():
            return round(next_token_loss(model, judge[name]).item(), 4)

    few = few_labels(base, pool, test, of["words"])
    found: dict = {"near": {}, "far": {}}
    names = [f"rank {rank}" for rank in RANKS]
    for way in [*names, WHOLE, *(f"random, as rank {rank}" for rank in RANDOM)]:
        found["near"][way] = near_trial(base, way, labeled, development, test)
        found["far"][way] = far_trial(base, way, fit, loss_on)
        print(way, found["near"][way], found["far"][way], flush=True)
    counts = torch.bincount(fit, minlength=VOCABULARY).double() + 1
    frequency = -(counts / counts.sum()).log()[judge["test"][:, 1:]].mean().item()
    record(
        __file__,
        SEEDS,
        steps=STEPS,
        labels=len(labeled[1]),
        frequency=round(frequency, 4),
        few=few,
        **found,
    )


if __name__ == "__main__":
    main()
