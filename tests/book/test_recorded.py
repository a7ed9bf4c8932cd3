"""Recorded runs are compared with a page's own data only if they were made on the same."""

import json
import re

import pytest
import torch

from book import recorded as module
from book.pages import BOOK, ROOT, chapters
from book.recorded import CALL, fingerprint, recorded

DATA = (torch.arange(6.0).view(2, 3), torch.tensor([1, 0]))


@pytest.mark.parametrize(
    "other",
    [
        (DATA[0] + 1e-6, DATA[1]),
        (DATA[0].view(3, 2), DATA[1]),
        (DATA[0].double(), DATA[1]),
        (DATA[0], DATA[1].flip(0)),
        DATA[::-1],
        DATA[:1],
        (DATA,),
    ],
)
def test_the_fingerprint_tells_other_data_apart(other):
    assert fingerprint(*other) != fingerprint(*DATA)


def test_the_fingerprint_is_that_of_the_numbers_alone():
    strided = DATA[0].T.contiguous().T
    assert fingerprint(DATA) == fingerprint((strided, DATA[1].clone()))
    with pytest.raises(TypeError, match="got dict"):
        fingerprint({"x": DATA[0]})


def test_a_run_on_other_data_is_refused(tmp_path, monkeypatch):
    (tmp_path / "benchmarks").mkdir()
    run = {"command": "python benchmarks/run.py", "data": fingerprint(DATA)}
    (tmp_path / "benchmarks/run.json").write_text(json.dumps(run))
    (tmp_path / "benchmarks/old.json").write_text(json.dumps({"command": "python old.py"}))
    monkeypatch.setattr(module, "ROOT", tmp_path)
    assert recorded("run", DATA) == recorded("run") == run
    with pytest.raises(ValueError, match=r"other data .* Run `python benchmarks/run\.py`"):
        recorded("run", DATA[::-1])
    with pytest.raises(ValueError, match="other data"):
        recorded("old", DATA)


def test_pages_hand_over_their_data_where_a_run_states_its_own():
    text = "\n".join((BOOK / f"{page.stem}.md").read_text() for page in chapters())
    runs = {name for name in CALL.findall(text) if "data" in recorded(name)}
    assert runs
    assert not {name for name in runs if not re.search(rf'recorded\("{name}", \w+\)', text)}
    assert all((ROOT / f"benchmarks/{name}.py").exists() for name in runs)
