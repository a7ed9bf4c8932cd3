"""Baselines of the policy gradient: none, one number, the others' mean, and a value function.

The models and the functions are those of the page on preferences. First the variance of the
gradient at the fine-tuned model. Then 12 rounds of 128 answers with each baseline, rewarded by the
check; each uses the rate with the highest mean probability of a right answer on 200 prompts of a
development part, found with an extra seed: rates are a factor of two apart, and more are tried
while the best lies at an end. The value function's own rate is tuned, too. The results are for 400
other prompts.

    python benchmarks/value_function.py
"""

from __future__ import annotations

import random
import time
from types import SimpleNamespace

import torch
from machine import record
from sorting import chance_right, page, truths
from torch import Tensor, nn
from tuning import next_rate

SEEDS, TRIAL_SEED, ROUNDS = [0, 1, 2], 3, 12
BASELINES = ("none", "batch mean", "others' mean", "value")
CRITIC_RATES, FIRST = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2), 2e-3


def tuned(on: SimpleNamespace, model: nn.Module, name: str, held: Tensor) -> dict:
    """Rates chosen on the development part: of the value function, then of the policy."""

    def chance(rate: float, critic: float) -> float:
        options = {"rounds": ROUNDS, "rate": rate, "critic_rate": critic}
        trained, _ = on.with_baseline(model, TRIAL_SEED, name, **options)
        return round(chance_right(on, trained, held), 4)

    critics = {c: chance(FIRST, c) for c in CRITIC_RATES} if name == "value" else {0.0: 0.0}
    critic = max(critics, key=critics.__getitem__)
    tried: dict[str, float] = {}
    while f"{(rate := next_rate(tried, FIRST)):g}" not in tried:
        tried[f"{rate:g}"] = -chance(rate, critic)
    tried = {rate: -tried[rate] for rate in sorted(tried, key=float)}
    critics = {f"{c:g}": share for c, share in critics.items()}
    return {"rate": rate, "tried": tried, "critic_rate": critic, "critics_tried": critics}


def variances(
    on: SimpleNamespace, model: nn.Module, seed: int, draws: int = 12, learn: int = 24
) -> dict:
    """Variance of the gradient at the fine-tuned model, by baseline, over that of the others' mean.

    The value function has learned from 20 earlier draws, three times over, at the rate with the
    smallest error on four more.
    """
    rng, generator = random.Random(7 + seed), torch.Generator().manual_seed(7 + seed)
    seen = [
        on.draw_groups(model, on.questions(rng, 16), generator, on.is_right) for _ in range(learn)
    ]
    critics = {}
    for rate in CRITIC_RATES:
        critic = on.make_critic(model)
        optimizer = torch.optim.AdamW(critic.parameters(), lr=rate, **on.OPTIONS)
        for _ in range(3):
            for tokens, paid in seen[:-4]:
                on.descend_once(optimizer, critic, on.value_loss(critic, tokens, paid)[0])
        with torch.no_grad():
            errors = [on.value_loss(critic, tokens, paid)[0].item() for tokens, paid in seen[-4:]]
        critics[rate] = (sum(errors) / 4, critic)
    rate = min(critics, key=lambda rate: critics[rate][0])
    error, critic = critics[rate]
    weights = list(model.parameters())
    gradients: dict[str, list[Tensor]] = {name: [] for name in BASELINES}
    for _ in range(draws):
        tokens, paid = on.draw_groups(model, on.questions(rng, 16), generator, on.is_right)
        with torch.no_grad():
            values = on.value_loss(critic, tokens, paid)[1]
        for name in BASELINES:
            loss = on.token_loss(model, tokens, on.advantages_of(name, paid, values))
            parts = torch.autograd.grad(loss, weights)
            gradients[name].append(torch.cat([part.flatten() for part in parts]))
    noise = {name: torch.stack(each).var(dim=0).sum().item() for name, each in gradients.items()}
    mean = torch.cat([paid for _, paid in seen[-4:]])
    return {
        "variance": {name: round(noise[name] / noise["others' mean"], 4) for name in BASELINES},
        "error": round(error, 4),
        "error of one number": round(mean.var(correction=0).item(), 4),
        "rate": rate,
        "tried": {f"{rate:g}": round(critics[rate][0], 4) for rate in CRITIC_RATES},
    }


def main() -> None:
    torch.set_num_threads(1)
    on, begun = page(), time.process_time()
    held, told = truths(on, on.questions(random.Random(5_000), 200)), truths(on, on.asked)
    trial, *models = (on.fine_tune(on.pretrain(seed), seed)[0] for seed in (TRIAL_SEED, *SEEDS))
    noise = [variances(on, model, seed) for seed, model in enumerate(models)]
    print(noise, flush=True)
    found = {}
    for name in BASELINES:
        one = tuned(on, trial, name, held)
        options = {"rounds": ROUNDS, "rate": one["rate"], "critic_rate": one["critic_rate"]}
        runs = []
        for seed, model in enumerate(models):
            trained, history = on.with_baseline(model, seed, name, **options)
            right = round(chance_right(on, trained, told), 4)
            runs.append({"right": right, "history": [round(share, 4) for share in history]})
        found[name] = {**one, "runs": runs}
        print(name, one, [run["right"] for run in runs], flush=True)
    taken = time.process_time() - begun
    begun_at = [round(chance_right(on, model, told), 4) for model in models]
    results = {"begun": begun_at, "noise": noise, "baselines": found}
    record(__file__, SEEDS, rounds=ROUNDS, **results, processor_seconds=taken)


if __name__ == "__main__":
    main()
