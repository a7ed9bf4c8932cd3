"""The command as a student and an instructor use it: messages and exit codes."""

import codeop
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from grader import course
from grader.errors import UserError
from grader.judge import records
from grader.judge.records import manifests, select, slugs
from grader.judge.source import parts
from grader.judge.syntax import text_of
from grader.student import progress
from tests.lent import grade

SYMBOLS = {exercise.symbol for exercise in manifests("linear")}
GRADE = Path(sys.executable).with_name("grade")


def process(*arguments, cwd, **environment):
    """`grade` as a shell starts it."""
    return subprocess.run(
        [GRADE, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "120", **environment},
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work") / "mine"
    done = grade("start", folder, cwd=folder.parent)
    assert done.returncode == 0
    return folder


def test_help_and_list_import_no_torch(tmp_path):
    for arguments in (["--help"], ["list"]):
        code = (
            f"import sys\nsys.argv = {['grade', *arguments]!r}\nfrom grader.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass\n"
            "assert 'torch' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("list linear", 0),
        ("check linear.softmax", 0),
        ("check linear.linear --json", 1),
        ("check linear.sofmax", 2),
    ],
)
def test_a_process_of_its_own_says_the_same(arguments, code, tmp_path):
    """Most tests run commands in their own process (`lent.py`)."""
    (tmp_path / "linear.py").write_text(text_of(course.solution("linear"), "softmax"))
    done = process(*arguments.split(), cwd=tmp_path)
    here = grade(*arguments.split(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (here.returncode, here.stderr)
    said, said_here = (re.sub(r'"seconds": [\d.]+', "", one.stdout) for one in (done, here))
    assert said == said_here
    assert done.returncode == code


def test_list_names_every_exercise(tmp_path):
    done = grade("list", cwd=tmp_path)
    assert done.returncode == 0
    for exercise in select():
        assert exercise.id in done.stdout


def test_blank_workspace_scores_zero_without_a_traceback(tmp_path):
    begun = ("linear", "convolution", "gpt")  # the audit grades every blank
    grade("start", tmp_path, *begun, cwd=tmp_path)
    done = grade("check", cwd=tmp_path)
    assert done.returncode == 1
    assert "\n0 of " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stdout.count("not written yet") == len(select(begun))


def test_a_workspace_says_what_is_refused(workspace):
    text = (workspace / "convolution.py").read_text()
    for exercise in manifests("convolution"):
        above = text.partition(f"\ndef {exercise.symbol}(")[0] or text
        if f"\nclass {exercise.symbol}(" in text:
            above = text.partition(f"\nclass {exercise.symbol}(")[0]
        comment = above.rpartition("\n\n")[2].replace("\n# ", " ")
        said = f"# Do it without {', '.join(exercise.forbidden)}."
        assert (said in comment) == bool(exercise.forbidden), exercise.id
    assert text.count("# Do it without") > 5
    compile(text, "convolution.py", "exec")


def test_start_keeps_what_is_there(workspace):
    path = workspace / "linear.py"
    before = path.read_text()
    path.write_text(before + "# mine\n")
    done = grade("start", workspace, cwd=workspace)
    assert done.returncode == 0
    assert "kept" in done.stdout
    assert path.read_text() == before + "# mine\n"
    path.write_text(before)


def test_a_workspace_holds_no_other(workspace):
    done = grade("start", "inner", cwd=workspace)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"would lie inside the workspace {workspace}" in done.stderr
    assert not (workspace / "inner").exists()
    done = grade("start", ".", cwd=workspace)
    assert done.returncode == 0
    assert len(done.stdout.strip().splitlines()) == 3
    assert f"kept {2 * len(slugs())} files that were there already" in done.stdout


def test_start_says_what_comes_next(tmp_path):
    first, second = manifests("mlp")[:2]
    done = grade("start", "mine", "mlp", cwd=tmp_path)
    assert f"Write {first.id}, then:  cd mine && grade check {first.id}" in done.stdout
    noted = json.dumps({first.id: first.public_points})
    (tmp_path / "mine" / progress.NAME).write_text(noted)
    done = grade("start", "mine", "mlp", cwd=tmp_path)
    assert f"Write {second.id}, then:" in done.stdout


def test_help_lists_commands_by_who_uses_them(tmp_path):
    said = grade("--help", cwd=tmp_path).stdout
    places = [said.index(f"\n{room}:\n") for room in ("Learn", "Write exercises", "Grade a class")]
    assert places == sorted(places)
    assert places[0] < said.index("  start ") < said.index("  check ") < places[1]
    assert "..." not in said.partition("Learn:")[2]


def test_what_cannot_be_read_is_json_too(tmp_path):
    (tmp_path / "linear.py").write_bytes(b"x = '\xe9'\n")
    done = grade("check", "linear", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(grade("schema", cwd=tmp_path).stdout))
    assert (done.returncode, document["exercises"]) == (2, [])
    assert document["errors"] == ["linear.py is not UTF-8 text (byte 5). Save it as UTF-8."]


def test_hidden_records_are_not_overwritten(tmp_path):
    exercise = "embeddings.ppmi"
    done = grade("hidden", exercise, "--to", "hidden", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    before = {path: path.read_bytes() for path in (tmp_path / "hidden").glob("*/*")}
    assert {path.stem for path in before} == {"ppmi", *select([exercise])[0].needs}
    done = grade("hidden", exercise, "--to", "hidden", cwd=tmp_path)
    assert done.returncode == 2
    assert "holds hidden records already" in done.stderr
    assert {path: path.read_bytes() for path in before} == before
    done = grade("hidden", exercise, "--to", "hidden", "--again", cwd=tmp_path)
    assert done.returncode == 0
    assert {path: path.read_bytes() for path in before} == before
    after = {path.name: path.read_bytes() for path in (tmp_path / "hidden-2").glob("*/*")}
    assert after.keys() == {path.name for path in before}
    assert all(after[path.name] != old for path, old in before.items())


def test_status_counts_what_was_checked(tmp_path):
    folder = tmp_path / "work"
    grade("start", folder, "linear", cwd=tmp_path)
    first = next(exercise for exercise in manifests("linear"))
    points = sum(exercise.public_points for exercise in manifests("linear"))
    done = grade("status", cwd=folder)
    assert done.returncode == 0
    assert f" 0/{points}" in done.stdout
    assert f"Next: {first.id}" in done.stdout
    (folder / "linear.py").write_text(course.solution("linear"))
    grade("check", first.id, cwd=folder)
    assert f" {first.public_points}/{points}" in grade("status", folder, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "record",
    [
        "{broken",
        "[]",
        "null",
        '{"linear.linear": Infinity}',
        '{"format": 2, "points": {}}',
        "[" * 9**5,
    ],
    ids=lambda text: text[:12],
)
def test_a_record_that_cannot_be_read_is_kept(record, tmp_path):
    (tmp_path / "progress.json").write_text(record)
    for reads in (progress.earned, lambda folder: progress.keep(folder, [])):
        with pytest.raises(UserError, match="is not a record of points"):
            reads(tmp_path)
    assert (tmp_path / "progress.json").read_text() == record


def test_what_was_never_recorded_is_not_to_be_recorded_again(tmp_path):
    with pytest.raises(UserError, match=r"Record it: grade record linear\.softmax, or") as caught:
        records.load("linear", "softmax", tmp_path)
    assert "again" not in str(caught.value)


def test_a_record_that_cannot_be_read_costs_no_grade(tmp_path):
    (tmp_path / "progress.json").write_text("{broken")
    (tmp_path / "linear.py").write_text(course.solution("linear"))
    done = grade("check", "linear.softmax", cwd=tmp_path)
    assert done.returncode == 0
    assert "Not noted for grade status" in done.stderr
    done = grade("status", cwd=tmp_path)
    assert done.returncode == 2
    assert "progress.json is not a record of points" in done.stderr
    assert "Traceback" not in done.stderr


def test_impossible_points_fill_a_bar_and_no_more(tmp_path):
    (tmp_path / "progress.json").write_text('{"linear.linear": 1000000000, "linear.softmax": -7}')
    done = grade("status", cwd=tmp_path)
    (linear,) = select(["linear.linear"])
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("linear "))
    assert f" {linear.public_points}/" in line


def test_several_commands_note_their_points_at_once(tmp_path):
    """Points that one command notes must not be lost because another has read the record before."""
    grade("start", tmp_path, "linear", cwd=tmp_path)
    names = [exercise.id for exercise in manifests("linear")]
    code = (
        "import sys, types\nfrom pathlib import Path\nfrom grader.student import progress\n"
        "exercise = types.SimpleNamespace(id=sys.argv[1], public_points=1)\n"
        "done = types.SimpleNamespace(exercise=exercise, points=1, earned=1, core_earned=1)\n"
        "done.status = 'graded'\n"
        "for _ in range(50): progress.keep(Path('.'), [done])\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, name], cwd=tmp_path) for name in names[:4]
    ]
    assert [process.wait(60) for process in started] == [0] * 4
    noted = dict.fromkeys([*names[:4], *(f"{name} core" for name in names[:4])], 1)
    assert json.loads((tmp_path / "progress.json").read_text()) == noted


def test_doctor_says_which_protections_hold(tmp_path):
    done = grade("doctor", cwd=tmp_path)
    assert done.returncode == 0
    for name in ("python", "torch", "sandbox", "references", "data"):
        assert f"{name}:" in done.stdout


def test_workspace_notebook_filled_with_the_answers_gets_all_points(tmp_path):
    grade("start", tmp_path, "linear", cwd=tmp_path)
    path = tmp_path / "linear.ipynb"
    document = json.loads(path.read_text())
    solution = course.solution("linear")
    *_, (last, helpers) = parts(solution, SYMBOLS)  # private, so the skeleton has none of them
    assert last is None
    for cell in document["cells"]:
        first = "".join(cell["source"]).partition("\n")[0]
        if first.startswith("%%grade "):
            cell["source"] = f"{first}\n{text_of(solution, first.rpartition('.')[2])}"
    document["cells"].append({"cell_type": "code", "source": helpers})
    path.write_text(json.dumps(document))
    done = grade("check", "linear", "--file", path, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_workspace_notebook_runs_from_top_to_bottom(tmp_path):
    """Nothing written yet, nothing raised: every cell defines what later cells name."""
    grade("start", tmp_path, cwd=tmp_path)
    for slug in slugs():
        cells = json.loads((tmp_path / f"{slug}.ipynb").read_text())["cells"]
        names, compiled = {}, codeop.Compile()  # a future import holds in all later cells
        for cell in cells:
            if cell["cell_type"] == "code":
                code = [line for line in cell["source"] if not line.startswith("%")]
                exec(compiled("".join(code), slug, "exec"), names)
        assert {exercise.symbol for exercise in manifests(slug)} <= set(names)


def test_several_targets_are_one_report(tmp_path):
    (tmp_path / "linear.py").write_text(course.solution("linear"))
    done = grade("check", "linear.softmax", "linear.linear", "linear.softmax", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines()[:2]] == [
        "linear.softmax",
        "linear.linear",
    ]
    assert done.stdout.count("linear.softmax") == 1


def test_json_is_json(tmp_path):
    (tmp_path / "linear.py").write_text("")
    done = grade("check", "linear", "--json", cwd=tmp_path)
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["earned"] == 0
    assert document["points"] > 0


def test_junit_and_schema_come_from_the_command(tmp_path):
    (tmp_path / "linear.py").write_text("")
    done = grade("check", "linear.softmax", "--json", "--junit", "out/tests.xml", cwd=tmp_path)
    assert done.returncode == 1
    jsonschema.validate(json.loads(done.stdout), json.loads(grade("schema", cwd=tmp_path).stdout))
    suite = ElementTree.parse(tmp_path / "out" / "tests.xml").getroot()
    assert suite.get("tests") == str(len(json.loads(done.stdout)["exercises"][0]["cases"]))
    done = grade("check", "linear.softmax", "--junit", "linear.py/tests.xml", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "0 of " in done.stdout  # the report is not lost with the file


def test_hidden_references_grade_more_cases(tmp_path):
    slug = "self_attention"  # a chapter whose answers run quickly
    done = grade("hidden", slug, "--to", tmp_path / "hidden", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / f"{slug}.py").write_text(course.solution(slug))
    done = grade("check", slug, "--references", tmp_path / "hidden", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    everything = sum(exercise.points for exercise in manifests(slug, tmp_path / "hidden"))
    assert everything < sum(exercise.points for exercise in manifests(slug))
    assert f"{everything} of {everything} points" in done.stdout


@pytest.mark.linux
@pytest.mark.parametrize("command", ["list", "status", "schema", "check --json", "check linear"])
def test_a_full_disk_under_the_output_is_one_message(command, tmp_path):
    (tmp_path / "progress.json").write_text("{}")
    (tmp_path / "linear.py").write_text("")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [GRADE, *command.split()], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "The output cannot be written: No space left on device." in done.stderr


def test_a_terminal_that_lacks_the_signs_gets_others(tmp_path):
    (tmp_path / "linear.py").write_text(course.solution("linear"))
    (tmp_path / "progress.json").write_text("{}")
    done = process("check", "linear.softmax", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout.split()[:2]) == (0, ["+", "linear.softmax"])
    done = process("status", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("linear "))
    assert re.fullmatch(r"#+\.+", line.split()[1])


def test_names_of_files_may_be_odd(tmp_path):
    text = "def softmax(input):\n    return 1 / 0\n"
    names = {
        "my answer ü.py": grade,
        "two\nlines.py": grade,
        os.fsdecode(b"not\xffutf8.py"): process,
    }
    for name, begin in names.items():  # the last one cannot be printed to every terminal
        (tmp_path / name).write_text(text)
        done = begin("check", "linear.softmax", "--file", tmp_path / name, cwd=tmp_path)
        assert done.returncode == 1
        assert "ZeroDivisionError" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], "There is no chapter's module or notebook in"),
        (["check", "linear"], "There is no linear.py in"),
        (["check", "liner"], "Did you mean 'linear'?"),
        (["check", "self_attention.SelfAtention"], "Did you mean 'SelfAttention'?"),
        (["check", "linear.nothing_like_it_at_all"], "There are: linear, squared_loss"),
        (["check", "--file", "absent.py"], "Which exercises is absent.py for?"),
        (["check", "linear", "self_attention", "--file", "ok.py"], "one file; check it for one of"),
        (["check", "linear.softmax", "linear.sofmax"], "Did you mean 'softmax'?"),
        (["check", "linear.py"], "Name the chapter: linear."),
        (["check", "--file", "my answer.py"], "grade check SLUG --file 'my answer.py'"),
        (["check", "linear", "--file", "absent.py"], "There is no file absent.py"),
        (["check", "--file", "text.txt"], "Which exercises is text.txt for?"),
        (["check", "linear", "--file", "text.txt"], "neither a Python module"),
        (["check", "linear", "--file", "broken.ipynb"], "not a Jupyter notebook"),
        (["check", "linear", "--file", "ok.py", "--references", "none"], "no record of linear."),
        (["check", "linear", "--file", "ok.py", "--references", "junk"], "cannot be read"),
        (["hidden", "linear"], "Missing option '--to'"),
        (["hidden", "linear", "--to", records.FOLDER], "must not lie beside the public ones"),
        (["check", "linear", "--file", "a.py", "--file", "b.py"], "--file is given twice"),
        (["hidden", "liner", "--to", "new"], "Did you mean 'linear'?"),
        (["record", "liner"], "Did you mean 'linear'?"),
        (["new", "linear.nothing"], "write nothing there first"),
        (["new", "nothing.softmax"], "Begin a new one: make chapter SLUG=nothing"),
        (["start"], "Missing argument"),
        (["start", "text.txt"], "is a file"),
        (["start", "new", "nothing"], "There is no chapter 'nothing'"),
        (["blank", "nothing", "--to", "new"], "There is no chapter 'nothing'"),
        (["blank", "gpt", "--to", course.ROOT / "solutions"], "name the folder of a copy"),
        (["audit", "nothing"], "There is no chapter 'nothing'"),
        (["status"], "is not a workspace"),
        (["run", "gtp"], "Did you mean 'gpt'?"),
        (
            ["run", "linear"],
            "linear has no model to run. These chapters have one: mlp, convolution",
        ),
        (["run", "gpt"], "is not a workspace. Make one: grade start FOLDER"),
        (["run"], "Missing argument"),
        (["frobnicate"], "No such command"),
    ],
)
def test_misuse_is_one_message_and_exit_code_2(arguments, words, tmp_path):
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "broken.ipynb").write_text("{")
    (tmp_path / "ok.py").write_text("")
    (tmp_path / "junk" / "linear").mkdir(parents=True)
    (tmp_path / "junk" / "linear" / "linear.safetensors").write_bytes(b"junk" * 100)
    done = grade(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()
