"""Reading and rewriting Python source by its syntax tree: skeletons, known mistakes, shortcuts."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

Definition = ast.FunctionDef | ast.ClassDef
IMPORTS = ast.Import | ast.ImportFrom
LINE = 100  # characters, as everywhere in this project
BLANK = "raise NotImplementedError"
SHORT = {"F": "torch.nn.functional", "nn": "torch.nn", "Tensor": "torch.Tensor"}
CHANGING = {  # methods of lists, sets and dictionaries
    *("append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear"),
    *("add", "discard", "update", "setdefault"),
}
ANSWERS = ("right", "wrong")  # decorators of answers

# What leads out of a module, to the grader's process around it or behind torch's functions: no
# answer needs it. Names that are given by imports, and attributes of anything.
WORKER = Path(__file__).resolve().parents[1] / "enclose" / "worker"
WORKERS = {path.stem for path in WORKER.glob("[!_]*.py")}
OUTSIDE = WORKERS | {"ctypes", "cffi", "importlib", "runpy", "pkgutil", "__main__"}
OUTSIDE |= {"pydoc", "timeit", "trace", "bdb", "pdb", "doctest"}  # import, or run texts
LEADS_OUT = """
sys.modules sys._getframe sys._current_frames sys.settrace sys.setprofile sys.meta_path
sys.path_hooks threading.settrace threading.setprofile gc.get_objects gc.get_referrers
gc.get_referents inspect.stack inspect.currentframe inspect.trace inspect.getouterframes
inspect.getinnerframes builtins.eval builtins.exec builtins.__import__
torch.ops torch.library torch.jit torch.overrides
"""
LEADS_OUT = frozenset(LEADS_OUT.split())
MODULES = {name.partition(".")[0] for name in LEADS_OUT} - {"torch"} | OUTSIDE
FRAMES = """
f_back f_locals f_globals f_builtins tb_frame gi_frame cr_frame ag_frame __globals__ __builtins__
__subclasses__ __code__ __closure__ _getframe _current_frames settrace setprofile get_objects
get_referrers get_referents currentframe
"""
FRAMES = frozenset(FRAMES.split())
BUILTINS = "eval exec compile __import__ __builtins__"
BUILTINS = frozenset(BUILTINS.split())
STANDARD = MODULES - WORKERS  # other modules have them as attributes: os.sys
BINDING = {"setattr", "update", "setdefault", "__setitem__", "__setattr__", "__ior__"}
NAMING = ("attr", "arg", "value")  # where parts of a syntax tree hold names that are no variables
IN_TEXT = FRAMES | {"__builtins__", "__import__"}  # no text names them by chance
HEAD = re.compile(rb"(?:def|class)\s+([^\s(:]+)")  # of a definition at the top


def lines_of(text: str) -> list[str]:
    """Lines as Python counts them: only a line feed ends one, whatever Unicode thinks."""
    return text.removesuffix("\n").split("\n")


def definition(source: str, symbol: str) -> Definition:
    """The top-level function or class of that name; the last one wins, as at run time.

    Raises:
        LookupError: the source defines no such function or class.
    """
    for node in reversed(ast.parse(source).body):
        if isinstance(node, Definition) and node.name == symbol:
            return node
    raise LookupError(f"no function or class {symbol!r}")


def text_of(source: str, symbol: str) -> str:
    """The source text of one definition, decorators included."""
    node = definition(source, symbol)
    return "\n".join(lines_of(source)[first_line(node) - 1 : node.end_lineno]) + "\n"


def replace(source: str, symbol: str, text: str) -> str:
    """Put other text in the place of a definition."""
    node = definition(source, symbol)
    lines = lines_of(source)
    new = textwrap.dedent(text).strip("\n")
    lines[first_line(node) - 1 : node.end_lineno] = lines_of(new)
    return "\n".join(lines) + "\n"


def needed(source: str, symbol: str) -> list[ast.stmt]:
    """What a definition needs of its file, itself last: imports, constants, definitions."""
    module = Module(source)
    reached = module.reachable(symbol)
    used = {part.id for part in _walk(reached) if isinstance(part, ast.Name)}
    own = definition(source, symbol)
    found = [
        node
        for node in module.tree.body
        if used.intersection(binds(node)) and symbol not in binds(node)
    ]
    return [*found, own]


def portion(source: str, symbol: str, without: Collection[str]) -> str:
    """The text of a definition and of what it needs, but for other names that are asked for."""
    lines = [line.encode() for line in lines_of(source)]
    *others, own = needed(source, symbol)
    kept = [node for node in others if not binds(node).intersection(without)]
    return "\n\n\n".join(cut(lines, node) for node in [*kept, own]) + "\n"


def part(source: str, names: Collection[str]) -> str:
    """The statements of a file that give these names a value, and all that they need of it."""
    module = Module(source)
    kept = {id(node) for node in module.reachable("annotations", *names)}  # of __future__
    told = zip(module.tree.body, module.texts, strict=True)
    return "\n\n\n".join(text for node, text in told if id(node) in kept) + "\n"


def renamed(source: str, node: Definition, symbol: str) -> str:
    """The text of a definition under another name, without the decorators of answers."""
    lines = [line.encode() for line in lines_of(source)]  # columns count bytes
    uses = [
        (part.lineno, part.col_offset, part.end_col_offset)
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id == node.name
    ]
    head = HEAD.match(lines[node.lineno - 1])
    uses.append((node.lineno, *head.span(1)))
    for line, start, end in sorted(uses, reverse=True):  # those before it in the line stay put
        old = lines[line - 1]
        lines[line - 1] = old[:start] + symbol.encode() + old[end:]
    return undecorated(b"\n".join(lines).decode(), node)


def undecorated(source: str, node: ast.stmt) -> str:
    """The text of a statement without the decorators of answers; others stay."""
    drop: set[int] = set()
    for item in getattr(node, "decorator_list", ()):
        called = item.func if isinstance(item, ast.Call) else item
        if dotted(called) in ANSWERS:
            drop.update(range(item.lineno, item.end_lineno + 1))
    kept = range(first_line(node), node.end_lineno + 1)
    lines = lines_of(source)
    return "\n".join(lines[number - 1] for number in kept if number not in drop)


def change(source: str, symbol: str, changes: Mapping[str, str]) -> str:
    """Apply small textual changes inside one definition.

    Raises:
        LookupError: a text to change does not stand there exactly once.
    """
    text = text_of(source, symbol)
    for old, new in changes.items():
        if text.count(old) != 1:
            raise LookupError(
                f"{old!r} stands {text.count(old)} times in {symbol!r}, expected once"
            )
        text = text.replace(old, new)
    return replace(source, symbol, text)


def skeleton(source: str, symbols: Collection[str], home: str) -> str:
    """A chapter's exercises as `blank` leaves them, and of the rest what they need: imports,
    constants that fit on a line, and what calls an exercise in its turn.

    Other public definitions that they need are imported; private ones are part of the answers.

    Args:
        source: the chapter's module.
        symbols: its exercises.
        home: the module that has the rest, ``course.linear`` for example.
    """
    module, lines = Module(source), lines_of(source)
    kept, used, given = _beside(module, symbols)
    ours = {home: given} if given else {}
    imports = [node for node in module.tree.body if isinstance(node, IMPORTS)]
    for node in imports:
        if _package(node) == "course" and (names := _told(node, used)):
            ours[node.module] = names
    block = [line for name in sorted(ours) for line in _import_lines(name, ours[name])]
    found, end = list[str](), 0
    for node in module.tree.body:
        first, new = first_line(node), list[str]()
        between, end = lines[end : first - 1], node.end_lineno
        if isinstance(node, Definition) and node.name in symbols:
            new = _blank_lines(node, lines)
        elif isinstance(node, ast.ImportFrom) and _package(node) not in ("course", "__future__"):
            if names := _told(node, used):
                new = _import_lines(node.module, names)
        elif (
            node is module.tree.body[0]
            or id(node) in kept
            or _package(node) == "__future__"
            or (isinstance(node, ast.Import) and _told(node, used))
        ):
            new = lines[first - 1 : end]
        while not new and between and between[-1].startswith("#"):  # a comment on what goes
            between.pop()
        found += [*between, *new]
        if node is imports[-1] and block:
            found = [*lines_of("\n".join(found).rstrip("\n")), "", *block]
    return re.sub(r"(?<=\n)# .*\n+(?=# |\Z)", "", tidy("\n".join(found))) + "\n"


def _beside(module: Module, symbols: Collection[str]) -> tuple[set[int], set[str], list[str]]:
    """What a skeleton has beside its exercises: the statements that stay, all names that are
    used, and those to import.
    """
    asked, kept, used, given = {*symbols}, set[int](), set[str](), set[str]()
    answers = [node for node in module.tree.body if binds(node) & asked]
    todo, seen = [(name, False) for name in _names_in(answers)], set[tuple[str, bool]]()
    while todo:
        name, stays = todo.pop()
        used.add(name)
        nodes = () if (name, stays) in seen else module.binding.get(name, ())
        seen.add((name, stays))
        for node in nodes:
            if isinstance(node, IMPORTS) or node in answers:
                continue
            needs = _names_in([node])
            private = all(map(_private, binds(node)))
            own = {one for one in needs if not _is_imported(module, one)} - binds(node)
            short = node.lineno == node.end_lineno and not own
            calls = any(other in answers for other in module.reachable(name))
            if short or (stays if private else calls):
                kept.add(id(node))
                todo += [(one, True) for one in needs]
            elif private:
                todo += [(one, False) for one in needs]
            else:
                given.add(name)
    return kept, used, sorted(given)


def _names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {part.id for part in _walk(nodes) if isinstance(part, ast.Name)}


def _is_imported(module: Module, name: str) -> bool:
    """Is it none of the names that the file itself gives a value to?"""
    return all(isinstance(node, IMPORTS) for node in module.binding.get(name, ()))


def _package(node: ast.stmt) -> str:
    """``a`` of ``from a.b import c``; nothing of other statements."""
    return (getattr(node, "module", None) or "").partition(".")[0]


def _told(node: ast.Import | ast.ImportFrom, used: Collection[str]) -> list[str]:
    """What an import says of the names that are used."""
    items = [one for one in node.names if (one.asname or one.name.partition(".")[0]) in used]
    return [f"{one.name} as {one.asname}" if one.asname else one.name for one in items]


def _import_lines(module: str, names: Sequence[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= LINE:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def blank(source: str, symbols: Collection[str]) -> str:
    """The skeleton: the named definitions keep signature and docstring and lose their bodies.

    Private definitions and constants at the top level (``_name``) are part of the answer and go,
    unless something that stays needs them.
    """
    tree = ast.parse(source)
    lines = lines_of(source)
    private = {
        id(node): set(names)
        for node in tree.body
        if (names := _names(node)) and all(map(_private, names))
    }
    answers = {id(n) for n in tree.body if isinstance(n, Definition) and n.name in symbols}
    kept = [node for node in tree.body if id(node) not in private and id(node) not in answers]
    for node in kept:  # grows while private helpers of helpers are found
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        kept += [n for n in tree.body if private.get(id(n), set()) & used and n not in kept]
    needed = {id(node) for node in kept}
    for node in reversed(tree.body):
        if id(node) in private and id(node) not in needed:
            del lines[first_line(node) - 1 : node.end_lineno]
        elif isinstance(node, Definition) and node.name in symbols:
            lines[first_line(node) - 1 : node.end_lineno] = _blank_lines(node, lines)
    return tidy("\n".join(lines)) + "\n"


def parts(source: str, symbols: Collection[str]) -> Iterator[tuple[str | None, str]]:
    """A file cut before and after each of the named definitions.

    Yields:
        Each piece in order: the symbol (None for what stands between two), and its text.
    """
    lines, between = lines_of(source), []
    at = 0
    for node in ast.parse(source).body:
        if isinstance(node, Definition) and node.name in symbols:
            between += lines[at : first_line(node) - 1]
            if text := tidy("\n".join(between)).strip("\n"):
                yield None, text
            yield node.name, "\n".join(lines[first_line(node) - 1 : node.end_lineno])
            between, at = [], node.end_lineno
    if text := tidy("\n".join(lines[at:])).strip("\n"):
        yield None, text


def fingerprint(source: str, symbol: str) -> str:
    """What a definition's result can depend on: equal texts of this, equal results.

    That is the definition, every statement that is no definition, and all they refer to.
    """
    try:
        return Module(source).fingerprint(symbol)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source


def tidy(text: str) -> str:
    """At most two blank lines in a row, none at the end."""
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text.rstrip("\n")


def shortcuts(source: str, symbol: str, forbidden: Collection[str]) -> Iterator[tuple[str, int]]:
    """Forbidden names that a definition uses, itself or through others of the same file.

    Args:
        source: the student's file.
        symbol: the exercise's definition in it.
        forbidden: ``"F.softmax"``, ``"nn.Linear"``, ``"torch.softmax"`` or, for a method of
            tensors, ``"Tensor.softmax"``.

    Yields:
        Each name that is used, and the line.
    """
    return Module(source).shortcuts(symbol, forbidden)


class Module:
    """A file, parsed once; all that is asked of it takes time in proportion to its length."""

    def __init__(self, source: str):
        self.tree = ast.parse(source)
        self.binding: dict[str, list[ast.stmt]] = {}
        for node in self.tree.body:
            for name in binds(node):
                self.binding.setdefault(name, []).append(node)
        self._source = source

    @cached_property
    def texts(self) -> list[str]:
        """The text of each statement at the top level, decorators included."""
        lines = [line.encode() for line in lines_of(self._source)]
        return [cut(lines, node) for node in self.tree.body]

    def reachable(self, *symbols: str) -> list[ast.stmt]:
        """The top-level statements that bind these names, or names that those refer to."""
        found: dict[int, ast.stmt] = {}
        todo, seen = list(symbols), set()
        while todo:
            name = todo.pop()
            for node in () if name in seen else self.binding.get(name, ()):
                if id(node) not in found:
                    found[id(node)] = node
                    todo += {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            seen.add(name)
        return list(found.values())

    def fingerprint(self, *symbols: str) -> str:
        """As `fingerprint`, of several definitions together."""
        loose, names = self._loose
        kept = loose | {id(node) for node in self.reachable(*symbols, *names)}
        told = zip(self.tree.body, self.texts, strict=True)
        return "\n".join(text for node, text in told if id(node) in kept)

    @cached_property
    def _loose(self) -> tuple[set[int], set[str]]:
        """The statements that are no definitions, and the names in them."""
        loose = [node for node in self.tree.body if not isinstance(node, Definition)]
        names = {part.id for part in _walk(loose) if isinstance(part, ast.Name)}
        return {id(node) for node in loose}, names

    def shortcuts(self, symbol: str, forbidden: Collection[str]) -> Iterator[tuple[str, int]]:
        """As `shortcuts`."""
        if not forbidden:
            return
        wanted = {full_name(name): name for name in forbidden}
        meanings = _Meanings(wanted, self._imported, self._assigned)
        stars = self.binding.get("*", [])
        own = [n for n in self.binding.get(symbol, stars)[-1:] if not isinstance(n, Definition)]
        for name, nodes in ((symbol, own), ("*", stars)):  # an answer may be an import alone
            used = sorted(meanings.names.get(name, set()) & wanted.keys())
            for node in _walk(nodes) if used else ():
                if isinstance(node, ast.ImportFrom):
                    yield wanted[used[0]], node.lineno
        last = {name.rpartition(".")[2]: name for name in forbidden}
        for node in _walk([*self.reachable(symbol), *self._by_text.get(symbol, ())]):
            if isinstance(node, ast.MatchClass):
                yield from ((last[name], node.lineno) for name in node.kwd_attrs if name in last)
            if not isinstance(node, ast.Attribute | ast.Name | ast.Call):
                continue
            meant, attribute = meanings.of(node), _attribute(node)
            if attribute and isinstance(node, ast.Call):  # as in getattr(F, "softmax")
                meant = meanings.along(meanings.of(attribute[0]), [attribute[1]])
            method = f"Tensor.{attribute[1]}" if attribute and not meant else ""
            if used := sorted(meant & wanted.keys()):
                yield wanted[used[0]], node.lineno
            elif method in forbidden and attribute[1] not in self._methods:
                yield method, node.lineno

    @cached_property
    def _by_text(self) -> dict[object, list[ast.stmt]]:
        """The statements that bind a name by a text: ``globals()["name"] = f``."""
        found: dict[object, list[ast.stmt]] = {}
        for node in self.tree.body:
            for part in () if isinstance(node, Definition) else ast.walk(node):
                inner: list[ast.AST] = []
                if isinstance(getattr(part, "ctx", None), ast.Store):
                    inner = [part, *ast.iter_child_nodes(part)]
                elif isinstance(part, ast.Call) and _called(part) in BINDING:
                    inner = [*_walk([*part.args, *part.keywords])]
                elif isinstance(part, ast.AugAssign):
                    inner = [*ast.walk(part.value)]
                for one in inner:
                    name = getattr(one, "attr", getattr(one, "arg", getattr(one, "value", None)))
                    if isinstance(name, str):
                        found.setdefault(name, []).append(node)
        return found

    def leads_out(self) -> Iterator[tuple[str, int]]:
        """Uses of what no answer needs, anywhere in the file, and the line."""
        private = {full for _, full in self._imported if re.match(r"torch\._[^_]", full)}
        inside = {full for _, full in self._imported if full.partition(".")[0] in OUTSIDE}
        wanted = LEADS_OUT | OUTSIDE | private | inside
        through = {  # as in s = os.sys
            (target, path[-1].strip("_"))
            for target, _, path in self._assigned
            if path and path[-1].strip("_") in STANDARD
        }
        meanings = _Meanings(wanted, self._imported | through, self._assigned, bare=False)
        held: set[int] = set()  # what an attribute is looked up in
        for node in _walk(self._that_runs):
            if attribute := _attribute(node):
                value, name = attribute
                held.add(id(value) if isinstance(node, ast.Attribute) else 0)
                of = meanings.of(value)
                if isinstance(value, ast.Attribute) and not of:  # as in os.sys.modules
                    of = {value.attr.strip("_")} & STANDARD
                inner = name.strip("_") in STANDARD and self._is_imported(value)
                if name in FRAMES:
                    yield name, node.lineno
                elif inner and (id(node) not in held or isinstance(node, ast.Call)):
                    yield name.strip("_"), node.lineno
                elif "torch" in of and re.match(r"_[^_]", name):
                    yield f"torch.{name}", node.lineno
                elif of and name == "__dict__":
                    yield f"{dotted(value)}.__dict__", node.lineno
                elif used := sorted(meanings.along(of, [name]) & wanted):
                    yield used[0], node.lineno
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                of = meanings.of(node)
                if used := sorted(of & (wanted if id(node) in held else wanted | MODULES)):
                    yield used[0], node.lineno
                elif node.id in BUILTINS and not (
                    node.id in self._own[0] or id(node) in self._own[1]
                ):
                    yield node.id, node.lineno
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if node.value in LEADS_OUT or IN_TEXT.intersection(node.value.split(".")):
                    yield node.value, node.lineno
            elif isinstance(node, ast.MatchClass):
                for name in node.kwd_attrs:
                    if name in FRAMES or name.strip("_") in STANDARD:
                        yield name, node.lineno
            elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
                if any(item.name == "*" for item in node.names):
                    yield f"{node.module}.*", node.lineno
            elif isinstance(node, ast.Call) and dotted(node.func) == "vars":
                for value in node.args:
                    if meanings.of(value):
                        yield f"vars({dotted(value)})", node.lineno

    @cached_property
    def way_out(self) -> tuple[str, int] | None:
        """The first of `leads_out`; it is the same for all exercises of a file."""
        return next(self.leads_out(), None)

    @cached_property
    def _that_runs(self) -> list[ast.stmt]:
        """The statements at the top level, without what is for the command line alone."""
        found = []
        for node in self.tree.body:
            if isinstance(node, ast.If) and _is_main(node.test) and not self._is_renamed:
                found += node.orelse
            else:
                found.append(node)
        return found

    def _is_imported(self, node: ast.expr) -> bool:
        """Does it begin with a name that an import gives?"""
        head, _ = _chain(node)
        return isinstance(head, ast.Name) and head.id in {name for name, _ in self._imported}

    @cached_property
    def _is_renamed(self) -> bool:
        """Does anything here give ``__name__`` another value, so that it may be "__main__"?"""
        naming = (*NAMING, "id", "name", "asname", "rest")
        return any(
            "__name__" in [getattr(node, which, None) for which in naming]
            for node in ast.walk(self.tree)
            if not isinstance(getattr(node, "ctx", None), ast.Load)
        )

    @cached_property
    def _methods(self) -> set[str]:
        """Names of functions that classes of this file have."""
        classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        body = [part for node in classes for part in node.body]
        own = [node for node in _walk(body) if isinstance(node, ast.Attribute)]
        return {part.name for part in body if isinstance(part, ast.FunctionDef)} | {
            node.attr for node in own if isinstance(node.ctx, ast.Store)
        }

    @cached_property
    def _own(self) -> tuple[set[str], set[int]]:
        """Builtins that this file defines anew, and names of such in functions that do so."""
        imported = {name for name, _ in self._imported}
        top = {
            name
            for name in BUILTINS
            for node in self.binding.get(name, ())
            if isinstance(node, Definition) or name in imported or name not in _loaded([node])
        }
        inside: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                body = node.body if isinstance(node.body, list) else [node.body]
                names = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
                parts = [part for part in _walk(body) if isinstance(part, ast.Name)]
                names |= {part.id for part in parts if isinstance(part.ctx, ast.Store)}
                inside |= {id(part) for part in parts if part.id in names & BUILTINS}
        return top, inside

    @cached_property
    def _imported(self) -> set[tuple[str, str]]:
        """Names that are imported anywhere, and what of: ``("F", "torch.nn.functional")``."""
        found = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    name = item.asname or item.name.partition(".")[0]
                    found.add((name, item.name if item.asname else name))
            elif isinstance(node, ast.ImportFrom) and node.module:
                for item in node.names:
                    module = item.name.strip("_")  # as in: from os import sys
                    full = module if module in STANDARD else f"{node.module}.{item.name}"
                    found.add((item.asname or item.name, full))
        return found

    @cached_property
    def _assigned(self) -> list[tuple[str, str, list[str]]]:
        """``a = b.c.d``, anywhere, as ``("a", "b", ["c", "d"])``."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute | ast.Name):
                head, path = _chain(node.value)
                if isinstance(head, ast.Name):
                    targets = (item for item in node.targets if isinstance(item, ast.Name))
                    found += [(item.id, head.id, path) for item in targets]
        return found


class _Meanings:
    """Which names of torch an expression may stand for: ``G.softmax`` after ``G = F``.

    A name may be bound several times, and any of them counts. Names that lead to no wanted one
    are not told apart, so that what is kept stays small however long or many the names are.

    Args:
        wanted: full names.
        imported: as in `Module`.
        assigned: as in `Module`.
        bare: whether a name that nothing imports stands for a module of that name.
    """

    OTHER = "torch."  # something of torch that is not wanted, nor on the way to what is

    def __init__(
        self, wanted: Collection[str], imported: Iterable, assigned: Iterable, *, bare: bool = True
    ):
        self.bare = bare
        self.wanted = set(wanted) if bare else set()
        parts = [name.split(".") for name in wanted]
        self.stems = {".".join(some[:n]) for some in parts for n in range(1, len(some) + 1)}
        longest = max(map(len, parts))
        self.names: dict[str, set[str]] = {}
        self._known: dict[int, set[str]] = {}
        self.around = {name.rpartition(".")[0] for name in wanted} if bare else set()
        for name, full in imported:
            head, *path = full.split(".")
            if full in self.stems or head == "torch":
                stems = {full} if full in self.stems else self.along({head}, path)
                self.names.setdefault(name, set()).update(stems)
                for one in (some[-1] for some in parts) if name == "*" else ():
                    self.names.setdefault(one, set()).update(self.along(stems, [one]))
        follow: dict[str, list[tuple[str, list[str]]]] = {}
        for target, head, path in assigned:
            follow.setdefault(head, []).append((target, path[: longest + 1]))
        todo = list(follow)
        while todo:
            name = todo.pop()
            for target, path in follow.get(name, ()):
                new = self.along(self._name(name), path) - self.names.get(target, set())
                if new:
                    self.names.setdefault(target, set()).update(new)
                    todo.append(target)

    def of(self, node: ast.expr) -> set[str]:
        """The names that it may stand for; empty when it is nothing of torch."""
        chain = []
        while isinstance(node, ast.Attribute) and id(node) not in self._known:
            chain.append(node)
            node = node.value
        found = self._known.get(id(node), set())
        if isinstance(node, ast.Name):
            found = self._name(node.id)
        for part in reversed(chain):
            found = self._known[id(part)] = self.along(found, [part.attr])
        return found

    def _name(self, name: str) -> set[str]:
        bare = {name} & self.stems if self.bare else set()
        return self.names.get(name, set()) | bare

    def along(self, found: set[str], path: list[str]) -> set[str]:
        """What attributes of these stand for."""
        for attribute in path:
            longer = {f"{stem}.{attribute}" for stem in found}
            inside = found & (self.around | self.wanted)  # as in torch.optim.adam.Adam
            other = {self.OTHER, *inside} if longer - self.stems else set()
            found = longer & self.stems | other
        return found


def _is_main(test: ast.expr) -> bool:
    """``__name__ == "__main__"``"""
    if not isinstance(test, ast.Compare) or [*map(type, test.ops)] != [ast.Eq]:
        return False
    names = {dotted(side) for side in (test.left, *test.comparators)}
    texts = {_text(side) for side in (test.left, *test.comparators)}
    return (names, texts) == ({"__name__", ""}, {"__main__", ""})


def _attribute(node: ast.AST) -> tuple[ast.expr, str] | None:
    """What an attribute is looked up in, and its name: ``a.b``, ``getattr(a, "b" + "c")``."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and dotted(node.func) == "getattr" and len(node.args) > 1:
        name = _text(node.args[1])
        return (node.args[0], name) if name else None
    return None


def _text(node: ast.expr) -> str:
    """A string that stands in the source, in one piece or as a sum of some; else nothing."""
    parts, todo = [], [node]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            todo += [node.right, node.left]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts.append(node.value)
        else:
            return ""
    return "".join(parts)


def _loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """Names whose value is asked for."""
    names = (part for part in _walk(nodes) if isinstance(part, ast.Name))
    return {part.id for part in names if isinstance(part.ctx, ast.Load)}


def _called(node: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for such an expression, else nothing."""
    head, path = _chain(node)
    return ".".join([head.id, *path]) if isinstance(head, ast.Name) else ""


def full_name(name: str) -> str:
    """``"F.softmax"`` as torch itself calls it: ``torch.nn.functional.softmax``."""
    head, dot, rest = name.partition(".")
    return SHORT.get(head, head) + dot + rest


def binds(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement gives a value to, or whose value it changes in place."""
    found: set[str] = set()
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, Definition | ast.AsyncFunctionDef):
            found.add(node.name)  # its body is a scope of its own
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {item.asname or item.name.partition(".")[0] for item in node.names}
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Starred):
            if isinstance(node.ctx, ast.Store) and (name := _head(node)):
                found.add(name)
            todo += [] if isinstance(node, ast.Name) else [node.value]
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            walrus = (part for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
            found |= {part.target.id for part in walrus}
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
            todo += ast.iter_child_nodes(node)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
            todo += ast.iter_child_nodes(node)
        elif isinstance(node, ast.Expr) and (name := _changed_by_call(node.value)):
            found.add(name)
        elif isinstance(node, ast.AnnAssign) and node.value is None:
            continue
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return found


def _head(node: ast.expr) -> str:
    """``a`` of ``a``, ``a.b`` and ``a[0].c``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _changed_by_call(node: ast.expr) -> str:
    """``a`` of ``a.append(3)`` and of ``a.zero_()``, which tensors have."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method = node.func.attr
        if method in CHANGING or (method.endswith("_") and not method.startswith("_")):
            return node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    return ""


def _chain(node: ast.expr) -> tuple[ast.expr, list[str]]:
    """What ``a.b.c`` begins with, and the attributes that follow."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return node, path[::-1]


def cut(lines: list[bytes], node: ast.stmt) -> str:
    """The text of a statement, decorators included; columns count bytes."""
    first, last = first_line(node) - 1, node.end_lineno - 1
    start = node.col_offset if first == node.lineno - 1 else 0
    if first == last:
        return lines[first][start : node.end_col_offset].decode()
    inner, end = lines[first + 1 : last], lines[last][: node.end_col_offset]
    return b"\n".join([lines[first][start:], *inner, end]).decode()


def _walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)


def first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _names(node: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(node, Definition):
        return [node.name]
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    parts = [part for target in targets if target for part in ast.walk(target)]
    return [p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)]


def _blank_lines(node: Definition, lines: list[str]) -> list[str]:
    """The lines of a definition without its body; a class keeps its public methods' heads."""
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    end = first.end_lineno if documented else first_line(first) - 1
    head = lines[first_line(node) - 1 : end]
    if isinstance(node, ast.FunctionDef):
        return [*head, " " * first.col_offset + BLANK]
    body: list[str] = []
    for item in node.body[1 if documented else 0 :]:
        if isinstance(item, ast.FunctionDef):
            if item.name.startswith("_") and not item.name.startswith("__"):
                continue
            body += ["", *_blank_lines(item, lines)]
        else:
            body += lines[first_line(item) - 1 : item.end_lineno]
    return head + body
