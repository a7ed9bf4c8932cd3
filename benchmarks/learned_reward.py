"""A policy gradient against a learned reward: what it gains by that reward, and by the true one.

The models, the reward model and the function are those of the page on preferences: GRPO for 30
rounds of 128 answers, rewarded by the check, by the reward model, and by the reward model with a
price for the distance. Each way uses the rate with the highest mean probability of a right answer
on 200 prompts of a development part, found with an extra seed; rates are a factor of two apart, and
more are tried while the best lies at an end. The results are for 400 other prompts. Learned rewards
are given in standard deviations of the fine-tuned model's answers.

    python benchmarks/learned_reward.py
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import torch
from machine import record
from sorting import HELD, chance_right, page, truths
from torch import Tensor, nn
from tuning import next_rate

SEEDS, TRIAL_SEED = [0, 1, 2], 3
ROUNDS, NS = 30, (1, 2, 4, 8, 16)
WAYS = {"learned": 0.0, "check": 0.0, "learned, β = 0.3": 0.3}


class Sorter:
    """A fine-tuned model of the page, its reward model, and what both are measured on."""

    def __init__(self, on: SimpleNamespace, seed: int) -> None:
        self.on, self.seed = on, seed
        self.model, _ = on.fine_tune(on.pretrain(seed), seed)
        chosen, rejected = on.draw_pairs(self.model, seed)
        self.judge = on.train_judge(self.model, chosen[HELD:], rejected[HELD:], seed)
        self.held = truths(on, on.questions(random.Random(5_000), 200))
        self.told = truths(on, on.asked)
        first = self.score(on.asked, self.answers(self.model))
        self.middle, self.width = first.mean().item(), first.std().item()

    def answers(self, model: nn.Module, each: int = 1) -> Tensor:
        return self.on.ask(model, self.on.asked, torch.Generator().manual_seed(9), each=each)

    @torch.no_grad()
    def score(self, digits: list[str], tokens: Tensor) -> Tensor:
        """Score by the reward model."""
        return self.judge(tokens, self.on.mask_of(tokens))

    def standard(self, score: float) -> float:
        """A mean score in standard deviations of the fine-tuned model's answers."""
        return round((score - self.middle) / self.width, 4)

    def ends(self, model: nn.Module) -> dict:
        """Measure a model's answers on the prompts that report."""
        ends = self.on.measure(model, self.model)
        learned = self.score(self.on.asked, self.answers(model)).mean().item()
        return {
            "right": round(chance_right(self.on, model, self.told), 4),
            "learned": self.standard(learned),
            **{what: round(ends[what], 4) for what in ("kl", "form", "length")},
        }

    def best_of(self) -> list[dict]:
        """Learned reward and rightness of the best of n by the reward model."""
        tokens = self.answers(self.model, each=NS[-1])
        scores = self.score(self.on.asked, tokens).view(-1, NS[-1])
        right = self.on.checked(self.on.asked, tokens)[:, 1].double().view(-1, NS[-1])
        found = []
        for n in NS:
            best, at = scores[:, :n].max(dim=1, keepdim=True)
            share = right.gather(1, at).mean().item()
            learned = self.standard(best.mean().item())
            found.append({"n": n, "learned": learned, "right": round(share, 4)})
        return found

    def paid(self, way: str, rate: float) -> tuple[nn.Module, list]:
        """GRPO; learned reward and rightness of each round."""
        reward = self.on.is_right if way == "check" else self.score
        options = {"beta": WAYS[way], "rounds": ROUNDS, "rate": rate}
        model, history = self.on.reinforce(self.model, self.seed, reward, **options)
        if way == "check":
            return model, [[pay, right] for pay, right in history]
        return model, [[self.standard(pay), round(right, 4)] for pay, right in history]


def tuned(trial: Sorter, first: float, train: Callable[[float], tuple]) -> tuple[float, dict]:
    """The best rate on the development part, between two that are worse, and all rates tried."""
    tried: dict[str, float] = {}
    while f"{(rate := next_rate(tried, first)):g}" not in tried:
        chance = chance_right(trial.on, train(rate)[0], trial.held)
        tried[f"{rate:g}"] = -round(chance, 4)
    return rate, {rate: -tried[rate] for rate in sorted(tried, key=float)}


def rewards(trial: Sorter, sorters: list[Sorter]) -> Iterator[dict]:
    """Try the rates of each reward, and run each seed at the best; yield the results so far."""
    found = {}
    for way in WAYS:
        rate, tried = tuned(trial, 1e-3, lambda rate, way=way: trial.paid(way, rate))
        runs = []
        for one in sorters:
            model, history = one.paid(way, rate)
            runs.append({**one.ends(model), "history": history})
        found[way] = {"rate": rate, "tried": tried, "runs": runs}
        ends = [{k: run[k] for k in run if k != "history"} for run in runs]
        print(way, rate, tried, ends, flush=True)
        yield found


def main() -> None:
    torch.set_num_threads(1)
    on, begun = page(), time.process_time()
    trial, *sorters = (Sorter(on, seed) for seed in (TRIAL_SEED, *SEEDS))
    results = {"begun": [one.ends(one.model) for one in sorters]}
    results["best of n"] = [one.best_of() for one in sorters]
    print(results, flush=True)
    for found in rewards(trial, sorters):
        taken = time.process_time() - begun
        record(__file__, SEEDS, rounds=ROUNDS, **results, rewards=found, processor_seconds=taken)


if __name__ == "__main__":
    main()
