"""Verifiers: trained on a model's own right and wrong answers, and used to choose among samples.

    python benchmarks/verifiers.py

A small GPT finds signs with which five numbers reach a target; a calculator writes the sums. The
verifiers start as copies of it and learn from its samples: whether the answer is right, from many
problems or from few, or whether each step is right. They rank samples of new problems, beside
votes, the model's own log-probability and random scores, and guide a search over steps, which keeps
equal candidates once, or every time. The development problems choose each verifier's rate. Two of
them are also trained for four times as many steps, at the same rate. Samples and scores of the
first test problems are kept, too. Writes `verifiers.json`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

import torch
from machine import record
from signs import BATCH, check, prompts, sample_calculated, take_step, train
from torch import Tensor

from solutions.preference import RewardModel, sequence_log_probs
from solutions.test_time_compute import (
    ASKED,
    COUNT,
    Problems,
    beam_over_steps,
    expected_best,
    read_signs,
    sign_problems,
    step_labels,
    verifier_loss,
    weighted_vote,
)
from solutions.transformer import DecoderOnly

WIDTH, STEPS, RATE = 32, 400, 0.02  # of the model that answers
MANY, FEW, EACH = 2_000, 60, 8  # problems whose samples a verifier learns from, and samples of each
VERIFIER_STEPS, LONGER, RATES = 250, 1_000, (0.0003, 0.001, 0.003, 0.01, 0.03)
SEEDS, TUNING, SAMPLES = range(3), 10, 32
NS = (1, 2, 4, 8, 16, 32)
BEAMS = ((4, 2), (16, 4))  # continuations per step, and beams
KINDS = ("outcome", "outcome, few problems", "steps")
GUIDES = (  # of searches
    *("outcome", "outcome, longer", "steps", "steps, product", "steps, longer"),
    *("own log-probability", "random"),
)
SHOWN = 100  # test problems whose samples are kept
DEV, TEST = (sign_problems(300, torch.Generator().manual_seed(seed)) for seed in (1, 2))


def labeled(problems: Problems, texts: Tensor, kind: str) -> tuple[Tensor, Tensor]:
    """Labels and mask of texts (M, T) for one kind of verifier."""
    places = torch.arange(texts.shape[1]).expand_as(texts)
    right = step_labels(read_signs(texts[:, ASKED:]), problems.signs)  # (M, COUNT)
    if kind == "steps":
        labels = torch.zeros_like(places, dtype=torch.bool)
        labels[:, ASKED + 1 :: 2] = right
        return labels, (places > ASKED) & (places % 2 != ASKED % 2)
    return right[:, -1], places == texts.shape[1] - 1


def verifier(
    model: DecoderOnly, kind: str, rate: float, seed: int, steps: int = VERIFIER_STEPS
) -> RewardModel:
    """Train a copy of the model, with one score in place of its logits."""
    chance = torch.Generator().manual_seed(2_000 + seed)
    problems = sign_problems(FEW if kind.endswith("few problems") else MANY, chance)
    texts = sample_calculated(model, problems, EACH, 3_000 + seed).flatten(0, 1)
    problems = Problems(*(part.repeat_interleave(EACH, dim=0) for part in problems))
    labels, mask = labeled(problems, texts, kind)
    judge = RewardModel(copy.deepcopy(model).requires_grad_(True))
    optimizer = torch.optim.AdamW(judge.parameters(), rate, weight_decay=0.01, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    for _ in range(steps):
        chosen = torch.randint(len(texts), (BATCH,), generator=chance)
        scores = judge.body(texts[chosen])[..., 0]
        loss = verifier_loss(scores, labels[chosen], mask[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
    return judge.requires_grad_(False)


def believed(judge: RewardModel, texts: Tensor) -> Tensor:
    """Probability after each step that all is right, (..., steps so far)."""
    rows = texts.flatten(0, -2).split(4096)
    scores = torch.cat([judge.body(part)[:, ASKED + 1 :: 2, 0] for part in rows])
    return scores.double().sigmoid().unflatten(0, texts.shape[:-1])


def readings(kind: str, belief: Tensor) -> dict[str, Tensor]:
    """Scores of texts (...) by what a verifier believes after each step (..., steps so far)."""
    found = {kind: belief[..., -1]}
    if kind.startswith("steps"):
        found[f"{kind}, product"] = belief.prod(dim=-1)
        found[f"{kind}, minimum"] = belief.amin(dim=-1)
    return found


def guided(judge: RewardModel, kind: str, name: str, texts: Tensor) -> Tensor:
    """One of the readings, of partial answers."""
    return readings(kind, believed(judge, texts))[name]


def own(model: DecoderOnly, texts: Tensor) -> Tensor:
    """The model's log-probability of the signs so far; the sums are not its own."""
    found = []
    for part in texts.flatten(0, -2).split(4096):
        places = torch.arange(part.shape[1]).expand_as(part)
        answered = (places >= ASKED) & (places % 2 == ASKED % 2)
        found.append(sequence_log_probs(model(part), part, answered))
    return torch.cat(found).unflatten(0, texts.shape[:-1])


def voted(answers: Tensor, weights: Tensor, right: Tensor, n: int) -> float:
    """Share of right winners, of votes among n samples each."""
    parts = (x.unflatten(1, (-1, n)).flatten(0, 1) for x in (answers, weights, right))
    said, weight, truth = parts
    winner = weighted_vote(said, weight)
    first = (said == winner[:, None]).long().argmax(dim=1, keepdim=True)
    return truth.gather(1, first).float().mean().item()


def search_repeated(
    prompt: Tensor,
    propose: Callable[[Tensor], Tensor],
    score: Callable[[Tensor], Tensor],
    *,
    steps: int,
    width: int,
    samples: int,
) -> tuple[Tensor, Tensor]:
    """As `beam_over_steps`, but equal candidates are kept as often as they come."""
    beams = prompt[:, None]
    for _ in range(steps):
        texts = propose(beams.repeat_interleave(samples // beams.shape[1], dim=1).flatten(0, 1))
        scores = score(texts).view(-1, samples)
        scores, order = scores.sort(dim=1, descending=True, stable=True)
        texts = texts.unflatten(0, (-1, samples))
        beams = texts.gather(1, order[:, :width, None].expand(-1, -1, texts.shape[2]))
    return beams, scores[:, :width]


SEARCHES = {"once": beam_over_steps, "every time": search_repeated}


def searched(
    model: DecoderOnly, score: Callable[[Tensor], Tensor], problems: Problems, seed: int
) -> dict[str, dict[str, list[float]]]:
    """For each setting of `BEAMS`: share of right answers, and how many of the beams differ."""
    found: dict[str, dict[str, list[float]]] = {}
    for name, search in SEARCHES.items():
        right, different = [], []
        for samples, width in BEAMS:
            chance = torch.Generator().manual_seed(seed)

            def propose(texts: Tensor, chance: torch.Generator = chance) -> Tensor:
                return take_step(model, texts, torch.rand(len(texts), generator=chance))

            texts, _ = search(
                prompts(problems), propose, score, steps=COUNT, width=width, samples=samples
            )
            right.append(check(problems, texts[:, :1]).double().mean().item())
            numbers = numbered(texts).sort(dim=1).values
            different.append(1 + (numbers.diff(dim=1) != 0).sum(dim=1).double().mean().item())
        found[name] = {"right": right, "different": different}
    return found


def numbered(texts: Tensor) -> Tensor:
    """One number for each different answer, (B, N)."""
    return ((read_signs(texts[..., ASKED:]) + 1) * 3 ** torch.arange(COUNT)).sum(dim=2)


def measured(model: DecoderOnly, judges: dict[str, RewardModel], seed: int) -> dict[str, object]:
    """Every way to choose, on the test problems."""
    texts = sample_calculated(model, TEST, SAMPLES, 4_000 + seed)
    right = check(TEST, texts)
    values = right.double()
    chance = torch.Generator().manual_seed(seed)
    scores = {}
    guides: dict[str, Callable[[Tensor], Tensor]] = {}
    for kind, judge in judges.items():
        for name, reading in readings(kind, believed(judge, texts)).items():
            scores[name] = reading
            guides[name] = partial(guided, judge, kind, name)
    scores["own log-probability"] = own(model, texts).double()
    scores["random"] = torch.rand(right.shape, generator=chance)
    guides["own log-probability"] = partial(own, model)
    guides["random"] = lambda rows: torch.rand(len(rows), generator=chance)
    votes = {"equal": torch.ones_like(values)} | {name: scores[name] for name in (*KINDS, "random")}
    votes["own probability"] = scores["own log-probability"].exp()
    ordered = {}
    for kind in judges:
        better = scores[kind][right][:, None] > scores[kind][~right][None, :5_000]
        ordered[kind] = better[:5_000].double().mean().item()
    return {
        "best": {
            name: [expected_best(each, values, n).mean().item() for n in NS]
            for name, each in (scores | {"check": values}).items()
        },
        "votes": {
            name: [voted(numbered(texts), each, right, n) for n in NS]
            for name, each in votes.items()
        },
        "beams": {name: searched(model, guides[name], TEST, 5_000 + seed) for name in GUIDES},
        "ordered": ordered,
    }


def shown(model: DecoderOnly, judges: dict[str, RewardModel], seed: int) -> dict[str, object]:
    """Answers that are sampled for the first test problems, and the verifiers' logits."""
    texts = sample_calculated(model, TEST, SAMPLES, 4_000 + seed)[:SHOWN]
    logits = {kind: believed(judges[kind], texts)[..., -1].logit() for kind in KINDS}
    return {
        "seed": seed,
        "problems": torch.cat([TEST.target[:, None], TEST.numbers], dim=1)[:SHOWN].tolist(),
        "answers": numbered(texts).tolist(),
        "logits, hundredths": {
            kind: (100 * each).round().long().tolist() for kind, each in logits.items()
        },
    }


def main() -> None:
    torch.set_num_threads(1)
    model = train(WIDTH, STEPS, RATE, TUNING, calculator=True)[0]
    texts = sample_calculated(model, DEV, 16, 4_000)
    values = check(DEV, texts).double()
    development, rates = {}, {}
    for kind in KINDS:
        found = []
        for rate in RATES:
            belief = believed(verifier(model, kind, rate, TUNING), texts)
            each = readings(kind, belief).values()  # the best reading counts
            found.append(max(expected_best(one, values, 16).mean().item() for one in each))
        development[kind] = found
        rates[kind] = RATES[found.index(max(found))]
        print(kind, found, flush=True)
    runs, kept = [], {}
    for seed in SEEDS:
        model = train(WIDTH, STEPS, RATE, seed, calculator=True)[0]
        judges = {kind: verifier(model, kind, rates[kind], seed) for kind in KINDS}
        for kind in ("outcome", "steps"):
            judges[f"{kind}, longer"] = verifier(model, kind, rates[kind], seed, LONGER)
        runs.append(measured(model, judges, seed))
        kept = kept or shown(model, judges, seed)
        print(runs[-1], flush=True)
    record(
        __file__,
        list(SEEDS),
        ns=list(NS),
        beams=[list(one) for one in BEAMS],
        rates=list(RATES),
        development=development,
        chosen=rates,
        problems={"many": MANY, "few": FEW, "samples of each": EACH},
        tested=len(TEST.target),
        steps=[VERIFIER_STEPS, LONGER],
        runs=runs,
        shown=kept,
    )


if __name__ == "__main__":
    main()
