"""Which of a class's texts are alike, as evidence to read; never a verdict.

Texts are compared by fragments that no disguise changes (`grader.judge.likeness`). What counts is
what few have: fragments of the skeleton and of the published solution are taken from both sides of
the fraction, and so are those of more than a share of the class, since the task itself asks for
them. Files that are the same to the byte are listed in any case, however many students have them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader import course
from grader.errors import UserError
from grader.instruct import gradebook
from grader.instruct.gradebook import Gradebook
from grader.instruct.names import shown
from grader.instruct.store import DATABASE
from grader.judge import reader, records, source, submission

COMMON = 0.2  # share of a class whose fragments say nothing
FEW = 3  # and in a small class, as many students as may share one all the same
LEAST = 12  # own fragments that two texts share: about as many lines
LONGEST = 40  # lines of a fragment; of a longer one the first and the last are marked
SHARE = 0.85  # of the own fragments of the smaller text


@dataclass(frozen=True)
class Place:
    """Where a fragment stands in a text: lines of a file, and the definition they belong to."""

    file: str
    first: int
    last: int
    title: str


@dataclass
class Text:
    """Text that one student handed in.

    Attributes:
        owner: the student's id.
        title: how the student is called.
        files: texts by name.
        term: of an earlier class; nothing for this one.
        group: whose members hand in the same text.
        places: of each fragment.
        unread: why it has none.
    """

    owner: str
    title: str
    files: Mapping[str, str]
    term: str = ""
    group: str = ""
    places: dict[str, list[Place]] = field(default_factory=dict)
    unread: str = ""


@dataclass(frozen=True)
class Pair:
    """Two texts, the fragments that both have and few others do, and the share that they are of
    those of the smaller one.
    """

    left: Text
    right: Text
    fragments: tuple[str, ...]
    share: float

    def lines(self, text: Text) -> dict[str, dict[int, list[int]]]:
        """Lines that the shared fragments cover, by file, with the numbers of the fragments."""
        found: dict[str, dict[int, list[int]]] = {}
        for number, one in enumerate(self.fragments):
            for place in text.places[one]:
                lines = range(place.first, place.last + 1)
                for line in lines if len(lines) <= LONGEST else (place.first, place.last):
                    found.setdefault(place.file, {}).setdefault(line, []).append(number)
        return found

    def where(self) -> dict[str, int]:
        """How many shared fragments stand in each definition of the left text."""
        titles = (self.left.places[one][0].title for one in self.fragments)
        return dict(Counter(titles).most_common())


@dataclass(frozen=True)
class Identical:
    """A file that several students handed in, the same to the byte."""

    file: str
    texts: Sequence[Text]


@dataclass(frozen=True)
class Likeness:
    """Texts that were compared, and the likeness that was found.

    Attributes:
        texts: of the class.
        earlier: of classes before.
        pairs: from most to least that is shared.
        compared: how many pairs there are in all.
        identical: files that several have, whatever their pairs share.
    """

    texts: Sequence[Text]
    earlier: Sequence[Text]
    pairs: Sequence[Pair]
    compared: int
    identical: Sequence[Identical] = ()


def of_class(book: Gradebook) -> list[Text]:
    """The text that counts of each student."""
    counted = {student.id: book.counted(student.id) for student in book.students}
    there = {who: attempt for who, attempt in counted.items() if attempt}
    files = book.texts([*there.values()])
    return [
        Text(student.id, student.title, files[there[student.id].id], group=student.group)
        for student in book.students
        if student.id in there and there[student.id].id in files
    ]


def of_earlier(folder: Path, exercises: Collection[str]) -> list[Text]:
    """Texts of an earlier class: a folder of grades, or one with a file, a folder or a zip
    for each student.

    Raises:
        UserError: nothing there can be read.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.")
    term = folder.resolve().name
    if (folder / DATABASE).is_file():
        found = of_class(gradebook.read(folder, settled=False))
        return [Text(one.owner, one.title, one.files, term, one.group) for one in found]
    texts = [
        Text(shown(path.stem), shown(path.stem), files, term)
        for path in sorted(folder.iterdir())
        if (files := _handed_in(path, exercises))
    ]
    if not texts:
        slugs = ", ".join(sorted({one.partition(".")[0] for one in exercises}))
        raise UserError(f"{folder} holds nothing that can be read of {slugs}.")
    return texts


def _handed_in(path: Path, exercises: Collection[str]) -> dict[str, str]:
    """The chapters' files of one student; of a notebook what its exercises need."""
    files = {}
    for slug in dict.fromkeys(one.partition(".")[0] for one in exercises):
        try:
            source = submission.read(path, slug)
            files[f"{slug}.py"] = source.text
            if source.cells is not None:
                manifests = records.select([one for one in exercises if one.startswith(f"{slug}.")])
                files[f"{slug}.py"] = "\n\n".join(
                    dict.fromkeys(one.text for one in source.readings(manifests).values())
                )
        except (UserError, reader.Unreadable):
            continue
    return files


def compare(
    texts: Sequence[Text],
    earlier: Sequence[Text] = (),
    *,
    exercises: Collection[str],
    common: float = COMMON,
) -> Likeness:
    """Which texts share what few have.

    Args:
        texts: of the class; each is compared with each.
        earlier: compared with those of the class, and not with one another.
        exercises: ids; what nobody needs for them is dead code.
        common: a fragment of more than this share of a class says nothing.
    """
    for text in [*texts, *earlier]:
        _read(text, exercises)
    known = published(exercises) | _frequent(texts, common) | _frequent(earlier, common)
    own = {id(text): text.places.keys() - known for text in [*texts, *earlier]}
    holders: dict[str, list[int]] = {}
    every = [*texts, *earlier]
    for number, text in enumerate(every):
        for one in own[id(text)]:
            holders.setdefault(one, []).append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        inside = [number for number in numbers if number < len(texts)]
        shared.update(itertools.combinations(inside, 2))
        shared.update(itertools.product(inside, numbers[len(inside) :]))
    pairs = []
    for (a, b), count in sorted(shared.items()):
        left, right = every[a], every[b]
        share = count / min(len(own[id(left)]), len(own[id(right)]))
        if count >= LEAST and share >= SHARE and not _together(left, right):
            both = own[id(left)] & own[id(right)]
            first = {one: min(place.first for place in left.places[one]) for one in both}
            pairs.append(Pair(left, right, tuple(sorted(both, key=lambda o: (first[o], o))), share))
    pairs.sort(key=lambda pair: (-len(pair.fragments) * pair.share, pair.left.owner))
    compared = len(texts) * (len(texts) - 1) // 2 + len(texts) * len(earlier)
    same = [*_identical(texts, earlier, skeletons(exercises))]
    return Likeness(texts, earlier, pairs, compared, same)


def published(exercises: Collection[str]) -> set[str]:
    """Fragments of the published solutions and of their skeletons."""
    slugs = dict.fromkeys(one.partition(".")[0] for one in exercises)
    solutions = {slug: course.original(slug) for slug in slugs}
    return _fragments(solutions, exercises) | skeletons(exercises)


def skeletons(exercises: Collection[str]) -> set[str]:
    """Fragments of what students are given."""
    slugs = dict.fromkeys(one.partition(".")[0] for one in exercises)
    blank = {slug: source.blank(course.original(slug), records.symbols(slug)) for slug in slugs}
    return _fragments(blank, exercises)


def _fragments(modules: Mapping[str, str], exercises: Collection[str]) -> set[str]:
    found = set()
    for slug, text in modules.items():
        known = Text("", "", {f"{slug}.py": text})
        _read(known, exercises)
        found |= known.places.keys()
    return found


def _identical(
    texts: Sequence[Text], earlier: Sequence[Text], given: Collection[str]
) -> Iterator[Identical]:
    """Files that students who did not hand in together have the same to the byte.

    Args:
        texts: of the class, read.
        earlier: of classes before, read.
        given: fragments of the skeletons; a file that has no others is nobody's work.
    """
    holders: dict[tuple[str, str], list[Text]] = {}
    for text in [*texts, *earlier]:
        for name, content in text.files.items():
            own = (one for one, places in text.places.items() if places[0].file == name)
            if text.unread or any(one not in given for one in own):
                holders.setdefault((name, content), []).append(text)
    for (name, _), own in holders.items():
        apart = any(not _together(one, other) for one, other in itertools.combinations(own, 2))
        if apart and not own[0].term:  # the class comes first
            yield Identical(name, own)


def _read(text: Text, exercises: Collection[str]) -> None:
    """Find the fragments of a text."""
    symbols = [one.partition(".")[2] for one in exercises]
    for name, content in text.files.items():
        try:
            found = reader.ask("fragments", name, text=content, symbols=symbols)
        except reader.Unreadable as error:
            text.unread = str(error)
            continue
        text.unread = text.unread or (found["error"] and f"{name}: {found['error']}")
        for key, first, last, title in found["found"]:
            text.places.setdefault(key, []).append(Place(name, first, last, title))


def _frequent(texts: Sequence[Text], common: float) -> set[str]:
    """Fragments that more than a share of some texts have; a group's text counts once."""
    once = {text.group or text.owner: text for text in texts}.values()
    count = Counter(one for text in once for one in text.places)
    return {one for one, times in count.items() if times > max(FEW, common * len(once))}


def _together(left: Text, right: Text) -> bool:
    """Did these two hand in as one, or is it the same student again?"""
    same = left.owner == right.owner
    return same or (bool(left.group) and (left.group, left.term) == (right.group, right.term))


def as_json(found: Likeness) -> dict:
    """Pairs as plain values, with the lines that are shared."""
    return {
        "format": 1,
        "note": NOTE,
        "texts": len(found.texts),
        "earlier": len(found.earlier),
        "compared": found.compared,
        "pairs": [
            {
                "left": _side(pair, pair.left),
                "right": _side(pair, pair.right),
                "fragments": len(pair.fragments),
                "share": round(pair.share, 4),
                "where": pair.where(),
            }
            for pair in found.pairs
        ],
        "identical": [
            {
                "file": one.file,
                "students": [{"student": text.owner, "term": text.term} for text in one.texts],
            }
            for one in found.identical
        ],
        "unread": {text.owner: text.unread for text in found.texts if text.unread},
    }


NOTE = "Shared fragments are evidence to read, not a verdict: talk to both before you judge."


def _side(pair: Pair, text: Text) -> dict:
    lines = {name: sorted(marked) for name, marked in pair.lines(text).items()}
    return {"student": text.owner, "term": text.term, "lines": lines}


def summary(found: Likeness) -> Iterator[str]:
    """A line for each pair and each file that is the same, and what was compared."""
    for one in found.identical:
        yield f"identical {one.file}: {', '.join(map(title, one.texts))}"
    for pair in found.pairs:
        where = ", ".join(pair.where())
        yield (
            f"{pair.share:4.0%} of own code, {len(pair.fragments):>3} fragments  "
            f"{title(pair.left)} and {title(pair.right)}: {where}"
        )
    for text in found.texts:
        if text.unread:
            yield f"not compared: {shown(text.title)}, {shown(text.unread)}"
    before = f" and {len(found.earlier)} earlier ones" if found.earlier else ""
    same = f" Identical files: {len(found.identical)}." if found.identical else ""
    yield (
        f"{len(found.texts)} texts{before}, {found.compared} pairs compared, "
        f"{len(found.pairs)} to read.{same} {NOTE}"
    )


def title(text: Text) -> str:
    """A student's name, with the term of an earlier class."""
    return shown(f"{text.title} ({text.term})" if text.term else text.title)
