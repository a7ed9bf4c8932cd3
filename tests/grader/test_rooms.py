"""Each room of the grader imports only the rooms before it, by whatever way Python has."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from grader import course
from grader.judge.source import blank

ROOT = Path(__file__).parents[2]
ROOMS = (
    "enclose",
    "judge",
    "student",
    "author",
    "questions",
    "instruct",
)  # each may use those before it
SERVE = "serve"  # may use the first three, and none uses it
LEAVES = {  # what every room may use, and what these use of one another
    "grader.errors": (),
    "grader.interrupt": (),
    "grader.files": ("grader.errors", "grader.interrupt"),
    "grader.course": ("grader.errors",),
}
DOORS = {  # where one comes in
    "grader": ("grader.student.notebook",),
    "grader.cli": ("grader.interrupt", "grader.commands"),
    "grader.commands": ("grader.errors", "grader.enclose.sandbox", "grader.*"),
}
SHARED = ("grader.enclose.worker.wire", "grader.enclose.worker.entry")  # with the sandbox's inside
LOCATED = {  # looked for, and not imported
    ("grader.course", "solutions"),
    ("grader.course", "*"),  # packages that announce exercises
    ("grader.judge.inspection", "*"),  # the name alone, to refuse it
    ("grader.enclose.walls", "*"),  # torch and what else submissions import
    ("grader.enclose.worker.absent", "*"),  # of torch and NumPy, to empty what is refused
    ("grader.enclose.worker.server", "*"),  # solutions, to refuse to serve where they are found
}
IMPORTERS = ("import_module", "__import__", "find_spec", "find_loader", "run_module")
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in ROOT.glob("grader/**/*.py")
}


# What a module imports


def imports(module: str, text: str) -> Iterator[str]:
    """Dotted names of all that a module may import; ``*`` in place of what it computes."""
    tree = ast.parse(text)
    whole = MODULES[module].stem == "__init__"
    package = module if whole else module.rpartition(".")[0]
    names, called = set(IMPORTERS), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*up, *filter(None, [node.module])])
            for item in node.names:
                inner = f"{base}.{item.name}"
                yield inner if inner in MODULES else base
                if item.name in IMPORTERS:
                    names.add(item.asname or item.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last(node.func) in names:
            called.add(id(node.func))
            given = [*node.args, *(item.value for item in node.keywords)]
            yield _text(given[0]) if given else "*"
    for node in ast.walk(tree):  # handed on, or looked up: whatever for
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called:
            if _last(node) in names:
                yield "*"
        elif isinstance(node, ast.Constant) and node.value in IMPORTERS:
            yield "*"


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _text(node: ast.expr) -> str:
    """A string, with ``*`` for the parts that are computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    return "*"


# What it may import


def violations(module: str, text: str) -> set[str]:
    return {name for name in imports(module, text) if not may(module, name)}


def may(module: str, name: str) -> bool:
    if (module, name) in LOCATED:
        return True
    top = name.partition(".")[0]
    if module.startswith("grader.exercises."):
        return exercise_may(module, name)
    if top not in ("grader", "solutions", "book", "course"):
        return "*" not in top
    if module.startswith("grader.enclose.worker"):
        return False
    if module in LEAVES or module in DOORS:
        return any(re.fullmatch(one.replace("*", ".*"), name) for one in (LEAVES | DOORS)[module])
    if name in LEAVES:
        return True
    if module.startswith("grader.questions.") and top == "solutions":
        return True  # answers to questions are computed from them
    if top != "grader" or name.count(".") == 0:
        return False
    mine, theirs = module.split(".")[1], name.split(".")[1]
    if name.startswith("grader.enclose.worker") and name != "grader.enclose.worker":
        return name in SHARED  # the rest belongs to the other side
    if theirs == "exercises":
        return module == "grader.author.catalog"
    if mine == SERVE:
        return theirs in (*ROOMS[:3], SERVE)
    return theirs in ROOMS and mine in ROOMS and ROOMS.index(theirs) <= ROOMS.index(mine)


def exercise_may(module: str, name: str) -> bool:
    """Exercises are data: numbers, the words of the contract, and what chapters before have."""
    order = course.chapters()
    slug = module.split(".")[2]
    before = "|".join([*order[: order.index(slug)], slug])
    if module.endswith("_answers"):  # read, never imported
        allowed = (
            rf"codecs|collections|functools|itertools|math|re|statistics|torch(\.\w+)*"
            rf"|grader\.author\.answers|solutions\.({before}|fit)"
        )
    else:
        author = "exercise|afresh|parameters"
        ours = rf"grader\.(author\.({author})|exercises\.(({before})|{slug}\.\w+))"
        allowed = rf"__future__|dataclasses|itertools|math|numpy|{ours}"
    return re.fullmatch(allowed, name) is not None


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_comes_before_its_room(module):
    assert violations(module, MODULES[module].read_text()) == set()


def test_every_module_has_a_place():
    for module in MODULES:
        room = module.split(".")[1:2]
        assert module in {**LEAVES, **DOORS} or room[0] in (*ROOMS, SERVE, "exercises"), module
    assert {"grader.judge.grading", "grader.enclose.worker.probes"} <= set(MODULES)
    assert len(MODULES) > 100


# That this test can fail


FAR = "from grader.enclose.worker import"
PLANTED = [
    ("judge.compare", "from grader.author import audit", "grader.author.audit"),
    ("judge.compare", "import grader.author.audit as a", "grader.author.audit"),
    ("judge.compare", "from ..author import audit", "grader.author.audit"),
    ("judge.compare", "from .. import author", "grader.author"),
    ("judge", "from ..author import audit", "grader.author.audit"),
    ("judge.compare", "def f():\n    import solutions.linear", "solutions.linear"),
    ("judge.compare", "if TYPE_CHECKING:\n    from book import pages", "book"),
    ("judge.compare", "import grader", "grader"),
    ("judge.compare", "import importlib\nimportlib.import_module('solutions')", "solutions"),
    ("judge.compare", "from importlib import import_module as f\nf('book.pages')", "book.pages"),
    ("judge.compare", "__import__('grader.exercises')", "grader.exercises"),
    ("judge.compare", "import importlib.util as u\nu.find_spec('solutions')", "solutions"),
    ("judge.compare", "import_module(name='solutions')", "solutions"),
    ("judge.compare", "import_module(f'solutions.{slug}')", "solutions.*"),
    ("judge.compare", "import_module('solu' + 'tions')", "*"),
    ("judge.compare", "f = importlib.import_module\nf('solutions')", "*"),
    ("judge.compare", "getattr(importlib, 'import_module')('solutions')", "*"),
    ("judge.compare", "runpy.run_module('solutions.linear')", "solutions.linear"),
    ("judge.grading", f"{FAR} probes", "grader.enclose.worker.probes"),
    ("enclose.sandbox", "from grader.judge import source", "grader.judge.source"),
    ("enclose.worker.execution", f"{FAR} wire", "grader.enclose.worker.wire"),
    ("enclose.worker.execution", "import grader.errors", "grader.errors"),
    ("student.commands", "from grader.author import catalog", "grader.author.catalog"),
    ("student.doctor", "import_module('solutions.download')", "solutions.download"),
    ("author.audit", "from grader.instruct import hidden", "grader.instruct.hidden"),
    ("instruct.hidden", "from grader.serve import slots", "grader.serve.slots"),
    ("instruct.exam", "from solutions import linear", "solutions"),
    ("author.audit", "from grader import questions", "grader.questions"),
    ("questions.linear", "from grader.instruct import exam", "grader.instruct.exam"),
    ("questions.linear", "from book import pages", "book"),
    ("student.report", "from grader.serve import app", "grader.serve.app"),
    ("serve.checks", "from grader.author import audit", "grader.author.audit"),
    ("author.recording", "import grader.exercises.linear", "grader.exercises.linear"),
    ("course", "from grader.judge import records", "grader.judge.records"),
    ("course", "importlib.import_module('solutions.linear')", "solutions.linear"),
    ("errors", "from grader import files", "grader.files"),
    ("exercises.linear.softmax", "import torch", "torch"),
    ("exercises.linear.softmax", "from grader.exercises.mlp import B", "grader.exercises.mlp"),
    ("exercises.linear.softmax", "from solutions.linear import softmax", "solutions.linear"),
    ("exercises.linear.softmax_answers", "from solutions.mlp import MLP", "solutions.mlp"),
    (
        "exercises.seq2seq.ConvEncoder",
        "from grader.exercises.recurrent.gru_cell import cell",
        "grader.exercises.recurrent.gru_cell",
    ),
]


@pytest.mark.parametrize(("name", "text", "found"), PLANTED)
def test_a_planted_violation_is_caught(name, text, found):
    module = f"grader.{name}"
    assert violations(module, f"import math\n{text}\n") == {found}
    assert violations(module, f"{MODULES[module].read_text()}\n{text}\n") == {found}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("judge.compare", "from . import difference\nfrom .records import RecordedCase"),
        ("judge.compare", "from grader import course, errors, files, interrupt"),
        ("student.commands", f"{FAR} entry, wire"),
        ("author.catalog", "importlib.import_module(f'grader.exercises.{slug}.{symbol}')"),
        ("serve.checks", "from grader.serve import slots\nfrom grader.student import report"),
        ("instruct.exam", "from grader import questions"),
        (
            "questions.linear",
            "from solutions.linear import softmax\nfrom grader.author import bench",
        ),
        ("instruct.hidden", "from grader.author import recording\nimport_module('numpy')"),
        ("enclose.worker.execution", "import probes, torch\nimport_module('torch._dynamo')"),
        ("exercises.linear.softmax_answers", "from solutions.linear import log_sum_exp"),
        ("exercises.seq2seq.ConvEncoder", "from grader.exercises.recurrent import RAGGED"),
        ("exercises.seq2seq.ConvEncoder_answers", "from solutions.recurrent import Recurrent"),
    ],
)
def test_what_is_allowed_is_no_violation(name, text):
    assert violations(f"grader.{name}", text) == set()


# What is imported when it runs


def loaded(commands: list[list[str]], cwd: Path) -> tuple[list[int], set[str]]:
    """How commands of `grade` end, one after another in one process, and the modules of this
    project, and torch, that it has imported then.
    """
    code = (
        "import json, sys\nfrom grader.cli import main\nended = []\n"
        "for words in json.loads(sys.argv[1]):\n    sys.argv = ['grade', *words]\n"
        "    try:\n        main()\n    except SystemExit as end:\n        ended.append(end.code)\n"
        "print('\\n' + json.dumps([ended, sorted(sys.modules)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    ended, names = json.loads(done.stdout.splitlines()[-1])
    ours = ("grader", "solutions", "book", "torch")
    return ended, {name for name in names if name.partition(".")[0] in ours}


COMMANDS = {
    "start new linear": 0,  # before there is a workspace, for it makes none inside of one
    "--help": 0,
    "list": 0,
    "doctor": 0,
    "check": 1,
    "check linear.softmax --json --junit tests.xml": 0,
}


def test_students_commands_load_nothing_that_answers(tmp_path):
    (tmp_path / "linear.py").write_text(blank(course.solution("linear"), {"linear"}))
    ended, found = loaded([words.split() for words in COMMANDS], tmp_path)
    assert dict(zip(COMMANDS, ended, strict=True)) == COMMANDS
    (tmp_path / "progress.json").write_text("{}")
    ended, more = loaded([["status"]], tmp_path)
    assert ended == [0]
    found |= more
    # the rooms' commands are what --help lists; they import nothing deeper before they run
    doors = {
        f"grader.{room}{end}"
        for room in ("author", "instruct", "serve")
        for end in ("", ".commands")
    }
    doors |= {f"grader.instruct.{kind}_commands" for kind in ("class", "report")}
    deeper = {
        name for name in found - doors if re.match(r"grader\.(author|instruct|serve)\.", name)
    }
    assert not deeper
    assert not {
        name for name in found if name.startswith(("grader.exercises", "solutions", "book"))
    }
    assert "torch" not in found  # the sandbox's server has it, the command itself does not


def test_the_catalog_imports_exercises_but_no_answer():
    code = (
        "import json, sys\nfrom grader.author import catalog\n"
        "assert all(one.mistakes for one in catalog.select())\nprint(json.dumps([*sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    names = set(json.loads(done.stdout))
    assert "grader.exercises.linear.softmax" in names
    assert not {name for name in names if name.endswith("_answers")}
    assert not {name for name in names if name.partition(".")[0] in ("solutions", "torch", "book")}


def test_the_solutions_are_found_without_importing_them():
    assert find_spec("solutions")
    code = (
        "import sys\nfrom grader import course\nassert 'def softmax' in course.solution('linear')\n"
        "assert 'solutions' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
