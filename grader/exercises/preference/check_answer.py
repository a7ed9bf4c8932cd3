"""`preference.check_answer`: a reward that cannot be talked into anything."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Case, Exercise


def _case(name, *calls, points=1, corner=False, **more):
    """Among an answer that is right and one without form: who always says the same fails."""
    calls = [*calls, _given("62", "26."), _given("62", "?")]
    return Case(name, lambda rng: {"calls": calls}, points, probe="calls", corner=corner, **more)


def _given(prompt, answer, **more):
    return {"prompt": prompt, "answer": answer, **more}


def _several(call, rng):
    """With other digits, and among other answers, in any order."""
    calls = [dict(given) for given in call.args.get("calls", [call.args])]
    texts = "".join(given["prompt"] + given["answer"] for given in calls)
    used = sorted(set(texts) & set("123456789"))
    drawn = sorted(rng.choice(9, len(used), replace=False) + 1)
    table = str.maketrans("".join(used), "".join(map(str, drawn)))
    for given in calls:
        given |= {name: given[name].translate(table) for name in ("prompt", "answer")}
    calls += [_drawn(rng) for _ in range(6)]
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
        _case("right", _given("85394", "34589.")),
        _case("wrong order", _given("85394", "34859."), points=2),
        _case("falling", _given("85394", "98543."), points=2),
        _case("one forgotten", _given("85394", "3459."), points=2),
        _case("one twice", _given("85394", "344589."), points=2),
        _case("a zero in front", _given("70215", "01257."), points=2),
        _case("a zero forgotten", _given("70215", "1257."), points=2),
        _case("repeated digits", _given("3311", "1133.")),
        _case("repeated digits, once", _given("3311", "13."), points=2),
        _case("never ended", _given("85394", "34589"), points=2),
        _case("junk after the end", _given("85394", "34589.458?9")),
        _case("a second try", _given("85394", "34859.34589."), points=2),
        _case("all in one", _given("85394", "01234589."), points=2),
        _case("two tries in a row", _given("85394", "34589 34589."), points=2),
        _case("a space in front", _given("85394", " 34589."), points=2),
        _case("commas between", _given("85394", "3,4,5,8,9."), corner=True),
        _case(
            "a line break",
            *[_given("3311", answer) for answer in ("1133\n.", "11\n33.", "\n1133.", "\t1133.")],
            corner=True,
        ),
        _case("words", _given("85394", "34589 it is."), points=2),
        _case("nothing", _given("85394", ""), points=2, corner=True),
        _case("an end alone", _given("85394", "."), points=2, corner=True),
        _case("nothing to sort", _given("", "."), _given("", "5."), points=2, corner=True),
        _case("digits of elsewhere", _given("85394", "34589²."), points=2, corner=True),
        _case("digits of another script", _given("85394", "٣٤٥٨٩."), points=2, corner=True),
        _case("a sign in front", _given("85394", "-34589."), points=2),
        _case("the largest forgotten", _given("85394", "3458."), points=2),
        _case("another one twice", _given("3311", "1113."), points=2),
        _case("one digit", _given("7", "7.")),
        Case("another end", lambda rng: _given("85394", "34589!.", end="!")),
        _case("the usual end, and another", _given("85394", "34589.!", end="!")),
        _case("longer", _given("9081726354", "0123456789.3"), hidden=True),
    ),
    hint="Cut at the first end; check the part before it, character by character.",
    returns=("whether it has the form", "whether it is right"),
    afresh=_several,
)
