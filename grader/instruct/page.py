"""The class on one page, and a page for each student to hand out."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from html import escape
from itertools import pairwise
from urllib.parse import quote

from grader import course
from grader.errors import UserError
from grader.instruct import gradescope, sheet
from grader.instruct.gradebook import Attempt, Gradebook, Result, Student
from grader.instruct.layouts import LATE
from grader.instruct.sheet import number, plural, tag
from grader.judge import records
from grader.judge.records import Manifest

BINS = 10  # of points
STEPS = (1, 2, 3, 6, 12, 24, 48, 168, 336, 672)  # hours that a bar of the time line may stand for
MOST_STEPS = 30
ALIKE = 0.6  # of the signs that two diagnoses have
STATES = {
    "graded": "",
    "incomplete": "a mark by hand is missing",
    "ungraded": "not graded yet",
    "unreadable": "could not be read",
    "missing": "nothing handed in",
}
PENDING = {
    "incomplete": "not marked yet",
    "ungraded": "not graded yet",
    "unreadable": "not marked yet",
}


def report(book: Gradebook) -> str:
    """The whole class: distributions, exercises, mistakes, what nobody has named, students."""
    parts = [
        _facts(book),
        _jump(),
        tag("div", _distribution(book), _time_line(book), class_="two"),
        _exercises(book),
        _mistakes(book),
        _clusters(book),
        _students(book),
    ]
    head = _head(book, tag("h1", f"Report on {escape(book.assignment)}"))
    whole = tag("div", *parts, id="class")
    pages = [_student(book, one, private=True) for one in book.students]
    body = tag("main", head, whole, *pages, id="main")
    return sheet.document(f"Report on {book.assignment}", body, script=sheet.script("report"))


def handout(book: Gradebook, student: Student) -> str:
    """One student's page: marks, mistakes and hints, and nothing of a hidden case."""
    body = tag("main", _head(book, ""), _student(book, student), id="main")
    return sheet.document(f"{book.assignment}: {student.title}", body)


def _head(book: Gradebook, title: str) -> str:
    return tag("header", tag("p", sheet.logo(), escape(book.assignment), class_="brand"), title)


def _jump() -> str:
    names = {
        "exercises": "Exercises",
        "mistakes": "Known mistakes",
        "unexplained": "Unexplained answers",
        "students": "Students",
    }
    links = (tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in names.items())
    return tag("nav", tag("ul", *links), class_="jump", aria_label="Sections")


# Distributions


def _totals(book: Gradebook) -> list[float]:
    finals = (book.final(one.id) for one in book.students)
    return [one.total for one in finals if one.attempt and one.total is not None]


def _facts(book: Gradebook) -> str:
    totals = _totals(book)
    finals = [book.final(one.id) for one in book.students]
    states = Counter(one.state for one in finals)
    told = {
        "Students": f"{len(book.students):,}",
        "Handed in": f"{sum(one.attempt is not None for one in finals):,}",
        "Attempts": f"{sum(map(len, book.attempts.values())):,}",
        "Median": _of(statistics.median(totals) if totals else None, book.worth),
        "Mean": _of(statistics.fmean(totals) if totals else None, book.worth),
        "All points": f"{sum(total >= book.worth for total in totals):,}",
    }
    if states["ungraded"]:
        told["Not graded yet"] = f"{states['ungraded']:,}"
    if states["unreadable"]:
        told["Unreadable"] = f"{states['unreadable']:,}"
    items = (tag("div", tag("dt", name), tag("dd", value)) for name, value in told.items())
    return tag("dl", *items, class_="facts")


def _of(points: float | None, possible: float) -> str:
    if points is None:
        return "–"
    return f"{number(round(points, 1))} <small>of {number(possible)}</small>"


def _distribution(book: Gradebook) -> str:
    width = book.worth / BINS or 1
    counts = Counter(min(int(total / width), BINS - 1) for total in _totals(book))
    ends = [number(round(k * width, 1)) for k in range(BINS + 1)]
    chart = sheet.bars(
        [counts[k] for k in range(BINS)],
        ends[:BINS],
        title="Points",
        unit="students",
        sentences=[f"{low} to {high} points" for low, high in pairwise(ends)],
    )
    return tag("section", tag("h2", "Points"), chart)


def _time_line(book: Gradebook) -> str:
    attempts = [one for all_ in book.attempts.values() for one in all_]
    times = sorted(filter(None, map(_time, attempts)))
    title, untimed = tag("h2", "Attempts over time"), len(attempts) - len(times)
    late = sum(one.submitted == LATE for one in attempts)
    said = ["Times are UTC"] if times else []
    said += [f"{plural(untimed, 'attempt')} without a time"] if untimed else []
    said += [f"the download calls {late} of them late"] if late else []
    note = tag("p", f"{'; '.join(said)}.", class_="muted") if said else ""
    if not times:
        return tag("section", title, note or tag("p", "There are no attempts.", class_="muted"))
    first = times[0].replace(minute=0, second=0, microsecond=0)
    hours = (times[-1] - first) / timedelta(hours=1)
    step = next((one for one in STEPS if hours / one <= MOST_STEPS), STEPS[-1])
    if step >= 24:
        first = first.replace(hour=0)
    counts = Counter(int((one - first) / timedelta(hours=step)) for one in times)
    bins = range(max(counts) + 1)
    form = "%d %b" if step >= 24 else "%d %b %Hh"
    labels = [f"{first + timedelta(hours=step * k):{form}}" for k in bins]
    chart = sheet.bars([counts[k] for k in bins], labels, title="Attempts", unit="attempts")
    return tag("section", title, chart, note)


def _time(attempt: Attempt) -> datetime | None:
    try:
        return datetime.fromisoformat(attempt.submitted).replace(tzinfo=None)
    except ValueError:  # none, or no more than that it was late
        return None


# Exercises and cases


def _counted(book: Gradebook, exercise: str) -> Iterator[tuple[Student, Result]]:
    """The results of an exercise that count."""
    for student in book.students:
        attempt = book.counted(student.id)
        if attempt and exercise in attempt.results:
            yield student, attempt.results[exercise]


def _exercises(book: Gradebook) -> str:
    rows = [_exercise_row(book, name) for name in book.possible]
    titles = ("Exercise", "Points on average", "All points", "Idea right", "Not there", "Worth")
    head = [
        tag("th", one, scope="col", class_="number" if n else None) for n, one in enumerate(titles)
    ]
    cases = "".join(_cases(book, name) for name in book.possible)
    return tag(
        "section",
        tag("h2", "Exercises", id="exercises"),
        sheet.table(head, rows, aria_label="Exercises"),
        tag("h3", "Cases"),
        cases,
    )


def _exercise_row(book: Gradebook, name: str) -> str:
    results = [result for _, result in _counted(book, name)]
    graded = [result for result in results if result.state == "graded"]
    mean = statistics.fmean(result.points for result in graded) if graded else 0.0
    worth = book.possible[name]
    cells = [
        _share(mean, worth),
        _count(sum(result.points >= worth for result in graded), len(graded)),
        _count(sum(bool(result.report.get("idea_right")) for result in graded), len(graded)),
        tag("td", str(sum(result.state == "missing" for result in results)), class_="number"),
        tag("td", number(worth), class_="number"),
    ]
    return tag("tr", tag("th", tag("code", escape(name)), scope="row"), *cells)


def _share(points: float, worth: float) -> str:
    part = points / worth if worth else 0.0
    kind = "full" if part >= 1 else "none" if part <= 0 else ""
    style = f"--part:{100 * part:.1f}%"
    text = number(round(points, 2))
    return tag("td", text, class_=f"number share {kind}".strip(), style=style, data_v=points)


def _count(some: int, of: int) -> str:
    text = f"{some} of {of}"
    return _share(some, of).replace(f">{number(some)}<", f">{text}<")


def _cases(book: Gradebook, name: str) -> str:
    """Which cases of an exercise go wrong, and how often."""
    wrong, names = Counter(), {}
    found = [result for _, result in _counted(book, name) if result.cases]
    for result in found:
        for case in result.cases:
            names[case["name"]] = case
            wrong[case["name"]] += case["earned"] < case["points"]
    if not found:
        return ""
    rows = [
        tag(
            "tr",
            tag("th", escape(title), scope="row"),
            tag("td", "corner" if case["corner"] else "core"),
            tag("td", "yes" if _hidden(name, case) else "", class_="number"),
            _count(len(found) - wrong[title], len(found)),
        )
        for title, case in sorted(names.items(), key=lambda item: -wrong[item[0]])
    ]
    titles = ("Case", "Asks for", "Hidden", "Right")
    head = [
        tag("th", one, scope="col", class_="number" if n > 1 else None)
        for n, one in enumerate(titles)
    ]
    worst = sum(wrong.values())
    summary = tag("summary", tag("code", escape(name)), f" {plural(worst, 'wrong case')}")
    return tag("details", summary, sheet.table(head, rows, aria_label=f"Cases of {name}"))


# Mistakes


def _mistakes(book: Gradebook) -> str:
    found: dict[tuple[str, str], list[Student]] = {}
    why: dict[tuple[str, str], str] = {}
    for name in book.possible:
        for student, result in _counted(book, name):
            for mistake in result.mistakes:
                key = name, mistake["name"]
                found.setdefault(key, []).append(student)
                why[key] = mistake["why"]
    title = tag("h2", "Known mistakes", id="mistakes")
    if not found:
        return tag("section", title, tag("p", "None was made."))
    rows = [
        tag(
            "tr",
            tag("td", str(len(students)), class_="number", data_v=len(students)),
            tag("th", tag("code", escape(name)), scope="row"),
            tag("td", _linked(name, why[name, mistake])),
            tag("td", _names(students)),
        )
        for (name, mistake), students in sorted(found.items(), key=lambda item: -len(item[1]))
    ]
    head = _sorted_head(("Students", "Exercise", "What was done", "Who"), numbers=(0,))
    return tag("section", title, sheet.table(head, rows, aria_label="Known mistakes"))


def _linked(exercise: str, text: str) -> str:
    """A sentence, and the section that explains it where there is a site."""
    told = sheet.sentence(text)
    known = manifest(exercise)
    link = course.address(known.slug, known.section) if known else None
    if link and link.startswith("http"):
        told += " " + tag("a", "Read the section", href=link)
    elif known and known.place:
        told += " " + tag("span", f"Read: {known.place}", class_="muted")
    return told


def _names(students: Sequence[Student]) -> str:
    links = [tag("a", escape(one.title), href=_anchor(one)) for one in students]
    if len(links) <= 3:
        return ", ".join(links)
    return tag("details", tag("summary", plural(len(links), "student")), ", ".join(links))


def _anchor(student: Student) -> str:
    return f"#student-{quote(student.id, safe='')}"


@cache
def manifest(exercise: str) -> Manifest | None:
    """Metadata of an exercise; None for one that is not of this course."""
    try:
        return records.select([exercise])[0]
    except UserError:
        return None


@cache
def _public(exercise: str) -> frozenset[str]:
    """The names of the cases that students hold."""
    try:
        slug, _, symbol = exercise.partition(".")
        return frozenset(case.name for case in records.load(slug, symbol).cases)
    except UserError:
        return frozenset()


def _hidden(exercise: str, case: Mapping) -> bool:
    return case["secret"] and case["name"] not in _public(exercise)


# What no known mistake explains


@dataclass
class Cluster:
    """Wrong answers whose diagnoses are alike.

    Attributes:
        exercise: that they answer.
        signs: of the first: which case is wrong, and how.
        results: each with its student.
    """

    exercise: str
    signs: frozenset[str]
    results: list[tuple[Student, Result]] = field(default_factory=list)


def clusters(book: Gradebook) -> list[Cluster]:
    """Answers that no known mistake explains, by exercise and likeness of what is wrong with them;
    the largest first.
    """
    found: list[Cluster] = []
    for name in book.possible:
        own: list[Cluster] = []
        for student, result in _counted(book, name):
            if not result.unexplained:
                continue
            signs = frozenset(_signs(result))
            nearest = max(own, key=lambda one: _alike(one.signs, signs), default=None)
            if nearest is None or _alike(nearest.signs, signs) < ALIKE:
                nearest = Cluster(name, signs)
                own.append(nearest)
            nearest.results.append((student, result))
        found += own
    return sorted(found, key=lambda one: -len(one.results))


def _signs(result: Result) -> Iterator[str]:
    """Yield what tells one diagnosis from another: case and kind of error, and numbers where they
    are public.
    """
    for case in result.cases:
        if difference := case["difference"]:
            yield f"{case['name']}: {difference['kind']} of {difference['where']}"
            yield f"{case['name']}: {difference['message']} {difference['numbers']}".rstrip()
        elif error := case["error"]:
            yield f"{case['name']}: {error.get('type') or error['kind']} {error.get('message')}"
    yield from result.report["observed"]


def _alike(one: Collection[str], other: Collection[str]) -> float:
    union = len({*one, *other})
    return len({*one} & {*other}) / union if union else 1.0


def _clusters(book: Gradebook) -> str:
    title = tag("h2", "Unexplained answers", id="unexplained")
    found, stopped = clusters(book), _stopped(book)
    if not found:
        said = "Every wrong answer that runs is explained by a known mistake."
        return tag("section", title, tag("p", said), stopped)
    said = (
        "No known mistake gives these results. Answers that are wrong in the same way stand "
        "together: what several students do is the next known mistake to write down."
    )
    return tag("section", title, tag("p", said), *map(_cluster, found), stopped)


def _stopped(book: Gradebook) -> str:
    """Whose file does not run, and why."""
    rows = []
    for student in book.students:
        attempt = book.counted(student.id)
        errors = (result.stopped for result in (attempt.results.values() if attempt else ()))
        said = dict.fromkeys(filter(None, errors))
        if attempt and attempt.problem:
            said = {attempt.problem: None}
        if said:
            rows.append(tag("li", f"{_names([student])}: {escape('; '.join(said))}"))
    return tag("h3", "Files that do not run") + tag("ul", *rows) if rows else ""


def _cluster(one: Cluster) -> str:
    _, first = one.results[0]
    wrong = [case for case in first.cases if case["difference"] or case["error"]]
    told = [(case["name"], gradescope.said(case, private=True)) for case in wrong[:4]]
    cases = [tag("li", f"{tag('strong', escape(name))}: {escape(why)}") for name, why in told]
    if len(wrong) > 4:
        cases.append(tag("li", f"and {plural(len(wrong) - 4, 'more case')}"))
    seen = [tag("p", escape(sentence)) for sentence in first.report["observed"]]
    head = f"{tag('code', escape(one.exercise))} {plural(len(one.results), 'student')}"
    who = tag("p", _names([student for student, _ in one.results]))
    return tag("article", tag("h3", head), tag("ul", *cases), *seen, who, class_="cluster")


# Students


def _sorted_head(titles: Sequence[str], numbers: Collection[int]) -> list[str]:
    """Heads of columns that sort."""
    return [
        tag(
            "th",
            tag("button", escape(one), type="button"),
            scope="col",
            class_="number" if place in numbers else None,
        )
        for place, one in enumerate(titles)
    ]


def _students(book: Gradebook) -> str:
    short = [name.partition(".")[2] for name in book.possible]
    titles = ["Student", "Total", *short, *book.parts, "Attempts", "Submitted", "State"]
    head = _sorted_head(titles, range(1, len(titles) - 2))
    rows = [_student_row(book, one) for one in book.students]
    states = dict.fromkeys(book.final(one.id).state for one in book.students)
    options = [tag("option", "all", value="")]
    options += [tag("option", STATES[one] or one, value=one) for one in states]
    tools = tag(
        "div",
        tag("label", "Search by name, mistake or state", '<input type="search" id="search">'),
        tag("label", "State", tag("select", *options, id="state")),
        tag("output", plural(len(rows), "student"), id="shown"),
        class_="tools",
        role="search",
    )
    listed = sheet.table(head, rows, id="students-table", aria_label="Students")
    return tag("section", tag("h2", "Students", id="students"), tools, listed)


def _student_row(book: Gradebook, student: Student) -> str:
    final = book.final(student.id)
    attempt = final.attempt
    results = attempt.results if attempt else {}
    cells = [
        _share(final.total, final.possible)
        if final.total is not None
        else tag("td", PENDING.get(final.state, "–"), class_="number", data_v=-1)
    ]
    for name, worth in book.possible.items():
        result = results.get(name)
        if result and result.state == "ungraded":
            cells.append(tag("td", "?", class_="number flag", data_v=-1, title="not graded yet"))
        elif attempt is None or attempt.problem:
            cells.append(tag("td", "–", class_="number", data_v=-1))
        else:
            cells.append(_share(result.points if result else 0, worth))
    by_hand = {mark.part: mark for mark in book.marks.get(student.id, ())}
    for part, worth in book.parts.items():
        mark = by_hand.get(part)
        unmarked = "not marked yet" if attempt else "–"
        cells.append(
            _share(mark.points, worth) if mark else tag("td", unmarked, class_="number", data_v=-1)
        )
    submitted = attempt.submitted if attempt else ""
    state = STATES[final.state]
    words = [
        student.id,
        student.email,
        student.group,
        *(m["name"] for r in results.values() for m in r.mistakes),
    ]
    cells += [
        tag("td", str(len(book.attempts.get(student.id, ()))), class_="number"),
        tag("td", escape(_moment(submitted)), data_v=submitted),
        tag("td", escape(state), class_="flag" if state else None),
    ]
    link = tag("a", escape(student.title), href=_anchor(student))
    more = {"data_words": " ".join(words), "data_state": final.state}
    return tag("tr", tag("th", link, scope="row"), *cells, **more)


def _moment(submitted: str) -> str:
    """A time as it is stored, in words: UTC, to the minute."""
    return f"{submitted[:16].replace('T', ' ')} UTC" if submitted[:1].isdigit() else submitted


def _student(book: Gradebook, student: Student, *, private: bool = False) -> str:
    """A student's part of the report, or, for a handout, what the student may see of it."""
    final = book.final(student.id)
    attempt = final.attempt
    points = PENDING.get(final.state, "–") if final.total is None else number(final.total)
    told = {"Total": f"{points} <small>of {number(final.possible)}</small>"}
    if attempt:
        told["Attempt"] = f"{attempt.number} <small>of {len(book.attempts[student.id])}</small>"
        if attempt.submitted:
            told["Submitted"] = f"<small>{escape(_moment(attempt.submitted))}</small>"
    facts = (tag("div", tag("dt", name), tag("dd", value)) for name, value in told.items())
    results = [*attempt.results.values()] if attempt else []
    once = attempt.problem or _not_loaded(results, private) if attempt else ""
    texts = [STATES[final.state].capitalize(), final.remark, final.lateness]
    texts += [once] if once not in texts and (private or not final.remark) else []
    said = [tag("p", escape(text)) for text in texts if text]
    exercises = [_answer(result, private, once) for result in results]
    by_hand = book.marks.get(student.id, ())
    marks = [
        _hand_mark(mark.part, f"{number(mark.points)} points", mark.comment) for mark in by_hand
    ]
    lacking = [part for part in book.parts if part not in {mark.part for mark in by_hand}]
    marks += [_hand_mark(part, "not marked yet", "") for part in lacking if attempt]
    back = tag("a", "Back to the class", href="#students", class_="back") if private else ""
    return tag(
        "section",
        back,
        tag("h2" if private else "h1", escape(student.title), tabindex=-1),
        tag("dl", *facts, class_="facts"),
        *said,
        *exercises,
        *marks,
        id=f"student-{student.id}",
        class_="student",
    )


def _hand_mark(part: str, points: str, comment: str) -> str:
    value = tag("span", points, class_="points")
    return tag(
        "article", tag("h3", escape(part), value), tag("p", escape(comment)), class_="exercise"
    )


def _not_loaded(results: Sequence[Result], private: bool) -> str:
    """Why a file could not be loaded, so that no exercise ran; nothing where one did."""
    cases = [case for result in results for case in result.cases]
    if not cases or any((case["error"] or {}).get("kind") != "import" for case in cases):
        return ""
    return gradescope.said(cases[0], private=private)


def _not_run(result: Result, private: bool) -> str:
    """Why nothing of an exercise ran; nothing where something did."""
    if not result.stopped:
        return ""
    if result.cases[0]["error"]["kind"] == "blank":
        return "Not written yet."
    return gradescope.said(result.cases[0], private=private)


def _answer(result: Result, private: bool, told: str = "") -> str:
    """One exercise of one student.

    Args:
        result: of it.
        private: whether only the instructor reads it.
        told: why nothing ran, where the page has said so already.
    """
    known = manifest(result.exercise)
    earned = (
        "not graded yet"
        if result.state == "ungraded"
        else (f"{number(result.points)} of {number(result.possible)} points")
    )
    title = f"{escape(known.title)} " if known else ""
    head = tag(
        "h3", title, tag("code", escape(result.exercise)), tag("span", earned, class_="points")
    )
    secret = any(case["secret"] for case in result.cases)
    parts = []
    if result.report.get("detail") not in ("", None, told) and (private or not secret):
        parts.append(tag("p", escape(result.report["detail"])))
    shown = [case for case in result.cases if private or not _hidden(result.exercise, case)]
    if result.state == "missing":
        parts += [] if told else [tag("p", "Not written yet.")]
    elif why := _not_run(result, private):  # the same for all of its cases
        parts += [tag("p", escape(why), class_="said")] if why != told else []
    elif shown:
        parts.append(tag("ul", *(_case(case, private) for case in shown), class_="cases"))
    for mistake in result.mistakes:
        parts.append(tag("p", _linked(result.exercise, mistake["why"]), class_="known"))
    if result.unexplained and result.report.get("hint"):
        parts.append(tag("p", f"Hint: {sheet.sentence(result.report['hint'])}", class_="hint"))
    return tag("article", head, *parts, class_="exercise")


def _case(case: Mapping, private: bool) -> str:
    right = case["earned"] == case["points"]
    said = gradescope.said(case, private=private)
    why = "" if right else tag("span", escape(said), class_="said")
    return tag(
        "li",
        tag(
            "span",
            "✓" if right else "✗",
            class_="sign",
            role="img",
            aria_label="right" if right else "wrong",
        ),
        tag("span", escape(case["name"])),
        tag("span", f"{case['earned']}/{case['points']}"),
        why,
        class_="right" if right else "wrong",
    )
