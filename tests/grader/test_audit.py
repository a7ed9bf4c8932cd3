"""The audit proves exercises, and sees every way in which one can be unproven."""

from dataclasses import replace

import pytest

from grader import audit, reference, source
from grader.exercise import Mistake, UserError, select, slugs

SLUG = "self_attention"
(ATTENTION,) = select(f"{SLUG}.scaled_dot_product_attention")
SOLUTION = reference.solution_source(SLUG)


@pytest.fixture
def gaps(sandbox, monkeypatch):
    """Audit a changed exercise on references that are recorded for it; mutants only on demand."""

    def run(*, mutate=False, **changes):
        if not mutate:
            monkeypatch.setattr(audit, "mutants", lambda text, symbol: [])
        exercise = replace(ATTENTION, equivalent={}, **changes)
        known = reference.join(exercise, list(reference.record_cases(exercise, sandbox)), False)
        return audit.prove(exercise, known, known, sandbox).gaps

    return run


def test_nothing_but_the_missing_hidden_cases_is_found(gaps):
    assert gaps() == ["0 hidden cases, at least 1 are needed"]


def test_a_mistake_that_is_right_is_a_gap(gaps):
    harmless = Mistake(name="harmless", why="", change={"math.sqrt(": "math.sqrt(1.0 * "})
    assert any("mistake harmless passes" in gap for gap in gaps(mistakes=(harmless,)))


def test_two_mistakes_with_the_same_numbers_are_a_gap(gaps):
    first = next(m for m in ATTENTION.mistakes if m.change)
    twin = replace(first, name="twin")
    found = gaps(mistakes=(*ATTENTION.mistakes, twin))
    assert any(f"mistake twin is named {first.name}, twin" in gap for gap in found)


def test_a_variant_that_is_wrong_is_a_gap(gaps):
    text = source.text_of(SOLUTION, ATTENTION.symbol).replace("math.sqrt(", "(")
    assert any("right variant 1 scores" in gap for gap in gaps(variants=(text, text)))


def test_a_tolerance_without_margin_is_a_gap(gaps):
    assert any("right answers differ by" in gap for gap in gaps(tolerance=1e-15))
    assert any("a mistake differs by" in gap for gap in gaps(tolerance=0.5))


def test_a_wrong_dtype_is_no_matter_of_tolerance(gaps):
    single = Mistake(
        name="single",
        why="",
        change={
            "return weights.masked_fill(alone, 0.0) @ value": "return (weights.masked_fill("
            "alone, 0.0) @ value).float()",
            "return torch.softmax(scores, dim=-1) @ value": "return (torch.softmax("
            "scores, dim=-1) @ value).float()",
        },
    )
    assert not [gap for gap in gaps(mistakes=(single,) * 3) if "differs by" in gap]


def test_a_mutant_that_passes_is_a_gap(gaps):
    found = gaps(mutate=True, cases=ATTENTION.cases[:1], mistakes=(), variants=())
    survivors = [gap for gap in found if gap.startswith("this mutant passes")]
    assert any("masked_fill" in gap for gap in survivors)  # its only case has no mask
    unscaled = "scores = (query @ key.transpose(-2, -1))"
    assert not any(gap.startswith(f"this mutant passes: {unscaled}") for gap in survivors)


def test_an_excuse_without_a_mutant_is_a_gap(sandbox, monkeypatch):
    monkeypatch.setattr(audit, "mutants", lambda text, symbol: [])
    known = reference.load(SLUG)[ATTENTION.symbol]
    exercise = replace(ATTENTION, equivalent={"no such line": "why not"}, mistakes=(), variants=())
    found = audit.prove(exercise, known, known, sandbox).gaps
    assert "excused as equivalent, but no mutant that passes: no such line" in found


def test_too_few_mistakes_and_variants_are_gaps(gaps):
    found = gaps(mistakes=ATTENTION.mistakes[:2], variants=ATTENTION.variants[:1])
    assert "2 known mistakes, at least 3 are needed" in found
    assert "1 right variants, at least 2 are needed" in found


def test_a_change_that_no_longer_fits_is_said(gaps):
    lost = Mistake(name="lost", why="", change={"no such text": ""})
    with pytest.raises(UserError, match="mistake lost: 'no such text' stands 0 times"):
        gaps(mistakes=(lost,))


@pytest.mark.parametrize("slug", slugs())
def test_recording_again_gives_what_is_stored(slug, sandbox):
    assert audit.verify(slug, sandbox) == []


@pytest.mark.parametrize("part", ["expected", "call"])
def test_a_stale_reference_is_seen(part, sandbox, monkeypatch):
    document = reference.record(SLUG, sandbox)
    entry = document["exercises"][ATTENTION.symbol][0]
    where, name = {
        "expected": (entry["expected"], "output"),
        "call": (entry["call"]["args"], "key"),
    }[part]
    where[name] = where[name] * (1 + 1e-8)
    monkeypatch.setattr(audit, "record", lambda slug, sandbox: document)
    assert audit.verify(SLUG, sandbox) == [f"{ATTENTION.id}, case {entry['name']!r}"]


def test_references_say_what_they_were_recorded_with():
    from grader.worker import codec

    for slug in slugs():
        document = codec.loads((reference.FOLDER / f"{slug}.safetensors").read_bytes())
        assert set(document["versions"]) == {"python", "numpy", "torch"}
        assert document["cases"] == "public"
        assert "seed" not in document
