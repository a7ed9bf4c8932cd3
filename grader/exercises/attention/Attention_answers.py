"""Right and wrong answers to `attention.Attention`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.attention import additive_score, attend, dot_score


@right
class one_branch_each(nn.Module):
    def __init__(self, kind, *, query_size, key_size, hidden_size=32, device=None):
        super().__init__()
        if kind not in {"dot", "scaled", "general", "additive"}:
            raise ValueError(kind)
        if kind in {"dot", "scaled"} and query_size != key_size:
            raise ValueError("one size")
        self.kind = kind
        if kind == "general":
            self.weight = nn.Parameter(torch.empty(query_size, key_size, device=device))
            nn.init.uniform_(self.weight, -(key_size**-0.5), key_size**-0.5)
        if kind == "additive":
            self.weight_query = nn.Parameter(torch.empty(hidden_size, query_size, device=device))
            self.weight_key = nn.Parameter(torch.empty(hidden_size, key_size, device=device))
            self.v = nn.Parameter(torch.empty(hidden_size, device=device))
            nn.init.uniform_(self.weight_query, -(query_size**-0.5), query_size**-0.5)
            nn.init.uniform_(self.weight_key, -(key_size**-0.5), key_size**-0.5)
            nn.init.uniform_(self.v, -(hidden_size**-0.5), hidden_size**-0.5)

    def project(self, key):
        if self.kind == "general":
            return torch.einsum("...kd,qd->...kq", key, self.weight)
        if self.kind == "additive":
            return torch.einsum("...kd,hd->...kh", key, self.weight_key)
        return key

    def forward(self, query, projected, value, mask=None):
        if self.kind == "additive":
            asked = torch.einsum("...qd,hd->...qh", query, self.weight_query)
            hidden = torch.tanh(asked.unsqueeze(-2) + projected.unsqueeze(-3))
            scores = torch.einsum("...qkh,h->...qk", hidden, self.v)
        else:
            scores = torch.einsum("...qd,...kd->...qk", query, projected)
            if self.kind == "scaled":
                scores = scores / query.size(-1) ** 0.5
        return attend(scores, value, mask)


class _Dot(nn.Module):
    def __init__(self, scaled):
        super().__init__()
        self.scaled = scaled

    def score(self, query, projected):
        return dot_score(query, projected, scaled=self.scaled)


@right
class parameters_from_linear_layers(nn.Module):
    def __init__(self, kind, *, query_size, key_size, hidden_size=32, device=None):
        super().__init__()
        self.scoring = _Dot(kind == "scaled")
        if kind == "general":
            self.weight = nn.Linear(key_size, query_size, device=device).weight
        elif kind == "additive":
            self.weight_query = nn.Linear(query_size, hidden_size, device=device).weight
            self.weight_key = nn.Linear(key_size, hidden_size, device=device).weight
            drawn = nn.Linear(hidden_size, 1, device=device).weight.detach()
            self.v = nn.Parameter(drawn.flatten())
        elif kind not in ("dot", "scaled") or query_size != key_size:
            raise ValueError(f"{kind} of {query_size} and {key_size}")

    def project(self, key):
        matrix = getattr(self, "weight", getattr(self, "weight_key", None))
        return key if matrix is None else key @ matrix.T

    def forward(self, query, projected, value, mask=None):
        if hasattr(self, "v"):
            scores = additive_score(query, projected, self.weight_query, None, self.v)
        else:
            scores = self.scoring.score(query, projected)
        return attend(scores, value, mask)


wrong(
    "mask_not_handed_on",
    why="The mask makes no difference to your result: padding gets attention.",
    change={"return attend(scores, value, mask)": "return attend(scores, value)"},
)


wrong(
    "all_scaled",
    why="You divided every score by the root of its size; only `scaled` does that.",
    change={'scaled=self.kind == "scaled"': "scaled=True"},
)


wrong(
    "none_scaled",
    why="`scaled` must divide by the root of the size; yours gives the plain dot product.",
    change={', scaled=self.kind == "scaled"': ""},
)


wrong(
    "projected_in_forward",
    why=(
        "`forward` gets keys that are already projected, and yours projects them again: once is "
        "enough for all queries."
    ),
    change={
        "scores = additive_score(query, projected, self.weight_query, None, self.v)": (
            "scores = additive_score(query, self.project(projected), self.weight_query, None, "
            "self.v)"
        )
    },
)


wrong(
    "general_transposed",
    why="W has a row per feature of the query; you projected the keys with its transpose.",
    change={"return key @ self.weight.T": "return key @ self.weight"},
)


wrong(
    "too_many_parameters",
    why="A dot product has no parameters; yours has a matrix that is never used.",
    change={'if kind == "general":\n': 'if kind != "additive":\n'},
)


wrong(
    "bound_of_the_wrong_side",
    why="n is the number of terms that each output sums: the columns of a matrix, not its rows.",
    change={"math.sqrt(shape[-1])": "math.sqrt(shape[0])"},
)


wrong(
    "standard_normal",
    why="The parameters were drawn from a normal distribution; draw them evenly from ±1/√n.",
    change={".uniform_(-bound, bound)": ".normal_()"},
)


wrong(
    "keys_weighed",
    why="The mean is over the values; you averaged the projected keys.",
    change={"return attend(scores, value, mask)": "return attend(scores, projected, mask)"},
)


wrong(
    "any_kind",
    why="The constructor must reject a kind that does not exist; yours makes a module of it.",
    change={"if kind not in KINDS:": "if not kind:"},
    corner=True,
)


wrong(
    "any_sizes",
    why="A dot product of queries and keys of two sizes is impossible; reject it.",
    change={
        'if kind in ("dot", "scaled") and query_size != key_size:': (
            'if kind == "dot" and query_size < 0:'
        )
    },
    corner=True,
)


wrong(
    "device_ignored",
    why="The parameters do not go to the device that was asked for.",
    change={"torch.empty(shape, device=device)": "torch.empty(shape)"},
    corner=True,
)


wrong(
    "keys_cut_off",
    why=(
        "The keys were detached before they were returned: no gradient reaches the encoder through "
        "its keys."
    ),
    change={
        'if self.kind == "additive" else key\n': 'if self.kind == "additive" else key.detach()\n'
    },
)
