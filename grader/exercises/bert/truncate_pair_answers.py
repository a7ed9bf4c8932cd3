"""Right and wrong answers to `bert.truncate_pair`."""

from grader.author.answers import right, wrong


@right
def by_arithmetic(first, second, room):
    left, other = len(first), len(second)
    if left + other > room:
        left, other = (
            max(min(left, (room + 1) // 2), min(left, room - min(other, room // 2))),
            max(min(other, room // 2), min(other, room - min(left, (room + 1) // 2))),
        )
    return [*first[:left]], [*second[:other]]


@right
def with_two_counters(first, second, room):
    a, b = len(first), len(second)
    for _ in range(max(0, a + b - room)):
        if a > b:
            a -= 1
        else:
            b -= 1
    return list(first[:a]), list(second[:b])


wrong(
    "second_alone",
    why=(
        "Only the second text is shortened: if the first is long, nothing of the second is left, "
        "or the pair never fits."
    ),
    change={"longer = first if len(first) > len(second) else second": "longer = second or first"},
)


wrong(
    "first_of_equals",
    why="If both are equally long, yours shortens the first; the statement says the second.",
    change={"len(first) > len(second) else": "len(first) >= len(second) else"},
)


wrong(
    "from_the_beginning",
    why="Tokens are removed from the beginning of the longer text; remove them from its end.",
    change={"longer.pop()": "longer.pop(0)"},
)


wrong(
    "shorter_one_shortened",
    why=(
        "The shorter text is shortened: soon nothing of it is left, and the pair is no longer a "
        "pair."
    ),
    change={
        "longer = first if len(first) > len(second) else second": (
            "longer = (second or first) if len(first) > len(second) else (first or second)"
        )
    },
)


wrong(
    "in_place",
    why="You shortened the given lists in place: packing them again starts with less.",
    change={"first, second = list(first), list(second)": "pass"},
)


@wrong(
    why=(
        "Each text gets half of the room: if one is short, part of its half is wasted while the "
        "other loses tokens."
    )
)
def half_each(first, second, room):
    if len(first) + len(second) <= room:
        return list(first), list(second)
    return list(first[: room - room // 2]), list(second[: room // 2])


wrong(
    "one_too_short",
    why="One token too many is dropped: a pair that fills the room exactly still fits.",
    change={
        "while len(first) + len(second) > room:": (
            "while first + second and len(first) + len(second) >= room:"
        )
    },
)


@wrong(why="Both lose tokens in proportion; only the longer one loses any, while it is longer.")
def in_proportion(first, second, room):
    both = len(first) + len(second)
    if both <= room:
        return list(first), list(second)
    kept = -(-len(first) * room // both)
    return list(first[:kept]), list(second[: room - kept])
