"""Right and wrong answers to `embeddings.cbow_loss`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import lookup, sgns_loss


@right
def position_by_position(sentence, noise, *, vectors, outputs, window):
    losses = []
    for t, word in enumerate(sentence.tolist()):
        around = torch.cat([sentence[max(t - window, 0) : t], sentence[t + 1 : t + 1 + window]])
        guess = vectors[around].sum(0) / max(len(around), 1)
        found = torch.nn.functional.logsigmoid(outputs[word] @ guess)
        drawn = torch.nn.functional.logsigmoid(-(outputs[noise[t]] @ guess)).sum()
        losses.append(-(found + drawn))
    return torch.stack(losses).mean()


@right
def band_matrix(sentence, noise, *, vectors, outputs, window):
    length = len(sentence)
    near = (
        torch.ones(length, length, dtype=vectors.dtype)
        .triu(-window)
        .tril(window)
        .fill_diagonal_(0.0)
    )
    near = near / near.sum(1, keepdim=True).clamp(min=1)
    guess = near @ vectors[sentence]
    scores = torch.cat(
        [
            (outputs[sentence] * guess).sum(1, keepdim=True),
            -torch.einsum("td,tkd->tk", guess, outputs[noise]),
        ],
        dim=1,
    )
    return torch.nn.functional.softplus(-scores, threshold=50).sum() / length


wrong(
    "tables_swapped",
    why=(
        "The neighbors were looked up in `outputs` and the predicted words in `vectors`; swap "
        "the two."
    ),
    change={
        "guess = neighbor_mean(sentence, vectors": (
            "vectors, outputs = outputs, vectors\n    guess = neighbor_mean(sentence, vectors"
        )
    },
)


wrong(
    "one_table",
    why=(
        "The predicted words were looked up in the table of the neighbors; they have their own "
        "table."
    ),
    change={
        "lookup(sentence, outputs), lookup(noise, outputs)": (
            "lookup(sentence, vectors), lookup(noise, vectors)"
        )
    },
)


wrong(
    "noise_from_the_neighbors",
    why=(
        "The noise was looked up in the table of the neighbors; noise words are wrong "
        "predictions, so look them up in `outputs`."
    ),
    change={"lookup(noise, outputs)": "lookup(noise, vectors)"},
)


wrong(
    "skip_gram",
    why=(
        "This predicts the neighbors from the word, which is skip-gram; here the word is "
        "predicted from the mean of its neighbors."
    ),
    change={
        "guess = neighbor_mean(sentence, vectors, window=window)  # (T, D)": (
            "guess = lookup(sentence, vectors)"
        ),
        "lookup(sentence, outputs)": "neighbor_mean(sentence, outputs, window=window)",
    },
)


wrong(
    "the_word_itself",
    why="The word itself is in the mean that it is predicted from: the answer is in the input.",
    change={
        "guess = neighbor_mean(sentence, vectors, window=window)  # (T, D)": (
            "near = neighborhood(len(sentence), window).to(vectors.dtype)\n"
            "    near = near + torch.eye(len(sentence), dtype=vectors.dtype)\n"
            "    guess = near @ vectors[sentence] / near.sum(1, keepdim=True)"
        )
    },
)


wrong(
    "sum_of_the_neighbors",
    why=(
        "The neighbors were added up; use a mean, so that words at the ends of a sentence are "
        "not predicted from shorter vectors."
    ),
    change={
        "guess = neighbor_mean(sentence, vectors, window=window)  # (T, D)": (
            "near = neighborhood(len(sentence), window).to(vectors.dtype)\n"
            "    guess = near @ vectors[sentence]"
        )
    },
)


wrong(
    "words_before_only",
    why="Only the words before are in the mean; the window reaches to both sides.",
    change={
        "guess = neighbor_mean(sentence, vectors, window=window)  # (T, D)": (
            "near = neighborhood(len(sentence), window).to(vectors.dtype).tril()\n"
            "    guess = near @ vectors[sentence] / near.sum(1, keepdim=True).clamp(min=1)"
        )
    },
)


wrong(
    "window_of_two",
    why="`window` is not used; the caller chooses the size of the neighborhood.",
    change={"window=window": "window=2"},
)


@wrong(
    why=(
        "You averaged the losses of single neighbors; a bag of words is averaged first "
        "and makes one prediction."
    )
)
def each_neighbor_guesses(sentence, noise, *, vectors, outputs, window):
    losses = []
    for t in range(len(sentence)):
        around = torch.cat([sentence[max(t - window, 0) : t], sentence[t + 1 : t + 1 + window]])
        guess = vectors[around] if len(around) else vectors.new_zeros(1, vectors.shape[1])
        word = lookup(sentence[t], outputs).expand_as(guess)
        drawn = lookup(noise[t], outputs).expand(len(guess), -1, -1)
        losses.append(sgns_loss(guess, word, drawn))
    return torch.stack(losses).mean()
