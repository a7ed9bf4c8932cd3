"""The front page: what it says of the chapters, and the drawings it is made with."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from book import pages
from book._ext import front
from book.drawing import Box, Drawing
from book.figures import COLOR
from book.pages import BOOK, chapters

INDEX = (BOOK / "index.md").read_text()


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_every_chapter_opens_with_a_question(page):
    assert re.fullmatch(r"[A-Z].{5,140}[?]", front.asks(page.read_text()))


def test_the_question_is_that_of_the_opening():
    text = (
        "---\n\n# T\n\n**No.** ```\n**a?**\n``` And **what\nnow?** **Or?**\n\n## Later\n\n**Why?**"
    )
    assert front.asks(text) == "What now?"
    assert front.asks("\n# T\n\n## Later\n\n**Why?**") == ""


def test_what_is_told_of_a_chapter_is_counted_and_measured(monkeypatch, tmp_path):
    page = tmp_path / "linear.md"
    page.write_text("---\nnot: read\n---\n" + "word " * 660 + "```\nno word\n```")
    monkeypatch.setattr(front, "_record", lambda env, page: SimpleNamespace(data=SECONDS))
    monkeypatch.setattr(front, "_outputs", lambda env, page, kind: ["said " * 440])
    count = len(pages.exercises("linear"))
    assert told(page) == [f"{count} exercises", "5 min to read", "12 s to run"]
    monkeypatch.setattr(front, "_record", lambda env, page: None)
    monkeypatch.setattr(front, "_outputs", lambda env, page, kind: [])
    assert told(page) == [f"{count} exercises", "3 min to read"]


def told(page):
    """The facts of a page, none of which is broken at the end of a line."""
    facts = front.facts(None, page).split("\N{NO-BREAK SPACE}· ")
    assert not any(" " in fact for fact in facts)
    return [fact.replace("\N{NO-BREAK SPACE}", " ") for fact in facts]


SECONDS = {"execution_seconds": 12.3}


def lines():
    content = re.search(r"```\{course-map\}\n:alt: .*\n((?:.+\n)+?)```", INDEX)[1]
    return {match[1]: match for match in map(front._LINE.fullmatch, content.splitlines())}


def test_the_map_shows_every_chapter_that_is_there_and_names_the_planned_ones():
    there = {page.stem for page in chapters()}
    assert there <= lines().keys()
    for slug, line in lines().items():
        assert slug in there or line[5], f"{slug} is planned: give its title"


def test_the_map_has_no_two_in_a_place_and_every_arrow_goes_down():
    found = lines()
    places = [(line[2], line[3]) for line in found.values()]
    assert len(places) == len(set(places))
    for line in found.values():
        for need in (line[4] or "").split():
            assert int(found[need][3]) < int(line[3]), f"{need} -> {line[1]}"


def test_no_arrow_of_the_map_passes_behind_a_chapter():
    found = [line.groups() for line in lines().values()]
    drawing, boxes = front._map(found, {page.stem for page in chapters()}, "A map.")
    paths = iter(re.findall(r'd="M([-\d.]+ [^"]+)" fill="none"', drawing.svg()))
    shares = [k / 200 for k in range(201)]
    for slug, _, _, needs, _ in found:
        for need in (needs or "").split():
            numbers = [float(number) for number in re.split("[ C]", next(paths))]
            a, b, c, d = zip(numbers[::2], numbers[1::2], strict=True)
            for t in shares:
                x, y = (
                    (1 - t) ** 3 * a[k]
                    + 3 * t * (1 - t) ** 2 * b[k]
                    + 3 * t * t * (1 - t) * c[k]
                    + t**3 * d[k]
                    for k in (0, 1)
                )
                behind = [
                    name
                    for name, box in boxes.items()
                    if abs(x - box.x) < box.width / 2 and abs(y - box.y) < box.height / 2
                ]
                assert not set(behind) - {need, slug}, f"{need} -> {slug} passes {behind}"
    assert next(paths, None) is None


def test_a_phone_has_the_map_from_above_to_below():
    order = [page.stem for page in chapters()]
    for slug, line in lines().items():
        for need in (line[4] or "").split():
            assert slug not in order or order.index(need) < order.index(slug), f"{need} -> {slug}"


def test_the_site_shows_explorer_report_cards_and_map():
    site = pages.ROOT / "_build/html/book/index.html"
    if not site.is_file():
        pytest.skip("there is no site to look at (make book)")
    text = site.read_text()
    assert text.count('class="course-card ') == len(chapters())
    said = text.replace("\N{NO-BREAK SPACE}", " ")
    assert said.count(" s to run") == said.count(" min to read") == len(chapters())
    assert text.count('class="course-thumb"') == len(chapters())
    assert "course-weigh" in text
    report = text.partition('class="course-report"')[2]
    for title in ("expected", "got", "got − expected"):
        assert f'aria-label="{title}: ' in report
    assert "This is a known mistake." in report
    assert 'href="self_attention.html#' in report


# Drawings


def test_a_drawing_is_boxes_and_arrows_with_shapes():
    drawing = Drawing(300, 60, alt="x becomes z.")
    start, end = drawing.box(40, 30, "x"), drawing.box(250, 30, "z < 1", color=1, planned=True)
    drawing.arrow(start, end, "B × 64")
    text = drawing.svg()
    assert 'role="img" aria-label="x becomes z."' in text
    assert "z &lt; 1" in text
    assert "B × 64" in text
    assert "var(--course-1," in text
    assert "stroke-dasharray" in text
    assert f'd="M{start.x + start.width / 2:g} 30C' in text  # from its side
    assert text == drawing.svg()


def test_a_color_is_named_by_what_it_stands_for_and_a_caption_stands_below():
    drawing = Drawing(300, 60, alt="x becomes z.")
    drawing.arrow(drawing.box(40, 30, "x"), drawing.box(250, 30, "z", color="MLP"), color="MLP")
    assert drawing.svg().count(f"var(--course-2,{COLOR['MLP']})") == 4
    assert drawing.html("What goes in.").endswith(">What goes in.</figcaption></figure>")
    assert "figcaption" not in drawing.html()


def test_arrows_leave_and_arrive_at_the_sides_that_face_each_other():
    middle = Box(0, 0, 40, 20)
    assert middle.toward(Box(100, 5, 40, 20)) == (20, 0)
    assert middle.toward(Box(-100, 5, 40, 20)) == (-20, 0)
    assert middle.toward(Box(5, 100, 40, 20), gap=3) == (0, 13)
    assert middle.toward(Box(5, -100, 40, 20)) == (0, -10)


def test_the_drawing_in_the_authors_guide_is_what_its_lines_say():
    guide = (BOOK / "guide_author.md").read_text()
    shown, made = re.findall(r"```\{drawing\} (\d+ \d+\n.*?)```", guide, re.DOTALL)
    assert shown == made


def test_links_can_be_reached_and_pictures_are_one():
    drawing = Drawing(300, 60, alt="A map.")
    drawing.box(40, 30, "x", href="x.html")
    assert '<svg viewBox="0 0 300 60" role="group" aria-label="A map."' in drawing.svg()
    assert '<a href="x.html">' in drawing.svg()


def test_what_a_drawing_shows_must_be_said():
    with pytest.raises(ValueError, match="alt text"):
        Drawing(1, 1, alt=" ")


def test_what_graphs_and_matrices_are_drawn_with():
    drawing = Drawing(400, 200, alt="A graph and two matrices.")
    cause, effect = drawing.variable(50, 20, "y"), drawing.variable(50, 120, "x_12", seen=True)
    drawing.link(cause, effect, "p < 1", bend=10)
    picture = drawing.cells(150, 60, [[1, -0.5], [0, None]], size=10, label="W")
    matrix = drawing.matrix(250, 60, 40, 80, "Z", rows="B", columns="C", row=1, column=0)
    first, last = drawing.strip(10, 180, 300, [("a", "", 1, 0), ("b", "two", 2, 1)])
    drawing.back(last, first, "again", drop=12)
    assert picture == Box(150, 60, 20, 20)
    assert matrix == Box(250, 60, 40, 80)
    assert (first.width, last.width) == (100, 200)
    assert last.x - last.width / 2 == first.x + first.width / 2 == 110
    root = ElementTree.fromstring(drawing.svg())
    shades = [shape.get("fill-opacity") for shape in root.iter("rect")]
    assert {"1.00", "0.50"} < set(shades)  # one cell of each sign; the 0 is not drawn
    assert sum(shape.get("stroke-dasharray") is not None for shape in root.iter("rect")) == 1
    (entry,) = [shape for shape in root.iter("rect") if shape.get("fill-opacity") == "0.55"]
    assert (entry.get("x"), entry.get("y")) == ("230", "91")  # the last row, the first column
    assert len(list(root.iter("polygon"))) == 2
    assert all(f">{text}<" in drawing.svg() for text in ("p &lt; 1", "two", "again", "12"))


def test_the_point_of_a_slanted_arrow_is_symmetric():
    drawing = Drawing(200, 200, alt="x becomes z.")
    drawing.link(drawing.variable(20, 20, "x"), drawing.variable(150, 150, "z"))
    points = re.search(r'<polygon points="([^"]+)"', drawing.svg())[1]
    (x, y), one, other = (tuple(map(float, point.split(","))) for point in points.split())
    assert one == pytest.approx(other[::-1], abs=0.1)  # mirrored at the diagonal
    assert x == y
