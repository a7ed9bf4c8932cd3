"""The database of a class: students, their attempts, and a result for each exercise.

One SQLite file, ``GRADES/grades.sqlite``, with a write-ahead log and one writer at a time. What is
stored of an exercise is what the grader said; what it counts for is computed from that, so a case
that is void, or other points for an exercise, change no report.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.errors import UserError
from grader.instruct import assignment
from grader.instruct.assignment import Assignment
from grader.instruct.hand_ins import Code, HandIn, Student

DATABASE = "grades.sqlite"
LOCK = "grades.lock"
VERSION = 1
SCHEMA = """
CREATE TABLE run(id INTEGER PRIMARY KEY, started TEXT NOT NULL, assignment TEXT NOT NULL,
    references_digest TEXT NOT NULL, grader_digest TEXT NOT NULL, sandbox TEXT NOT NULL);
CREATE TABLE student(id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,
    grp TEXT NOT NULL);
CREATE TABLE attempt(id INTEGER PRIMARY KEY, student TEXT NOT NULL, number INTEGER NOT NULL,
    submitted TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, problem TEXT,
    UNIQUE(student, number));
CREATE INDEX attempt_digest ON attempt(digest);
CREATE TABLE source(digest TEXT PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE result(attempt INTEGER NOT NULL, exercise TEXT NOT NULL,
    state TEXT NOT NULL CHECK(state IN ('graded', 'ungraded', 'missing')),
    points REAL NOT NULL, possible REAL NOT NULL, mistake TEXT, report TEXT NOT NULL,
    record_digest TEXT NOT NULL, grader_digest TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY(attempt, exercise));
CREATE TABLE mark(student TEXT NOT NULL, part TEXT NOT NULL, points REAL NOT NULL,
    comment TEXT NOT NULL, PRIMARY KEY(student, part));
CREATE TABLE void(exercise TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY(exercise, name));
CREATE TABLE change(id INTEGER PRIMARY KEY, made TEXT NOT NULL, said TEXT NOT NULL,
    before TEXT NOT NULL);
"""
RESULT = (
    *("attempt", "exercise", "state", "points", "possible", "mistake", "report"),
    *("record_digest", "grader_digest", "seconds"),
)


@dataclass(frozen=True)
class Result:
    """Verdict of the grader on one exercise of one text.

    Attributes:
        exercise: id.
        state: ``graded``, ``ungraded`` (the grader failed; there is no score), or ``missing``.
        report: the exercise as `grade check --json` tells of it.
        record_digest: of the records that it was graded with.
        grader_digest: of the grader.
        seconds: of processor that its worker needed.
    """

    exercise: str
    state: str
    report: Mapping
    record_digest: str
    grader_digest: str
    seconds: float = 0.0

    @property
    def mistake(self) -> str | None:
        """The known mistake that explains it, or the first of several."""
        return next((one["name"] for one in self.report.get("mistakes", ())), None)


class Store:
    """The database, open.

    Args:
        folder: that holds it.
        write: whether to write; makes the folder and the database where there are none.

    Raises:
        UserError: there is none, another command writes to it, or another version wrote it.
    """

    def __init__(self, folder: Path, *, write: bool = False):
        self.folder, path = folder, folder / DATABASE
        self._lock = None
        if write:
            self._lock = _locked(folder)
        elif not path.is_file():
            raise UserError(
                f"{folder} holds no {DATABASE}: name the folder that grade batch wrote."
            )
        try:
            self.base = sqlite3.connect(path, isolation_level=None)
            self.base.row_factory = sqlite3.Row
            self.base.execute("PRAGMA journal_mode = WAL")
            self.base.execute("PRAGMA synchronous = NORMAL")  # a power cut loses results, no order
            (version,) = self.base.execute("PRAGMA user_version").fetchone()
            if version == 0 and write:
                with self.writing():
                    for statement in SCHEMA.split(";"):
                        self.base.execute(statement)
                    self.base.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise UserError(f"{path} was written by another version of grade batch.")
        except sqlite3.Error as error:
            self.close()
            raise UserError(f"{path} cannot be used as a gradebook: {error}.") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        if hasattr(self, "base"):
            self.base.close()
        if self._lock:
            self._lock.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written here is written, or nothing of it; also what is written by others of
        these methods.

        Raises:
            UserError: it cannot be written; the disk is full, for one.
        """
        if self.base.in_transaction:
            yield
            return
        try:
            self.base.execute("BEGIN IMMEDIATE")
            yield
            self.base.execute("COMMIT")
        except BaseException as error:
            if self.base.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self.base.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                said = f"{self.folder / DATABASE} cannot be written: {error}."
                raise UserError(said) from error
            raise

    # What was handed in

    def students(self) -> dict[str, Student]:
        """All of them, by id in order."""
        rows = self.base.execute("SELECT id, name, email, grp FROM student ORDER BY id")
        return {row["id"]: Student(*row) for row in rows}

    def attempts(self) -> list[sqlite3.Row]:
        """All of them, in the order of students and numbers."""
        return self.base.execute("SELECT * FROM attempt ORDER BY student, number").fetchall()

    def enter_students(self, students: Iterable[Student]) -> None:
        rows = [(one.id, one.name, one.email, one.group) for one in students]
        with self.writing():
            self.base.executemany("INSERT OR REPLACE INTO student VALUES (?, ?, ?, ?)", rows)

    def enter(self, hand_in: HandIn, code: Code) -> None:
        """Store an attempt and its code; results of other code under its number are dropped."""
        path = str(hand_in.piece.path).encode("utf-8", "backslashreplace").decode()
        told = (hand_in.submitted, path, code.digest, code.problem or None)
        with self.writing():
            known = self.base.execute(
                "SELECT id, submitted, path, digest, problem FROM attempt"
                " WHERE student = ? AND number = ?",
                (hand_in.student, hand_in.number),
            ).fetchone()
            if known and tuple(known)[1:] == told:
                return
            if code.digest:
                source = (code.digest, code.source)
                self.base.execute("INSERT OR IGNORE INTO source VALUES (?, ?)", source)
            if known is None:
                self.base.execute(
                    "INSERT INTO attempt(student, number, submitted, path, digest, problem)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (hand_in.student, hand_in.number, *told),
                )
                return
            self.base.execute(
                "UPDATE attempt SET submitted = ?, path = ?, digest = ?, problem = ? WHERE id = ?",
                (*told, known["id"]),
            )
            if known["digest"] != code.digest:
                self.base.execute("DELETE FROM result WHERE attempt = ?", (known["id"],))

    def source(self, digest: str) -> bytes:
        """The code of an attempt as it is graded."""
        query = "SELECT text FROM source WHERE digest = ?"
        text = self.base.execute(query, (digest,)).fetchone()[0]
        return text.encode() if isinstance(text, str) else text  # changed by hand, it may be either

    # Results

    def known(self, digests: Mapping[str, str], grader: str) -> dict[str, set[str]]:
        """For each text, the exercises that are graded with these records by this grader.

        Args:
            digests: of the records, by exercise.
            grader: digest of the grader.
        """
        found: dict[str, set[str]] = {}
        query = (
            "SELECT DISTINCT a.digest, r.exercise, r.record_digest FROM result r"
            " JOIN attempt a ON a.id = r.attempt"
            " WHERE r.state = 'graded' AND r.grader_digest = ?"
        )
        for text, exercise, record in self.base.execute(query, (grader,)):
            if digests.get(exercise) == record:
                found.setdefault(text, set()).add(exercise)
        return found

    def stale(self, digests: Mapping[str, str], grader: str) -> int:
        """How many results are of other records, or of another grader, than these."""
        query = "SELECT exercise, record_digest, grader_digest FROM result WHERE state = 'graded'"
        return sum(
            name in digests and (record, by) != (digests[name], grader)
            for name, record, by in self.base.execute(query)
        )

    def share(self) -> None:
        """Give attempts with the same code the same results."""
        names = ", ".join(f"r.{name}" for name in RESULT[1:])
        with self.writing():
            self.base.execute(
                f"INSERT INTO result SELECT a.id, {names} FROM attempt a"
                " JOIN attempt b ON b.digest = a.digest AND b.id <> a.id"
                " JOIN result r ON r.attempt = b.id"
                " WHERE a.digest <> '' AND NOT EXISTS (SELECT 1 FROM result o"
                " WHERE o.attempt = a.id AND o.exercise = r.exercise)"
                " ON CONFLICT DO NOTHING"
            )

    def put(self, digest: str, results: Sequence[Result], given: Assignment) -> None:
        """Store the results of a text, for all attempts that it is."""
        voids = self.voids()
        with self.writing():
            query = "SELECT id FROM attempt WHERE digest = ?"
            for (attempt,) in self.base.execute(query, (digest,)).fetchall():
                self._put(attempt, results, given, voids)

    def put_missing(self, attempt: int, results: Sequence[Result], given: Assignment) -> None:
        """Store that an attempt has nothing for some exercises, and why."""
        with self.writing():
            self._put(attempt, results, given, {})

    def _put(
        self,
        attempt: int,
        results: Sequence[Result],
        given: Assignment,
        voids: Mapping[str, Collection[str]],
    ) -> None:
        for result in results:
            worth = given.exercises.get(result.exercise, 0)
            points = counted(result.report, result.state, worth, voids.get(result.exercise, ()))
            report = json.dumps(result.report, ensure_ascii=False)
            row = (attempt, result.exercise, result.state, points, worth, result.mistake, report)
            row += (result.record_digest, result.grader_digest, result.seconds)
            marks = ", ".join("?" * len(row))
            self.base.execute(f"INSERT OR REPLACE INTO result VALUES ({marks})", row)

    def results(self, exercise: str | None = None) -> Iterator[sqlite3.Row]:
        """All of them, or those of one exercise; report by report, so that memory stays flat."""
        where, given = ("WHERE exercise = ?", [exercise]) if exercise else ("", [])
        query = f"SELECT * FROM result {where} ORDER BY attempt, exercise"
        yield from self.base.execute(query, given)

    def rescore(self, given: Assignment) -> None:
        """Compute anew what each result counts for, from its report."""
        voids, changed = self.voids(), []
        for row in self.results():
            name = row["exercise"]
            worth = given.exercises.get(name, 0)
            report = json.loads(row["report"])
            points = counted(report, row["state"], worth, voids.get(name, ()))
            if (points, worth) != (row["points"], row["possible"]):
                changed.append((points, worth, row["attempt"], name))
        query = "UPDATE result SET points = ?, possible = ? WHERE attempt = ? AND exercise = ?"
        with self.writing():
            self.base.executemany(query, changed)

    # Runs, marks by hand, cases that are void, and changes that can be undone

    def begin_run(self, name: str, references: str, grader: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.writing():
            self.base.execute(
                "INSERT INTO run(started, assignment, references_digest, grader_digest, sandbox)"
                " VALUES (?, ?, ?, ?, '')",
                (now, name, references, grader),
            )

    def note_sandbox(self, tier: str) -> None:
        """Say of the last run which sandbox it had."""
        with self.writing():
            self.base.execute(
                "UPDATE run SET sandbox = ? WHERE id = (SELECT max(id) FROM run)", (tier,)
            )

    def last_run(self) -> sqlite3.Row | None:
        return self.base.execute("SELECT * FROM run ORDER BY id DESC LIMIT 1").fetchone()

    def set_marks(self, rows: Iterable[tuple[str, str, float, str]]) -> None:
        """Marks by hand: student, part, points and comment. They take the place of all others."""
        with self.writing():
            self.base.execute("DELETE FROM mark")
            self.base.executemany("INSERT INTO mark VALUES (?, ?, ?, ?)", rows)

    def voids(self) -> dict[str, list[str]]:
        """Names of the cases that do not count, by exercise."""
        found: dict[str, list[str]] = {}
        for row in self.base.execute("SELECT exercise, name FROM void ORDER BY exercise, name"):
            found.setdefault(row["exercise"], []).append(row["name"])
        return found

    def change(self, said: str, rows: Iterable[sqlite3.Row]) -> None:
        """Note how things are before a change, inside of `writing`, so that it can be undone."""
        before = {"results": [tuple(row) for row in rows], "voids": self.voids()}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.base.execute(
            "INSERT INTO change(made, said, before) VALUES (?, ?, ?)",
            (now, said, json.dumps(before)),
        )

    def last_change(self) -> sqlite3.Row | None:
        return self.base.execute("SELECT * FROM change ORDER BY id DESC LIMIT 1").fetchone()

    def undo(self, row: sqlite3.Row) -> None:
        """Put back what was before a change, and forget it."""
        before = json.loads(row["before"])
        marks = ", ".join("?" * len(RESULT))
        voids = [(name, case) for name, cases in before["voids"].items() for case in cases]
        with self.writing():
            self.base.executemany(
                f"INSERT OR REPLACE INTO result VALUES ({marks})", before["results"]
            )
            self.base.execute("DELETE FROM void")
            self.base.executemany("INSERT INTO void VALUES (?, ?)", voids)
            self.base.execute("DELETE FROM change WHERE id = ?", (row["id"],))


def counted(report: Mapping, state: str, worth: float, voids: Collection[str] = ()) -> float:
    """Points that a result counts for: its share of the points of all cases that are not void."""
    if state != "graded":
        return 0.0
    cases = [case for case in report.get("cases", ()) if case["name"] not in voids]
    possible = sum(case["points"] for case in cases)
    if not possible:  # nothing is left to be wrong in
        return float(worth)
    return round(worth * sum(case["earned"] for case in cases) / possible, 4)


def assigned(folder: Path) -> Assignment:
    """The assignment that a folder of grades is of.

    Raises:
        UserError: it holds none that can be read.
    """
    if not (folder / assignment.NAME).is_file():
        raise UserError(f"{folder} holds no grades: name the folder that grade batch wrote.")
    return assignment.read(folder)


def _locked(folder: Path):
    """A file that one process has; it is free again when that process is gone, however it ended."""
    import fcntl  # here, so that this module can be imported on Windows

    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}.") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UserError(f"Another grade command writes to {folder}: wait until it ends.") from None
    return file
