"""The finished website: no request leaves it, everyone can read it, on every screen.

Looks at `_build/html`, which `make book` builds. The browser is any Chromium; the packages that
drive it, and the fonts that pages are tried in, are pinned in tests/book/browser and installed on
first use. The pages are dealt out to a few shards, each a browser of its own, so that pytest's
workers can look at the same time.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import subprocess
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from driver import BROWSER, lacking

from book._ext import weight
from book.pages import ROOT, chapters
from book.widgets.tokens import readable
from grader.instruct.browser import chromium
from solutions.tokenization import BytePairTokenizer

SITE = ROOT / "_build" / "html"
BUILT = (SITE / "book" / "index.html").is_file()
PAGES = [*SITE.glob("book/**/*.html"), SITE / "search.html"]
if BUILT:
    PAGES.sort(key=lambda path: (path.stat().st_size, path), reverse=True)
CHAPTERS = {page.stem for page in chapters()}
SHARDS = [PAGES[first::4] for first in range(4)]  # about the same work in each

each_page = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.stem}, shard {number}")
        for number, shard in enumerate(SHARDS)
        for path in shard
    ],
)


class Page(HTMLParser):
    """Ids, links, sources, classes and data of one page."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.marks: Counter[str] = Counter()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") not in ("canonical", "search"):
            self.sources.append(found.get("href") or "")
        if found.get("src"):
            self.sources.append(found["src"])
        self.marks.update(f".{name}" for name in (found.get("class") or "").split())
        self.marks.update(f"[{name}]" for name in found if name.startswith("data-"))


@cache
def parsed(path: Path) -> Page:
    return Page(path)


@pytest.fixture(autouse=True)
def built(request):
    if not BUILT and request.function is not test_the_site_is_built:
        pytest.skip("there is no site to look at (make book)")


def test_the_site_is_built():
    assert BUILT, f"{SITE} is not there; say: make book"


@each_page
def test_no_id_stands_twice(path):
    twice = {name for name, times in Counter(parsed(path).ids).items() if times > 1}
    # sphinx-exercise and sphinx-proof: nothing refers to these, and a11y.js takes them away
    assert twice - {"exercise-content", "proof-content"} == set()


@each_page
def test_links_inside_the_site_lead_somewhere(path):
    broken = []
    for link in [*parsed(path).links, *parsed(path).sources]:
        parts = urlsplit(link)
        if parts.scheme or link == "#":
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            broken.append(link)
        elif target.suffix == ".html" and parts.fragment:
            ids = parsed(target).ids
            if unquote(parts.fragment) not in ids:
                broken.append(link)
    assert broken == []


# What needs a browser


@cache
def look(*paths: Path) -> tuple[dict, str]:
    """Look at pages; return what the browser sees, and its error if it fails."""
    urls = [path.as_uri() for path in (PAGES[0], *paths)]
    command = ["node", BROWSER / "look.mjs", chromium(), *urls]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired as error:
        return {}, str(error)
    return (json.loads(done.stdout), "") if done.returncode == 0 else ({}, done.stderr)


def shard(path: Path) -> dict:
    if why := lacking():
        pytest.skip(why)
    found, error = look(*SHARDS[PAGES.index(path) % len(SHARDS)])
    assert not error, error
    return found


@pytest.fixture
def seen(path) -> dict:
    return shard(path)["pages"][path.as_uri()]


@each_page
def test_no_request_leaves_the_site(seen, path):
    assert seen["outside"] == []


@each_page
def test_nothing_fails_on_the_page(seen, path):
    assert seen["errors"] == []


@each_page
def test_a_page_is_light(seen, path):
    files = {unquote(urlsplit(url).path) for url in seen["asked"] if url.startswith("file:")}
    weight = {name: len(gzip.compress(Path(name).read_bytes())) for name in files}
    assert len(files) <= 24, sorted(files)
    assert sum(weight.values()) < 600_000, weight  # as a server sends it
    sheets = [size for name, size in weight.items() if name.endswith(".css")]
    assert len(sheets) == 1
    assert sheets[0] < 40_000  # nothing is painted before it is there
    index = sum(weight.pop(name) for name in files if name.endswith("/searchindex.js"))
    assert index < 1_550 * len(PAGES)  # which grows with them; the search page alone has it
    assert sum(size for name, size in weight.items() if name.endswith(".js")) < 60_000, weight
    assert not [name for name in files if "fontawesome" in name]


@each_page
def test_no_script_keeps_a_page_from_being_painted(path):
    text = path.read_text(encoding="utf-8")
    scripts = re.findall(r"<script([^>]*) src=\"([^\"?]*)", text)
    late = [name for more, name in scripts if "defer" not in more and "async" not in more]
    head = text.partition("</head>")[0]
    if path.stem != "search":
        assert late == []
        assert "searchindex.js" not in text
        sheet = head.index('rel="stylesheet"')  # a script after it would wait for it
        assert re.findall(r"<script>", head[sheet:]) == []
    assert weight.SYSTEM in head  # the theme's own script comes late


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
@each_page
def test_axe_finds_nothing(seen, path, view):
    assert seen["views"][view]["violations"] == []


@pytest.mark.parametrize("view", ["light", "dark", "tablet", "phone"])
@each_page
def test_no_page_scrolls_sideways(seen, path, view):
    fonts = seen["views"][view]["fonts"]
    assert {name: found["sideways"] for name, found in fonts.items() if found["sideways"] > 0} == {}


@pytest.mark.parametrize("path", [pytest.param(PAGES[0], id="one, shard 0")])
def test_pages_are_set_in_a_wide_and_in_a_narrow_font_too(seen, path):
    for view in ("light", "phone"):
        fonts = seen["views"][view]["fonts"]
        assert fonts["DejaVu Sans"]["width"] > 1.3 * fonts["PT Sans Narrow"]["width"]


FAULTS = """<style>
.planted { background: white; color: black; }
html[data-theme="dark"] #in-dark { color: #eee; }
html[data-theme="dark"] #taller-in-dark { border-top: 3px solid; }
html[data-theme="dark"] #bare-in-dark { color: #111; text-decoration: none; }
html[data-theme="light"] #in-light { color: #eee; }
#unnamed-on-a-phone { display: none; }
@media (max-width: 500px) {
  #on-a-phone { color: #ddd; }
  #unnamed-on-a-phone { display: block; }
  #unnamed-on-a-screen { display: none; }
}
@media (min-width: 900px) and (max-width: 1100px) {
  #wide-on-a-tablet { width: 2000px; height: 1px; }
}
#in-wide-letters { display: inline-block; width: 44ch; }
html[data-theme="light"] #in-code { color: #ddd; }
</style>
<p class="planted" id="in-dark">Words in the dark theme.</p>
<p class="planted" id="taller-in-dark">A paragraph that is taller in the dark theme.</p>
<p class="planted">Words beside <a id="bare-in-dark" href="#in-light">a link</a> in the dark.</p>
<p class="planted" id="in-light">Words in the light theme.</p>
<p class="planted" id="on-a-phone">Words on a phone.</p>
<button id="unnamed-on-a-phone"></button>
<button id="unnamed-on-a-screen"></button>
<div id="wide-on-a-tablet"></div>
<p id="in-wide-letters">Words</p>
<div class="highlight"><pre><b id="in-code">pale = 1</b></pre></div>
<div id="no-items" role="list">Words</div>
"""


def test_a_fault_in_one_view_alone_is_found(tmp_path):
    if why := lacking():
        pytest.skip(why)
    sound = SITE / "book" / "guide_student.html"
    before, end, after = sound.read_text().partition("</article>")
    (tmp_path / "_static").symlink_to(SITE / "_static")
    path = tmp_path / "book" / "planted.html"
    path.parent.mkdir()
    path.write_text(before + FAULTS + end + after)
    found, error = look(sound, path)  # what looks alike on the sound page is not judged again
    assert not error, error
    page = found["pages"][path.as_uri()]
    planted = set(re.findall(r' id="(.*?)"', FAULTS))
    faults = {
        view: planted.intersection(re.findall(r": #(\S+)", " ".join(seen["violations"])))
        for view, seen in page["views"].items()
        if view != "tablet"
    }
    assert faults == {
        "light": {"in-light", "in-code", "unnamed-on-a-screen", "no-items"},
        "dark": {"in-dark", "bare-in-dark"},
        "phone": {"in-light", "in-code", "on-a-phone", "unnamed-on-a-phone", "no-items"},
    }
    assert not page["recolored"]
    phone, tablet = (page["views"][view]["fonts"] for view in ("phone", "tablet"))
    assert phone["DejaVu Sans"]["sideways"] > 0 >= phone["PT Sans Narrow"]["sideways"]
    assert tablet["own"]["sideways"] > 0


@each_page
def test_the_dark_theme_changes_colors_alone(seen, path):
    assert seen["recolored"]  # so look.mjs asks of it what colors decide, and the rest once


@each_page
def test_letters_in_figures_can_be_read_on_a_phone(seen, path):
    smallest = seen["views"]["phone"]["letters"]
    assert smallest is None or smallest > 8.9  # none: no figure
    assert seen["views"]["phone"]["captions"] >= 400


@each_page
def test_every_formula_is_set(seen, path):
    formulas, rendered, errors, stops = seen["formulas"]
    assert rendered >= formulas
    assert errors == 0
    text = path.read_text(encoding="utf-8")
    assert text.count('class="katex"') >= formulas  # before any script has run
    assert "katex.min.js" not in text
    assert stops == 0, "the Tab key stops at formulas inside of lines"


@each_page
def test_a_formula_breaks_between_its_parts_or_after_a_relation_or_an_operator(seen, path):
    for view in ("phone", "light"):
        fonts = seen["views"][view]["fonts"]
        assert {name: found["broken"] for name, found in fonts.items() if found["broken"]} == {}


@each_page
def test_of_a_long_statement_the_beginning_is_seen_until_it_is_asked_for(seen, path):
    assert len(seen["statements"]) == parsed(path).marks[".course-more"]
    for before, after in seen["statements"]:
        assert 0.1 < before < 0.95
        assert after == 1
    assert seen["answers"]["paper"]["clipped"] == 0


@each_page
def test_a_result_is_covered_until_it_is_asked_for(seen, path):
    answers = seen["answers"]
    count = parsed(path).marks[".course-answer"]
    assert answers["covered"] == [False] * count
    assert answers["printed"] == answers["asked"] == [True] * count
    assert all("course-answer" in name for name in answers["focused"])
    chosen = answers["chosen"]
    assert len(answers["focused"]) + len(chosen) == count
    assert [found["opened"] for found in chosen] == [1] * len(chosen)
    assert [found["pressed"] for found in chosen] == [1] * len(chosen)
    assert [found["said"] for found in chosen] == [*range(1, len(chosen) + 1)]


@each_page
def test_what_a_link_leads_to_can_be_seen_beside_it(seen, path):
    if seen["peeks"] is None:
        assert path != PAGES[0]
        return
    text = path.read_text(encoding="utf-8") if path.stem in CHAPTERS else ""
    wanted = {"formula": "#equation-", "work": "bibliography.html#"}
    link = '<a class="reference internal" href="'
    assert set(seen["peeks"]) >= {kind for kind, to in wanted.items() if link + to in text}
    for acts in seen["peeks"].values():
        assert len(acts["focused"]) > 3
        assert acts["hovered"] == acts["entered"] == acts["tapped"] == acts["focused"]
        assert acts["escaped"] is acts["left"] is False
        assert acts["stayed"]
        assert acts["inside"]


@each_page
def test_without_scripts_a_link_to_a_work_has_a_title(path):
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r'<a [^>]*href="bibliography\.html#[^>]*>', text):
        assert re.search(r'title="[^"]{20}', link), link


@each_page
def test_paper_has_one_title_with_its_number_and_breaks_at_sections(seen, path):
    paper = seen["answers"]["paper"]
    assert len(paper["titles"]) == 1
    numbered = path.stem in CHAPTERS and path.stem != "refresher"  # which comes before the first
    assert paper["numbers"] == (numbered and path.parent.name == "book")
    if path.stem in CHAPTERS and path.parent.name == "book":
        assert set(paper["breaks"][1:]) == {"page"}


@each_page
def test_without_scripts_every_result_is_open(path):
    page = parsed(path)
    assert page.marks[".course-answer"] <= page.marks[".course-ask"]
    assert page.marks[".course-choices"] <= page.marks[".course-ask"]
    assert page.marks[".course-ask-title"] == page.marks[".course-ask"]
    assert ".course-asked" not in page.marks  # the script's button


def test_formulas_can_be_read_soon_on_a_slow_line_and_a_slow_processor():
    """Beside a page without any, both at their quickest: other work only makes a turn slower."""
    if why := lacking():
        pytest.skip(why)
    names = ["book/guide_student.html", "book/transformer.html"]
    command = ["node", BROWSER / "slow.mjs", chromium(), SITE, *names]
    plain, chapter = {}, {}
    for _ in range(8):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        for best, name in ((plain, names[0]), (chapter, names[1])):
            for what, value in json.loads(done.stdout)[name].items():
                best[what] = min(value, best.get(what, value))
        bounds = {"painted": 2.5, "read": 3, "whole": 4}  # times the plain page
        slow = [what for what, most in bounds.items() if chapter[what] >= most * plain["painted"]]
        if not slow:
            break
    assert chapter["soon"] > 0
    assert chapter["moved"] < 0.1  # of the window; what browsers' makers call good
    assert not slow, (chapter, plain)


MAPS, KERNELS = ".course-attention", ".course-convolution"
SAYS = {  # the smaller widgets: what they say before and after a reader does something
    ".course-draw": ("", "64 pixels are unknown"),
    ".course-weigh": ("The model predicts a 5 (", "The model predicts a 3 ("),
    ".course-neighbors": ("", "instance"),  # a neighbor of "class"
    ".course-tokens": ("bytes per token", "tokens for 54 bytes"),
    ".course-valley": (" the minimum", " diverges"),
    ".course-sketch": ("Compare with the run", "You were farthest off at"),
    ".course-spirals": ("Step 0, ", "Step 100, "),
    ".course-histograms": ("Step 0: ", "Step 1. Loss, "),
    ".course-temperature": ("as spread out as", "as spread out as"),
    ".course-filters": ("tokens are left", "as uncertain as 1.0 equally likely"),
    ".course-stages": ("Right answers to ", "Right answers to "),
    ".course-wordmap": ("Nearest to ", "Nearest to "),
    ".course-shift": (", not moved: ", ", moved by 1 left: "),
    ".course-patches": (": the class token looks at ", ": the patch at row 2, column 3 looks at "),
    ".course-disagree": (
        "softmax regression and residual network both",
        "softmax regression and ViT both",
    ),
    ".course-verdict": (" of 8 models recognize it.", " of 8 models recognize it."),
    ".course-filled": (". Reading both sides, ", ". Reading the left side, "),
    ".course-gates": (", with the gates as learned.", "4 more open"),
    ".course-guess": ("Predicted better by ", "Half of these bits are spent on "),
    ".course-pull": ("Step 400. The last pair: ", "Step 0. Cosine similarity: "),
    ".course-rank": ("Rank 4. ", "Rank 1. "),
    ".course-tilewalk": (", the softmax of the whole row.", "and the softmax of the whole row ("),
    ".course-dials": ("Distance 4: the product is", "Distance 5: the product is"),
    ".course-race": (" passes of the target with speculation", "the target accepts "),
    ".course-machine": ("Most likely after “", "With all parts in place: “"),
    ".course-reader": (" reads a", " reads a"),
    ".course-patching": (
        " patches of 2 × 2 pixels",
        "A reshape alone takes pixels in the order of",
    ),
    ".course-secant": ("With h = 1 the ", "With h = 1/2 the "),
    ".course-broadcast": ("4 × 1 and 3 fit: the sum has", "4 × 1 and 1 × 3 fit: the sum has"),
    ".course-bayes": (" are healthy and positive. ", " are healthy and negative. "),
    ".course-denoise": ("Calls of the denoiser: 10.", "Calls of the denoiser: 10."),
    ".course-tilt": ("β = 0.5: the optimum collects ", "β = 0.35: the optimum collects "),
    ".course-margin": ("with β = 1 the loss 0.693", "with β = 0.02 the loss "),
    ".course-bleu": (" has the highest BLEU for this sentence", "Edited: BLEU 100.0."),
    ".course-budget": ("100 thousand parameters read 167 thousand tokens: ", ": a loss of "),
    ".course-matrix": ("Row 1: ", "Applied 2 times: "),
    ".course-fit": ("Step 0: the line is 0.00 x + 0.00.", "Step 10: the line is "),
    ".course-lookup": (" has the largest weight, ", " has the largest weight, "),
    ".course-outlier": ("4 bits, one scale per matrix.", "4 bits, one scale per row."),
    ".course-superposition": (" have 1 of 5 features active", " have 2 of 5 features active"),
    ".course-negatives": ("Of the push on wrong partners", "Scale 100: the loss is "),
    ".course-devices": (" GB, which fits. Each stage waits", " GB too much. Each stage waits"),
    ".course-votes": ("Majority vote, n = 32: ", "The check (pass@n), n = 32: "),
    ".course-backprop": ("", ""),
    ".course-beam": ("", ""),
}


@pytest.mark.parametrize("mark", [MAPS, KERNELS, *SAYS])
def test_every_kind_of_widget_is_on_a_page(mark):
    assert any(parsed(path).marks[mark] for path in PAGES)


@each_page
def test_a_reader_chooses_how_much_of_a_page_is_open(seen, path):
    marks = parsed(path).marks
    if seen["modes"] is None:
        assert not marks[".exercise"] + marks[".cell"]
        return
    read, everything, do = (seen["modes"][name] for name in ("read", "all", "do"))
    assert read["statements"] == read["code"] == read["covered"] == 0
    assert everything["closed"] == everything["covered"] == 0
    assert do["statements"] == everything["statements"] == marks[".exercise"]
    assert do["code"] == everything["code"]
    assert do["closed"] >= marks[".course-fold"]
    for name, mode in seen["modes"].items():
        assert mode["pressed"] == [name.capitalize()]
        assert mode["kept"] == name


@each_page
def test_attention_maps_can_be_explored_with_keys_and_pointer(seen, path):
    assert len(seen["maps"]) == parsed(path).marks[MAPS]
    for found in seen["maps"]:
        queries = found["queries"]
        first, home, down, right, held, elsewhere, released = found["told"]
        verb = re.search(r" (attends to|is made of|says) ", first)[0]
        assert home.startswith(f"{queries[0]}{verb}")
        assert down.startswith(f"{queries[1]}{verb}")
        assert right.startswith(f"{queries[1]}{verb}")
        assert right != down
        assert held.endswith("(held)")
        assert elsewhere == held
        assert released.startswith(f"{queries[-1]}{verb}")


@each_page
def test_kernels_can_be_stepped_with_keys_and_pointer(seen, path):
    assert len(seen["kernels"]) == parsed(path).marks[KERNELS]
    for found in seen["kernels"]:
        first, after_next, down, end, clicked = found["told"]
        assert first.startswith("Row 1 of 6, column 1 of 6: ")
        assert after_next.startswith("Row 1 of 6, column 2 of 6: ")
        assert down.startswith("Row 2 of 6, column 2 of 6: ")
        assert end.startswith("Row 6 of 6, column 6 of 6: ")
        assert clicked == first
        for told in found["told"]:  # what it says is right
            terms, _, result = told.partition(": ")[2].replace("−", "-").partition(" = ")
            pairs = [term.split("·") for term in terms.split(" + ")]
            assert sum(int(x) * int(w.strip("()")) for x, w in pairs) == int(result)
        assert found["marked"] == 9
        assert found["sizes"] == [36, 100, 16, 9]  # 8×8 and 3×3: 6², 10², 4², 3²


@each_page
def test_widgets_answer(seen, path):
    used = seen["widgets"]
    assert Counter(found["name"] for found in used) == {
        mark: parsed(path).marks[mark] for mark in SAYS if parsed(path).marks[mark]
    }
    for found in used:
        before, after = SAYS[found["name"]]
        assert before in found["before"]
        assert after in found["after"]
        assert found["before"] != found["after"]


@each_page
def test_what_the_script_computes_is_what_the_page_computed(seen, path):
    for name in (
        *("bayes", "bleu", "broadcast", "budget", "denoise", "devices", "fit", "gates", "guess"),
        *("lookup", "margin", "matrix", "negatives", "outlier", "pull", "rank", "secant"),
        *("superposition", "tilewalk", "tilt", "valley", "verdict", "votes"),
    ):
        widgets = path.read_text("utf-8").split(f'class="course-widget course-{name}"')[1:]
        told = [re.search(r'<p role="status">(.*?)</p>', one, re.DOTALL)[1] for one in widgets]
        found = [one for one in seen["widgets"] if one["name"] == f".course-{name}"]
        for text, one in zip(told, found, strict=True):
            assert html.unescape(text) in one["before"]


@each_page
def test_starts_pixels_and_digits_can_be_dragged(seen, path):
    dragged = seen["dragged"]
    marks = parsed(path).marks
    assert len(dragged["starts"]) == marks[".course-valley"]
    for begin, keyed, moved in dragged["starts"]:
        assert (begin, keyed) == ("(−9.0, 2.0)", "(−8.5, 2.0)")
        assert moved not in (begin, keyed)
    assert len(dragged["changed"]) == 2 * marks[".course-weigh"]
    if dragged["changed"]:
        count, says = dragged["changed"]
        assert count > 3  # of eight; some may have been as dark before
        assert f" {count} pixels changed." in says
    assert len(dragged["moved"]) == marks[".course-shift"]
    assert all("moved by " in says and " right: " in says for says in dragged["moved"])


@each_page
def test_the_browser_cuts_a_text_as_the_tokenizer_does(seen, path):
    typed = "naïve ½ 日本 🙂\u3000it's 3.14  \n\n \x1c the\ufeff  end\xa0 "  # look.mjs types it
    models = re.findall(r'course-tokens"[^>]*data-model="([^"]*)"', path.read_text("utf-8"))
    cut = [found for found in seen["widgets"] if found["name"] == ".course-tokens"]
    for found, model in zip(cut, models, strict=True):
        tokenizer = BytePairTokenizer(json.loads(html.unescape(model))["merges"])
        tokens = tokenizer.encode(typed)
        assert f"{len(tokens)} tokens for {len(typed.encode())} bytes" in found["after"]
        shown = "".join(readable(tokenizer.vocabulary[token]) for token in tokens)
        assert shown in found["after"]


@each_page
def test_boards_can_be_drawn_on_with_keys_and_pointer(seen, path):
    for found in seen["boards"]:
        assert found["keyed"] == ["row 2, column 2: ink", 63]
        assert found["stroke"] == 55  # a row of eight
        assert found["kept"] == found["other"]
        assert found["kept"].count("g") == found["ink"] == 9


FILMS = (
    *("beam", "broadcast", "convolution", "denoise", "dials", "fit", "gates", "lookup", "margin"),
    *("matrix", "pull", "race", "secant", "tilewalk", "tilt", "tokens"),
)


@each_page
def test_animations_wait_for_the_reader_step_play_and_stop_off_the_screen(seen, path):
    marks = parsed(path).marks
    wanted = sum(marks[f".course-{name}"] for name in FILMS)
    wanted += path.read_text("utf-8").count(" data-written ")
    wanted += path.read_text("utf-8").count("&quot;racers&quot;:[")
    assert len(seen["films"]) == wanted
    for found in seen["films"]:
        told = [[int(number) for number in text.split(" / ")] for text in found["told"]]
        (start, last), *steps = told
        assert [at for at, _ in steps] == [start + 1, min(start + 2, last), last, start]
        assert {of for _, of in steps} == {last}
        assert found["plays"] == [False, True, False]
        assert found["calm"]  # who prefers less motion has steps alone


@pytest.mark.parametrize("path", [page for page in each_page.args[1] if "search" in page.id])
def test_search_works_without_a_server(path):
    found = shard(path)["search"]
    assert found["outside"] == []
    assert any("/book/" in link for link in found["links"])
    assert "softmax" in found["text"].lower()
    assert 1 <= len(found["sections"]) <= 3
    assert found["known"]
    assert all("softmax" in section["text"].lower() for section in found["sections"])
    assert found["exercise"] == [{"id": "b", "title": "B", "text": "word"}]
