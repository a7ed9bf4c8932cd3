"""Interpretability: features, directions and circuits inside a trained network.

Builds the toy model of superposition, where the features are known; sparse autoencoders, which try
to find features that are not; the logit lens; control tasks for probes; and what is needed to test
a circuit: edited inputs of any module, the effect of a patch, and heads replaced by their means.

A feature is a column of a matrix (m, n): a direction in m dimensions, one for each of n features.

Sources: Elhage et al. 2022, "Toy Models of Superposition"; Bricken et al. 2023, "Towards
Monosemanticity: Decomposing Language Models With Dictionary Learning" (sparse autoencoder with
unit columns); Cunningham et al. 2024, "Sparse Autoencoders Find Highly Interpretable Features in
Language Models"; Gao et al. 2024, "Scaling and Evaluating Sparse Autoencoders" (top-k); Sharkey,
Braun and Millidge 2022, "Taking Features Out of Superposition with Sparse Autoencoders" (score by
matching); nostalgebraist 2020, "Interpreting GPT: the Logit Lens"; Hewitt and Liang 2019,
"Designing and Interpreting Probes with Control Tasks"; Wang et al. 2023, "Interpretability in the
Wild" (logit differences, mean ablation); Zhang and Nanda 2024, "Towards Best Practices of
Activation Patching in Language Models" (normalized logit differences); Olsson et al.
2022, "In-context Learning and Induction Heads".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# superposition


def superposition_loss(x: Tensor, weight: Tensor, bias: Tensor, importance: Tensor) -> Tensor:
    """Loss of the toy model of superposition: n features pass through m < n dimensions.

    h = W x, x' = ReLU(Wᵀ h + b), and the loss of an example is Σ_i I_i (x_i − x'_i)² (Elhage et al.
    2022). Leading axes are models that are trained side by side.

    Args:
        x: features, (..., B, n) float.
        weight: W, (..., m, n) float: a column for each feature.
        bias: b, (..., n) float.
        importance: I, (..., n) float, 0 or more.

    Returns:
        (...), the mean over the B examples of the sum over features.
    """
    hidden = x @ weight.mT  # (..., B, n) -> (..., B, m)
    rebuilt = F.relu(hidden @ weight + bias.unsqueeze(-2))  # (..., B, m) -> (..., B, n)
    errors = importance.unsqueeze(-2) * (x - rebuilt).square()
    return errors.sum(dim=-1).mean(dim=-1)


def feature_dimensionality(weight: Tensor) -> Tensor:
    """Share of a dimension that each feature has for itself.

    D_i = W_i · W_i / Σ_j (Ŵ_i · W_j)², where W_i is a column and Ŵ_i has its direction and length 1
    (Elhage et al. 2022). It is 1 if all other features are orthogonal to W_i, and ½ if one of them
    has the same length and exactly the same or the opposite direction, and the rest are orthogonal.

    Args:
        weight: W, (..., m, n) float, a column for each feature.

    Returns:
        (..., n), from 0 to 1; 0 for a column of zeros.
    """
    overlaps = weight.mT @ weight  # W_i · W_j, (..., n, n)
    squared = overlaps.diagonal(dim1=-2, dim2=-1)  # |W_i|²
    shared = overlaps.square().sum(dim=-1)
    return squared.square() / torch.where(squared > 0, shared, 1)


# sparse autoencoders


def top_k_codes(scores: Tensor, k: int) -> Tensor:
    """Keep the k largest scores of each row, as far as they are positive.

    All others become 0, so that a row has at most k codes that are not 0 (Gao et al. 2024).

    Args:
        scores: (..., K) float; the positive ones of a row differ from each other.
        k: from 1 to K.

    Returns:
        (..., K), 0 or more. Gradients reach the positive scores that were kept, and no others.
    """
    kept, places = scores.topk(k, dim=-1)
    return torch.zeros_like(scores).scatter(-1, places, F.relu(kept))


class SparseAutoencoder(nn.Module):
    """Autoencoder whose codes are mostly 0, and whose decoder has columns of length 1.

    codes = ReLU(W_e (x − b_d) + b_e), or the k largest of them with ``k``; rebuilt = D codes + b_d,
    where D is W_d with every column divided by its length (Bricken et al. 2023). Without the fixed
    length, large columns would make small codes, and a penalty on codes would cost nothing.

    Attributes:
        encoder: `nn.Linear`, ``encoder.weight`` (codes, features): W_e, ``encoder.bias``: b_e.
        decoder: `nn.Linear`, ``decoder.weight`` (features, codes): W_d, initialized as in
            `nn.Linear`; ``decoder.bias``: b_d. At first, W_e is the transpose of D, and both
            biases are 0.
    """

    def __init__(
        self,
        features: int,
        codes: int,
        *,
        k: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        """Make encoder and decoder.

        Args:
            features: width of what is coded.
            codes: number of codes, usually more than features.
            k: how many codes of an example may differ from 0; None for any number.
            device: where the parameters go.
        """
        super().__init__()
        self.k = k
        self.encoder = nn.Linear(features, codes, device=device)
        self.decoder = nn.Linear(codes, features, device=device)
        nn.init.zeros_(self.encoder.bias)
        nn.init.zeros_(self.decoder.bias)
        with torch.no_grad():
            self.encoder.weight.copy_(self.directions().T)

    def directions(self) -> Tensor:
        """D, (features, codes): the decoder's columns, each of length 1."""
        return F.normalize(self.decoder.weight, dim=0)

    def encode(self, x: Tensor) -> Tensor:
        """Codes of vectors.

        Args:
            x: (..., features) float.

        Returns:
            (..., codes), 0 or more.
        """
        scores = self.encoder(x - self.decoder.bias)
        return F.relu(scores) if self.k is None else top_k_codes(scores, self.k)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Code vectors, and rebuild them from their codes.

        Args:
            x: (..., features) float.

        Returns:
            rebuilt, (..., features), and codes, (..., codes).
        """
        codes = self.encode(x)
        return F.linear(codes, self.directions(), self.decoder.bias), codes


def matching_score(found: Tensor, truth: Tensor) -> Tensor:
    """How well the known features are found: the mean, over them, of their best cosine similarity.

    Each true direction is compared with all directions that were found, and the most similar one
    counts (Sharkey et al. 2022). A direction found may serve several true ones.

    Args:
        found: (m, K) float, a column for each direction found. A column of zeros has the
            similarity 0 with everything.
        truth: (m, n) float, a column for each true direction, none of them 0.

    Returns:
        (), at most 1.
    """
    similarity = F.normalize(truth, dim=0).T @ F.normalize(found, dim=0)  # (n, K)
    return similarity.amax(dim=1).mean()


# what a layer knows


def logit_lens(
    streams: Sequence[Tensor], norm: Callable[[Tensor], Tensor], head: Callable[[Tensor], Tensor]
) -> Tensor:
    """Logits that a model would give if it ended after each of its layers.

    The last norm and the output layer are applied to the residual stream at every depth
    (nostalgebraist 2020).

    Args:
        streams: a sequence of (..., D) float, one for each depth, all of one shape.
        norm: the model's last norm, (..., D) to (..., D).
        head: its output layer, (..., D) to (..., V).

    Returns:
        (depths, ..., V).
    """
    return torch.stack([head(norm(stream)) for stream in streams])


def control_labels(types: Tensor, labels: Tensor, uniform: Tensor) -> Tensor:
    """Labels of a control task: each type of input gets one label, at random.

    The labels are as frequent as those of the task, but say nothing about the inputs; a probe can
    only memorize them (Hewitt and Liang 2019). The label of type v is the u_v-quantile of the
    task's N labels: the one at place ⌊u_v N⌋ of them in order, counted from 0.

    Args:
        types: (N,) int64, the type of each example, from 0 to V − 1.
        labels: (N,) int64, the labels of the task.
        uniform: u, (V,) float, from 0 up to but not including 1: a draw for each type.

    Returns:
        (N,) int64. Examples of one type have one label.
    """
    places = (uniform * len(labels)).long()
    return labels.sort().values[places][types]


# edits of a run


@contextmanager
def edited(
    model: nn.Module, edits: Mapping[str, Callable[[Tensor], Tensor]]
) -> Iterator[nn.Module]:
    """Change what named modules are given, for as long as a ``with`` statement lasts.

    Args:
        model: any module; it is as before afterwards.
        edits: for the dotted name of a module, such as "layers.0.attention.output", a function from
            its first input to the tensor that it gets in its place.

    Yields:
        The model.
    """
    handles = []
    try:
        for name, edit in edits.items():
            module = model.get_submodule(name)
            handles.append(module.register_forward_pre_hook(partial(_edit, edit)))
        yield model
    finally:
        for handle in handles:
            handle.remove()


def _edit(edit: Callable[[Tensor], Tensor], _: nn.Module, args: tuple) -> tuple:
    return edit(args[0]), *args[1:]


def inputs_of(model: nn.Module, names: Iterable[str], *given: Tensor) -> dict[str, Tensor]:
    """First inputs of named modules in one run of a model.

    Args:
        model: any module.
        names: dotted names of modules inside it.
        given: what the model is called with.

    Returns:
        The input of each module, by name; of a module that runs more than once, the last one.
    """
    seen: dict[str, Tensor] = {}

    def keep(name: str, value: Tensor) -> Tensor:
        seen[name] = value
        return value

    with edited(model, {name: partial(keep, name) for name in names}):
        model(*given)
    return seen


def replace_heads(merged: Tensor, other: Tensor, heads: Iterable[int], *, num_heads: int) -> Tensor:
    """Replace the outputs of some heads by those of another run.

    Args:
        merged: (..., D) float, the outputs of all heads side by side, before W_O.
        other: broadcastable to the shape of ``merged``: those of the other run.
        heads: numbers of the heads to replace, from 0.
        num_heads: how many heads share the D features.

    Returns:
        (..., D).
    """
    parts = list(merged.chunk(num_heads, dim=-1))
    others = other.expand_as(merged).chunk(num_heads, dim=-1)
    for head in heads:
        parts[head] = others[head]
    return torch.cat(parts, dim=-1)


def mean_ablate(
    merged: Tensor, reference: Tensor, heads: Collection[int], *, num_heads: int
) -> Tensor:
    """Replace the outputs of some heads by their means over other examples.

    Each position has a separate mean (Wang et al. 2023).

    Args:
        merged: (..., T, D) float, the outputs of all heads side by side, before W_O.
        reference: (N, T, D) float, the same of N other examples.
        heads: numbers of the heads, from 0; none leaves everything as it is.
        num_heads: how many heads share the D features.

    Returns:
        (..., T, D).
    """
    return replace_heads(merged, reference.mean(dim=0), heads, num_heads=num_heads)


def patching_effect(
    clean: Tensor, corrupted: Tensor, patched: Tensor, right: Tensor, wrong: Tensor
) -> Tensor:
    """How far a patch moves the answer from that of the corrupted run to that of the clean one.

    A run's answer is its mean logit difference: the right token, which answers the clean input,
    minus the wrong token, which answers the corrupted one (Wang et al. 2023). The effect is
    (patched − corrupted) / (clean − corrupted), in these differences (Zhang and Nanda 2024).

    Args:
        clean: (B, V) float, logits of the clean run.
        corrupted: (B, V) float, logits of the corrupted run.
        patched: (..., B, V) float, logits of runs with patches.
        right: (B,) int64, the clean answers.
        wrong: (B,) int64, the corrupted answers.

    Returns:
        (...), 0 for a patch that changes nothing in the corrupted run, 1 for one that
        restores the difference of the clean run.
    """
    examples = torch.arange(len(right), device=right.device)

    def difference(logits: Tensor) -> Tensor:
        return (logits[..., examples, right] - logits[..., examples, wrong]).mean(dim=-1)

    before = difference(corrupted)
    return (difference(patched) - before) / (difference(clean) - before)
