"""Projects: their rubric, baselines and examples of work, as `book/projects.md` states them.

The page holds what a person decides: criteria with their points, and a level from 0 to 4 for each
criterion of an example. Points are computed from these, and every result from the recorded run
`benchmarks/projects.json`, in which each project has a baseline and one change over several seeds.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from book.pages import BOOK
from book.recorded import recorded
from solutions.linear import paired_difference

RUN = "projects"
PAGE = BOOK / "projects.md"
CLEAR = 2  # standard errors from which on a paired difference is called higher or lower
LEVELS = 4  # the highest level; a level earns so many quarters of a criterion's points
QUALITIES = ("good", "middling", "poor")
FACTS = ("metric", "format", "better", "change", "result", "hours", "data", "chapters")
FENCE = r"^```\{%s\}%s\n(.*?)^```$"
STEPS = r"^(A student, or a group .*?)^\(project-rubric\)="
LEVELED = r"^## Rubric\n\n(.*?)^```\{criteria\}"


@dataclass(frozen=True)
class Criterion:
    """One row of the rubric.

    Attributes:
        key: short name, which projects and examples use.
        points: of the highest level.
        title: for people.
        levels: what earns the highest level, half of it, and nothing.
    """

    key: str
    points: int
    title: str
    levels: tuple[str, str, str]

    def earned(self, level: int) -> float:
        """Points of a level."""
        return self.points * level / LEVELS


@dataclass(frozen=True)
class Work:
    """An example of handed-in work, made up for the rubric.

    Attributes:
        quality: one of ``QUALITIES``.
        levels: by criterion.
        claims: what it says that it found.
        evidence: what it shows for that.
        why: why it gets these levels.
    """

    quality: str
    levels: Mapping[str, int]
    claims: str
    evidence: str
    why: str


@dataclass(frozen=True)
class Project:
    """A project of the page.

    Attributes:
        name: of its baseline, `benchmarks/baselines/<name>.py`.
        title: of its section.
        facts: what ``FACTS`` names, and ``measured`` where an assignment is measured.
        criteria: what each criterion of the rubric means here.
        works: three examples, one of each quality.
        task: Markdown of the section above the directive.
    """

    name: str
    title: str
    facts: Mapping[str, str]
    criteria: Mapping[str, str]
    works: tuple[Work, ...]
    task: str = field(repr=False)

    @property
    def run(self) -> dict:
        """Its seeds, the scores of ``baseline`` and ``changed``, and the baseline's ``seconds``."""
        return recorded(RUN)["projects"][self.name]

    def number(self, value: float) -> str:
        """A score with its decimals, and a minus sign where it needs one."""
        return format(value, self.facts["format"]).replace("-", "−")

    def results(self) -> dict[str, str]:
        """Numbers that the texts of examples may name in braces.

        Raises:
            ValueError: the page says that the change makes the score higher or lower, or that
                nothing is clear, and the recorded run says something else.
        """
        run = self.run
        before, after = run["baseline"], run["changed"]
        mean, error, _ = paired_difference(after, before)
        found = "unclear"
        if abs(mean) > CLEAR * error:
            found = "higher" if mean > 0 else "lower"
        if found != self.facts["result"]:
            raise ValueError(f"{self.name}: the result is {found}, not {self.facts['result']}")
        wanted, other = (max, min) if self.facts["better"] == "higher" else (min, max)
        return {
            "baseline": self.number(statistics.mean(before)),
            "changed": self.number(statistics.mean(after)),
            "difference": self.number(mean),
            "error": self.number(error),
            "count": str(len(before)),
            "luckiest": self.number(wanted(after)),
            "unluckiest": self.number(other(before)),
        }

    def filled(self, text: str) -> str:
        """A text of an example with its numbers."""
        return text.format(**self.results())


def rubric(text: str | None = None) -> list[Criterion]:
    """The criteria, which are the same for all projects.

    Args:
        text: of the page, by default the page itself.
    """
    lines = _body(PAGE.read_text("utf-8") if text is None else text, "criteria", "")
    found = []
    for line in lines:
        key, points, title, *levels = (part.strip() for part in line.split(" | "))
        full, half, none = levels
        found.append(Criterion(key, int(points), title, (full, half, none)))
    return found


def projects(text: str | None = None) -> list[Project]:
    """The projects in the order of the page.

    Args:
        text: of the page, by default the page itself.

    Raises:
        ValueError: a line is missing, unknown, or cannot be read.
    """
    page = PAGE.read_text("utf-8") if text is None else text
    keys = [one.key for one in rubric(page)]
    found = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        if given := re.search(FENCE % ("project", r" (\w+)"), section, re.MULTILINE | re.DOTALL):
            title, _, task = section[: given.start()].partition("\n")
            found.append(parsed(given[1], title, task.strip(), _lines(given[2]), keys))
    return found


def parsed(name: str, title: str, task: str, lines: Iterable[str], keys: list[str]) -> Project:
    """A project from the lines of its directive.

    Args:
        name: of its baseline.
        title: of its section.
        task: above the directive.
        lines: each ``key: text``.
        keys: of the rubric's criteria.

    Raises:
        ValueError: a line is missing, unknown, or cannot be read.
    """
    given = dict(line.split(": ", 1) for line in lines)
    of_works = [
        f"{quality} {part}" for quality in QUALITIES for part in ("claims", "evidence", "marks")
    ]
    needed = [*FACTS, *keys, *of_works]
    if wrong := {*given} - {*needed, "measured"} or {*needed} - {*given}:
        raise ValueError(f"{name}: {sorted(wrong)[0]!r} is missing or unknown")
    works = []
    for quality in QUALITIES:
        levels, _, why = given[f"{quality} marks"].partition(": ")
        numbers = [int(level) for level in levels.split()]
        if len(numbers) != len(keys) or not {*numbers} <= {*range(LEVELS + 1)}:
            raise ValueError(f"{name}: {quality} marks need {len(keys)} levels from 0 to {LEVELS}")
        texts = given[f"{quality} claims"], given[f"{quality} evidence"]
        works.append(Work(quality, dict(zip(keys, numbers, strict=True)), *texts, why))
    facts = {key: text for key, text in given.items() if key in (*FACTS, "measured")}
    return Project(name, title, facts, {key: given[key] for key in keys}, tuple(works), task)


def passage(pattern: str, text: str | None = None) -> str:
    """Prose of the page that students of every project need: ``STEPS`` or ``LEVELED``.

    Args:
        pattern: one of the two.
        text: of the page, by default the page itself.

    Raises:
        ValueError: it is not on the page.
    """
    page = PAGE.read_text("utf-8") if text is None else text
    found = re.search(pattern, page, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"the page of projects has nothing like {pattern!r}")
    return found[1].strip()


def total(criteria: Iterable[Criterion], work: Work) -> float:
    """Points of an example by the rubric."""
    return sum(one.earned(work.levels[one.key]) for one in criteria)


def full(criteria: Iterable[Criterion]) -> int:
    """Points of the whole rubric."""
    return sum(one.points for one in criteria)


def _body(page: str, directive: str, argument: str) -> list[str]:
    found = re.search(FENCE % (directive, argument), page, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"there is no {{{directive}}} on the page")
    return _lines(found[1])


def _lines(body: str) -> list[str]:
    """Lines of a directive; one that is indented belongs to the line before."""
    joined = re.sub(r"\n +", " ", body)
    return [line for line in joined.splitlines() if line.strip()]


# As Markdown, for the page and for the kit


def scale(criteria: Sequence[Criterion]) -> list[str]:
    """The rubric: the points of each criterion, its levels, and the sum."""
    names = [f"Level {level}" for level in (LEVELS, LEVELS // 2, 0)]
    lines = []
    for one in criteria:
        levels = " ".join(
            f"*{name}*: {text}." for name, text in zip(names, one.levels, strict=True)
        )
        lines.append(f"- **{one.title}, {one.points} points.** {levels}")
    return [*lines, "", f"In all, {full(criteria)} points."]


def begins(project: Project) -> list[str]:
    """Where a project begins: data, time, and its baseline with one change, over all seeds."""
    facts, found = project.facts, project.results()
    lines = [
        f"- **Data**: {facts['data']}",
        f"- **Chapters**: {facts['chapters']}",
        f"- **Time**: {facts['hours']} hours of work, an estimate",
        f"- **Baseline**: `benchmarks/baselines/{project.name}.py`, {project.run['seconds']:.1f} s "
        "of the processor for each seed",
    ]
    if measured := facts.get("measured"):
        lines.append(f"- **Related measured assignment**: `grade measure {measured}`")
    return [
        *lines,
        "",
        f"| {facts['metric'].capitalize()} | Mean of {found['count']} seeds | Difference |",
        "|:--|--:|--:|",
        f"| Baseline | {found['baseline']} | |",
        f"| Changed: {facts['change']} | {found['changed']} | {found['difference']} ± "
        f"{found['error']} |",
        "",
    ]


def marking(project: Project, criteria: Sequence[Criterion]) -> list[str]:
    """Meaning of each criterion in a project."""
    rows = [f"| {one.title} | {one.points} | {project.criteria[one.key]} |" for one in criteria]
    return ["| Criterion | Points | In this project |", "|:--|--:|:--|", *rows, ""]


def examples(project: Project, criteria: Sequence[Criterion]) -> list[str]:
    """Three examples of work with their numbers and points."""
    lines = []
    for work in project.works:
        each = ", ".join(
            f"{one.title.lower()} {one.earned(work.levels[one.key]):g}" for one in criteria
        )
        points = f"{total(criteria, work):g} of {full(criteria)} points"
        lines += [
            f"**{work.quality.capitalize()} work, {points}**",
            "",
            f"- *It claims*: {project.filled(work.claims)}",
            f"- *Its evidence*: {project.filled(work.evidence)}",
            f"- *Marks*: {each}. {project.filled(work.why)}",
            "",
        ]
    return lines
