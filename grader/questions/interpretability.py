"""Questions on interpretability."""

from __future__ import annotations

from random import Random

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num
from solutions import interpretability


@question("short", "superposition", 5, public=True)
def toy_by_hand(rng: Random) -> Drawn:
    first, second = rng.choice([(0.5, 0.25), (0.75, 0.5), (1.0, 0.25)])
    weight = tensor([[1.0, -1.0]])
    loss = interpretability.superposition_loss(
        tensor([[first, second]]), weight, tensor([0.0, 0.0]), tensor([1.0, 1.0])
    )
    return Drawn(
        text=f"A toy model stores two features in one dimension, with the columns 1 and −1 and no bias, and a ReLU at the output. Both features are active: $x = ({first}, {second})$. What does the model "
        "return, and what is its loss, if both features have the importance 1?",
        answer=f"$({num(first - second)}, 0)$; the loss is ${num(loss)}$",
        steps=(
            (f"$h = {first} - {second} = {num(first - second)}$", 1),
            (f"The output is $\\mathrm{{ReLU}}(h) = {num(first - second)}$ and $\\mathrm{{ReLU}}(-h) = 0$.", 2),
            (f"Both errors are {second}: $2 \\cdot {second}^2 = {num(loss)}$.", 1),
        ),
    )  # fmt: skip


@question("short", "superposition-phases", 5)
def pays_to_share(rng: Random) -> Drawn:
    chance = rng.choice([0.1, 0.2, 0.8, 0.9])
    share, drop = chance**2 / 3, chance / 3 - chance**2 / 4
    apart(num(share), num(drop))
    better = "share the dimension" if share < drop else "represent one feature alone"
    return Drawn(
        text=f"Two features of importance 1 are active with the probability $p = {chance}$, and then uniform from 0 to 1. A model of one dimension can share it, and loses $p^2/6$ per feature, or represent one feature and lose the "
        "variance of the other, $p/3 - p^2/4$. Which is better, and what is the loss of each?",
        answer=f"{better}: {num(share)} if shared, {num(drop)} otherwise",
        steps=(
            (f"Shared: $2 \\cdot {chance}^2 / 6 = {num(share)}$", 2),
            (f"One alone: ${chance}/3 - {chance}^2/4 = {num(drop)}$", 2),
        ),
    )


@question("mistake", "superposition-phases", 4, public=True)
def dimensionality_mistake(rng: Random) -> Drawn:
    size = rng.choice([2.0, 3.0, 4.0])
    return which_mistake(
        rng,
        "interpretability.feature_dimensionality",
        {"weight": [[1.0, -size]]},
        ["both_of_length_one", "neither_of_length_one", "without_the_feature_itself"],
        text=f"Two features share one dimension, with the columns $1$ and $-{num(size)}$. A student computed the dimensionality of both.",
    )


@question("short", "sparse-autoencoder", 4)
def codes_by_hand(rng: Random) -> Drawn:
    scores = rng.sample([-3, -1, 2, 4, 5, 7], 5)
    k = rng.choice([1, 2])
    found = interpretability.top_k_codes(tensor([[float(score) for score in scores]]), k)[0]
    shown = ", ".join(num(value) for value in found)
    return Drawn(
        text=f"A sparse autoencoder has the scores {', '.join(map(str, scores))} for one example, before the choice of the $k = {k}$ largest codes. Which codes does it have?",
        answer=shown,
        steps=(
            ("The largest positive scores stay at their places.", 2),
            ("All others become 0.", 1),
        ),
    )


@question("short", "sparse-autoencoder", 4, public=True)
def columns_of_length_one(rng: Random) -> Drawn:
    factor = rng.choice([2, 5, 10])
    return Drawn(
        text=f"In a sparse autoencoder, all codes are divided by {factor} and all columns of the decoder multiplied by {factor}. What happens to the reconstruction, and to an L1 penalty on the codes? What prevents this?",
        answer=f"The reconstruction stays the same, and the penalty is divided by {factor}; columns of a fixed length prevent it",
        wrong=[
            f"Both are divided by {factor}; a smaller learning rate prevents it",
            f"The reconstruction is multiplied by {factor}, and the penalty stays the same; nothing has to prevent it",
            "Both stay the same; nothing has to prevent it",
        ],
        steps=(
            ("The product of column and code does not change.", 1),
            (f"The penalty is a sum of codes, and shrinks by the factor {factor}.", 1),
            ("With columns of length 1, the codes have a fixed scale.", 1),
        ),
    )


@question("mistake", "sparse-autoencoder", 4)
def matching_mistake(rng: Random) -> Drawn:
    size = rng.choice([2.0, 3.0])
    return which_mistake(
        rng,
        "interpretability.matching_score",
        {
            "found": [[size, 1.0, -1.0], [0.0, 1.0, 0.0]],
            "truth": [[1.0, 0.0], [0.0, 1.0]],
        },
        ["best_for_each_found", "found_not_scaled", "best_of_all", "mean_similarity"],
        text=f"The true directions are $(1, 0)$ and $(0, 1)$. A method found $({num(size)}, 0)$, $(1, 1)$ and $(-1, 0)$. A student computed the matching score.",
    )


@question("prints", "logit-lens", 3)
def lens_shapes(rng: Random) -> Drawn:
    layers, vocabulary = rng.choice([(2, 11), (4, 7), (3, 5)])
    return prints(
        f"""import torch
from solutions.interpretability import logit_lens

streams = [torch.zeros(2, 3, 8) for _ in range({layers} + 1)]
head = torch.nn.Linear(8, {vocabulary})
print(tuple(logit_lens(streams, torch.nn.LayerNorm(8), head).shape))""",
        (f"There are {layers} layers and the embedding: {layers + 1} depths.", 1),
        (f"The output layer turns 8 features into {vocabulary} logits.", 1),
    )


@question("short", "logit-lens", 3, public=True)
def lens_at_the_embedding(rng: Random) -> Drawn:
    layers = rng.choice([4, 6, 12])
    return Drawn(
        text=f"A GPT of {layers} layers uses the same table for embedding and output. What does the logit lens mostly predict at depth 0, before all layers, and why?",
        answer="The current token: its vector is most similar to itself",
        wrong=[
            "The next token: the embedding has learned which token follows",
            "The most frequent token: the stream holds no information yet",
            "All tokens alike: the stream is 0 before the first layer",
        ],
        steps=(
            ("The logits are products of the token's vector with all rows of the same table.", 2),
        ),
    )


@question("short", "probe-controls", 4, public=True)
def selective_probe(rng: Random) -> Drawn:
    task, control = rng.choice([(77, 90), (75, 88), (72, 95)])
    other, other_control = rng.choice([(76, 59), (74, 60), (71, 58)])
    return Drawn(
        text=f"An MLP as a probe has an accuracy of {task}% on a task and of {control}% on its control task; a linear probe has {other}% and {other_control}%. How selective is each, and which one says more about the model?",
        answer=f"{task - control} and {other - other_control} percentage points; the linear probe",
        steps=(
            (f"MLP: {task} − {control} = {task - control}", 1),
            (f"Linear: {other} − {other_control} = {other - other_control}", 1),
            ("The MLP memorizes random labels, so its accuracy may be its own work.", 1),
        ),
    )


@question("short", "activation-patching", 4)
def effect_by_hand(rng: Random) -> Drawn:
    clean, corrupted = rng.choice([(4.0, -2.0), (3.0, -1.0), (5.0, -3.0)])
    patched = rng.choice([1.0, 0.0, 2.0])
    first, second, third = (tensor([[value, 0.0]]) for value in (clean, corrupted, patched))
    right, wrong = tensor([0.0]).long(), tensor([1.0]).long()
    found = interpretability.patching_effect(first, second, third, right, wrong)
    return Drawn(
        text=f"The mean logit difference is {num(clean)} in the clean run, ${num(corrupted)}$ in the corrupted run, and {num(patched)} in the corrupted run with a patch. What is the effect of the patch?",
        answer=num(found),
        steps=(
            (f"The patch moves the difference by {num(patched)} − ({num(corrupted)}) = {num(patched - corrupted)}.", 1),
            (f"The runs are {num(clean - corrupted)} apart: the effect is {num(found)}.", 2),
        ),
    )  # fmt: skip


@question("short", "activation-patching", 5, public=True)
def two_of_a_kind(rng: Random) -> Drawn:
    count = rng.choice([2, 3, 4])
    return Drawn(
        text=f"{count} heads each write the answer so strongly that one of them is enough. What are the effects of patching a single head by denoising, and what is lost by noising a single head?",
        answer="Denoising restores nearly everything, and noising loses nearly nothing",
        wrong=[
            "Denoising restores nearly nothing, and noising loses nearly everything",
            "Both have a large effect",
            "Both have nearly no effect",
        ],
        steps=(
            ("One clean head is enough in the corrupted run.", 2),
            ("In the clean run, the other heads stand in for the one that is patched.", 2),
        ),
    )


@question("curve", "circuit-ablation", 4)
def which_order(rng: Random) -> Drawn:
    low = rng.choice([0.3, 0.4, 0.5])
    first = [low, 2.2, 2.7, 3.0, 3.2]
    last = [low, low + 0.05, low + 0.1, low + 0.2, 3.2]
    named = dict(zip(rng.sample("AB", 2), (first, last), strict=True))
    needed = next(name for name, of in named.items() if of is first)
    return Drawn(
        text="The curves show the loss of a model as the heads of a layer are replaced by their means, one after another. One head does nearly all the work of the layer. In which curve is it removed first, and in which last?",
        figure=curves(
            dict(sorted(named.items())),
            x="heads removed",
            y="loss",
            alt="Two rising curves, one early and one late.",
            start=0,
        ),
        answer=f"First in {needed}, last in {'AB'.replace(needed, '')}",
        steps=(
            ("Without the head that does the work, the loss rises at once.", 2),
            ("If it is removed last, the loss stays low until then.", 2),
        ),
    )
