"""The files of a new exercise, to be filled in: they name what each place is for."""

from __future__ import annotations

import ast
import keyword
from pathlib import Path

from grader import course, files
from grader.author import catalog
from grader.errors import UserError, unknown
from grader.judge import source, syntax

TITLE = "What is built, in a few words"
SECTION = '"anchor",  # (anchor)= stands above a heading of book/{slug}.md'
ADDRESS = '"",  # https://... of a page that explains it, if there is one'
HINT = "One or two sentences that help without giving the answer."
WHY = "What was done, and why it is wrong, to someone who believes that it is right."
EXERCISE = '''"""`{slug}.{symbol}`: what is built, in a few words."""

from __future__ import annotations

from grader.author.exercise import {imports}

EXERCISE = Exercise(
    title="{title}",
    section={section}
    cases=(
        # Every dimension another prime; negative, large and tiny values; each argument at least
        # once. `grade audit` says what is not tried yet. What one forgets at first: corner=True.
        Case("a batch", lambda rng: {made}, 2, grad=()),
        Case("a batch in float32", lambda rng: {made}, dtype="float32"),{fresh}
        Case("what only instructors see", lambda rng: {made}, hidden=True),
    ),
    hint="{hint}",
    forbidden=(),  # names that would do the work: "F.softmax", "nn.Linear", "Tensor.softmax"
    needs=(),  # other symbols of the chapter that the right answer may call
)
'''

FRESH = """
        Case("as it is made", lambda rng: Call(args={{}}, init={init}), probe="fresh"),"""

ANSWERS = '''"""Right and wrong answers to `{slug}.{symbol}`."""

{imports}

from grader.author.answers import right, wrong


@right
{by_another_road}


@right
{by_a_third_road}


# A mistake of one line is a change of the solution; each text stands there exactly once.
wrong(
    "what_was_done",
    why="{why}",
    change={{"text in solutions/{slug}.py": "what people write in its place"}},
)


# A longer one is written out. Three known mistakes are the least.
@wrong(why="{why}")
{what_else_was_done}
'''

BOX = """:::{{exercise}} Title of the exercise
:label: {label}

What to write, why it matters, and what to watch for.
:::
"""


def new(name: str) -> tuple[list[Path], str]:
    """Write the files of a new exercise.

    Args:
        name: ``slug.symbol`` of a function or class that stands in ``solutions/<slug>.py``.

    Returns:
        The files, and the box for the chapter's page.

    Raises:
        UserError: no such chapter or symbol, or an exercise that is there already; nothing is
            written.
    """
    slug, symbol, text = _solution(name)
    folder = catalog.folder(slug)
    others = {other.casefold() for other in catalog.files(slug) if other != symbol}
    stem = f"{symbol}_layer" if symbol.casefold() in others else symbol
    paths = folder / f"{stem}.py", folder / f"{stem}{catalog.ANSWERS}.py"
    for path in paths:
        if path.exists():
            raise UserError(f"{path} is there already.")
    exercise, answers = _texts(slug, symbol, text)
    first = folder / "__init__.py"
    written = []
    if not first.exists():
        written.append(files.write(first, f'"""Shared parts of the exercises of `{slug}`."""\n'))
    written += [
        files.write(path, made) for path, made in zip(paths, (exercise, answers), strict=True)
    ]
    return written, BOX.format(id=f"{slug}.{symbol}", label=f"{slug}.{stem}")


def parts(name: str) -> tuple[str, str]:
    """The chapter and the symbol that an exercise's name consists of.

    Raises:
        UserError: it consists of something else.
    """
    slug, _, symbol = name.partition(".")
    if not (slug.isidentifier() and symbol.isidentifier()) or keyword.iskeyword(symbol):
        raise UserError(f"{name!r} names no exercise. Write: SLUG.SYMBOL, as in linear.softmax")
    return slug, symbol


def _solution(name: str) -> tuple[str, str, str]:
    """The chapter, the symbol and the text of the module that holds its solution."""
    slug, symbol = parts(name)
    text = course.solution(slug)
    public = [
        node.name
        for node in ast.parse(text).body
        if isinstance(node, syntax.Definition) and not node.name.startswith("_")
    ]
    if symbol not in public:
        raise UserError(
            f"{unknown(f'public function or class of solutions/{slug}.py', symbol, public)} "
            f"An exercise begins with its answer: write {symbol} there first."
        )
    return slug, symbol, text


def _texts(slug: str, symbol: str, text: str) -> tuple[str, str]:
    """An exercise and its answers, to be filled in."""
    node = syntax.definition(text, symbol)
    module = isinstance(node, ast.ClassDef)
    names = _places(node, "__init__")
    inputs = f"Call(args={_places(node, 'forward')}, init={names})" if module else names
    exercise = EXERCISE.format(
        slug=slug,
        symbol=symbol,
        title=TITLE,
        section=ADDRESS if course.project(slug) else SECTION.format(slug=slug),
        hint=HINT,
        imports="Call, Case, Exercise" if module else "Case, Exercise",
        made=inputs,
        fresh=FRESH.format(init=names) if module else "",
    )
    skeleton = source.blank(text, {symbol})
    heads = {
        road: _bare(source.renamed(skeleton, syntax.definition(skeleton, symbol), road).rstrip())
        for road in ("by_another_road", "by_a_third_road", "what_else_was_done")
    }
    imports = "import torch\nfrom torch import nn" if module else "import torch"
    return exercise, ANSWERS.format(slug=slug, symbol=symbol, imports=imports, why=WHY, **heads)


def _places(node: syntax.Definition, method: str) -> str:
    """The arguments of a call, to be filled in."""
    return "{" + ", ".join(f'"{name}": ...' for name in _parameters(node, method)) + "}"


def _parameters(node: syntax.Definition, method: str) -> list[str]:
    """Parameters that a call of a function, or of this method of a class, has to give."""
    parts = node.body if isinstance(node, ast.ClassDef) else [node]
    functions = [part for part in parts if isinstance(part, ast.FunctionDef)]
    called = [part for part in functions if part is node or part.name == method]
    if not called:
        return []
    given = called[0].args
    plain = [*given.posonlyargs, *given.args]
    needed = plain[: len(plain) - len(given.defaults)]
    needed += [
        parameter
        for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is None
    ]
    return [parameter.arg for parameter in needed if parameter.arg != "self"]


def _bare(text: str) -> str:
    """The head of an answer: what the statement says already, types too, is not said again."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, syntax.Definition) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree)
