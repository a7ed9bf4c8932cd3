"""Which part of a cell's code a page shows: one rule, for the website and for the notebooks.

What computes is shown: it is the experiment. What draws is folded under one quiet line, with the
names that are only made for a drawing or a sentence. Imports are folded, and with them what sets
the page up: its device, its threads, its seeds. What only says, shows or tabulates what is there
already is left out. A cell without a tag is shown whole, but for its
imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

COMPUTES, DRAWS, SAYS, IMPORTS = "computes", "draws", "says", "imports"

# Methods of matplotlib's axes, figures and patches: where they stand, something is drawn.
METHODS = re.compile(
    r"add_(artist|collection|patch|subplot)|annotate|arrow|ax[hv](line|span)|[hv]lines|barh?"
    r"|boxplot|contourf?|errorbar|fill_between|hist|imshow|legend|loglog|margins|matshow"
    r"|pcolormesh|plot|quiver|scatter|semilog[xy]|stem|subplots|tick_params|violinplot"
    r"|set_(aspect|axis_off|title|[xy](label|lim|scale|ticks|ticklabels))"
)
# Of torch and numpy: what brings numbers into another form for a drawing, and computes none.
FORMS = {"arange", "as_tensor", "asarray", "cat", "full", "linspace", "stack", "tensor", "zeros"}
SETS_UP = {"pick_device", "set_num_threads"}
PAINTS = {"COLOR", "COLORS", "Drawing", "MARKER", "picture", "signed_key"}  # of the book's own


@dataclass(frozen=True)
class Piece:
    """Some lines of a cell, and what they do: `COMPUTES`, `DRAWS`, `SAYS` or `IMPORTS`."""

    text: str
    kind: str


@dataclass
class _Part:
    """A statement at the top of a cell, and what is known of it."""

    node: ast.stmt
    cell: int
    first: int
    last: int
    reads: set[str]
    binds: set[str]
    makes: set[str]  # those of `binds` that get another meaning, and are not only changed
    kind: str = COMPUTES


def cut(cells: Iterable[Mapping]) -> list[list[Piece]]:
    """Cut the code cells of a notebook, as their tags ask for.

    ``remove-input``: by the rule; ``hide-input``: what would be shown is folded too; neither: it is
    shown whole, but for its imports.
    """
    cells = list(cells)
    tags = [set(cell["metadata"].get("tags", [])) for cell in cells]
    whole = [not names & {"remove-input", "hide-input"} for names in tags]
    found = pieces([cell["source"] for cell in cells], whole)
    for names, made in zip(tags, found, strict=True):
        if "hide-input" in names:
            made[:] = [Piece(p.text, DRAWS if p.kind != SAYS else SAYS) for p in made]
    return found


def pieces(cells: Sequence[str], whole: Sequence[bool] = ()) -> list[list[Piece]]:
    """Cut the cells of a page.

    Args:
        cells: Python, in the order of the page.
        whole: which of them are shown whole but for their imports; none by default.

    Returns:
        For each cell its pieces, in order; neighbors of one kind are one piece. A cell that is no
        Python computes.
    """
    whole = whole or [False] * len(cells)
    parts = [part for number, source in enumerate(cells) for part in _parts(source, number)]
    _sort_out(parts, whole)
    found: list[list[Piece]] = []
    for number, source in enumerate(cells):
        lines, made = source.splitlines(), []
        for part in (part for part in parts if part.cell == number):
            text = "\n".join(lines[part.first : part.last])
            if made and made[-1].kind == part.kind:
                text = f"{made.pop().text}\n{text}"
            made.append(Piece(text, part.kind))
        tidy = [Piece(piece.text.strip("\n"), piece.kind) for piece in made]
        found.append(tidy or [Piece(source, COMPUTES)])
    return found


def is_folded(made: Sequence[Piece]) -> bool:
    """Whether a cell has nothing that a page shows: then notebooks open with it folded."""
    return all(piece.kind != COMPUTES for piece in made)


def _parts(source: str, cell: int) -> list[_Part]:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    found: list[_Part] = []
    for node in body:
        first = found[-1].last if found else 0
        if found and node.lineno <= first:  # two statements on a line go together
            first = found[-1].first
            found[-1].last = first
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        reads = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        makes = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        for part in ast.walk(node):  # names of its own
            if isinstance(part, ast.comprehension):
                reads -= {one.id for one in ast.walk(part.target) if isinstance(one, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            taken = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
            reads, makes = reads - makes - taken, {node.name}
        if isinstance(node, ast.AugAssign):
            reads, makes = reads | makes, set()
        binds = set(_bound(node))
        found.append(_Part(node, cell, first, node.end_lineno, reads, binds, makes & binds))
    if found:
        found[-1].last = len(source.splitlines())  # a comment at the end
    return found


def _bound(node: ast.stmt) -> Iterator[str]:
    """Names that a statement gives a meaning to or changes, those inside of functions left out."""
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield part.name
            continue
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        if isinstance(part, ast.Assign | ast.AugAssign):  # x[0] = 1 changes x
            for target in getattr(part, "targets", None) or [part.target]:
                yield from _changed(target)
        called = part.value.func if _is_call(part) else None
        if isinstance(called, ast.Attribute):  # x.append(1) does, too
            yield from _changed(called)
        if not isinstance(part, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            todo += ast.iter_child_nodes(part)


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _changed(target: ast.expr) -> Iterator[str]:
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Call):
        target = target.func if isinstance(target, ast.Call) else target.value
    if isinstance(target, ast.Name):
        yield target.id


def _sort_out(parts: Sequence[_Part], whole: Sequence[bool]) -> None:
    """Find what each statement does."""
    speaks, paints, works, ours = set(), set(), set(), set()
    for part in parts:
        for module, name in _imported(part.node):
            if module.startswith("book."):
                (paints if name in PAINTS else speaks).add(name)
            elif module.startswith("matplotlib"):
                paints.add(name)
            elif module.split(".")[0] in ("solutions", "torch", "numpy"):
                works.add(name)
            if module.startswith("solutions."):
                ours.add(name)
    speaks -= {"spread", "power_of_ten"}  # these only format
    functions = [part for part in parts if isinstance(part.node, ast.FunctionDef | ast.ClassDef)]
    for part in functions:
        draws = part.reads & paints or _draws(part.node)
        (paints if draws and not _calls(part.node) & ours else works).add(part.node.name)
    for part in parts:
        part.kind = _kind(part, speaks, paints, works)
        if part.kind == COMPUTES:  # a name that stood for a box may stand for a number later
            paints -= part.makes
        if part.kind == DRAWS and not isinstance(part.node, ast.FunctionDef | ast.ClassDef):
            paints |= {name for name in part.binds if _is_canvas(part.node)}
    _gather(parts, works)
    _set_up(parts)
    for part in parts:
        if whole[part.cell] and part.kind != IMPORTS:
            part.kind = COMPUTES


def _imported(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Module and local name of each thing that a statement imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield node.module or "", alias.asname or alias.name


def _kind(part: _Part, speaks: set[str], paints: set[str], works: set[str]) -> str:
    node = part.node
    if isinstance(node, ast.Import | ast.ImportFrom):
        return IMPORTS
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return DRAWS if node.name in paints else COMPUTES
    if isinstance(node, ast.Expr) and _caller(node.value) in speaks:
        return DRAWS if _works(node, works) or _multiplies(node) else SAYS
    if part.reads & paints or _draws(node):
        return COMPUTES if _works(node, works) else DRAWS
    return COMPUTES


def _gather(parts: Sequence[_Part], works: set[str]) -> None:
    """Move what only a drawing or a sentence reads, and is no computation, to it."""
    models = {
        name
        for part in parts
        if part.kind == COMPUTES and isinstance(part.node, ast.Assign)
        for name in part.makes
    }
    changed = True
    while changed:
        changed = False
        for place, part in enumerate(parts):
            if part.kind != COMPUTES or not isinstance(part.node, ast.Assign | ast.AnnAssign):
                continue
            calls = {_caller(one) for one in ast.walk(part.node) if isinstance(one, ast.Call)}
            computes = _works(part.node, works) or _multiplies(part.node) or calls & models
            if computes or not part.binds:
                continue
            readers = list(_readers(part, parts[place + 1 :]))
            if readers and all(other.kind in (DRAWS, SAYS) for other in readers):
                part.kind, changed = DRAWS, True


def _readers(part: _Part, later: Sequence[_Part]) -> Iterator[_Part]:
    """Who reads what a statement makes, until its names mean something else."""
    names = set(part.binds)
    for other in later:
        if other.reads & names:
            yield other
        names -= other.makes


def _set_up(parts: Sequence[_Part]) -> None:
    """Device, threads, and the seeds that stand with them, are told with the imports."""
    cells = {part.cell for part in parts if _named(part.node) & SETS_UP}
    begun: set[int] = set()  # cells in which the experiment has begun
    for part in parts:
        named = _named(part.node)
        seeds = "manual_seed" in named or part.makes == {"SEEDS"}
        if named & SETS_UP or (seeds and part.cell in cells - begun):
            part.kind = IMPORTS
        elif part.kind != IMPORTS:
            begun.add(part.cell)


def _named(node: ast.stmt) -> set[str]:
    """Name of what a statement that stands by itself calls, its last part."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.For | ast.With | ast.While):
        return set()
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    return {getattr(call, "attr", getattr(call, "id", "")) for call in calls}


def _caller(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _calls(node: ast.AST) -> set[str]:
    """The first names of everything that is called: ``torch`` of ``torch.randn(3)``."""
    return {
        name
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
        for name in _changed(part.func)
    }


def _works(node: ast.AST, works: set[str]) -> bool:
    """Whether something of the course, torch or numpy is called that computes."""
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(
        not (isinstance(call, ast.Attribute) and call.attr in FORMS)
        and not any(isinstance(part, ast.Call) for part in ast.walk(call))  # judged by itself
        and set(_changed(call)) & works
        for call in calls
    )


def _multiplies(node: ast.AST) -> bool:
    return any(isinstance(part, ast.MatMult) for part in ast.walk(node))


def _draws(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and METHODS.fullmatch(part.func.attr)
        for part in ast.walk(node)
    )


def _is_canvas(node: ast.stmt) -> bool:
    """Whether it makes axes or hands them round, and not numbers."""
    return isinstance(node, ast.For | ast.With) or (
        isinstance(node, ast.Assign) and bool(_draws(node) or _calls(node))
    )
