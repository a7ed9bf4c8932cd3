"""What a student hands in is read, or refused with one sentence."""

import json

import pytest

from grader.exercise import UserError
from grader.submission import find, read


def write_notebook(path, *cells):
    body = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    path.write_text(json.dumps(body))
    return path


def test_module_is_taken_as_it_is(tmp_path):
    path = tmp_path / "linear.py"
    path.write_bytes("\ufeffx = 'é'\r\n".encode())
    submission = read(path)
    assert submission.text == "x = 'é'\n"
    assert submission.filename == "linear.py"


def test_notebook_gives_its_definitions(tmp_path):
    path = write_notebook(
        tmp_path / "linear.ipynb",
        ["%matplotlib inline\n", "import torch\n", "!ls\n"],
        "def f(x):\n    return x\n\nf(torch.ones(3)).plot()",
        "this is no Python",
        "history = train(f)",
    )
    names = {}
    exec(read(path).text, names)
    assert names["f"](3) == 3
    assert "history" not in names


def test_broken_definition_in_a_notebook_is_kept_for_the_error(tmp_path):
    path = write_notebook(tmp_path / "linear.ipynb", "def f(x):\n    return (x")
    with pytest.raises(SyntaxError):
        compile(read(path).text, "linear.ipynb", "exec")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("linear.txt", b"", "neither a Python module"),
        ("linear.ipynb", b"{", "not a Jupyter notebook"),
        ("linear.ipynb", b"[]", "not a Jupyter notebook"),
        ("linear.ipynb", b'{"cells": [3]}', "not a Jupyter notebook"),
        ("linear.py", b"\xff\xfe", "not UTF-8"),
        ("linear.py", b" " * (5 * 2**20 + 1), "larger than 5 MB"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=words):
        read(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        read(tmp_path / "linear.py")
    with pytest.raises(UserError, match="is not a file"):
        read(tmp_path)


def test_module_is_found_before_notebook(tmp_path):
    assert find(tmp_path, "linear") is None
    (tmp_path / "linear.ipynb").write_text("{}")
    assert find(tmp_path, "linear").suffix == ".ipynb"
    (tmp_path / "linear.py").write_text("")
    assert find(tmp_path, "linear").suffix == ".py"
