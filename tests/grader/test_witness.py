"""What a submission's process shows without saying it."""

import numpy as np

from grader.enclose import witness


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
