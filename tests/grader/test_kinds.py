"""Exercises of other kinds than one call: objects in steps, functions as arguments, text, cost."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from grader import course
from grader.author.bench import Bench
from grader.author.exercise import Answers, Call, Case, Exercise, Made, Mistake, Returned
from grader.author.recording import record, same_inputs
from grader.enclose import worker
from grader.judge import compare, grading, records, words
from grader.judge.submission import Submission
from grader.student import report

WORKER = Path(worker.__file__).parent


@pytest.fixture
def grade(sandbox, monkeypatch):
    """Record an exercise on a solution, and grade answers to it."""

    def of(solution, exercise):
        text = dedent(solution)
        monkeypatch.setattr(course, "solution", lambda slug: text)
        entry = records.parse(record(Bench(exercise, sandbox)))

        def check(answer=None, **change):
            for before, after in change.get("change", {}).items():
                assert text.count(before) == 1
                answer = (answer or text).replace(before, after)
            submission = Submission(dedent(answer or text), "kinds.py")
            return grading.check(entry, submission, sandbox=sandbox)

        return check

    return of


def exercise(symbol, *cases, mistakes=()):
    known = tuple(Mistake(name=name, why=name, change=change) for name, change in mistakes)
    answers = Answers(mistakes=known)
    return Exercise(
        slug="kinds", symbol=symbol, title="", section="", cases=cases, hint="", answers=answers
    )


def messages(result):
    lost = [case for case in result.cases if not case.passed]
    return [case.difference.message if case.difference else case.error for case in lost]


# An object that is used in steps

TOKENIZER = """
    class Tokens:
        def __init__(self, size):
            self.size = size

        def train(self, text):
            self.pieces = sorted({bytes([byte]) for byte in text.encode()})[: self.size]
            return self.pieces

        def encode(self, text):
            return [self.pieces.index(bytes([byte])) for byte in text.encode()]

        def decode(self, ids):
            return b"".join(self.pieces[i] for i in ids).decode()
"""


def tokenizer(name="round trip", text="a bad cab"):
    steps = (
        ("train", {"text": text}),
        ("encode", {"text": text[::-1]}),
        ("decode", {"ids": Returned(1)}),
        ("pieces", None),
    )
    return Case(name, lambda rng: Call(init={"size": 9}, steps=steps))


def test_every_step_is_compared_and_called_by_its_name(grade):
    check = grade(TOKENIZER, exercise("Tokens", tokenizer()))
    assert messages(check()) == []
    wrong = check(change={"for i in ids": "for i in [0, *ids]"})
    assert messages(wrong) == ["What the call of `decode` returned is wrong from [0] on."]
    assert wrong.cases[0].difference.numbers == "got ' bac dab a', expected 'bac dab a'"
    wrong = check(change={"sorted(": "[b'', *sorted(", "text.encode()})": "text.encode()})]"})
    assert messages(wrong) == ["What the call of `train` returned has 6 items, expected 5."]


def test_bytes_are_told_from_text(grade):
    check = grade(TOKENIZER, exercise("Tokens", tokenizer()))
    wrong = check(change={".decode()": ""})
    assert messages(wrong) == ["What the call of `decode` returned is bytes, expected a str."]
    wrong = check(change={"return self.pieces\n": "return [str(p) for p in self.pieces]\n"})
    assert messages(wrong)[0].startswith("What the call of `train` returned is wrong in 5 of 5")


def test_what_one_object_remembers_of_another_shows(grade):
    check = grade(TOKENIZER, exercise("Tokens", tokenizer()))
    shared = check(
        change={
            "class Tokens:": "class Tokens:\n    calls = []",
            "return self.pieces\n": (
                "self.calls.append(1); return self.pieces[len(self.calls) - 1:]\n"
            ),
        }
    )
    assert messages(shared) == ["Two calls on the same inputs gave different results."]


def test_a_method_that_is_not_there_is_named(grade):
    check = grade(TOKENIZER, exercise("Tokens", tokenizer()))
    result = check(change={"def encode": "def encodes"})
    assert result.cases[0].error["message"] == "the object has no encode"


CACHE = """
    import torch
    from torch import nn

    class Sums(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(size))

        def start(self):
            return torch.zeros_like(self.gain)

        def forward(self, x, total):
            total = total + x
            return self.gain * total, total
"""


def cache(rng):
    first, second = rng.standard_normal((2, 3))
    steps = (
        ("start", {}),
        ("", {"x": first, "total": Returned(0)}),
        ("", {"x": second, "total": Returned(1, 1)}),
    )
    return Call(init={"size": 3}, state={"gain": rng.standard_normal(3)}, steps=steps)


def test_a_module_hands_what_it_returned_to_its_next_step(grade):
    check = grade(CACHE, exercise("Sums", Case("two steps", cache)))
    assert messages(check()) == []
    wrong = check(change={"return self.gain * total, total": "return self.gain * total, x"})
    assert messages(wrong)[0].startswith(
        "The second item of what the second call returned is wrong in all 3 entries"
    )
    written = check(change={"total = total + x": "total = x.add_(total)"})
    assert messages(written) == [
        "The call changed its input (`x`) in place; x += y and x.add_(y) write into x."
    ]
    cut = check(change={"self.gain * total, total": "self.gain.detach() * total, total"})
    assert "gradient" in messages(cut)[0]


def test_the_gradient_of_an_argument_of_the_first_step_that_has_it(grade):
    check = grade(CACHE, exercise("Sums", Case("two steps", cache, grad=("x",))))
    assert messages(check()) == []
    (cut,) = messages(check(change={"total = total + x": "total = total + x.detach()"}))
    assert "gradient" in cut
    assert "`x`" in cut


# A module around one that is given

WRAPPED = """
    import copy

    from torch import nn

    class Frozen(nn.Module):
        def __init__(self, trunk):
            super().__init__()
            self.trunk = trunk
            self.trunk.eval()

        def forward(self, x):
            return self.trunk(x)
"""


def wrapped(rng, **more):
    trunk = Made("trunk", {"weight": rng.standard_normal((3, 5)), "drop": 1.0})
    return Call(init={"trunk": trunk}, args={"x": rng.standard_normal((2, 5))}, **more)


def test_a_module_is_called_in_the_mode_that_it_is_made_in(grade):
    case = Case("as it is made", lambda rng: wrapped(rng, training=None))
    check = grade(WRAPPED, exercise("Frozen", case))
    assert messages(check()) == []
    assert "wrong" in messages(check(change={"self.trunk.eval()": "pass"}))[0]


def test_a_fresh_module_holds_what_it_was_given_and_no_copy(grade):
    check = grade(WRAPPED, exercise("Frozen", Case("fresh", wrapped, probe="fresh")))
    assert messages(check()) == []
    copied = check(change={"self.trunk = trunk": "self.trunk = copy.deepcopy(trunk)"})
    assert messages(copied) == [
        "The module that was given is not the one that is used: it was copied. (trunk)"
    ]


# A function as an argument

GREEDY = """
    import torch

    def greedy(model, start, steps):
        tokens = start
        for _ in range(steps):
            best = model(tokens).argmax(dim=1, keepdim=True)
            tokens = torch.cat([tokens, best], dim=1)
        return tokens
"""


def prefixes(rng):
    scores = np.log(rng.dirichlet(np.ones(7), size=11))
    made = Made("whole prefix", {"log_probs": scores})
    return {"model": made, "start": rng.integers(0, 7, (2, 3)), "steps": 4}


def test_a_function_is_made_from_a_cases_arrays(grade):
    twice = {"best = model(tokens)": "model(tokens); best = model(tokens)"}
    case = Case("a model", prefixes, most={"positions": 2 * (3 + 4 + 5 + 6), "calls": 4})
    check = grade(GREEDY, exercise("greedy", case, mistakes=[("asked twice", twice)]))
    assert messages(check()) == []
    last = check(change={"model(tokens)": "model(tokens[:, -1:])"})
    assert "is wrong" in messages(last)[0]
    costly = check(change=twice)
    assert messages(costly) == [
        "It fed 72 positions to what it was given; 36 are allowed here.",
    ]
    assert [known.name for known in costly.named] == ["asked twice"]


def test_what_a_worker_makes_is_what_it_says():
    import torch

    from grader.enclose.worker import fixtures

    table = torch.randn(5, 5, dtype=torch.float64)
    tokens = torch.tensor([[1, 4], [4, 1]])
    last = fixtures.LastToken(table)(tokens)
    assert torch.equal(last, table[[4, 1]])
    one, other = fixtures.WholePrefix(table)(tokens)
    assert torch.equal(one, table[(2 * 1 + 5 * 2) % 5])
    assert not torch.equal(one, other)
    step = fixtures.Stepwise(table)
    first, state = step(tokens[:, 0])
    assert torch.equal(first, table[[2, 0]])
    assert torch.equal(step(tokens[:, 1], state)[0], table[[(31 * 2 + 5) % 5, (0 + 2) % 5]])
    images = torch.arange(10.0).reshape(2, 1, 1, 5)
    scores = fixtures.Pixels(table)(images)
    assert scores.dtype == torch.float32
    assert torch.equal(scores, images.flatten(1) @ table.float().T)
    quartic = fixtures.Quartic(table[0])(table[1].float())
    expected = (table[0] * table[1]).sum() ** 4 / 4 + table[1].square().sum() / 2
    assert quartic.dtype == torch.float32
    assert torch.isclose(quartic.double(), expected, rtol=1e-4)
    layer = fixtures.affine(table, table[0])
    assert torch.equal(layer(table), torch.nn.functional.linear(table, table, table[0]))
    assert fixtures.FIXTURES["tuple"]([5, 7]) == (5, 7)
    assert fixtures.FIXTURES["places"]([[5, 7], [7, 5]], [1, 0]) == {(5, 7): 1, (7, 5): 0}
    made = fixtures.network(
        {"a.table": table, "a.norm": table[0], "b": table}, ["a.table"], biased=["b"]
    )
    kinds = {name: type(part).__name__ for name, part in made.named_modules() if name}
    assert kinds == {
        "a": "Module",
        "a.table": "Embedding",
        "a.norm": "LayerNorm",
        "b": "Linear",
    }
    assert torch.equal(made.b.bias, 2 * table[:, 0])
    assert torch.equal(fixtures.Forgetful(table)(tokens[:, 0], None)[0], table[[2, 0]])
    one, other = fixtures.FIXTURES["one cache"](
        [{"n": 1}, {"n": 2}], key=table[:0], value=table[:0]
    )
    assert one["cache"] is other["cache"]
    assert one["cache"].length == 0
    one["cache"].extend(table[:2], table[2:4])
    key, value = other["cache"].extend(table[2:3], table[4:])
    assert other["cache"].length == 3
    assert torch.equal(key, table[:3])
    assert torch.equal(value, table[2:])
    kept = fixtures.KeptKeys(table, 2 * table)
    key, value = kept.extend(table[:2], table[2:4])
    assert kept.length == 5
    assert torch.equal(key, torch.cat([table, table[:2]]))
    assert torch.equal(value, torch.cat([2 * table, table[2:4]]))


# What is counted

TILES = """
    import torch

    def gram_trace(x):
        return sum((row @ row for row in x), start=x.new_zeros(()))
"""
WHOLE = {"return sum((row @ row for row in x), start=x.new_zeros(()))": "return (x @ x.T).trace()"}


def rows(rng):
    return {"x": rng.standard_normal((13, 5))}


@pytest.mark.parametrize(
    ("most", "said"),
    [
        ({"largest": 13 * 5}, "It made a tensor of 169 numbers; 65 are allowed here."),
        ({"multiply_adds": 13 * 5}, "It took 845 multiply-adds; 65 are allowed here."),
    ],
)
def test_a_cost_is_counted_and_what_exceeds_it_is_a_named_mistake(grade, most, said):
    case = Case("thirteen rows", rows, most=most)
    plain = Case("without a limit", rows)
    check = grade(TILES, exercise("gram_trace", case, plain, mistakes=[("holds all", WHOLE)]))
    assert messages(check()) == []
    held = check(change=WHOLE)
    assert messages(held) == [said]
    assert [known.name for known in held.named] == ["holds all"]
    wrong = check("import torch\n\ndef gram_trace(x):\n    return (x @ x.T).sum()")
    assert not wrong.named
    assert "is wrong" in messages(wrong)[0]


def test_gradients_count_where_they_are_asked_for(grade):
    twice = Case("both ways", rows, grad=("x",), most={"multiply_adds": 3 * 845})
    check = grade("def gram(x):\n    return (x @ x.T).trace()", exercise("gram", twice))
    assert messages(check()) == []
    again = check("def gram(x):\n    (x @ x.T)\n    return (x @ x.T).trace()")
    assert messages(again) == ["It took 3,380 multiply-adds; 2,535 are allowed here."]


def test_what_a_counted_run_returns_is_compared(grade):
    case = Case("thirteen rows", rows, most={"largest": 13 * 5})
    check = grade(TILES, exercise("gram_trace", case))
    first = """
        import torch

        seen = []

        def gram_trace(x):
            seen.append(1)
            if len(seen) == 1:
                return x.new_zeros(())
            return (x @ x.T).trace()
    """
    assert messages(check(first)) == ["Two calls on the same inputs gave different results."]
    kept = """
        import torch

        kept = {}

        def gram_trace(x):
            name = float(x[0, 0])
            if name not in kept:
                kept[name] = (x @ x.T).trace().detach()
            return kept[name]
    """
    assert messages(check(kept)) == ["It made a tensor of 169 numbers; 65 are allowed here."]


CAUGHT = """
    def total(n):
        try:
            count = 0
            for one in range(n):
                count += one
        except BaseException:
            count = sum(range(n))
        return count
"""
STOPPED = """
import sys
sys.path.insert(0, sys.argv[1])
from probes import Budget, Refusal
try:
    with Budget(1000):
        sys.settrace(None)
except Refusal as refusal:
    print(refusal)
"""


def test_a_budget_that_is_caught_or_stopped_is_exceeded(grade):
    case = Case("ten thousand", lambda rng: {"n": 10_000}, budget=1000)
    check = grade("def total(n):\n    return n * (n - 1) // 2\n", exercise("total", case))
    assert messages(check()) == []
    said = "it ran more than 1,000 lines of Python here; far fewer will do"
    assert check(CAUGHT).cases[0].error["message"] == said
    # what is read refuses a submission that names the trace: this is for what gets past the reader
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, str(WORKER)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "it stopped the count of its lines, which a cost is measured by\n"


def test_a_count_that_was_not_sent_is_no_pass():
    assert compare.costs({"largest": 5}, {})[0].kind == "type"
    assert compare.costs({"largest": 5}, {"cost.largest": True})[0].kind == "type"
    assert not compare.costs({"largest": 5}, {"cost.largest": 5})


# What is said


@pytest.mark.parametrize(
    ("want", "got", "said", "numbers"),
    [
        ("the cat sat", "the bat sat", "is wrong from [4] on", "'the bat sat', expected 'the cat"),
        ("a" * 90 + "b", "a" * 90 + "c", "from [90] on", f"…'{'a' * 20}c', expected …"),
        ([1, 2, 3], [1, 5, 3], "in 1 of 3 items, the first at [1]", "got 5, expected 2"),
        ([[1, "ab"], [2, "cd"]], [[1, "ab"], [2, "ce"]], "at [1][1][1]", "'ce', expected 'cd'"),
        ([1, 2, 3, 4], [1, 9, 2, 3, 4], "has 5 items, expected 4", "[1, 9, 2, 3, 4], expected"),
        ([*range(20)], [*range(9), *range(20)], "has 29 items", "[…, 4, 5, 6, 7, 8, 0, 1,"),
    ],
)
def test_the_first_difference_is_shown_in_its_surroundings(want, got, said, numbers):
    found = compare.compare({"output": want}, {"output": got}, 1e-6)
    assert said in found.message
    assert numbers in found.numbers


def test_steps_are_called_by_what_was_called():
    used = [("train", {}), ("encode", {}), ("encode", {}), ("", {}), ("merges", None)]
    assert words.steps(used) == (
        "what the call of `train` returned",
        "what the first call of `encode` returned",
        "what the second call of `encode` returned",
        "what the call returned",
        "`merges`",
    )


def test_what_is_made_is_recorded_alike():
    one, other = ({"model": ["$made", np.ones(3) * scale]} for scale in (1.0, 1.0 + 1e-14))
    assert same_inputs(one, other)


def test_an_instructor_is_told_whose_costs_were_counted_where_the_code_ran():
    told = records.load("efficient_attention", "window_attention").manifest

    def said(**case):
        one = grading.CaseResult("one", 1, earned=1, **case)
        results = [grading.ExerciseResult(told, [one], status="passed")]
        assert (report.COUNTED in report.html(results, [])) == (
            report.COUNTED in report.plain(results, [])
        )
        return f"{report.COUNTED}: {told.id}" in " ".join(report.plain(results, []).split())

    assert said(secret=True, counted=True)
    assert not said(secret=True)
    assert not said(counted=True)
