"""Find what source uses that no answer may: forbidden shortcuts, and ways out of its module."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from grader.judge.syntax import Definition, Module, chain, dotted, parts, walk

SHORT = {"F": "torch.nn.functional", "nn": "torch.nn", "Tensor": "torch.Tensor"}

# What leads out of a module, to the grader's process around it or behind torch's functions: no
# answer needs it. Names that are given by imports, and attributes of anything.
WORKER = Path(__file__).resolve().parents[1] / "enclose" / "worker"
WORKERS = {path.stem for path in WORKER.glob("[!_]*.py")}
OUTSIDE = WORKERS | {"ctypes", "cffi", "importlib", "runpy", "pkgutil", "__main__"}
OUTSIDE |= {"pydoc", "timeit", "trace", "bdb", "pdb", "doctest"}  # import, or run texts
_LEADS_OUT = """
sys.modules sys._getframe sys._current_frames sys.settrace sys.setprofile sys.meta_path
sys.path_hooks threading.settrace threading.setprofile gc.get_objects gc.get_referrers
gc.get_referents inspect.stack inspect.currentframe inspect.trace inspect.getouterframes
inspect.getinnerframes builtins.eval builtins.exec builtins.__import__
torch.ops torch.library torch.jit torch.overrides
torch.utils._python_dispatch torch.utils._python_dispatch._disable_current_modes
torch.utils._mode_utils torch.utils._mode_utils.no_dispatch
numpy.ctypeslib traceback.walk_stack traceback.walk_tb traceback.StackSummary
"""
LEADS_OUT = frozenset(_LEADS_OUT.split())
MODULES = {name.partition(".")[0] for name in LEADS_OUT} - {"torch", "numpy", "traceback"} | OUTSIDE
PRIVATE = re.compile(r"torch\._[^_]")
INNER = re.compile(r"torch\._\w+\.")  # parts of private modules: torch may not have loaded these
READY_MADE = {
    *("scipy", "sklearn", "statsmodels", "networkx", "jax", "tensorflow", "keras"),
    *("sacrebleu", "nltk", "gensim", "tokenizers", "sentencepiece", "tiktoken"),
    *("transformers", "peft", "trl", "timm", "torchvision", "torchmetrics"),
}
_FRAMES = """
f_back f_locals f_globals f_builtins tb_frame gi_frame cr_frame ag_frame __globals__ __builtins__
__subclasses__ __code__ __closure__ _getframe _current_frames settrace setprofile get_objects
get_referrers get_referents currentframe f_trace f_trace_lines f_trace_opcodes
walk_stack walk_tb StackSummary ctypeslib _disable_current_modes
"""
FRAMES = frozenset(_FRAMES.split())
BUILTINS = frozenset(("eval", "exec", "compile", "__import__", "__builtins__"))
STANDARD = MODULES - WORKERS  # other modules have them as attributes: os.sys
BINDING = {"setattr", "update", "setdefault", "__setitem__", "__setattr__", "__ior__"}
NAMING = ("attr", "arg", "value")  # where parts of a syntax tree hold names that are no variables
# what `_other_out` looks at
OTHERS = ast.Constant | ast.MatchClass | ast.Import | ast.ImportFrom | ast.Call
IN_TEXT = FRAMES | {"__builtins__", "__import__"}  # no text names them by chance


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
    return Inspection(source).shortcuts(symbol, forbidden)


class Inspection(Module):
    """A file, and what in it no answer may use."""

    def shortcuts(self, symbol: str, forbidden: Collection[str]) -> Iterator[tuple[str, int]]:
        """As `shortcuts`."""
        wanted = {full_name(name): name for name in forbidden}
        imported = {full for _, full in self._imported}  # libraries that have what is to be written
        wanted |= {full: full for full in imported if full.partition(".")[0] in READY_MADE}
        if not wanted:
            return
        meanings = _Meanings(wanted, self._imported, self._assigned)
        stars = self.binding.get("*", [])
        own = [n for n in self.binding.get(symbol, stars)[-1:] if not isinstance(n, Definition)]
        for name, nodes in ((symbol, own), ("*", stars)):  # an answer may be an import alone
            used = sorted(meanings.names.get(name, set()) & wanted.keys())
            for node in walk(nodes) if used else ():
                if isinstance(node, ast.ImportFrom):
                    yield wanted[used[0]], node.lineno
        last = {name.rpartition(".")[2]: name for name in forbidden}
        for node in walk([*self.reachable(symbol), *self._by_text.get(symbol, ())]):
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
            elif attribute and method in forbidden and attribute[1] not in self._methods:
                yield method, node.lineno

    @cached_property
    def _by_text(self) -> dict[object, list[ast.stmt]]:
        """The statements that bind a name by a text: ``globals()["name"] = f``."""
        found: dict[object, list[ast.stmt]] = {}
        for node in self.tree.body:
            for part in () if isinstance(node, Definition) else parts(node):
                inner: list[ast.AST] = []
                if isinstance(getattr(part, "ctx", None), ast.Store):
                    inner = [part, *ast.iter_child_nodes(part)]
                elif isinstance(part, ast.Call) and _called(part) in BINDING:
                    inner = [*walk([*part.args, *part.keywords])]
                elif isinstance(part, ast.AugAssign):
                    inner = [*ast.walk(part.value)]
                for one in inner:
                    name = getattr(one, "attr", getattr(one, "arg", getattr(one, "value", None)))
                    if isinstance(name, str):
                        found.setdefault(name, []).append(node)
        return found

    def leads_out(self) -> Iterator[tuple[str, int]]:
        """Uses of what no answer needs, anywhere in the file, and the line."""
        private = {full for _, full in self._imported if PRIVATE.match(full)}
        inside = {full for _, full in self._imported if full.partition(".")[0] in OUTSIDE}
        wanted = LEADS_OUT | OUTSIDE | private | inside
        through = {  # as in s = os.sys
            (target, path[-1].strip("_"))
            for target, _, path in self._assigned
            if path and path[-1].strip("_") in STANDARD
        }
        meanings = _Meanings(wanted, self._imported | through, self._assigned, bare=False)
        held: set[int] = set()  # what an attribute is looked up in
        found = (self.nodes.get(id(one)) or parts(one) for one in self._that_runs)
        for node in itertools.chain.from_iterable(found):
            if isinstance(node, ast.Attribute | ast.Call) and (attribute := _attribute(node)):
                held.add(id(attribute[0]) if isinstance(node, ast.Attribute) else 0)
                out = self._attribute_out(node, meanings, wanted, node_held=id(node) in held)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                out = self._name_out(
                    node, meanings, wanted if id(node) in held else wanted | MODULES
                )
            elif isinstance(node, OTHERS):
                out = _other_out(node, meanings)
            else:
                continue
            yield from ((name, node.lineno) for name in out)

    def _attribute_out(
        self, node: ast.expr, meanings: _Meanings, wanted: set[str], *, node_held: bool
    ) -> Iterator[str]:
        """Yield ways out in ``value.name``, or in a call that looks such a name up."""
        value, name = _attribute(node)
        of = meanings.of(value)
        if isinstance(value, ast.Attribute) and not of:  # as in os.sys.modules
            of = {value.attr.strip("_")} & STANDARD
        inner = name.strip("_") in STANDARD and self._is_imported(value)
        if name in FRAMES:
            yield name
        elif inner and (not node_held or isinstance(node, ast.Call)):
            yield name.strip("_")
        elif "torch" in of and re.match(r"_[^_]", name):
            yield f"torch.{name}"
        elif of and name == "__dict__":
            yield f"{dotted(value)}.__dict__"
        elif used := sorted(meanings.along(of, [name]) & wanted):
            yield used[0]

    def _name_out(self, node: ast.Name, meanings: _Meanings, wanted: set[str]) -> Iterator[str]:
        """A name that stands for what leads out, or a builtin that does."""
        if used := sorted(meanings.of(node) & wanted):
            yield used[0]
        elif node.id in BUILTINS and not (node.id in self._own[0] or id(node) in self._own[1]):
            yield node.id

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
        head, _ = chain(node)
        return isinstance(head, ast.Name) and head.id in {name for name, _ in self._imported}

    @cached_property
    def _is_renamed(self) -> bool:
        """Does anything here give ``__name__`` another value, so that it may be "__main__"?"""
        naming = (*NAMING, "id", "name", "asname", "rest")
        return any(
            "__name__" in [getattr(node, which, None) for which in naming]
            for node in self.all_nodes
            if not isinstance(getattr(node, "ctx", None), ast.Load)
        )

    @cached_property
    def _methods(self) -> set[str]:
        """Names of functions that classes of this file have."""
        classes = [node for node in self.all_nodes if isinstance(node, ast.ClassDef)]
        body = [part for node in classes for part in node.body]
        own = [node for node in walk(body) if isinstance(node, ast.Attribute)]
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
        for node in self.all_nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                body = node.body if isinstance(node.body, list) else [node.body]
                names = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
                parts = [part for part in walk(body) if isinstance(part, ast.Name)]
                names |= {part.id for part in parts if isinstance(part.ctx, ast.Store)}
                inside |= {id(part) for part in parts if part.id in names & BUILTINS}
        return top, inside

    @cached_property
    def _imported(self) -> set[tuple[str, str]]:
        """Names that are imported anywhere, and what of: ``("F", "torch.nn.functional")``."""
        found = set()
        for node in self.all_nodes:
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
        for node in self.all_nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute | ast.Name):
                head, path = chain(node.value)
                if isinstance(head, ast.Name):
                    targets = (item for item in node.targets if isinstance(item, ast.Name))
                    found += [(item.id, head.id, path) for item in targets]
        return found


def _other_out(node: ast.AST, meanings: _Meanings) -> Iterator[str]:
    """Yield ways out in a text, a pattern, an import of everything, or a call of ``vars``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value in LEADS_OUT or IN_TEXT.intersection(node.value.split(".")):
            yield node.value
    elif isinstance(node, ast.MatchClass):
        yield from (
            name for name in node.kwd_attrs if name in FRAMES or name.strip("_") in STANDARD
        )
    elif isinstance(node, ast.Import):  # which loads it, though it binds `torch` alone
        yield from (item.name for item in node.names if PRIVATE.match(item.name))
    elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
        if any(item.name == "*" for item in node.names):
            yield f"{node.module}.*"
    elif isinstance(node, ast.ImportFrom) and INNER.match(node.module or ""):
        yield node.module
    elif isinstance(node, ast.Call) and dotted(node.func) == "vars":
        yield from (f"vars({dotted(value)})" for value in node.args if meanings.of(value))


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
        """Meanings of attributes of these."""
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
    """Split an attribute into its object and its name: ``a.b``, ``getattr(a, "b" + "c")``."""
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
    names = (part for part in walk(nodes) if isinstance(part, ast.Name))
    return {part.id for part in names if isinstance(part.ctx, ast.Load)}


def _called(node: ast.Call) -> str:
    """The last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def full_name(name: str) -> str:
    """``"F.softmax"`` as torch itself calls it: ``torch.nn.functional.softmax``."""
    head, dot, rest = name.partition(".")
    return SHORT.get(head, head) + dot + rest
