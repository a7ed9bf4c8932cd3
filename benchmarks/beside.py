"""The same assignment graded by this project, by otter-grader and by nbgrader: time and scores.

    python benchmarks/beside.py --install      # once: the other two, in their own environment
    python benchmarks/beside.py [--repeats 7]
    python benchmarks/beside.py --draw         # the plot again, from the figures of the last run

Three functions (`linear`, `squared_loss`, `scaled_dot_product_attention`) on the public cases of
their exercises: the same inputs, the same recorded outputs and gradients, the same points. The
other two get them as an instructor would give them: assertions with `torch.allclose` in a helper
beside the notebook. The graders take turns. Writes `beside.json`, `beside.svg`.

What each one runs:

- cold, one submission in a new process. Ours: what `grade check` does, for three exercises.
  otter: `otter run -a autograder.zip submission.ipynb`. nbgrader: `nbgrader autograde ps1
  --student NAME`.
- many, seconds for each further one. Ours: one sandbox, its server running. otter: one process,
  `otter.api.grade_submission`, imports done. nbgrader: `nbgrader autograde ps1` over several
  students, less the time for one student.

What they do not do: `otter run` and nbgrader run the submission as the user who grades, in the
process that holds the checks, with the answers in reach. `otter grade` puts each submission into a
Docker container, which keeps it from the machine and not from the checks; it is not measured here.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from machine import machine

from grader import course
from grader.author.bench import mistaken
from grader.author.catalog import select
from grader.enclose.sandbox import Sandbox
from grader.judge import grading, records, syntax
from grader.judge.submission import Submission

HERE = Path(__file__).parent
OTHERS = ("otter-grader==7.0.0", "nbgrader==0.9.6")
VENV = Path(tempfile.gettempdir()) / "beside-venv"
CHOSEN = ("linear.linear", "linear.squared_loss", "self_attention.scaled_dot_product_attention")
EXERCISES = select(CHOSEN)
STUDENTS = 5  # in a batch
THEMES = (  # an image in a README follows the reader's system, not the page around it
    "<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3;"
    "--course-0:#7da2f0;--course-6:#9aa1ab}}</style>"
)
PATIENCE = 60  # seconds until a grader that does not come back is stopped; no limit of its own
CELL_LIMIT = 30  # of nbgrader, its default; a loop meets it once per case
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

HELPER = '''
import json, torch
from pathlib import Path

CASES = json.loads(Path(__file__).with_name("cases.json").read_text())

def tensor(value):
    if isinstance(value, dict):
        return torch.tensor(value["data"], dtype=getattr(torch, value["dtype"]))
    return value

def check(function, symbol, number):
    """Raise AssertionError unless output and gradients are the recorded ones."""
    case = CASES[symbol][number]
    args = {name: tensor(value) for name, value in case["args"].items()}
    leaves = {name: args[name].requires_grad_() for name in case["grad"]}
    result = function(**args)
    expected = tensor(case["expected"]["output"])
    close = dict(rtol=1e-6, atol=1e-9)
    assert result.shape == expected.shape, "the shape is wrong"
    assert torch.allclose(result, expected, **close), "the numbers are wrong"
    if leaves:
        weights = torch.cos(torch.arange(1, result.numel() + 1, dtype=result.dtype))
        total = (result * weights.reshape(result.shape)).sum()
        for name, slope in zip(leaves, torch.autograd.grad(total, list(leaves.values()))):
            expected = tensor(case["expected"]["grad." + name])
            assert torch.allclose(slope, expected, **close), f"the gradient for {name} is wrong"
'''


# ---------------------------------------------------------------------------- the assignment


def cases() -> dict:
    """The public cases as JSON: arguments, and what the solution returned."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return {"data": value.tolist(), "dtype": str(value.dtype)}
        return value

    found: dict = {}
    for exercise in EXERCISES:
        found[exercise.symbol] = [
            {
                "name": entry.name,
                "points": entry.points,
                "args": {name: plain(value) for name, value in entry.call["args"].items()},
                "grad": list(entry.call["grad"]),
                "expected": {
                    name: plain(value)
                    for name, value in entry.expected.items()
                    if name == "output" or name.startswith("grad.")
                },
            }
            for entry in records.load(exercise.slug, exercise.symbol).cases
        ]
    return found


def answer(symbol: str) -> str:
    """The solution's definition of one function."""
    (exercise,) = [one for one in EXERCISES if one.symbol == symbol]
    return syntax.text_of(course.solution(exercise.slug), symbol)


HEAD = "import math\nimport torch\nfrom torch import Tensor\n\n"
RIGHT = HEAD + "\n\n".join(answer(exercise.symbol) for exercise in EXERCISES) + "\n"


def code(text: str, **metadata) -> dict:
    """A notebook's code cell."""
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": text,
        "execution_count": None,
        "outputs": [],
    }


def notebook(cells: list[dict]) -> str:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


# ------------------------------------------------------------------------------- three graders


class Ours:
    """This project. Reads the same text as the others do."""

    name = "this project"
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from rich.console import Console
        from grader.enclose.sandbox import Sandbox
        with Sandbox() as sandbox:
            from grader.judge import grading, records, submission
            from grader.student import report
            chosen = records.select(sys.argv[2:])
            given = {one.slug: submission.read(Path(sys.argv[1]), one.slug) for one in chosen}
            results = grading.Grader(sandbox).grade(chosen, given)
            report.terminal(results, Console(width=100), sandbox.missing)
        """
    )

    def __init__(self, folder: Path):
        folder.mkdir()
        self.folder, self.sandbox = folder, Sandbox()
        self.tier = self.sandbox.tier
        self.known = [records.load(exercise.slug, exercise.symbol) for exercise in EXERCISES]

    def cold(self) -> float:
        path = self.folder / "cold.ipynb"
        path.write_text(notebook([code(RIGHT)]))
        return clock([sys.executable, "-c", self.script, str(path), *CHOSEN], self.folder)

    def many(self) -> float:
        begin = time.perf_counter()
        for _ in range(STUDENTS):
            assert self.points(RIGHT) == TOTAL
        return (time.perf_counter() - begin) / STUDENTS

    def points(self, text: str) -> float:
        return sum(
            grading.check(
                record, Submission(text, f"{record.manifest.slug}.py"), sandbox=self.sandbox
            ).earned
            for record in self.known
        )

    def close(self) -> None:
        self.sandbox.close()


class Otter:
    """otter-grader, on this machine without a container."""

    name = "otter-grader"
    loop = textwrap.dedent(
        """
        import sys, time
        from otter.api import grade_submission
        import otter.execute, nbconvert.preprocessors
        grade_submission("submission.ipynb", "autograder.zip", quiet=True)
        begin = time.perf_counter()
        for _ in range(int(sys.argv[1])):
            results = grade_submission("submission.ipynb", "autograder.zip", quiet=True)
        print("TOOK", time.perf_counter() - begin, results.total)
        """
    )

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "tests").mkdir(parents=True)
        for symbol, entries in cases().items():
            lines = ["from otter.test_files import test_case", "OK_FORMAT = False"]
            lines += [f"name, points = {symbol!r}, None"]
            for number, entry in enumerate(entries):
                lines += [
                    f"@test_case(name={entry['name']!r}, points={entry['points']})",
                    f"def test_{number}(env):",
                    "    from helper import check",
                    f"    check(env[{symbol!r}], {symbol!r}, {number})",
                ]
            (folder / "tests" / f"{symbol}.py").write_text("\n".join(lines) + "\n")
        (folder / "helper.py").write_text(HELPER)
        (folder / "cases.json").write_text(json.dumps(cases()))
        generate = [tool("otter"), "generate", "-t", "tests", "-o", "autograder.zip"]
        clock(
            [*generate, "--no-requirements", "--no-environment", "helper.py", "cases.json"], folder
        )
        self.give(RIGHT)

    def give(self, text: str) -> None:
        (self.folder / "submission.ipynb").write_text(notebook([code(text)]))

    def command(self) -> list[str]:
        return [tool("otter"), "run", "-a", "autograder.zip", "submission.ipynb"]

    def cold(self) -> float:
        return clock(self.command(), self.folder)

    def many(self) -> float:
        command = [tool("python"), "-c", self.loop, str(STUDENTS)]
        done = subprocess.run(
            command, cwd=self.folder, env=environment(), capture_output=True, text=True, check=True
        )
        took, points = done.stdout.partition("TOOK ")[2].split()
        assert float(points) == TOTAL, done.stdout
        return float(took) / STUDENTS

    def points(self, text: str) -> float | str:
        self.give(text)
        results = self.folder / "results.json"
        results.unlink(missing_ok=True)
        clock(self.command(), self.folder, strict=False)
        if not results.exists():
            return "no result"
        found = json.loads(results.read_text())
        return found.get("score", sum(test.get("score", 0) for test in found["tests"]))

    def close(self) -> None:
        pass


class Nbgrader:
    """nbgrader, with its default settings."""

    name = "nbgrader"
    read = textwrap.dedent(
        """
        from nbgrader.api import Gradebook
        with Gradebook("sqlite:///gradebook.db") as book:
            for one in book.assignment_submissions("ps1"):
                print("SCORE", one.student.id, one.score)
        """
    )

    def __init__(self, folder: Path):
        self.folder = folder
        made = folder / "source" / "ps1"
        made.mkdir(parents=True)
        (folder / "nbgrader_config.py").write_text("c = get_config()\n")
        (made / "helper.py").write_text(HELPER)
        (made / "cases.json").write_text(json.dumps(cases()))
        self.cells = [self.cell("### BEGIN SOLUTION\n### END SOLUTION", "answer", None)]
        for symbol, entries in cases().items():
            for number, entry in enumerate(entries):
                text = f"from helper import check\ncheck({symbol}, {symbol!r}, {number})"
                self.cells.append(self.cell(text, f"{symbol}-{number}", entry["points"]))
        (made / "submission.ipynb").write_text(notebook(self.cells))
        clock([tool("nbgrader"), "generate_assignment", "ps1"], folder)
        self.released = json.loads((folder / "release" / "ps1" / "submission.ipynb").read_text())

    def cell(self, text: str, name: str, points: int | None) -> dict:
        solution = points is None
        return code(
            text,
            nbgrader={
                "grade": not solution,
                "solution": solution,
                "locked": not solution,
                "grade_id": name,
                "schema_version": 3,
                "task": False,
                **({} if solution else {"points": points}),
            },
        )

    def give(self, texts: list[str]) -> None:
        for name in ("submitted", "autograded"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for number, text in enumerate(texts):
            handed_in = self.folder / "submitted" / f"s{number}" / "ps1"
            handed_in.mkdir(parents=True)
            document = json.loads(json.dumps(self.released))
            document["cells"][0]["source"] = text
            (handed_in / "submission.ipynb").write_text(json.dumps(document))

    def grade(self, *more: str, strict: bool = True) -> float:
        patience = PATIENCE + CELL_LIMIT * sum(map(len, cases().values()))
        command = [tool("nbgrader"), "autograde", "ps1", *more]
        return clock(command, self.folder, strict=strict, patience=patience)

    def cold(self) -> float:
        self.give([RIGHT])
        return self.grade("--student", "s0")

    def many(self) -> float:
        one = self.cold()
        self.give([RIGHT] * (1 + STUDENTS))
        return (self.grade() - one) / STUDENTS

    def points(self, text: str) -> float | str:
        (self.folder / "gradebook.db").rename(self.folder / "clean.db")
        shutil.copy(self.folder / "clean.db", self.folder / "gradebook.db")
        try:
            self.give([text])
            self.grade("--student", "s0", strict=False)
            command = [tool("python"), "-c", self.read]
            done = subprocess.run(
                command, cwd=self.folder, env=environment(), capture_output=True, text=True
            )
            graded = (self.folder / "autograded" / "s0" / "ps1" / "submission.ipynb").exists()
            said = [line.split()[2] for line in done.stdout.splitlines() if "SCORE s0" in line]
            return float(said[0]) if said and graded else "no result"
        finally:
            (self.folder / "clean.db").replace(self.folder / "gradebook.db")

    def close(self) -> None:
        pass


TOTAL = sum(exercise.public_points for exercise in EXERCISES)


def tool(name: str) -> str:
    return str(VENV / "bin" / name)


def environment() -> dict[str, str]:
    """The others find their own kernel, and as many threads as ours."""
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **ONE_THREAD, "JUPYTER_PREFER_ENV_PATH": "1", "PATH": path}


def family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from family(int(child))


def clock(
    command: list[str], folder: Path, *, strict: bool = True, patience: float = PATIENCE
) -> float:
    """Wall time of a command, stopped with all that it started; ``strict``: it must succeed."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment() if command[0].startswith(str(VENV)) else {**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=patience)
        except BaseException as error:
            for pid in [*family(process.pid)]:  # kernels have sessions of their own
                os.kill(pid, signal.SIGKILL)
            said, _ = process.communicate()
            if strict or not isinstance(error, subprocess.TimeoutExpired):
                raise
    if strict and process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{said[-2000:]}")
    return time.perf_counter() - begin


# --------------------------------------------------------------------------------- submissions

NAMES = [exercise.symbol for exercise in EXERCISES]
NOTHING = "".join(f"def {name}(*args, **options):\n    return ANSWER\n" for name in NAMES)
OTHER_TWO = HEAD + "\n\n".join(answer(name) for name in NAMES[:2]) + "\n"
THIRD = "def scaled_dot_product_attention(query, key, value, mask=None):\n"
HALF = TOTAL - EXERCISES[2].public_points

ODD = {  # name: (source, the points it deserves)
    "right": (RIGHT, TOTAL),
    "blank": (HEAD, 0),
    "attention not scaled": (
        OTHER_TWO + syntax.text_of(mistaken(EXERCISES[2], EXERCISES[2].mistakes[0]), NAMES[2]),
        None,
    ),
    "right, and warns on every call": (
        RIGHT + f"import warnings\nplain = {NAMES[0]}\ndef {NAMES[0]}(*a, **k):\n"
        "    warnings.warn('slow')\n    return plain(*a, **k)\n",
        TOTAL,
    ),
    "wrong numbers, torch.allclose patched": (
        HEAD + "torch.allclose = lambda *a, **k: True\n"
        "def linear(input, weight, bias=None):\n    out = 7 + input @ weight.T\n"
        "    return out if bias is None else out - bias\n"
        "def squared_loss(input, target):\n    return 3 * (input - target).sum()\n"
        + THIRD
        + "    return 1 + query @ key.transpose(-1, -2) @ value\n",
        0,
    ),
    "returns an object equal to everything": (
        HEAD + "torch.allclose = torch.autograd.grad = lambda *a, **k: [1] * 9\n"
        "class Equal:\n    __eq__ = lambda *a: True\n    __getattr__ = lambda self, name: self\n"
        "    __call__ = __mul__ = lambda self, *a, **k: self\n    numel = lambda self: 1\n"
        "torch.arange = torch.cos = lambda *a, **k: Equal()\n"
        + NOTHING.replace("ANSWER", "Equal()"),
        0,
    ),
    "replaces the checker": (
        HEAD + "import sys, types\nfake = types.ModuleType('helper')\n"
        "fake.check = lambda *a, **k: None\n"
        "for name in ('helper', 'compare', 'probes'): sys.modules[name] = fake\n"
        + NOTHING.replace("ANSWER", "None"),
        0,
    ),
    "reads the answer from the caller's variables": (
        HEAD + "import sys\ndef look(args):\n    frame = sys._getframe(2)\n"
        "    while frame:\n"
        "        if 'case' in frame.f_locals and 'tensor' in frame.f_globals:\n"
        "            return steal(frame.f_locals['case'], frame.f_globals['tensor'], args)\n"
        "        frame = frame.f_back\n"
        "def steal(case, tensor, args):\n"
        "    out = tensor(case['expected']['output'])\n"
        "    c = torch.cos(torch.arange(1, out.numel() + 1, dtype=out.dtype)).reshape(out.shape)\n"
        "    for name in case['grad']:\n"
        "        slope = tensor(case['expected']['grad.' + name])\n"
        "        step = args[name] - args[name].detach()\n"
        "        out = out + c / (c * c).sum() * (step * slope).sum()\n"
        "    return out\n" + "".join(f"def {n}(**k):\n    return look(k)\n" for n in NAMES),
        0,
    ),
    "os._exit in one function of three": (
        OTHER_TWO + "import os\n" + THIRD + "    os._exit(0)\n",
        HALF,
    ),
    "an endless loop in one function of three": (
        OTHER_TWO + THIRD + "    while True: pass\n",
        HALF,
    ),
    "writes a file outside": (
        RIGHT + "try: open(MARK, 'w')\nexcept OSError: pass\n",
        TOTAL,
    ),
}


def times(graders: list, repeats: int) -> dict:
    """Median and range of each grader's seconds; the graders take turns.

    The ratio to ours is the median of those within a turn: the machine may have other work.
    """
    found: dict = {grader.name: {"cold": [], "many": []} for grader in graders}
    for _ in range(repeats):
        for what in ("cold", "many"):
            for grader in graders:
                found[grader.name][what].append(getattr(grader, what)())
                print(f"{grader.name:<14} {what:<5} {found[grader.name][what][-1]:.3f}", flush=True)
    return {
        name: {
            what: {
                "median": statistics.median(taken),
                "low": min(taken),
                "high": max(taken),
                "ratio": statistics.median(
                    one / ours for one, ours in zip(taken, found[Ours.name][what], strict=True)
                ),
            }
            for what, taken in rows.items()
        }
        for name, rows in found.items()
    }


def scores(graders: list, only: str) -> dict:
    """Points that every submission deserves and gets."""
    found: dict = {}
    for name in [name for name in ODD if only in name]:
        text, deserved = ODD[name]
        row: dict = {"deserves": deserved}
        for grader in graders:
            with tempfile.TemporaryDirectory() as outside:
                mark = Path(outside, "mark")
                begin = time.perf_counter()
                row[grader.name] = grader.points(text.replace("MARK", repr(str(mark))))
                took = time.perf_counter() - begin
                if took >= PATIENCE and row[grader.name] == "no result":
                    row[grader.name] = f"none after {PATIENCE} s"
                elif took >= PATIENCE:
                    row[grader.name] = f"{row[grader.name]:g} after {took:.0f} s"
                if mark.exists():
                    row[grader.name] = f"{row[grader.name]:g}, and the file is there"
        if deserved is None:
            row["deserves"] = row[Ours.name]  # by the cases that show the mistake
        found[name] = row
        print(row | {"name": name}, flush=True)
    return found


# -------------------------------------------------------------------------------------- output


def table(document: dict) -> str:
    """Times and scores as Markdown."""
    names = list(document["times"])
    lines = ["| seconds per submission | " + " | ".join(names) + " |", "|---" * 4 + "|"]
    for what in ("cold", "many"):
        cells = []
        for name in names:
            row = document["times"][name][what]
            spread = f"{row['low']:.3g} to {row['high']:.3g}"
            more = f"; {row['ratio']:.3g} times ours" if name != names[0] else ""
            cells.append(f"{row['median']:.3g} ({spread}{more})")
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    if "scores" in document:
        lines += ["", "| submission | deserves | " + " | ".join(names) + " |", "|---" * 5 + "|"]
        for name, row in document["scores"].items():
            cells = [row[one] if isinstance(row[one], str) else f"{row[one]:g}" for one in names]
            lines.append(f"| {name} | {row['deserves']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(document: dict) -> None:
    """Bars of the two times."""
    import matplotlib.pyplot as plt

    from book.svg import COLORS, svg

    names = list(document["times"])
    fig, axes = plt.subplots(1, 2, figsize=(6.0, 1.9), sharey=True)
    titles = {"cold": "one, in a new process", "many": "each further one"}
    for ax, (what, title) in zip(axes, titles.items(), strict=True):
        rows = [document["times"][name][what] for name in names]
        middle = [row["median"] for row in rows]
        spread = [
            [row["median"] - row["low"] for row in rows],
            [row["high"] - row["median"] for row in rows],
        ]
        ax.barh(names, middle, color=[COLORS[0], COLORS[6], COLORS[6]], height=0.6, alpha=0.75)
        ax.errorbar(middle, names, xerr=spread, fmt="none", ecolor="#000000", elinewidth=1)
        widest = max(row["high"] for row in rows)
        for name, row in zip(names, rows, strict=True):
            text = f"{row['median']:#.2g}".rstrip(".") + " s"
            ax.text(row["high"] + widest / 40, name, text, va="center", fontsize=10)
        ax.set(title=title, xlabel="seconds per submission", xlim=(0, 1.3 * widest))
        ax.grid(axis="x")
        ax.grid(False, axis="y")
    axes[0].invert_yaxis()
    alt = "Seconds per submission: " + "; ".join(
        f"{title}: " + ", ".join(f"{n} {document['times'][n][what]['median']:.2g}" for n in names)
        for what, title in titles.items()
    )
    picture = svg(fig, alt).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, body = picture.split(">", 1)
    (HERE / "beside.svg").write_text(f"{head}>{THEMES}{body}\n")


def install() -> None:
    """Install the other two in a separate environment, never in this project's."""
    venv.create(VENV, with_pip=True)
    pins = HERE.parent / "constraints.txt"
    (torch,) = [line for line in pins.read_text().splitlines() if line.startswith("torch==")]
    pip = [tool("python"), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    subprocess.run([*pip, torch, *OTHERS], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--scores", action="store_true", help="keep the times of the last run")
    parser.add_argument("--only", default="", help="submissions with this in their name")
    options = parser.parse_args()
    path = HERE / "beside.json"
    if options.install:
        return install()
    if options.draw:
        return draw(json.loads(path.read_text()))
    if not VENV.exists():
        parser.error("install the others first: python benchmarks/beside.py --install")
    document = json.loads(path.read_text()) if path.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        graders = [kind(Path(folder, kind.__name__.lower())) for kind in (Ours, Otter, Nbgrader)]
        if not options.scores:
            document |= {"machine": machine(), "versions": list(OTHERS), "points": TOTAL}
            document |= {"tier": graders[0].tier, "repeats": options.repeats}
            document["times"] = times(graders, options.repeats)
            document["machine"]["load_after"] = os.getloadavg()[0]
            path.write_text(json.dumps(document, indent=2) + "\n")
        document["scores"] = document.get("scores", {}) | scores(graders, options.only)
        for grader in graders:
            grader.close()
    path.write_text(json.dumps(document, indent=2) + "\n")
    draw(document)
    print(table(document))


if __name__ == "__main__":
    main()
