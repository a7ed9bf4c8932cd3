"""The wheel is what a learner installs: checking, records, solutions. Exercises with their
answers, questions for exams, the authors' and instructors' rooms and the book stay in a checkout
and in the sdist.
"""

from setuptools import setup
from setuptools.command.build_py import build_py

AUTHORS = ("book", "grader.author", "grader.exercises", "grader.instruct", "grader.questions")


class Learners(build_py):
    """Leaves what only authors and instructors use out of wheels, not of editable installs."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if not self.editable_mode:
            self.packages = [name for name in self.packages if not name.startswith(AUTHORS)]


setup(cmdclass={"build_py": Learners})
