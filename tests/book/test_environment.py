"""Pins live in constraints.txt alone, cover everything, and are what is installed."""

import json
import os
import re
import sys
import tomllib
from importlib.metadata import (
    PackageNotFoundError,
    metadata,
    packages_distributions,
    requires,
    version,
)
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from book.pages import ROOT
from book.reach import imports

TOML = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = TOML["project"]
EXTRAS = PROJECT["optional-dependencies"]
DECLARED = [
    Requirement(text) for group in (PROJECT["dependencies"], *EXTRAS.values()) for text in group
]
PINS = {
    canonicalize_name(pin.name): pin
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
    for pin in [Requirement(line)]
}
PLATFORMS = {
    "here": {},
    "macOS": {"sys_platform": "darwin", "platform_system": "Darwin"},
    "python 3.12": {"python_version": "3.12", "python_full_version": "3.12.0"},
    "python 3.13": {"python_version": "3.13", "python_full_version": "3.13.0"},
    "python 3.14": {"python_version": "3.14", "python_full_version": "3.14.0"},
}


def closure(environment):
    """All packages that the project pulls in on a platform, by name, as far as installed here."""
    found, todo = {}, list(DECLARED)
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        extras = frozenset(requirement.extras) | {""}
        if extras <= found.get(name, frozenset()):
            continue
        found[name] = found.get(name, frozenset()) | extras
        try:
            inner = requires(name) or []
        except PackageNotFoundError:
            inner = []
        for one in map(Requirement, inner):
            if not one.marker or any(
                one.marker.evaluate(environment | {"extra": extra}) for extra in extras
            ):
                todo.append(one)
    return set(found)


def test_pins_are_exact():
    inexact = [
        str(pin) for pin in PINS.values() if not re.fullmatch(r"==[^*,]+", str(pin.specifier))
    ]
    assert not inexact
    assert len(PINS) > 50


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_package_is_pinned(platform):
    # on Linux torch may bring CUDA libraries, and holds them to their versions itself
    cuda = ("cuda-", "nvidia-", "triton")
    found = {name for name in closure(PLATFORMS[platform]) if not name.startswith(cuda)}
    assert found - set(PINS) == set()


def test_every_pin_installs_on_the_oldest_python_that_the_course_promises():
    """Debian stays at the first releases of a Python; some packages ask for a later one."""
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"
    later = {}
    for name in PINS:
        try:
            asked = metadata(name).get("Requires-Python") or ""
        except PackageNotFoundError:  # for another platform
            continue
        if oldest not in SpecifierSet(asked):
            later[name] = asked
    assert later == {}


def test_what_is_installed_is_what_is_pinned():
    wrong = {
        name: version(name)
        for name in closure({}) & set(PINS)
        if not PINS[name].specifier.contains(version(name), prereleases=True)
    }
    assert not wrong, "installed versions differ from constraints.txt: make setup"


def test_pins_stand_in_constraints_alone():
    """Beside a requirement stands at most the major version that breaks the course."""
    bounds = {one.name: str(one.specifier) for one in DECLARED if one.specifier}
    assert all(re.fullmatch(r"<\d+", bound) for bound in bounds.values()), bounds
    assert {"torch", "jupyter-book"} <= {one.name for one in DECLARED}


def test_environment_yml_installs_the_same():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert conda[0] == f"python{PROJECT['requires-python']}"
    assert conda[1] == "pip"
    assert conda[2:] == [{"pip": ["-c constraints.txt", f"-e .[{','.join(sorted(EXTRAS))}]"]}]


def test_makefile_installs_the_same():
    text = (ROOT / "Makefile").read_text()
    command = f"install -qq --no-compile -c constraints.txt -e '.[{','.join(sorted(EXTRAS))}]'"
    assert command in re.sub(r"\s*\\\n\s*", " ", text)
    least = PROJECT["requires-python"].removeprefix(">=")
    assert f"version_info < ({least.replace('.', ', ')})" in text
    assert f"Python {least} or later" in text


def test_the_browsers_driver_is_locked():
    folder = ROOT / "tests" / "book" / "browser"
    wanted = json.loads((folder / "package.json").read_text())["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text())["packages"]
    assert locked.pop("")["dependencies"] == wanted
    found = {path.removeprefix("node_modules/"): entry for path, entry in locked.items()}
    assert {name: entry["version"] for name, entry in found.items()} == wanted
    for entry in found.values():
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry


def test_no_file_names_a_package_registry():
    """A mirror serves as well: where packages come from is for the machine to say."""
    hosts = rb"py[p]i\.org|python[h]osted|npm[j]s\.|yarn[p]kg|[d]ebian\.org|ana[c]onda\.(org|com)"
    pattern = re.compile(hosts + rb"|[d]ownload\.pytorch|[c]rates\.io")
    ignored = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split()} | {".git"}
    files = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in ignored and "egg-info" not in name]
        files += [Path(folder, name) for name in names]
    assert len(files) > 100
    found = [str(path) for path in files if path.is_file() and pattern.search(path.read_bytes())]
    assert found == []


def test_every_import_is_declared():
    names = packages_distributions()
    declared = {canonicalize_name(one.name) for one in DECLARED}
    missing = {}
    ours = ("book", "course", "grader", "solutions", "tests")
    for path in ROOT.glob("*/**/*.py"):
        if path.relative_to(ROOT).parts[0] not in ours:
            continue
        for name in imports(path.read_text()):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top not in names:
                continue
            owners = {canonicalize_name(owner) for owner in names[top]}
            if not owners & (declared | {PROJECT["name"]}):
                missing.setdefault(top, []).append(str(path.relative_to(ROOT)))
    assert not missing, "add these to pyproject.toml and constraints.txt"
