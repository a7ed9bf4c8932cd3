"""`make check` leaves out a file of tests that passed as it is, and no other."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import changed


@pytest.fixture
def left_out(monkeypatch, tmp_path):
    """Is a file left out, when these stamps are known?"""

    def ask(known: dict[str, str], *, file: Path = Path(__file__), asked: bool = True) -> bool:
        path = tmp_path / "tests.json"
        path.write_text(json.dumps(known))
        monkeypatch.setattr(changed, "STAMPS", path)
        changed.stamps.cache_clear()
        config = SimpleNamespace(getoption=lambda name: asked)
        return bool(changed.pytest_ignore_collect(file, config))

    yield ask
    changed.stamps.cache_clear()


def test_what_passed_as_it_is_is_left_out(left_out):
    here = Path(__file__)
    name = str(here.relative_to(changed.ROOT))
    assert left_out({name: changed.stamp(here)})
    assert not left_out({name: changed.stamp(here)}, asked=False)
    assert not left_out({name: "as it was before"})
    assert not left_out({})
    assert not left_out({name: changed.stamp(here)}, file=here.parent)


def test_a_stamp_depends_on_what_a_test_imports(monkeypatch):
    file = changed.ROOT / "tests" / "solutions" / "test_vit.py"
    needed = changed.needed(file)
    assert changed.ROOT / "solutions" / "vit.py" in needed
    assert changed.ROOT / "solutions" / "transformer.py" in needed  # what vit imports
    assert changed.ROOT / "solutions" / "gpt.py" not in needed
    before = changed.stamp.__wrapped__(file)
    monkeypatch.setattr(
        changed, "needed", lambda file: needed - {changed.ROOT / "solutions/vit.py"}
    )
    assert changed.stamp.__wrapped__(file) != before


def test_helpers_beside_a_test_are_among_what_it_imports():
    folder = changed.ROOT / "tests" / "grader"
    assert folder / "hostile.py" in changed.needed(folder / "test_table.py")
