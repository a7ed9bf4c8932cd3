"""The autograder: exercises, recorded references, and the sandboxed check between them.

Its rooms, each of which imports only those before it: `enclose` (the sandbox), `judge` (the
verdict), `student` (commands, reports, the notebook), `author` (exercises, recording, the audit),
`instruct` (what instructors use). ``exercises``, ``references`` and ``measured`` are what they work
on.
"""


def load_ipython_extension(shell) -> None:
    """``%load_ext grader`` in a notebook gives it the ``%%grade`` magic."""
    from grader.student.notebook import load_ipython_extension

    load_ipython_extension(shell)
