"""Right and wrong answers to `transfer.LoRA`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
class weight_made_anew(nn.Module):
    def __init__(self, base, *, rank, alpha):
        super().__init__()
        self.base = base
        for parameter in base.parameters():
            parameter.requires_grad_(False)
        self.alpha, self.rank = alpha, rank
        kept = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.A = nn.Parameter(torch.randn(rank, base.in_features, **kept) / base.in_features**0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank, **kept))
        self.merged = False

    def update(self):
        return (self.B @ self.A).detach() * (self.alpha / self.rank)

    def forward(self, x):
        found = F.linear(x, self.base.weight, self.base.bias)
        if not self.merged:
            found = found + (x @ self.A.T @ self.B.T) * self.alpha / self.rank
        return found

    def merge(self):
        if not self.merged:
            self.base.weight.data = self.base.weight.data + self.update()
        self.merged = True

    def unmerge(self):
        if self.merged:
            self.base.weight.data = self.base.weight.data - self.update()
        self.merged = False


@right
class original_kept(nn.Module):
    def __init__(self, base, *, rank, alpha):
        super().__init__()
        self.base = base
        self.base.requires_grad_(False)
        out, inside = base.weight.shape
        first = torch.empty_like(base.weight[:1]).expand(rank, inside).clone()
        self.A = nn.Parameter(nn.init.normal_(first, 0.0, (1 / inside) ** 0.5))
        self.B = nn.Parameter(torch.zeros_like(base.weight[:, :1]).repeat(1, rank))
        self.factor = alpha / rank
        self.before = None

    @property
    def merged(self):
        return self.before is not None

    def forward(self, x):
        return (
            self.base(x) if self.merged else self.base(x) + self.factor * (x @ self.A.T) @ self.B.T
        )

    @torch.no_grad()
    def merge(self):
        if self.before is None:
            self.before = self.base.weight.clone()
            self.base.weight.add_(torch.einsum("cr,rd->cd", self.B, self.A), alpha=self.factor)

    @torch.no_grad()
    def unmerge(self):
        if self.before is not None:
            self.base.weight.copy_(self.before)
            self.before = None


wrong(
    "both_drawn",
    why=(
        "B is drawn as well: from the first step on, before anything was learned, the layer gives "
        "something else than what was pretrained."
    ),
    change={
        "base.weight.new_zeros(outputs, rank)": (
            "base.weight.new_empty(outputs, rank).normal_(std=inputs**-0.5)"
        )
    },
)


wrong(
    "both_zero",
    why=(
        "A is 0 as well. The gradient of B has the factor A x, and that of A the factor B: both "
        "are 0, and stay so for ever."
    ),
    change={
        "base.weight.new_empty(rank, inputs).normal_(std=inputs**-0.5)": (
            "base.weight.new_zeros(rank, inputs)"
        )
    },
)


wrong(
    "a_zero_b_drawn",
    why="A is 0 and B is drawn; it would learn, but it is the other way round that is asked for.",
    change={
        "base.weight.new_zeros(outputs, rank)": (
            "base.weight.new_empty(outputs, rank).normal_(std=inputs**-0.5)"
        ),
        "base.weight.new_empty(rank, inputs).normal_(std=inputs**-0.5)": (
            "base.weight.new_zeros(rank, inputs)"
        ),
    },
)


wrong(
    "variance_one",
    why=(
        "A has variance 1; with D features A x is then √D times as large as x. Its variance is 1/D."
    ),
    change={".normal_(std=inputs**-0.5)": ".normal_()"},
)


wrong(
    "spread_by_the_rank",
    why="The variance of A is 1/r; it is 1/D, with D the features that come in.",
    change={".normal_(std=inputs**-0.5)": ".normal_(std=rank**-0.5)"},
)


wrong(
    "scale_forgotten",
    why="The update is multiplied by α and not by α / r.",
    change={"alpha / rank, False": "alpha, False"},
)


wrong(
    "rank_by_alpha",
    why="The scale is α / r; this is r / α.",
    change={"alpha / rank, False": "rank / alpha, False"},
)


wrong(
    "base_still_trained",
    why="The wrapped layer still asks for gradients: it is trained besides, and nothing is saved.",
    change={"base.requires_grad_(False)": "base"},
)


wrong(
    "bias_still_trained",
    why="The bias of the wrapped layer still asks for a gradient; all of it is frozen.",
    change={
        "        outputs, inputs = base.weight.shape\n": (
            "        outputs, inputs = base.weight.shape\n"
            "        if base.bias is not None:\n"
            "            base.bias.requires_grad_(True)\n"
        )
    },
)


wrong(
    "merged_and_added",
    why=(
        "After merging the update is added a second time, by `forward`: what is in the weight must "
        "not be added again."
    ),
    change={"        if self.merged:\n            return self.base(x)\n": ""},
)


wrong(
    "merged_again",
    why="Each call of `merge` adds the update once more; a second call changes nothing.",
    change={"if self.merged != merged:": "if self.merged or merged:"},
)


wrong(
    "unmerged_without_a_look",
    why="`unmerge` took out an update that was not in the weight.",
    change={"if self.merged != merged:": "if merged > self.merged or not merged:"},
)


wrong(
    "merged_without_scale",
    why="What is merged is B A, without α / r: merging changes what the layer gives.",
    change={"sign * self.scale * self.B": "sign * self.B"},
)


wrong(
    "mark_forgotten",
    why="`merged` never becomes True, so a merged layer cannot be recognized and the "
    "update is counted twice.",
    change={"            self.merged = merged\n": ""},
)


wrong(
    "unmerge_adds",
    why="`unmerge` adds the update once more; it takes it out.",
    change={"self._shift(-1, merged=False)": "self._shift(+1, merged=False)"},
)


wrong(
    "transposed",
    why="A and B have each other's shape, transposed: A is (r, D) and B (C, r), outputs first.",
    change={
        "base.weight.new_empty(rank, inputs)": "base.weight.new_empty(inputs, rank)",
        "base.weight.new_zeros(outputs, rank)": "base.weight.new_zeros(rank, outputs)",
        "F.linear(F.linear(x, self.A), self.B)": "(x @ self.A @ self.B)",
        "self.B @ self.A": "(self.A @ self.B).T",
    },
)


wrong(
    "layer_copied",
    why=(
        "The layer was copied. The very same object is wrapped: a copy is merged into where nobody "
        "looks, and what is frozen is the copy."
    ),
    change={"self.base = base": "import copy\n        self.base = base = copy.deepcopy(base)"},
)


wrong(
    "where_torch_puts_it",
    why=(
        "A, B or both are made where torch puts what is made without a device; a layer on a GPU "
        "needs them there: `new_empty` and `new_zeros` of its weight, or `device=`."
    ),
    change={
        "base.weight.new_empty(rank, inputs)": (
            "torch.empty(rank, inputs, dtype=base.weight.dtype)"
        ),
        "base.weight.new_zeros(outputs, rank)": (
            "torch.zeros(outputs, rank, dtype=base.weight.dtype)"
        ),
    },
    corner=True,
)


wrong(
    "merged_in_evaluation_alone",
    why=(
        "In training mode the update is added once more to a weight that holds it already: merged "
        "is merged, in either mode."
    ),
    change={"if self.merged:": "if self.merged and not self.training:"},
)
