"""`embeddings.sgns_gradients`: the gradient of skip-gram by hand."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import K, _triples

EXERCISE = Exercise(
    title="The gradients of skip-gram, by hand",
    section="sgns-gradient",
    hint=(
        "The derivative of −ln σ(x) is σ(x) − 1, that of −ln σ(−x) is σ(x). By the chain rule "
        "each error multiplies the other vector of its product."
    ),
    forbidden=("torch.autograd.grad", "torch.func.grad", "Tensor.backward"),
    cases=(
        Case("eleven pairs", _triples, 2),
        Case("one noise word", lambda rng: _triples(rng, negatives=1), corner=True),
        Case("as many noise words as pairs", lambda rng: _triples(rng, batch=K)),
        Case("huge products", lambda rng: _triples(rng, scale=1e4)),
        Case("in float32", lambda rng: _triples(rng), dtype="float32"),
        Case("a single pair", lambda rng: _triples(rng, batch=1, size=2), corner=True),
        Case("thirteen pairs", lambda rng: _triples(rng, batch=13), hidden=True),
    ),
)
