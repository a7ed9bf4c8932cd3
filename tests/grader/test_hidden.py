"""A set of hidden records has an identity, and is never overwritten."""

import json

import pytest
from click.testing import CliRunner

from grader import commands
from grader.errors import UserError
from grader.instruct import hidden
from grader.judge import records


def record(*words: str):
    return CliRunner().invoke(commands.main, ["hidden", *words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two sets: the second was asked for after the first was there."""
    first = tmp_path_factory.mktemp("mine") / "hid[1]"
    for more in ([], ["--again"], ["--again"]):
        done = record("embeddings.ppmi", "--to", str(first), *more)
        assert done.exit_code == 0, done.output
    return first


def test_sets_have_a_name_a_number_and_a_digest(folder):
    sets = [hidden.read(folder.with_name(f"hid[1]{end}")) for end in ("", "-2", "-3")]
    assert [one.number for one in sets] == [1, 2, 3]
    assert {one.name for one in sets} == {"hid[1]"}
    assert len({one.digest for one in sets}) == 3
    told = json.loads((folder / "set.json").read_text())
    assert told["digest"] == sets[0].digest
    for one in sets:  # what an exercise builds on is in it
        needs = records.load("embeddings", "ppmi").manifest.needs
        assert set(one.records) == {"embeddings.ppmi", *(f"embeddings.{n}" for n in needs)}


def test_a_record_that_was_changed_is_told(folder, tmp_path):
    (path,) = (folder / "embeddings").glob("ppmi.*")
    before = path.read_bytes()
    (other,) = (folder.with_name("hid[1]-2") / "embeddings").glob("ppmi.*")
    path.write_bytes(other.read_bytes())
    try:
        with pytest.raises(UserError, match="not the one that"):
            hidden.read(folder)
    finally:
        path.write_bytes(before)
    hidden.read(folder)


def test_the_exercises_of_an_assignment_are_recorded(tmp_path):
    given = tmp_path / "assignment.toml"
    given.write_text('name = "w"\n[exercises]\n"linear.softmax" = 9\n"linear.linear" = 0\n')
    done = record("--assignment", str(given), "--to", str(tmp_path / "hidden"))
    assert done.exit_code == 0, done.output
    kept = set(hidden.read(tmp_path / "hidden").records)
    assert {"linear.softmax", "linear.linear"} <= kept
    assert "linear.cross_entropy" not in kept
    for words, said in (
        (["linear", "--assignment", str(given)], "one of the two"),
        (["--assignment", str(tmp_path / "gone")], "There is no"),
    ):
        done = record(*words, "--to", str(tmp_path / "other"))
        assert done.exit_code == 2
        assert said in done.output
        assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("end", ["", "-2"])
def test_exercises_can_be_added_to_a_set(folder, end):
    folder = folder.with_name(f"{folder.name}{end}")
    before = hidden.read(folder)
    done = record("linear.softmax", "--to", str(folder))
    assert done.exit_code == 0, done.output
    after = hidden.read(folder)
    assert after.records.items() > before.records.items()
    assert (after.name, after.number) == (before.name, before.number)


def test_a_folder_without_records_is_told(tmp_path):
    with pytest.raises(UserError, match="holds no records"):
        hidden.read(tmp_path)


def test_the_public_records_are_no_set():
    assert hidden.read(records.FOLDER).number == 0
