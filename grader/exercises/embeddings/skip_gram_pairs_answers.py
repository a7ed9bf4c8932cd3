"""Right and wrong answers to `embeddings.skip_gram_pairs`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import neighborhood


@right
def slices_of_a_list(sentence, window):
    words, pairs = sentence.tolist(), []
    for i, word in enumerate(words):
        near = words[max(i - window, 0) : i] + words[i + 1 : i + 1 + window]
        pairs += [[word, other] for other in near]
    return sentence.new_tensor(pairs).reshape(-1, 2)


@right
def table_of_distances(sentence, window):
    near = neighborhood(len(sentence), window, device=sentence.device)
    center, context = near.nonzero(as_tuple=True)
    return torch.stack([sentence[center], sentence[context]], dim=1)


@wrong(why="Words before the center are missing; the window reaches to both sides.")
def one_side(sentence, window):
    pairs = [
        torch.stack([sentence[i], sentence[j]])
        for i in range(len(sentence))
        for j in range(i + 1, min(i + window + 1, len(sentence)))
    ]
    return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)


@wrong(
    why=("Every word was paired with itself as well; each word would then learn to predict itself.")
)
def itself(sentence, window):
    position = torch.arange(len(sentence))
    near = (position[:, None] - position).abs() <= window
    center, context = near.nonzero(as_tuple=True)
    return torch.stack([sentence[center], sentence[context]], dim=1)


@wrong(
    why=(
        "Pairs of equal words were left out; only the position of the center must be left out. "
        "The same word may occur again next to it."
    )
)
def equal_words_left_out(sentence, window):
    near = neighborhood(len(sentence), window, device=sentence.device)
    near = near & (sentence[:, None] != sentence)
    center, context = near.nonzero(as_tuple=True)
    return torch.stack([sentence[center], sentence[context]], dim=1)


wrong(
    "context_first",
    why=("The pairs are (context, center); the center must come first."),
    change={
        "[sentence[center[inside]], sentence[context[inside]]]": (
            "[sentence[context[inside]], sentence[center[inside]]]"
        )
    },
)


@wrong(
    why=(
        "The pairs are right but their order is not: the contexts of a center are ordered by "
        "position, from left to right, not by distance."
    )
)
def by_distance(sentence, window):
    length = len(sentence)
    pairs = [
        torch.stack([sentence[i], sentence[j]])
        for i in range(length)
        for distance in range(1, window + 1)
        for j in (i - distance, i + distance)
        if 0 <= j < length
    ]
    return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)


@wrong(
    why=(
        "Centers near the ends were left out because their windows are not "
        "full; every word of the sentence is a center, with the neighbors that "
        "it has."
    )
)
def full_windows_only(sentence, window):
    pairs = [
        torch.stack([sentence[i], sentence[j]])
        for i in range(window, len(sentence) - window)
        for j in range(i - window, i + window + 1)
        if i != j
    ]
    return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)


@wrong(
    why=(
        "The window counts positions to either side; `range(i - window, i + "
        "window)` ends one too early on the right."
    )
)
def window_in_all(sentence, window):
    pairs = [
        torch.stack([sentence[i], sentence[j]])
        for i in range(len(sentence))
        for j in range(max(i - window, 0), min(i + window, len(sentence)))
        if i != j
    ]
    return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)


wrong(
    "positions",
    why=("These are positions in the sentence; return the words at these positions."),
    change={
        "[sentence[center[inside]], sentence[context[inside]]]": "[center[inside], context[inside]]"
    },
)


@wrong(
    why=(
        "`i - window` went below 0, and a negative index counts from the end: "
        "the first word got the last one as its neighbor."
    )
)
def negative_index(sentence, window):
    pairs = [
        torch.stack([sentence[i], sentence[j]])
        for i in range(len(sentence))
        for j in range(max(i - window, -len(sentence)), i + window + 1)
        if i != j and j < len(sentence)
    ]
    return torch.stack(pairs) if pairs else sentence.new_zeros(0, 2)
