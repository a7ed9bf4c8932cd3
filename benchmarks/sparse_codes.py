"""Do sparse autoencoders find the features of the toy model of superposition, and do others?

    python benchmarks/sparse_codes.py

Toy models store 16 features in 6 dimensions; features are active with one of three probabilities.
From the hidden vectors of a toy model, several methods find 16 directions, which are matched with
the columns of its matrix: sparse autoencoders with an L1 penalty of several strengths, or with
the k largest codes; k-means on vectors and on vectors of length 1; random directions; and hidden
vectors of random examples. Six principal components with both signs are only 12 directions; so
those methods look for 12, too. Autoencoders and both forms of k-means have the same number of
starts, of which each keeps the one that is best by its own objective on all vectors. The learning
rate of the autoencoders is the one of three that has the lowest worst loss on other seeds, relative
to the lowest loss of the same autoencoder on the same seed. Writes `sparse_codes.json`.
"""

from __future__ import annotations

import math

import torch
from machine import record
from torch import Tensor
from torch.nn import functional as F

from solutions.fit import Together
from solutions.interpretability import SparseAutoencoder, matching_score, superposition_loss

SEEDS, TUNING = (0, 1, 2, 3, 4), (10, 11)
FEATURES, WIDTH = 16, 6
CHANCES = (0.06, 0.15, 0.3)
PENALTIES, COUNTS = (0.1, 0.2, 0.3, 0.5, 0.8, 1.2), (1, 2, 3, 4)
RATES, STEPS, BATCH = (0.001, 0.01, 0.1), 700, 256
EXAMPLES, STARTS = 8_192, 8


def draw(chance: float, count: int, generator: torch.Generator) -> Tensor:
    """Features, (count, 16): each is 0, or uniform from 0 to 1 with the given probability."""
    active = torch.rand(count, FEATURES, generator=generator) < chance
    return torch.rand(count, FEATURES, generator=generator) * active


def cooled(rate: float, step: int, steps: int) -> float:
    return rate * 0.5 * (1 + math.cos(math.pi * step / steps))


def toy(chance: float, seed: int, steps: int = 1_200) -> Tensor:
    """Columns of a trained toy model, (6, features): those of a length above one half."""
    generator = torch.Generator().manual_seed(seed)
    weight = (torch.randn(WIDTH, FEATURES, generator=generator) / FEATURES**0.5).requires_grad_()
    bias = torch.zeros(FEATURES, requires_grad=True)
    optimizer = torch.optim.Adam([weight, bias])
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = cooled(0.02, step, steps)
        x = draw(chance, 512, generator)
        loss = superposition_loss(x, weight, bias, torch.ones(FEATURES))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return weight.detach()


def train(
    hidden: Tensor, seed: int, rate: float, *, penalty: float = 0.0, k: int | None = None
) -> tuple[Together, list[list[float]]]:
    """Sparse autoencoders of 16 codes, one for each start, and their objectives, one list each
    after a half and three quarters of the steps, and at the end.
    """
    torch.manual_seed(seed)
    models = Together(SparseAutoencoder(WIDTH, FEATURES, k=k) for _ in range(STARTS))
    curves = []
    optimizer = torch.optim.Adam(models.parameters(), fused=True)
    generator = torch.Generator().manual_seed(seed)
    for step in range(1, STEPS + 1):
        optimizer.param_groups[0]["lr"] = cooled(rate, step - 1, STEPS)
        x = hidden[torch.randint(len(hidden), (BATCH,), generator=generator)]
        optimizer.zero_grad()
        objectives(models, x, penalty).sum().backward()
        optimizer.step()
        if step in (STEPS // 2, 3 * STEPS // 4, STEPS):
            with torch.no_grad():
                curves.append(objectives(models, hidden, penalty).tolist())
    return models, curves


def objectives(models: Together, x: Tensor, penalty: float) -> Tensor:
    """Losses of all starts on the same vectors, (starts,)."""
    rebuilt, codes = models(x.expand(STARTS, *x.shape))
    return ((x - rebuilt).square().sum(dim=2) + penalty * codes.sum(dim=2)).mean(dim=1)


@torch.no_grad()
def measured(model: SparseAutoencoder, hidden: Tensor, truth: Tensor) -> dict[str, float]:
    rebuilt, codes = model(hidden)
    left = (hidden - rebuilt).square().sum() / (hidden - hidden.mean(dim=0)).square().sum()
    return {
        "score": matching_score(model.directions(), truth).item(),
        "unexplained": left.item(),
        "active": (codes > 1e-3).float().sum(dim=1).mean().item(),
    }


def means_of_clusters(
    hidden: Tensor, generator: torch.Generator, count: int, *, unit: bool
) -> tuple[Tensor, float]:
    """Centers of k-means from one start, (6, count), and its distortion: the mean squared distance
    from the nearest center; ``unit``: of vectors of length 1, by cosine similarity, and 1 minus
    the mean similarity with the nearest center.
    """
    points = F.normalize(hidden, dim=1) if unit else hidden
    centers = points[torch.randperm(len(points), generator=generator)[:count]]

    def distances() -> Tensor:
        if unit:
            return 1 - points @ F.normalize(centers, dim=1).T
        return torch.cdist(points, centers).square()

    for _ in range(50):
        nearest = distances().argmin(dim=1)
        counts = torch.bincount(nearest, minlength=count).clamp(min=1)[:, None]
        centers = torch.zeros_like(centers).index_add(0, nearest, points) / counts
    return centers.T, distances().amin(dim=1).mean().item()


def others(hidden: Tensor, truth: Tensor, seed: int) -> dict[str, dict[str, dict]]:
    """Scores of the methods without an autoencoder, by the number of directions; for k-means, the
    score of the start with the lowest distortion, and distortions and scores of all starts.
    """
    axes = torch.linalg.svd(hidden - hidden.mean(dim=0), full_matrices=False).Vh.T
    both = torch.cat([axes, -axes], dim=1)
    scores: dict[str, dict[str, dict]] = {}
    for count in (FEATURES, both.shape[1]):
        generator = torch.Generator().manual_seed(2_000 + seed)
        found = {
            "random examples": hidden[torch.randperm(len(hidden), generator=generator)[:count]].T,
            "random directions": torch.randn(WIDTH, count, generator=generator),
        }
        if count == both.shape[1]:
            found["principal components"] = both
        of = {name: {"score": matching_score(one, truth).item()} for name, one in found.items()}
        for name, unit in (("k-means", False), ("k-means, length 1", True)):
            centers, distortions = zip(
                *(means_of_clusters(hidden, generator, count, unit=unit) for _ in range(STARTS)),
                strict=True,
            )
            each = [matching_score(one, truth).item() for one in centers]
            best = distortions.index(min(distortions))
            of[name] = {"score": each[best], "losses": list(distortions), "scores": each}
        scores[str(count)] = of
    return scores


def hidden_of(chance: float, seed: int) -> tuple[Tensor, Tensor, float]:
    """Hidden vectors of examples with an active feature, the stored columns, and the share of
    these examples that have exactly one active feature.
    """
    weight = toy(chance, seed)
    x = draw(chance, EXAMPLES, torch.Generator().manual_seed(1_000 + seed))
    x = x[x.sum(dim=1) > 0]
    alone = ((x > 0).sum(dim=1) == 1).float().mean().item()
    return x @ weight.T, weight[:, weight.norm(dim=0) > 0.5], alone


KINDS = [{"penalty": penalty} for penalty in PENALTIES] + [{"k": k} for k in COUNTS]


def search_rates() -> tuple[float, list[dict[str, float]]]:
    """The rate with the lowest worst loss, and all that was tried."""
    search = []
    for seed in TUNING:
        hidden, *_ = hidden_of(0.15, seed)
        for kind in ({"penalty": 0.3}, {"k": 2}):
            losses = {rate: min(train(hidden, seed, rate, **kind)[1][-1]) for rate in RATES}
            least = min(losses.values())
            search += [
                {"seed": seed, **kind, "rate": rate, "loss": loss, "relative": loss / least}
                for rate, loss in losses.items()
            ]
    worst = {rate: max(one["relative"] for one in search if one["rate"] == rate) for rate in RATES}
    return min(RATES, key=lambda one: worst[one]), search


def autoencoders(hidden: Tensor, truth: Tensor, seed: int, rate: float) -> list[dict]:
    """The start with the lowest loss of each kind, with losses and scores of all starts."""
    kept = []
    for kind in KINDS:
        models, curves = train(hidden, seed, rate, **kind)
        best = curves[-1].index(min(curves[-1]))
        scores = [matching_score(model.directions(), truth).item() for model in models]
        starts = {"losses": curves[-1], "scores": scores}
        curve = [losses[best] for losses in curves]
        kept.append({**kind, "curve": curve, **measured(models[best], hidden, truth), **starts})
    return kept


def main() -> None:
    torch.set_num_threads(1)
    rate, search = search_rates()
    runs = []
    for chance in CHANCES:
        for seed in SEEDS:
            hidden, truth, alone = hidden_of(chance, seed)
            one = {"chance": chance, "seed": seed, "stored": truth.shape[1], "alone": alone}
            trained = autoencoders(hidden, truth, seed, rate)
            runs.append(one | {"autoencoders": trained, "others": others(hidden, truth, seed)})
            print(chance, seed, flush=True)
    sizes = {"features": FEATURES, "width": WIDTH, "steps": STEPS, "batch": BATCH}
    sizes["starts"] = STARTS
    record(__file__, list(SEEDS), rate=rate, search=search, sizes=sizes, runs=runs)


if __name__ == "__main__":
    main()
