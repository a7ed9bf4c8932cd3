"""Evidence that a submission's process shows without saying it."""

import ast
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from grader import course
from grader.enclose import outcome, witness
from grader.judge import given, records, stored
from grader.judge.compare import compare


def copied(**drawn):
    values = {f"after.{which}": drawn for which in ("one", "other")}
    case = {"values": {**values, "fresh.shared": []}}
    return witness.seen({"probe": "fresh", "args": {}}, case)["values"].get("fresh.copied", [])


def test_numbers_that_were_copied_are_told_from_numbers_that_were_drawn():
    rng = np.random.default_rng(0)
    drawn, row = rng.normal(size=(5, 7)), rng.normal(size=(1, 7))
    assert copied(weight=drawn, bias=rng.normal(size=5), scale=np.ones(5)) == []
    assert copied(weight=np.repeat(row, 5, axis=0)) == ["weight"]
    assert copied(weight=np.repeat(row.T, 5, axis=1)) == ["weight"]
    assert copied(key=drawn, query=drawn) == ["query"]
    assert copied(key=drawn, value=drawn[:3]) == ["value"]
    assert copied(table=np.concatenate([np.zeros((1, 7)), drawn])) == []


def test_what_is_found_here_is_never_taken_from_what_was_sent():
    sent = {"raised": None, "changed": [], "repeatable": True, "fresh.weight": np.zeros(4)}
    for probe in witness.COMPARED:
        case = {"values": {**sent, "fresh.seeded": [], "fresh.training": True}, "called": []}
        found = witness.seen({"probe": probe, "args": {}, "steps": []}, case)["values"]
        own = {"changed", "repeatable"} if probe in ("function", "module", "steps") else set()
        assert found.keys() <= {"fresh.training"} | own
    with pytest.raises(ValueError, match="not a case"):
        outcome._case({"values": {"output": 1, "rai\x1bsed": "ValueError"}})


def test_every_probe_of_the_worker_is_compared():
    text = (Path(witness.__file__).parent / "worker" / "probes.py").read_text()
    table = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "PROBES"
    )
    assert {key.value for key in table.keys} == set(witness.COMPARED)


def test_a_probe_that_nobody_knows_is_no_mark():
    with pytest.raises(KeyError):
        witness.seen({"probe": "other", "args": {}}, {"values": {"output": 1}, "called": []})


def test_a_record_that_expects_nothing_is_not_read():
    document = stored.loads((records.FOLDER / "linear" / "softmax.safetensors").read_bytes())
    document["cases"][1]["expected"] = {}
    with pytest.raises(ValueError, match="expects nothing"):
        records.parse(document)


def test_a_constructor_that_should_raise_and_does_not_has_returned_something():
    """The object it made is called with nothing, as the case has no inputs: that is no matter."""
    message = "it must accept (): missing a required argument: 'x'"
    error = {"kind": "signature", "type": "Refusal", "message": message}
    call = {"probe": "module", "args": {}, "init": {"norm": "batch"}, "raises": "ValueError"}
    seen = witness.seen(call, {"error": error, "called": []})
    assert seen == {"values": {}, "called": []}
    assert (
        "but a ValueError is expected"
        in compare({"raised": "ValueError"}, seen["values"], 0).message
    )
    for other in (
        {**error, "message": "it must accept (norm): got an unexpected keyword argument 'norm'"},
        {**error, "kind": "exception"},
    ):
        assert witness.seen(call, {"error": other, "called": []})["error"] == other
    assert "error" in witness.seen({**call, "raises": None}, {"error": error, "called": []})


FLOAT32 = """
    def general_score(**given):
        small = {name: value.float() for name, value in given.items() if value is not None}
        return right(**given | small).double()
"""
RANDOM = """
    def additive_score(**given):
        return right(**given) * (1 + 1e-7 * torch.rand(()).double())
"""
STATEFUL = """
    calls = []

    def additive_score(**given):
        calls.append(None)
        return right(**given) * len(calls)
"""
MEMORY = """
    def additive_score(query, **given):
        size = query.shape
        return right(query=query.as_strided(size, torch.empty(size).stride()), **given)
"""
MODULE = """
    class FeedForward(right):
        def forward(self, x):
            return super().forward(x.as_strided(x.shape, torch.empty(x.shape).stride()))
"""
DROPS = """
    class FeedForward(right):
        def forward(self, x):
            return torch.dropout(super().forward(x), 0.5, True)
"""


@pytest.mark.parametrize(
    ("name", "answer", "changes"),
    [
        ("attention.general_score", FLOAT32, False),
        ("attention.additive_score", RANDOM, True),
        ("attention.additive_score", STATEFUL, True),
        ("attention.additive_score", MEMORY, False),
        ("transformer.FeedForward", MODULE, False),
        ("transformer.FeedForward", DROPS, True),
    ],
)
def test_what_only_the_memory_layout_changes_is_not_told_to_change(name, answer, changes, sandbox):
    """The second call has its inputs in another layout, in which float32 rounds otherwise."""
    slug, _, symbol = name.partition(".")
    text = f"{course.solution(slug)}\n\nright = {symbol}\n{dedent(answer)}"
    cases = [case for case in records.load(slug, symbol).cases if "repeatable" in case.expected]
    modules = given.modules(slug, text)
    calls = [dict(case.call) for case in cases]
    done = sandbox.run(text, symbol, calls, filename=f"{slug}.py", modules=modules)
    pairs = [*zip(cases, (each["values"] for each in done.cases), strict=True)]
    found = [case.judge(values) for case, values in pairs if not values["repeatable"]]
    assert len(found) > 2
    assert all(difference for difference in found)  # never right
    kinds = {difference.kind for difference in found}
    assert kinds == {"repeatable"} if changes else "repeatable" not in kinds


USED_UP = """
    def encode_word(tokens, merges):
        found = right(tokens, merges)
        if isinstance(merges, dict):
            merges.popitem()
        return found
"""
EMPTIED = """
    def learn_merges_fast(words, counts, number):
        found = right(words, counts, number)
        words[0].clear()
        return found
"""


@pytest.mark.parametrize(
    ("name", "answer", "argument"),
    [
        ("tokenization.encode_word", USED_UP, "merges"),
        ("tokenization.learn_merges_fast", EMPTIED, "words"),
    ],
)
def test_plain_arguments_that_the_worker_makes_are_seen_to_change(name, answer, argument, sandbox):
    slug, _, symbol = name.partition(".")
    text = f"{course.solution(slug)}\n\nright = {symbol}\n{dedent(answer)}"
    cases = records.load(slug, symbol).cases
    case = next(one for one in cases if isinstance(one.call["args"][argument], dict))
    for source, changed in ((course.solution(slug), []), (text, [argument])):
        modules, calls = given.modules(slug, source), [dict(case.call)]
        done = sandbox.run(source, symbol, calls, filename=f"{slug}.py", modules=modules)
        values = done.cases[0]["values"]
        assert values["changed"] == changed
        assert bool(case.judge(values)) == bool(changed)


def test_plain_fixtures_are_opened_as_the_worker_makes_them():
    from grader.enclose.worker import fixtures

    given = {
        "tuple": {"items": [[1, 2], 0.5]},
        "places": {"pairs": [[1, 2], [3, 4]], "numbers": [0, 1]},
        "nodes": {"parents": [[], [0, 0]]},
        "words": {"words": [[5, 5], [7]]},
    }
    assert given.keys() == witness.PLAIN_FIXTURES.keys()
    for name, made_from in given.items():
        made = fixtures.FIXTURES[name](**made_from)
        by_text = {str(key): value for key, value in made.items()} if name == "places" else {}
        assert witness.opened({"$made": [name, made_from]}) == (by_text or list(made))


def test_rounding_by_layout_is_told_where_the_numbers_are_near_enough():
    values = {"output": np.ones(3), "repeatable": False, "layout": True}
    found = compare({"output": np.ones(3), "repeatable": True}, values, 1e-6)
    assert (found.kind, "(float32)" in found.message) == ("layout", True)
    found = compare({"output": np.ones(3) + 1e-5, "repeatable": True}, values, 1e-6)
    assert found.kind == "value"
