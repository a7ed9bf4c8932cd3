"""The site as PDF and EPUB: tagged, whole, with its links, and code that copies as it stands.

One page of a site built here covers what a chapter holds; the pages of `_build/html` are not
printed, for that takes minutes. Skipped where there is no Chromium.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Pdf

from book import pages, widgets
from book.pages import ROOT
from book.printed import epub, pdf, site
from book.printed.site import Page
from grader.instruct.browser import Browser, chromium

SITE = ROOT / "_build" / "html"
CODE = '''def mean(values: list[float]) -> float:
    """The mean."""
    total = 0.0
    for value in values:
        if value:
            total += value
    return total / len(values)
'''
FIRST = f"""<section id="near"><h1>1. Near<a class="headerlink" href="#near">#</a></h1>
<p>See <a href="far.html#there">there</a>, <a href="far.html">far</a>, <a href="api.html">code</a>,
<a href="#inner">here</a> and <a href="https://example.org/">elsewhere</a>.</p>
<section id="inner"><h2>1.1. A heading that is so long that it breaks: on paper and in a reader</h2>
<div class="highlight"><pre>{CODE}</pre></div>
<div class="exercise admonition" id="near.mean"><p class="admonition-title">
<span class="caption-number">Exercise 1.1 </span> (Mean)</p><section id="exercise-content">
<details class="course-hint"><summary>Hint</summary><p>Sum first.</p></details>
<details><summary>Solution: <code>mean</code></summary><pre>answer = 1</pre></details>
</section></div>
<div class="course-answer" hidden="until-found"><p>It is covered.</p></div>
<details class="course-fold"><summary>Code of this figure</summary><pre>plot()</pre></details>
<div class="course-figure"><svg role="img" aria-label="A bar" viewBox="0 0 9 9"
 style="--a:red;width:90px"><rect width="9" height="9" fill="var(--a)"/></svg></div>
<div class="course-widget course-weigh" aria-label="A digit"><button>7</button></div>
<table class="table"><thead><tr><th>rows</th></tr></thead>
<tbody>{"<tr><td>x</td></tr>" * 70}</tbody>
</table></section></section>"""
SECOND = """<section id="far"><h1>2. Far</h1><p>Text.</p><section id="there"><h2>2.1. There</h2>
<p><span class="math"><span class="katex"><span class="katex-mathml"><math
 xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>x</mi></mrow><annotation
 encoding="application/x-tex">x</annotation></semantics></math></span><span class="katex-html"
 aria-hidden="true">x</span></span></span></p></section></section>"""
LISTED = [Page("near", "Part"), Page("far", "Part")]


@pytest.fixture(scope="module")
def browser():
    if not (path := chromium()):
        pytest.skip("there is no Chromium (package chromium; COURSE_BROWSER names another one)")
    with Browser(path) as started:
        yield started


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A site of two pages."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "book").mkdir()
    (folder / "_static").mkdir()
    (folder / "_static" / "book.css").write_text("")
    for name, body in (("near", FIRST), ("far", SECOND)):
        text = f"<!DOCTYPE html><html><body><nav>Away</nav><article class='bd-article'>{body}"
        (folder / "book" / f"{name}.html").write_text(f"{text}</article></body></html>")
    return folder


@pytest.fixture(scope="module")
def printed(browser, small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pdf")
    return {path.stem: path for path in pdf.write(browser, small, folder, LISTED)}


@pytest.fixture(scope="module")
def packed(browser, small, tmp_path_factory):
    (path,) = epub.write(browser, small, tmp_path_factory.mktemp("epub"), LISTED)
    with zipfile.ZipFile(path) as archive:
        yield archive


def content(page: pikepdf.Page) -> list[str]:
    """The lines of a page: its letters in the order in which they are painted, by their heights."""
    fonts = {name: to_unicode(font) for name, font in page.obj.Resources.Font.items()}
    lines: list[tuple[float, str]] = []
    font, height, matrix = "", 0.0, (0.0, 1.0)
    stack = []
    for words, operator in pikepdf.parse_content_stream(page):
        match str(operator):
            case "q":
                stack.append(matrix)
            case "Q":
                matrix = stack.pop()
            case "cm":
                matrix = (matrix[0] + matrix[1] * float(words[5]), matrix[1] * float(words[3]))
            case "Tf":
                font = str(words[0])
            case "Tm":
                height = matrix[0] + matrix[1] * float(words[5])
            case "Tj" | "TJ":
                parts = words[0] if str(operator) == "TJ" else [words[0]]
                raw = b"".join(bytes(one) for one in parts if isinstance(one, pikepdf.String))
                text = "".join(fonts[font].get(raw[k : k + 2], "?") for k in range(0, len(raw), 2))
                if lines and abs(lines[-1][0] - height) < 1:
                    lines[-1] = (height, lines[-1][1] + text)
                else:
                    lines.append((height, text))
    return [text for _, text in lines]


def to_unicode(font: pikepdf.Object) -> dict[bytes, str]:
    """Characters that the numbers of a font's letters stand for."""
    if "/ToUnicode" not in font:
        return {}
    table = font.ToUnicode.read_bytes().decode("latin-1")
    found: dict[bytes, str] = {}
    for block in re.findall(r"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for code, text in re.findall(r"<(\w{4})> <(\w+)>", block):
            found[bytes.fromhex(code)] = bytes.fromhex(text).decode("utf-16-be")
    for block in re.findall(r"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for low, high, text in re.findall(r"<(\w{4})> <(\w{4})> <(\w{4})>", block):
            for k in range(int(high, 16) - int(low, 16) + 1):
                code = (int(low, 16) + k).to_bytes(2, "big")
                found[code] = chr(int(text, 16) + k)
    return found


def text(path: Path) -> list[str]:
    with Pdf.open(path) as document:
        return [line for page in document.pages for line in content(page)]


def titles(items) -> list:
    return [(item.title, titles(item.children)) if item.children else item.title for item in items]


# PDF


def test_code_is_copied_with_its_indentation(printed):
    lines = [line.rstrip() for line in text(printed["near"])]
    start = lines.index(CODE.splitlines()[0])
    copied = "\n".join(lines[start : start + CODE.count("\n")]) + "\n"
    assert copied == CODE
    ast.parse(copied)


def test_folds_are_open_or_gone_and_solutions_stand_at_the_end(printed):
    lines = " ".join(text(printed["near"]))
    for there in ("Sum first.", "It is covered.", "answer = 1", "click a pixel"):
        assert there in lines, lines
    for gone in ("plot()", "Code of this figure", "Away", "#"):
        assert gone not in lines
    assert lines.index("answer = 1") > lines.index("On the website")


def test_the_outline_has_every_chapter_as_its_heading_is(printed):
    with Pdf.open(printed[pdf.NAME]) as book, book.open_outline() as outline:
        contents, part = titles(outline.root)
        first = "1.1. A heading that is so long that it breaks: on paper and in a reader"
        assert contents == "Contents"
        solutions = ("Solutions", ["Exercise 1.1: mean"])
        assert part == ("Part", [("1. Near", [first, solutions]), ("2. Far", ["2.1. There"])])


def test_sheets_are_numbered_through_and_the_contents_know_the_numbers(printed):
    counts = {}
    for name, path in printed.items():
        with Pdf.open(path) as document:
            counts[name] = len(document.pages)
    front = counts[pdf.NAME] - counts["near"] - counts["far"]
    assert counts["near"] > 1
    with Pdf.open(printed[pdf.NAME]) as book:
        assert [book.pages[k].label for k in (0, front, -1)] == [
            *("i", "1"),
            str(counts["near"] + counts["far"]),
        ]
        for number, page in enumerate(book.pages[front:], start=1):
            assert str(number) in content(page)[:2]  # after the head of the page
        lines = " ".join(line for page in book.pages[:front] for line in content(page))
    assert re.search(rf"2\. Far\s*{counts['near'] + 1}\b", lines)


def links(document: Pdf) -> list[pikepdf.Object]:
    return [note for page in document.pages for note in page.obj.get("/Annots", [])]


def test_links_lead_to_places_in_the_book_and_to_files_beside_a_chapter(printed):
    with Pdf.open(printed[pdf.NAME]) as book:
        inside = [str(note.Dest) for note in links(book) if "/Dest" in note]
        outside = {str(note.A.URI) for note in links(book) if "/A" in note}
        assert {"/far#there", "/far", "/near#inner"} <= set(inside)
        assert set(inside) <= set(book.Root.Dests.keys())
        assert outside == {"https://example.org/"}  # and none to a page that is not printed
    with Pdf.open(printed["near"]) as alone, Pdf.open(printed["far"]) as other:
        actions = [note.A for note in links(alone) if note.get("/A", {}).get("/S") == Name.GoToR]
        assert [str(action.F) for action in actions] == ["far.pdf", "far.pdf"]
        assert str(actions[0].D) in other.Root.Dests
        assert actions[1].D[0] == 0


def marked(page: pikepdf.Page) -> set[int]:
    """The numbers of what is tagged on a page."""
    return {
        int(words[1].MCID)
        for words, operator in pikepdf.parse_content_stream(page)
        if str(operator) == "BDC" and isinstance(words[1], Dictionary) and "/MCID" in words[1]
    }


def kids(tag: pikepdf.Object) -> list:
    found = tag.get("/K", [])
    return list(found) if isinstance(found, Array) else [found]


def holds(tag: pikepdf.Object, number: int, page: pikepdf.Page) -> bool:
    """Whether a tag names a marked part of a page as its own."""
    for kid in kids(tag):
        own = isinstance(kid, int) and kid == number and tag.Pg.objgen == page.obj.objgen
        mark = isinstance(kid, Dictionary) and kid.get("/MCID") == number
        if own or (mark and kid.get("/Pg", tag.get("/Pg")).objgen == page.obj.objgen):
            return True
    return False


def test_every_part_of_the_book_has_its_tag(printed):
    with Pdf.open(printed[pdf.NAME]) as book:
        tree = book.Root.StructTreeRoot
        flat = list(tree.ParentTree.Nums)
        tags = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
        assert len(tags) == len(flat) / 2  # no number of one chapter is one of another's
        for page in book.pages:
            parts = tags[int(page.obj.StructParents)]
            found = marked(page)
            assert found
            assert all(holds(parts[number], number, page) for number in found)
        for note in links(book):
            assert str(tags[int(note.StructParent)].S) == "/Link"
        assert bool(book.Root.MarkInfo.Marked)
        assert str(book.Root.Lang) == "en"
        assert [str(part.S) for part in kids(tree.K)] == ["/Part"] * 3
        assert "A bar" in figures(tree.K)


def figures(tag: pikepdf.Object) -> list[str]:
    found = [str(tag.Alt)] if "/Alt" in tag else []
    return found + [
        one
        for kid in kids(tag)
        if isinstance(kid, Dictionary) and "/S" in kid
        for one in figures(kid)
    ]


# EPUB


def test_the_epub_opens_and_lists_what_it_holds(packed):
    first = packed.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert packed.read("mimetype") == b"application/epub+zip"
    container = ElementTree.fromstring(packed.read("META-INF/container.xml"))
    place = next(one.attrib["full-path"] for one in container.iter() if "full-path" in one.attrib)
    package = ElementTree.fromstring(packed.read(place))
    spaces = {"": "http://www.idpf.org/2007/opf"}
    items = {one.attrib["id"]: one.attrib for one in package.iterfind("manifest/item", spaces)}
    files = {f"book/{one['href']}" for one in items.values()}
    assert files | {"mimetype", "META-INF/container.xml", place} == set(packed.namelist())
    spine = [one.attrib["idref"] for one in package.iterfind("spine/itemref", spaces)]
    assert spine == ["title", "nav", "page-near", "page-far"]
    assert set(spine) <= set(items)
    assert items["page-near"]["properties"] == "svg"
    assert items["page-far"]["properties"] == "mathml"


def test_every_page_is_well_formed_and_every_link_leads_somewhere(packed):
    names = [name for name in packed.namelist() if name.endswith(".xhtml")]
    trees = {name: ElementTree.fromstring(packed.read(name)) for name in names}
    ids = {
        name: [one.get("id") for one in tree.iter() if one.get("id")]
        for name, tree in trees.items()
    }
    count = 0
    for name, tree in trees.items():
        assert len(set(ids[name])) == len(ids[name])
        for one in tree.iter():
            link = urlsplit(one.get("href") or one.get("src") or "")
            if link.scheme or not (link.path or link.fragment):
                assert link.scheme in ("", "https")
                continue
            target = f"book/{unquote(link.path)}" if link.path else name
            assert target in packed.namelist(), link
            assert not link.fragment or unquote(link.fragment) in ids[target], link
            count += 1
    assert count > 10


def test_an_e_reader_gets_mathml_pictures_and_fixed_colors(packed):
    near, far = (packed.read(f"book/{name}.xhtml").decode() for name in ("near", "far"))
    assert re.search(r'<math [^>]*alttext="x"><mrow><mi>x</mi></mrow></math>', far)
    assert "katex" not in far
    assert "var(" not in near
    assert 'fill="rgb(255, 0, 0)"' in near
    assert re.search(r'<img src="images/near-1.png" alt="A digit"', near)
    assert packed.read("book/images/near-1.png").startswith(b"\x89PNG")
    assert CODE.splitlines()[-1] in near


# What they are made of


def test_the_book_is_every_page_but_the_reference_of_the_api():
    slugs = [page.slug for page in site.pages()]
    assert slugs[0] == "index"
    assert {page.stem for page in pages.chapters()} < set(slugs)
    assert "api" not in slugs
    assert len(set(slugs)) == len(slugs)


def test_every_widget_has_words_for_its_still():
    there = {path.stem for path in Path(widgets.__file__).parent.glob("[a-z]*.py")} - {
        "board",
        "engine",
    }
    assert set(json.loads((site.HERE / "stills.json").read_text())) == there


@pytest.mark.skipif(not (SITE / "book" / "glossary.html").is_file(), reason="no site (make book)")
def test_pages_of_the_site_print_in_the_widths_that_they_have(browser, tmp_path):
    """Real pages: nothing is wider than the sheet, and their places are all there."""
    chosen = [page for page in site.pages() if page.slug in ("notation", "glossary")]
    book, *alone = pdf.write(browser, SITE, tmp_path, chosen)
    assert [path.stem for path in alone] == ["glossary", "notation"]
    with Pdf.open(book) as document:
        targets = [str(note.Dest) for note in links(document) if "/Dest" in note]
        assert targets
        assert set(targets) <= set(document.Root.Dests.keys())
        assert not [note for note in links(document) if "file:" in str(note.get("/A", ""))]


def run(*arguments: str, **more: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "book.printed", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **more)


def test_without_a_browser_or_a_site_it_says_what_to_do(tmp_path):
    done = run("pdf", str(SITE), str(tmp_path), env={"PATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no Chromium to print with. Install it" in done.stderr
    assert run("pdf", str(SITE), str(tmp_path), "--only", "nothing").returncode == 2
    if shutil.which(chromium() or "nothing"):
        done = run("epub", str(tmp_path / "none"), str(tmp_path))
        assert done.returncode == 2
        assert done.stderr.endswith("index.html is not there; say: make book\n")
