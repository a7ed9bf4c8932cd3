"""`preference.check_answer`: a reward that cannot be talked into anything."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Case, Exercise


def _several(call, rng):
    """With other digits, and among other answers, in any order."""
    given = dict(call.args)
    used = sorted(set(given["prompt"] + given["answer"]) & set("123456789"))
    drawn = sorted(rng.choice(9, len(used), replace=False) + 1)
    table = str.maketrans("".join(used), "".join(map(str, drawn)))
    given |= {name: given[name].translate(table) for name in ("prompt", "answer")}
    calls = [given, *(_drawn(rng) for _ in range(8))]
    return replace(call, args={"calls": [calls[place] for place in rng.permutation(len(calls))]})


def _drawn(rng):
    """A prompt, and an answer that is right or went wrong somewhere."""
    prompt = "".join(map(str, rng.integers(0, 10, rng.integers(3, 9))))
    right, at = "".join(sorted(prompt)), int(rng.integers(len(prompt)))
    digit, rest = right[at], right[:at] + right[at + 1 :]
    said = rng.choice(
        [right, right, right, rest, right + digit, digit + right, rest + digit, f"{right} "]
    )
    return _given(prompt, str(said) + str(rng.choice([".", ".", ".", ".", ".7", "", "5"])))


EXERCISE = Exercise(
    title="A verifiable reward",
    section="verifiable-reward",
    cases=(
        Case("right", lambda rng: _given("85394", "34589.")),
        Case("wrong order", lambda rng: _given("85394", "34859."), 2),
        Case("falling", lambda rng: _given("85394", "98543."), 2),
        Case("one forgotten", lambda rng: _given("85394", "3459."), 2),
        Case("one twice", lambda rng: _given("85394", "344589."), 2),
        Case("a zero in front", lambda rng: _given("70215", "01257."), 2),
        Case("a zero forgotten", lambda rng: _given("70215", "1257."), 2),
        Case("repeated digits", lambda rng: _given("3311", "1133.")),
        Case("repeated digits, once", lambda rng: _given("3311", "13."), 2),
        Case("never ended", lambda rng: _given("85394", "34589"), 2),
        Case("junk after the end", lambda rng: _given("85394", "34589.458?9")),
        Case("a second try", lambda rng: _given("85394", "34859.34589."), 2),
        Case("all in one", lambda rng: _given("85394", "01234589."), 2),
        Case("two tries in a row", lambda rng: _given("85394", "34589 34589."), 2),
        Case("a space in front", lambda rng: _given("85394", " 34589."), 2),
        Case("words", lambda rng: _given("85394", "34589 it is."), 2),
        Case("nothing", lambda rng: _given("85394", ""), 2),
        Case("an end alone", lambda rng: _given("85394", "."), 2, corner=True),
        Case("nothing to sort", lambda rng: _given("", "."), 2),
        Case("digits of elsewhere", lambda rng: _given("85394", "34589²."), 2, corner=True),
        Case("digits of another script", lambda rng: _given("85394", "٣٤٥٨٩."), 2, corner=True),
        Case("a sign in front", lambda rng: _given("85394", "-34589."), 2),
        Case("the largest forgotten", lambda rng: _given("85394", "3458."), 2),
        Case("another one twice", lambda rng: _given("3311", "1113."), 2),
        Case("one digit", lambda rng: _given("7", "7.")),
        Case("another end", lambda rng: _given("85394", "34589!.", end="!")),
        Case("the usual end, and another", lambda rng: _given("85394", "34589.", end="!")),
        Case("longer", lambda rng: _given("9081726354", "0123456789.3"), hidden=True),
    ),
    hint="Cut at the first end; look at what is before it, character by character.",
    returns=("whether it has the form", "whether it is right"),
    afresh=_several,
)


def _given(prompt, answer, **more):
    return {"prompt": prompt, "answer": answer, **more}
