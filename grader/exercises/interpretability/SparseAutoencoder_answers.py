"""Right and wrong answers to `interpretability.SparseAutoencoder`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class ByHand(nn.Module):
    def __init__(self, features, codes, *, k=None, device=None):
        super().__init__()
        self.k = k
        self.decoder = nn.Linear(codes, features, device=device)
        self.encoder = nn.Linear(features, codes, device=device)
        self.decoder.bias.data.zero_()
        self.encoder.bias.data.zero_()
        self.encoder.weight.data = self.directions().detach().T.clone()

    def directions(self):
        weight = self.decoder.weight
        return weight / weight.square().sum(dim=0, keepdim=True).sqrt()

    def encode(self, x):
        shifted = x - self.decoder.bias
        scores = shifted @ self.encoder.weight.T + self.encoder.bias
        if self.k is not None:
            limit = scores.topk(self.k, dim=-1).values[..., -1:]
            scores = torch.where(scores >= limit, scores, torch.zeros_like(scores))
        return scores.clamp(min=0)

    def forward(self, x):
        codes = self.encode(x)
        rebuilt = (codes.unsqueeze(-2) * self.directions()).sum(dim=-1) + self.decoder.bias
        return rebuilt, codes


@right
class WithEinsum(nn.Module):
    def __init__(self, features, codes, *, k=None, device=None):
        super().__init__()
        self.encoder = nn.Linear(features, codes, device=device)
        self.decoder = nn.Linear(codes, features, device=device)
        self.k = codes if k is None else k
        for layer in (self.encoder, self.decoder):
            nn.init.constant_(layer.bias, 0.0)
        with torch.no_grad():
            self.encoder.weight[:] = self.directions().transpose(0, 1)

    def directions(self):
        lengths = torch.linalg.vector_norm(self.decoder.weight, dim=0)
        return self.decoder.weight / lengths

    def encode(self, x):
        scores = self.encoder(x - self.decoder.bias)
        rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
        return torch.relu(scores) * (rank < self.k)

    def forward(self, x):
        codes = self.encode(x)
        return torch.einsum("...k,fk->...f", codes, self.directions()) + self.decoder.bias, codes


wrong(
    "columns_of_any_length",
    why=(
        "The decoder's columns were used as they are: then a penalty on codes can be "
        "avoided by small codes and long columns."
    ),
    change={"F.normalize(self.decoder.weight, dim=0)": "self.decoder.weight"},
)


wrong(
    "rows_of_length_one",
    why="The rows of the decoder were given length 1; a direction is a column.",
    change={"F.normalize(self.decoder.weight, dim=0)": "F.normalize(self.decoder.weight, dim=1)"},
)


wrong(
    "bias_not_subtracted",
    why=(
        "The decoder's bias is subtracted before encoding; without it, codes have to "
        "explain the mean, too."
    ),
    change={"self.encoder(x - self.decoder.bias)": "self.encoder(x)"},
)


wrong(
    "bias_not_added",
    why="The decoder's bias was subtracted and never added again.",
    change={"self.directions(), self.decoder.bias), codes": "self.directions()), codes"},
)


wrong(
    "negative_codes",
    why="Codes may be negative here; a ReLU makes them 0 or more.",
    change={"return F.relu(scores) if": "return scores if"},
)


wrong(
    "k_left_out",
    why="k was ignored: any number of codes may differ from 0.",
    change={"F.relu(scores) if self.k is None else top_k_codes(scores, self.k)": "F.relu(scores)"},
)


wrong(
    "codes_without_their_gradient",
    why="The codes were detached, so the encoder is never trained.",
    change={"codes = self.encode(x)": "codes = self.encode(x).detach()"},
)


wrong(
    "encoder_as_drawn",
    why="The encoder starts as torch draws it; it must start as the transpose of the directions.",
    change={"self.encoder.weight.copy_(self.directions().T)": "pass"},
    corner=True,
)


wrong(
    "biases_as_drawn",
    why="The biases start as torch draws them; both must start at 0.",
    change={
        "nn.init.zeros_(self.encoder.bias)": "pass",
        "nn.init.zeros_(self.decoder.bias)": "pass",
    },
    corner=True,
)
