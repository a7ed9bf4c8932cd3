"""`linear.predict_tuned`: a hyperparameter, chosen honestly."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise

EXERCISE = Exercise(
    title="Choosing a hyperparameter on development data",
    section="hyperparameters",
    cases=(
        Case(
            "the best of three",
            lambda rng: _wrong_labels(rng, candidates=[0.0, 0.3, 0.01], steps=11),
            2,
        ),
        Case("all equally good", lambda rng: _easy(rng)),
        Case(
            "held-out examples, after wrong labels",
            lambda rng, other: _wrong_labels(rng, other, candidates=[0.3, 0.0], new=211),
            2,
            at_least=0.88,
        ),
        Case(
            "one candidate",
            lambda rng: _wrong_labels(rng, candidates=[0.1], steps=9),
            hidden=True,
            corner=True,
        ),
        Case("a class without examples", lambda rng: _rare(rng), corner=True),
        Case("the first candidate diverges", lambda rng: _diverging(rng), corner=True),
        Case(
            "every candidate diverges",
            lambda rng: _diverging(rng, candidates=[1e160, 1e159]),
            corner=True,
        ),
        Case("where the bias decides", lambda rng: _near_the_edge(rng), corner=True),
        Case("no candidate gets one right", lambda rng: _hopeless(rng), corner=True),
        Case("in float32", lambda rng: _easy(rng), dtype="float32"),
        Case("one new example", lambda rng: _easy(rng, new=1), corner=True),
    ),
    hint=(
        "Train one model per candidate and keep them all; `found.index(max(found))` is the first "
        "of the best."
    ),
    needs=("linear", "train", "cross_entropy", "log_sum_exp", "accuracy"),
)


def _blobs(rng, count, *, features, lead, wrong=0):
    """Three classes, three in five of the first; some labels are wrong."""
    fifth = count // 5
    labels = rng.permutation(np.repeat([0, 1, 2], [count - 2 * fifth, fifth, fifth]))
    points = rng.standard_normal((count, features))
    points[:, :3] += lead * np.eye(3)[labels]
    points = np.round(16 * points) / 16  # numbers of few bits, which compress well
    labels[:wrong] = (labels[:wrong] + rng.integers(1, 3, size=wrong)) % 3
    return points, labels


def _tuning(rng, other, *, candidates, sizes, wrong, lead, features, learning_rate, steps):
    (x, y), (dev_x, dev_y), (new_x, new_y) = (
        _blobs(generator, size, features=features, lead=lead, wrong=count)
        for generator, size, count in zip((rng, rng, other), sizes, (wrong, 0, 0), strict=True)
    )
    order = rng.permutation(features)  # where the classes show is to be learned
    args = {
        "features": x[:, order],
        "labels": y,
        "dev_features": dev_x[:, order],
        "dev_labels": dev_y,
        "new_features": new_x[:, order],
        "classes": 3,
        "candidates": candidates,
        "learning_rate": learning_rate,
        "steps": steps,
    }
    return Call(args=args, held_out={"labels": new_y})


def _wrong_labels(rng, other=None, *, candidates, new=7, steps=23):
    """A quarter of the training labels are wrong, and there are features enough to learn them."""
    return _tuning(
        rng,
        other or rng,
        candidates=candidates,
        sizes=(131, 101, new),
        wrong=33,
        lead=5.0,
        features=61,
        learning_rate=0.4,
        steps=steps,
    )


def _easy(rng, *, new=7):
    """Classes so far apart that every candidate gets all of the development data right."""
    return _tuning(
        rng,
        rng,
        candidates=[0.03, 0.01, 0.1],
        sizes=(31, 23, new),
        wrong=0,
        lead=19.0,
        features=5,
        learning_rate=0.03,
        steps=3,
    )


def _diverging(rng, candidates=(1e160, 1.0)):
    """A λ of 1e160 makes the weights 6e159 times as large in every step; most labels are 0."""
    return _tuning(
        rng,
        rng,
        candidates=list(candidates),
        sizes=(31, 23, 7),
        wrong=0,
        lead=0.0,
        features=5,
        learning_rate=0.3,
        steps=5,
    )


def _rare(rng):
    """Labels from 0 to 2, and four classes."""
    drawn = _easy(rng)
    return Call(args={**drawn.args, "classes": 4}, held_out=drawn.held_out)


def _hopeless(rng):
    """Four classes; the development data are of the one that training never sees."""
    drawn = _rare(rng)
    dev = np.full_like(drawn.args["dev_labels"], 3)
    return Call(args={**drawn.args, "dev_labels": dev}, held_out=drawn.held_out)


def _near_the_edge(rng):
    """One feature, 0 or 1 up to noise: which side of ½ it lies on, the bias alone says."""

    def drawn(count):
        labels = rng.permutation(np.repeat([0, 0, 1], count))
        return labels[:, None] + np.round(rng.uniform(0.1, 0.3, (3 * count, 1)), 2), labels

    (x, y), (dev_x, dev_y), (new_x, _) = drawn(4), drawn(3), drawn(1)
    return Call(
        args={
            "features": x,
            "labels": y,
            "dev_features": dev_x,
            "dev_labels": dev_y,
            "new_features": new_x,
            "classes": 2,
            "candidates": [0.1, 0.0],
            "learning_rate": 4.0,
            "steps": 9,
        }
    )
