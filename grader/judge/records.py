"""Records of exercises: all that checking needs, and nothing that answers.

One safetensors file per exercise, ``references/<slug>/<symbol>.safetensors``: a manifest, and for
each case its inputs, what the solution returned, and what every known mistake is recognized by
(`grader.judge.stored` has the format). ``index.json`` beside the folders holds the order of the
book, and the names of each exercise's core cases. A student's copy needs no exercise and no
solution.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from grader import course
from grader.enclose.worker import wire
from grader.errors import UserError, unknown
from grader.judge import stored, words
from grader.judge.compare import Difference, compare, costs, score

FOLDER = Path(__file__).resolve().parents[1] / "references"
INDEX = "index.json"
SUFFIX = ".safetensors"
FORMAT = 3
AGAIN = "Record it again: grade record, or grade hidden for a folder of yours."


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people write, and the sentence for whoever wrote it."""

    name: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Facts of an exercise before anything runs.

    Attributes:
        slug: chapter.
        symbol: function or class to write.
        title: what is built, in a few words.
        section: anchor of the chapter's section that explains it; outside of the course, the
            address of a page, or nothing.
        hint: one or two sentences that help without giving the answer.
        tolerance: largest relative difference that still counts as the same number.
        forbidden: names that may not be used.
        needs: other symbols of the same file that the right answer may call.
        mistakes: known wrong answers.
        public_points: what the public cases are worth.
        points: what all cases are worth.
        secret: recorded with an instructor's seed: no number of it may be shown.
        core_points: what the core cases of this record are worth.
        returns: how each returned value is called, where there are several.
    """

    slug: str
    symbol: str
    title: str
    section: str
    hint: str
    tolerance: float
    forbidden: tuple[str, ...]
    needs: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    public_points: int
    points: int
    secret: bool
    core_points: int
    returns: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.slug}.{self.symbol}"

    @property
    def place(self) -> str:
        """The section that explains it, as it is shown; empty if there is none."""
        outside = not self.section or self.section.startswith(course.SITE)
        return self.section if outside else f"{self.slug}.html#{self.section}"


@dataclass(frozen=True, kw_only=True)
class RecordedCase:
    """Facts of one case.

    Attributes:
        name: what this case looks at.
        points: all of them or nothing.
        call: what the worker is asked to run.
        held_out: what it never sees.
        expected: named values that the solution returned.
        mistakes: for each known mistake that goes wrong on this case, what it is recognized by: a
            `grader.judge.prints.trace`, or an error.
        tolerance: largest relative difference that still counts as the same number.
        at_least: the share of predictions that must agree with ``held_out["labels"]``, where
            numbers are not compared.
        most: what it may cost at most, by what is counted (`grader.enclose.worker.cost`).
        corner: an answer can be wrong here and have the idea right.
        returns: how each returned value is called, where there are several.
    """

    name: str
    points: int
    call: Mapping
    held_out: Mapping
    expected: Mapping
    mistakes: Mapping[str, Mapping]
    tolerance: float
    at_least: float | None = None
    most: Mapping[str, int] | None = None
    corner: bool = False
    returns: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Is its cost judged?"""
        return bool(self.most) or self.call.get("budget") is not None

    def label(self, name: str) -> str:
        """One of the named values, as a student calls it."""
        returns = words.steps(self.call.get("steps") or ()) or self.returns
        return words.label(name, self.call.get("probe", "function"), returns)

    def judge(self, got: Mapping) -> Difference | None:
        """Compare with the solution; None when the case is passed."""
        if self.at_least is not None:
            return score(self.at_least, self.held_out["labels"], got)
        exact = bool(self.call.get("steps"))  # which read attributes
        found = compare(self.expected, got, self.tolerance, label=self.label, exact=exact)
        return found or next(iter(self.beyond(got)), None)

    def beyond(self, got: Mapping) -> list[Difference]:
        """Which of its costs are too high."""
        return costs(self.most or {}, got)


@dataclass(frozen=True)
class Record:
    """An exercise with its cases."""

    manifest: Manifest
    cases: tuple[RecordedCase, ...]

    @property
    def core(self) -> Record:
        """The same with its core cases alone."""
        return replace(self, cases=tuple(case for case in self.cases if not case.corner))


def home(slug: str) -> Path:
    """The folder of a chapter's public records: the course's, or that of a project."""
    outside = course.project(slug)
    return outside.references if outside else FOLDER


def slugs(folder: Path | None = None) -> list[str]:
    """Chapters that have recorded exercises, in the order of the book; those of projects last."""
    if folder:
        return list(_index(folder))
    folders = [FOLDER, *(one.references for one in course.projects())]
    return [slug for one in folders for slug in _index(one) if home(slug) == one]


def symbols(slug: str, folder: Path | None = None) -> tuple[str, ...]:
    """The exercises of a chapter by name, in its order; none of a chapter that is not known."""
    return tuple(_known((folder or home(slug)) / INDEX).get(slug, ()))


def core(slug: str, symbol: str, folder: Path | None = None) -> tuple[str, ...]:
    """The names of an exercise's core cases; none where nobody has said which they are."""
    return _known((folder or home(slug)) / INDEX).get(slug, {}).get(symbol, ())


def manifests(slug: str, folder: Path | None = None) -> list[Manifest]:
    """The exercises of a chapter, in the order in which the chapter builds them.

    Raises:
        UserError: no such chapter, or a record that cannot be read.
    """
    folder = folder or home(slug)
    there, cores = _there(folder / slug), _known(folder / INDEX).get(slug, {})
    if not there:
        raise unknown("chapter", slug, slugs(folder))
    return [_manifest(there[name], cores.get(name, ())) for name in _ordered(cores, there)]


def select(targets: Sequence[str] = (), folder: Path | None = None) -> list[Manifest]:
    """The exercises that slugs and ids name, each once; without a name all there are.

    Raises:
        UserError: no such chapter or exercise; the message suggests near names.
    """
    named = [target.partition(".")[0] for target in targets]
    recorded = [slug.isidentifier() and _there((folder or home(slug)) / slug) for slug in named]
    there = named if named and all(recorded) else slugs(folder)
    for slug in named:
        if slug not in there and not folder and course.project(slug):
            raise UserError(f"{slug} has no recorded exercise yet. Record it: grade record {slug}")
    return choose(targets, there, lambda slug: manifests(slug, folder))


def choose(targets: Sequence[str], chapters: Sequence[str], of) -> list:
    """Select what ``slug`` and ``slug.symbol`` name among all exercises, each once, in order.

    Args:
        targets: names; none for everything.
        chapters: slugs.
        of: the exercises of a slug.

    Raises:
        UserError: no such chapter or exercise.
    """
    found = {}
    for target in targets or chapters:
        slug, _, symbol = target.partition(".")
        if slug not in chapters:
            raise unknown("chapter", slug, list(chapters))
        exercises = {exercise.symbol: exercise for exercise in of(slug)}
        if symbol in ("py", "ipynb") and symbol not in exercises:  # as a shell completes it
            raise UserError(f"Name the chapter: {slug}. For another file: {slug} --file FILE")
        if symbol and symbol not in exercises:
            raise unknown(f"exercise of {slug}", symbol, list(exercises))
        chosen = [exercises[symbol]] if symbol else exercises.values()
        found |= {exercise.id: exercise for exercise in chosen}
    return list(found.values())


def load(slug: str, symbol: str, folder: Path | None = None) -> Record:
    """A whole record.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    path = file(slug, symbol, folder)
    with _readable(path):
        return parse(stored.loads(path.read_bytes()), core(slug, symbol, folder))


def file(slug: str, symbol: str, folder: Path | None = None) -> Path:
    """Where a record lies.

    Raises:
        UserError: there is none.
    """
    folder = folder or home(slug)
    path = _there(folder / slug).get(symbol)
    if path is None:
        raise UserError(
            f"There is no record of {slug}.{symbol} in {folder}. Record it: grade record "
            f"{slug}.{symbol}, or grade hidden for a folder of yours."
        )
    return path


def parse(document: Mapping, core: Collection[str] = ()) -> Record:
    """A record from the document that is written.

    Args:
        document: as `grader.author.recording.record` makes it.
        core: the names of the core cases; without any, all are core.

    Raises:
        ValueError: it is of another version, or one of its cases expects nothing, so that any
            answer would earn it.
    """
    told = _manifest_in(document, core)
    cases = tuple(
        RecordedCase(**case, corner=_corner(case, core), returns=told.returns)
        for case in document["cases"]
    )
    if empty := [case.name for case in cases if not case.expected]:
        raise ValueError(f"case {empty[0]!r} expects nothing")
    return Record(told, cases)


def _manifest(path: Path, core: Collection[str]) -> Manifest:
    with _readable(path):
        return _manifest_as_it_is(path, _state(path), tuple(core))


@lru_cache(maxsize=1024)
def _manifest_as_it_is(path: Path, state: tuple, core: tuple[str, ...]) -> Manifest:
    with path.open("rb") as file:
        return _manifest_in(wire.header(file), core)


def _state(path: Path) -> tuple:
    """Another one whenever the file is; it is replaced, and never written in place."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file of this folder is one message."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} cannot be read: {error}. {AGAIN}") from error


def _corner(case: Mapping, core: Collection[str]) -> bool:
    return bool(core) and case["name"] not in core


def _manifest_in(document: object, core: Collection[str]) -> Manifest:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("another version wrote it")
    told = dict(document["manifest"])
    told["mistakes"] = tuple(Mistake(**mistake) for mistake in told["mistakes"])
    told["forbidden"], told["needs"] = tuple(told["forbidden"]), tuple(told["needs"])
    told["returns"] = tuple(told.get("returns", ()))
    told["core_points"] = sum(c["points"] for c in document["cases"] if not _corner(c, core))
    return Manifest(**told)


def _index(folder: Path) -> dict[str, dict[str, Path]]:
    """Every record by slug and symbol, in the order of ``index.json``; what it does not know is
    last.
    """
    known = _known(folder / INDEX)
    with _readable(folder):
        inner = sorted(folder.iterdir()) if folder.is_dir() else []
    there = {one.name: found for one in inner if (found := _there(one))}
    return {
        slug: {symbol: there[slug][symbol] for symbol in _ordered(known.get(slug, {}), there[slug])}
        for slug in _ordered(known, there)
    }


def _known(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """Read an ``index.json``: chapters, exercises and their core cases; nothing where there is
    none, and no core cases in one of before there were any.
    """
    if not path.is_file():
        return {}
    with _readable(path):
        return _known_as_it_is(path, _state(path))


@lru_cache(maxsize=16)
def _known_as_it_is(path: Path, state: tuple) -> dict[str, dict[str, tuple[str, ...]]]:
    read = json.loads(path.read_text(encoding="utf-8"))
    return {
        slug: {str(name): tuple(names[name]) if isinstance(names, dict) else () for name in names}
        for slug, names in read.items()
    }


def _ordered(known: Iterable[str], there: Mapping[str, object]) -> list[str]:
    """Names that are there: those known first, in that order."""
    return [name for name in dict.fromkeys([*known, *there]) if name in there]


def _there(folder: Path) -> dict[str, Path]:
    """The record of each symbol of a chapter."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:  # there is none
        return {}
    return {course.symbol(name.removesuffix(SUFFIX)): folder / name for name in names}
