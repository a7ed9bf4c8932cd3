"""Drawings of machines: boxes, and arrows that carry shapes. They follow the page's theme.

A `Drawing` is an SVG that is the same bytes each time, as `book.figures.figure` makes them:

    drawing = Drawing(520, 90, alt="A batch goes through one layer and becomes scores.")
    x = drawing.box(60, 45, "x")
    layer = drawing.box(260, 45, "linear", color=0, note="W, b")
    drawing.arrow(x, layer, "B × 64")
    drawing.arrow(layer, drawing.box(460, 45, "z"), "B × 10")
    drawing.show()

In all its texts `W_Q` and `h_{i−1}` are written with a subscript; in the alt text, which is read
out, they become W Q and h i−1.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from IPython.display import display

from book.svg import FONT, captioned, min_width, shade

SIZE, SMALL = 13.0, 11.0  # of letters, in pixels of the drawing
WIDE = 0.58  # of a letter, as a share of its size
GAP = 5.0  # between the tip of an arrow and its box
# A letter and what stands below it: d_k, W_11, h_{i−1}; but not a name such as num_layers.
LOWERED = re.compile(r"(?<![^\W\d_])([^\W\d_])_(?:\{([^{}]+)\}|([A-Za-z0-9]{1,2})(?!\w))")


@dataclass(frozen=True)
class Box:
    """Where a box stands: its middle and its size."""

    x: float
    y: float
    width: float
    height: float

    def toward(self, other: Box, gap: float = 0.0) -> tuple[float, float]:
        """The middle of the side that faces another box, and so far out."""
        across, down = other.x - self.x, other.y - self.y
        if abs(across) - (self.width + other.width) / 2 >= abs(down) - self.height:
            return self.x + _sign(across) * (self.width / 2 + gap), self.y
        return self.x, self.y + _sign(down) * (self.height / 2 + gap)


class Drawing:
    """A drawing to be filled.

    Args:
        width: pixels. From 400 on a phone scrolls it: no letters get smaller than 9 pixels.
        height: the same.
        alt: what it shows, for those who do not see it.

    Raises:
        ValueError: ``alt`` is empty.
    """

    def __init__(self, width: float, height: float, alt: str):
        if not alt.strip():
            raise ValueError("Drawing() got an empty alt text; say in words what it shows.")
        self.width, self.height, self.alt = width, height, _spoken(alt)
        self._arrows: list[str] = []  # under the boxes
        self._boxes: list[str] = []
        self._labels: list[str] = []  # over both
        self._links = False

    def box(
        self,
        x: float,
        y: float,
        text: str,
        *,
        note: str = "",
        color: int | str = 6,
        width: float | None = None,
        planned: bool = False,
        href: str = "",
    ) -> Box:
        """Put a box.

        Args:
            x: of its middle.
            y: of its middle.
            text: one line.
            note: a second, smaller line.
            color: of `COLORS`, or what it stands for, a name of `COLOR`.
            width: by default what its text needs.
            planned: dashed, for what is not there yet.
            href: makes it a link.
        """
        long, noted = (len(re.sub(r"_\{|\}", "", line)) for line in (text, note))
        letters = max(long * SIZE, noted * SMALL) * WIDE
        place = Box(x, y, width or max(44.0, letters + 22), 46.0 if note else 32.0)
        tone = shade(color)
        ink = 'fill="none" stroke-dasharray="4 4"' if planned else f'fill="{tone}"'
        frame = (
            f'<rect x="{x - place.width / 2:g}" y="{y - place.height / 2:g}" '
            f'width="{place.width:g}" height="{place.height:g}" rx="6" '
        )
        made = (
            f'{frame}fill="var(--pst-color-background,#fff)"/>'  # arrows end behind it
            f'{frame}{ink} fill-opacity="0.14" stroke="{tone}" stroke-width="1.3"/>'
            + _text(x, y - 7 if note else y, text, weight=550)
            + (_text(x, y + 10, note, size=SMALL, faint=True) if note else "")
        )
        if href:
            made = f'<a href="{html.escape(href)}">{made}</a>'
            self._links = True
        self._boxes.append(made)
        return place

    def arrow(
        self,
        start: Box,
        end: Box,
        label: str = "",
        *,
        color: int | str = 6,
        both: bool = False,
        beside: bool = False,
    ) -> None:
        """Draw an arrow from side to side, with what goes along it (a shape) in its middle.

        Args:
            start: from where.
            end: to where.
            label: its middle says this.
            color: of `COLORS`, or a name of `COLOR`.
            both: with a tip at each end.
            beside: the label stands at the right of an upright arrow and not over it.
        """
        (x0, y0), (x1, y1) = start.toward(end, GAP * both), end.toward(start, GAP)
        if x0 != start.x:  # it leaves sideways, and arrives so
            middle = (x0 + x1) / 2
            path = f"M{x0:g} {y0:g}C{middle:g} {y0:g} {middle:g} {y1:g} {x1:g} {y1:g}"
            ahead = (_sign(x1 - x0), 0)
        else:
            middle = (y0 + y1) / 2
            path = f"M{x0:g} {y0:g}C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"
            ahead = (0, _sign(y1 - y0))
        tone = shade(color)
        self._arrows.append(f'<path d="{path}" fill="none" stroke="{tone}" stroke-width="1.4"/>')
        self._arrows.append(_tip(x1, y1, *ahead, tone))
        if both:
            self._arrows.append(_tip(x0, y0, -ahead[0], -ahead[1], tone))
        if label:
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            place = (x + 8, y) if beside else (x, y - 10 if y0 == y1 else y)
            self._labels.append(_text(*place, label, size=SMALL, halo=True, start=beside))

    def text(self, x: float, y: float, text: str, *, start: bool = False) -> None:
        """Write a small line, around ``x`` or from there on."""
        self._labels.append(_text(x, y, text, size=SMALL, faint=True, start=start))

    def svg(self) -> str:
        """The drawing, to be put on a page."""
        content = "".join([*self._arrows, *self._boxes, *self._labels])
        letters = map(float, re.findall(r'style="font-size:([\d.]+)px', content))
        least = min_width(self.width, min(letters, default=SMALL))
        role = "group" if self._links else "img"
        return (
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="{role}" '
            f'aria-label="{html.escape(self.alt)}" fill="currentColor" style="{least}width:100%;'
            f'max-width:{self.width:g}px;height:auto;font-family:{FONT}">'
            f"{content}</svg>"
        )

    def html(self, caption: str = "") -> str:
        """The drawing in its frame."""
        return captioned(self.svg(), caption, "course-drawing")

    def show(self, caption: str = "") -> None:
        """Show it where a page is run.

        Args:
            caption: one sentence below it, what to see; the website numbers it.
        """
        text = "\n".join(filter(None, [self.alt, caption]))
        display({"text/html": self.html(caption), "text/plain": text}, raw=True)

    def grid(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[str]],
        *,
        size: float = 20.0,
        colors: Mapping[tuple[int, int], int | str] | None = None,
        text: str = "",
    ) -> Box:
        """Put a matrix of square cells, and say what stands in them.

        Args:
            x: of its middle.
            y: of its middle.
            rows: what stands in each cell, a few letters or nothing.
            size: of a cell, in pixels.
            colors: (row, column) -> of `COLORS`, or a name of `COLOR`; the others are empty.
            text: a line above it.
        """
        width, height = size * len(rows[0]), size * len(rows)
        left, top, colors = x - width / 2, y - height / 2, colors or {}
        for i, row in enumerate(rows):
            for j, entry in enumerate(row):
                a, b = left + j * size, top + i * size
                tone = shade(colors.get((i, j), 6))
                fill = 0.3 if (i, j) in colors else 0
                self._boxes.append(
                    f'<rect x="{a:g}" y="{b:g}" width="{size:g}" height="{size:g}" fill="{tone}" '
                    f'fill-opacity="{fill}" stroke="{tone}" stroke-width="0.8"/>'
                )
                if entry:
                    letters = min(SMALL, 0.62 * size)
                    self._boxes.append(_text(a + size / 2, b + size / 2, entry, size=letters))
        if text:
            self._labels.append(_text(x, top - 11, text, size=SMALL))
        return Box(x, y, width, height)

    def stack(
        self, x: float, y: float, count: int, size: float, *, color: int | str = 6, text: str = ""
    ) -> Box:
        """Put some maps of pixels behind each other, and say below what they are.

        Args:
            x: of the middle of all.
            y: of the middle of all.
            count: of maps; more than six are drawn as six.
            size: of a map, in pixels.
            color: of `COLORS`, or a name of `COLOR`.
            text: a line below.
        """
        drawn = min(count, 6)
        whole = size + 5 * (drawn - 1)
        for k in range(drawn):
            a, b = x + whole / 2 - size - 5 * k, y - whole / 2 + 5 * k
            frame = f'<rect x="{a:g}" y="{b:g}" width="{size:g}" height="{size:g}" rx="1.5" '
            self._boxes.append(
                f'{frame}fill="var(--pst-color-background,#fff)"/>'
                f'{frame}fill="{shade(color)}" fill-opacity="0.14" stroke="{shade(color)}"/>'
            )
        if text:
            self._labels.append(_text(x, y + whole / 2 + 12, text, size=SMALL))
        return Box(x, y, whole, whole)

    def sign(self, x: float, y: float, text: str, *, color: int | str = 6) -> Box:
        """Put a small circle with a sign in it: a sum, a product."""
        self._boxes.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="12" fill="var(--pst-color-background,#fff)" '
            f'stroke="{shade(color)}" stroke-width="1.3"/>' + _text(x, y, text, size=15)
        )
        return Box(x, y, 24, 24)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        *,
        color: int | str = 6,
        tip: bool = False,
        dashed: bool = False,
        wide: float = 1.4,
    ) -> None:
        """Draw a line through points, with round corners; it may end in the tip of an arrow."""
        path = f"M{points[0][0]:g} {points[0][1]:g}"
        for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
            (a, b), (c, d) = _near(x, y, *before), _near(x, y, *after)
            path += f"L{a:g} {b:g}Q{x:g} {y:g} {c:g} {d:g}"
        (x, y), dash = points[-1], ' stroke-dasharray="4 4"' if dashed else ""
        self._arrows.append(
            f'<path d="{path}L{x:g} {y:g}" fill="none" stroke="{shade(color)}" '
            f'stroke-width="{wide:g}"{dash}/>'
        )
        if tip:
            a, b = points[-2]
            far = math.hypot(x - a, y - b)
            self._arrows.append(_tip(x, y, (x - a) / far, (y - b) / far, shade(color)))

    def area(self, points: Sequence[tuple[float, float]], *, color: int | str = 6) -> None:
        """Fill what lies between points with a light color, behind everything."""
        corners = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._arrows.insert(
            0, f'<polygon points="{corners}" fill="{shade(color)}" fill-opacity="0.16"/>'
        )

    def bracket(self, start: float, end: float, y: float, text: str, *, below: bool = True) -> None:
        """Span from ``start`` to ``end`` with a bracket that opens to ``y``, and say what it is."""
        out = 7 if below else -7
        self.line([(start, y), (start, y + out), (end, y + out), (end, y)], wide=1.1)
        self._labels.append(_text((start + end) / 2, y + 2.6 * out, text, size=SMALL, halo=True))

    def variable(
        self,
        x: float,
        y: float,
        text: str,
        *,
        radius: float = 16,
        color: int | str = 6,
        seen: bool = False,
    ) -> Box:
        """Put a circle: a variable of a graph, or one number.

        Args:
            x: of its middle.
            y: of its middle.
            text: a letter or two.
            radius: pixels.
            color: of `COLORS`, or a name of `COLOR`.
            seen: filled: this variable is observed.
        """
        tone, fill = shade(color), 0.3 if seen else 0.08
        circle = f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" '
        self._boxes.append(
            f'{circle}fill="var(--pst-color-background,#fff)"/>'  # lines end behind it
            f'{circle}fill="{tone}" fill-opacity="{fill}" stroke="{tone}" stroke-width="1.3"/>'
            + _text(x, y, text)
        )
        return Box(x, y, 2 * radius, 2 * radius)

    def link(
        self,
        start: Box,
        end: Box,
        label: str = "",
        *,
        color: int | str = 6,
        faint: bool = False,
        tip: bool = True,
        bend: float = 0.0,
        at: float = 0.5,
    ) -> None:
        """Draw a line between two variables, the shortest way or bent to one side.

        Args:
            start: from where; its rim is taken for a circle.
            end: to where.
            label: stands on the line.
            color: of `COLORS`, or a name of `COLOR`.
            faint: one of many.
            tip: with the point of an arrow.
            bend: how far its middle is pushed to the left of the way, in pixels.
            at: where on the way the label stands, from 0 to 1.
        """
        across, down = end.x - start.x, end.y - start.y
        way = math.hypot(across, down)
        over = (
            (start.x + end.x) / 2 + bend * down / way,
            (start.y + end.y) / 2 - bend * across / way,
        )
        control = 2 * over[0] - (start.x + end.x) / 2, 2 * over[1] - (start.y + end.y) / 2

        def rim(box: Box, gap: float) -> tuple[float, float, float, float]:
            x, y = control[0] - box.x, control[1] - box.y
            x, y = x / math.hypot(x, y), y / math.hypot(x, y)
            out = box.width / 2 + gap
            return box.x + out * x, box.y + out * y, -x, -y

        (x0, y0, *_), (x1, y1, *ahead) = rim(start, 0), rim(end, GAP * tip)
        tone, thick = shade(color), 0.9 if faint else 1.5
        self._arrows.append(
            f'<path d="M{x0:.1f} {y0:.1f}Q{control[0]:.1f} {control[1]:.1f} {x1:.1f} {y1:.1f}" '
            f'fill="none" stroke="{tone}" stroke-width="{thick}" '
            f'stroke-opacity="{0.4 if faint else 1}"/>'
        )
        if tip:
            self._arrows.append(_tip(round(x1, 1), round(y1, 1), *ahead, tone))
        if label:
            ends = (1 - at) ** 2, 2 * at * (1 - at), at**2
            x, y = (
                sum(s * c for s, c in zip(ends, places, strict=True))
                for places in ((x0, control[0], x1), (y0, control[1], y1))
            )
            self._labels.append(_text(round(x, 1), round(y, 1), label, size=SMALL, halo=True))

    def cells(
        self,
        x: float,
        y: float,
        values: Sequence[Sequence[float | None]],
        *,
        size: float = 11,
        label: str = "",
    ) -> Box:
        """Put a small picture, or a matrix whose entries are to be seen.

        Args:
            x: of its middle.
            y: of its middle.
            values: rows of numbers between -1 (orange) and 1 (blue); None is a cell that is not
                known, and dashed.
            size: of a cell, pixels.
            label: below it.
        """
        high, wide = len(values), len(values[0])
        left, top = x - wide * size / 2, y - high * size / 2
        frame = f'width="{wide * size:g}" height="{high * size:g}" fill="none" stroke="{shade(6)}"'
        made = [f'<rect x="{left:g}" y="{top:g}" {frame} stroke-opacity="0.6"/>']
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                place = f'x="{left + column * size:g}" y="{top + row * size:g}"'
                cell = f'<rect {place} width="{size:g}" height="{size:g}" '
                if value is None:
                    made.append(
                        f'{cell}fill="none" stroke="{shade(1)}" stroke-dasharray="2 2" '
                        'stroke-width="0.8"/>'
                    )
                elif value:
                    tone = shade(0 if value > 0 else 1)
                    made.append(f'{cell}fill="{tone}" fill-opacity="{min(1, abs(value)):.2f}"/>')
        if label:
            made.append(_text(x, y + high * size / 2 + 11, label, size=SMALL, faint=True))
        self._boxes.append("".join(made))
        return Box(x, y, wide * size, high * size)

    def matrix(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str,
        *,
        rows: str = "",
        columns: str = "",
        color: int | str = 6,
        row: float | None = None,
        column: float | None = None,
    ) -> Box:
        """Put a matrix as a block of its proportions, with its shape at its sides.

        Args:
            x: of its middle.
            y: of its middle.
            width: pixels.
            height: pixels.
            text: in its middle.
            rows: what its rows count, on its left.
            columns: what its columns count, above it.
            color: of `COLORS`, or a name of `COLOR`.
            row: marks a row so far down, from 0 to 1.
            column: marks a column so far across, from 0 to 1; with a row, one entry.
        """
        tone, left, top = shade(color), x - width / 2, y - height / 2
        made = (
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{tone}" '
            f'fill-opacity="0.12" stroke="{tone}" stroke-width="1.3"/>'
        )
        if row is not None or column is not None:
            across = width if column is None else min(9.0, width)
            down = height if row is None else min(9.0, height)
            made += (
                f'<rect x="{left + (column or 0) * (width - across):g}" '
                f'y="{top + (row or 0) * (height - down):g}" width="{across:g}" '
                f'height="{down:g}" fill="{tone}" fill-opacity="0.55"/>'
            )
        self._boxes.append(made)
        self._labels.append(_text(x, y, text, weight=550, halo=True))
        if rows:
            self._labels.append(_text(left - 12, y, rows, size=SMALL, faint=True))
        if columns:
            self._labels.append(_text(x, top - 11, columns, size=SMALL, faint=True))
        return Box(x, y, width, height)

    def strip(
        self,
        x: float,
        y: float,
        width: float,
        parts: Sequence[tuple[str, str, float, int | str]],
        *,
        height: float = 30,
    ) -> list[Box]:
        """Put a strip that is cut into parts as long as their sizes.

        Args:
            x: of its left end.
            y: of its middle.
            width: of all of it.
            parts: of each the text, a second, smaller line, the size and the color
                (of `COLORS`, or a name of `COLOR`).
            height: pixels.
        """
        total, found = sum(size for _, _, size, _ in parts), []
        for text, note, size, color in parts:
            wide = width * size / total
            tone, place = shade(color), Box(x + wide / 2, y, wide, height)
            self._boxes.append(
                f'<rect x="{x:.1f}" y="{y - height / 2:g}" width="{wide:.1f}" height="{height:g}" '
                f'fill="{tone}" fill-opacity="0.16" stroke="{tone}" stroke-width="1.3"/>'
                + _text(round(x + wide / 2, 1), y - 8 if note else y, text)
                + (
                    _text(round(x + wide / 2, 1), y + 9, note, size=SMALL, faint=True)
                    if note
                    else ""
                )
            )
            found.append(place)
            x += wide
        return found

    def back(
        self, start: Box, end: Box, label: str = "", *, drop: float = 30, color: int | str = 6
    ) -> None:
        """Draw an arrow that leaves a box below, runs under what stands between, and comes up.

        Args:
            start: from where.
            end: to where.
            label: what goes back.
            drop: how far down it runs, in pixels.
            color: of `COLORS`, or a name of `COLOR`.
        """
        y0, y1 = start.y + start.height / 2, end.y + end.height / 2 + GAP
        low, turn = max(y0, y1) + drop, _sign(end.x - start.x) * 10
        self._arrows.append(
            f'<path d="M{start.x:g} {y0:g}V{low - 10:g}q0 10 {turn:g} 10H{end.x - turn:g}'
            f'q{turn:g} 0 {turn:g} -10V{y1:g}" fill="none" stroke="{shade(color)}" '
            'stroke-width="1.4"/>'
        )
        self._arrows.append(_tip(end.x, y1, 0, -1, shade(color)))
        if label:
            middle = (start.x + end.x) / 2
            self._labels.append(_text(middle, low, label, size=SMALL, halo=True))

    def number(self, x: float, y: float, text: str, *, color: int | str = 6) -> None:
        """Write a small line in a color, around ``x``."""
        made = _text(x, y, text, size=SMALL, weight=550, halo=True)
        self._labels.append(f'<g fill="{shade(color)}">{made}</g>')


def _sign(number: float) -> float:
    return (number > 0) - (number < 0)


def _tip(x: float, y: float, across: float, down: float, tone: str) -> str:
    """The point of an arrow that ends at (x, y)."""
    side = [(x - 7 * across + 3.6 * s * down, y - 7 * down - 3.6 * s * across) for s in (1, -1)]
    points = " ".join(f"{a:g},{b:g}" for a, b in [(x, y), *side])
    return f'<polygon points="{points}" fill="{tone}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: float = SIZE,
    weight: int = 400,
    faint: bool = False,
    halo: bool = False,
    start: bool = False,
) -> str:
    looks = [f"font-size:{size:g}px;font-weight:{weight}"]
    words = _lowered(text)
    if halo:  # readable where it crosses a line; small letters must not cover their neighbors
        edge = ";stroke:var(--pst-color-background,#fff);stroke-width:4px;paint-order:stroke"
        looks = [f"{looks[0]}{edge};fill:none", *looks] if "<tspan" in words else [looks[0] + edge]
    anchor = "start" if start else "middle"
    return "".join(
        f'<text x="{x:g}" y="{y + 0.35 * size:g}" text-anchor="{anchor}" style="{look}"'
        f' opacity="{0.8 if faint else 1}">{words}</text>'
        for look in looks
    )


def _near(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """The point on the way from a corner (x, y) to (a, b) where its rounding ends."""
    far = math.hypot(a - x, b - y)
    part = min(8.0, far / 2) / far if far else 0.0
    return x + part * (a - x), y + part * (b - y)


def _lowered(text: str) -> str:
    """Escaped for SVG, with `d_k` as d and a small k below, and `h_{i−1}` likewise."""
    small = '<tspan dy="3" style="font-size:78%">{}</tspan><tspan dy="-3">\u200b</tspan>'
    return LOWERED.sub(lambda name: name[1] + small.format(name[2] or name[3]), html.escape(text))


def _spoken(text: str) -> str:
    """With `d_k` as d k, to be read out."""
    return LOWERED.sub(lambda name: f"{name[1]} {name[2] or name[3]}", text)
