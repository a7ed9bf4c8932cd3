"""Arguments that an exercise hands to a student's code: a function, a module, a tuple
or a dict whose keys are no texts.

A case names one of these with arrays of its own (`grader.author.exercise.Made`). What is called,
and on how much, is counted.

Add a class to `FIXTURES` when an exercise needs another one.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

COUNTS = {"calls": 0, "positions": 0}
PLAIN: set[type] = {torch.Tensor, torch.nn.Parameter}  # classes that add nothing; `probes` has more


def bare(value):
    """The tensor without what a class of a student's own adds, everywhere inside a nested value."""
    if isinstance(value, tuple | list):
        return type(value)(map(bare, value)) if type(value) in (tuple, list) else value
    if type(value) in PLAIN or not isinstance(value, torch.Tensor):
        return value
    if type(value).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        raise TypeError(f"{type(value).__name__} computes by itself: no tensor is expected to")
    with torch._C.DisableTorchFunctionSubclass():
        return torch._C.TensorBase.as_subclass(value, torch.Tensor)


def note(given: torch.Tensor) -> None:
    """Count a call on so many positions."""
    COUNTS["calls"] += 1
    if not isinstance(given, torch.Tensor):  # but what may look like one
        raise AttributeError(f"'{type(given).__name__}' object has no attribute 'numel'")
    COUNTS["positions"] += torch._C.TensorBase.numel(given)


class LastToken:
    """Log-probabilities of the next token that depend on the last one alone.

    ``log_probs`` is (V, V), a row per last token. Called on ``tokens`` (B, T) it returns (B, V).
    """

    def __init__(self, log_probs: torch.Tensor):
        self.log_probs = log_probs

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        note(tokens)
        return self.log_probs[tokens[:, -1]]


class WholePrefix:
    """Log-probabilities of the next token that depend on all before it, and on their order.

    ``log_probs`` is (R, V); the row is Σ (t + 1) (x_t + 1) mod R. Called on ``tokens`` (B, T) it
    returns (B, V).
    """

    def __init__(self, log_probs: torch.Tensor):
        self.log_probs = log_probs

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        note(tokens)
        places = torch.arange(1, tokens.shape[1] + 1)
        return self.log_probs[((tokens + 1) * places).sum(dim=1) % len(self.log_probs)]


class Stepwise:
    """The next token's log-probabilities from one token and a state, which is None at the start.

    ``log_probs`` is (R, V); the state s, (B,), is the row, 31 s + x + 1 mod R. Called on ``token``
    (B,) and ``state`` it returns (B, V) and the next state.
    """

    def __init__(self, log_probs: torch.Tensor):
        self.log_probs = log_probs

    def __call__(self, token: torch.Tensor, state: torch.Tensor | None = None):
        note(token)
        before = torch.zeros_like(token) if state is None else state
        after = (31 * before + token + 1) % len(self.log_probs)
        return self.log_probs.to(token.device)[after], after


class StepwisePair(Stepwise):
    """`Stepwise` whose state is a tuple: what it was there, and the token before, both (B,)."""

    def __call__(self, token: torch.Tensor, state: tuple | None = None):
        note(token)
        before, last = (torch.zeros_like(token),) * 2 if state is None else state
        after = (31 * before + 7 * last + token + 1) % len(self.log_probs)
        return self.log_probs[after], (after, token)


class Forgetful(Stepwise):
    """`Stepwise` that keeps nothing: the row is x + 1 mod R, and the state is None in each step."""

    def __call__(self, token: torch.Tensor, state: None = None):
        note(token)
        assert state is None
        return self.log_probs[(token + 1) % len(self.log_probs)], None


class StepwiseNested(Stepwise):
    """`StepwisePair` whose state is tuples in tuples: ((there,), None), and the token before."""

    def __call__(self, token: torch.Tensor, state: tuple | None = None):
        note(token)
        zero = torch.zeros_like(token)
        ((before,), _), last = (((zero,), None), zero) if state is None else state
        after = (31 * before + 7 * last + token + 1) % len(self.log_probs)
        return self.log_probs[after], (((after,), None), token)


class Cached:
    """Logits of the token after each, from tokens and a cache, which is None at the start.

    ``log_probs`` is (R, V); the row after token x is s ← 31 s + x + 1 mod R, and the cache is s of
    each sequence, (B,). Called on ``tokens`` (B, n) and a cache it returns (B, n, V) and the next
    cache.
    """

    def __init__(self, log_probs: torch.Tensor):
        self.log_probs = log_probs

    def __call__(self, tokens: torch.Tensor, cache: torch.Tensor | None = None):
        note(tokens)
        state, rows = torch.zeros_like(tokens[:, 0]) if cache is None else cache, []
        for token in tokens.unbind(dim=1):
            state = (31 * state + token + 1) % len(self.log_probs)
            rows.append(state)
        return self.log_probs[torch.stack(rows, dim=1)], state


class EveryPrefix:
    """Logits of what follows each token of a text, which depend on all up to it and their order.

    ``log_probs`` is (R, V); the row after token t is Σ_(s ≤ t) (s + 1) (x_s + 1) mod R. Called on
    ``tokens`` (B, T) it returns (B, T, V).
    """

    def __init__(self, log_probs: torch.Tensor):
        self.log_probs = log_probs

    def __call__(self, tokens: torch.Tensor) -> torch.Tensor:
        note(tokens)
        return self.log_probs[self.rows(tokens, 0)]

    def rows(self, tokens: torch.Tensor, before: int) -> torch.Tensor:
        places = torch.arange(before + 1, before + tokens.shape[1] + 1, device=tokens.device)
        return ((tokens + 1) * places).cumsum(dim=1) % len(self.log_probs)


class Continued(EveryPrefix):
    """`EveryPrefix` that goes on from a state, which is None at the start.

    Called on ``tokens`` (B, n) and ``state`` it returns (B, n, V) and the next state.
    """

    def __call__(self, tokens: torch.Tensor, state: tuple | None = None):
        note(tokens)
        row, before = (0, 0) if state is None else state
        rows = (row + self.rows(tokens, before)) % len(self.log_probs)
        return self.log_probs[rows], (rows[:, -1:], before + tokens.shape[1])


class Pixels:
    """Logits of pictures, a weighted sum of all their pixels for each class.

    ``weight`` is (K, C·H·W). Called on ``images`` (B, C, H, W) it returns (B, K).
    """

    def __init__(self, weight: torch.Tensor):
        self.weight = weight

    def __call__(self, images: torch.Tensor) -> torch.Tensor:
        note(images[:, 0, 0, 0])
        return images.flatten(1) @ self.weight.to(images.dtype).T


class Quartic:
    """A function of any tensor of the shape of ``weight``: ¼ (Σ w x)⁴ + ½ Σ x²."""

    def __init__(self, weight: torch.Tensor):
        self.weight = weight

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        note(x)
        weight = self.weight.to(x)
        return (weight * x).sum() ** 4 / 4 + x.square().sum() / 2


def closed(kind: type) -> Callable:
    """Makes what can be called like an instance of a class, and has none of its attributes: what
    is counted cannot be read past the count.
    """

    def make(**given):
        made = kind(**given)
        return lambda *args, **named: made(
            *map(bare, args), **{name: bare(value) for name, value in named.items()}
        )

    return make


def affine(weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.nn.Linear:
    """An `nn.Linear` with these parameters."""
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    layer.weight = torch.nn.Parameter(weight)
    if bias is not None:
        layer.bias = torch.nn.Parameter(bias)
    return layer


def places(pairs: list[list[int]], numbers: list[int]) -> dict[tuple[int, int], int]:
    """A dict from each pair, a tuple, to its number."""
    return {tuple(pair): number for pair, number in zip(pairs, numbers, strict=True)}


class Node(int):
    """The number of a node, or a token. Comparing two of them takes lines of Python, which a budget
    counts: a search through a list costs as many as it compares, a look into a set or a dict hardly
    any.
    """

    def __eq__(self, other):
        return int(self) == int(other)

    __hash__ = int.__hash__


def nodes(parents: list[list[int]]) -> list[list[int]]:
    """Lists of numbers of nodes that tell when they are compared, each number an object anew."""
    return [[Node(parent) for parent in found] for found in parents]


def words(words: list[list[int]]) -> list[list[int]]:
    """Lists of tokens that tell when one is compared with another, equal ones the same object: a
    look into a dict costs no line, a search through all words one for each, whoever searches.
    """
    known: dict[int, Node] = {}
    return [[known.setdefault(token, Node(token)) for token in word] for word in words]


class KeptKeys:
    """A cache of attention that holds some keys and values already, and returns all when asked.

    ``key`` and ``value`` are (..., heads, kept, d_k). It does not grow: each call begins with it.
    """

    def __init__(self, key: torch.Tensor, value: torch.Tensor):
        self.key, self.value, self.length = key, value, key.shape[-2]

    def extend(self, key: torch.Tensor, value: torch.Tensor):
        return torch.cat([self.key, key], dim=-2), torch.cat([self.value, value], dim=-2)


class GrowingKeys(KeptKeys):
    """`KeptKeys` that grow with each call, from the ones that they are made with."""

    def extend(self, key: torch.Tensor, value: torch.Tensor):
        self.key, self.value = super().extend(key, value)
        self.length = self.key.shape[-2]
        return self.key, self.value


def one_cache(calls: list[dict], **kept: torch.Tensor) -> list[dict]:
    """Arguments of calls that come one after another, with one and the same ``cache``."""
    cache = GrowingKeys(**kept)
    return [{**given, "cache": cache} for given in calls]


class Trunk(torch.nn.Module):
    """A linear layer, dropout and batch normalization: what tells training from evaluation.

    Called on ``x`` (B, inputs) it returns (B, outputs); ``weight`` is (outputs, inputs).
    """

    def __init__(self, weight: torch.Tensor, drop: float):
        super().__init__()
        self.layer = affine(weight)
        self.dropout = torch.nn.Dropout(drop)
        self.norm = torch.nn.BatchNorm1d(len(weight))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.dropout(self.layer(x)))


class CountingTrunk(Trunk):
    """`Trunk` whose buffer ``graphs`` counts the calls that were made part of a graph."""

    def __init__(self, weight: torch.Tensor, drop: float):
        super().__init__(weight, drop)
        self.register_buffer("graphs", torch.tensor(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = super().forward(x)
        self.graphs += int(found.requires_grad)
        return found


def network(
    weights: dict[str, torch.Tensor], tables: list[str], biased: list[str]
) -> torch.nn.Module:
    """Modules inside of modules: an `nn.Linear` for each name, an `nn.Embedding` for ``tables``.

    ``weights`` are by dotted names: "layers.0.query" is the layer ``query`` of ``layers.0``. One
    with a single axis makes an `nn.LayerNorm`, which has a bias too. Names that end as one of
    ``biased`` have a bias: twice the first column of the weight.
    """
    whole = torch.nn.Module()
    for name, weight in weights.items():
        owner, parts = whole, name.split(".")
        for part in parts[:-1]:
            if part not in owner._modules:
                owner.add_module(part, torch.nn.Module())
            owner = owner._modules[part]
        if weight.ndim == 1:
            made = torch.nn.LayerNorm(len(weight)).to(weight.dtype)
        elif name in tables:
            made = torch.nn.Embedding.from_pretrained(weight, freeze=False)
        else:
            made = affine(weight, 2 * weight[:, 0] if parts[-1] in biased else None)
        owner.add_module(parts[-1], made)
    return whole


FIXTURES = {
    "last token": closed(LastToken),
    "whole prefix": closed(WholePrefix),
    "stepwise": closed(Stepwise),
    "cached": closed(Cached),
    "every prefix": closed(EveryPrefix),
    "continued": closed(Continued),
    "pixels": closed(Pixels),
    "quartic": closed(Quartic),
    "affine": affine,
    "affine elsewhere": lambda **given: affine(**given).to("meta"),
    "places": places,
    "nodes": nodes,
    "words": words,
    "bfloat16": lambda numbers: numbers.bfloat16(),
    "half": lambda text: text + "\ud83d",  # of a surrogate pair; no UTF-8 can carry it here
    "tuple": lambda items: tuple(items),
    "stepwise, without a state": closed(Forgetful),
    "stepwise, with a pair": closed(StepwisePair),
    "stepwise, with pairs in pairs": closed(StepwiseNested),
    "kept keys": KeptKeys,
    "one cache": one_cache,
    "trunk": Trunk,
    "trunk that counts graphs": CountingTrunk,
    "network": network,
}
