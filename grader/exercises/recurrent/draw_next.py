"""`recurrent.draw_next`: sampling with a temperature."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _inputs(rng, batch=83, symbols=7, **settings):
    return {
        "logits": 1.5 * rng.standard_normal((batch, symbols)),
        "uniform": rng.random(batch),
        **settings,
    }


def _borders(rng):
    """Four symbols alike: their pieces end at 1/4, 1/2 and 3/4, to the last bit."""
    return {"logits": np.full((5, 4), 2.0), "uniform": np.array([0.0, 0.25, 0.5, 0.75, 0.9])}


def _ties(rng, temperature=0):
    logits = rng.integers(-3, 3, (31, 5)).astype(float)
    logits[:, 3] = logits[:, 1] = 4.0
    return {"logits": logits, "uniform": rng.random(31), "temperature": temperature}


def _large(rng):
    """Logits around 2000 and −2000, whose exponentials are ∞ and 0."""
    made = _inputs(rng, batch=31)
    made["logits"][:2] = [0, np.log(0.0005 / 0.9995), *[-60.0] * 5]  # pieces end at 0.9995 and 1
    made["uniform"][:2] = rng.uniform(0.9991, 0.9994), rng.uniform(0.9996, 0.9999)
    made["logits"] += np.where(np.arange(31) % 2, 2000.0, -2000.0)[:, None]
    return made


def _below_one(rng):
    """Ten symbols alike: a tenth ten times over is 1 − 2⁻⁵³, on every processor."""
    return {"logits": np.full((3, 10), 0.3), "uniform": np.array([0.05, 0.55, 1 - 2.0**-53])}


def _empty_last(rng):
    """The same, with symbols behind them that have no piece."""
    made = _below_one(rng)
    behind = np.full((3, 2), -np.inf)
    return {**made, "logits": np.concatenate([made["logits"], behind], axis=1)}


EXERCISE = Exercise(
    title="Sampling the next symbol",
    section="sampling-text",
    cases=(
        Case("many draws", lambda rng: _inputs(rng), 2),
        Case("cold", lambda rng: _inputs(rng, temperature=0.3)),
        Case("hot", lambda rng: _inputs(rng, temperature=5.0)),
        Case("a temperature of zero", lambda rng: _inputs(rng, temperature=0)),
        Case("equals, and a temperature of zero", lambda rng: _ties(rng), corner=True),
        Case(
            "equals, and a temperature near zero",
            lambda rng: _ties(rng, temperature=1e-9),
            corner=True,
        ),
        Case("large logits", lambda rng: _large(rng)),
        Case("on the border", lambda rng: _borders(rng), corner=True),
        Case("just below one", lambda rng: _below_one(rng), corner=True),
        Case("just below one, the last impossible", lambda rng: _empty_last(rng), corner=True),
        Case(
            "a negative temperature",
            lambda rng: _inputs(rng, batch=2, temperature=-0.5),
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _inputs(rng, batch=7), dtype="float32"),
        Case("two symbols", lambda rng: _inputs(rng, symbols=2, temperature=2.0), hidden=True),
        Case("one draw", lambda rng: _inputs(rng, batch=1), corner=True),
        Case(
            "one draw, and a temperature of zero",
            lambda rng: _inputs(rng, batch=1, temperature=0),
            hidden=True,
            corner=True,
        ),
        Case("beside the borders", lambda rng: _beside(rng), corner=True),
        Case("very cold, and large logits", lambda rng: _overflowing(rng), corner=True),
        Case("very cold, and logits that hardly differ", lambda rng: _close(rng), corner=True),
    ),
    hint="`cumsum` gives the ends of the pieces; how many of these ends has the number passed?",
    forbidden=("torch.multinomial",),
)


def _beside(rng):
    """Seven symbols alike, and nearer to a border than float32 can tell, which has the same seventh
    on every processor."""
    level = rng.standard_normal((12, 1))
    border = rng.integers(1, 7, size=12) / 7
    side = 1e-10 * (-1.0) ** np.arange(12)
    return {"logits": level + np.zeros((12, 7)), "uniform": border + side}


def _overflowing(rng):
    """Logits that are too large to be divided by this temperature."""
    made = _inputs(rng, batch=5, temperature=1e-306)
    return {**made, "logits": 3e3 * made["logits"]}


def _close(rng):
    made = _inputs(rng, batch=31, temperature=1e-12)
    return {**made, "logits": 1e-12 * made["logits"]}
