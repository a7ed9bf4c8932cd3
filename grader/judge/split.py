"""Splits of measured assignments: what a training function is given, and what it is judged by.

Each is drawn from a pool of examples by a seed, and drawn so that an answer that was written down
before fits no other seed: pictures are moved and get noise, characters and digits get other
numbers. The targets stay with whoever draws; a submission's process never has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Pool = Mapping[str, np.ndarray]

TRAINED = 1000  # pictures that are trained on; the rest is held out
TURN, ZOOM, SHIFT, NOISE = 0.25, 0.1, 0.8, 0.1  # radians, a share, pixels, of ink
CONTEXT, STRIDE, ROUNDS, STEP = 64, 128, 8, 8  # characters of a window, its block, its targets
HELD_OUT = 5  # every fifth block of lines
LINES = 20  # of a block


@dataclass(frozen=True, kw_only=True)
class Split:
    """One draw.

    Attributes:
        train: keyword arguments of ``train``.
        rounds: keyword arguments of each call of ``predict``, and what it is judged by. Each call
            has a process of its own, so that none can know of what a later one is given.
    """

    train: Mapping[str, object]
    rounds: tuple[tuple[Mapping[str, np.ndarray], np.ndarray], ...]


def digits(pool: Pool, chance: np.random.Generator) -> Split:
    """Handwritten digits, each shifted, turned and scaled a little by chance, with noise.

    Args:
        pool: ``images`` (examples, 8, 8) of 0 to 16, and ``labels`` (examples,).
        chance: what draws.
    """
    order = chance.permutation(len(pool["labels"]))
    images = moved(pool["images"][order] / 16, chance)
    labels = pool["labels"][order].astype(np.int64)
    return Split(
        train={"images": images[:TRAINED], "labels": labels[:TRAINED]},
        rounds=(({"images": images[TRAINED:]}, labels[TRAINED:]),),
    )


def moved(images: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Pictures (examples, height, width) in [0, 1], each seen through a small random affine map,
    with noise; float32.
    """
    count, height, width = images.shape
    turn = chance.uniform(-TURN, TURN, count)
    zoom = 1 + chance.uniform(-ZOOM, ZOOM, count)
    shift = chance.uniform(-SHIFT, SHIFT, (2, count, 1, 1))
    rows, columns = np.meshgrid(
        np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij"
    )
    cos, sin = ((f(turn) * zoom)[:, None, None] for f in (np.cos, np.sin))
    y = cos * rows - sin * columns + shift[0] + (height - 1) / 2
    x = sin * rows + cos * columns + shift[1] + (width - 1) / 2
    seen = np.zeros(images.shape)
    each = np.arange(count)[:, None, None]
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    for down in (0, 1):  # bilinear; outside there is no ink
        for right in (0, 1):
            row, column = np.floor(y) + down, np.floor(x) + right
            weight = (1 - abs(y - row)) * (1 - abs(x - column))
            inside = (
                np.clip(row, -1, height).astype(int) + 1,
                np.clip(column, -1, width).astype(int) + 1,
            )
            seen += weight * padded[each, *inside]
    return np.clip(seen + NOISE * chance.normal(size=seen.shape), 0, 1).astype(np.float32)


def characters(pool: Pool, chance: np.random.Generator) -> Split:
    """A text, its characters numbered by chance. Whole blocks of lines are held out; of these
    windows are cut that lie a window's length apart, and each moves forward in every round: what
    stands behind a target is in no context until that target is predicted.

    Args:
        pool: ``text``, the code points of a text of many lines.
        chance: what draws.
    """
    known, text = np.unique(pool["text"], return_inverse=True)
    text = chance.permutation(len(known))[text].astype(np.int64)
    ends = np.flatnonzero(pool["text"] == ord("\n"))[LINES - 1 :: LINES] + 1
    blocks = np.split(text, ends)
    held = np.zeros(len(blocks), bool)
    held[chance.permutation(len(blocks))[: len(blocks) // HELD_OUT]] = True
    unseen = np.concatenate([one for one, out in zip(blocks, held, strict=True) if out])
    starts = np.arange(0, len(unseen) - STRIDE, STRIDE)
    rounds = []
    for start in (starts + STEP * step for step in range(ROUNDS)):
        contexts = unseen[start[:, None] + np.arange(CONTEXT)]
        rounds.append(({"contexts": contexts}, unseen[start + CONTEXT]))
    seen = np.concatenate([one for one, out in zip(blocks, held, strict=True) if not out])
    return Split(train={"text": seen, "characters": len(known)}, rounds=tuple(rounds))


def dates(pool: Pool, chance: np.random.Generator) -> Split:
    """Dates as people write them, and eight digits each; characters and digits are numbered by
    chance, apart from each other, so that no rule can be written down beforehand.

    Args:
        pool: ``source`` (examples, longest), code points with zeros behind them, and ``target``
            (examples, 8), digits.
        chance: what draws.
    """
    order = chance.permutation(len(pool["target"]))
    known = np.unique(pool["source"])  # the zero of the padding comes first, and stays
    numbers = np.concatenate([[0], 1 + chance.permutation(len(known) - 1)])
    source = numbers[np.searchsorted(known, pool["source"][order])].astype(np.int64)
    target = chance.permutation(10)[pool["target"][order]].astype(np.int64)
    count = len(order) * 4 // 5
    return Split(
        train={"source": source[:count], "target": target[:count], "symbols": len(known)},
        rounds=(({"source": source[count:]}, target[count:]),),
    )


DRAWS: Mapping[str, Callable[[Pool, np.random.Generator], Split]] = {
    "digits": digits,
    "characters": characters,
    "dates": dates,
}
