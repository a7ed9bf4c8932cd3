"""Names in Python source, and what they reach."""

import ast

import pytest

from grader.judge import syntax

SOURCE = """\
import math
from torch import nn as layers

LIMIT = 3
LIMIT += OTHER

def helper(x):
    return math.sqrt(x)

@decorated
class Asked(layers.Module):
    size = LIMIT

    def forward(self, x):
        return helper(x)

def apart():
    return 1

OTHER = 2
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b, c as d", {"a", "d"}),
        ("from a import b as c, d", {"c", "d"}),
        ("def f(x=1): y = 2", {"f"}),
        ("class C: x = 1", {"C"}),
        ("a, (b, *c) = d", {"a", "b", "c"}),
        ("a.b[0].c = d", {"a"}),
        ("a[0] += 1", {"a"}),
        ("a: int", set()),
        ("a: int = 1", {"a"}),
        ("a.append(b)", {"a"}),
        ("a.zero_()", {"a"}),
        ("a.size()", set()),
        ("a = [b := c for c in d]", {"a", "b"}),
        ("a = lambda: (b := 1)", {"a"}),
        ("for a in b: c = 1", {"a", "c"}),
        ("with a as b: pass", {"b"}),
        ("match a:\n    case {'b': c, **d}: pass", {"c", "d"}),
    ],
)
def test_a_statement_binds_the_names_that_it_gives_a_value(text, names):
    assert syntax.binds(ast.parse(text).body[0]) == names


def test_a_name_reaches_what_it_needs_and_nothing_else():
    module = syntax.Module(SOURCE)
    lines = {node.lineno for node in module.reachable("Asked")}
    assert lines == {1, 2, 4, 5, 7, 11, 20}
    assert {node.lineno for node in module.reachable("apart")} == {17}
    assert module.reachable("nowhere") == []


def test_the_portion_of_a_symbol_holds_what_it_names_itself():
    text = syntax.portion(SOURCE, "Asked", without={"helper"})
    assert "class Asked" in text
    assert "def helper" not in text
    assert "def apart" not in text


def test_a_fingerprint_depends_on_what_is_reached():
    before = syntax.fingerprint(SOURCE, "Asked")
    for old, new in (("sqrt", "exp"), ("OTHER = 2", "OTHER = 4"), ("@decorated\n", "")):
        assert syntax.fingerprint(SOURCE.replace(old, new), "Asked") != before
    other = SOURCE.replace("return 1", "return 2")
    assert syntax.fingerprint(other, "Asked") == before


@pytest.mark.parametrize(
    ("text", "head", "path"),
    [("a.b.c", "a", ["b", "c"]), ("a", "a", []), ("f().b", None, ["b"])],
)
def test_a_chain_of_attributes_is_taken_apart(text, head, path):
    first, attributes = syntax.chain(ast.parse(text, mode="eval").body)
    assert (getattr(first, "id", None), attributes) == (head, path)
    dotted = ".".join([head, *path]) if head else ""
    assert syntax.dotted(ast.parse(text, mode="eval").body) == dotted


def test_a_statement_is_cut_by_bytes_and_with_its_decorators():
    text = "é = 1; b = 'ü'\n@f\ndef g():\n    pass\n"
    lines = [line.encode() for line in syntax.lines_of(text)]
    assert [syntax.cut(lines, node) for node in ast.parse(text).body] == [
        "é = 1",
        "b = 'ü'",
        "@f\ndef g():\n    pass",
    ]
