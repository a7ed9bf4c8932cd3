"""A student's submission is read, or refused with one sentence."""

import json
import zipfile
from pathlib import Path

import pytest

from grader.errors import UserError
from grader.judge.submission import find, read


def write_notebook(path, *cells):
    body = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    path.write_text(json.dumps(body))
    return path


def test_module_is_taken_as_it_is(tmp_path):
    path = tmp_path / "linear.py"
    path.write_bytes("\ufeffx = 'é'\r\n".encode())
    submission = read(path, "linear")
    assert submission.text == "x = 'é'\n"
    assert submission.filename == "linear.py"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("linear.txt", b"", "neither a Python module"),
        ("linear.ipynb", b"{", "not a Jupyter notebook"),
        ("linear.ipynb", b"[]", "not a Jupyter notebook"),
        ("linear.ipynb", b'{"cells": [3]}', "not a Jupyter notebook"),
        ("linear.py", b"\xff\xfe", "not UTF-8"),
        ("linear.py", b" " * (5 * 2**20 + 1), "larger than 256 KB"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=words):
        read(path, "linear")


def test_a_module_is_read_in_the_encoding_that_it_names(tmp_path):
    path = tmp_path / "linear.py"
    text = "# -*- coding: latin-1 -*-\nname = 'Zoë'\n"
    path.write_bytes(text.encode("latin-1"))
    assert read(path, "linear").text == text
    path.write_bytes(text.replace("latin-1", "rot13").encode())
    with pytest.raises(UserError, match="is not text in rot13, as it says"):
        read(path, "linear")


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        read(tmp_path / "linear.py", "linear")
    with pytest.raises(UserError, match="holds neither linear"):
        read(tmp_path, "linear")
    with pytest.raises(UserError, match="is not a file"):
        read(Path("/dev/null"), "linear")


def write_zip(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_zip_gives_the_chapter_wherever_it_lies(tmp_path):
    files = {"hand-in/week1/linear.py": "x = 1\n", "hand-in/other.py": "x = 2\n"}
    assert read(write_zip(tmp_path / "a.zip", **files), "linear").text == "x = 1\n"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"other.py": ""}, "holds neither linear.py nor linear.ipynb"),
        ({"a/linear.py": "", "b/linear.py": ""}, "holds 2 files linear.py"),
        ({"linear.py": b" " * (200 * 2**20)}, "larger than 256 KB"),  # 200 KB packed
        ({"linear.py": b"\xff"}, "not UTF-8"),
    ],
)
def test_zip_that_cannot_be_used_is_refused(tmp_path, files, words):
    with pytest.raises(UserError, match=words):
        read(write_zip(tmp_path / "a.zip", **files), "linear")


def test_broken_zip_is_refused(tmp_path):
    path = write_zip(tmp_path / "a.zip", **{"linear.py": "x = 1\n" * 1000})
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UserError, match="cannot be read as a zip archive"):
        read(path, "linear")


def test_zip_with_escaping_names_writes_nothing(tmp_path):
    path = write_zip(tmp_path / "a.zip", **{"../../linear.py": "x = 1\n"})
    before = sorted(tmp_path.parent.iterdir())
    assert read(path, "linear").text == "x = 1\n"
    assert sorted(tmp_path.parent.iterdir()) == before


def test_module_is_found_before_notebook(tmp_path):
    assert find(tmp_path, "linear") is None
    (tmp_path / "linear.ipynb").write_text("{}")
    assert find(tmp_path, "linear").suffix == ".ipynb"
    (tmp_path / "linear.py").write_text("")
    assert find(tmp_path, "linear").suffix == ".py"
