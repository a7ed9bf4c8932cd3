"""`vit.vit_parameters`: how large the model is."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The number of parameters of a ViT",
    section="whole-model",
    cases=(
        Case("a small one", lambda rng: _sizes(), 2),
        Case("no layers", lambda rng: _sizes(num_layers=0)),
        Case("ViT-B/16", lambda rng: _sizes(768, 12, 3072, 196, 768, 1000), 2),
        Case("more patches", lambda rng: _sizes(patches=101)),
        Case("larger patches", lambda rng: _sizes(pixels=211), corner=True),
        Case("two classes, few hidden units", lambda rng: _sizes(classes=2, hidden=3)),
        Case("wide", lambda rng: _sizes(97, 3, 7), hidden=True),
        Case("deep", lambda rng: _sizes(5, 41, 13), hidden=True),
    ),
    hint=(
        "A layer: four products from D to D, two of the feed-forward network, two norms. Then the "
        "two ends: patches, token, positions; the last norm and the classifier."
    ),
    afresh=larger("embed_dim", "num_layers", "hidden", "patches", "pixels", "classes"),
)


def _sizes(embed_dim=11, num_layers=2, hidden=23, patches=7, pixels=17, classes=5):
    return {
        "embed_dim": embed_dim,
        "num_layers": num_layers,
        "hidden": hidden,
        "patches": patches,
        "pixels": pixels,
        "classes": classes,
    }
