"""Right and wrong answers to `embeddings.SkipGram`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.embeddings import Embedding, sgns_loss


@right
class table_of_all_products(nn.Module):
    def __init__(self, words, size, *, device=None):
        super().__init__()
        self.center = Embedding(words, size, device=device)
        self.context = Embedding(words, size, device=device)
        self.context.weight.data.mul_(0.0)

    def forward(self, center, context, noise):
        products = self.center.weight @ self.context.weight.T
        found = products[center, context]
        drawn = products[center[:, None], noise]
        score = torch.nn.functional.logsigmoid
        return -(score(found) + score(-drawn).sum(dim=1)).mean()


@right
class tables_added_by_name(nn.Module):
    def __init__(self, words, size, *, device=None):
        super().__init__()
        for name in ("center", "context"):
            self.add_module(name, Embedding(words, size, device=device))
        with torch.no_grad():
            self.context.weight.copy_(torch.zeros(words, size))

    def forward(self, center, context, noise):
        v, u = self.center.weight, self.context.weight
        return sgns_loss(v[center], u[context], u[noise])


wrong(
    "one_table",
    why=(
        "One table serves both roles; then a word's product with itself is the "
        "largest it can have, though words rarely stand next to themselves."
    ),
    change={
        "self.context(context), self.context(noise)": ("self.center(context), self.center(noise)")
    },
)


wrong(
    "noise_from_the_centers",
    why=(
        "Noise words were looked up in the table of centers; they take the place of a context, "
        "so their vectors come from the table of contexts."
    ),
    change={"self.context(noise)": "self.center(noise)"},
)


wrong(
    "roles_exchanged",
    why=("The tables are swapped: a word's center vector would be trained as its context vector."),
    change={
        "self.center(center), self.context(context), self.context(noise)": (
            "self.context(center), self.center(context), self.center(noise)"
        )
    },
)


wrong(
    "both_at_random",
    why=(
        "The contexts start at random too, so the untrained model prefers some pairs; with zeros "
        "it gives every pair probability ½."
    ),
    change={"nn.init.zeros_(self.context.weight)": "nn.init.normal_(self.context.weight)"},
)


wrong(
    "noise_detached",
    why=(
        "The noise is detached from the graph; its vectors have to be pushed away from the "
        "center as well."
    ),
    change={"self.context(noise)": "self.context(noise).detach()"},
)
