"""Copies are found whatever disguises them; independent right answers are not."""

import json
import random
from functools import cache

import classroom
import pytest

from grader import course
from grader.instruct import side_by_side, similar
from grader.instruct.similar import Likeness, Pair, Place, Text
from grader.judge import likeness, records, source, syntax

CHAPTER = [one.id for one in records.select([classroom.SLUG])]
IDS = [f"{classroom.SLUG}.{symbol}" for symbol in classroom.EXERCISES]
CLASS, COPIES, SEEDS = 40, 8, range(4)


def texts(class_):
    return [Text(name, name, {"linear.py": text}) for name, text in class_.items()]


def pairs(found):
    return {frozenset((pair.left.owner, pair.right.owner)) for pair in found.pairs}


def hashes(text, symbols=classroom.EXERCISES):
    return {one[0] for one in likeness.fragments("linear.py", text, symbols)["found"]}


def class_of(seed, disguise=classroom.copied):
    """Forty who write by themselves, and eight who copy one of them each."""
    found, chance = own_of(seed)
    for n in range(COPIES):
        found[f"copy {n}"] = disguise(found[f"own {n}"], chance)
    return found, {frozenset((f"own {n}", f"copy {n}")) for n in range(COPIES)}


def own_of(seed):
    """The forty, and chance as it goes on after them."""
    own, state = _own_of(seed)
    chance = random.Random()
    chance.setstate(state)
    return dict(own), chance


@cache
def _own_of(seed):
    chance = random.Random(seed)
    own = {f"own {n}": classroom.written(chance) for n in range(CLASS)}
    return own, chance.getstate()


def partly(text, chance):
    """One exercise of six is written anew, the others are as they were."""
    (own,) = chance.sample(classroom.EXERCISES, 1)
    kept = syntax.part(text, [one for one in classroom.EXERCISES if one != own])
    return f"{syntax.part(classroom.written(chance), [own])}\n\n{kept}"


@pytest.mark.parametrize(
    ("disguise", "least", "seeds"), [(classroom.copied, 1.0, SEEDS), (partly, 2 / 3, SEEDS[:2])]
)
def test_copies_are_found_and_of_a_thousand_independent_pairs_at_most_one(disguise, least, seeds):
    made = caught = wrong = independent = 0
    for seed in seeds:
        class_, copies = class_of(seed, disguise)
        found = similar.compare(texts(class_), exercises=IDS)
        assert found.compared == 48 * 47 // 2
        made += len(copies)
        caught += len(pairs(found) & copies)
        wrong += len(pairs(found) - copies)
        independent += found.compared - len(copies)
    print(f"{caught} of {made} copies found, {wrong} of {independent} independent pairs named")
    assert caught >= least * made
    assert wrong <= independent / 1000


def test_the_right_variants_of_every_exercise_are_independent():
    every = [one.partition(".")[2] for one in CHAPTER]
    right = {symbol: classroom.answers(symbol, wrong=False) for symbol in every}
    class_ = {
        f"student {n}": "\n\n".join(found[n] for found in right.values() if n < len(found))
        for n in range(max(map(len, right.values())))
    }
    assert len(class_) >= 3
    assert similar.compare(texts(class_), exercises=CHAPTER).pairs == []


@pytest.mark.parametrize("seed", range(4))
def test_each_disguise_changes_no_fragment(seed):
    chance = random.Random(seed)
    text = classroom.written(chance)
    assert len(hashes(text)) > 60
    assert hashes(classroom.copied(text, chance)) == hashes(text)


def test_what_computes_something_else_changes_fragments():
    text = course.solution("linear")
    for old, new in (
        ("powers / powers.sum(dim=dim, keepdim=True)", "powers / powers.sum(dim=0, keepdim=True)"),
        ("(input - largest).exp()", "(largest - input).exp()"),
        ("(input - largest).exp()", "(input - largest).sigmoid()"),
    ):
        assert text.count(old) == 1
        assert hashes(text) != hashes(text.replace(old, new))


def test_who_hands_in_the_published_solution_is_like_nobody():
    solution = course.original("linear")
    class_ = {f"reader {n}": classroom.copied(solution, random.Random(n)) for n in range(4)}
    assert similar.compare(texts(class_), exercises=IDS).pairs == []


def test_what_the_whole_class_has_says_nothing():
    chance = random.Random(5)
    text = classroom.written(chance)
    ring = {f"member {n}": classroom.copied(text, chance) for n in range(3)}
    others = {f"own {n}": classroom.written(chance) for n in range(20)}
    assert len(similar.compare(texts({**ring, **others}), exercises=IDS).pairs) == 3
    crowd = {f"member {n}": classroom.copied(text, chance) for n in range(12)}
    assert similar.compare(texts({**crowd, **others}), exercises=IDS).pairs == []


def test_files_that_are_the_same_are_listed_however_many_have_them():
    chance = random.Random(5)
    text, blank = (
        classroom.written(chance),
        source.blank(course.original("linear"), records.symbols("linear")),
    )
    crowd = texts({f"member {n}": text for n in range(12)})
    others = texts({f"own {n}": classroom.written(chance) for n in range(3)})
    others += texts({f"blank {n}": blank for n in range(3)})
    found = similar.compare([*crowd, *others], exercises=IDS)
    assert found.pairs == []  # the whole class has it
    (same,) = found.identical
    assert [one.owner for one in same.texts] == [f"member {n}" for n in range(12)]
    (line, *_) = similar.summary(found)
    assert line.startswith(f"identical {same.file}: member 0, member 1, ")
    (told,) = similar.as_json(found)["identical"]
    assert [one["student"] for one in told["students"]] == [one.owner for one in same.texts]
    assert "Identical files" in side_by_side.page(found, "week-1")
    for one in [*crowd, *others]:
        one.places, one.group = {}, "A" if one in crowd else ""
    assert not similar.compare([*crowd, *others], exercises=IDS).identical
    broken = texts({f"broken {n}": "def f(:\n" for n in range(2)})
    assert len(similar.compare(broken, exercises=IDS).identical) == 1


def test_groups_hand_in_as_one_and_earlier_terms_are_said_to_be(tmp_path):
    class_, _ = class_of(0)
    two = texts({"own 0": class_["own 0"], "copy 0": class_["copy 0"]})
    assert len(similar.compare(two, exercises=IDS).pairs) == 1
    for text in two:
        text.places, text.group = {}, "A"
    assert similar.compare(two, exercises=IDS).pairs == []
    for n in range(3):
        (tmp_path / f"old {n}").mkdir()
        (tmp_path / f"old {n}" / "linear.py").write_text(class_[f"copy {n}"])
    earlier = similar.of_earlier(tmp_path, IDS)
    mine = texts({name: class_[name] for name in ("own 0", "own 9")})
    found = similar.compare(mine, earlier, exercises=IDS)
    assert [(p.left.owner, p.right.owner) for p in found.pairs] == [("own 0", "old 0")]
    assert found.pairs[0].right.term == tmp_path.name
    assert found.compared == 1 + 2 * 3


def test_shared_lines_are_those_of_the_copied_code():
    class_, _ = class_of(1)
    two = texts({"own 0": class_["own 0"], "copy 0": class_["copy 0"]})
    (pair,) = similar.compare(two, exercises=IDS).pairs
    for text in (pair.left, pair.right):
        lines = text.files["linear.py"].splitlines()
        marked = [lines[number - 1] for number in pair.lines(text)["linear.py"]]
        assert len(marked) > 10
        assert not any("unused" in line for line in marked)


def test_a_page_of_pairs_is_small_whatever_is_nested_in_a_text():
    lines = [f"line {number} of the text" for number in range(1, 5001)]
    fragments = tuple(f"fragment {number}" for number in range(90))
    two = [
        Text(
            name,
            name,
            {"linear.py": "\n".join(lines)},
            places={
                one: [Place("linear.py", 100 + 10 * at, 4900 - 10 * at, "softmax")]
                for at, one in enumerate(fragments)
            },
        )
        for name in ("ada\u202e", "bob")
    ]
    pair = Pair(*two, fragments, 1.0)
    assert len(pair.lines(two[0])["linear.py"]) == 180
    one = side_by_side.page(Likeness(two, [], [pair], 1), "week-1")
    assert "line 100 of" in one
    assert "line 103 of" in one
    assert "line 4904 of" not in one
    assert "\u202e" not in one
    many = side_by_side.page(Likeness(two, [], [pair] * 200, 1), "week-1")
    assert many.count("<section") == side_by_side.MOST
    assert many.count("<tr>") == 201
    empty = len(side_by_side.page(Likeness(two, [], [], 1), "week-1"))
    assert len(one) - empty < 300_000


def test_hashes_are_the_same_in_every_process(in_any_order):
    code = (
        "from grader.judge.likeness import fragments\n"
        "text = 'def f(a):\\n    return (a + 1) * (a - 2) / (a * a).sum(0)\\n'\n"
        "print([one[0] for one in fragments('f.py', text, ['f'])['found']])"
    )
    assert len(json.loads(in_any_order(code).replace("'", '"'))) > 2


def test_winnowing_finds_every_run_of_its_guarantee():
    chance = random.Random(0)
    least = likeness.RUN + likeness.WINDOW - 1
    for _ in range(200):
        shared = [str(chance.randrange(50)) for _ in range(least)]
        sides = []
        for mark in "ab":
            pad = [[f"{mark}{n}" for n in range(chance.randrange(20))] for _ in range(2)]
            words = [*pad[0], *shared, *pad[1]]
            tokens = [(word, 1) for word in words]
            sides.append({one[0] for one in likeness.winnow(tokens)})
        assert sides[0] & sides[1]


@pytest.mark.parametrize("text", ["def f(:", "x = " + "-" * 7000 + "1", "\0", ""])
def test_what_cannot_be_read_is_said(text):
    found = similar.compare(
        texts({"a": text, "b": classroom.written(random.Random(0))}), exercises=IDS
    )
    assert found.pairs == []
    assert bool(similar.as_json(found)["unread"]) == bool(text)


def test_the_order_of_the_class_does_not_matter():
    class_, _ = class_of(2)
    backwards = dict(reversed(class_.items()))
    one, other = (similar.compare(texts(each), exercises=IDS) for each in (class_, backwards))
    assert pairs(one) == pairs(other)


def test_the_cells_of_a_notebook_are_like_the_module():
    text = course.solution("linear")
    cells = f"# 3 lines\n%%grade linear.softmax\n!ls\n{text}\n%timeit softmax\n"
    assert hashes(cells) == hashes(text)
