"""Right and wrong answers to `embeddings.Embedding`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.embeddings import lookup


@right
class mask_of_trained_rows(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
        super().__init__()
        start = torch.randn(num_embeddings, embedding_dim, device=device)
        trained = torch.ones(num_embeddings, 1, device=device)
        if padding_idx is not None:
            start[padding_idx] = trained[padding_idx] = 0.0
        self.weight = nn.Parameter(start)
        self.register_buffer("trained", trained, persistent=False)

    def forward(self, input):
        if (input < 0).any():
            raise IndexError("no word has a number below 0")
        table = self.trained * self.weight + (1 - self.trained) * self.weight.detach()
        return table[input]


@right
class real_words_times_one(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
        super().__init__()
        self.padding_idx = -1 if padding_idx is None else padding_idx
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim, device=device))
        nn.init.normal_(self.weight)
        rows = torch.arange(num_embeddings, device=device)[:, None]
        self.weight.data.masked_fill_(rows == self.padding_idx, 0.0)

    def forward(self, input):
        out = torch.index_select(self.weight, 0, input.flatten())
        out = out.reshape(*input.shape, self.weight.shape[1])
        real = (input != self.padding_idx)[..., None].to(out.dtype)
        return real * out + (1 - real) * out.detach()


wrong(
    "padding_gets_gradient",
    why=(
        "The padding row is trained like a word; padding would acquire a meaning, which depends "
        "on how the batches were formed."
    ),
    change={"torch.where(padding, vectors.detach(), vectors)": "vectors"},
)


wrong(
    "padding_multiplied_by_zero",
    why=(
        "The output at padding is always zero; `padding_idx` only means that the row gets no "
        "gradient. A lookup still returns the row's values, which need not be zero after loading."
    ),
    change={
        "torch.where(padding, vectors.detach(), vectors)": ("vectors.masked_fill(padding, 0.0)")
    },
)


@wrong(
    why=(
        "The padding row was set to zero at every lookup; a lookup must not change the table, "
        "and the row still gets a gradient."
    )
)
class row_zeroed_in_forward(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
        super().__init__()
        self.padding_idx = padding_idx
        self.weight = nn.Parameter(torch.randn(num_embeddings, embedding_dim, device=device))

    def forward(self, input):
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx] = 0.0
        return lookup(input, self.weight)


@wrong(
    why=(
        "`if self.padding_idx` is false for word 0, which is the usual choice "
        "for padding; ask whether it is None."
    )
)
class truth_value(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, *, padding_idx=None, device=None):
        super().__init__()
        self.padding_idx = padding_idx
        start = torch.randn(num_embeddings, embedding_dim, device=device)
        if padding_idx:
            start[padding_idx] = 0.0
        self.weight = nn.Parameter(start)

    def forward(self, input):
        vectors = lookup(input, self.weight)
        if not self.padding_idx:
            return vectors
        padding = (input == self.padding_idx).unsqueeze(-1)
        return torch.where(padding, vectors.detach(), vectors)


wrong(
    "padding_starts_random",
    why=(
        "The padding row starts at random and, without a gradient, never changes: every short "
        "sentence would contain the same noise."
    ),
    change={"self.weight[padding_idx] = 0.0": "self.weight[padding_idx] += 0.0"},
)


wrong(
    "weight_transposed",
    why=(
        "The table is (num_embeddings, embedding_dim), one row per word; with the axes swapped, "
        "saved tables do not fit."
    ),
    change={
        "torch.randn(num_embeddings, embedding_dim, device=device)": (
            "torch.randn(embedding_dim, num_embeddings, device=device)"
        ),
        "self.weight[padding_idx]": "self.weight[:, padding_idx]",
        "self.weight.index_select(0, input.flatten())": (
            "self.weight.T.index_select(0, input.flatten())"
        ),
        "self.weight.shape[1])  #": "self.weight.shape[0])  #",
    },
)


wrong(
    "word_0_is_no_padding",
    why="`if padding_idx:` is False for 0, which is a word like any other; compare with None.",
    change={"if padding_idx is not None:": "if padding_idx:"},
)


wrong(
    "counted_from_the_end",
    why=(
        "−1 read the last row, as in Python's lists: a number that stands for no word, such as a "
        "label to be ignored, would get a word's vector. `nn.Embedding` raises an error."
    ),
    change={"self.weight.index_select(0, input.flatten())": "self.weight[input.flatten()]"},
    corner=True,
)
