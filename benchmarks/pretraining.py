"""BERT on the Python language reference, longer than a page can wait for, and how useful it is.

Pretrains a small BERT with both tasks, a model for each seed; fine-tunes it, and one that was not
pretrained, to tell code from prose with few labels; asks every layer for the same by a linear
probe; records where heads attend; and fills in words. Takes about six minutes on one core.

    python benchmarks/pretraining.py [--steps 2400]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import torch
from machine import record
from torch import nn

from solutions.bert import (
    BERT,
    NOT_ASKED,
    SPECIALS,
    Sentences,
    Specials,
    Tagger,
    draw_pairs,
    fit_probe,
    mask_tokens,
    mlm_loss,
    pack_pair,
    padded,
    pretrain,
    read_sentences,
    word_vectors,
)
from solutions.data import text
from solutions.generative import chance_above
from solutions.tokenization import BytePairTokenizer, show_token
from solutions.transformer import sinusoidal

SEEDS = [0, 1, 2]
SIZE, LONGEST, SHARE, BATCH = 800, 48, 0.3, 32
SHAPE = {"embed_dim": 64, "num_heads": 4, "num_layers": 2, "hidden": 256, "longest": LONGEST}
LABELS = [8, 32, 128, 512]
FILLED = (
    "If the class has no such method, an exception is raised.",
    "The value of the expression is assigned to the name.",
    "A list is a mutable sequence of arbitrary objects.",
    "This method is called when an instance is created.",
)


def read() -> tuple[BytePairTokenizer, Specials, Sentences, Sentences]:
    """Tokens, learned on nine tenths of the text; these sentences, and those of the last tenth."""
    lines = text().split("\n")[:-1]
    cut = len(lines) * 9 // 10
    tokenizer = BytePairTokenizer(specials=SPECIALS)
    tokenizer.train("\n".join(line.replace('"', "") for line in lines[:cut]), SIZE)
    special = Specials(*range(SIZE - 4, SIZE))
    seen, unseen = (read_sentences(part, tokenizer) for part in (lines[:cut], lines[cut:]))
    return tokenizer, special, seen, unseen


def fresh(seed: int, special: Specials) -> BERT:
    """A new model whose position embeddings start as sinusoids, and are trained."""
    torch.manual_seed(seed)
    model = BERT(SIZE, **SHAPE, pad=special.pad, std=0.05)
    waves = 0.15 * sinusoidal(LONGEST, SHAPE["embed_dim"])
    model.embeddings.positions.weight.data.copy_(waves)
    return model


@torch.no_grad()
def measured(model: BERT, sentences: Sentences, special: Specials) -> dict[str, float]:
    """Loss and share of right answers at holes, and of right pairs, on the same 512 pairs."""
    generator = torch.Generator().manual_seed(100)
    losses, right, pairs = [], [], []
    for _ in range(16):
        tokens, segments, label = draw_pairs(
            sentences, 32, special, longest=LONGEST, generator=generator
        )
        seen, asked = mask_tokens(
            tokens, ordinary=special.pad, mask=special.mask, generator=generator
        )
        words, pair = model(seen, segments)
        holes = asked != NOT_ASKED
        losses.append(nn.functional.cross_entropy(words[holes], asked[holes], reduction="none"))
        right.append(words[holes].argmax(-1) == asked[holes])
        pairs.append(pair.argmax(-1) == label)
    found = {"loss": torch.cat(losses), "right": torch.cat(right), "pairs": torch.cat(pairs)}
    return {name: round(values.double().mean().item(), 4) for name, values in found.items()}


# code or prose


def tagged(sentences: Sentences, which: list[int], special: Specials) -> tuple:
    """Rows, the word of each token, and the label of each word at its first token."""
    rows, words, labels = [], [], []
    for index in which:
        tokens, of = sentences.tokens[index], sentences.words[index]
        row = pack_pair(tokens, None, cls=special.cls, sep=special.sep, longest=LONGEST)
        of = [-1, *of[: len(row) - 2], -1]
        starts = [now != before and now >= 0 for before, now in zip([-1, *of], of, strict=False)]
        code = sentences.code[index]
        rows.append(row)
        words.append(of)
        labels.append([int(code[w]) if s else NOT_ASKED for w, s in zip(of, starts, strict=True)])
    return padded(rows, special.pad), padded(words, -1), padded(labels, NOT_ASKED)


def f1(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """F1 of code words: twice those found correctly, over all found plus all that exist."""
    both = (found & wanted).sum().item()
    return round(2 * both / max(found.sum().item() + wanted.sum().item(), 1), 4)


def fine_tuned(
    bert: BERT,
    parts: tuple,
    chosen: torch.Tensor,
    seed: int,
    *,
    balance: bool = False,
    rate: float = 1e-3,
) -> Tagger:
    """Fine-tune everything on the chosen sentences.

    With ``balance`` both classes weigh the same in the loss, whatever their number of words.
    """
    torch.manual_seed(seed)
    share = (parts[2][chosen] == 1).sum() / (parts[2][chosen] != NOT_ASKED).sum()
    weight = torch.stack([0.5 / (1 - share), 0.5 / share]) if balance else None
    model = Tagger(bert, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    steps = 40 + len(chosen) // 2
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 10, 1) * (1 - step / steps)
        rows = chosen[torch.randint(len(chosen), (16,), generator=generator)]
        logits, labels = model(parts[0][rows]), parts[2][rows]
        loss = mlm_loss(logits, labels)
        if balance:
            loss = nn.functional.cross_entropy(
                logits.transpose(1, 2), labels, weight=weight, ignore_index=NOT_ASKED
            )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


@torch.no_grad()
def judged(model: Tagger, test: tuple) -> tuple[float, float]:
    """F1 of code words, and ``chance_above``."""
    logits = torch.cat([model(rows) for rows in test[0].split(64)])
    asked = test[2] != NOT_ASKED
    score, code = (logits[..., 1] - logits[..., 0])[asked], test[2][asked] == 1
    above = round(chance_above(score[code], score[~code]).item(), 4)
    return f1(score > 0, code), above


def remembered(sentences: Sentences, which: list[int], test: list[int], unseen: Sentences) -> float:
    """Classify with a list of words: code, if a word was code at least half of the time."""
    counts: Counter = Counter()

    def spelled(of: Sentences, index: int) -> list[tuple[int, ...]]:
        made = [[] for _ in of.code[index]]
        for token, word in zip(of.tokens[index], of.words[index], strict=True):
            made[word].append(token)
        kept = max(of.words[index][: LONGEST - 2]) + 1  # what the models see of it
        return [tuple(word) for word in made[:kept]]

    for index in which:
        for word, code in zip(spelled(sentences, index), sentences.code[index], strict=False):
            counts[word] += 1 if code else -1
    pairs = [
        (counts[word] >= 0 and word in counts, code)
        for index in test
        for word, code in zip(spelled(unseen, index), unseen.code[index], strict=False)
    ]
    found, wanted = (torch.tensor(part) for part in zip(*pairs, strict=True))
    return f1(found, wanted)


@torch.no_grad()
def probed(model: BERT, parts: tuple, chosen: torch.Tensor, test: tuple) -> list[float]:
    """How often a linear probe scores a code word above a prose word, for every layer."""
    found = []
    for layer in range(SHAPE["num_layers"] + 1):
        sides = []
        for tokens, words, labels in ([part[chosen] for part in parts], test):
            states = torch.cat([model.states(rows)[layer] for rows in tokens.split(64)])
            most = words.amax(dim=1, keepdim=True) + 1
            offset = most.cumsum(dim=0) - most  # words are numbered through
            numbers = torch.where(words >= 0, words + offset, -1)
            vectors = word_vectors(states, numbers, int(most.sum())).double()
            sides.append((vectors, labels[labels != NOT_ASKED]))
        (x, y), (unseen, wanted) = sides
        weight, bias = fit_probe(x, y, classes=2, decay=1e-3)
        score = (unseen @ weight.T + bias)[:, 1]
        found.append(round(chance_above(score[wanted == 1], score[wanted == 0]).item(), 4))
    return found


# what heads look at


@torch.no_grad()
def looked_at(model: BERT, sentences: Sentences, special: Specials) -> dict[str, list]:
    """Attention of each head, (layers, heads): mean over tokens of unseen pairs, by kind of key."""
    generator = torch.Generator().manual_seed(101)
    total: dict[str, torch.Tensor] = {}
    count = 0
    for _ in range(8):
        tokens, segments, _ = draw_pairs(
            sentences, 32, special, longest=LONGEST, generator=generator
        )
        weights = model.weights(tokens, segments)  # (N, B, heads, T, T)
        ask = (tokens < special.pad).to(weights.dtype)
        places = torch.arange(tokens.shape[1])
        apart = places[None, :] - places[:, None]
        kinds = {name: apart == far for name, far in (("before", -1), ("itself", 0), ("after", 1))}
        kinds = {name: mask.expand(len(tokens), -1, -1) for name, mask in kinds.items()}
        kinds["special"] = (tokens > special.pad)[:, None, :].expand(-1, len(places), -1)
        same = (segments[:, None, :] != segments[:, :, None]) & (tokens < special.pad)[:, None, :]
        kinds["other text"] = same
        count += ask.sum()
        for name, mask in kinds.items():
            seen = ((weights * mask[None, :, None]).sum(-1) * ask[None, :, None]).sum((1, 3))
            total[name] = total.get(name, 0) + seen
    return {
        name: [[round(x, 4) for x in row] for row in (seen / count).tolist()]
        for name, seen in total.items()
    }


# filling in


@torch.no_grad()
def filled(model: BERT, sentence: str, tokenizer: BytePairTokenizer, special: Specials) -> dict:
    """Likeliest tokens in the place of each: given both sides, only the left, only the right."""
    tokens = tokenizer.encode(" " + sentence)
    row = torch.tensor(pack_pair(tokens, None, cls=special.cls, sep=special.sep, longest=LONGEST))
    rows = []
    for place in range(1, len(row) - 1):
        for first, last in ((place, place + 1), (place, len(row) - 1), (1, place + 1)):
            hidden = row.clone()
            hidden[first:last] = special.mask
            rows.append(hidden)
    logits = model(torch.stack(rows))[0].view(len(tokens), 3, len(row), -1)
    chances = torch.stack([logits[k, :, k + 1, : special.pad] for k in range(len(tokens))])
    chances = chances.softmax(-1)  # (tokens, sides, V)
    best = chances.topk(6, dim=-1)
    shown = [
        show_token(tokenizer.vocabulary[token]).replace("Ġ", "▁") for token in range(special.pad)
    ]
    return {
        "tokens": [shown[token] for token in tokens],
        "true": [
            [round(side[t].item(), 3) for side in of] for t, of in zip(tokens, chances, strict=True)
        ],
        "best": [[[shown[token] for token in side] for side in of] for of in best.indices.tolist()],
        "share": [[[round(x, 3) for x in side] for side in of] for of in best.values.tolist()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2400)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    tokenizer, special, seen, unseen = read()
    able = [i for i, row in enumerate(seen.tokens) if len(seen.code[i]) >= 5]
    test_on = [i for i, row in enumerate(unseen.tokens) if len(unseen.code[i]) >= 5]
    parts = tagged(seen, able, special)
    test = tagged(unseen, test_on, special)
    runs, tuned, listed, probes, heads, seconds = [], [], [], [], [], []
    ranked, balanced = [], []
    for seed in SEEDS:
        model, curve = fresh(seed, special), []
        probes.append({"untrained": None})

        def look(step: int, model=model, curve=curve, seed=seed) -> None:
            if step % 200 == 0:
                curve.append({"step": step, **measured(model, unseen, special)})
                print(seed, curve[-1], flush=True)

        order = torch.randperm(len(able), generator=torch.Generator().manual_seed(seed))
        probes[-1]["untrained"] = probed(model, parts, order[:512], test)
        begun = time.process_time()
        losses = pretrain(
            model,
            seen,
            special,
            steps=steps,
            size=BATCH,
            longest=LONGEST,
            share=SHARE,
            seed=seed,
            look=look,
        )
        seconds.append(round(time.process_time() - begun, 1))
        smooth = torch.tensor(losses).unfold(0, 50, 50).mean(-1)
        runs.append(
            {"curve": curve, "train": [[round(x, 3) for x in pair] for pair in smooth.tolist()]}
        )
        probes[-1]["pretrained"] = probed(model, parts, order[:512], test)
        heads.append(looked_at(model, unseen, special))
        if seed == SEEDS[0]:
            words = [filled(model, sentence, tokenizer, special) for sentence in FILLED]
        state = {name: value.clone() for name, value in model.state_dict().items()}
        plain, ranks, even = ({"pretrained": [], "from scratch": []} for _ in range(3))
        for count in LABELS:
            for kind in plain:
                for balance in (False, True):
                    bert = fresh(10 + seed, special)
                    if kind == "pretrained":
                        bert.load_state_dict(state)
                    score, above = judged(
                        fine_tuned(bert, parts, order[:count], seed, balance=balance), test
                    )
                    (even if balance else plain)[kind].append(score)
                    if not balance:
                        ranks[kind].append(above)
        listed.append(
            [
                remembered(seen, [able[i] for i in order[:count]], test_on, unseen)
                for count in LABELS
            ]
        )
        tuned.append(plain)
        ranked.append(ranks)
        balanced.append(even)
        print(seed, plain, ranks, even, listed[-1], probes[-1], flush=True)
        record(  # also before the last seed: a long run may be stopped
            __file__,
            SEEDS[: len(tuned)],
            steps=steps,
            share=SHARE,
            batch=BATCH,
            shape=SHAPE | {"vocabulary": SIZE},
            parameters=sum(parameter.numel() for parameter in model.parameters()),
            tokens=[sum(map(len, of.tokens)) for of in (seen, unseen)],
            sentences=[len(of.tokens) for of in (seen, unseen)],
            test={
                "sentences": len(test_on),
                "code": round((test[2] == 1).sum().item() / (test[2] >= 0).sum().item(), 4),
            },
            seconds_of_processor=seconds,
            runs=runs,
            labels=LABELS,
            tuned=tuned,
            ranked=ranked,
            balanced=balanced,
            listed=listed,
            probes=probes,
            heads=heads,
            filled=words,
        )


if __name__ == "__main__":
    main()
