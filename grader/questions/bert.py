"""Questions on BERT."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, apart, question
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
        text=f"Pack the texts {first} and {second} into one row of BERT's input, and write down the segment of each token. Which part of the input tells the model the "
        "order of the tokens?",
        answer=f"{_said(row)}; {segments}; the position embeddings",
        steps=(
            (f"[CLS] at the start, [SEP] after each text: {_said(row)}", 1),
            (f"Segment 1 begins after the first [SEP]: {segments}", 1),
            (
                "Token, segment and position embeddings are added; only the last depend on the place.",
                1,
            ),
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
        text=f"A student's `segment_ids` was called for the row {_said(row)}, with [PAD] as padding.",
    )


@question("mistake", "bert-rows", 4)
def truncate_mistake(rng: Random) -> Drawn:
    first, second = list(range(1, rng.choice([5, 6]))), list(range(11, rng.choice([17, 18])))
    return which_mistake(
        rng,
        "bert.truncate_pair",
        {"first": tuple(first), "second": tuple(second), "room": 7},
        ["second_alone", "from_the_beginning", "shorter_one_shortened", "one_too_short"],
        text=f"A student's `truncate_pair` was called for the texts {first} and {second}, with room for 7 tokens together.",
        view=lambda found: [list(one) for one in found],
    )


@question("short", "bert-embeddings", 3)
def parameters_of_the_input(rng: Random) -> Drawn:
    words, longest, D = rng.choice([1000, 30_000]), rng.choice([128, 512]), rng.choice([64, 100])
    layer = bert.BertEmbeddings(words, D, longest=longest)
    count = sum(one.numel() for one in layer.parameters())
    tables = (words + longest + 2) * D
    return Drawn(
        text=f"BERT's input layer has embeddings of {D} features for {words:,} tokens, {longest} positions and two segments. How many numbers do its three tables hold, and what "
        "percentage of them belongs to the segments?",
        answer=f"{tables:,}; {num(100 * 2 * D / tables, 4)}%",
        steps=(
            (
                f"$({words} + {longest} + 2) \\cdot {D} = {tables:,}$; the layer norm is not among the tables, and adds {count - tables}",
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
        text=f"A batch has {rows} rows of {length} ordinary tokens. With BERT's usual shares, how many tokens must be predicted on average, and how many of these are replaced by [MASK], how many "
        "by a random token, and how many stay as they are? Why are not all of them masked?",
        answer=f"{num(chosen)}; {num(0.8 * chosen)}, {num(0.1 * chosen)}, {num(0.1 * chosen)}; inputs of a fine-tuned model have no [MASK]",
        steps=(
            (f"15% of {rows * length} are {num(chosen)}.", 1),
            ("80%, 10% and 10% of these.", 1),
            (
                "The model must represent every token well, because it cannot know which ones it must predict.",
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
        ("Chosen tokens are masked, except the one that is kept.", 2),
        (
            "All chosen tokens are predicted, including the one that is kept; the loss ignores the others.",
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
        text=f"A student's `mlm_loss` was called for three positions, of which the first and the last must be predicted. The model gives the right tokens there "
        f"the probabilities {a}/{a + 1} and 1/2.",
        shown="The exponential of minus its result is",
        view=lambda found: (-found).exp(),
        places=4,
    )


@question("short", "next-sentence", 3, public=True)
def next_sentence(rng: Random) -> Drawn:
    a, b = rng.choice([4, 5]), rng.choice([3, 6])
    total = a + b
    return Drawn(
        text=f"Two documents have {a} and {b} sentences. How many pairs of a sentence and the next one in the same document are there? How many pairs of a "
        f"sentence of the first document and a sentence of the second? Why would two sentences of one document that do not follow each other be a harder negative example?",
        answer=f"{total - 2}; {a * b}; they share a topic",
        wrong=[
            f"{total - 1}; {a * b}; they share a topic",
            f"{total - 2}; {a + b}; they share a topic",
            f"{total}; {a * b}; they are shorter",
        ],
        steps=(
            (f"The last sentence of a document has no successor: {a - 1} + {b - 1}.", 1),
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
        text=f"The encoder returns {batch} rows of {length} vectors with {D} features. What are the shapes of the scores of the masked language modeling head ({V} tokens) and of a classifier of whole "
        f"rows ({classes} classes), and which vectors does each head read?",
        answer=f"{found} from all vectors, {(batch, classes)} from [CLS]",
        wrong=[
            f"{found} from all vectors, {(batch, length, classes)} from all vectors",
            f"{(batch, V)} from [CLS], {(batch, classes)} from [CLS]",
            f"{(batch, length, D)} from all vectors, {(batch, classes)} from [CLS]",
        ],
        steps=(
            (f"A score for each token of the vocabulary at each position: {found}", 1),
            (f"The classifier reads one vector per row: {(batch, classes)}", 1),
        ),
    )


@question("derive", "masked-language-model", 5)
def what_is_learned(rng: Random) -> Drawn:
    n, share, causal = rng.choice([100, 200, 400, 1000]), 0.15, 1
    asked = share * n
    return Drawn(
        text=f"A row has {n} tokens. From how many predictions does a masked language model learn in one pass, with 15% of the tokens chosen, and from how many does a causal model? Show why a causal model "
        "cannot use the context to the right, and why an encoder whose input is not masked would learn nothing from predicting it.",
        answer=f"{num(asked)} and {n - causal}",
        steps=(
            (
                f"${share} \\cdot {n} = {num(asked)}$; the causal model predicts each token after the first: {n - 1}.",
                2,
            ),
            ("Position $t$ of a causal model must not see token $t + 1$, which it predicts.", 1),
            (
                "Without masked tokens, each position sees the token that it must predict, and copies it.",
                2,
            ),
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
        text="The figure sketches the accuracy of a classifier that was pretrained on unlabeled text, and that of the same network trained from scratch, against the number of labels. Which curve "
        "is the pretrained one, and where does pretraining help most?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="doublings of the labels", y="accuracy, %",
            alt="Two rising curves that come closer to each other.",
        ),
        answer=f"{right}; with few labels",
        steps=(
            ("The pretrained network has learned about text without labels.", 1),
            (f"{right} is ahead from the start, and its lead shrinks as more labels teach the other network the same.", 1),
        ),
    )  # fmt: skip


@question("short", "bert-probe", 4)
def word_means(rng: Random) -> Drawn:
    hidden = [[rng.choice([0, 2, 4]), rng.choice([0, 6])] for _ in range(4)]
    words = [-1, 0, 0, 1]
    found = bert.word_vectors(torch.tensor(hidden).double(), torch.tensor(words), 2)
    apart(*hidden[:3])  # the means differ from single tokens, and from those with [CLS]
    apart(bool(found.any(dim=1).all()), False)
    return Drawn(
        text=f"A layer outputs the rows of ${table(hidden)}$ for [CLS], the two tokens of the first word, and the only token of the second. Compute one vector for each word by averaging. What does a linear probe on "
        "such vectors show, and what does it not show?",
        answer=f"${table(found)}$; what can be decoded linearly, not what the model uses",
        steps=(
            (f"The mean over the tokens of a word, without [CLS]: ${table(found)}$", 2),
            (
                "The probe itself is trained: if it finds something, the model need not rely on it.",
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
        text=f"A batch of two rows, of {lengths[0]} and {lengths[1]} tokens, is padded to {longest}. What is the shape of a mask of keys that broadcasts over the queries, and how many of its entries are True? Is BERT's mask "
        "causal?",
        answer=f"{tuple(mask.shape)}; {int(mask.sum())}; no",
        wrong=[
            f"{(2, longest, 1)}; {int(mask.sum())}; no",
            f"{tuple(mask.shape)}; {2 * longest - int(mask.sum()) if int(mask.sum()) != longest else 1}; no",
            f"{(2, longest, longest)}; {int(mask.sum())}; yes",
        ],
        steps=(
            (
                f"One row of the mask for all queries: {tuple(mask.shape)}, True at {lengths[0]} + {lengths[1]} tokens.",
                1,
            ),
            ("An encoder reads a text that is given: each token may attend to both sides.", 1),
        ),
    )
