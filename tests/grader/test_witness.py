"""What a submission's process shows without saying it."""

import ast
from pathlib import Path

import numpy as np
import pytest

from grader.enclose import witness
from grader.enclose.worker import wire
from grader.judge import records


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


def test_every_probe_of_the_worker_is_compared():
    text = (Path(witness.__file__).parent / "worker" / "probes.py").read_text()
    table = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "PROBES"
    )
    assert {key.value for key in table.keys} == set(witness.PROBES)


def test_a_probe_that_nobody_knows_is_no_mark():
    with pytest.raises(KeyError):
        witness.seen({"probe": "other", "args": {}}, {"values": {"output": 1}, "called": []})


def test_a_record_that_expects_nothing_is_not_read():
    document = wire.loads((records.FOLDER / "linear" / "softmax.safetensors").read_bytes())
    document["cases"][1]["expected"] = {}
    with pytest.raises(ValueError, match="expects nothing"):
        records.parse(document)
