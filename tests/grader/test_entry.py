"""Names of what a probe returns are read and written in one place, and records hold these names."""

import re
from pathlib import Path

import pytest

import grader
from grader.enclose.worker.entry import (
    Entry,
    Kind,
    item,
    kind_of,
    named,
    only,
    parse,
    path_of,
    paths,
)
from grader.judge import records

FINDINGS = {"parameters", "changed", "repeatable", "attached", "replaced", "raised"}


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("output", Entry(Kind.OUTPUT, "")),
        ("output[0]['a.b']", Entry(Kind.OUTPUT, "[0]['a.b']")),
        ("returned[2]", Entry(Kind.CLOSURE, "[2]")),
        ("state[1].exp_avg", Entry(Kind.STATE, "[1].exp_avg")),
        ("grad.layers.0.weight", Entry(Kind.GRAD, "layers.0.weight")),
        ("grad.first[0]", Entry(Kind.GRAD, "first[0]")),
        ("after.2.x", Entry(Kind.AFTER, "2.x")),
        ("again.output[0]", Entry(Kind.AGAIN, "output[0]")),
        ("cost.largest", Entry(Kind.COST, "largest")),
    ],
)
def test_a_name_is_a_kind_and_a_path(name, entry):
    assert parse(name) == entry
    assert str(entry) == name
    assert (kind_of(name), path_of(name)) == entry


@pytest.mark.parametrize(
    "name", ["changed", "outputs", "output.x", "grad", "grad[0]", "x.grad", ""]
)
def test_other_names_have_no_kind(name):
    assert (parse(name), kind_of(name), path_of(name)) == (None, None, name)


def test_values_are_chosen_by_kind():
    slopes = named(Kind.GRAD, {"x": 1, "layer.bias": None})
    values = {"changed": [], item("output", 0): 2, item("output", "mean"): 3, **slopes}
    assert slopes == {"grad.x": 1, "grad.layer.bias": None}
    assert paths(values, Kind.GRAD) == {"x": 1, "layer.bias": None}
    assert only(values, Kind.OUTPUT, Kind.COST) == {"output[0]": 2, "output['mean']": 3}


def test_every_name_in_the_records_is_known():
    for manifest in records.select(["linear", "training", "transformer"]):
        record = records.load(manifest.slug, manifest.symbol)
        for case in record.cases:
            shown = [known.get("values", {}) for known in case.mistakes.values()]
            for name in {*case.expected, *(name for values in shown for name in values)}:
                entry = parse(name)
                assert name in FINDINGS if entry is None else str(entry) == name


def test_no_other_module_takes_such_a_name_apart():
    kinds = "|".join(kind for kind in Kind)
    taking = re.compile(
        rf"(startswith|removeprefix)\([^)]*[\"'](?:{kinds})\b|f[\"'](?:{kinds})(?:\.|\[)\{{"
    )
    folder = Path(grader.__file__).parent
    assert taking.search('name.startswith("output")')
    assert taking.search('f"grad.{name}"')
    assert not [
        path
        for path in folder.rglob("*.py")
        if "exercises" not in path.parts and taking.search(path.read_text(encoding="utf-8"))
    ]
