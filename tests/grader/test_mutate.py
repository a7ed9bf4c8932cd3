"""Mutants: every small change of a definition, each once, and none of what is not graded."""

import ast

from grader.author.mutate import mutants

SOURCE = '''import torch


def average(x, mask=None, *, dim=-1, keep=False):
    """The mean, 1 of several."""
    if x.dim() == 0:
        raise ValueError(f"x needs at least 1 axis, got {x.dim()}")
    _check_mask(mask)
    total = x.sum(dim=-1, keepdim=True) / x.shape[-1]
    if mask is not None and total.numel() > 3:
        total += 2.5
    return torch.relu(-total) if keep else total


def other(x):
    return x + 1
'''


def names(source=SOURCE, symbol="average"):
    return [mutant.name for mutant in mutants(source, symbol)]


def test_each_mutant_is_another_program_that_compiles():
    found = list(mutants(SOURCE, "average"))
    assert len({mutant.source for mutant in found}) == len(found) > 15
    for mutant in found:
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(SOURCE))


def test_operators_constants_signs_calls_and_statements_are_changed():
    found = names()
    for line in (
        "total = ((x.sum(dim=-1, keepdim=True)) * (x.shape[-1]))",
        "total = (x.sum(dim=-1, keepdim=True))",
        "total = x.sum(dim=-2, keepdim=True) / x.shape[-1]",
        "total = x.sum(dim=0, keepdim=True) / x.shape[-1]",
        "total = x.sum(dim=-1) / x.shape[-1]",
        "total = x.sum(dim=-1, keepdim=False) / x.shape[-1]",
        "total = (x) / x.shape[-1]",
        "if mask is not None and ((total.numel()) >= (3)):",
        "total += 3.5",
        "pass # total += 2.5",
        "return torch.relu((total)) if keep else total",
        "return (-total) if keep else total",
        "return (torch.relu(-total))",
        "return (total)",
    ):
        assert line in found, found


def test_guards_docstrings_signatures_and_other_definitions_stay():
    for mutant in mutants(SOURCE, "average"):
        assert '"""The mean, 1 of several."""' in mutant.source
        assert "if x.dim() == 0:\n        raise ValueError(f" in mutant.source
        assert "_check_mask(mask)" in mutant.source
        assert "dim=-1, keep=False" in mutant.source
        assert "return x + 1" in mutant.source


def test_letters_beyond_ascii_do_not_shift_the_change():
    text = "def f(x):\n    α = x * 2  # ∑ over √\n    return α + 1\n"
    assert "α = ((x) / (2))" in names(text, "f")
    assert "return ((α) - (1))" in names(text, "f")


def test_zip_may_or_may_not_be_strict():
    text = "def f(a, b):\n    return [x - y for x, y in zip(a, b, strict=True)]\n"
    found = [mutant.source for mutant in mutants(text, "f")]
    assert found
    assert all("strict=True" in mutant for mutant in found)
