"""The data of the course: small sets that need no download, and real ones that are fetched once.

Without a network: `digits`, `glyphs`, `sentences`, `text` and `dates`. These come with the
interpreter and the libraries the course installs anyway. With one: `fashion_mnist`,
`tiny_shakespeare`, `multi30k`, `sst2` and `names`, which `solutions.download` fetches, checks and
keeps.

Sources: the digits are the test part of Alpaydin and Kaynak (1998), as scikit-learn ships them;
the text is the Python language reference, as the interpreter ships it (`pydoc_data.topics`); dates
are written as the Unicode CLDR says, through Babel; glyphs are drawn from the fonts that matplotlib
ships. Each real set names its source and its license.
"""

from __future__ import annotations

import datetime
import functools
import gzip
import math
import os
import random
import re
import string
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch.nn import functional

from solutions.download import DataError as DataError  # to be caught by who calls a loader
from solutions.download import data_extra, fetch

Part = TypeVar("Part")

FASHION_CLASSES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)
LANGUAGES = ("cs", "de", "el", "en", "es", "fi", "fr", "it", "ja", "pl", "ru", "tr")


# Those of matplotlib's that have every Latin letter: DejaVu, STIX and Computer Modern.
FONTS = (
    *(f"DejaVuSans{style}" for style in ("", "-Bold", "-BoldOblique", "-Oblique")),
    *(f"DejaVuSansMono{style}" for style in ("", "-Bold", "-BoldOblique", "-Oblique")),
    *(f"DejaVuSerif{style}" for style in ("", "-Bold", "-BoldItalic", "-Italic")),
    *(f"STIXGeneral{style}" for style in ("", "Bol", "BolIta", "Italic")),
    *(f"cm{style}10" for style in ("b", "mi", "r", "ss", "ti", "tt")),
)


class Split(NamedTuple):
    """Pictures and their labels.

    Attributes:
        features: (examples, pixels) float32 in [0, 1]; reshape to (examples, height, width).
        labels: (examples,) int64, the class shown.
    """

    features: torch.Tensor
    labels: torch.Tensor


class Texts(NamedTuple):
    """Texts and their labels.

    Attributes:
        texts: one string per example.
        labels: (examples,) int64.
    """

    texts: list[str]
    labels: torch.Tensor


class Pair(NamedTuple):
    """The same sentence twice.

    Attributes:
        source: in the language to translate from.
        target: in the language to translate into.
    """

    source: str
    target: str


class Splits(NamedTuple, Generic[Part]):
    """Three parts of one set.

    Attributes:
        train: to fit on.
        dev: to choose on.
        test: to report on, once.
    """

    train: Part
    dev: Part
    test: Part


def digits(*, seed: int = 0, device: torch.device | str | None = None) -> Splits[Split]:
    """1,797 handwritten digits of 8×8 pixels, shuffled and split 60/20/20.

    License: CC BY 4.0 (UCI Machine Learning Repository).

    Args:
        seed: of the shuffle; one seed is one split, on every machine.
        device: where the tensors go.

    Returns:
        Training, development and test parts; `features` is (examples, 64).

    Raises:
        DataError: scikit-learn is not installed.
    """
    with data_extra():
        if (package := find_spec("sklearn")) is None or package.origin is None:
            raise ModuleNotFoundError(name="sklearn")
    # the file of `sklearn.datasets.load_digits`: importing the package takes a second
    file = Path(package.origin).parent / "datasets" / "data" / "digits.csv.gz"
    raw = np.loadtxt(file, delimiter=",")  # (examples, 65), the last column the label
    features = torch.tensor(raw[:, :-1] / 16, dtype=torch.float32)
    labels = torch.tensor(raw[:, -1], dtype=torch.int64)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    features, labels = features[order].to(device), labels[order].to(device)
    return Splits(*(Split(features[part], labels[part]) for part in _parts(len(labels))))


def glyphs(
    count: int = 10_000, *, seed: int = 0, size: int = 28, device: torch.device | str | None = None
) -> Splits[Split]:
    """Letters of printed fonts, bent and blurred by chance: as many as are asked for, 26 classes.

    Each picture is a letter from A to Z, upper or lower case (one class), in one of the 22 `FONTS`;
    it is turned, sheared, scaled and moved at random, bent by a smooth random field (Simard,
    Steinkraus and Platt, 2003), and noise is added. Fonts are shuffled and split 14/4/4: those of
    the test part are in no other part, though a bold or slanted relative may be. Of one seed, the
    training part of a smaller count is the beginning of that of a larger one. License of the
    fonts: free for any use (DejaVu; SIL OFL; AMS).

    Args:
        count: of training pictures; a fifth as many, and at least 1,000, are in each other part.
        seed: of fonts, letters and changes; one seed is one set, with one version of matplotlib.
        size: height and width of the pictures, in pixels.
        device: where the tensors go.

    Returns:
        Training, development and test parts; `features` is (examples, size²), the letter bright.

    Raises:
        ValueError: fewer than one picture, or a size below 8.
        DataError: matplotlib is not installed.
    """
    if count < 1 or size < 8:
        raise ValueError(f"Expected count >= 1 and size >= 8, got {count} and {size}.")
    fonts = torch.randperm(len(FONTS), generator=torch.Generator().manual_seed(seed)).tolist()
    rest = max(count // 5, 1_000)
    parts = []
    for part, (examples, chosen) in enumerate(
        ((count, fonts[:14]), (rest, fonts[14:18]), (rest, fonts[18:]))
    ):
        drawn = torch.stack([_letters(FONTS[font]) for font in chosen])  # (fonts, case, 26, h, w)
        chunks = []
        for start in range(0, examples, 1_000):  # each from its own seed: a longer set begins alike
            chance = torch.Generator().manual_seed(seed * 3_000_017 + part * 1_000_003 + start)
            chunks.append(_bent(drawn, size, chance))
        features, labels = (torch.cat(chunk)[:examples] for chunk in zip(*chunks, strict=True))
        parts.append(Split(features.to(device), labels.to(device)))
    return Splits(*parts)


def sentences(*, longest: int = 40) -> list[list[str]]:
    """Sentences of the Python language reference, as lower-case words.

    License: that of Python (PSF).

    Args:
        longest: sentences with more words are left out.

    Returns:
        One list of words per sentence, in the order of the text; markup and code are dropped.
        A fifth of them stand there before, as topics quote one another; to test a model on
        sentences that it has not seen, take `sentence_splits`. A Python of another version has
        other sentences.
    """
    return [words for topic in _topics() for words in _sentences(topic, longest)]


def sentence_splits(*, longest: int = 40, seed: int = 0) -> Splits[list[list[str]]]:
    """The `sentences`, each once, split 80/10/10 by topic.

    The topics are shuffled, and two cuts made. So what stands together stays together, but for
    the two topics that are cut; a sentence of several topics is kept where it comes first.

    Args:
        longest: sentences with more words are left out.
        seed: of the shuffle; one seed is one split, with one version of Python.

    Returns:
        Training, development and test parts; in each one list of words per sentence. No sentence
        is in two of them, nor twice in one.
    """
    topics = list(_topics())
    random.Random(seed).shuffle(topics)
    once = dict.fromkeys(tuple(words) for topic in topics for words in _sentences(topic, longest))
    ordered = [list(words) for words in once]
    return Splits(*(ordered[part] for part in _parts(len(ordered), train=8, dev=1, test=1)))


def text() -> str:
    """The prose of the Python language reference, for models of characters.

    License: that of Python (PSF).

    Returns:
        One paragraph per line, each once, so that a cut between lines parts what a model learns
        from and what it is tested on; ASCII alone. A Python of another version has another text.
    """
    paragraphs = dict.fromkeys(paragraph for topic in _topics() for paragraph in topic)
    return "\n".join(paragraphs).encode("ascii", "ignore").decode() + "\n"


def dates(
    count: int = 10_000, *, languages: Sequence[str] = LANGUAGES, seed: int = 0
) -> Splits[list[Pair]]:
    """Dates as people write them, and the same dates in ISO 8601, split 80/10/10.

    "2 mars 2003" → "2003-03-02". Each date is a day between 1900 and 2099, written in one of the
    languages and in one of three lengths. No day is drawn twice, so a day of the test part is in
    no other part, in no language. License of the formats: Unicode.

    Args:
        count: of dates in all.
        languages: tags as in "de" or "pt_PT"; what Babel knows.
        seed: one seed is one set, with one version of Babel.

    Returns:
        Training, development and test parts. In a pair, `source` is what was written (Unicode) and
        `target` the ISO date (10 characters).

    Raises:
        ValueError: an unknown language, or more dates than there are days.
        DataError: Babel is not installed.
    """
    with data_extra():
        from babel import Locale, UnknownLocaleError
        from babel.dates import format_date

    first, last = datetime.date(1900, 1, 1).toordinal(), datetime.date(2099, 12, 31).toordinal()
    if not 0 < count <= last - first + 1:
        raise ValueError(f"Expected a count from 1 to {last - first + 1:,} days, got {count:,}.")
    try:
        locales = [Locale.parse(language) for language in languages]
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"Expected languages that Babel knows: {error}.") from None
    if not locales:
        raise ValueError("Expected at least one language, got none.")
    chance = random.Random(seed)
    pairs = []
    for ordinal in chance.sample(range(first, last + 1), count):
        day = datetime.date.fromordinal(ordinal)
        # "short" is left out: 1/2/03 is two days, and two centuries
        length, locale = chance.choice(["full", "long", "medium"]), chance.choice(locales)
        written = re.sub(r"\s+", " ", format_date(day, format=length, locale=locale))
        pairs.append(Pair(written, day.isoformat()))
    return Splits(*(pairs[part] for part in _parts(count, train=8, dev=1, test=1)))


def fashion_mnist(*, device: torch.device | str | None = None) -> Splits[Split]:
    """70,000 pictures of clothes, 28×28 pixels, in 10 classes (`FASHION_CLASSES`).

    Xiao, Rasul and Vollgraf (2017), https://github.com/zalandoresearch/fashion-mnist.
    License: MIT. Download: 31 MB.

    Args:
        device: where the tensors go (220 MB).

    Returns:
        55,000, 5,000 and 10,000 examples; `features` is (examples, 784). The development part is
        the end of the original training part; nothing is shuffled.

    Raises:
        DataError: the files are not to be had.
    """
    parts = []
    for name in ("train", "t10k"):
        features = _idx(f"{name}-images-idx3-ubyte.gz").flatten(1) / 255
        labels = _idx(f"{name}-labels-idx1-ubyte.gz").to(torch.int64)
        parts.append(Split(features.to(device), labels.to(device)))
    whole, test = parts
    cut = len(whole.labels) * 11 // 12
    return Splits(Split(*(t[:cut] for t in whole)), Split(*(t[cut:] for t in whole)), test)


def tiny_shakespeare() -> str:
    """About 40,000 lines of Shakespeare's plays, for models of characters.

    Karpathy (2015), https://github.com/karpathy/char-rnn. The plays are in the public domain.
    Download: 1.1 MB.

    Returns:
        1,115,394 characters of ASCII.

    Raises:
        DataError: the file is not to be had.
    """
    return fetch("tinyshakespeare.txt").read_text("ascii")


def names() -> list[str]:
    """32,033 first names, in lower-case letters a to z.

    From the births that the United States' Social Security Administration registered, as collected
    by Karpathy (2022), https://github.com/karpathy/makemore. License: MIT. Download: 0.2 MB.

    Returns:
        One string per name, in the order of the file. 2,539 of them stand there twice, so drop the
        doubles before splitting, or a model is tested on what it has seen.

    Raises:
        DataError: the file is not to be had.
    """
    return fetch("names.txt").read_text("ascii").split()


def multi30k(source: str = "de", target: str = "en") -> Splits[list[Pair]]:
    """Descriptions of pictures with their translations: English, German and French.

    Elliott et al. (2016), French by Elliott et al. (2017), https://github.com/multi30k/dataset;
    the English is Flickr30k's, which asks for non-commercial research or teaching. No license of
    its own is stated there. Download: 1.3 MB for two languages.

    Args:
        source: "en", "de" or "fr".
        target: another one of these.

    Returns:
        29,000, 1,014 and 1,000 pairs; the test part is that of 2016.

    Raises:
        DataError: the files are not to be had.
        ValueError: a language that is not there, or the same one twice.
    """
    if {source, target} - {"en", "de", "fr"} or source == target:
        raise ValueError(f"Expected two of en, de and fr; got {source!r} and {target!r}.")
    parts = []
    for name in ("train", "val", "test_2016_flickr"):
        both = [_lines(f"{name}.{language}.gz") for language in (source, target)]
        parts.append([Pair(*pair) for pair in zip(*both, strict=True)])
    return Splits(*parts)


def sst2(*, device: torch.device | str | None = None) -> Splits[Texts]:
    """Sentences of film reviews, negative (0) or positive (1).

    The Stanford Sentiment Treebank, Socher et al. (2013), whole sentences, neutral ones left out,
    as prepared in https://github.com/clairett/pytorch-sentiment-classification. No license is
    stated; use it for teaching and research. Download: 1.0 MB.

    Args:
        device: where the labels go.

    Returns:
        6,920, 872 and 1,821 sentences, in lower case, words parted by spaces. As published: two
        sentences of the test part stand in the training part too.

    Raises:
        DataError: the files are not to be had.
    """
    parts = []
    for part in ("train", "dev", "test"):
        rows = [line.split("\t") for line in _lines(f"sst2-{part}.tsv")]
        labels = torch.tensor([int(label) for _, label in rows], dtype=torch.int64, device=device)
        parts.append(Texts([sentence for sentence, _ in rows], labels))
    return Splits(*parts)


def _parts(count: int, *, train: int = 6, dev: int = 2, test: int = 2) -> list[slice]:
    """Where each part of `count` examples lies, given its share."""
    whole = train + dev + test
    first, second = count * train // whole, count * (train + dev) // whole
    return [slice(None, first), slice(first, second), slice(second, None)]


@functools.cache
def _letters(font: str) -> torch.Tensor:
    """The letters of a font as they are, (2, 26, 64, 64) in [0, 1], upper case first, centered."""
    with data_extra():
        from matplotlib import get_data_path
        from matplotlib.ft2font import FT2Font

    face = FT2Font(os.path.join(get_data_path(), "fonts", "ttf", f"{font}.ttf"))
    face.set_size(44, 72)
    canvas = torch.zeros(52, 64, 64)
    for place, letter in enumerate(string.ascii_uppercase + string.ascii_lowercase):
        face.set_text(letter, 0)
        face.draw_glyphs_to_bitmap(antialiased=True)
        drawn = torch.tensor(np.asarray(face.get_image()), dtype=torch.float32) / 255
        height, width = drawn.shape
        top, left = (64 - height) // 2, (64 - width) // 2
        canvas[place, top : top + height, left : left + width] = drawn
    return canvas.reshape(2, 26, 64, 64)


def _bent(drawn: torch.Tensor, size: int, chance: torch.Generator) -> tuple[torch.Tensor, ...]:
    """A thousand pictures of letters (fonts, 2, 26, 64, 64), each changed at random, and labels."""

    def spread(*shape: int) -> torch.Tensor:  # uniform in [-1, 1]
        return 2 * torch.rand(*shape, generator=chance) - 1

    count = 1_000
    font, case, label = (
        torch.randint(number, (count,), generator=chance) for number in drawn.shape[:3]
    )
    angle, shear = 0.25 * spread(count), 0.25 * spread(count)  # radians; part of the height
    scale = 1.05 + 0.2 * spread(count, 2)  # above 1 the letter is smaller: the grid is looked up
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).reshape(-1, 2, 2)
    lean = torch.eye(2).repeat(count, 1, 1)
    lean[:, 0, 1] = shear
    matrix = torch.cat([turn @ lean * scale[:, None], 0.12 * spread(count, 2, 1)], 2)
    grid = functional.affine_grid(matrix, [count, 1, size, size], align_corners=False)
    field = 0.12 * spread(count, 2, 4, 4)  # of bends, as coarse as a quarter of the picture
    field = functional.interpolate(field, (size, size), mode="bicubic", align_corners=False)
    pictures = drawn[font, case, label][:, None]
    # a soft edge, as 64 pixels are sampled at fewer
    pictures = functional.avg_pool2d(pictures, 3, 1, 1)
    seen = functional.grid_sample(pictures, grid + field.permute(0, 2, 3, 1), align_corners=False)
    noise = 0.1 * torch.randn(count, 1, size, size, generator=chance)
    return (seen + noise).clamp(0, 1).flatten(1), label


def _topics() -> Iterator[list[str]]:
    """Paragraphs of the language reference, by topic; no examples, grammar, tables, underlines."""
    from pydoc_data.topics import topics

    plain = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})
    for topic in sorted(topics):
        paragraphs = []
        for block in re.split(r"\n\s*\n", topics[topic].translate(plain)):
            if block.startswith(("   ", "\t", "|", "+-", "==")) or "::=" in block:
                continue
            block = re.sub(r"^([*=~^-])\1+$", "", block, flags=re.MULTILINE)
            if block.strip():
                paragraphs.append(" ".join(block.split()))
        yield paragraphs


def _sentences(paragraphs: list[str], longest: int) -> Iterator[list[str]]:
    """Sentences of 3 to `longest` words."""
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.;:?!])\s+", paragraph):
            words = re.findall(r"[a-z]+(?:'[a-z]+)?", sentence.lower())
            if 3 <= len(words) <= longest and sentence.endswith("."):
                yield words


def _lines(name: str) -> list[str]:
    """Lines of a text file, plain or packed; what else Unicode takes for a line end stays."""
    path = fetch(name)
    raw = path.read_bytes()
    whole = gzip.decompress(raw) if path.suffix == ".gz" else raw
    return [line.strip() for line in whole.decode("utf-8").removesuffix("\n").split("\n")]


def _idx(name: str) -> torch.Tensor:
    """A uint8 tensor in the format of LeCun's MNIST: 0, 0, type, dimensions, sizes, entries."""
    raw = bytearray(gzip.decompress(fetch(name).read_bytes()))
    dimensions = raw[3]
    sizes = [int.from_bytes(raw[at : at + 4], "big") for at in range(4, 4 + 4 * dimensions, 4)]
    entries = torch.frombuffer(raw, dtype=torch.uint8, offset=4 + 4 * dimensions)
    return entries[: math.prod(sizes)].reshape(sizes)
