"""The project on GitHub: its workflows run what is there, its citation is true."""

import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from book.pages import ROOT

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
each = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def jobs(path):
    return yaml.safe_load(path.read_text())["jobs"].values()


def steps(path):
    return [step for job in jobs(path) for step in job["steps"]]


def test_the_project_is_tested_published_released_and_tried_on_what_is_new():
    assert [path.stem for path in WORKFLOWS] == ["newest", "release", "site", "test"]


@each
def test_what_a_workflow_runs_is_there(path):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    runs = [step["run"] for step in steps(path) if "run" in step]
    for line in "\n".join(map(str.strip, runs)).splitlines():
        command, *words = shlex.split(line)
        if command == "make":
            assert {word for word in words if "=" not in word} <= set(targets), line
        elif command.startswith("."):
            assert command.startswith(".venv/bin/") or (ROOT / command).is_file(), line
        else:
            assert command == "pip" or words[:2] == ["release", "create"], line


@each
def test_actions_are_of_github_and_of_one_version(path):
    for name in [step["uses"] for step in steps(path) if "uses" in step]:
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", name)


@each
def test_a_workflow_may_write_nothing_but_the_site_and_a_release_and_ends(path):
    document = yaml.safe_load(path.read_text())
    assert document["permissions"] == {"contents": "read"}
    for name, job in document["jobs"].items():
        if name == "publish":
            assert job["permissions"] == {"pages": "write", "id-token": "write"}
            assert "pull_request" in job["if"]  # a stranger's changes are not published
        elif name == "attach":
            assert document[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
            assert job["permissions"] == {"contents": "write"}
        else:
            assert "permissions" not in job
            assert job["timeout-minutes"] <= 90


def test_the_citation_is_of_this_version_and_these_licences():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{cited["version"]}"' in project
    assert f'license = "{" AND ".join(cited["license"])}"' in project
    assert cited["title"] == yaml.safe_load((ROOT / "_config.yml").read_text())["title"]
    assert {"cff-version", "message", "authors"} <= cited.keys()


@pytest.mark.parametrize(
    ("changelog", "tag", "owner", "said"),
    [
        ("## [Unreleased]", "v1.2.3", "us", "CHANGELOG.md has no heading '## [1.2.3] - DATE'."),
        ("## [1.2.3]", "v1.2.3", "us", "CHANGELOG.md has no heading '## [1.2.3] - DATE'."),
        ("## [1.2.3] - 2026-01-02", "v1.2.4", "us", "The tag is v1.2.4, and pyproject.toml says"),
        ("## [1.2.3] - 2026-01-02", "v1.2.3", "OWNER", "CITATION.cff has no address: make"),
        ("## [1.2.3] - 2026-01-02", "", "OWNER", "CITATION.cff has no address: make"),
        ("## [1.2.3] - 2026-01-02", "", "us", ""),
    ],
)
def test_what_is_not_ready_is_not_released(tmp_path, changelog, tag, owner, said):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(f"{changelog}\n")
    (tmp_path / "CITATION.cff").write_text(f"repository-code: https://github.com/{owner}/c\n")
    (tmp_path / "pyproject.toml").write_text('name = "c"\nversion = "1.2.3"\n')
    ran = tmp_path / ".venv" / "bin" / "python"
    ran.parent.mkdir(parents=True)
    for program in (ran, ran.with_name("grade")):
        program.write_text("#!/bin/sh\necho $0 >&2\n")
        program.chmod(0o755)
    command = ["make", "--old-file=book", "release", *([f"TAG={tag}"] if tag else [])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said in done.stderr
    assert bool(done.returncode) is bool(said)
    assert ("bin/grade" in done.stderr) is (not said)


def test_the_contributing_guide_names_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE):
        assert target in targets
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / link).is_file(), link
    places = [place for place in re.findall(r"`([^`\s]+/[^`\s]*)`", text) if place[0] != "."]
    assert len(places) > 20
    for place in places:
        assert (ROOT / place).exists(), place
