"""`transfer.few_shot_prompt`: solved examples, then a question."""

from __future__ import annotations

from grader.author.afresh import letters
from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import tuples

TWO = [["is or are?", "is"], ["a or an?", "an"]]

EXERCISE = Exercise(
    title="A few-shot prompt",
    section="asked-not-trained",
    cases=(
        Case("two examples", lambda rng: _given(TWO, "to or of?"), 2),
        Case("zero-shot", lambda rng: _given([], "to or of?")),
        Case("one", lambda rng: _given(TWO[:1], "to or of?")),
        Case("spaces around", lambda rng: _given([[" x\n", "\ty "], ["z ", " w"]], "  v \n\n"), 2),
        Case("lines inside", lambda rng: tuples(_given([["a\nb", "c  d"]], "e\n f"))),
        Case("an empty answer", lambda rng: _given([["a", ""]], "b"), corner=True),
        Case("an empty question", lambda rng: _given([], "")),
        Case(
            "braces and per cents",
            lambda rng: _given([["{0} %s", "\\n"]], "{question}"),
            corner=True,
        ),
        Case("five", lambda rng: _given([*TWO, *TWO[::-1], ["1", "2"]], "3"), hidden=True),
    ),
    hint="Write it by hand for one example first, with every space and line end. Then the end.",
    afresh=letters,
)


def _given(examples, question):
    return {"examples": examples, "question": question}
