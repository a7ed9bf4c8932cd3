"""Reading and rewriting source: skeletons, mistakes, shortcuts."""

import ast

import pytest

from grader import course
from grader.judge import inspection, source, syntax

MODULE = '''"""A module."""

import math

import torch
import torch.nn.functional as F
from torch import nn

_SCALE = 2.0
LIMIT = 3


def _helper(x):
    return x * _SCALE


def given(x):
    """Stays."""
    return x + LIMIT


@torch.no_grad()
def answer(x, *, axis=-1):
    """Say what to do.

    In two paragraphs.
    """
    return _helper(x) / math.sqrt(x.shape[axis])


class Layer(nn.Module):
    """A layer.

    Parameters: weight (D,).
    """

    bias = None

    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def _secret(self, x):
        return x * self.weight

    def forward(self, x):
        """Scale."""
        return self._secret(x)
'''


def test_blank_keeps_heads_and_drops_answers():
    skeleton = source.blank(MODULE, {"answer", "Layer"})
    ast.parse(skeleton)
    assert "def answer(x, *, axis=-1):" in skeleton
    assert "@torch.no_grad()" in skeleton
    assert "In two paragraphs." in skeleton
    assert "Parameters: weight (D,)." in skeleton
    assert "def forward(self, x):" in skeleton
    assert '"""Scale."""' in skeleton
    assert skeleton.count("raise NotImplementedError") == 3
    for gone in ("_helper", "_SCALE", "_secret", "math.sqrt(", "nn.Parameter"):
        assert gone not in skeleton
    assert "return x + LIMIT" in skeleton  # not an exercise


def test_blank_keeps_private_helpers_of_what_stays():
    text = (
        "def _inner(x):\n    return x + 1\n\n\ndef _outer(x):\n    return _inner(x)\n\n\n"
        "def _only_the_answer(x):\n    return x\n\n\n"
        "def given(x):\n    return _outer(x)\n\n\n"
        "def asked(x):\n    return _only_the_answer(x) + _inner(x)\n"
    )
    names = {}
    exec(source.blank(text, {"asked"}), names)
    assert names["given"](1) == 2
    assert "_only_the_answer" not in names


def test_blank_of_a_function_without_docstring():
    assert source.blank("def f(x):\n    return x\n", {"f"}) == (
        "def f(x):\n    raise NotImplementedError\n"
    )


def test_replace_takes_the_last_definition_as_python_does():
    text = "def f():\n    return 1\n\n\ndef f():\n    return 2\n"
    new = source.replace(text, "f", "def f():\n    return 3\n")
    names = {}
    exec(new, names)
    assert names["f"]() == 3
    assert "return 1" in new
    assert "return 2" not in new


def test_change_demands_exactly_one_place():
    changed = source.change(MODULE, "answer", {"math.sqrt(x.shape[axis])": "x.shape[axis]"})
    assert "/ x.shape[axis]" in changed
    with pytest.raises(LookupError, match="0 times"):
        source.change(MODULE, "answer", {"absent": ""})
    with pytest.raises(LookupError, match="times"):
        source.change(MODULE, "answer", {"x": "y"})
    with pytest.raises(LookupError, match="no function or class 'nothing'"):
        syntax.text_of(MODULE, "nothing")


FORBIDDEN = ("F.softmax", "torch.softmax", "Tensor.softmax", "nn.Softmax")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("import torch.nn.functional as F\ndef f(x):\n    return F.softmax(x, -1)", "F.softmax"),
        (
            "from torch.nn import functional\ndef f(x):\n    return functional.softmax(x)",
            "F.softmax",
        ),
        ("from torch.nn.functional import softmax as s\ndef f(x):\n    return s(x)", "F.softmax"),
        ("import torch\ndef f(x):\n    return torch.nn.functional.softmax(x, -1)", "F.softmax"),
        ("import torch as t\ndef f(x):\n    return t.softmax(x, -1)", "torch.softmax"),
        ("def f(x):\n    return x.softmax(-1)", "Tensor.softmax"),
        ("def f(x):\n    return (x + 1).softmax(-1)", "Tensor.softmax"),
        ("from torch import nn\ndef f(x):\n    return nn.Softmax(-1)(x)", "nn.Softmax"),
        ("import torch\nG = torch.nn.functional\ndef f(x):\n    return G.softmax(x)", "F.softmax"),
        ("import torch\ndef f(x):\n    return getattr(torch, 'softmax')(x, -1)", "nn.Softmax"),
        (
            "import torch\ndef g(x):\n    return torch.softmax(x, 0)\ndef f(x):\n    return g(x)",
            None,
        ),
    ],
)
def test_shortcuts_are_found(body, name):
    found = [used for used, _ in inspection.shortcuts(body, "f", FORBIDDEN)]
    assert found
    assert name is None or name in found or found[0].lower().endswith("softmax")


READY_MADE = ("torch.optim.Adam", "torch.distributions", "nn.init.normal_", "nn.Linear")


@pytest.mark.parametrize(
    "text",
    [
        "from torch.distributions import Normal\nf = Normal",
        "import torch.distributions.normal as n\ndef f(x): return n.Normal(x, 1)",
        "import torch\ndef f(x): return torch.distributions.normal.Normal(x, 1)",
        "from torch.optim import adam\nclass f(adam.Adam): pass",
        "import torch\nclass f(torch.optim.adam.Adam): pass",
        "from torch.nn.modules.linear import Linear as L\nclass f(L): pass",
        "import torch\ndef f(x): pass\nglobals()['f'] = torch.optim.Adam",
        "import torch\ndef f(x): pass\nglobals().update(f=torch.optim.Adam)",
        "import torch, linear\ndef f(x): pass\nlinear.f = torch.optim.Adam",
        "import torch, linear\ndef f(x): pass\nsetattr(linear, 'f', torch.optim.Adam)",
        "from torch.optim import Adam as f",
        "try: pass\nfinally:\n    from torch.optim.adam import Adam as f",
        "from torch.optim import *\nclass f(Adam): pass",
        "from scipy.signal import correlate2d as f",
        "import scipy.signal\ndef f(x): return scipy.signal.correlate2d(x, x)",
        "def f(x):\n    from sklearn import preprocessing as p\n    return p.normalize(x)",
        "import scipy as s\nspecial = s.special\ndef f(x): return special.softmax(x)",
        "from torch.distributions import *\ndef f(x): return Normal(x, 1)",
        "from torch import nn\nmatch nn.init:\n    case object(normal_=g): f = g",
    ],
)
def test_what_is_ready_made_is_found_under_every_path(text):
    assert list(inspection.shortcuts(text, "f", READY_MADE))


@pytest.mark.parametrize(
    "text",
    [
        "import sacrebleu\ndef f(x): return sacrebleu.corpus_bleu(*x)",
        "from networkx import topological_sort as f",
        "def f(x):\n    from transformers import BertTokenizer as B\n    return B(x)",
    ],
)
def test_a_ready_made_library_is_found_where_nothing_is_forbidden(text):
    assert list(inspection.shortcuts(text, "f", ()))


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nclass f(torch.optim.Optimizer):\n    x = torch.optim.Optimizer.step",
        "from torch.nn.modules.utils import _pair\ndef f(x): return _pair(x)",
        "from torch import Tensor, nn\nclass f(nn.Module):\n    x: Tensor = nn.Parameter(3)",
        "from torch.optim import Adam as f\nfrom torch.nn.init import *\ndef f(x): return x",
        "import torch\ndef f(x): return x\nprint('f', f(3) == torch.optim.Adam)",
    ],
)
def test_what_stands_beside_it_is_no_shortcut(text):
    assert list(inspection.shortcuts(text, "f", READY_MADE)) == []


@pytest.mark.parametrize(
    "body",
    [
        "import torch\ndef softmax(x):\n    e = x.exp()\n    return e / e.sum()\n"
        "def f(x):\n    return softmax(x)",
        "import torch.nn.functional as F\ndef other(x):\n    return F.softmax(x, -1)\n"
        "def f(x):\n    return x",
        'def f(x):\n    """Write softmax without F.softmax."""\n    return x',
    ],
)
def test_own_functions_and_other_exercises_are_no_shortcuts(body):
    assert list(inspection.shortcuts(body, "f", FORBIDDEN)) == []


FILE = """
import torch
RATE = {rate}

def helper(x):
    return x {helper}
def f(x):
    return helper(x) * RATE
def other(x):
    return x {other}
start = other(3)
"""


def fingerprint_of(symbol, rate=1, helper="+ 1", other="+ 1"):
    return syntax.fingerprint(FILE.format(rate=rate, helper=helper, other=other), symbol)


def test_fingerprint_sees_what_a_result_depends_on():
    text = "def f(x):\n    return g(x)\ndef g(x):\n    return {}\ndef h(x):\n    return {}\n"
    first = syntax.fingerprint(text.format(1, 1), "f")
    assert syntax.fingerprint("\n\n" + text.format(1, 1), "f") == first  # moved down
    assert syntax.fingerprint(text.format(1, 2), "f") == first  # h is not used
    assert syntax.fingerprint(text.format(2, 1), "f") != first  # g is
    assert fingerprint_of("f") != fingerprint_of("f", rate=2)
    assert fingerprint_of("f") != fingerprint_of("f", helper="- 1")
    assert fingerprint_of("f") != fingerprint_of("f", other="- 1")  # runs when the file does
    assert syntax.fingerprint("def f(:", "f") == "def f(:"


LEADING_OUT = {
    "sys.modules": "import sys\nx = sys.modules['probes']",
    "from": "from sys import modules as m\nm['a']",
    "a star": "from sys import *\nx = modules",
    "another name": "import sys\ns = sys\ns.modules",
    "another module's": "import os\ns = os.sys\ns.modules",
    "in one step": "import os\nos.sys.modules",
    "a tuple": "import sys\n(s,) = (sys,)\ns.modules",
    "handed on": "import sys\ndef f(a): return a\nf(sys)",
    "a pattern": "import sys\nmatch sys:\n    case object(modules=m): pass",
    "getattr": "import sys\ngetattr(sys, 'mod' + 'ules')",
    "a computed name": "import sys\ngetattr(sys, x)",
    "torch.ops": "import torch\ntorch.ops.aten.softmax",
    "a private name": "import torch as t\nt._softmax",
    "a private module": "from torch import _C\n_C.x",
    "from a private module": "from torch._C import DisableTorchFunction as d\nd()",
    "a private module that is loaded": "import torch, torch._inductor.fx_passes.post_grad",
    "one under another name": "import torch._inductor.fx_passes.post_grad as unused",
    "from one that is loaded": "from torch._inductor.fx_passes import post_grad",
    "a private decorator": "import torch\n@torch._dynamo.disable\ndef f(): pass",
    "vars": "import torch\nvars(torch)['softmax']",
    "__dict__": "import torch.nn.functional as F\nF.__dict__['softmax']",
    "a frame": "try: 1 / 0\nexcept Exception as e: e.__traceback__.tb_frame",
    "the worker": "import probes\nprobes.same = 1",
    "importlib": "from importlib import import_module\nimport_module('sys')",
    "eval": "eval('1')",
    "__import__": "__import__('os')",
    "under an if": "if True:\n    import ctypes as c\n    def f(): return c.CDLL",
    "through another module": "from os import sys\nsys.modules",
    "through a private name of one": "from threading import _sys as s\ns.modules",
    "another module's, handed on": "import os\ndef f(s=os.sys): return s.modules",
    "in brackets": "import os\n(s := os.sys).modules",
    "getattr of another module": "import os\ngetattr(os, 'sys').modules",
    "a pattern of attributes": "match t:\n    case object(tb_frame=object(f_back=f)): pass",
    "a pattern of modules": "import os\nmatch os:\n    case object(sys=s): pass",
    "a name in a text": "globals()['__builtins__']['eval']('1')",
    "a path in a text": "import operator, os\noperator.attrgetter('sys.modules')(os)",
    "part of a path in a text": "attrgetter('x.f_back.f_globals')(f)",
    "a parameter elsewhere": "def f(eval): return eval\neval('1')",
    "a parameter's default": "def f(eval=eval('1')): return eval",
    "itself": "eval = eval\neval('1')",
    "a method of that name": "class A:\n    def eval(self): return eval('1')",
    "in a class": "import sys\nclass A:\n    x = sys.modules",
}


@pytest.mark.parametrize("text", LEADING_OUT.values(), ids=LEADING_OUT)
def test_what_leads_out_is_found(text):
    assert list(inspection.Inspection(text).leads_out())


@pytest.mark.parametrize(
    "above",
    [
        "__name__ = '__main__'",
        "globals()['__name__'] = '__main__'",
        "from other import main as __name__",
        "try: f()\nexcept Other as __name__: pass",
        "match '__main__':\n    case __name__: pass",
    ],
)
def test_the_command_line_s_part_is_read_where_it_may_run(above):
    part = "if __name__ == '__main__':\n    import sys\n    print(sys.modules)\n"
    assert not list(inspection.Inspection(part).leads_out())
    assert list(inspection.Inspection(f"{above}\n{part}").leads_out())
    other = f"__main__ = __name__\n{part}".replace("'__main__'", "__main__")
    assert list(inspection.Inspection(other).leads_out())


@pytest.mark.parametrize(
    "text",
    [
        "import ctypes, sys, gc, importlib, probes\nfrom torch import _C",
        "import sys\nif __name__ == '__main__':\n    sys.modules",
        "def f(gc, sys): return gc * sys.modules",
        "import gc, sys\ngc.collect()\nsys.setrecursionlimit(3)\nprint(1, file=sys.stdout)",
        "import torch, re\ntorch.compile(x)\nx.eval()\nre.compile('x')\nself.__dict__.update(a)",
        "def compile(x): return x\ncompile(3)",
        "def f(eval): return eval(3)\nclass A:\n    def eval(self): return self.eval()",
        "def f(x):\n    compile = x\n    return compile\neval = f(3)\nprint(eval)",
        "from torch.nn.modules.utils import _pair\n_pair(3)\nx._version",
        "student = pair.student\nstudent.forward(x)\npair.server.probes(x)",
        "import inspect, threading\ninspect.signature(f)\nthreading.Thread(target=f)",
    ],
)
def test_what_leads_nowhere_is_not(text):
    assert list(inspection.Inspection(text).leads_out()) == []


@pytest.mark.parametrize("slug", ["linear", "training", "self_attention"])
def test_no_solution_leads_out(slug):
    assert list(inspection.Inspection(course.solution(slug)).leads_out()) == []


def test_methods_and_words_of_the_same_name_are_no_shortcuts():
    own = "class S:\n    def softmax(self, x): return x.exp()\n"
    own += "    def __call__(self, x): return self.softmax(x)\ndef f(x): return S()(x)"
    word = "KINDS = {'softmax': 3}\ndef f(x): return KINDS['softmax']"
    for text in (own, word):
        assert list(inspection.shortcuts(text, "f", FORBIDDEN)) == []
