"""Matplotlib in the book's colors, and its figures as SVG that follows the page's theme."""

from __future__ import annotations

import hashlib
import html
import io
import itertools
import math
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

# Told apart with every kind of color vision; custom.css holds the dark theme's --course-0 to -6.
COLORS = ["#2b5fc7", "#c2410c", "#18a06a", "#6d2480", "#bf8200", "#6f93d0", "#4b5058"]
AXES, FRAME, GRID = "#00000099", "#00000055", "#00000022"  # black becomes the color of the text
BLUE, ORANGE = "#3d73e6", "#dd5a22"  # of pictures, which cannot follow the theme
# What each stands for, on every page: models first, then roles. Two that share a color never meet
# in a figure, or differ in their `MARKER`.
_PLACES = {
    "naive Bayes": 6,
    "Bernoulli naive Bayes": 6,
    "Gaussian naive Bayes": 6,
    "softmax regression": 4,
    "logistic regression": 4,
    "linear SVM": 1,
    "MLP": 2,
    "convolution": 5,
    "LeNet": 5,
    "residual network": 3,
    "ViT": 0,
    "n-gram": 6,
    "recurrence": 1,
    "LSTM": 4,
    "GRU": 2,
    "GRU with attention": 3,
    "attention": 0,
    "Transformer": 0,
    "training": 0,
    "development": 1,
    "test": 2,
    "input": 6,
    "weights": 0,
    "activation": 4,
    "output": 2,
    "value": 0,  # of a unit on the way up; its gradient on the way down
    "gradient": 1,
    "positive": 0,  # of signed weights
    "negative": 1,
    "query": 1,
    "key": 0,
    "values": 2,  # what attention averages
    "reference": 6,  # chance, a bound, what theory says
}
COLOR = {name: COLORS[place] for name, place in _PLACES.items()}
MARKER = {
    "naive Bayes": "s",
    "Bernoulli naive Bayes": "s",
    "Gaussian naive Bayes": "P",
    "softmax regression": "v",
    "logistic regression": "v",
    "linear SVM": "^",
    "MLP": "D",
    "LeNet": "o",
    "residual network": "*",
    "ViT": "X",
    "recurrence": "^",
    "attention": "o",
}
LONG_NAME = 20  # letters
READABLE, PHONE = 9.0, 310  # pixels: the smallest letters, and what a small phone has for a figure
SMALLEST = 0.85  # of a formula's letters: what its exponents and indices have at least
FONT = "var(--course-font,system-ui,sans-serif)"
_VARIABLES = {color: f"var(--course-{i},{color})" for i, color in enumerate(COLORS)}
_VARIABLES["#000000"] = "currentColor"


def shade(color: int | str) -> str:
    """A color that follows the theme, by its place in `COLORS` or by what it stands for."""
    place = _PLACES[color] if isinstance(color, str) else color
    return f"var(--course-{place},{COLORS[place]})"


def captioned(picture: str, caption: str, *names: str) -> str:
    """A picture as it stands on a page, with what to see in it below.

    The website puts a number before the caption (`book._ext.reading`).

    Args:
        picture: SVG.
        caption: a sentence, or nothing; ``$math$`` and `` `code` `` are rendered.
        *names: further classes of the picture's frame.
    """
    frame = f'<div class="{" ".join(["course-figure", *names])}">{picture}</div>'
    if not caption:
        return frame
    words = f'<figcaption class="tex2jax_process">{inline(caption)}</figcaption>'
    return f'<figure class="course-captioned">{frame}{words}</figure>'


def inline(text: str) -> str:
    """HTML of a line in which ``$math$`` and `` `code` `` may stand."""
    text = re.sub(r"\$([^$]+)\$", r"\\(\1\\)", html.escape(text, quote=False))
    return re.sub(r"`([^`]+)`", lambda code: f"<code>{_breakable(code[1])}</code>", text)


def _breakable(name: str) -> str:
    """A long name may be broken after its dots and underscores."""
    return re.sub(r"(?<=\w)([._])(?=\w)", r"\1<wbr/>", name) if len(name) > LONG_NAME else name


def _style() -> None:
    """Thin axes, our colors, and text that stays legible on a phone; default width 6 inches."""
    for name, stops in {
        "course": [(0, to_rgba(BLUE, 0)), (1, to_rgba(BLUE, 0.9))],
        "course_diverging": [
            (0, to_rgba(ORANGE, 0.9)),
            (0.5, to_rgba(ORANGE, 0)),
            (0.5, to_rgba(BLUE, 0)),
            (1, to_rgba(BLUE, 0.9)),
        ],
    }.items():
        mpl.colormaps.register(LinearSegmentedColormap.from_list(name, stops), force=True)
    plt.rcParams.update(
        {
            "axes.axisbelow": True,
            "axes.facecolor": "none",
            "axes.grid": True,
            "axes.grid.axis": "y",
            "axes.labelsize": 11,
            "axes.linewidth": 0.7,
            "axes.edgecolor": AXES,
            "axes.prop_cycle": mpl.cycler(color=COLORS),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 11.5,
            "axes.titleweight": "bold",
            "figure.constrained_layout.use": True,
            "figure.facecolor": "none",
            "figure.figsize": (6.0, 3.5),
            "font.family": "DejaVu Sans",
            "font.size": 11,
            "grid.color": GRID,
            "grid.linewidth": 0.7,
            "image.cmap": "course",
            "image.interpolation": "none",
            "legend.fontsize": 11,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "savefig.facecolor": "none",
            "svg.fonttype": "none",
            "svg.hashsalt": "course",
            "xtick.color": AXES,
            "xtick.labelcolor": "#000000",
            "xtick.labelsize": 11,
            "xtick.major.width": 0.7,
            "ytick.color": AXES,
            "ytick.labelcolor": "#000000",
            "ytick.labelsize": 11,
            "ytick.major.width": 0.7,
        }
    )


_style()


def svg(fig: Figure, alt: str) -> str:
    """The same bytes for the same figure; ids that no other figure of a page has."""
    for axes in fig.axes:
        if axes.images:
            axes.grid(False)
    file = io.StringIO()
    fig.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    body = re.search(r"<svg[^>]*>(.*)</svg>", file.getvalue(), re.DOTALL).group(1)
    body = re.sub(
        r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->|<defs>\s*</defs>",
        "",
        body,
        flags=re.DOTALL,
    )
    for color, variable in _VARIABLES.items():
        body = body.replace(color, variable)
    body = re.sub(r" ?font-family: 'DejaVu Sans';?", "", body).replace(": 700", ": 600")
    body = re.sub(r"<text>\s*(<tspan.*?)</text>(?!\s*<rect)", _flow, body, flags=re.DOTALL)
    body = re.sub(r"\s*\n\s*", "\n", body.replace("xlink:href", "href"))
    # ids: those that something refers to, made unique to this picture by a hash of it
    used = set(re.findall(r'(?:url\(|href=")#([^)"]+)', body))
    mark = hashlib.sha256(f"{alt}\0{body}".encode()).hexdigest()[:8]
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="f{mark}-{m[1]}"' * (m[1] in used), body)
    body = re.sub(r'(url\(|href=")#', rf"\1#f{mark}-", body)
    width, height = (72 * inches for inches in fig.get_size_inches())
    sizes = [text.get_fontsize() for text in fig.findobj(Text) if text.get_text().strip()]
    least = min_width(width, min(sizes, default=11.0))
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{html.escape(alt)}" '
        f'fill="currentColor" style="{least}width:100%;max-width:{1.3 * width:.0f}px;height:auto;'
        f'font-family:{FONT};stroke-linejoin:round">{body}</svg>'
    )


def min_width(width: float, letters: float) -> str:
    """The style below which letters of that size were smaller than 9 pixels: then it scrolls."""
    least = math.ceil(READABLE / letters * width)
    return f"min-width:{least}px;" if least > PHONE else ""


def _flow(formula: re.Match) -> str:
    """Formulas: glyphs placed one by one become text that runs on, in the font of the page."""
    glyphs = re.findall(
        r'x="([^"]*)" y="([^"]*)" style="([^"]*)">(.*?)</tspan>', formula[1], re.DOTALL
    )
    spans, last = "", 0.0
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", formula[1])]
    least = SMALLEST * max(sizes, default=0.0)
    glyphs.sort(key=lambda glyph: float(glyph[0]))
    for (y, style), run in itertools.groupby(glyphs, key=lambda glyph: (float(glyph[1]), glyph[2])):
        text = "".join(glyph[3] for glyph in run).replace("\xa0", " ")
        style = re.sub(
            r"(?<=font-size: )[\d.]+", lambda size: f"{max(float(size[0]), least):g}", style
        )
        spans += f'<tspan dy="{y - last:g}" style="{style}">{text}</tspan>'
        last = y
    return f'<text style="white-space:pre">{spans}</text>'
