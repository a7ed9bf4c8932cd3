"""Every public name of `solutions` is typed, and its docstring agrees with its signature."""

import importlib
import inspect
import pkgutil
import re

import pytest
from torch import nn

import solutions


def public():
    """Every public function and class of every module, by dotted name."""
    for info in pkgutil.iter_modules(solutions.__path__):
        module = importlib.import_module(f"solutions.{info.name}")
        for name, value in vars(module).items():
            here = getattr(value, "__module__", None) == module.__name__
            if (
                here
                and not name.startswith("_")
                and (inspect.isfunction(value) or isinstance(value, type))
            ):
                yield f"{info.name}.{name}", value


PUBLIC = dict(public())
CALLABLES = (
    {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
    | {
        f"{name}.__init__": value.__init__
        for name, value in PUBLIC.items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    | {
        f"{name}.forward": value.forward
        for name, value in PUBLIC.items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
)


def section(doc, title):
    """Names listed under a section of a docstring, in order."""
    found = re.search(rf"^{title}:\n((?:    .*\n|\n)*)", doc + "\n", re.MULTILINE)
    return re.findall(r"^    (\w+):", found.group(1), re.MULTILINE) if found else []


def documentation(name):
    """The docstring of a function or method; a class may document its constructor itself."""
    owner, _, method = name.rpartition(".")
    if method == "__init__" and not CALLABLES[name].__doc__:
        return inspect.getdoc(PUBLIC[owner]) or ""
    return inspect.getdoc(CALLABLES[name]) or ""


def test_there_is_something_to_check():
    assert len(PUBLIC) > 10
    assert any(name.endswith(".forward") for name in CALLABLES)


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_arguments_are_typed_and_listed_in_order(name):
    parameters = [
        p for p in inspect.signature(CALLABLES[name]).parameters.values() if p.name != "self"
    ]
    untyped = [p.name for p in parameters if p.annotation is p.empty]
    assert untyped == []
    assert section(documentation(name), "Args") == [p.name for p in parameters]


@pytest.mark.parametrize("name", sorted(n for n in CALLABLES if not n.endswith(".__init__")))
def test_what_is_returned_is_said(name):
    annotation = inspect.signature(CALLABLES[name]).return_annotation
    assert annotation is not inspect.Signature.empty
    if annotation not in (None, "None"):
        assert re.search(r"^(Returns|Yields):", documentation(name), re.MULTILINE)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_first_line_is_a_sentence(name):
    first = (inspect.getdoc(PUBLIC[name]) or "").splitlines()[0]
    assert first.endswith((".", ":"))
    assert len(first) <= 100
