"""Right and wrong answers to `bert.MaskedHead`."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
class by_products(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, eps=1e-12, device=None):
        super().__init__()
        self.transform = nn.Linear(embed_dim, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.bias = nn.Parameter(torch.zeros(vocabulary, device=device))

    def forward(self, hidden, table):
        x = hidden @ self.transform.weight.mT + self.transform.bias
        x = x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        x = self.norm(x)
        return torch.einsum("...d,vd->...v", x, table) + self.bias


@right
class norm_written_out(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, eps=1e-12, device=None):
        super().__init__()
        self.transform = nn.Linear(embed_dim, embed_dim, device=device)
        self.norm = nn.LayerNorm((embed_dim,), eps, device=device)
        self.register_parameter("bias", nn.Parameter(torch.empty(vocabulary, device=device)))
        nn.init.zeros_(self.bias)
        self.bend = nn.GELU()

    def forward(self, hidden, table):
        x = self.bend(self.transform(hidden))
        x = F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias, self.norm.eps)
        return torch.matmul(x, table.transpose(0, 1)).add(self.bias)


wrong(
    "no_bias",
    why=(
        "The bias is not added: the head cannot represent that some tokens are frequent everywhere."
    ),
    change={"table, self.bias)": "table)"},
)


wrong(
    "no_transform",
    why="The layer before the table is missing; the state itself was compared with the tokens.",
    change={"F.gelu(self.transform(hidden))": "F.gelu(hidden)"},
)


wrong(
    "no_gelu",
    why="There is no GELU between the layer and the norm.",
    change={"F.gelu(self.transform(hidden))": "self.transform(hidden)"},
)


wrong(
    "gelu_by_tanh",
    why="This is the GELU of GPT-2, computed by a tanh; BERT's is exact.",
    change={"F.gelu(self.transform(hidden))": 'F.gelu(self.transform(hidden), approximate="tanh")'},
)


wrong(
    "no_norm",
    why="The norm after the GELU is missing.",
    change={"self.norm(F.gelu(self.transform(hidden)))": "F.gelu(self.transform(hidden))"},
)


wrong(
    "norm_first",
    why="The norm comes before the layer; it belongs after the GELU.",
    change={
        "self.norm(F.gelu(self.transform(hidden)))": "F.gelu(self.transform(self.norm(hidden)))"
    },
)


@wrong(
    why=(
        "The head has its own table and ignores the one that it is given: nothing is tied, and V · "
        "D more weights have to be learned."
    )
)
class not_tied(nn.Module):
    def __init__(self, vocabulary, embed_dim, *, eps=1e-12, device=None):
        super().__init__()
        self.transform = nn.Linear(embed_dim, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.decoder = nn.Linear(embed_dim, vocabulary, device=device)
        self.bias = self.decoder.bias

    def forward(self, hidden, table):
        return self.decoder(self.norm(F.gelu(self.transform(hidden))))


wrong(
    "table_detached",
    why=(
        "No gradient reaches the table from the head: the table is tied, and learns from both ends."
    ),
    change={"table, self.bias)": "table.detach(), self.bias)"},
)


wrong(
    "probabilities",
    why="These are probabilities; return logits, because the loss includes the softmax.",
    change={
        "return F.linear(self.norm(F.gelu(self.transform(hidden))), table, self.bias)": (
            "return F.linear("
            "self.norm(F.gelu(self.transform(hidden))), table, self.bias).softmax(-1)"
        )
    },
)


wrong(
    "bias_drawn",
    why="The bias is random at the start; it starts at 0.",
    change={"torch.zeros(vocabulary, device=device)": "torch.randn(vocabulary, device=device)"},
    corner=True,
)


wrong(
    "eps_of_torch",
    why="The norm has torch's default eps, 10⁻⁵; here eps is an argument, and 10⁻¹² by default.",
    change={
        "nn.LayerNorm(embed_dim, eps=eps, device=device)": "nn.LayerNorm(embed_dim, device=device)"
    },
)
