"""The editors on exercise cards: as a reader uses them, and that they are absent elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from driver import BROWSER, lacking

from book._ext import editor
from book.pages import BOOK, ROOT
from grader.instruct.browser import chromium
from grader.judge import records
from grader.student import workspace

SITE = ROOT / "_build" / "html"
PAGE = SITE / "book" / "linear.html"
VENDOR = BOOK / "_vendor" / "codemirror"
(SOFTMAX,) = records.select(["linear.softmax"])
POINTS = SOFTMAX.public_points
GRADE = [sys.executable, "-c", "from grader.cli import main; main()"]


@contextlib.contextmanager
def listening(command: list, pattern: str):
    """A server's port, which it says on one of its first lines."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    try:
        line = process.stdout.readline()
        found = re.search(pattern, line)
        assert found, line + process.stdout.read()
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """All that a browser sees of the page of linear models, served by both kinds of servers."""
    if not PAGE.is_file():
        pytest.skip("there is no site to look at (make book)")
    if why := lacking():
        pytest.skip(why)
    plain = [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", SITE]
    ours = [*GRADE, "serve", SITE, "--port", "0", "--per-minute", "600", "--seconds", "60"]
    with listening(ours, r":(\d+)/") as port, listening(plain, r"port (\d+)") as other:
        urls = [f"http://127.0.0.1:{one}/book/linear.html" for one in (port, other)]
        command = ["node", BROWSER / "edit.mjs", chromium(), *urls, PAGE.as_uri()]
        command.append(tmp_path_factory.mktemp("files"))
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_fails_in_the_page(seen):
    assert seen["errors"] == []


@pytest.mark.parametrize("where", ["file", "static", "script"])
def test_elsewhere_there_is_no_editor_and_nothing_is_asked_for(seen, where):
    found = seen["without"][where]
    assert found["editors"] == 0
    assert found["asked"] == []
    for said in ("grade check linear.softmax", "def softmax(", f"{POINTS} points", "Do it without"):
        assert said in found["text"]


def test_the_editor_is_loaded_when_one_is_opened(seen):
    assert seen["before"]["editors"] == len(records.manifests("linear"))
    assert seen["before"]["asked"] == []


def test_it_begins_with_the_skeleton(seen):
    opened = seen["opened"]
    assert opened["text"].startswith("def softmax(")
    assert opened["text"].endswith('    """\n    raise NotImplementedError')
    assert opened["label"] == "Your answer: linear.softmax"
    assert opened["focused"]
    assert "import torch" in opened["given"]


def test_tab_indents_undo_undoes_and_escape_tab_leaves(seen):
    assert seen["indented"] == "        x"  # Enter indents like the line before
    assert seen["outdented"] == "    x"
    assert seen["undone"] != seen["outdented"]
    assert "return powers / powers.sum()" in seen["typed"]  # nothing took the slash
    assert seen["left"] == "Check"


def test_a_wrong_answer_is_told_as_in_a_notebook(seen):
    wrong = seen["wrong"]
    assert re.fullmatch(rf"Points: \d of {POINTS}", wrong["state"])
    assert "This is a known mistake." in wrong["text"]
    assert "The sum ran over all numbers" in wrong["text"]
    assert wrong["maps"] == 3
    parser = HTMLParser()
    ids: list[str] = []
    parser.handle_starttag = lambda tag, attrs: ids.append(dict(attrs).get("id", ""))
    parser.feed(PAGE.read_text("utf-8"))
    assert len(wrong["links"]) == 1
    page, _, section = wrong["links"][0].partition("#")
    assert page == "linear.html"
    assert section in ids


def test_a_right_answer_passes_and_counts(seen):
    assert seen["right"]["state"] == f"Points: {POINTS} of {POINTS}"
    assert "✓ Passed" in seen["right"]["points"]
    assert re.search(r"Exercises passed: 1/\d+", " ".join(seen["right"]["chapter"].split()))


def test_files_are_saved_and_opened(seen):
    assert seen["saved"]["name"] == "linear.py"
    text = seen["saved"]["text"]
    compile(text, "linear.py", "exec")
    assert "powers.sum(dim=dim, keepdim=True)" in text
    blank = workspace.skeleton("linear")
    assert text.count("raise NotImplementedError") == blank.count("raise NotImplementedError") - 1
    assert seen["reset"]
    assert seen["unreset"]
    assert seen["loaded"]["same"]
    assert seen["loaded"]["state"] == "Opened: softmax"


def test_a_file_keeps_what_stands_between_its_answers(seen):
    text = seen["mixed"]["text"]
    assert text.startswith("import statistics\n\nHALF = 0.5  # mine\n\n\ndef helper(x):")
    assert "@torch.no_grad()\ndef softmax(" in text
    assert text.endswith("AFTER = 1")
    assert "none of this chapter's exercises" in seen["foreign"]["state"]
    assert seen["foreign"]["text"] == text


def test_answers_are_kept_and_sent_with_later_ones(seen):
    assert seen["again"] == 1
    assert seen["sent"] == {"exercise": "linear.cross_entropy", "earlier": True}


def test_a_server_that_is_full_or_away_is_told_of(seen):
    assert seen["full"] == "Come again in 3 s."
    assert "does not answer" in seen["away"]


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
def test_everyone_can_use_it(seen, view):
    assert seen["views"][view] == []


def test_on_a_phone_nothing_is_cut_off(seen):
    assert seen["sideways"] <= 0


# What is built


def test_pages_get_little_heavier_until_an_editor_is_opened():
    assert (BOOK / "_static" / "editor.js").stat().st_size < 16_000


def test_skeletons_are_written_for_every_chapter(tmp_path):
    (tmp_path / "_static").mkdir()
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    editor.write_skeletons(app, None)
    files = {path.stem: path for path in tmp_path.glob("_static/exercises/*.json")}
    assert set(files) == set(records.slugs())
    for slug, path in files.items():
        pieces = json.loads(path.read_text("utf-8"))["pieces"]
        symbols = [symbol for symbol, _ in pieces if symbol]
        assert symbols == [one.symbol for one in records.manifests(slug)] or set(symbols) == {
            one.symbol for one in records.manifests(slug)
        }
        text = "\n\n\n".join(text for _, text in pieces) + "\n"
        compile(text, slug, "exec")


@pytest.mark.parametrize(
    ("address", "tag"),
    [
        ("", None),
        ("https://checks.example", '<meta name="course-server" content="https://checks.example">'),
        ('"><script>', '<meta name="course-server" content="&quot;&gt;&lt;script&gt;">'),
    ],
)
def test_a_server_is_named_in_the_head_of_pages(address, tag):
    app = SimpleNamespace(config=SimpleNamespace(course_server=address))
    context = {"metatags": "<meta>"}
    editor.name_server(app, "book/linear", "page.html", context, None)
    assert context["metatags"] == "<meta>" + (f"{tag}\n" if tag else "")


def test_the_vendored_editor_is_what_its_lock_names():
    locked = json.loads((BOOK / "codemirror" / "package-lock.json").read_text())["packages"]
    wanted = json.loads((BOOK / "codemirror" / "package.json").read_text())["dependencies"]
    assert locked.pop("")["dependencies"] == wanted
    banner = (VENDOR / "codemirror.min.js").read_text("utf-8").partition("\n")[0]
    named = dict(re.findall(r"(@?[\w/-]+) (\d+\.\d+\.\d+)", banner))
    assert {"@codemirror/view", "@codemirror/state", "@lezer/python"} <= set(named)
    versions = {name: locked[f"node_modules/{name}"]["version"] for name in named}
    assert named == versions
    licenses = (VENDOR / "LICENSE").read_text("utf-8")
    assert all(f"{name} {version}" in licenses for name, version in named.items())
