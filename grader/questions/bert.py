"""Questions on BERT."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import bert

CLS, SEP, MASK, PAD = 101, 102, 103, 100
NAMES = {CLS: "[CLS]", SEP: "[SEP]", MASK: "[MASK]", PAD: "[PAD]"}


def _said(tokens: list[int]) -> str:
    return " ".join(NAMES.get(one, str(one)) for one in tokens)


@question("short", "bert-rows", 4, public=True)
def packed(rng: Random) -> Drawn:
    first, second = (
        rng.sample(range(1, 50), rng.choice([2, 3])),
        rng.sample(range(50, 99), rng.choice([2, 4])),
    )
    row = bert.pack_pair(first, second, cls=CLS, sep=SEP, longest=20)
    segments = bert.segment_ids(torch.tensor(row), SEP).tolist()
    return Drawn(
        text=f"Pack the texts {first} and {second} into one row of BERT's input, and write the segment of each token. Which part of the input tells the model the "
        "order of the tokens?",
        answer=f"{_said(row)}; {segments}; the position embeddings",
        steps=(
            (f"[CLS] in front, [SEP] after each text: {_said(row)}", 1),
            (f"Segment 1 begins after the first [SEP]: {segments}", 1),
            ("Token, segment and position embeddings are added.", 1),
        ),
    )


@question("mistake", "bert-rows", 4, public=True)
def segment_mistake(rng: Random) -> Drawn:
    row = [
        CLS,
        *rng.sample(range(9), rng.choice([1, 2])),
        SEP,
        *rng.sample(range(9), rng.choice([1, 2, 3])),
        SEP,
        PAD,
    ]
    return which_mistake(
        rng,
        "bert.segment_ids",
        {"tokens": row, "sep": SEP},
        ["sep_one_early", "second_sep_left_out", "padding_in_the_second", "turned_round"],
        text=f"A student's `segment_ids` was called for the row {_said(row)}.",
    )


@question("mistake", "bert-rows", 4)
def truncate_mistake(rng: Random) -> Drawn:
    first, second = list(range(1, rng.choice([5, 6]))), list(range(11, rng.choice([17, 18])))
    return which_mistake(
        rng,
        "bert.truncate_pair",
        {"first": tuple(first), "second": tuple(second), "room": 7},
        ["second_alone", "from_the_beginning", "shorter_one_shortened", "one_too_short"],
        text=f"A student's `truncate_pair` was called for {first} and {second}, with room for 7 tokens in all.",
        view=lambda found: [list(one) for one in found],
    )


@question("short", "bert-embeddings", 3)
def parameters_of_the_input(rng: Random) -> Drawn:
    words, longest, D = rng.choice([1000, 30_000]), rng.choice([128, 512]), rng.choice([64, 100])
    layer = bert.BertEmbeddings(words, D, longest=longest)
    count = sum(one.numel() for one in layer.parameters())
    tables = (words + longest + 2) * D
    return Drawn(
        text=f"BERT's input layer has {words:,} tokens, {longest} positions, two segments and {D} features. How many numbers are in its tables, and what "
        "share of them, in percent, belongs to the segments?",
        answer=f"{tables:,}; {num(100 * 2 * D / tables, 4)}%",
        steps=(
            (
                f"$({words} + {longest} + 2) \\cdot {D} = {tables:,}$; the norm adds {count - tables}",
                2,
            ),
            (f"$2 / {words + longest + 2}$", 1),
        ),
    )


@question("short", "masked-language-model", 4, public=True)
def shares(rng: Random) -> Drawn:
    length, rows = rng.choice([100, 200, 400]), rng.choice([10, 20])
    chosen = 0.15 * length * rows
    return Drawn(
        text=f"A batch has {rows} rows of {length} ordinary tokens. With BERT's usual shares, how many tokens are asked for on average, how many are replaced by [MASK], how many "
        "by a random token, and how many stay as they are? Why are some left unchanged?",
        answer=f"{num(chosen)}; {num(0.8 * chosen)}, {num(0.1 * chosen)}, {num(0.1 * chosen)}; later inputs have no [MASK]",
        steps=(
            (f"15% of {rows * length} are {num(chosen)}.", 1),
            ("80%, 10% and 10% of these.", 1),
            (
                "The model must represent every token well, for it cannot know which ones are asked for.",
                1,
            ),
        ),
    )


@question("prints", "masked-language-model", 5)
def labels(rng: Random) -> Drawn:
    tokens = rng.sample(range(10, 60), 4)
    chosen = sorted(rng.sample(range(4), 2))
    kept = rng.choice(chosen)
    return prints(
        f"""MASK, NOTHING = 99, -100
tokens = {tokens}
chosen, kept = {chosen}, {kept}
read = [MASK if i in chosen and i != kept else t for i, t in enumerate(tokens)]
labels = [t if i in chosen else NOTHING for i, t in enumerate(tokens)]
print(read)
print(labels)""",
        ("Chosen tokens are hidden, except the one that stays as it is.", 2),
        (
            "All chosen tokens are asked for, the one that stays too; the others are ignored by the loss.",
            2,
        ),
    )


@question("mistake", "masked-language-model", 5)
def loss_mistake(rng: Random) -> Drawn:
    a, b = rng.sample([2, 3, 4, 5], 2)
    return which_mistake(
        rng,
        "bert.mlm_loss",
        {"logits": logarithms([[[1, a], [1, b], [1, 1]]]), "labels": [[1, -100, 1]]},
        ["divided_by_all", "not_divided", "in_bits"],
        text=f"A student's `mlm_loss` was called for three positions, of which the first and the last are asked for. The model gives the right tokens "
        f"{a}/{a + 1} and 1/2. The exponential of minus the result is shown.",
        view=lambda found: (-found).exp(),
        places=4,
    )


@question("short", "next-sentence", 3, public=True)
def next_sentence(rng: Random) -> Drawn:
    a, b = rng.choice([4, 5]), rng.choice([3, 6])
    total = a + b
    return Drawn(
        text=f"Two documents have {a} and {b} sentences. How many different pairs are there of a sentence and the one that follows it in its document? How many pairs of a "
        f"sentence of the first document with one of another document? Why would pairs from one document be harder negatives?",
        answer=f"{total - 2}; {a * b}; they share a topic",
        wrong=[
            f"{total - 1}; {a * b}; they share a topic",
            f"{total - 2}; {a + b}; they share a topic",
            f"{total}; {a * b}; they are shorter",
        ],
        steps=(
            (f"The last sentence of a document has no next one: {a - 1} + {b - 1}.", 1),
            (f"${a} \\cdot {b} = {a * b}$", 1),
            ("Two documents can often be told apart by their topics alone.", 1),
        ),
    )


@question("short", "bert-heads", 3)
def heads(rng: Random) -> Drawn:
    batch, length, D, V, classes = (
        rng.choice([2, 4]),
        rng.choice([10, 16]),
        rng.choice([32, 64]),
        rng.choice([100, 500]),
        rng.choice([2, 5]),
    )
    found = tuple(bert.MaskedHead(V, D)(torch.zeros(batch, length, D), torch.zeros(V, D)).shape)
    return Drawn(
        text=f"The encoder returns {batch} rows of {length} vectors with {D} features. Which shapes do the scores of the masked-token head ({V} tokens) and of a classifier of whole "
        f"rows ({classes} classes) have, and which vectors does each read?",
        answer=f"{found} from all vectors, {(batch, classes)} from [CLS]",
        wrong=[
            f"{found} from all vectors, {(batch, length, classes)} from all vectors",
            f"{(batch, V)} from [CLS], {(batch, classes)} from [CLS]",
            f"{(batch, length, D)} from all vectors, {(batch, classes)} from [CLS]",
        ],
        steps=(
            (f"A score for each token of the vocabulary at each position: {found}", 1),
            (f"One vector stands for the row: {(batch, classes)}", 1),
        ),
    )


@question("derive", "masked-language-model", 5)
def what_is_learned(rng: Random) -> Drawn:
    n, share, causal = rng.choice([100, 200, 400, 1000]), 0.15, 1
    asked = share * n
    return Drawn(
        text=f"A row has {n} tokens. How many predictions does a masked language model learn from in one pass, with 15% chosen, and how many a causal model? Show why a causal model "
        "cannot use the context to the right, and why an encoder without masks would learn nothing from predicting its own input.",
        answer=f"{num(asked)} and {n - causal}",
        steps=(
            (
                f"${share} \\cdot {n} = {num(asked)}$; the causal model predicts each token after the first: {n - 1}.",
                2,
            ),
            ("Position $t$ of a causal model must not see token $t + 1$, which it predicts.", 1),
            ("Without masks, each position sees the token that is asked for, and copies it.", 2),
        ),
    )


@question("curve", "bert-fine-tuning", 3)
def few_labels(rng: Random) -> Drawn:
    gap, start = rng.choice([10, 15]), rng.choice([60, 65])
    scratch = [start + 3.0 * n for n in range(9)]
    tuned = [min(start + gap + 3 * n * (1 - gap / 30), 99.0) for n in range(9)]
    named = dict(zip(rng.sample("AB", 2), (tuned, scratch), strict=True))
    right = next(letter for letter, one in named.items() if one is tuned)
    return Drawn(
        text="The figure sketches the accuracy of a classifier that was pretrained on text, and of the same network trained from scratch, against the number of labels. Which curve "
        "is the pretrained one, and where does pretraining help most?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="doublings of the labels", y="accuracy, %",
            alt="Two rising curves whose distance shrinks.",
        ),
        answer=f"{right}; with few labels",
        steps=(
            ("Pretraining has learned about text without labels.", 1),
            (f"{right} is ahead from the start, and the distance shrinks as labels teach the same.", 1),
        ),
    )  # fmt: skip


@question("short", "bert-probe", 4)
def word_means(rng: Random) -> Drawn:
    hidden = [[rng.choice([0, 2, 4]), rng.choice([0, 6])] for _ in range(4)]
    words = [-1, 0, 0, 1]
    found = bert.word_vectors(torch.tensor(hidden).double(), torch.tensor(words), 2)
    return Drawn(
        text=f"A layer has the vectors ${table(hidden)}$ at [CLS], two tokens of the first word, and one token of the second. Compute one vector for each word. What does a linear probe on "
        "such vectors show, and what does it not show?",
        answer=f"${table(found)}$; what can be read off linearly, not what the model uses",
        steps=(
            (f"The mean over the tokens of a word, without [CLS]: ${table(found)}$", 2),
            (
                "A probe is trained itself: that it finds something does not show that the model relies on it.",
                1,
            ),
        ),
    )


@question("short", "bert-rows", 3, public=True)
def padding(rng: Random) -> Drawn:
    lengths, longest = rng.sample([3, 4, 5, 6], 2), 6
    rows = torch.tensor([[1] * n + [PAD] * (longest - n) for n in lengths])
    mask = bert.key_mask(rows, PAD)
    return Drawn(
        text=f"Rows of {lengths[0]} and {lengths[1]} tokens are padded to {longest}. What is the shape of the mask of keys, and how many entries of it are True? Is BERT's mask "
        "causal?",
        answer=f"{tuple(mask.shape)}; {int(mask.sum())}; no",
        wrong=[
            f"{(2, longest, 1)}; {int(mask.sum())}; no",
            f"{tuple(mask.shape)}; {2 * longest - int(mask.sum()) if int(mask.sum()) != longest else 1}; no",
            f"{(2, longest, longest)}; {int(mask.sum())}; yes",
        ],
        steps=(
            (
                f"One row for all queries: {tuple(mask.shape)}, True at {lengths[0]} + {lengths[1]} tokens.",
                1,
            ),
            ("An encoder reads a given text: each token may see both sides.", 1),
        ),
    )
