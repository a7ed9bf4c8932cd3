"""Drawings of machines: boxes, and arrows that carry shapes. They follow the page's theme.

A `Drawing` is an SVG that is the same bytes each time, as `book.figures.figure` makes them:

    drawing = Drawing(520, 90, alt="A batch goes through one layer and becomes scores.")
    x = drawing.box(60, 45, "x")
    layer = drawing.box(260, 45, "linear", color=0, note="W, b")
    drawing.arrow(x, layer, "B × 64")
    drawing.arrow(layer, drawing.box(460, 45, "z"), "B × 10")
    drawing.show()
"""

from __future__ import annotations

import html
from dataclasses import dataclass

from IPython.display import display

from book.svg import FONT, captioned, shade

SIZE, SMALL = 13.0, 11.0  # of letters, in pixels of the drawing
WIDE = 0.58  # of a letter, as a share of its size
GAP = 5.0  # between the tip of an arrow and its box


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
        width: pixels. From 500 on a phone shows it no smaller than three quarters, and scrolls.
        height: the same.
        alt: what it shows, for those who do not see it.

    Raises:
        ValueError: ``alt`` is empty.
    """

    def __init__(self, width: float, height: float, alt: str):
        if not alt.strip():
            raise ValueError("Drawing() got an empty alt text; say in words what it shows.")
        self.width, self.height, self.alt = width, height, alt
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
        letters = max(len(text) * SIZE, len(note) * SMALL) * WIDE
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
        self, start: Box, end: Box, label: str = "", *, color: int | str = 6, both: bool = False
    ) -> None:
        """Draw an arrow from side to side, with what goes along it (a shape) in its middle.

        Args:
            start: from where.
            end: to where.
            label: its middle says this.
            color: of `COLORS`, or a name of `COLOR`.
            both: with a tip at each end.
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
            level = y0 == y1
            self._labels.append(_text(x, y - 10 if level else y, label, size=SMALL, halo=True))

    def text(self, x: float, y: float, text: str, *, start: bool = False) -> None:
        """Write a small line, around ``x`` or from there on."""
        self._labels.append(_text(x, y, text, size=SMALL, faint=True, start=start))

    def svg(self) -> str:
        """The drawing, to be put on a page."""
        least = f"min-width:{0.75 * self.width:.0f}px;" if self.width > 500 else ""
        role = "group" if self._links else "img"
        return (
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="{role}" '
            f'aria-label="{html.escape(self.alt)}" fill="currentColor" style="{least}width:100%;'
            f'max-width:{self.width:g}px;height:auto;font-family:{FONT}">'
            f"{''.join([*self._arrows, *self._boxes, *self._labels])}</svg>"
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


def _sign(number: float) -> float:
    return (number > 0) - (number < 0)


def _tip(x: float, y: float, across: float, down: float, tone: str) -> str:
    """The point of an arrow that ends at (x, y)."""
    side = [(x - 7 * across + 3.6 * s * down, y - 7 * down + 3.6 * s * across) for s in (1, -1)]
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
    look = f"font-size:{size:g}px;font-weight:{weight}"
    if halo:  # readable where it crosses a line
        look += ";stroke:var(--pst-color-background,#fff);stroke-width:4px;paint-order:stroke"
    anchor = "start" if start else "middle"
    return (
        f'<text x="{x:g}" y="{y + 0.35 * size:g}" text-anchor="{anchor}" style="{look}"'
        f' opacity="{0.8 if faint else 1}">{html.escape(text)}</text>'
    )
