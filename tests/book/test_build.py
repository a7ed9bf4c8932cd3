"""The parts of the course fit together: pages, chains of a slug, imports, addresses, commands."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import jupytext
import psutil
import pytest
import yaml
from click.testing import CliRunner
from docutils.core import publish_doctree
from myst_nb.core.config import NbParserConfig
from myst_parser.config.main import MdParserConfig

from book import pages
from book._ext import edition, front, weight
from book.pages import BOOK, ROOT, TEMPLATE, address, cells, chapters, slugs, tags
from book.reach import imports
from grader.author import catalog

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text())
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS = slugs()
LADDERS = [page.stem for page in chapters() if page.stem not in CHAPTERS]


# Pages


def test_contents_list_every_page_once():
    listed = [page["file"] for part in TOC["parts"] for page in part["chapters"]]
    here = sorted(f"book/{page.stem}" for page in BOOK.glob("*.md"))
    assert sorted([TOC["root"], *listed]) == here
    (api,) = (page for part in TOC["parts"] for page in part["chapters"] if "sections" in page)
    assert api == {"file": "book/api", "sections": [{"glob": "book/api/*"}]}


def test_every_module_has_its_page():
    named = {path.stem for path in (ROOT / "solutions").glob("[a-z]*.py")}
    assert {path.stem for path in (BOOK / "api").glob("*.md")} == named


def test_what_takes_longer_than_torch_has_its_reason():
    document = json.loads((ROOT / "benchmarks" / "speed.json").read_text())
    slow = {row["name"] for row in document["rows"] if row["ours"] > 1.5 * row["torch"]}
    page = (BOOK / "api.md").read_text()
    assert slow
    assert set(re.findall(r"^- `([\w.]+)`, \d", page, re.MULTILINE)) == slow


def test_style_sheets_and_scripts_are_there():
    sphinx = CONFIG["sphinx"]["config"]
    folders = [ROOT / folder for folder in sphinx["html_static_path"]]
    some = re.findall(r'app.add_\w+_file\("(.+?)"', (BOOK / "_ext" / "weight.py").read_text())
    assert len(some) == 2
    for name in [*sphinx["html_css_files"], *sphinx["html_js_files"], *some]:
        assert any((folder / name).is_file() for folder in folders), name


def test_no_static_folder_at_the_root():
    # Jupyter Book puts every script and style under it into every page
    assert not (ROOT / "_static").exists()


@pytest.mark.parametrize("slug", CHAPTERS)
def test_first_cell_installs_the_course_where_it_is_missing(slug):
    first, wanted = first_cell(BOOK / f"{slug}.md"), first_cell(TEMPLATE)
    assert first.source == wanted.source
    assert tags(first) == tags(wanted) == ["remove-cell"]
    assert first_cell(BOOK / f"{slug}.ipynb").source == wanted.source


def first_cell(path):
    return next(cell for cell in jupytext.read(path).cells if cell.cell_type == "code")


@pytest.mark.parametrize("slug", CHAPTERS)
def test_answers_reach_a_page_through_show_alone(slug):
    text = (BOOK / f"{slug}.md").read_text()
    assert "{solution" not in text  # the student edition would hold it
    assert "getsource" not in text


# Registered once: what follows from _toc.yml


def test_what_lists_the_chapters_follows_the_table_of_contents():
    texts = pages.written()
    stale = [path.name for path, text in texts.items() if path.read_text() != text]
    assert not stale, "these differ from _toc.yml: make sync"


def test_lists_name_chapters_in_order_and_keep_what_is_said_of_them(project):
    before = (project / "book/index.md").read_text()
    toc = (project / "_toc.yml").read_text()
    (project / "_toc.yml").write_text(toc.replace("book/far", "book/new").replace("near", "far"))
    for name in ("new", "far"):
        text = TEMPLATE.read_text().replace("TITLE", name.title())
        (project / f"book/{name}.md").write_text(text)
    (project / "solutions/new.py").write_text("")
    texts = {path.name: text for path, text in pages.written().items()}
    assert "- **Part**: [Far](book/far.md), [New](book/new.md)\n" in texts["README.md"]
    said = re.search(r"\[Far\]\(far.md\)\n(: .*\n  .*\n)", before)[1]
    listed = f"\n**Part**\n\n[Far](far.md)\n{said}\n[New](new.md)\n: Being written.\n"
    assert listed in texts["index.md"]
    modules = re.findall(r"`(\w+)`\]\(api/", texts["api.md"])
    assert modules == ["new", "apart", "near"]  # far has none, and near is no chapter any more
    for name in modules:
        assert f"automodule:: solutions.{name}\n" in texts[f"{name}.md"]
    for text in (texts["README.md"], texts["index.md"], texts["api.md"]):
        assert text.startswith("Before.\n")
        assert text.endswith("\nAfter.\n")


def test_a_list_that_has_lost_its_place_is_said(project):
    (project / "README.md").write_text("No chapters.")
    done = CliRunner().invoke(pages.main, ["sync"])
    assert done.exit_code == 2
    assert "README.md needs two lines around its chapters" in done.output


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_chapter_begins_with_all_its_files(project):
    CliRunner().invoke(pages.main, ["sync"])
    before = everything(project)
    done = CliRunner().invoke(pages.main, ["chapter", "gates", "GRU & LSTM: it's gated"])
    assert done.exit_code == 0, done.output
    after = everything(project)
    new = {str(path.relative_to(project)) for path in after.keys() - before.keys()}
    changed = {path.name for path in before if after[path] != before[path]}
    assert new == {
        "book/gates.md",
        "book/gates.ipynb",
        "solutions/gates.py",
        "tests/solutions/test_gates.py",
        "book/api/gates.md",
    }
    assert {"_toc.yml", "README.md", "index.md", "api.md"} <= changed
    drawn = (project / "book/index.md").read_text()
    assert ":alt: A map.\nnear 0 0\nfar 1.5 4 < near\ngates 0 5\n```\n" in drawn
    assert front.asks((project / "book/gates.md").read_text())
    assert [page.stem for page in chapters()] == ["near", "far", "gates"]
    assert pages.heading(project / "book/gates.md") == "GRU & LSTM: it's gated"
    assert "SLUG" not in after[project / "book/gates.md"].decode()
    for name in ("solutions/gates.py", "tests/solutions/test_gates.py"):
        assert isinstance(ast.parse(after[project / name]).body[0].value, ast.Constant)
    shutil.copy(ROOT / "pyproject.toml", project)
    for command in ("check", "format --check"):
        files = [project / name for name in sorted(new) if not name.endswith(".md")]
        subprocess.run(
            [sys.executable, "-m", "ruff", *command.split(), "--no-cache", *files], check=True
        )


@pytest.mark.parametrize(
    ("slug", "title", "said"),
    [
        ("", "", "SLUG is ''"),
        ("Gates", "Gates", "SLUG is 'Gates'"),
        ("../gates", "Gates", "SLUG is '../gates'"),
        ("class", "Classes", "SLUG is 'class'"),
        ("compression", "Smaller models", "'compression' is a module of Python's library"),
        ("--run", "Gates", "SLUG is '--run'"),
        ("gates", "", "TITLE is ''"),
        ("gates", 'A """ title', "TITLE is"),
        ("gates", "Two\nlines", "TITLE is"),
        ("gates", "x" * 61, "TITLE is"),
        ("near", "Near", "book/near.md is there already"),
        ("apart", "Apart", "solutions/apart.py is there already"),
    ],
)
def test_a_chapter_that_cannot_be_is_one_message_and_nothing_written(project, slug, title, said):
    before = everything(project)
    done = CliRunner().invoke(pages.main, ["chapter", "--", slug, title])
    assert done.exit_code == 2
    assert done.output.startswith(f"Error: {said}")
    assert done.output.count("\n") == 1
    assert everything(project) == before


# One slug, one chain


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chain_of_a_slug_is_complete(slug):
    assert slug not in pages.LIBRARY  # a learner's module must not hide one of Python's
    assert (ROOT / f"book/{slug}.ipynb").is_file()
    assert (ROOT / f"tests/solutions/test_{slug}.py").is_file()
    references = ROOT / f"grader/references/{slug}"
    assert references.is_dir() is bool(pages.exercises(slug))  # a new chapter has none


def test_the_grader_knows_the_chapters_in_their_order():
    assert catalog.slugs() == [slug for slug in CHAPTERS if slug in catalog.slugs()]
    references = {path.parent.name for path in ROOT.glob("grader/references/*/*.safetensors")}
    assert references == set(catalog.slugs())


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chapter_states_its_exercises_in_order(slug):
    text = (BOOK / f"{slug}.md").read_text()
    labels = re.findall(r"^:+\{exercise\}.*\n:label: (\S+)$", text, re.MULTILINE)
    ids = [f"{slug}.{symbol}" for symbol in pages.exercises(slug)]
    lower = [name.lower() for name in ids]
    # Sphinx does not tell capitals in labels: a layer named as its function is "..._layer"
    expected = [
        f"{name}_layer" if name.lower() in lower[:place] else name for place, name in enumerate(ids)
    ]
    assert labels == expected
    assert len(labels) == text.count("{exercise}")


@pytest.mark.parametrize("slug", catalog.slugs())
def test_sections_of_exercises_are_anchors_of_the_chapter(slug):
    anchors = re.findall(r"^\((\S+)\)=$", (BOOK / f"{slug}.md").read_text(), re.MULTILINE)
    assert len(anchors) == len(set(anchors))
    assert {one.section for one in catalog.exercises(slug)} <= set(anchors)


# Arrows


def ours(source):
    """Modules of this project that a source imports."""
    return {
        name
        for name in imports(source)
        if name.partition(".")[0] in ("book", "course", "grader", "solutions")
    }


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_chapters_import_solutions_figures_and_widgets(page):
    names = {name for cell in cells(page) for name in ours(cell)}
    allowed = r"solutions(\.|$)|book(\.(drawing|figures|mistakes|packed|recorded|widgets)(\..*)?)?$"
    assert not {name for name in names if not re.match(allowed, name)}


@pytest.mark.parametrize("slug", CHAPTERS)
def test_chapters_import_what_they_build(slug):
    names = {name for cell in cells(BOOK / f"{slug}.md") for name in ours(cell)}
    builds = len(ast.parse((ROOT / f"solutions/{slug}.py").read_text()).body) > 1
    said = f"book/{slug}.md imports nothing from solutions.{slug}"
    assert f"solutions.{slug}" in names or not builds, said


@pytest.mark.parametrize("name", LADDERS)
def test_ladders_import_what_chapters_built(name):
    names = {one for cell in cells(BOOK / f"{name}.md") for one in ours(cell)}
    built = {one.split(".")[1] for one in names if one.startswith("solutions.")}
    assert len(built & set(CHAPTERS)) > 1


def test_solutions_import_neither_book_nor_grader():
    found = {path.name: ours(path.read_text()) for path in sorted(ROOT.glob("solutions/**/*.py"))}
    for name, names in found.items():
        assert not {one for one in names if not one.startswith("solutions")}, name


def test_no_star_imports_and_no_relative_ones():
    # book.reach does not follow them
    for path in [*ROOT.glob("book/**/*.py"), *ROOT.glob("solutions/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not node.level, path
                assert "*" not in {alias.name for alias in node.names}, path


# What is executed, and when


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of two chapters, of which one has a module, and a module apart."""
    page = TEMPLATE.read_text().replace("TITLE", "Near")
    around = f"Before.\n{pages.START}\n{{}}\n{pages.END}\nAfter.\n"
    drawn = "```{course-map}\n:alt: A map.\nnear 0 0\nfar 1.5 4 < near\n```\n"
    said = "\n**Old**\n\n[Far](far.md)\n: About far,\n  and more.\n\n[Gone](gone.md)\n: No.\n"
    for path, text in {
        "_toc.yml": "root: book/index\nparts:\n  - caption: Part\n    chapters:\n"
        "      - file: book/near\n      - file: book/far\n"
        "  - caption: Reference\n    chapters:\n      - file: book/api\n",
        "README.md": around.format(""),
        "constraints.txt": "torch==1",
        "jupytext.toml": (ROOT / "jupytext.toml").read_text(),
        "solutions/__init__.py": "",
        "solutions/near.py": "x = 1",
        "solutions/apart.py": "x = 1",
        "tests/solutions/test_near.py": "",
        "book/__init__.py": "",
        "book/index.md": around.format(said).replace("Before.\n", f"Before.\n{drawn}"),
        "book/api.md": around.format(""),
        "book/near.md": page.replace("device =", "from solutions import near\n\ndevice = near.x;"),
        "book/far.md": page.replace("Near", "Far"),
        "book/_static/page.css": "1",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for module in ("book.pages", "book._ext.edition"):
        monkeypatch.setattr(f"{module}.ROOT", tmp_path)
        monkeypatch.setattr(f"{module}.BOOK", tmp_path / "book")
    return tmp_path


def test_pages_are_read_again_where_their_fingerprint_is_another(project, monkeypatch):
    executed = []
    monkeypatch.setattr(edition, "execute", lambda env, marks: executed.append(sorted(marks)))
    near, far = "book/near", "book/far"

    def environment():
        return SimpleNamespace(
            found_docs={near, far, "book/index"},
            path2doc=lambda path: f"book/{Path(path).stem}",
            config=SimpleNamespace(root_doc="book/index"),
        )

    def read(env, added=(), changed=()):
        return edition.stale_chapters(None, env, set(added), set(changed), set())

    public, student = environment(), environment()
    front = "book/index"
    assert read(public, added=[near, far, front]) == []  # Sphinx reads them anyway
    assert read(public) == []
    assert read(public, changed=[far]) == [front]
    assert read(student, added=[near]) == [far, front]
    (project / "solutions/near.py").write_text("x = 2")
    assert read(student) == read(public) == [front, near]
    assert executed == [[far, near], [], [far], [far, near], [near], [near]]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that executes pages of one cell each, given by name, and says which ones ran."""
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")  # the kernel of this environment
    monkeypatch.chdir(tmp_path)
    env = SimpleNamespace(
        doc2path=lambda name: tmp_path / f"{name}.md",
        myst_config=MdParserConfig(),
        mystnb_config=NbParserConfig(execution_cache_path=str(tmp_path / "cache")),
    )
    head = TEMPLATE.read_text().partition("\n# ")[0]

    def execute(mark="1", **pages):
        for name, code in pages.items():
            code = f"open('{name}.ran', 'a').write('x')\n{code}"
            page = f"{head}\n# {name}\n\n```{{code-cell}} ipython3\n{code}\n```\n"
            (tmp_path / f"{name}.md").write_text(page)
        try:
            edition.execute(env, dict.fromkeys(pages, mark))
        finally:
            ran = {path.stem for path in tmp_path.glob("*.ran")}
            for name in ran:
                (tmp_path / f"{name}.ran").unlink()
        return ran

    return execute


def test_chapters_that_fail_end_the_build_and_the_others_are_kept(run):
    pages = {"good": "1", "bad": "raise ValueError('too cold')", "dead": "import os; os._exit(1)"}
    with pytest.raises(SystemExit, match="2 of 3 chapters failed") as caught:
        run(**pages)
    assert "bad.md:\n" in str(caught.value)
    assert "ValueError: too cold" in str(caught.value)
    assert "dead.md:\nKernel died" in str(caught.value)
    assert run(good="1", bad="2") == {"bad"}
    assert run(good="1", bad="2") == set()


def test_chapters_begin_with_what_all_of_them_import(run, tmp_path, monkeypatch):
    """And with nothing else: in their own folder and environment, and without the other's names."""
    monkeypatch.setenv("COURSE_DEVICE", "somewhere")
    code = f"""
import os, sys
assert {{"torch", "torch._dynamo"}} < sys.modules.keys() and "torch" not in globals()
assert os.environ["COURSE_DEVICE"] == "somewhere" and os.getcwd() == {str(tmp_path)!r}
assert "sphinx" not in sys.modules and "mine" not in globals()
mine = 1"""
    assert run(one=code, other=code) == {"one", "other"}


def test_outputs_of_another_fingerprint_are_made_again(run):
    assert run("1", good="1") == {"good"}
    assert run("2", good="1") == {"good"}
    assert run("2", good="1") == set()
    assert run("1", good="1") == {"good"}


def test_half_an_output_is_made_again(run, tmp_path):
    assert run(good="1") == {"good"}
    (cached,) = tmp_path.glob("cache/executed/*/base.ipynb")
    cached.write_text(cached.read_text()[:100])
    assert run(good="1") == {"good"}
    cached.unlink()
    assert run(good="1") == {"good"}
    assert run(good="1") == set()


def test_an_interrupted_build_says_that_the_next_one_goes_on(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    builder = tmp_path / ".venv" / "bin" / "jupyter-book"
    builder.parent.mkdir(parents=True)
    builder.write_text("#!/bin/sh\necho begun\nexec sleep 60\n")
    builder.chmod(0o755)
    (tmp_path / ".venv" / ".ready").touch()
    made = subprocess.Popen(
        ["make", "book"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert made.stdout.readline() == "begun\n"
    os.killpg(made.pid, signal.SIGINT)
    _, said = made.communicate(timeout=60)
    assert made.returncode
    assert "Interrupted. Chapters that have run are kept: make book goes on from there." in said
    assert "not built" not in said


def test_an_interrupted_build_ends_at_once_and_leaves_no_kernel(run, tmp_path, monkeypatch):
    said = tmp_path / "pid"

    def interrupt(_):
        while not (said.exists() and said.read_text()):
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(edition, "as_completed", interrupt)
    code = f"import os, time\nopen('{said}', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(long=code)
    assert time.monotonic() - start < 60
    assert not psutil.pid_exists(int(said.read_text()))


def test_a_changed_style_is_another_configuration(project):
    def contents():
        config = SimpleNamespace(html_context={"default_mode": "auto"})
        edition.restyle(None, config)
        return config.html_context

    before = contents()
    assert before == contents()
    assert before["default_mode"] == "auto"
    (project / "book/_static/page.css").write_text("2")
    assert before != contents()


def test_the_theme_measures_what_is_near_and_another_theme_is_said(tmp_path):
    app = SimpleNamespace(outdir=tmp_path)
    script = tmp_path / "_static/scripts/pydata-sphinx-theme.js"
    weight.spare(app, None)  # another builder has no such script
    script.parent.mkdir(parents=True)
    script.write_text(f"all.forEach(e=>{{{weight.MEASURES}}})")
    for _ in range(2):  # the second build finds it changed
        weight.spare(app, None)
        assert script.read_text() == f"all.forEach(e=>{{({weight.NEAR})&&({weight.MEASURES})}})"
    script.write_text("all.forEach(measure)")
    with pytest.raises(RuntimeError, match="measures in another way"):
        weight.spare(app, None)


def test_of_a_style_sheet_the_rules_stay_that_something_could_follow():
    css = """/* a.b {} */
    .here:not(.gone) > a[href=".gone"]::before { content: "."; } .gone p { color: red }
    p, .gone { margin: 0 } .gone, #gone { margin: 0 } .tip-left { top: 0 }
    @media print {.gone{top:0}} @media screen { .gone { top: 0 } .here { top: .5em } }
    @keyframes in { 33.3% { top: 0 } }"""
    kept = """.here:not(.gone) > a[href=".gone"]::before { content: "."; }
    p, .gone { margin: 0 } .tip-left { top: 0 }
    @media screen { .here { top: .5em } } @keyframes in { 33.3% { top: 0 } }"""
    assert weight.trim(css, {"here", "tip-"}).split() == kept.split()


def test_pages_share_one_style_sheet_and_those_that_are_not_written_again_find_it(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def page(classes, names=("styles/theme.css", "styles/a.css", "katex/k.css")):
        links = [f'<link href="../_static/{name}?v=1" rel="stylesheet" />\n' for name in names]
        return f'<head>{"".join(links)}</head><p class="{classes}">'

    def links(path):
        return re.findall("<link.*>", path.read_text())

    app = SimpleNamespace(outdir=tmp_path)
    weight.bundle(app, None)  # another builder has no such pages
    write("_static/basic.css", ".there{top:1px}.gone{top:2px}")
    write("_static/styles/theme.css", '@import "../basic.css";')
    write("_static/styles/a.css", ".here{background:url(b.png)}.made{background:url('data:x')}")
    write("_static/katex/k.css", ".x{src:url(f.woff2)}.size1{top:0}")
    write("_static/some.js", 'p.className = "made"')
    one, two = write("book/one.html", page("there")), write("book/two.html", page("x"))
    weight.bundle(app, None)
    sheet = tmp_path / "_static" / "book.css"
    kept = [".there{top:1px}", ".made{background:url('data:x')}", ".x{src:url(katex/f.woff2)}"]
    assert sheet.read_text().split() == kept
    link = links(one)
    assert link == links(two)
    assert len(link) == 1
    assert "../_static/book.css?v=" in link[0]
    two.write_text(page("here"))
    weight.bundle(app, None)
    assert ".here{background:url(styles/b.png)}" in sheet.read_text()
    assert link != links(one)
    assert links(one) == links(two)
    write("book/three.html", page("", ["other.css", "katex/k.css"]))
    two.write_text(page("here"))
    with pytest.raises(RuntimeError, match="different style sheets"):
        weight.bundle(app, None)


def test_what_makes_pages_is_part_of_their_version(project):
    for name in ("_ext/edition.py", "listing.py", "drawing.py"):
        (project / "book" / name).parent.mkdir(exist_ok=True)
        (project / "book" / name).write_text("1")
    versions = {edition.version_of_pages()}
    for name in ("_ext/edition.py", "listing.py", "drawing.py"):
        (project / "book" / name).write_text("2")
        versions.add(edition.version_of_pages())
    assert len(versions) == 4


def test_of_two_builds_one_executes_while_the_other_waits(tmp_path):
    order = []

    def other():
        with edition._alone(tmp_path):
            order.append("other")

    with edition._alone(tmp_path):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


@pytest.mark.parametrize("name", ["public", "student"])
def test_a_page_keeps_what_is_of_its_edition(name, monkeypatch):
    monkeypatch.setenv("COURSE_EDITION", name)
    text = "".join(
        f".. container:: course-{kind}\n\n   Of {kind}.\n\n" for kind in ("public", "student")
    )
    page = publish_doctree(f"{text}.. container:: apart\n\n   Of all.")
    edition.keep_edition(None, page)
    assert page.astext().split("\n\n") == [f"Of {name}.", "Of all."]
    assert "course-" not in page.pformat()


# The repository's address


def test_address_is_the_same_everywhere():
    name = address().rpartition("/")[2]
    pattern = re.compile(r"https?://[^\s\"'`)>]*/" + re.escape(name))
    found = {
        (path.name, url)
        for path in [*ROOT.glob("*.*"), *ROOT.glob("book/**/*.md"), *ROOT.glob("book/*.ipynb")]
        if path.is_file()
        for url in pattern.findall(path.read_text())
    }
    assert ("_config.yml", address()) in found
    assert ("chapter.md", address()) in found
    assert {url for _, url in found} == {address()}


def test_a_new_address_is_entered_everywhere(project, monkeypatch):
    template = project / "book/_templates/chapter.md"
    template.parent.mkdir()
    shutil.copy(TEMPLATE, template)
    shutil.copy(ROOT / "_config.yml", project)
    shutil.copy(ROOT / "CITATION.cff", project)
    monkeypatch.setattr("book.pages.TEMPLATE", template)
    files = [project / name for name in ("_config.yml", "CITATION.cff", "book/near.md")] + [
        template
    ]
    old, new = address(), "https://github.com/someone/course"
    assert all(old in file.read_text() for file in files)
    done = CliRunner().invoke(pages.main, ["repository", f"{new}.git"])
    assert done.exit_code == 0
    assert not any(old in file.read_text() for file in files)
    assert all(new in file.read_text() for file in files)
    assert address() == new
    done = CliRunner().invoke(pages.main, ["repository", "someone/course"])
    assert done.exit_code == 2
    assert done.output.startswith("Error: URL is 'someone/course'")


# The commands


@pytest.fixture
def bare(tmp_path):
    """A function that runs CI where there are these commands and little else."""

    def run(**commands):
        for name in ("bash", "dirname", "env"):
            (tmp_path / name).symlink_to(shutil.which(name))
        for name, does in {"make": 'echo "made $*"', "python3": "exit 0", **commands}.items():
            (tmp_path / name).write_text(f"#!{shutil.which('bash')}\n{does}\n")
            (tmp_path / name).chmod(0o755)
        return subprocess.run(
            [tmp_path / "bash", ROOT / ".ci" / "run"],
            env={"PATH": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    return run


@pytest.mark.parametrize(
    "commands",
    [
        {},
        {"id": "echo 1000", "apt-get": "exit 0"},  # no sudo either
        {"id": "echo 0", "apt-get": "exit 100"},
        {"id": "echo 0", "apt-get": "exit 0", "chromium": "exit 1"},  # says how to get it
    ],
    ids=["no apt", "no rights", "no network", "no such packages"],
)
def test_ci_says_what_it_cannot_have_and_goes_on(bare, commands):
    done = bare(**commands)
    assert done.returncode == 0, done.stderr
    *lacking, made = done.stdout.splitlines()
    assert made == "made test"
    assert [line.split()[1] for line in lacking] == ["bubblewrap", "chromium", "npm"]


@pytest.mark.parametrize("who", ["root", "sudo"])
def test_ci_installs_what_is_lacking_and_updates_once(bare, tmp_path, who):
    installs = f"""echo "$*" >> {tmp_path}/log
case "$*" in
  *" install "*) printf '#!{shutil.which("bash")}\n' > {tmp_path}/${{!#/bubblewrap/bwrap}} ;;
esac
{shutil.which("chmod")} +x {tmp_path}/*"""
    commands = {"id": "echo 0"} if who == "root" else {"id": "echo 1000", "sudo": '"${@:2}"'}
    done = bare(**commands, **{"apt-get": installs})
    assert done.stdout == "made test\n", done.stderr
    said = (tmp_path / "log").read_text().splitlines()
    assert [line.split()[1] for line in said] == ["update"] + ["install"] * 3


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_ends_with_what_was_not_checked(tmp_path, workers):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_one(): pytest.skip('no bread (package bread)')\n"
        "@pytest.mark.skip('no bread (package bread)')\ndef test_two(): ...\n"
        "@pytest.mark.skip('no wine (package wine)')\ndef test_three(): ...\n"
    )
    (tmp_path / "test_other.py").write_text(
        "import pytest\npytest.skip('no salt (package salt)', allow_module_level=True)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(workers)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    end = done.stdout.partition("Not checked here")[2].splitlines()
    assert end[1] == "2 tests: no bread (package bread)", done.stdout
    assert set(end[2:4]) == {"1 test: no wine (package wine)", "1 test: no salt (package salt)"}


def make(*arguments, folder=ROOT):
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=folder, capture_output=True, text=True
    )


def test_make_alone_lists_every_target():
    text = (ROOT / "Makefile").read_text()
    targets = (
        re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", text, re.MULTILINE)[1].replace("\\", "").split()
    )
    listed = re.findall(r"^  make ([\w-]+) +\S", make().stdout, re.MULTILINE)
    assert sorted(listed) == sorted(targets)


def test_unknown_edition_is_one_message():
    done = make("book", "EDITION=teacher")
    assert done.returncode == 2
    assert 'EDITION is "teacher"' in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("says", ["Python 3.9.2", ""])
def test_old_or_missing_python_is_one_message(tmp_path, says):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "old"
    if says:
        old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {says} || exit 1\n')
        old.chmod(0o755)
    done = make("setup", f"PYTHON={old}", folder=tmp_path)
    assert done.returncode == 2
    assert f"needs Python 3.11 or later with its venv module; {old} is: " in done.stderr
    assert (says or "not there") in done.stderr
    assert not (tmp_path / ".venv").exists()
