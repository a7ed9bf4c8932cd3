"""Right and wrong answers to `embeddings.one_hot`."""

import torch

from grader.author.answers import right, wrong


@right
def rows_of_the_identity(input, words):
    return torch.eye(words, device=input.device)[input]


@right
def ones_scattered_into_zeros(input, words):
    empty = torch.zeros(*input.shape, words, device=input.device)
    return empty.scatter(-1, input[..., None], 1.0)


wrong(
    "integers",
    why=(
        "The result has integers; it will be multiplied by a table of floats, and `@` "
        "does not mix the two."
    ),
    change={".to(torch.get_default_dtype())": ".long()"},
)


wrong(
    "transposed",
    why=(
        "The axis of the vocabulary came first; it must be last, so that each word's vector is a "
        "row and the result can be multiplied by the table."
    ),
    change={"(input.unsqueeze(-1) == numbers)": "(input.unsqueeze(-1) == numbers).movedim(-1, 0)"},
)


wrong(
    "counted_from_one",
    why=(
        "Words are numbered from 0: counting from 1 moves every word by one place, and word 0 "
        "becomes a row of zeros."
    ),
    change={"device=input.device)": "device=input.device) + 1"},
)


wrong(
    "as_long_as_the_largest",
    why=(
        "The length was taken from the largest number that happens to occur; "
        "two batches would get vectors of different lengths."
    ),
    change={"torch.arange(words,": "torch.arange(int(input.max()) + 1,"},
)


wrong(
    "where_torch_puts_it",
    why=(
        "A tensor was made without a device, so it is on torch's default device; if the words "
        "are on a GPU, the devices differ. Pass `device=`."
    ),
    change={"torch.arange(words, device=input.device)": "torch.arange(words)"},
    corner=True,
)
