"""Right and wrong answers to `bert.word_vectors`."""

import torch

from grader.author.answers import right, wrong


@right
def by_a_matrix(hidden, words, count):
    x, of = hidden.reshape(-1, hidden.shape[-1]), words.reshape(-1)
    belongs = (of == torch.arange(count)[:, None]).to(x.dtype)  # (count, tokens)
    return belongs @ x / belongs.sum(1, keepdim=True)


@right
def word_by_word(hidden, words, count):
    rows = [hidden[words == word].mean(0) for word in range(count)]
    return torch.stack(rows) if rows else hidden.new_zeros(0, hidden.shape[-1])


wrong(
    "sums",
    why="Tokens are summed and not averaged: long words get long vectors.",
    change={"return sums / words[inside].bincount()[:, None]": "return sums"},
)


@wrong(why="Only the first token of a word was used; return the mean over all of its tokens.")
def first_token(hidden, words, count):
    flat, x = words.flatten(), hidden.flatten(0, -2)
    at = [int((flat == word).nonzero()[0]) for word in range(count)]
    return x[at]


@wrong(why="Only the last token of a word was used; return the mean over all of its tokens.")
def last_token(hidden, words, count):
    flat, x = words.flatten(), hidden.flatten(0, -2)
    at = [int((flat == word).nonzero()[-1]) for word in range(count)]
    return x[at]


@wrong(
    why=(
        "Tokens of no word have −1, and −1 is the last place of a tensor: [CLS], [SEP] and padding "
        "were added to the last word."
    )
)
def padding_in_the_last_word(hidden, words, count):
    flat, x = words.flatten(), hidden.flatten(0, -2)
    place = flat % count if count else flat
    sums = x.new_zeros(count, x.shape[-1]).index_add(0, place, x)
    return sums / place.bincount(minlength=count)[:, None]


@wrong(why="−1 was made 0: [CLS], [SEP] and padding were averaged into the first word.")
def padding_in_the_first_word(hidden, words, count):
    flat, x = words.flatten().clamp(min=0), hidden.flatten(0, -2)
    sums = x.new_zeros(count, x.shape[-1]).index_add(0, flat, x)
    return sums / flat.bincount(minlength=count)[:, None]


@wrong(why="Every word was divided by the mean number of tokens; each has its own number.")
def one_number_for_all(hidden, words, count):
    inside = words >= 0
    sums = hidden.new_zeros(count, hidden.shape[-1]).index_add(0, words[inside], hidden[inside])
    return sums * count / inside.sum()


wrong(
    "detached",
    why="No gradient reaches the hidden states; fine-tuning on words needs it.",
    change={"hidden[inside])": "hidden[inside].detach())"},
)
