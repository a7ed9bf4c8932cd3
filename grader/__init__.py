"""The autograder: exercises, recorded references, and the sandboxed check between them."""


def load_ipython_extension(shell) -> None:
    """``%load_ext grader`` in a notebook gives it the ``%%grade`` magic."""
    from grader.notebook import load_ipython_extension

    load_ipython_extension(shell)
