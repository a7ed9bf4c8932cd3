"""Questions on transfer."""

from __future__ import annotations

import math
from random import Random

import torch
from torch import nn

from grader.questions import Alike, Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import transfer


@question("short", "one-stack-three-masks", 4, public=True)
def prefix(rng: Random) -> Drawn:
    longest, size = rng.choice([4, 5]), rng.choice([2, 3])
    mask = transfer.prefix_mask(torch.tensor([size]), longest)[0]
    return Drawn(
        text=f"A row has {longest} positions, of which the first {size} are a prefix. Write down the mask of a prefix language model as 0 and 1, with a row for each query. For which "
        "lengths of the prefix is it the causal mask?",
        answer=f"${table(mask.int())}$; for 0 and 1",
        steps=(
            (
                "All positions see the whole prefix; after it, each position sees the past and itself.",
                2,
            ),
            ("A prefix of at most one position adds nothing to the causal mask.", 1),
        ),
    )


@question("mistake", "one-stack-three-masks", 4)
def prefix_mistake(rng: Random) -> Drawn:
    size = rng.choice([2, 3])
    return which_mistake(
        rng,
        "transfer.prefix_mask",
        {"prefixes": [size], "longest": rng.choice([4, 5])},
        ["causal_inside_the_prefix", "prefix_sees_all", "only_within", "true_is_blocked"],
        text=f"A student's `prefix_mask` was called for a prefix of {size} positions. Rows are queries; 1 stands for True, which may attend.",
    )


def _many(tokens: int) -> str:
    return f"{tokens} token{'s' * (tokens > 1)}"


def _spans(rng: Random) -> tuple[list[int], list[int], list[int]]:
    tokens = rng.sample(range(10, 60), 7)
    starts = rng.choice([[1, 4], [0, 3], [2, 5]])
    return tokens, starts, [rng.choice([1, 2]), rng.choice([1, 2])]


@question("short", "spans-cut-out", 5, public=True)
def corrupted(rng: Random) -> Drawn:
    tokens, starts, lengths = _spans(rng)
    read, asked = (
        one.tolist()
        for one in transfer.span_corruption(torch.tensor(tokens), starts, lengths, sentinel=100)
    )
    return Drawn(
        text=f"T5's span corruption cuts two spans out of the tokens {tokens}: {_many(lengths[0])} from position {starts[0]} on, and {_many(lengths[1])} from position {starts[1]} on, counted from 0. The sentinels "
        "are 100, 101 and so on, and the target ends with one. What does the encoder read, and what is the decoder's target?",
        answer=f"{read}; {asked}",
        steps=(
            (f"Each span becomes one sentinel, in order: {read}", 2),
            (
                f"The target has each sentinel with its span, and one more sentinel at the end: {asked}",
                2,
            ),
        ),
    )


@question("mistake", "spans-cut-out", 5)
def span_mistake(rng: Random) -> Drawn:
    tokens, starts, _ = _spans(rng)
    return which_mistake(
        rng,
        "transfer.span_corruption",
        {
            "tokens": torch.tensor(tokens),
            "starts": tuple(starts),
            "lengths": (2, 2),
            "sentinel": 100,
        },
        [
            "one_sentinel_for_all",
            "last_sentinel_missing",
            "a_sentinel_for_each_token",
            "sentinel_after_its_span",
        ],
        text=f"A student's `span_corruption` was called for the tokens {tokens}, with spans of 2 tokens from positions {starts[0]} and {starts[1]} on, and sentinels "
        "from 100 on.",
        shown="The encoder's input and the decoder's target are",
        view=lambda found: [one.tolist() for one in found],
    )


@question("short", "infilling", 3)
def infilled(rng: Random) -> Drawn:
    tokens, starts, lengths = _spans(rng)
    read = transfer.text_infilling(torch.tensor(tokens), starts, lengths, mask=99).tolist()
    return Drawn(
        text=f"Text infilling cuts two spans out of the tokens {tokens}, {_many(lengths[0])} from position {starts[0]} on and {_many(lengths[1])} from position {starts[1]} on, and puts the mask 99 in place of each. What does the "
        "model read, what must it write, and what must it predict about the spans besides their tokens?",
        answer=f"{read}; the whole text; how long each span is",
        wrong=[
            f"{[99 if any(a <= n < a + b for a, b in zip(starts, lengths, strict=True)) else one for n, one in enumerate(tokens)] + [99]}; the whole text; how long each span is",
            f"{read}; the spans alone; how long each span is",
            f"{read}; the whole text; where the spans are",
        ],
        steps=(
            (f"One mask for each span, whatever its length: {read}", 1),
            ("The model writes the whole text, so it must predict where each span ends.", 1),
        ),
    )


@question("short", "frozen-features", 3, public=True)
def frozen(rng: Random) -> Drawn:
    features, classes, hidden = rng.choice([50, 100]), rng.choice([2, 5]), rng.choice([200, 400])
    trunk = nn.Sequential(nn.Linear(20, hidden), nn.ReLU(), nn.Linear(hidden, features))
    model = transfer.Classifier(trunk, features, classes, frozen=True)
    trained = sum(one.numel() for one in model.parameters() if one.requires_grad)
    whole = sum(one.numel() for one in model.parameters())
    return Drawn(
        text=f"A trunk with layers 20 → {hidden} → {features} is frozen, and a linear classifier of {classes} classes is trained on its features; all layers have biases. How many "
        "parameters are trained, and how many would be trained in fine-tuning?",
        answer=f"{trained} and {whole}",
        wrong=[
            f"{features * classes} and {whole}",
            f"{trained} and {whole - trained}",
            f"{whole - trained} and {whole}",
        ],
        steps=(
            (f"${features} \\cdot {classes} + {classes} = {trained}$", 1),
            (f"With the trunk: {whole}", 1),
        ),
    )


@question("short", "rates-by-layer", 4)
def rates(rng: Random) -> Drawn:
    layers, decay, rate = rng.choice([2, 3]), 2.0, rng.choice([0.8, 1.6, 0.4])
    names = [
        "head.weight",
        *(f"layers.{n}.weight" for n in reversed(range(layers))),
        "embed.weight",
    ]
    found = transfer.layer_rates(names, layers=layers, rate=rate, decay=decay)
    return Drawn(
        text=f"A network has {layers} layers, numbered from the bottom, with an embedding below them and a head on top. The head has the learning rate {rate}, and each step down divides the rate by "
        "2. Which rates do the layers and the embedding have? Why are the rates of lower layers smaller?",
        answer=", ".join(
            f"{name.removesuffix('.weight')}: {num(one)}" for name, one in list(found.items())[1:]
        )
        + "; they hold general features",
        steps=(
            (f"The top layer: {rate}/2 = {num(rate / 2)}", 1),
            (
                f"Down to the embedding, {layers + 1} steps below the head: {num(found['embed.weight'])}",
                1,
            ),
            ("Lower layers hold features that serve any task, and should change least.", 1),
        ),
    )


@question("short", "adapters", 3)
def adapter(rng: Random) -> Drawn:
    D, width, layers = rng.choice([100, 200]), rng.choice([5, 10]), rng.choice([4, 6])
    count = sum(one.numel() for one in transfer.Adapter(D, width).parameters())
    return Drawn(
        text=f"An adapter maps {D} features to {width} and back, with biases, and adds its input. How many parameters do the adapters of {layers} layers have, with one in each? What does a layer with its adapter "
        "compute at first, if the second map starts at zero?",
        answer=f"{layers * count}; what it computed without the adapter",
        steps=(
            (f"${D} \\cdot {width} + {width} + {width} \\cdot {D} + {D} = {count}$", 1),
            (f"${layers} \\cdot {count} = {layers * count}$", 1),
            ("The second map gives 0, so the adapter returns its input unchanged.", 1),
        ),
    )


@question("short", "low-rank-updates", 4, public=True)
def size_of_lora(rng: Random) -> Drawn:
    C, D, r = rng.choice([100, 200]), rng.choice([100, 400]), rng.choice([2, 4, 8])
    found = transfer.lora_size({"query.weight": (C, D)}, ["query"], r)
    return Drawn(
        text=f"A linear layer maps {D} features to {C}. LoRA trains an update $B A$ of rank {r} for it. How many numbers does LoRA train, and how many does the whole weight have? "
        "How much slower is the layer after training?",
        answer=f"{found} of {C * D:,}; not at all, if the update is added to the weight",
        wrong=[
            f"{C * D} of {C * D:,}; not at all, if the update is added to the weight",
            f"{r * C * D} of {C * D:,}; {r} times",
            f"{r * r} of {C * D:,}; not at all, if the update is added to the weight",
        ],
        steps=(
            (f"$A$ has {r} · {D} and $B$ {C} · {r} entries: {found}", 1),
            (f"The matrix has {C * D:,}.", 1),
            ("$W + (\\alpha/r) B A$ is one matrix of the old shape.", 1),
        ),
    )


@question("derive", "low-rank-updates", 6)
def lora_by_hand(rng: Random) -> Drawn:
    W, A, B = (
        [[1, 0], [0, 1]],
        [[rng.choice([1, 2]), rng.choice([-1, 1])]],
        [[rng.choice([1, 3])], [rng.choice([-2, 2])]],
    )
    x, alpha = [rng.choice([1, 2]), rng.choice([1, 3])], rng.choice([1, 2])
    made = [torch.tensor(one).double() for one in ([x], W, A, B)]
    if not (made[2] @ made[0][0]).any():
        raise Alike("A x is 0, and so is the gradient of B")
    found = transfer.lora_linear(*made, alpha=float(alpha))
    return Drawn(
        text=f"A layer has $W = I$, and a LoRA update with $A = {table(A)}$, $B = {table(B)}$, rank 1 and $\\alpha = {alpha}$. Compute its output for $x = {table(x)}$. Show that the "
        "gradient of $A$ is 0 and that of $B$ is not, if $B$ starts at zero.",
        answer=f"${table(found)}$",
        steps=(
            (f"$A x = {num((made[2] @ made[0][0]).item())}$", 1),
            (f"$x + ({alpha}/1)\\, B (A x) = {table(found)}$", 2),
            ("With the output's gradient $\\delta$, $\\partial L/\\partial A = (\\alpha/r) B^\\top \\delta\\, x^\\top$ is 0 for $B = 0$; $\\partial L/\\partial B = "
             "(\\alpha/r)\\, \\delta\\, (A x)^\\top$ is not.", 2),
        ),
    )  # fmt: skip


@question("mistake", "low-rank-updates", 5, public=True)
def lora_mistake(rng: Random) -> Drawn:
    x = [[float(rng.choice([1, 2])), float(rng.choice([1, 3]))]]
    A, B = [[1.0, 0.0], [0.0, rng.choice([1.0, 2.0])]], [[1.0, rng.choice([1.0, -1.0])]]
    return which_mistake(
        rng,
        "transfer.lora_linear",
        {"x": x, "weight": [[1.0, 1.0]], "A": A, "B": B, "alpha": 8.0},
        ["scale_forgotten", "alpha_alone", "rank_by_alpha", "weight_missing"],
        text=f"A student's `lora_linear` was called with $x = {table(x)}$, $W = {table([[1, 1]])}$, $A = {table(A)}$, $B = {table(B)}$, so the rank is 2, and $\\alpha = 8$.",
    )


@question("short", "tuned-prompts", 3)
def learned_prompt(rng: Random) -> Drawn:
    P, T, D = rng.choice([5, 10]), rng.choice([12, 30]), rng.choice([32, 64])
    found = transfer.with_prompt(torch.zeros(P, D), torch.zeros(2, T, D))
    return Drawn(
        text=f"A learned prompt of {P} vectors is put before a text of {T} tokens with {D} features, and the model is frozen. How many numbers are trained, how many positions does the "
        "model read, and which position, counted from 0, is that of the text's first token?",
        answer=f"{P * D}, {found.shape[1]}, {P}",
        wrong=[f"{P * D}, {T}, 0", f"{P}, {P + T}, {P}", f"{P * D}, {P + T}, 0"],
        steps=(
            (f"${P} \\cdot {D} = {P * D}$ numbers", 1),
            (f"{P} + {T} positions; the prompt takes positions 0 to {P - 1}", 1),
        ),
    )


@question("short", "calibrated-answers", 5, public=True)
def calibrated(rng: Random) -> Drawn:
    scores, blank = rng.choice(
        [([3, 1], [4, 1]), ([6, 2], [9, 1]), ([2, 1], [3, 1]), ([1, 1], [3, 1])]
    )
    found = transfer.calibrated(logarithms([scores]), logarithms(blank))[0]
    ratio = [a / b for a, b in zip(scores, blank, strict=True)]
    return Drawn(
        text=f"A model's probabilities of two answers are as {scores[0]} to {scores[1]} for a question, and as {blank[0]} to {blank[1]} for a question without content. Compute the calibrated "
        "probabilities. Which answer wins before calibration, and which after?",
        answer=f"${table(found)}$; "
        + ("the first before" if scores[0] > scores[1] else "neither before")
        + f", {'the first' if found[0] > found[1] else 'the second'} after",
        steps=(
            (
                f"Divided by the probabilities without content, as {num(ratio[0])} to {num(ratio[1])}",
                2,
            ),
            (f"Normalized to sum to 1: ${table(found)}$", 1),
        ),
    )


@question("prints", "asked-not-trained", 3)
def prompt_text(rng: Random) -> Drawn:
    pairs = rng.sample([("2+2", "4"), ("3+4", "7"), ("1+5", "6"), ("6+2", "8")], 2)
    asked = rng.choice(["7+1", "4+5"])
    transfer.few_shot_prompt(pairs, asked)
    return prints(
        f"""examples = {pairs}
lines = [f"Q: {{q}} A: {{a}}" for q, a in examples]
print(" | ".join(lines) + " | Q: {asked} A:")""",
        ("The question has the form of the examples, with its answer left open.", 1),
        ("Nothing is trained: the model continues the text.", 1),
    )


@question("curve", "what-is-forgotten", 3)
def forgotten(rng: Random) -> Drawn:
    rate = rng.choice([0.3, 0.5])
    new = [3.0 * math.exp(-rate * n) + 0.5 for n in range(13)]
    old = [1.0 + 1.5 * (1 - math.exp(-rate * n / 2)) for n in range(13)]
    flat = [1.05] * 13
    named = dict(zip(rng.sample("ABC", 3), (new, old, flat), strict=True))
    right = next(letter for letter, one in named.items() if one is old)
    return Drawn(
        text="A language model is fine-tuned on another kind of text. The figure sketches three losses during training: on the new text, on the old text, and on the old text for a model of which only a low-rank "
        "update is trained. Which curve shows catastrophic forgetting?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="steps", y="loss",
            alt="One loss falls, one rises, one stays nearly level.",
        ),
        answer=right,
        wrong=[one for one in named if one != right],
        steps=(
            ("The loss on the new text falls: it is what the model is trained on.", 1),
            (f"The loss on the old text rises if all weights change: {right}.", 1),
        ),
    )  # fmt: skip
