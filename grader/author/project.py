"""A project of its own for exercises outside of the course: a package that can be installed."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from grader import course, files
from grader.author import scaffold
from grader.errors import UserError

PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1"
requires-python = ">=3.11"
dependencies = ["neural-networks-in-code"]

[project.entry-points."{group}"]
{package} = "{package}"

[tool.setuptools.packages.find]
include = ["{package}*"]

[tool.setuptools.package-data]
"*" = ["index.json", "*.safetensors"]
"""
README = """# {name}

Exercises for *Neural Networks in Code*. Keep this folder from students: it holds the answers.

| Folder | What it holds |
|:--|:--|
| `{package}/solutions` | the answers, a module for each chapter; docstrings state the exercises |
| `{package}/exercises` | the cases of each exercise, and its right and wrong answers |
| `{package}/references` | what `grade record` wrote, for checking |

Prove the exercises here, and use them wherever the course is installed:

```sh
grade record --exercises .
grade audit --exercises .
grade release {slug} --to ../copy --exercises .
grade hidden {slug} --to ../hidden --exercises .
```

After `pip install -e .` in the course's environment, `grade` finds them without `--exercises`.
"""
SOLUTION = '''"""`{slug}`: what it builds, in a few words, and its sources."""

from __future__ import annotations

from torch import Tensor


def {symbol}(input: Tensor) -> Tensor:
    """Say in one line what it computes.

    Args:
        input: (..., D) float.

    Returns:
        (..., D).
    """
    raise NotImplementedError
'''


def new(name: str, folder: Path) -> list[Path]:
    """Write the files of a new exercise outside of the course.

    Args:
        name: ``slug.symbol``. A module that is there already must define the symbol; else one is
            begun with a function of that name.
        folder: of a project; made if it is missing.

    Returns:
        The files.

    Raises:
        UserError: the course has this chapter, the folder holds something else, or the exercise is
            there already; nothing is written.
    """
    slug, symbol = scaffold.parts(name)
    folder = folder.resolve()
    if slug in course.own_chapters():
        raise UserError(f"The course has a chapter {slug} already. Give yours another name.")
    todo: dict[Path, str] = {}
    if (folder / "pyproject.toml").exists():
        package = course.project_in(folder).package
    elif folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty and has no pyproject.toml: name a new folder.")
    else:
        package = re.sub(r"\W", "_", folder.name.lower())
        if not package.isidentifier() or keyword.iskeyword(package):
            raise UserError(f"The package is named as its folder: {package!r} is no name for one.")
        told = {"name": package.replace("_", "-"), "package": package, "slug": slug}
        todo[folder / "pyproject.toml"] = PYPROJECT.format(group=course.GROUP, **told)
        todo[folder / "README.md"] = README.format(**told)
        todo[folder / package / "__init__.py"] = '"""Exercises for Neural Networks in Code."""\n'
    module = course.Project(package, folder / package).module(slug)
    if not module.exists():
        todo[module] = SOLUTION.format(slug=slug, symbol=symbol)
    written = [files.write(path, text) for path, text in todo.items()]
    with course.using(folder):
        return [*written, *scaffold.new(name)[0]]
