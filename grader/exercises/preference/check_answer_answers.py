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
        "The right digits may stand anywhere in the answer: one that lists many guesses gets "
        "the reward for one of them, and a model will find that out."
    ),
    change={'said == "".join(sorted(prompt))': '"".join(sorted(prompt)) in said'},
)


wrong(
    "the_same_digits",
    why="Digits were compared as sets: their order and their number do not count here.",
    change={'said == "".join(sorted(prompt))': "set(said) == set(prompt)"},
)


wrong(
    "any_order",
    why="Both sides were sorted: the check does the work that the answer was to do.",
    change={'said == "".join(sorted(prompt))': "sorted(said) == sorted(prompt)"},
)


wrong(
    "rising_is_enough",
    why="Any rising digits are rewarded, whatever was asked: a single digit is the shortest.",
    change={'said == "".join(sorted(prompt))': 'said == "".join(sorted(said))'},
)


wrong(
    "as_numbers",
    why="Compared as numbers, a zero in front may be forgotten.",
    change={
        'form and said == "".join(sorted(prompt))': (
            'form and int(said) == int("".join(sorted(prompt)) or 0)'
        )
    },
)


wrong(
    "end_not_asked",
    why="An answer without an end passes; the form requires one.",
    change={"ended == end and said": "said"},
)


wrong(
    "empty_is_a_form",
    why=(
        "An end without any digits has the form here: the shortest answer of all would be rewarded."
    ),
    change={' and said != ""': ""},
    corner=True,
)


wrong(
    "to_the_last_end",
    why=(
        "The answer was cut at its *last* end: what is written after the first was never said, "
        "and must not count, neither for nor against."
    ),
    change={"answer.partition(end)": "answer.rpartition(end)"},
)


wrong(
    "is_digit",
    why="`isdigit` and `isdecimal` know digits of many scripts, and ² for one: the form has ten.",
    change={"all(character in DIGITS for character in said)": "said.isdigit()"},
    corner=True,
)


wrong(
    "stripped",
    why="Spaces were stripped: the form has none.",
    change={"answer.partition(end)": "answer.strip().partition(end)"},
)


@wrong(why="The whole answer has to match: what comes after the end was never said.")
def nothing_may_follow(prompt, answer, *, end="."):
    said = answer.removesuffix(end)
    form = answer.endswith(end) and said != "" and all(one in DIGITS for one in said)
    return form, form and said == "".join(sorted(prompt))


@wrong(
    why=(
        "An answer can be right here without having the form: digits picked out of a text are "
        "no answer."
    )
)
def picked_out(prompt, answer, *, end="."):
    said, ended, _ = answer.partition(end)
    form = ended == end and said != "" and all(one in DIGITS for one in said)
    digits = "".join(one for one in said if one in DIGITS)
    return form, bool(ended) and digits != "" and digits == "".join(sorted(prompt))


wrong(
    "always_a_point",
    why="The point is written into the check; the end is an argument.",
    change={"answer.partition(end)": 'answer.partition(".")', "ended == end": 'ended == "."'},
)


wrong(
    "falling",
    why="This wants the digits in falling order.",
    change={"sorted(prompt)": "sorted(prompt, reverse=True)"},
)


@wrong(
    why=(
        "`str.isdecimal`, and `\\d` in a pattern, know the digits of all scripts; the form allows "
        "0 to 9 alone, or a model is paid for characters that nobody asked for."
    ),
    corner=True,
)
def digits_of_any_script(prompt, answer, *, end="."):
    said, stop, _ = answer.partition(end)
    form = bool(stop) and said.isdecimal()
    return form, form and said == "".join(sorted(prompt))


wrong(
    "the_beginning_is_enough",
    why="The answer begins with the right digits, but the largest ones are missing.",
    change={'said == "".join(sorted(prompt))': '"".join(sorted(prompt)).startswith(said)'},
)


wrong(
    "falling_too",
    why="Digits in falling order are accepted, too; only rising order is right.",
    change={
        'said == "".join(sorted(prompt))': (
            'said in ("".join(sorted(prompt)), "".join(sorted(prompt))[::-1])'
        )
    },
)
