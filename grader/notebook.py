"""The notebook magic: `%load_ext grader`, then `%%grade SLUG.SYMBOL` above a cell."""

from __future__ import annotations

import atexit
import sys

from grader.exercise import UserError, select_all
from grader.sandbox import Sandbox, SandboxError

_sandbox: Sandbox | None = None
_told: set[Sandbox] = set()  # sandboxes whose missing protections have been shown


def load_ipython_extension(shell) -> None:
    """Called by ``%load_ext grader``: registers the magic and starts the sandbox."""
    shell.register_magic_function(
        lambda line, cell: grade(shell, line, cell), magic_kind="cell", magic_name="grade"
    )
    _warm()


def grade(shell, line: str, cell: str) -> None:
    """Run a cell as usual, then check its exercise in the sandbox.

    The submission is made of the definitions in all cells run so far, this one last.
    """
    from IPython.display import display

    from grader import check, reference, report
    from grader.submission import from_cells

    if not shell.run_cell(cell).success:
        return
    try:
        names = line.partition("#")[0].split()
        if not names:
            raise UserError("Which exercise? Write: %%grade SLUG.SYMBOL")
        chosen = select_all(names)
        # In[0] is empty, and what runs now has its first line already taken off
        earlier = shell.history_manager.input_hist_raw[1:-1]
        submission = from_cells([*earlier, f"\n{cell}"], "notebook")
        sandbox = _warm()
        results = [
            check.check(
                exercise,
                submission,
                references=reference.load(exercise.slug)[exercise.symbol],
                sandbox=sandbox,
            )
            for exercise in chosen
        ]
    except (UserError, SandboxError) as error:
        print(f"grade: {error}", file=sys.stderr)
        return
    missing = [] if sandbox in _told else sandbox.missing  # said once, not at every cell
    _told.add(sandbox)
    display(Panel(report.html(results, missing), report.plain(results, missing)))


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
        _sandbox = Sandbox()
        atexit.register(_sandbox.close)
    return _sandbox
