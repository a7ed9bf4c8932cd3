"""Dates in 60 seconds: train a model that translates dates to digits."""

import datetime
import random
import re

import numpy as np

from grader.judge.measure import Challenge

COUNT, LANGUAGES = 2500, ("de", "en", "es", "fr")
CHALLENGE = Challenge(
    title="dates in 60 s",
    section="bottleneck-answered",
    metric="exact",
    seconds=60,
    memory_mb=2048,
    numbers=1_000_000,
    cutoffs=((0.1, 0), (0.95, 10)),
    license="formats of dates from the Unicode CLDR, Unicode License",
)
READS = ("from babel.dates import get_month_names\nget_month_names(locale='fr')[1]",)


def pool() -> dict[str, np.ndarray]:
    """Days of two centuries, each once, as people write them in one of four languages."""
    from babel.dates import format_date

    chance = random.Random(0)
    first, last = datetime.date(1900, 1, 1).toordinal(), datetime.date(2099, 12, 31).toordinal()
    days = [*map(datetime.date.fromordinal, chance.sample(range(first, last + 1), COUNT))]
    written = []
    for day in days:
        form, language = chance.choice(["full", "long", "medium"]), chance.choice(LANGUAGES)
        written.append(re.sub(r"\s+", " ", format_date(day, format=form, locale=language)))
    source = np.zeros((COUNT, max(map(len, written))), np.uint8)
    for row, text in zip(source, written, strict=True):
        row[: len(text)] = [*map(ord, text)]
    digits = [[*map(int, day.strftime("%Y%m%d"))] for day in days]
    return {"source": source, "target": np.array(digits, np.uint8)}
