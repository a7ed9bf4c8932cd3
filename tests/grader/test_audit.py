"""The audit proves exercises, and sees every way in which one can be unproven."""

import ast
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from grader import course
from grader.author import audit, catalog, core, lookup, scaffold
from grader.author import bench as benches
from grader.author.bench import Bench
from grader.author.exercise import Answers, Case, Mistake, Variant
from grader.author.mutate import Mutant
from grader.author.recording import record, renewed, same_inputs
from grader.enclose.sandbox import Limits, Sandbox
from grader.errors import UserError
from grader.judge import grading, records, source, stored, syntax
from grader.judge.submission import Submission

SLUG = "self_attention"
(ATTENTION,) = catalog.select([f"{SLUG}.scaled_dot_product_attention"])
ANSWERS = ATTENTION.answers
SOLUTION = course.solution(SLUG)


@pytest.fixture
def hasty(monkeypatch):
    """Mutants count as slow after half a second."""
    monkeypatch.setattr(benches, "TOGETHER", replace(benches.TOGETHER, patience=0.5))


@pytest.fixture
def gaps(sandbox, monkeypatch):
    """Audit a changed exercise on a record that is made for it; mutants only on demand.

    What its cases should try is looked at elsewhere.
    """

    def run(*, mutate=False, mistakes=ANSWERS.mistakes, variants=ANSWERS.variants, **changes):
        monkeypatch.setattr(audit.coverage, "missing", lambda exercise: [])
        monkeypatch.setattr(audit.coverage, "size_one", lambda cases: [])
        answers = Answers(mistakes=tuple(mistakes), variants=tuple(variants))
        bench = Bench(replace(ATTENTION, answers=answers, **changes), sandbox)
        known = records.parse(record(bench), core.names(bench.exercise))
        return audit.prove(bench, known, known, mutate=mutate).gaps

    return run


def test_nothing_but_the_missing_hidden_cases_is_found(gaps):
    assert gaps() == ["0 hidden cases, at least 1 are needed"]


def test_a_mistake_that_is_right_is_a_gap(gaps):
    harmless = Mistake(name="harmless", why="", change={"math.sqrt(": "math.sqrt(1.0 * "})
    assert any("mistake harmless passes" in gap for gap in gaps(mistakes=(harmless,)))


def test_two_mistakes_with_the_same_numbers_are_a_gap(gaps):
    first = next(known for known in ANSWERS.mistakes if known.change)
    twin = replace(first, name="twin")
    found = gaps(mistakes=(first, twin), variants=())
    assert any(f"mistake twin is named {first.name}, twin" in gap for gap in found)


def test_the_core_by_itself_refuses_every_mistake_of_the_idea(gaps):
    unmarked = [replace(known, corner=False) for known in ANSWERS.mistakes]
    corners = {known.name for known in ANSWERS.mistakes if known.corner}
    told = [
        gap.split()[1] for gap in gaps(mistakes=unmarked, variants=()) if "passes the core" in gap
    ]
    assert corners
    assert set(told) == corners


def test_a_core_that_refuses_a_mistake_of_a_corner_is_a_gap(gaps):
    first = ANSWERS.mistakes[0]
    assert not first.corner
    found = gaps(mistakes=[replace(first, corner=True)], variants=())
    assert any(f"mistake {first.name} is called one of a corner, and case" in gap for gap in found)


def test_an_exercise_without_a_core_is_a_gap(gaps):
    corners = tuple(replace(case, corner=True) for case in ATTENTION.cases)
    found = gaps(cases=corners, mistakes=(), variants=())
    assert "no public case is core: corner=False" in found


def test_a_variant_that_is_wrong_is_a_gap(gaps):
    text = syntax.text_of(SOLUTION, ATTENTION.symbol).replace("math.sqrt(", "(")
    unscaled = Variant(name="unscaled", source=text)
    found = gaps(variants=(*ANSWERS.variants, unscaled), mistakes=())
    assert [gap for gap in found if gap.startswith("right variant")]
    assert all("variant unscaled" in gap for gap in found if gap.startswith("right variant"))


def test_a_tolerance_without_margin_is_a_gap(gaps):
    assert any("right answers differ by" in gap for gap in gaps(tolerance=1e-15, mistakes=()))
    found = gaps(tolerance=50.0, variants=())
    assert any("a mistake differs by" in gap for gap in found)


def test_a_wrong_dtype_is_no_matter_of_tolerance(gaps):
    single = Mistake(
        name="single",
        why="",
        change={
            "return found.masked_fill(alone, 0.0)": "return found.masked_fill(alone, 0.0).float()",
            "return torch.softmax(scores, dim=-1) @ value": "return (torch.softmax("
            "scores, dim=-1) @ value).float()",
        },
    )
    assert not [gap for gap in gaps(mistakes=(single,) * 3) if "differs by" in gap]


def test_results_without_an_axis_of_size_1_are_a_gap():
    cases = records.load("linear", "softmax").cases
    wide = [case for case in cases if 1 not in getattr(case.expected["output"], "shape", (1,))]
    assert not list(audit.coverage.size_one(cases))
    assert "`squeeze` in the answer passes" in next(audit.coverage.size_one(wide))


def test_a_mutant_that_passes_is_a_gap(gaps):
    found = gaps(mutate=True, cases=ATTENTION.cases[:1], mistakes=(), variants=())
    survivors = [gap for gap in found if gap.startswith("this mutant passes")]
    assert any("masked_fill" in gap for gap in survivors)  # its only case has no mask
    unscaled = "scores = (query) @ key.transpose(-2, -1)"
    assert not any(gap.startswith(f"this mutant passes: {unscaled}") for gap in survivors)


def wrapped(before: str = "", body: str = "return right(*args, **given)") -> str:
    """A module whose answer calls the solution."""
    head = f"def {ATTENTION.symbol}(*args, **given):"
    return f"{SOLUTION}\n{before}\nright = {ATTENTION.symbol}\n\n\n{head}\n    {body}\n"


@pytest.mark.parametrize(
    "patch", ["2 * real(*args, **given)", "real(args[0] / 2, **given)", "1 / 0", "exit()"]
)
def test_what_one_mutant_leaves_behind_neither_saves_nor_kills_another(patch, sandbox):
    """It is right itself, and spoils torch for whatever runs behind it in the same process."""
    spoils = wrapped(
        f"real = torch.softmax\nspoilt = lambda *args, **given: {patch}\ntorch.softmax = spoilt",
        "torch.softmax = real; found = right(*args, **given); torch.softmax = spoilt; return found",
    )
    doubled = source.change(SOLUTION, ATTENTION.symbol, {"math.sqrt(": "0.5 * math.sqrt("})
    unscaled = source.change(SOLUTION, ATTENTION.symbol, {"math.sqrt(": "("})
    right = wrapped()
    texts = [unscaled, right, spoils, doubled, wrapped("# once more"), unscaled + "# once more"]
    cases = records.load(SLUG, ATTENTION.symbol).cases[:2]
    left = Bench(ATTENTION, sandbox).left(texts, cases)
    assert left == [right, spoils, wrapped("# once more")]  # `doubled` is right on spoilt torch


def test_a_mutant_that_hangs_leaves_its_neighbours_alone(sandbox, hasty, monkeypatch):
    runs, run_all = [], sandbox.run_all
    monkeypatch.setattr(sandbox, "run_all", lambda *a, **b: runs.append(a) or run_all(*a, **b))
    right, hangs = wrapped(), wrapped(body="while True: pass")
    unscaled = source.change(SOLUTION, ATTENTION.symbol, {"math.sqrt(": "("})
    cases = records.load(SLUG, ATTENTION.symbol).cases[:2]
    bench = Bench(ATTENTION, sandbox)
    left = bench.left([unscaled, hangs, right], cases)
    assert left == [hangs, right]  # what it would return, nobody knows
    assert len(runs) == 1
    assert bench.left(left, cases) == left  # it is not waited for again
    assert [hangs in sources for sources, *_ in runs] == [True, False]


def test_a_mutant_that_takes_long_is_graded_as_a_submission_is(hasty, monkeypatch):
    spins = "end = time.process_time() + 0.2\n    while time.process_time() < end: pass\n    "
    made = [
        Mutant("slow", wrapped("import time", f"{spins}return right(*args, **given)")),
        Mutant("endless", wrapped(body="while True: pass")),
    ]
    monkeypatch.setattr(audit, "mutants", lambda text, symbol: made)
    with Sandbox(limits=Limits(seconds=2.5)) as sandbox:
        bench = Bench(replace(ATTENTION, cases=ATTENTION.cases[:1]), sandbox)
        known = records.parse(record(bench))
        found = audit.prove(bench, known, known)
    assert (found.mutants, found.killed) == (2, 1)
    (gap,) = [gap for gap in found.gaps if gap.startswith("this mutant passes: slow: make a case")]
    assert gap.endswith('in the answers: equivalent("slow", why=...)')


def test_an_excuse_without_a_mutant_is_a_gap(sandbox, monkeypatch):
    monkeypatch.setattr(audit, "mutants", lambda text, symbol: [])  # all of them
    answers = Answers(equivalent={"no such line": "why not"})
    bench = Bench(replace(ATTENTION, answers=answers), sandbox)
    known = records.load(SLUG, ATTENTION.symbol)
    found = audit.prove(bench, known, known).gaps
    assert "excused as equivalent, but there is no such mutant: no such line" in found


def test_too_few_mistakes_and_variants_are_gaps(gaps):
    found = gaps(mistakes=ANSWERS.mistakes[:2], variants=ANSWERS.variants[:1])
    assert "2 known mistakes, at least 3 are needed" in found
    assert "1 right variants, at least 2 are needed" in found


def test_what_is_not_filled_in_is_a_gap(gaps):
    first, *others = ANSWERS.mistakes
    mistakes = (replace(first, why=scaffold.WHY), others[0])
    found = gaps(title=scaffold.TITLE, hint=scaffold.HINT, mistakes=mistakes, variants=())
    for place in ("the title", "the hint", f"the why of {first.name}"):
        assert f"{place} is not filled in" in found


def test_forbidding_what_is_not_there_is_a_gap(gaps):
    found = "\n".join(gaps(mistakes=(), variants=(), forbidden=("F.leakyrelu", "F.leaky_relu")))
    assert "forbidden='F.leakyrelu': there is nothing of that name" in found
    assert "'F.leaky_relu'" not in found


def test_a_case_that_cannot_draw_its_inputs_is_named():
    def make(rng):
        return {}["shape"]

    with pytest.raises(UserError) as said:
        Case("broken", make).call(None, None)
    assert "The case 'broken' cannot draw its inputs: KeyError: 'shape'" in str(said.value)
    assert f"({__file__}, line {make.__code__.co_firstlineno + 1})" in str(said.value)


def test_what_the_page_lacks_is_a_gap(gaps, monkeypatch):
    def found(**changes):
        return "\n".join(gaps(mistakes=(), variants=(), **changes))

    kinds = ("has no section 'nowhere'", "has no box for it", "does not show its solution")
    sound = found()
    assert not any(kind in sound for kind in kinds)
    assert kinds[0] in found(section="nowhere")
    monkeypatch.setattr(course, "stated", lambda slug: [])
    assert kinds[1] in found()
    monkeypatch.setattr(course, "shown", lambda slug: [])
    assert f"{kinds[2]}: show({ATTENTION.symbol}) in a code cell" in found()


def test_what_a_page_shows_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "ROOT", tmp_path)
    (tmp_path / "book").mkdir()
    page = "show(linear)\n show(not_this)\nshow(LSTM, GRU)\n# show(nor_this)\nshown(no)\n"
    (tmp_path / "book" / "linear.md").write_text(page)
    assert course.shown("linear") == ["linear", "LSTM", "GRU"]
    assert course.shown("elsewhere") == []


def test_a_case_that_cannot_be_recorded_is_named(sandbox):
    def said(case):
        with pytest.raises(UserError) as caught:
            record(Bench(replace(ATTENTION, cases=(case,)), sandbox))
        return str(caught.value)

    first = ATTENTION.cases[0]
    drawn = first.call(np.random.default_rng(0), np.random.default_rng(1)).args
    unfilled = replace(first, make=lambda rng: dict.fromkeys(drawn, ...))
    misspelt = replace(first, make=lambda rng: {**drawn, "nothing": 1})
    broken = replace(first, make=lambda rng: dict.fromkeys(drawn, "text"), raises="KeyError")
    wanted = f"case {first.name!r}: it is not filled in, and ... stands where an input belongs. Its"
    assert wanted in said(unfilled)
    assert "the solution fails: it must accept" in said(misspelt)
    assert "the solution raises " in said(broken)
    assert "The case says raises='KeyError'." in said(broken)


def test_changes_that_no_longer_fit_are_all_said_at_once(gaps):
    lost = [Mistake(name=name, why="", change={f"no {name}": ""}) for name in ("one", "two")]
    with pytest.raises(UserError) as said:
        gaps(mistakes=(*lost, *ANSWERS.mistakes))
    for name in ("one", "two"):
        assert f"\n  {name}: 'no {name}' stands 0 times in {ATTENTION.symbol!r}" in str(said.value)
    assert f"{ATTENTION.symbol}_answers.py" in str(said.value)
    assert "not_scaled" not in str(said.value)


def test_recording_again_gives_what_is_stored(sandbox):
    """The audit asks this of every exercise."""
    assert renewed(Bench(ATTENTION, sandbox), records.FOLDER) is None


@pytest.mark.parametrize(
    ("part", "size", "gap"),
    [
        ("expected", 1e-5, f"its record is out of date: grade record {ATTENTION.id}"),
        ("expected", 1e-7, "right answers differ by 1.0e-07, too near the tolerance 1e-06"),
        ("call", 1e-11, f"its record is out of date: grade record {ATTENTION.id}"),
    ],
)
def test_a_stale_record_is_seen(part, size, gap, tmp_path, monkeypatch):
    """By the audit as authors run it."""
    path = records.FOLDER / SLUG / f"{ATTENTION.symbol}{records.SUFFIX}"
    document = stored.loads(path.read_bytes())
    entry = document["cases"][0]
    values, name = {
        "expected": (entry["expected"], "output"),
        "call": (entry["call"]["args"], "key"),
    }[part]
    values[name] = values[name] * (1 + size)
    (tmp_path / SLUG).mkdir()
    (tmp_path / SLUG / path.name).write_bytes(stored.dumps(document))
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    answers = Answers(mistakes=ANSWERS.mistakes[:3], variants=ANSWERS.variants)
    (found,) = audit.audit([replace(ATTENTION, answers=answers)], mutate=False)
    assert gap in found.gaps


def test_records_say_what_they_were_recorded_with():
    paths = list(records.FOLDER.glob(f"*/*{records.SUFFIX}"))
    assert len(paths) == len(records.select())
    for path in paths:
        document = stored.loads(path.read_bytes())
        assert set(document["versions"]) == {"python", "numpy", "torch"}
        assert document["manifest"]["secret"] is False
        assert set(document) == {"format", "manifest", "cases", "versions"}  # no seed


def test_a_new_exercise_has_a_place_for_every_argument(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    (_, exercise, answers), box = scaffold.new("linear.LinearModel")
    made = 'Call(args={"x": ...}, init={"in_features": ..., "out_features": ...})'
    assert exercise.read_text().count(made) == 3
    assert answers.read_text().count(scaffold.WHY) == 2
    assert ":label: linear.LinearModel" in box
    assert "show(LinearModel)" in box  # the audit asks for both


def test_what_is_proven_leaves_a_stamp_and_is_left_out_until_it_changes(tmp_path, monkeypatch):
    proofs = tmp_path / "proofs.json"
    monkeypatch.setattr(audit, "proofs", lambda slug: proofs)
    chosen = catalog.select(["linear.softmax", "linear.linear"])
    one, other = chosen
    assert audit.unproven(chosen) == chosen
    (found,) = audit.audit([one], keep=True)
    assert not found.gaps
    assert audit.unproven(chosen) == [other]
    assert audit.unproven(chosen, lot=1) == chosen  # all of them are drawn
    written = proofs.stat().st_mtime_ns
    monkeypatch.setattr(audit, "prove", lambda bench, *_, **__: audit.Audit(one))
    list(audit.audit([one], keep=True))
    assert proofs.stat().st_mtime_ns == written  # a second proof has nothing to add
    monkeypatch.setattr(audit, "prove", lambda *_, **__: audit.Audit(one, gaps=["a gap"]))
    list(audit.audit([one], keep=True))
    assert audit.unproven([one]) == [one]
    gone = {"linear.gone": "1", "gone.softmax": "2", "mlp.relu": "3"}
    proofs.write_text(json.dumps(gone))
    list(audit.audit([one], keep=True))
    assert json.loads(proofs.read_text()) == {"mlp.relu": "3"}  # removed exercises keep no stamp


def test_a_stamp_knows_the_solution_the_answers_and_the_record(monkeypatch, tmp_path):
    (one,) = catalog.select(["linear.softmax"])
    before = audit.stamp(one)
    monkeypatch.setattr(audit.records, "home", lambda slug: tmp_path)
    assert audit.stamp(one) != before
    monkeypatch.undo()
    monkeypatch.setattr(audit.course, "solution", lambda slug: "def softmax(z, dim=-1): pass")
    assert audit.stamp(one) != before
    monkeypatch.undo()
    monkeypatch.setattr(audit.catalog, "answers_of", lambda path: path)
    assert audit.stamp(one) != before


def test_a_stamp_knows_of_a_docstring_only_the_errors_that_it_promises(monkeypatch):
    (one,) = catalog.select(["linear.softmax"])
    before, text = audit.stamp(one), audit.course.solution("linear")
    node = syntax.definition(text, "softmax")
    said = ast.get_docstring(node, clean=False)
    assert said
    for added, same in (("    More of it.\n", True), ("    Raises:\n        OSError: x.\n", False)):
        changed = text.replace(said, f"{said}\n{added}")
        assert changed != text
        monkeypatch.setattr(course, "solution", lambda slug, changed=changed: changed)
        assert (audit.stamp(one) == before) is same


def test_neither_stamps_nor_verdicts_depend_on_the_order_of_sets(in_any_order):
    code = (
        "from grader.author import audit, catalog\n"
        "from grader.judge.inspection import shortcuts\n"
        "(one,) = catalog.select(['bert.BERT'])\n"
        "print(audit.stamp(one))\n"
        "print([*audit.given.modules('gpt', 'from course.mlp import gelu')])\n"
        "text = 'def asked(x):\\n    return first(x) + second(x) + third(x)\\n\\n'\n"
        "text += 'def first(x):\\n    return F.softmax(x)\\n\\n'\n"
        "text += 'def second(x):\\n    return F.relu(x)\\n\\n'\n"
        "text += 'def third(x):\\n    return F.gelu(x)\\n'\n"
        "print([*shortcuts(text, 'asked', ['F.softmax', 'F.relu', 'F.gelu'])])\n"
    )
    assert in_any_order(code)


def test_hidden_cases_stay_until_the_exercise_changes(monkeypatch):
    first = audit.drawn_from(ATTENTION)
    assert first == audit.drawn_from(ATTENTION) != audit.drawn_from(catalog.select(["mlp"])[0])
    changed = course.solution(SLUG).replace("math.sqrt(query", "math.sqrt(0.0 + query")
    assert changed != course.solution(SLUG)
    monkeypatch.setattr(audit.course, "solution", lambda slug: changed)
    assert audit.drawn_from(ATTENTION) != first


# ------------------------------------------------------------------- what public records give away


def test_what_public_cases_answer_is_no_part_of_an_instructors_record(sandbox):
    (exercise,) = catalog.select(["seq2seq.brevity_penalty"])
    public, secret = (
        records.load("seq2seq", exercise.symbol),
        record(Bench(exercise, sandbox), seed=7),
    )
    left = records.parse(lookup.unseen(secret, public))
    whole = {case["name"] for case in secret["cases"]}
    kept = {case.name for case in left.cases}
    assert whole - kept == {  # nothing to draw, and 1 is due whatever is drawn
        "nothing to say, and nothing said",
        "no words",
        "as long",
        "longer",
    }
    assert left.manifest.points == sum(case.points for case in left.cases) < exercise.points
    known = {case.name: case for case in public.cases}
    for case in left.cases:
        assert not any(same_inputs(dict(one.call), dict(case.call)) for one in public.cases)
        assert case.name not in known or case.judge(known[case.name].expected)


def test_inputs_that_nobody_draws_are_a_gap(sandbox):
    """A file that memorized the public cases earns nearly all of them."""
    (exercise,) = catalog.select(["preference.check_answer"])
    fixed = Bench(replace(exercise, afresh=None), sandbox)
    public, secret = records.load("preference", "check_answer"), record(fixed, seed=7)
    (gap,) = lookup.gaps(fixed, public, records.parse(lookup.unseen(secret, public)))
    assert re.match(r"public cases answer all but 1 of its \d+ points", gap)
    found = [*lookup.gaps(fixed, public, records.parse(secret))]
    said = re.search(r"memorizing the public cases earns (\d+) of (\d+)", " ".join(found))
    assert int(said[1]) == int(said[2]) - 1


def test_results_that_are_told_beforehand_are_a_gap(sandbox):
    """One half, of all numbers that are equal; zeros would be trivial and earn nothing alone."""
    (exercise,) = catalog.select(["generative.chance_above"])

    def equal(rng):
        level = 2.5 + rng.random()
        return {"first": np.full(5, level), "second": np.full(3, level)}

    told = Case("on one level", equal, 5, hidden=True)
    changed = Bench(replace(exercise, cases=(*exercise.cases, told)), sandbox)
    public = records.load("generative", "chance_above")
    left = records.parse(lookup.unseen(record(changed, seed=7), public))
    (gap,) = lookup.gaps(changed, public, left)
    assert re.search(r"memorizing the public cases earns \d of \d+: .*on one level", gap)


@pytest.mark.parametrize(
    "name", ["seq2seq.corpus_bleu", "tokenization.count_pairs", "tokenization.BytePairTokenizer"]
)
def test_what_is_known_by_heart_earns_every_public_point(name, sandbox):
    """Else it would prove nothing: one number, a dict, and what is asked in steps."""
    public = records.load(*name.split("."))
    submission = Submission(lookup.by_heart(public), f"{name.partition('.')[0]}.py")
    assert grading.check(public, submission, sandbox=sandbox).passed


def test_a_tuple_that_the_worker_makes_is_known_by_heart(sandbox):
    public = records.load("transformer", "rotary")
    submission = Submission(lookup.by_heart(public), "transformer.py")
    result = grading.check(public, submission, sandbox=sandbox)
    earned = {case.name: case.earned for case in result.cases}
    assert earned["rates in a tuple"] == 1


def test_columns_of_features_are_no_predictions(sandbox):
    record = records.load("linear", "predict_tuned")
    text = (
        "def predict_tuned(features, labels, dev_features, dev_labels, new_features, **more):\n"
        "    return new_features[:, :3].argmax(-1)\n"
    )
    result = grading.check(record, Submission(text, "linear.py"), sandbox=sandbox)
    judged = {entry.name for entry in record.cases if entry.at_least is not None}
    assert judged
    assert not [case for case in result.cases if case.name in judged and case.earned]
