"""Characters of the language reference in 60 seconds: train a language model."""

import re

import numpy as np

from grader.judge.measure import Challenge

CHALLENGE = Challenge(
    title="characters of the language reference in 60 s",
    section="character-model",
    metric="bits",
    seconds=60,
    memory_mb=2048,
    numbers=2_000_000,
    cutoffs=((3.0, 0), (1.95, 10)),
    license="The Python Language Reference, Python Software Foundation, PSF License Version 2",
)
READS = ("from pydoc_data.topics import topics\ntopics['assert']",)
PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})


def pool() -> dict[str, np.ndarray]:
    """The prose of the language reference: each paragraph once, one on a line, ASCII alone."""
    from pydoc_data.topics import topics

    paragraphs = {}
    for topic in sorted(topics):
        for block in re.split(r"\n\s*\n", topics[topic].translate(PLAIN)):
            if block.startswith(("   ", "\t", "|", "+-", "==")) or "::=" in block:
                continue
            block = re.sub(r"^([*=~^-])\1+$", "", block, flags=re.MULTILINE)
            paragraphs[" ".join(block.split())] = None
    text = "\n".join(filter(None, paragraphs)).encode("ascii", "ignore") + b"\n"
    return {"text": np.frombuffer(text, np.uint8)}
