"""What is learned from a student's files before anything of them runs.

This happens in a process of its own (`grader.judge.reader`), for nobody knows what a text does to
those who read it. Standard library only.

A module runs whole, as Python would run it. Of a notebook an exercise is given what its
definition reaches: imports, functions, classes and values, by name, in the last version that ran.
A cell that fails costs nothing outside of itself.
"""

from __future__ import annotations

import ast
import base64
import builtins
import contextlib
import hashlib
import io
import json
import re
import signal
import symtable
import sys
import tokenize
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from grader.judge import source

SECONDS = 5.0  # of computing for one text; an honest one takes hundredths
MEMORY = 512 * 2**20  # bytes
SUFFIXES = (".py", ".ipynb")
MODULE = 256 * 2**10  # bytes of Python that run at once; no honest module comes near
NOTEBOOK = 2**20  # bytes in all code cells
GIVEN = {*dir(builtins), "__name__", "__file__", "__doc__", "__builtins__"}
FUTURE = "from __future__ import annotations\n"
RUN = ("%%grade", "%%time", "%%capture", "%%prun")  # cell magics that run Python in the notebook
MAGIC = re.compile(r"\s*(?:[%!?]|[\w.*]+\?\??\s*$|[\w, ]+=\s*[%!])")
DEFINES = re.compile(r"^(?:def|class) +(\w+)|^(\w+) *=", re.MULTILINE)
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp
WAITING = {"function", "type alias", "TypeVar bound"}  # scopes whose names are looked up later
if sys.version_info >= (3, 14):
    WAITING.add("annotation")
ASSIGNMENT = ast.Assign | ast.AnnAssign | ast.AugAssign
Wanted = Mapping[str, tuple[Collection[str], Collection[str]]]
TOO_MUCH = "is nested too deeply, or too large"


class Refusal(Exception):
    """This cannot be read. One sentence for whoever handed it in."""


# ------------------------------------------------------------------------------------- files


def unpack(name: str, slug: str, data: str) -> dict:
    """The text of a module, or the code cells of a notebook.

    Args:
        name: of the file.
        slug: the chapter; an archive is searched for it.
        data: the file in base64.

    Returns:
        ``name``, and ``text`` or ``cells``.
    """
    content = base64.b64decode(data)
    if name.endswith(".zip"):
        name, content = _from_zip(name, slug, content)
    if name.endswith(".py") and len(content) > MODULE:
        raise Refusal(f"{name} is larger than {MODULE // 2**10} KB.")
    if name.endswith(".py"):
        return {"name": name, "text": _lines_ended(_decoded(name, content))}
    return {"name": name, "cells": _cells(name, _decoded(name, content, "utf-8-sig"))}


def _decoded(name: str, content: bytes, encoding: str = "") -> str:
    """The text of a file: in the encoding that a module names in its first lines (PEP 263), as
    Python reads it, or in UTF-8.
    """
    with contextlib.suppress(SyntaxError):  # it names none that is known, or is no text at all
        encoding = encoding or tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    try:
        return content.decode(encoding or "utf-8-sig")
    except (ValueError, LookupError) as error:  # some codecs raise errors of other kinds
        known = encoding and not encoding.startswith("utf-8")
        said = f"text in {encoding}, as it says" if known else "UTF-8 text"
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise Refusal(f"{name} is not {said}{where}. Save it as UTF-8.") from error


def _from_zip(name: str, slug: str, content: bytes) -> tuple[str, bytes]:
    """A chapter's file inside an archive. Nothing is unpacked to disk, whatever its names say."""
    import zipfile  # takes a while, and few hand in archives

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for wanted in (f"{slug}{suffix}" for suffix in SUFFIXES):
                found = [
                    entry
                    for entry in archive.infolist()
                    if PurePosixPath(entry.filename.replace("\\", "/")).name == wanted
                ]
                if len(found) > 1:
                    raise Refusal(f"{name} holds {len(found)} files {wanted}.")
                if found:
                    if found[0].external_attr >> 28 == 0o12:
                        raise Refusal(f"{wanted} in {name} is a link; hand in the file itself.")
                    with archive.open(found[0]) as file:
                        return wanted, file.read(len(content) + NOTEBOOK * 16)
    except Refusal:
        raise
    except MemoryError as error:
        raise Refusal(f"{name} is too large to be unpacked.") from error
    except Exception as error:  # a dozen kinds, from as many libraries
        raise Refusal(f"{name} cannot be read as a zip archive: {error}.") from error
    raise Refusal(f"{name} holds neither {slug}.py nor {slug}.ipynb.")


def _cells(name: str, text: str) -> list[str]:
    try:
        found = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        cells = ["".join(cell["source"]) for cell in found]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refusal(f"{name} is not a Jupyter notebook: {error}.") from error
    if sum(len(cell.encode("utf-8", "replace")) for cell in cells) > NOTEBOOK:
        raise Refusal(f"{name} holds more than {NOTEBOOK // 2**20} MB of code.")
    return cells


def _lines_ended(text: str) -> str:
    """With line feeds alone at the ends of lines, as Python reads it, and without surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode()


# ------------------------------------------------------------------------------------ modules


def study_module(name: str, text: str, wanted: Wanted) -> dict:
    """Read a module.

    Args:
        name: of the file.
        text: Python.
        wanted: symbols of exercises; of each, names that it may not use, and those of all
            exercises of the chapter.

    Returns:
        For each symbol what `grader.judge.submission.Reading` holds.
    """
    text = _lines_ended(text)
    if len(text.encode()) > MODULE:
        raise Refusal(f"{name} is larger than {MODULE // 2**10} KB.")
    try:
        module = source.Module(text)
    except (SyntaxError, ValueError) as error:
        return dict.fromkeys(wanted, _reading(text, error=_syntax(error, text)))
    notebook = _Notebook([text])
    found = {}
    for symbol, (forbidden, needs) in wanted.items():
        try:
            uses = _Taken(notebook, [symbol]).uses(needs)
        except RecursionError:
            uses = []
        found[symbol] = _judged(module, text, symbol, forbidden) | {"uses": uses}
    return found


def _reading(text: str, **more) -> dict:
    nothing = {"fingerprint": "", "shortcut": None, "unwritten": True, "uses": [], "left_out": []}
    return {"text": text, "pieces": [], "error": None, "refused": "", **nothing, **more}


def _judged(module: source.Module, text: str, symbol: str, forbidden: Collection[str]) -> dict:
    """What the source of one exercise shows."""
    own = module.binding.get(symbol, ())[-1:]
    return _reading(
        text,
        fingerprint=hashlib.sha256(module.fingerprint(symbol).encode()).hexdigest(),
        shortcut=next(module.shortcuts(symbol, forbidden), module.way_out),
        unwritten=not own or _unwritten(own[0]),
    )


def _unwritten(node: ast.stmt) -> bool:
    """Does it still raise what skeletons raise?"""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise) and part.exc is not None:
            raised = part.exc.func if isinstance(part.exc, ast.Call) else part.exc
            if source.dotted(raised) == "NotImplementedError":
                return True
    return False


def _syntax(error: Exception, text: str) -> dict:
    """Why a text is no Python, as the worker tells of an exception."""
    lines, line = source.lines_of(text), getattr(error, "lineno", None)
    return {
        "kind": "import",
        "type": "SyntaxError",
        "message": getattr(error, "msg", None) or str(error),
        "line": line,
        "text": lines[line - 1].strip() if line and line <= len(lines) else None,
    }


def stand_in(name: str, text: str, given: Mapping[str, str]) -> dict:
    """Put other definitions in the place of a module's own, or at its end where it has none.

    Args:
        name: of the file.
        text: Python.
        given: for each symbol the text that takes the place of its definition.
    """
    for symbol, other in given.items():
        try:
            text = source.replace(text, symbol, other)
        except LookupError:
            text = f"{text}\n\n{other}"
    return {"text": text}


# ---------------------------------------------------------------------------------- notebooks


def learned(
    name: str, cells: Sequence[str], passed: Sequence[str], others: Collection[str], home: str
) -> dict:
    """What has passed of a file, and all that it needs of it.

    Args:
        name: of the file.
        cells: of a notebook; a module is one.
        passed: exercises.
        others: exercises that have not passed, which are imported in the place of what is there.
        home: the module that has them.

    Returns:
        ``names``, those of the passed that are written here, ``text``, and ``pieces``, where its
        lines come from.
    """
    notebook = _Notebook([_lines_ended(cell) for cell in cells])
    if len(cells) == 1 and notebook.broken:
        told = _syntax(notebook.broken[1], cells[0])
        raise Refusal(f"{name}, line {told['line']}, is no Python: {told['message']}.")
    last = {symbol: there[-1] for symbol, there in notebook.ran.items()}
    for symbol in last.keys() & {*others}:
        text, there = f"from {home} import {symbol}", last[symbol]
        one = _Statement(ast.parse(text).body[0], text, there.cell, there.place, there.future)
        notebook.ran[symbol] = [one]
    names = [one for one in passed if one in last and not _unwritten(last[one].node)]
    text, pieces = _Taken(notebook, names).text() if names else ("", [])
    return {"names": names, "text": text, "pieces": pieces}


def study_notebook(
    name: str,
    cells: Sequence[str],
    wanted: Wanted,
    failed: Sequence[tuple[int, tuple[int, int]]] = (),
) -> dict:
    """Read the code cells of a notebook.

    Args:
        name: of the file.
        cells: in the order in which they stand, or ran.
        wanted: as for a module.
        failed: cells that did not run to their end, counted from 1, and the line and column in
            which each stopped; line 0 where that is not known.

    Returns:
        For each symbol what `grader.judge.submission.Reading` holds.
    """
    notebook = _Notebook([_lines_ended(cell) for cell in cells], dict(failed))
    found = {}
    for symbol, (forbidden, needs) in wanted.items():
        try:
            found[symbol] = _of_notebook(notebook, symbol, forbidden, needs)
        except (MemoryError, RecursionError):
            found[symbol] = _reading("", refused=f"{name} {TOO_MUCH}.")
    return found


def _of_notebook(
    notebook: _Notebook, symbol: str, forbidden: Collection[str], needs: Collection[str]
) -> dict:
    """What is to run for one exercise, and what its source shows."""
    known = notebook.ran.keys() | notebook.unsure.keys()
    if symbol not in known:
        for cell, error in reversed(notebook.broken.items()):
            if symbol in _defined(text := notebook.codes[cell]):
                place = [1, cell, 1, text.count("\n") + 1]
                return _reading(text, pieces=[place], error=_syntax(error, text))
    # near names are looked for among all definitions
    taken = _Taken(notebook, [symbol] if symbol in known else notebook.definitions)
    text, pieces = taken.text()
    if len(text.encode()) > MODULE:
        return _reading("", refused=f"It needs more than {MODULE // 2**10} KB of code.")
    more = {"pieces": pieces, "uses": taken.uses(needs), "left_out": list(taken.left_out())}
    return _judged(source.Module(text), text, symbol, forbidden) | more


@dataclass(eq=False)
class _Statement:
    """One statement at the top level of a cell.

    Attributes:
        node: its syntax tree.
        text: from its first character to its last.
        cell: counted from 1.
        place: its number among all statements.
        future: annotations are not evaluated.
    """

    node: ast.stmt
    text: str
    cell: int
    place: int
    future: bool

    @property
    def line(self) -> int:
        return source.first_line(self.node)

    @cached_property
    def binds(self) -> set[str]:
        return source.binds(self.node)

    @cached_property
    def stores(self) -> set[str]:
        """Names that it gives a new value to, whatever they stood for before."""
        node = self.node
        if isinstance(node, ast.Import):
            return {item.asname for item in node.names if item.asname}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            todo, found = list(getattr(node, "targets", None) or [node.target]), set()
            while todo:
                target = todo.pop()
                if isinstance(target, ast.Name):
                    found.add(target.id)
                elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
                    todo += ast.iter_child_nodes(target)
            return found
        definition = isinstance(node, ast.ImportFrom | ast.AsyncFunctionDef | source.Definition)
        return source.binds(node) if definition else set()

    def changes(self, name: str) -> bool:
        """Does it change in place what this name stands for?"""
        return isinstance(self.node, ASSIGNMENT | ast.Expr) and name not in self.stores

    @cached_property
    def uses(self) -> tuple[set[str], set[str]]:
        """Names outside of it that it needs when it runs, and those needed when it is called.

        Raises:
            SyntaxError: it parses, and is no Python all the same.
        """
        now: set[str] = set()
        later: set[str] = set()
        text = FUTURE * self.future + _outlined(self.node, self.text)
        todo = [(symtable.symtable(text, "cell", "exec"), now)]
        while todo:
            table, found = todo.pop()
            for item in table.get_symbols():
                if item.is_referenced() or item.is_declared_global():
                    if item.is_global() or table.get_type() == "module":
                        found.add(item.get_name())
                    elif table.get_type() == "class":  # its own, or one of the file before
                        later.add(item.get_name())
            for inner in table.get_children():
                waits = inner.get_type() in WAITING and inner.get_name() != "genexpr"
                todo.append((inner, later if waits else found))
        return now, later


def _outlined(node: ast.stmt, text: str) -> str:
    """A statement's text with a generator in the place of each other comprehension.

    Since Python 3.12 (PEP 709) the names of a comprehension stand in the symbol table of what is
    around it, as if they were that one's own; those of a generator never do.
    """
    if not any(isinstance(part, COMPREHENSIONS) for part in ast.walk(node)):
        return text
    return ast.unparse(_Outlined().visit(ast.parse(text)))


class _Outlined(ast.NodeTransformer):
    """Makes generators of comprehensions."""

    def _generator(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        pair = isinstance(node, ast.DictComp)
        made = ast.Tuple([node.key, node.value], ast.Load()) if pair else node.elt
        return ast.GeneratorExp(made, node.generators)

    visit_ListComp = visit_SetComp = visit_DictComp = _generator


class _Notebook:
    """The statements of code cells, and the names that they bind.

    Args:
        cells: Python with magics.
        failed: cells that did not run to their end, and where each stopped.
    """

    def __init__(self, cells: Sequence[str], failed: Mapping[int, tuple[int, int]] | None = None):
        self.failed = failed or {}
        self.codes: dict[int, str] = {}
        self.broken: dict[int, Exception] = {}
        self.ran: dict[str, list[_Statement]] = {}
        self.unsure: dict[str, list[_Statement]] = {}  # nobody knows where their cell failed
        self.never: dict[str, list[_Statement]] = {}  # where a cell had failed by then
        self.definitions: list[str] = []
        trees: dict[int, ast.Module] = {}
        for cell, text in enumerate(cells, 1):
            self.codes[cell], tree = _parsed(text)
            if isinstance(tree, ast.Module):
                trees[cell] = tree
            else:
                self.broken[cell] = tree
        self.future = any(_is_future(node) for tree in trees.values() for node in tree.body)
        place = 0
        for cell, tree in trees.items():
            lines = [line.encode() for line in source.lines_of(self.codes[cell])]
            for node in tree.body:
                if _is_future(node):
                    continue
                place += 1
                text = source.cut(lines, node)
                statement = _Statement(node, text, cell, place, self.future)
                kept, stopped = self.ran, self.failed.get(cell)
                if stopped and tuple(stopped) < (node.end_lineno, node.end_col_offset):
                    kept = self.never if stopped[0] else self.unsure
                for name in statement.binds:
                    kept.setdefault(name, []).append(statement)
                    if _is_definition(node):
                        self.definitions.append(name)


class _Taken:
    """The statements that some names need, in an order in which they run.

    That is the order in which they stand, but for those that need a later version of another.

    Args:
        notebook: where they stand.
        symbols: the names. What one name alone needs at once is taken even if it will fail.
    """

    def __init__(self, notebook: _Notebook, symbols: Sequence[str]):
        self.notebook, self.symbols = notebook, symbols
        self.without: dict[_Statement, str] = {}  # what does not run, and why
        self.names: dict[str, bool] = {}  # does anything give it a value?
        self.stars = notebook.ran.get("*", [])  # may give a value to anything
        self._first: dict[_Statement, list[_Statement]] = {}  # what each needs when it runs
        self._later: dict[_Statement, list[_Statement]] = {}  # what each needs when it is called
        self._open: set[_Statement] = set()
        self._chains: dict[str, list[_Statement]] = {}
        for name in symbols:
            self._need(name)
        self.order = [] if all(self.names.values()) else list(self.stars)
        self._put: set[_Statement] = set()
        self._pulled: set[_Statement] = set()
        for one in sorted(self._first, key=lambda one: one.place):
            if not self._arrange(one):  # all wait for each other
                self._put.add(one)
                self.order.append(one)

    def _need(self, name: str) -> bool:
        """Take what gives a name its value; does anything?"""
        if name not in self.names:
            self.names[name] = True  # what is on its way is there by the time it is called
            given = [self._take(one) for one in self._chain(name)]
            self.names[name] = any(given) or name in GIVEN
        return self.names[name]

    def _chain(self, name: str, before: int = 0) -> list[_Statement]:
        """The last statement that gives a name its value, and those that change it since."""
        if not before and name in self._chains:
            return self._chains[name]
        bound = self.notebook.ran.get(name) or self.notebook.unsure.get(name, [])
        imported = any(isinstance(one.node, ast.Import | ast.ImportFrom) for one in bound)
        chain: list[_Statement] = []
        for one in reversed(bound):
            if before and one.place >= before:
                continue
            if not (imported and one.changes(name)):  # settings of a library are nobody's answer
                chain.append(one)
                if name in one.stores and name not in self._uses(one)[0]:
                    break
        chain.reverse()
        return chain if before else self._chains.setdefault(name, chain)

    def _take(self, one: _Statement) -> bool:
        """Take a statement and what it needs; does it run?"""
        if one not in self._first:
            now, later = self._uses(one)
            self._first[one], self._later[one] = [], []
            self._open.add(one)
            lacking = [name for name in sorted(now) if not self._need_first(one, name)]
            asked = len(self.symbols) == 1 and self.symbols[0] in one.stores
            simple = isinstance(one.node, ASSIGNMENT | ast.Expr | source.Definition)
            if lacking and simple and not asked and not self.stars:
                self.without[one] = f"which does not run without {lacking[0]}"
            for name in sorted(later) if one not in self.without else ():
                self._need(name)
                self._later[one] += self._chain(name)
            self._open.discard(one)
        return one not in self.without

    def _need_first(self, one: _Statement, name: str) -> bool:
        """Take what a statement needs of a name when it runs; is there anything?

        As a rule the last value counts. What changes a name needs the one before, and so does
        ``g = f`` when the ``f`` that follows calls ``g``.
        """
        chain = self._chain(name)
        calls_it = isinstance(one.node, ASSIGNMENT) and chain and chain[-1] in self._open
        if name in one.binds or calls_it:
            earlier = self._chain(name, one.place)
            if earlier:
                self._first[one] += earlier
                return any([self._take(other) for other in earlier])
        self._first[one] += chain
        return self._need(name)

    def _arrange(self, one: _Statement) -> bool:
        """Put a statement after what it needs, and what that may call; False if one waits."""
        if one in self._put or one in self.without:
            return True
        if one in self._open:
            return False
        self._open.add(one)
        first = [other for other in self._first[one] if other is not one]
        ready = all([self._arrange(other) for other in first])
        if ready:
            for other in first:
                self._pull(other)
            self._put.add(one)
            self.order.append(one)
        self._open.discard(one)
        return ready

    def _pull(self, one: _Statement) -> None:
        """Put what may be called through a statement, unless it waits for something."""
        if one not in self._pulled:
            self._pulled.add(one)
            for other in self._later.get(one, ()):
                self._arrange(other)
                self._pull(other)

    def _uses(self, one: _Statement) -> tuple[set[str], set[str]]:
        try:
            return one.uses
        except SyntaxError as error:  # await, for one, which notebooks know at their top level
            self.without[one] = f"which is no Python: {error.msg}"
            return set(), set()

    def uses(self, names: Collection[str]) -> list[str]:
        """Those of these names that are needed."""
        return [name for name in names if name in self.names and name not in self.symbols]

    def text(self) -> tuple[str, list[list[int]]]:
        """A module, and where its lines come from: first line, cell, line in it, how many."""
        parts, pieces, line = [FUTURE.strip()] * self.notebook.future, [], 1 + self.notebook.future
        for one in self.order:
            count = one.text.count("\n") + 1
            pieces.append([line, one.cell, one.line, count])
            parts.append(one.text)
            line += count
        return "\n".join(parts) + "\n", pieces

    def left_out(self) -> Iterator[str]:
        """What is not taken though one might think so, and why."""
        for one, why in self.without.items():
            yield f"cell {one.cell}, line {one.line}, {why}"
        notebook, ran = self.notebook, self.notebook.ran
        for cell, error in notebook.broken.items():
            lost = _defined(notebook.codes[cell]) & self.names.keys()
            later = {name for name in lost & ran.keys() if ran[name][-1].cell > cell}
            if cell not in notebook.failed or lost - later:  # else that cell has told
                told = _syntax(error, notebook.codes[cell])
                where = f" in line {told['line']}" if told["line"] else ""
                yield f"cell {cell}, which is no Python{where}: {told['message']}"
        newer = {
            one.cell
            for name in self.names
            for one in (*notebook.unsure.get(name, ()), *notebook.never.get(name, ()))
            if name not in ran or one.place > ran[name][-1].place
        }
        for cell in sorted(newer):
            line = notebook.failed[cell][0]
            yield f"cell {cell}, from line {line} on, where it failed"


def _parsed(cell: str) -> tuple[str, ast.Module | Exception]:
    """Python alone, each line in its place, and its tree, or why there is none."""
    lines = source.lines_of(cell)
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first].split()[0] not in RUN:
            return "", ast.Module([], [])  # another language, or a file
        lines[first] = ""
    try:
        code = "\n".join(lines)
        return code, ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # a line that begins with % may go on from the last: only now they are magics
    for number, line in enumerate(lines):
        if MAGIC.match(line):
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
    code = "\n".join(lines)
    try:
        return code, ast.parse(code)
    except (SyntaxError, ValueError) as error:
        return code, error
    except (RecursionError, MemoryError):
        return code, ValueError(f"it {TOO_MUCH}")


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_definition(node: ast.stmt) -> bool:
    """A function, a class, or a value that is found without a call."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        calls = ast.Call | ast.Await
        return not any(isinstance(part, calls) for part in ast.walk(node.value))
    return isinstance(node, source.Definition)


def _defined(code: str) -> set[str]:
    """What a text that is no Python seems to define."""
    return {name for names in DEFINES.findall(code) for name in names if name}


TASKS = {
    "unpack": unpack,
    "study_module": study_module,
    "study_notebook": study_notebook,
    "learned": learned,
    "stand_in": stand_in,
}


# ------------------------------------------------------------------------------- the process


def serve() -> None:
    """Answer lines with lines until there are no more."""
    import resource  # here, so that this module can be imported on Windows

    for what, value in (("AS", MEMORY), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (value, value))
    _say({})
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # ends the process when it rings
        name = "It"
        try:
            request = json.loads(line)
            name = request["given"]["name"]
            answer = {"done": TASKS[request["task"]](**request["given"])}
        except Refusal as refusal:
            answer = {"refused": str(refusal)}
        except (MemoryError, RecursionError):
            answer = {"refused": f"{name} {TOO_MUCH}."}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        _say(answer)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _say(answer: dict) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
