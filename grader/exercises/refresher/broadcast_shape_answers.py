"""Right and wrong answers to `refresher.broadcast_shape`."""

from itertools import zip_longest

from grader.author.answers import equivalent, right, wrong


@right
def from_the_right(first, second):
    sizes = []
    for one, other in zip_longest(reversed(first), reversed(second), fillvalue=1):
        if one == 1:
            sizes.insert(0, other)
        elif other in (1, one):
            sizes.insert(0, one)
        else:
            raise ValueError(f"{one} and {other} do not fit")
    return tuple(sizes)


@right
def index_from_the_end(first, second):
    result = [1] * max(len(first), len(second))
    for shape in (first, second):
        for place in range(1, len(shape) + 1):
            size = shape[-place]
            if size == 1:
                continue
            if result[-place] not in (1, size):
                raise ValueError("the shapes do not fit")
            result[-place] = size
    return tuple(result)


wrong(
    "aligned_from_the_left",
    why="The shapes were aligned at their first axes; broadcasting aligns the last ones.",
    change={
        "(1,) * (axes - len(sizes)) + tuple(sizes)": "tuple(sizes) + (1,) * (axes - len(sizes))"
    },
)


wrong(
    "larger_of_the_two",
    why=(
        "The larger size was taken without a check, so that sizes that do not fit pass, and an "
        "axis of size 0 becomes 1."
    ),
    change={
        "one != other and 1 not in (one, other)": "False",
        "other if one == 1 else one": "max(one, other)",
    },
    corner=True,
)


wrong(
    "never_refused",
    why="Sizes that differ, none of them 1, are incompatible: raise a ValueError.",
    change={"one != other and 1 not in (one, other)": "False"},
    corner=True,
)


wrong(
    "multiples_repeat",
    why="A size that divides the other one does not repeat; only size 1 does.",
    change={"1 not in (one, other)": "(not one or not other or one % other and other % one)"},
    corner=True,
)


wrong(
    "longer_axes_dropped",
    why=(
        "`zip` without `strict` ended with the shorter shape: the axes that only the longer one "
        "has belong to the result too."
    ),
    change={
        "axes = max(len(first), len(second))": "axes = min(len(first), len(second))",
        "+ tuple(sizes)": "+ tuple(sizes)[len(sizes) - axes :]",
    },
)


wrong(
    "must_be_equal",
    why="Equal sizes were demanded; an axis of size 1 fits every size, and is repeated.",
    change={"one != other and 1 not in (one, other)": "one != other"},
)


wrong(
    "ones_stay",
    why="Where one size is 1, the result has the other one, and not 1.",
    change={"other if one == 1 else one": "min(one, other)"},
)


wrong(
    "joined_to_a_list",
    why="You put a list of ones before the sizes; they may be a tuple, as a tensor's shape is.",
    change={"(1,) * (axes - len(sizes)) + tuple(sizes)": "[1] * (axes - len(sizes)) + sizes"},
    corner=True,
)


equivalent("return (result)", why="a list of the same sizes is accepted like a tuple")
