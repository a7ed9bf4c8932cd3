"""The notebook magic: `%load_ext grader`, then `%%grade SLUG.SYMBOL` above a cell."""

from __future__ import annotations

import atexit
import sys
from itertools import islice
from pathlib import Path

from grader.enclose.sandbox import Sandbox, SandboxError
from grader.errors import UserError
from grader.judge import records
from grader.judge.grading import Grader
from grader.student import assigned
from grader.student.own import Workbench

_sandbox: Sandbox | None = None
_told: set[Sandbox] = set()  # sandboxes whose missing protections have been shown
_failed: dict[
    int, tuple[int, int]
] = {}  # cells that did not run to their end, and where each stopped
_folder = Path()  # the notebook's, where its kernel started


def load_ipython_extension(shell) -> None:
    """Called by ``%load_ext grader``: registers the magic, says when an assignment is due, and
    starts the sandbox.
    """
    global _folder
    _folder = Path.cwd()
    shell.register_magic_function(
        lambda line, cell: grade(shell, line, cell), magic_kind="cell", magic_name="grade"
    )
    shell.events.register("post_run_cell", lambda ran: _note(shell, ran))
    try:
        if given := assigned.here():
            print(assigned.terms(given))
    except UserError as error:
        print(f"grade: {error}", file=sys.stderr)
    _warm()


def grade(shell, line: str, cell: str) -> None:
    """Run a cell as usual, then check its exercise in the sandbox.

    The submission is made of what its definition needs of all cells run so far, this one last.
    With ``--core`` on the line the core cases alone count.
    """
    from IPython.display import display

    from grader.judge.submission import Submission
    from grader.student import case as cases
    from grader.student import progress, report

    ran = shell.run_cell(cell)
    if not ran.success:
        _note(shell, ran, above=1)
        if not isinstance(ran.error_before_exec, SyntaxError):
            return  # it is told where it failed; what is no Python is told of like an answer
    try:
        words = line.partition("#")[0].split()
        names, core = [word for word in words if word != "--core"], "--core" in words
        if not names:
            raise UserError("Which exercise? Write: %%grade SLUG.SYMBOL")
        chosen = records.select(names)
        # In[0] is empty, and what runs now has its first line already taken off
        cells = (*shell.history_manager.input_hist_raw[1:-1], f"\n{cell}")
        submission = Submission("", "notebook", cells=cells, failed=dict(_failed))
        sandbox = _warm()
        results = Grader(sandbox, core=core).grade(
            chosen, {told.slug: submission for told in chosen}
        )
        folds = {one.exercise.id: cases.first(one) for one in results}
    except (UserError, SandboxError) as error:
        print(f"grade: {error}", file=sys.stderr)
        return
    missing = [] if sandbox in _told else sandbox.missing  # said once, not at every cell
    _told.add(sandbox)
    shown = {name: fold for name, fold in folds.items() if fold}
    display(Panel(report.html(results, missing, shown), report.plain(results, missing)))
    try:
        progress.keep(_folder, results)
    except UserError as error:
        print(f"Not noted for grade status: {error}", file=sys.stderr)


def _note(shell, ran, above: int | None = None) -> None:
    """Remember where a cell stopped that did not run to its end.

    Args:
        shell: in which it ran.
        ran: IPython's word on it.
        above: lines of the cell above what ran; None for a whole cell.
    """
    if above is None and (not ran.info.store_history or ran.success):
        return  # what a magic ran is for the magic to tell
    place, trace = (0, 0), getattr(ran.error_in_exec, "__traceback__", None)
    while trace:
        if trace.tb_frame.f_globals is shell.user_ns:
            positions = islice(trace.tb_frame.f_code.co_positions(), trace.tb_lasti // 2, None)
            column = next(positions, (0, 0, 0, 0))[2]
            place = trace.tb_lineno + (above or 0), column or 0
            break
        trace = trace.tb_next
    _failed[len(shell.history_manager.input_hist_raw) - 1] = place


class Panel:
    """HTML where it can be shown, plain text elsewhere."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def _warm() -> Sandbox:
    """The kernel's own sandbox, kept until the kernel ends."""
    global _sandbox
    if _sandbox is None:
        _sandbox = Workbench(_folder)
        atexit.register(_sandbox.close)
    return _sandbox
