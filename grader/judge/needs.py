"""Which statements of a notebook some names need, and an order in which these run.

`Versions` finds which statements give a name its value, `Needs` follows what those need in turn,
`Order` puts each after what it needs.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping, Sequence

from grader.judge.cells import ASSIGNMENT, FUTURE, Notebook, Statement, defined, no_python
from grader.judge.syntax import IMPORTS, Definition

GIVEN = {*dir(builtins), "__name__", "__file__", "__doc__", "__builtins__"}
SIMPLE = ASSIGNMENT | ast.Expr | Definition  # nothing else depends on whether these run
Graph = Mapping[Statement, Sequence[Statement]]


class Versions:
    """The statements of a notebook that give a name its value.

    Attributes:
        unreadable: statements that are no Python though they parse, and why.
    """

    def __init__(self, notebook: Notebook):
        self.notebook = notebook
        self.unreadable: dict[Statement, str] = {}
        self._last: dict[str, list[Statement]] = {}

    def last(self, name: str) -> list[Statement]:
        """The last statement that gives a name its value, and those that change it since."""
        if name not in self._last:
            self._last[name] = self._chain(name, self._bound(name))
        return self._last[name]

    def before(self, name: str, place: int) -> list[Statement]:
        """As `last`, of the statements before a place."""
        bound = self._bound(name)
        return self._chain(name, [statement for statement in bound if statement.place < place])

    def _bound(self, name: str) -> list[Statement]:
        return self.notebook.ran.get(name) or self.notebook.unsure.get(name, [])

    def _chain(self, name: str, bound: Sequence[Statement]) -> list[Statement]:
        imported = any(isinstance(statement.node, IMPORTS) for statement in self._bound(name))
        chain: list[Statement] = []
        for statement in reversed(bound):
            if imported and statement.changes(name):  # settings of a library are nobody's answer
                continue
            chain.append(statement)
            if name in statement.stores and name not in self.uses(statement)[0]:
                break
        return chain[::-1]

    def uses(self, statement: Statement) -> tuple[set[str], set[str]]:
        """As `Statement.uses`; nothing of one that is no Python."""
        try:
            return statement.uses
        except SyntaxError as error:  # await, for one, which notebooks know at their top level
            self.unreadable[statement] = f"which is no Python: {error.msg}"
            return set(), set()


class Needs:
    """The statements that some names need.

    Args:
        notebook: where they stand.
        symbols: the names. What one name alone needs at once is taken even if it will fail.
    """

    def __init__(self, notebook: Notebook, symbols: Sequence[str]):
        self.notebook, self.symbols = notebook, symbols
        self.versions = Versions(notebook)
        self.without = self.versions.unreadable  # what does not run, and why
        self.names: dict[str, bool] = {}  # does anything give it a value?
        self.stars = notebook.ran.get("*", [])  # may give a value to anything
        self._first: dict[Statement, list[Statement]] = {}  # what each needs when it runs
        self._later: dict[Statement, list[Statement]] = {}  # what each needs when it is called
        self._open: set[Statement] = set()
        for name in symbols:
            self._need(name)
        stars = [] if all(self.names.values()) else self.stars
        self.order = Order(self._first, self._later, self.without, stars).statements

    def _need(self, name: str) -> bool:
        """Take what gives a name its value; does anything?"""
        if name not in self.names:
            self.names[name] = True  # what is on its way is there by the time it is called
            given = [self._take(statement) for statement in self.versions.last(name)]
            self.names[name] = any(given) or name in GIVEN
        return self.names[name]

    def _take(self, statement: Statement) -> bool:
        """Take a statement and what it needs; does it run?"""
        if statement not in self._first:
            now, later = self.versions.uses(statement)
            self._first[statement], self._later[statement] = [], []
            self._open.add(statement)
            lacking = [name for name in sorted(now) if not self._need_first(statement, name)]
            asked = len(self.symbols) == 1 and self.symbols[0] in statement.stores
            simple = isinstance(statement.node, SIMPLE)
            if lacking and simple and not asked and not self.stars:
                self.without[statement] = f"which does not run without {lacking[0]}"
            for name in sorted(later) if statement not in self.without else ():
                self._need(name)
                self._later[statement] += self.versions.last(name)
            self._open.discard(statement)
        return statement not in self.without

    def _need_first(self, statement: Statement, name: str) -> bool:
        """Take what a statement needs of a name when it runs; is there anything?

        As a rule the last value counts. What changes a name needs the one before, and so does
        ``g = f`` when the ``f`` that follows calls ``g``.
        """
        chain = self.versions.last(name)
        calls_it = isinstance(statement.node, ASSIGNMENT) and chain and chain[-1] in self._open
        if name in statement.binds or calls_it:
            earlier = self.versions.before(name, statement.place)
            if earlier:
                self._first[statement] += earlier
                return any([self._take(other) for other in earlier])
        self._first[statement] += chain
        return self._need(name)

    def uses(self, names: Collection[str]) -> list[str]:
        """Those of these names that are needed."""
        return [name for name in names if name in self.names and name not in self.symbols]

    def text(self) -> tuple[str, list[list[int]]]:
        """A module, and where its lines come from: first line, cell, line in it, how many."""
        parts, pieces, line = [FUTURE.strip()] * self.notebook.future, [], 1 + self.notebook.future
        for statement in self.order:
            count = statement.text.count("\n") + 1
            pieces.append([line, statement.cell, statement.line, count])
            parts.append(statement.text)
            line += count
        return "\n".join(parts) + "\n", pieces

    def left_out(self) -> Iterator[str]:
        """Yield what is not taken though one might think so, and why."""
        for statement, why in self.without.items():
            yield f"cell {statement.cell}, line {statement.line}, {why}"
        notebook, ran = self.notebook, self.notebook.ran
        for cell, error in notebook.broken.items():
            lost = defined(notebook.codes[cell]) & self.names.keys()
            later = {name for name in lost & ran.keys() if ran[name][-1].cell > cell}
            if cell not in notebook.failed or lost - later:  # else that cell has told
                told = no_python(error, notebook.codes[cell])
                where = f" in line {told['line']}" if told["line"] else ""
                yield f"cell {cell}, which is no Python{where}: {told['message']}"
        newer = {
            statement.cell
            for name in self.names
            for statement in (*notebook.unsure.get(name, ()), *notebook.never.get(name, ()))
            if name not in ran or statement.place > ran[name][-1].place
        }
        for cell in sorted(newer):
            line = notebook.failed[cell][0]
            yield f"cell {cell}, from line {line} on, where it failed"


class Order:
    """Statements in an order in which they run.

    That is the order in which they stand, but for those that need a later version of another.

    Args:
        first: what each needs when it runs.
        later: what each needs when it is called.
        without: those that do not run.
        begin: those at the begin.
    """

    def __init__(
        self, first: Graph, later: Graph, without: Collection[Statement], begin: list[Statement]
    ):
        self._first, self._later, self._without = first, later, without
        self.statements = list(begin)
        self._put: set[Statement] = set()
        self._pulled: set[Statement] = set()
        self._open: set[Statement] = set()
        for statement in sorted(first, key=lambda statement: statement.place):
            if not self._arrange(statement):  # all wait for each other
                self._put.add(statement)
                self.statements.append(statement)

    def _arrange(self, statement: Statement) -> bool:
        """Put a statement after what it needs, and what that may call; False if one waits."""
        if statement in self._put or statement in self._without:
            return True
        if statement in self._open:
            return False
        self._open.add(statement)
        first = [other for other in self._first[statement] if other is not statement]
        ready = all([self._arrange(other) for other in first])
        if ready:
            for other in first:
                self._pull(other)
            self._put.add(statement)
            self.statements.append(statement)
        self._open.discard(statement)
        return ready

    def _pull(self, statement: Statement) -> None:
        """Put what may be called through a statement, unless it waits for something."""
        if statement not in self._pulled:
            self._pulled.add(statement)
            for other in self._later.get(statement, ()):
                self._arrange(other)
                self._pull(other)
