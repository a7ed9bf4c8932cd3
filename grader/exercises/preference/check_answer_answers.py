"""Right and wrong answers to `preference.check_answer`."""

import re
from collections import Counter

from grader.author.answers import right, wrong
from solutions.preference import DIGITS


@right
def by_a_pattern(prompt, answer, *, end="."):
    found = re.match(f"([0-9]+){re.escape(end)}", answer)
    if found is None:
        return False, False
    return True, list(found.group(1)) == sorted(prompt)


@right
def by_counting(prompt, answer, *, end="."):
    said = answer.split(end)[0]
    form = end in answer and len(said) > 0 and set(said) <= set(DIGITS)
    rising = all(a <= b for a, b in zip(said, said[1:], strict=False))
    return form, form and rising and Counter(said) == Counter(prompt)


wrong(
    "anywhere_in_the_answer",
    why=(
        "You accept the right digits anywhere in the answer: an answer that lists many guesses "
        "gets the reward for one of them, and a model will find that out."
    ),
    change={'said == "".join(sorted(prompt))': '"".join(sorted(prompt)) in said'},
)


wrong(
    "the_same_digits",
    why="You compared digits as sets, which ignores their order and their number.",
    change={'said == "".join(sorted(prompt))': "set(said) == set(prompt)"},
)


wrong(
    "any_order",
    why="You sorted both sides, so the check does the work that the model should do.",
    change={'said == "".join(sorted(prompt))': "sorted(said) == sorted(prompt)"},
)


wrong(
    "rising_is_enough",
    why="You reward any rising digits, whatever the prompt was: a single digit is then enough.",
    change={'said == "".join(sorted(prompt))': 'said == "".join(sorted(said))'},
)


wrong(
    "as_numbers",
    why="You compared numbers, so a leading zero may be missing.",
    change={
        'form and said == "".join(sorted(prompt))': (
            'form and int(said) == int("".join(sorted(prompt)) or 0)'
        )
    },
)


wrong(
    "end_not_asked",
    why="You accept an answer without an end; the form requires one.",
    change={"ended == end and said": "said"},
)


wrong(
    "empty_is_a_form",
    why=(
        "You accept an end without any digits as the form: the shortest answer of all would be "
        "rewarded."
    ),
    change={' and said != ""': ""},
    corner=True,
)


wrong(
    "to_the_last_end",
    why=(
        "You cut the answer at its *last* end: text after the first one does not belong to the "
        "answer, and must not count, neither for nor against it."
    ),
    change={"answer.partition(end)": "answer.rpartition(end)"},
)


wrong(
    "is_digit",
    why=(
        "`isdigit` and `isdecimal` accept digits of many scripts, and `isdigit` even ²; the form "
        "allows only 0 to 9."
    ),
    change={"all(character in DIGITS for character in said)": "said.isdigit()"},
    corner=True,
)


wrong(
    "stripped",
    why="You stripped spaces: the form allows none.",
    change={"answer.partition(end)": "answer.strip().partition(end)"},
)


@wrong(why="You match the whole text; what comes after the end does not belong to the answer.")
def nothing_may_follow(prompt, answer, *, end="."):
    said = answer.removesuffix(end)
    form = answer.endswith(end) and said != "" and all(one in DIGITS for one in said)
    return form, form and said == "".join(sorted(prompt))


@wrong(
    why=(
        "You accept answers as right that do not have the form: digits picked out of a text are "
        "not an answer."
    )
)
def picked_out(prompt, answer, *, end="."):
    said, ended, _ = answer.partition(end)
    form = ended == end and said != "" and all(one in DIGITS for one in said)
    digits = "".join(one for one in said if one in DIGITS)
    return form, bool(ended) and digits != "" and digits == "".join(sorted(prompt))


wrong(
    "always_a_point",
    why="You hard-coded the full stop as the end; `end` is an argument.",
    change={"answer.partition(end)": 'answer.partition(".")', "ended == end": 'ended == "."'},
)


wrong(
    "falling",
    why="You require falling order; the digits must rise.",
    change={"sorted(prompt)": "sorted(prompt, reverse=True)"},
)


@wrong(
    why=(
        "`str.isdecimal`, and `\\d` in a pattern, accept the digits of all scripts; the form "
        "allows only 0 to 9. Otherwise a model is rewarded for characters that nobody asked for."
    ),
    corner=True,
)
def digits_of_any_script(prompt, answer, *, end="."):
    said, stop, _ = answer.partition(end)
    form = bool(stop) and said.isdecimal()
    return form, form and said == "".join(sorted(prompt))


wrong(
    "the_beginning_is_enough",
    why="You accept an answer that begins with the right digits but lacks the largest ones.",
    change={'said == "".join(sorted(prompt))': '"".join(sorted(prompt)).startswith(said)'},
)


wrong(
    "falling_too",
    why="You accept falling order, too; only rising order is right.",
    change={
        'said == "".join(sorted(prompt))': (
            'said in ("".join(sorted(prompt)), "".join(sorted(prompt))[::-1])'
        )
    },
)
