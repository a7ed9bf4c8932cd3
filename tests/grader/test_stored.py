"""A record as bytes: nothing is lost, a change of a case changes that case's bytes."""

import io
import pickle
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

from grader.author.recording import save
from grader.enclose.worker import wire
from grader.errors import UserError
from grader.judge import records, stored

ROOT = Path(__file__).parents[2]
PATH = records.FOLDER / "transformer" / f"MultiHeadAttention{records.SUFFIX}"
DATA = PATH.read_bytes()
HEAD = {"name": "a", "points": 1}
MEAN = 35_000  # bytes of a record: 296 of them are 10 MB


@pytest.fixture
def document():
    return stored.loads(DATA)


def parts(data):
    """The compressed bytes of each case: what is right, and the mistakes."""
    return [tuple(case[n].tobytes() for n in stored.PARTS) for case in wire.loads(data)["cases"]]


def test_what_is_written_is_read(document):
    again = stored.loads(stored.dumps(document))
    assert stored.identity(again) == stored.identity(document)
    assert again["cases"][0]["call"].keys() == document["cases"][0]["call"].keys()
    prints = [
        value
        for case in again["cases"]
        for found in case["mistakes"].values()
        for value in found.get("values", {}).values()
        if isinstance(value, stored.Print)
    ]
    assert any(each.sums.size for each in prints)


def test_a_case_that_changes_changes_its_own_bytes(document):
    changed = deepcopy(document)
    changed["cases"][2]["expected"]["output"] = changed["cases"][2]["expected"]["output"] * 2
    assert stored.identity(changed) != stored.identity(document)
    data = stored.dumps(changed, DATA)
    assert [one == other for one, other in zip(parts(data), parts(DATA), strict=True)] == [
        index != 2 for index in range(len(document["cases"]))
    ]


def test_a_mistake_more_leaves_what_is_right(document):
    changed = deepcopy(document)
    for case in changed["cases"]:
        case["mistakes"]["another"] = {"error": {"kind": "exception", "type": "", "message": ""}}
    data = parts(stored.dumps(changed, DATA))
    assert [right for right, _ in data] == [right for right, _ in parts(DATA)]
    assert not {wrong for _, wrong in data} & {wrong for _, wrong in parts(DATA)}


def test_a_case_that_does_not_change_keeps_its_bytes_whoever_compressed_them(document):
    """Libraries compress differently, and what they read is the same."""
    quick = stored.zlib.compressobj(1, zdict=stored.COMMON)
    outer = wire.loads(DATA)
    raw = stored.zlib.decompressobj(zdict=stored.COMMON).decompress(parts(DATA)[1][0])
    outer["cases"][1]["right"] = np.frombuffer(quick.compress(raw) + quick.flush(), np.uint8)
    earlier = wire.dumps(outer)
    assert parts(earlier) != parts(DATA)
    assert stored.dumps(document, earlier) == earlier
    del document["cases"][0]
    assert parts(stored.dumps(document, earlier)) == parts(earlier)[1:]


@pytest.mark.parametrize("earlier", [b"", b"junk" * 100, wire.dumps({"format": 2, "cases": [{}]})])
def test_what_was_no_record_of_this_version_is_written_anew(earlier, document, tmp_path):
    path = tmp_path / PATH.parent.name / PATH.name
    path.parent.mkdir()
    path.write_bytes(earlier)
    assert save(document, tmp_path) == path
    assert path.read_bytes() == stored.dumps(document)


def test_a_manifest_is_read_without_the_cases():
    (told,) = (one for one in records.manifests("transformer") if one.symbol == PATH.stem)
    head = DATA[: 8 + int.from_bytes(DATA[:8], "little")]
    assert wire.header(io.BytesIO(head))["manifest"]["title"] == told.title
    assert len(head) < len(DATA) / 10


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pickle.dumps({"format": 3}),
        DATA[:-100],
        wire.dumps([]),
        wire.dumps({"cases": [HEAD]}),
        wire.dumps({"cases": [HEAD | {"right": np.arange(9, dtype=np.uint8)}]}),
        wire.dumps({"cases": [HEAD | {"right": "text"}]}),
    ],
)
def test_what_is_no_record_is_said_to_be_none(data, tmp_path):
    with pytest.raises(ValueError, match=r"not a document|another version"):
        stored.loads(data)
    (tmp_path / "linear").mkdir()
    (tmp_path / "linear" / f"softmax{records.SUFFIX}").write_bytes(data)
    with pytest.raises(UserError, match=r"cannot be read: .*Record it again: grade record"):
        records.load("linear", "softmax", tmp_path)


def test_sums_that_are_missing_are_seen(document):
    first, *_ = (outer := wire.loads(DATA))["cases"]
    inner = stored._opened(first["wrong"])
    inner["sums"] = inner["sums"][:-1]
    first["wrong"] = stored._packed(inner)
    with pytest.raises(ValueError, match="another version"):
        stored.loads(wire.dumps(outer))


def test_all_records_together_are_small():
    """They lie in every clone, and in every copy of a student's."""
    sizes = [path.stat().st_size for path in records.FOLDER.glob(f"*/*{records.SUFFIX}")]
    assert sum(sizes) < MEAN * len(sizes)


def test_the_guide_states_todays_sizes():
    guide = (ROOT / "book" / "guide_author.md").read_text()
    each, case = map(
        float,
        re.search(
            r"a record takes (\d+) KB, or \d+ KB\s+packed by git, and ([\d.]+) KB", guide
        ).groups(),
    )
    files = [path.read_bytes() for path in records.FOLDER.glob(f"*/*{records.SUFFIX}")]
    total, cases = sum(map(len, files)), sum(len(wire.loads(data)["cases"]) for data in files)
    assert total / len(files) / 1_000 == pytest.approx(each, rel=0.1)
    assert total / cases / 1_000 == pytest.approx(case, rel=0.1)
