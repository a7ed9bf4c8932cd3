"""The whole chain in one run: a trained tokenizer, pretraining, fine-tuning, and a reward.

    python benchmarks/chain.py [--seeds 0] [--steps 2500]

The task is to add two numbers from 10 to 29. A byte-pair tokenizer is trained on sentences of the
Python language reference and statements about sums; a GPT is pretrained on both, fine-tuned on
questions whose demonstrated answers are wrong in two of five cases, and then rewarded for right
ones (GRPO). One pair of numbers in ten is never seen in any stage. Records what each stage changed,
with processor seconds on one thread.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import math
import random
import time

import torch
from machine import record

from solutions.data import text as language_reference
from solutions.gpt import GPT, causal_loss, text_losses, windows
from solutions.preference import (
    answer_mask,
    grpo_loss,
    kl_divergence,
    sequence_log_probs,
    token_log_probs,
    write_answers,
)
from solutions.tokenization import BytePairTokenizer

MERGES, ROOM, GROUP = 256, 5, 8
PAIRS = list(itertools.product(range(10, 30), repeat=2))
random.Random(0).shuffle(PAIRS)
UNSEEN, SEEN = PAIRS[:40], PAIRS[40:]


def statements(rng: random.Random, count: int) -> list[str]:
    """Sums, said in several ways and never as a question."""
    said = []
    for _ in range(count):
        a, b = rng.choice(SEEN)
        kinds = (f"{a} plus {b} is {a + b}.", f"{a} + {b} = {a + b}.", f"sum {a} {b}: {a + b}.")
        said.append(rng.choice(kinds))
    return said


def demonstrated(rng: random.Random, a: int, b: int) -> int:
    """Answer as somebody might: right in three of five cases, else one or ten off."""
    return a + b + (0 if rng.random() < 0.6 else rng.choice((-10, -1, 1, 10)))


class Chain:
    """A tokenizer, and what the stages share.

    Attributes:
        end: the token that ends an answer, after those of the tokenizer.
    """

    def __init__(self, seed: int) -> None:
        """Write the text, and train the tokenizer on a part of it."""
        rng = random.Random(seed)
        reference = language_reference()
        cut = len(reference) * 9 // 10
        lines = [line for line in reference[:cut].split("\n") if line.strip()]
        lines = rng.choices(lines, k=2_000) + statements(rng, 14_000)
        rng.shuffle(lines)
        self.seed, self.written = seed, "\n".join(lines)
        self.tokenizer = BytePairTokenizer()
        self.tokenizer.train(self.written[:300_000], 256 + MERGES)
        self.end = 256 + MERGES
        self.held_back = reference[cut : cut + 6_000]

    def pretrain(self, steps: int) -> GPT:
        """Guess the next token of the text."""
        text = torch.tensor(self.tokenizer.encode(self.written))
        torch.manual_seed(self.seed)
        model = GPT(
            self.end + 1,
            embed_dim=64,
            num_heads=4,
            num_layers=2,
            longest=64,
            positions="rotary",
            std=0.08,
        )
        generator = torch.Generator().manual_seed(self.seed)

        def loss_of(model: GPT) -> torch.Tensor:
            starts = torch.randint(len(text) - 49, (24,), generator=generator)
            read, asked = windows(text, starts, 48)
            return torch.nn.functional.cross_entropy(model(read).transpose(1, 2), asked)

        return descend(model, loss_of, steps, 4e-3)

    def rows(self, pairs: list, answers: list) -> tuple[torch.Tensor, torch.Tensor]:
        """Questions with answers, padded with ends; and the lengths of the prompts."""
        prompts = [self.tokenizer.encode(f"Q: {a}+{b} A:") for a, b in pairs]
        full = [
            [*prompt, *self.tokenizer.encode(f" {answer}"), self.end]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        longest = max(map(len, full))
        padded = [row + [self.end] * (longest - len(row)) for row in full]
        return torch.tensor(padded), torch.tensor([len(prompt) for prompt in prompts])

    def fine_tune(self, base: GPT, count: int = 1_000, steps: int = 250) -> GPT:
        """Demonstrations, with loss on the answers alone."""
        rng = random.Random(self.seed + 100)
        pairs = rng.choices(SEEN, k=count)
        tokens, prompts = self.rows(pairs, [demonstrated(rng, *pair) for pair in pairs])
        mask = answer_mask(tokens, prompts, end=self.end)
        generator = torch.Generator().manual_seed(self.seed)

        def loss_of(model: GPT) -> torch.Tensor:
            some = torch.randint(count, (32,), generator=generator)
            return causal_loss(model(tokens[some]), tokens[some], mask[some])

        return descend(copy.deepcopy(base), loss_of, steps, 2e-3)

    def ask(self, model: GPT, pairs: list, generator: torch.Generator, each: int = 1):
        """Answers to prompts of one length at a time: (tokens, mask, pairs) of each length."""
        by_length: dict[int, list] = {}
        for a, b in pairs:
            prompt = self.tokenizer.encode(f"Q: {a}+{b} A:")
            by_length.setdefault(len(prompt), []).append((prompt, (a, b)))
        for length, some in by_length.items():
            prompts = torch.tensor([prompt for prompt, _ in some]).repeat_interleave(each, dim=0)
            chances = torch.rand(len(prompts), ROOM, generator=generator)
            tokens = write_answers(model, prompts, chances)
            lengths = torch.full((len(tokens),), length)
            mask = answer_mask(tokens, lengths, end=self.end)
            yield tokens, mask, [pair for _, pair in some for _ in range(each)]

    def verdicts(self, tokens: torch.Tensor, mask: torch.Tensor, pairs: list) -> torch.Tensor:
        """Form and rightness of each answer, (B, 2)."""
        found = []
        for row, own, (a, b) in zip(tokens, mask, pairs, strict=True):
            *said, last = row[own].tolist()
            said = [] if self.end in said else said
            answer = self.tokenizer.decode(said)
            digits = answer.removeprefix(" ")
            form = last == self.end and answer.startswith(" ") and digits.isascii()
            form = form and digits.isdigit()
            found.append((form, form and digits == str(a + b)))
        return torch.tensor(found, dtype=torch.float64)

    def reinforce(self, reference: GPT, rounds: int = 160, beta: float = 0.01) -> GPT:
        """GRPO with the check as reward."""
        model, rng = copy.deepcopy(reference), random.Random(self.seed + 300)
        generator = torch.Generator().manual_seed(self.seed + 300)

        def loss_of(model: GPT) -> torch.Tensor:
            total = torch.zeros(())
            for tokens, mask, pairs in self.ask(model, rng.choices(SEEN, k=16), generator, GROUP):
                rewards = self.verdicts(tokens, mask, pairs)[:, 1].float().view(-1, GROUP)
                now = token_log_probs(model(tokens), tokens)
                with torch.no_grad():
                    before = token_log_probs(reference(tokens), tokens)
                part = grpo_loss(now, now.detach(), before, rewards, mask[:, 1:], beta=beta)
                total = total + part * len(rewards) / 16
            return total

        return descend(model, loss_of, rounds, 1e-3)

    def measure(self, model: GPT, reference: GPT) -> dict[str, float]:
        """Measure the answers, and the bits per byte of held-out text."""
        found: dict[str, float] = {}
        for name, pairs in (("seen", SEEN), ("unseen", UNSEEN)):
            generator, sums = torch.Generator().manual_seed(5), torch.zeros(4, dtype=torch.float64)
            for tokens, mask, asked in self.ask(model, pairs, generator):
                with torch.no_grad():
                    logits, before = model(tokens), reference(tokens)
                log_p = logits[:, :-1].log_softmax(dim=-1)
                entropy = torch.where(mask[:, 1:], -(log_p.exp() * log_p).sum(-1), 0.0).sum()
                away = kl_divergence(logits, before, mask).sum()
                sums[:2] += self.verdicts(tokens, mask, asked).sum(dim=0)
                sums[2:] += torch.stack([away, entropy]).double()
            form, right, away, entropy = (sums / len(pairs)).tolist()
            found |= {f"right, {name}": right}
            if name == "seen":
                found |= {"form": form, "kl": away, "entropy": entropy}
            tokens, prompts = self.rows(pairs, [a + b for a, b in pairs])
            mask = answer_mask(tokens, prompts, end=self.end)
            with torch.no_grad():
                chance = sequence_log_probs(model(tokens), tokens, mask).exp().mean().item()
            found[f"chance of right, {name}"] = chance
        text = self.held_back
        ids = torch.tensor(self.tokenizer.encode(text))
        with torch.no_grad():
            losses = text_losses(model, ids, span=48, stride=24)
        found["bits per byte"] = losses.sum().item() / math.log(2) / len(text.encode())
        return found


def descend(model: GPT, loss_of, steps: int, rate: float) -> GPT:
    """AdamW, with a rate that rises over 20 steps and falls to 0."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=0)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 20, 1) * (1 - step / steps)
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 99:
            print(step + 1, round(loss.item(), 3), round(time.process_time()), flush=True)
    return model


def main() -> None:
    """Run the chain for every seed, and record it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--steps", type=int, default=2_500)
    given = parser.parse_args()
    torch.set_num_threads(1)
    runs = []
    for seed in given.seeds:
        clock = [time.process_time()]
        chain = Chain(seed)
        clock.append(time.process_time())
        base = chain.pretrain(given.steps)
        clock.append(time.process_time())
        tuned = chain.fine_tune(base)
        clock.append(time.process_time())
        rewarded = chain.reinforce(tuned)
        clock.append(time.process_time())
        names = ("tokenizer", "pretrained", "fine-tuned", "rewarded")
        taken = dict(zip(names, (b - a for a, b in itertools.pairwise(clock)), strict=True))
        stages = {
            name: chain.measure(model, tuned)
            for name, model in (("pretrained", base), ("fine-tuned", tuned), ("rewarded", rewarded))
        }
        parameters = sum(parameter.numel() for parameter in base.parameters())
        runs.append({"stages": stages, "processor_seconds": taken, "parameters": parameters})
        print(runs[-1], flush=True)
    record(__file__, given.seeds, merges=MERGES, steps=given.steps, runs=runs)


if __name__ == "__main__":
    main()
