"""What the guides show is what the commands do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import grader.exercises
from book.pages import BOOK
from grader import course
from grader.author import audit, catalog, record
from grader.author.bench import Bench
from grader.commands import main
from grader.enclose.sandbox import Sandbox
from grader.judge import records


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (BOOK / page).read_text(), re.DOTALL)


def words(text: str) -> list[str]:
    """Without line breaks, and without what depends on the machine's protections."""
    return [
        word
        for line in text.splitlines()
        if not line.startswith("Not protected:")
        for word in line.split()
    ]


def test_the_feedback_in_the_students_guide_is_what_the_grader_says(tmp_path: Path):
    answer = next(block for block in blocks("guide_student.md", "python") if "def " in block)
    shown = next(block for block in blocks("guide_student.md", "text") if "points" in block)
    file = tmp_path / "self_attention.py"
    file.write_text("import torch\n\n\n" + answer)
    target = re.search(r"✗ (\S+)", shown)[1]
    result = CliRunner().invoke(main, ["check", target, "--file", str(file)])
    assert words(result.output) == words(shown)
    assert result.exit_code == 1


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_commands_on_the_pages_exist_with_their_options(page: Path):
    text = page.read_text()
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    said = [line for line in [*lines, *re.findall(r"`(grade [^`]*)`", text)] if "grade " in line]
    for line in said:
        name, *words = re.search(r"grade (.*)", line.partition("#")[0])[1].split()
        assert name in main.commands, line
        known = {option for param in main.commands[name].params for option in param.opts}
        for word in words:
            assert not word.startswith("--") or word in known, line


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_make_targets_on_the_pages_exist(page: Path):
    targets = re.findall(r"^([a-z]+):", (BOOK.parent / "Makefile").read_text(), re.MULTILINE)
    for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), re.MULTILINE):
        assert target in targets, target


def test_the_exercise_in_the_authors_guide_passes_the_audit(tmp_path: Path, monkeypatch):
    solution, exercise, answers, *_ = blocks("guide_author.md", "python")
    folder = tmp_path / "norms"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "rms_norm.py").write_text(exercise)
    (folder / "rms_norm_answers.py").write_text(answers)
    text = "import torch\nfrom torch import Tensor\n\n\n" + solution
    monkeypatch.setattr(course, "solution", lambda slug: text)
    monkeypatch.setattr(grader.exercises, "__path__", [str(tmp_path)])
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    monkeypatch.setattr(records, "FOLDER", tmp_path / "references")
    (chosen,) = catalog.exercises("norms")
    with Sandbox() as sandbox:
        record.update(Bench(chosen, sandbox), records.FOLDER)
        record.save_index(records.FOLDER, [chosen])
    (found,) = audit.audit([chosen])
    assert found.gaps == []
    assert found.named == len(chosen.mistakes)
