"""`recurrent.KneserNey`: n-grams with interpolated Kneser–Ney smoothing."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise


def _model(rng, *, order, seen=60, shape=(2, 11), training=False, symbols=7, **discount):
    """Some symbols are common, the last never occurs in the text."""
    shares = np.array([8, 5, 3, 2, 1, 1] + [0] * (symbols - 6), dtype=float)
    text = rng.choice(symbols, seen, p=shares / shares.sum())
    asked = rng.choice(symbols, shape)
    asked[:, 1:6] = text[5:10]  # and some of the text itself
    return Call(
        init={"tokens": text, "symbols": symbols, "order": order, **discount},
        args={"tokens": asked},
        training=training,
    )


def _short(rng, length):
    """Ask for a text shorter than the longest n-grams that stands in the training text."""
    call = _model(rng, order=4)
    text = call.init["tokens"]
    asked = np.stack([text[start : start + length] for start in (0, 3, 20)])
    return Call(init=call.init, args={"tokens": asked})


def _default(rng):
    call = _model(rng, order=5)
    init = {name: value for name, value in call.init.items() if name != "order"}
    return Call(init=init, args=call.args)


def _highest(rng):
    """A text whose last symbol is the largest, as its last n-gram is: the end of the table."""
    call = _model(rng, order=3, seen=40, symbols=6)
    text = np.concatenate([call.init["tokens"] % 5, [5, 5, 5, 5]])
    asked = np.array([[0, 5, 5, 5, 0, 1, 5], [5, 5, 0, 0, 5, 5, 4]])
    return Call(init={**call.init, "tokens": text}, args={"tokens": asked})


def _two_digits(rng):
    """The symbols 1 and 11, and 11 and 1, are two contexts."""
    call = _model(rng, order=4, discount=1e-4, symbols=12, shape=(1, 9))
    text = np.concatenate([call.init["tokens"], [1, 11, 2, 11, 1, 3]])
    asked = np.append(call.args["tokens"], [[1, 11, 1]], axis=1)
    return Call(init={**call.init, "tokens": text}, args={"tokens": asked})


def _long(rng):
    """Contexts of 12 symbols that differ in the first one alone or in the last one alone, which
    rounding to floats loses, and a symbol that comes once."""
    shared, (first, after) = rng.integers(1, 22, 11), rng.integers(1, 22, 2)
    one, other = np.append(first, shared), np.append(first + 1, shared)
    third = np.append(one[:-1], one[-1] + 1)
    follow = [after], [after + 1], [after], [0]
    runs = zip((one, one, other, third), follow, strict=True)
    text = np.concatenate([[22], *(part for run in runs for part in run)])
    return Call(
        init={"tokens": text, "symbols": 23, "order": 13}, args={"tokens": np.stack([one, third])}
    )


def _calls(rng):
    """One model, beside another, is asked about several texts of one size."""
    call, other = _model(rng, order=3), _model(rng, order=3)
    return Call(init=call.init, args={"calls": [call.args, other.args]})


EXERCISE = Exercise(
    title="Kneser–Ney smoothing",
    section="kneser-ney",
    cases=(
        Case("pairs", lambda rng: _model(rng, order=2), 2),
        Case("three in a row", lambda rng: _model(rng, order=3), 2),
        Case("four, another discount", lambda rng: _model(rng, order=4, discount=0.3)),
        Case("the whole of a count", lambda rng: _model(rng, order=3, discount=1.0)),
        Case(
            "a tiny discount, and symbols of two digits",
            lambda rng: _two_digits(rng),
            corner=True,
        ),
        Case("single symbols", lambda rng: _model(rng, order=1, discount=0.9)),
        Case("with its defaults", lambda rng: _default(rng)),
        Case("one symbol less than the order", lambda rng: _short(rng, 3), corner=True),
        Case("much shorter than the order", lambda rng: _short(rng, 2), corner=True),
        Case("a single symbol", lambda rng: _short(rng, 1), corner=True),
        Case("the end of the table", lambda rng: _highest(rng), corner=True),
        Case("13 in a row, the first or last symbol alone", lambda rng: _long(rng), corner=True),
        Case("in training mode", lambda rng: _model(rng, order=3, training=True)),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"tokens": np.arange(11) % 5, "symbols": 5, "order": 2}),
            probe="fresh",
        ),
        Case("a long text", lambda rng: _model(rng, order=3, seen=500), hidden=True),
    ),
    hint=(
        "An n-gram is a number in base `symbols`; `unique(return_counts=True)` counts numbers. "
        "For a lower order, take the different (n + 1)-grams, drop their first symbols, and "
        "count the n-grams that remain."
    ),
    needs=("_as_numbers",),
)
