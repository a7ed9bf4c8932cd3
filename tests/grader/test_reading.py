"""Untrusted text is read at a distance: a result or one sentence, whatever it is."""

import contextlib
import json
import marshal
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from grader import course, files
from grader.enclose import outcome, witness
from grader.enclose.sandbox import Limits
from grader.enclose.worker import wire
from grader.errors import UserError
from grader.judge import grading, reader, records, syntax, unpack
from grader.judge.grading import Grader
from grader.judge.submission import Submission, read
from grader.student import progress, report
from tests.lent import grade

GRADE = Path(sys.executable).with_name("grade")
EXERCISE = records.select(["linear.softmax"])[0]
RECORD = records.load("linear", "softmax")
SOLUTION = course.solution("linear")
RIGHT = "import torch\n" + syntax.text_of(SOLUTION, "softmax").replace(
    "log_sum_exp(input, dim=dim, keepdim=True)", "input.logsumexp(dim, True)"
)
HEAD = "def softmax(input, dim=-1):\n    return"
ROUNDS = 10  # of random input
CHEAT = f"import torch.nn.functional as F\n{HEAD} F.softmax(input, dim)\n"


def reading(text):
    return Submission(text, "linear.py").reading(EXERCISE)


def refused(text):
    result = grading.refuse(RECORD, Submission(text, "linear.py"))
    return result and result.detail


# ------------------------------------------------------------------------------ code


def test_a_module_is_compiled_once_for_its_exercises(sandbox):
    two = records.select(["linear.softmax", "linear.linear"])
    text = f"\n\nimport torch\n{HEAD} torch.exp(input) / nothing\n"
    readings = Submission(text, "linear.py").readings(two)
    assert len({one.code for one in readings.values()}) == 1
    code = marshal.loads(readings["softmax"].code)
    assert (code.co_filename, code.co_firstlineno) == ("linear.py", 1)
    assert reading(text).code == b""  # one alone is compiled where it runs
    calls = [dict(case.call) for case in RECORD.cases][:1]
    told = [
        sandbox.run(text, "softmax", calls, filename="linear.py", code=known).cases
        for known in (b"", readings["softmax"].code)
    ]
    assert told[0] == told[1]
    assert (told[1][0]["error"]["type"], told[1][0]["error"]["line"]) == ("NameError", 5)
    other = marshal.dumps(compile(f"{HEAD} input / 0", "linear.py", "exec"))
    (case,) = sandbox.run(RIGHT, "softmax", calls, filename="linear.py", code=other).cases
    assert "error" in case or not np.isfinite(case["values"]["output"]).all()


@pytest.mark.parametrize(
    "text",
    [
        f"{RIGHT}\nassert (1, 'always true')\n",  # a warning, which the student is to see
        f"{RIGHT}\nreturn 1\n",  # parses, and is not valid Python
        "\n".join([RIGHT, *(f"x = '{n:04}' * 1000" for n in range(400))]),
    ],
    ids=["warns", "is not valid", "is too large"],
)
def test_what_would_warn_or_fail_is_compiled_where_it_runs(text):
    two = records.select(["linear.softmax", "linear.linear"])
    assert {one.code for one in Submission(text, "linear.py").readings(two).values()} == {b""}


# ------------------------------------------------------------------------- what breaks parsers

BOMBS = {
    "signs": "x = " + "-" * 7000 + "1",
    "branches": "if a: pass\n" + "elif a: pass\n" * 19_000,
    "lambdas": "f = " + "lambda: " * 30_000 + "0",
    "attributes": "def dead():\n    a" + ".b" * 1100,
    "many attributes": "x = a" + ".b" * 120_000,
    "calls": "x = a" + "()" * 120_000,
    "subscripts": "x = a" + "[0]" * 80_000,
    "sums": "x = " + "1+" * 120_000 + "1",
    "a long number": "x = 0x" + "f" * 200_000,
    "a long decimal number": "x = " + "9" * 200_000,
    "names of names": "import torch\n" + "".join(f"a{i + 1} = a{i}.b\n" for i in range(15_000)),
    "names of names, last first": "".join(f"a{i + 1} = a{i}.b\n" for i in reversed(range(15_000))),
    "statements in a line": "a;" * 127_000,
    "assignments in a line": "a=1;" * 63_000,
    "assignments": "a=1\n" * 63_000,
    "changes": "softmax.x = 1\n" * 16_000,
    "a long list": "x = [" + "a, " * 85_000 + "]",
    "a long f-string": "x = f'" + "{a}" * 60_000 + "'",
    "a long comparison": "x = " + "a<" * 120_000 + "a",
    "functions in a chain": "".join(f"def a{i}(): a{i + 1}()\n" for i in range(9000)),
    "values in a chain": "a0=1\n" + "".join(f"a{i + 1}=a{i}\n" for i in range(15_000)),
    "decorators": "@a\n" * 80_000 + "def f(): pass",
    "blocks": "".join(" " * i + "if a:\n" for i in range(300)),
    "patterns": "match a:\n case [" + "b," * 100_000 + "]: pass",
    "a null byte": "x = '\0'",
    "a surrogate": "x = '\ud800'",
    "too much": "#" * (unpack.MODULE + 1),
}


@pytest.fixture
def reader_with(monkeypatch):
    """Let texts be read in a new process, in which a statement has run."""

    def begin(statement):
        before, after = reader.CODE.split("study.serve()")
        monkeypatch.setattr(reader, "CODE", f"{before}{statement}\nstudy.serve(){after}")
        monkeypatch.setattr(reader, "_process", None)

    return begin


def test_a_bomb_is_read_or_refused_and_hides_no_shortcut(reader_with):
    reader_with("study.SECONDS = 0.2")  # an honest text takes hundredths
    late = {}
    for name, bomb in BOMBS.items():
        told = reading(f"{CHEAT}\n{bomb}\n")
        said = re.search(r"larger|nested|too long", told.refused)
        assert told.shortcut or told.error or said, name
        in_cells = Submission("", "linear.ipynb", cells=(CHEAT, bomb)).reading(EXERCISE)
        assert in_cells.shortcut or in_cells.refused, name
        assert not reading(RIGHT).refused, name  # the next one is read
        late[name] = "too long" in told.refused
    assert late["changes"]


def test_a_source_that_cannot_be_read_does_not_run(sandbox):
    text = RIGHT + "x = " + "-" * 7000 + "1\n"
    (result,) = results = Grader(sandbox).grade(
        [EXERCISE], {"linear": Submission(text, "linear.py")}
    )
    assert (result.status, result.earned) == ("unread", 0)
    assert "linear.py is nested too deeply, or too large." in report.plain(results, [])


def test_reading_takes_little_time():
    """Ten times the text is ten times the work, and not a hundred times."""

    code = """
import json, sys, time
from grader.judge import study
study.study_module("linear.py", "x = 1", {})
for text in json.load(sys.stdin):
    begin = time.process_time()
    study.study_module("linear.py", text, {"softmax": (["F.softmax"], [])})
    print(time.process_time() - begin)
"""
    names = ("names of names", "statements in a line", "assignments", "a long list")
    texts = []
    for name in names:
        large = BOMBS[name][: len(BOMBS[name]) // 2]
        for text in (large[: len(large) // 10], large):
            whole = text[: text.rindex("\n" if "\n" in text else ";" if ";" in text else ",")]
            texts.append(whole + "]" * (name == "a long list"))
    command, given = [sys.executable, "-c", code], json.dumps(texts)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    seconds = iter(map(float, done.stdout.split()))
    for name, quick, slow in zip(names, seconds, seconds, strict=True):
        assert slow < 30 * quick + 0.25, name


@pytest.mark.parametrize(
    "text",
    [
        f"{CHEAT}def dead():\n    import math as F\n",
        f"{HEAD} F.softmax(input)\nF = G\nG = H\nimport torch.nn as n\nH = n.functional\n",
        f"import torch\n{HEAD} torch.Tensor.softmax(input, dim)\n",
        f"{CHEAT}plain = softmax\n{HEAD} plain(input, dim)\n",
        f"import torch\n(soft, *_), = [(torch.softmax,)],\n{HEAD} soft(input)\n",
        f"import torch\nif 1:\n    def soft(x): return torch.softmax(x, 0)\n{HEAD} soft(input)\n",
        f"import torch\nT = {{}}\nT['f'] = torch.softmax\n{HEAD} T['f'](input)\n",
        f"import torch\nT = []\nT.append(torch.softmax)\n{HEAD} T[0](input)\n",
        f"class A: pass\nA.f = lambda x: x.softmax(0)\n{HEAD} A.f(input)\n",
    ],
)
def test_shortcuts_are_found_by_whatever_name(text):
    assert "softmax" in refused(text)
    assert grading.refuse(RECORD, Submission("", "linear.ipynb", cells=(text,)))


def test_what_is_judged_is_what_runs():
    """A lone surrogate is no text: what is looked at and what runs must be the same."""
    told = reading(CHEAT + "x = '\ud800'\n")
    assert told.shortcut
    assert told.text.encode()


def test_lines_end_at_line_feeds_alone():
    above = "x = 'a\x0c\x0b\x1c\x1d\x1e\x85\u2028\u2029b'  # \x85 \u2028\n"
    assert reading(above + RIGHT).error is None
    told = reading(above + CHEAT)
    assert told.shortcut[1] == 4
    cells = Submission("", "linear.ipynb", cells=(above, above + CHEAT)).reading(EXERCISE)
    assert cells.place(cells.shortcut[1]) == (2, 4)
    mixed = Submission(
        "", "linear.ipynb", cells=(CHEAT.replace("\n", "\r\n", 1).replace("\n    ", "\r    "),)
    )
    assert mixed.reading(EXERCISE).place(mixed.reading(EXERCISE).shortcut[1]) == (1, 3)


def test_the_reader_is_replaced_when_it_dies(monkeypatch):
    reading(RIGHT)
    reader._process.process.kill()
    reader._process.process.wait()
    assert not reading(RIGHT + "\n").refused
    with pytest.raises(reader.ReaderError, match="KeyError"):
        reader.ask("nothing of the kind", "linear.py")
    monkeypatch.setattr(reader, "CODE", "raise SystemExit")
    monkeypatch.setattr(reader, "_process", None)
    with pytest.raises(reader.ReaderError, match="did not start"):
        reading(RIGHT + "\n\n")


def test_a_text_that_takes_too_long_ends_its_reader(reader_with):
    spin = "study.SECONDS = 0.2\nstudy.TASKS['spin'] = lambda name: [0 for _ in iter(int, 1)]"
    reader_with(spin)
    with pytest.raises(reader.Unreadable, match=r"x\.py takes too long to read"):
        reader.ask("spin", "x.py")
    assert reader._process is None


# ----------------------------------------------------------------------------- files and folders


def test_links_are_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    other = tmp_path / "linear.py"
    other.write_text(RIGHT)
    (tmp_path / "mine" / "linear.py").symlink_to(other)
    for path in (tmp_path / "mine", tmp_path / "mine" / "linear.py"):
        with pytest.raises(UserError, match=r"linear.py is a link; hand in the file itself\."):
            read(path, "linear")
    (tmp_path / "linked").symlink_to(tmp_path)
    with pytest.raises(UserError, match=r"linked is a link; hand in the folder itself\."):
        read(tmp_path / "linked", "linear")
    other.unlink()
    with pytest.raises(UserError, match="is a link"):  # not even whether it leads anywhere
        read(tmp_path / "mine", "linear")


def test_pipes_and_folders_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "linear.py")
    with pytest.raises(UserError, match="is not a file"):
        read(tmp_path / "linear.py", "linear")
    (tmp_path / "mlp.py").mkdir()
    with pytest.raises(UserError, match=r"holds neither mlp\.py nor"):
        read(tmp_path, "mlp")


def archive(path, *entries, kind=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", kind) as file:
        for entry, text in entries:
            file.writestr(entry, text)
    return path


def test_a_link_in_an_archive_is_refused(tmp_path):
    link = zipfile.ZipInfo("linear.py")
    link.external_attr = 0o120777 << 16
    path = archive(tmp_path / "a.zip", (link, "../solutions/linear.py"))
    with pytest.raises(UserError, match=r"linear.py in a.zip is a link"):
        read(path, "linear")


def test_names_with_backslashes_are_names_of_folders(tmp_path):
    path = archive(tmp_path / "a.zip", ("work\\linear.py", RIGHT))
    assert read(path, "linear").text == RIGHT


@pytest.mark.parametrize(
    "kind", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_broken_archive_is_one_sentence(tmp_path, kind):
    path = archive(tmp_path / "a.zip", ("é/linear.py", RIGHT * 20), kind=kind)
    data = path.read_bytes()
    assert read(path, "linear").text
    for at in range(0, len(data), max(1, len(data) // 60)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with contextlib.suppress(UserError):
            read(path, "linear")


def test_a_million_entries_are_too_many(tmp_path):
    header = b"PK\1\2" + b"\0" * 24 + b"\1" + b"\0" * 17 + b"x"
    count = 340_000  # as many as there is room for
    end = b"PK\5\6" + b"\0" * 4 + b"\xff" * 4
    end += (len(header) * count).to_bytes(4, "little") + b"\0" * 4 + b"\0\0"
    path = tmp_path / "a.zip"
    path.write_bytes(header * count + end)
    with pytest.raises(UserError, match=r"takes too long to read|neither|archive|too large"):
        read(path, "linear")
    path.write_bytes(header * 3 * count + end)
    with pytest.raises(UserError, match="larger than 16 MB"):
        read(path, "linear")


def test_a_notebook_may_be_large_by_its_outputs_alone(tmp_path):
    cell = {"cell_type": "code", "source": RIGHT, "outputs": [{"data": "A" * 3_000_000}]}
    path = tmp_path / "linear.ipynb"
    path.write_text(json.dumps({"cells": [cell]}))
    assert "softmax" in read(path, "linear").reading(EXERCISE).text
    path.write_text(json.dumps({"cells": [cell | {"source": ["#" * 600_000] * 2}]}))
    with pytest.raises(UserError, match="holds more than 1 MB of code"):
        read(path, "linear")
    cell["source"] = RIGHT + "\nsoftmax.x = '" + "A" * 300_000 + "'"
    path.write_text(json.dumps({"cells": [cell]}))
    assert "more than 256 KB" in read(path, "linear").reading(EXERCISE).refused


def test_nobody_s_file_is_written_through_a_link(tmp_path):
    victim = tmp_path / "grades.csv"
    victim.write_text("mine")
    work = tmp_path / "work"
    work.mkdir()
    for pid in range(os.getpid() - 50, os.getpid() + 50):
        (work / f".progress.json.{pid}.part").symlink_to(victim)
    files.write(work / progress.NAME, "{}")
    assert (work / progress.NAME).read_text() == "{}"
    (work / progress.NAME).unlink()
    (work / progress.NAME).symlink_to(victim)
    progress.keep(work, [grading._unjudged(RECORD)])
    assert victim.read_text() == "mine"
    assert (work / progress.NAME).is_symlink()
    files.write(work / progress.NAME, "{}")  # in the link's place
    assert victim.read_text() == "mine"


def test_a_file_keeps_the_rights_that_others_have_by_default(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("x")
    assert files.write(tmp_path / "written", "x").stat().st_mode == plain.stat().st_mode


# ------------------------------------------------------------------------------- the command


def test_one_bad_chapter_does_not_cost_the_others(tmp_path):
    (tmp_path / "linear.py").write_text(SOLUTION)
    (tmp_path / "mlp.py").write_bytes(b"\xff")
    (tmp_path / "training.ipynb").symlink_to("/etc/passwd")
    done = grade("check", cwd=tmp_path)
    assert done.returncode == 2
    points = sum(exercise.public_points for exercise in records.select(["linear"]))
    assert f"{points} of {points} points" in done.stdout
    assert "mlp.py is not UTF-8 text" in done.stderr
    assert "training.ipynb is a link" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    (tmp_path / "linear.py").unlink()
    done = grade("check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_one_exercise_that_cannot_be_graded_does_not_cost_the_others(sandbox, monkeypatch):
    def judge(record, *more, right=grading.judge):
        if record.manifest.symbol == "softmax":
            raise ArithmeticError("\x1b[2J\nno")
        return right(record, *more)

    monkeypatch.setattr(grading, "judge", judge)
    chosen = records.select(["linear.softmax", "linear.squared_loss"])
    results = Grader(sandbox).grade(chosen, {"linear": Submission(SOLUTION, "linear.py")})
    assert [result.status for result in results] == ["ungraded", "passed"]
    assert results[0].detail == "The grader failed: ArithmeticError: no"


def test_what_was_not_graded_is_exit_code_2_and_no_points_noted(tmp_path):
    code = (
        "import sys\nfrom grader import cli\nfrom grader.judge import grading\n"
        "def broken(*_): raise ArithmeticError\ngrading.judge = broken\n"
        "sys.argv = ['grade', 'check', 'linear.softmax', '--json']\ncli.main()\n"
    )
    (tmp_path / "linear.py").write_text(SOLUTION)
    (tmp_path / "progress.json").write_text('{"linear.softmax": 3}')
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["exercises"][0]["status"] == "ungraded"
    assert "grade: linear.softmax: The grader failed: ArithmeticError" in done.stderr
    assert json.loads((tmp_path / "progress.json").read_text()) == {"linear.softmax": 3}


def test_an_untouched_module_beside_a_filled_notebook_is_told(tmp_path):
    grade("start", ".", "linear", cwd=tmp_path)
    assert "linear.ipynb" not in grade("check", "linear", cwd=tmp_path).stderr
    path = tmp_path / "linear.ipynb"
    document = json.loads(path.read_text())
    cell = next(cell for cell in document["cells"] if "%%grade linear.softmax\n" in cell["source"])
    cell["source"] = f"%%grade linear.softmax\n{RIGHT}"
    path.write_text(json.dumps(document))
    done = grade("check", "linear", cwd=tmp_path)
    said = (
        "linear.py is not written yet, but linear.ipynb is: grade check linear --file linear.ipynb"
    )
    assert said in done.stderr
    assert said not in grade("check", "linear", "--file", path, cwd=tmp_path).stderr
    (tmp_path / "linear.py").write_text(RIGHT)
    assert said not in grade("check", "linear", cwd=tmp_path).stderr


# ------------------------------------------------------------------- what a worker's process says


def through(sandbox, text):
    submission = Submission(text, "linear.py")
    return report.plain(Grader(sandbox).grade([EXERCISE], {"linear": submission}), [])


LIE = "\\x1b[2J\\n✓ linear.softmax   4/4\\n\\n6 of 6 points\\n" + "A" * 10_000


@pytest.mark.parametrize(
    "body",
    [
        f"raise ValueError('{LIE}')",
        f"raise type('{LIE}', (Exception,), {{}})('x')",
        f"return type('{LIE}', (), {{}})()",
        f"return {{'{LIE}': input}}",
        f"return {{i: {{'{LIE}': input}} for i in range(500)}}",
        f"return '{LIE}'",
        f"return ['{LIE}'] * 30_000",
        f"print('{LIE}')",
        f"exec(compile('\\n' * 10**6 + '1 / 0', '{LIE}', 'exec'))",
    ],
)
def test_no_text_of_a_submission_begins_a_line_of_the_report(body, sandbox, monkeypatch):
    # some fill the memory in every case, so there is little of it
    monkeypatch.setattr(sandbox, "limits", Limits(seconds=60, memory_mb=64))
    shown = through(sandbox, f"def softmax(input, dim=-1):\n    {body}\n")
    first, *rest = filter(None, shown.splitlines())
    assert first.startswith("✗ linear.softmax   0/")
    assert all(line.startswith(("    ", f"0 of {EXERCISE.public_points} points")) for line in rest)
    assert "\x1b" not in shown
    assert len(shown) < 30_000


@pytest.mark.parametrize(
    "text",
    [
        "x = = '\x1b[2J\r\n\u202e\u20284 of 4 points'",
        f"x = = '{'A' * 250_000}'",
        f"x = '\\N{{{'A' * 250_000}}}'",
        f"import torch\ntorch._{'a' * 240_000}",
        f"import torch as {'a' * 100_000}\n{'a' * 100_000}.__dict__",
    ],
)
def test_no_text_of_a_source_floods_the_report(text, sandbox):
    shown = through(sandbox, text)
    first, *rest = filter(None, shown.splitlines())
    assert first.startswith("✗ linear.softmax   0/")
    assert all(line.startswith(("    ", f"0 of {EXERCISE.public_points} points")) for line in rest)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert len(shown) < 30_000


def test_what_is_left_out_is_told_up_to_a_number():
    cells = ("def softmax(input:\n",) * 1000
    told = Submission("", "linear.ipynb", cells=(*cells, RIGHT)).reading(EXERCISE).left_out
    assert (len(told), told[-1]) == (21, "980 more")


def test_a_parameter_that_no_layer_has_takes_no_memory():
    call = {"probe": "fresh", "args": {}}
    one, other = ({"w": np.zeros(n, bool)} for n in (2**22, 2**22 + 1))
    for kept, values in ((True, one), (False, other)):
        case = {"values": {"after.one": values, "after.other": values}, "called": []}
        assert ("fresh.w" in witness.seen(call, case)["values"]) is kept


def test_names_in_modules_are_cleaned_too():
    document = {
        "values": {
            "output[\x1b[31m]": np.ones(2),
            "parameters": {"w\n4 of 4 points" * 10_000: [2]},
            "changed": ["x\x1b[2J\nright"],
            "output": {"$type": "t\ny"},
            "output[0]": ["a\nb"],
        },
        "called": ["torch.\x1b[1msoftmax"],
    }
    case = outcome._case(document)
    names = list(case["values"])
    assert names[0] == "output[]"
    (parameter,) = case["values"]["parameters"]
    assert len(parameter) == outcome.NAME
    assert "\n" not in parameter
    assert case["values"]["changed"] == ["x right"]
    assert case["values"]["output"] == {"$type": "t y"}
    assert case["values"]["output[0]"] == ["a\nb"]  # a value is compared as it is
    assert case["called"] == ["torch.softmax"]


@pytest.mark.parametrize("line", [-1, 0, 10**4298, 10**12])
def test_a_line_that_no_source_has_is_none(line):
    error = {"kind": "exception", "type": "E", "message": "m", "line": line, "text": None}
    assert outcome._case({"error": error})["error"]["line"] is None
    assert outcome._case({"error": error | {"line": 3}})["error"]["line"] == 3


def test_words_are_one_line_of_bounded_length():
    assert outcome.one_line("a\x1b[31m b\r\n\u2028\tc\x9b2J\u202ed") == "a b c2Jd"
    assert len(outcome.one_line("y" * 10**7)) == outcome.LONGEST
    assert wire.loads(wire.dumps({"x": outcome.one_line("é😀")})) == {"x": "é😀"}


def test_random_input_ends_in_a_sentence():
    """Results of longer runs are in the tables above; this one is for what changes.

    It is a number of rounds, not of seconds, so that every machine tries the same.
    """
    command = [sys.executable, str(Path(__file__).with_name("fuzz.py")), "--rounds", str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    told = json.loads(done.stdout)
    assert set(told["tried"].values()) == {ROUNDS}
    assert max(told["memory_mb"]) < 1024
    assert max(told["longest_s"].values()) < 60
