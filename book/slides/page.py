"""A deck as a page: reveal.js, the site's own style, and the slides."""

from __future__ import annotations

from html import escape

from book.slides.deck import Slide

PAGE = """<!doctype html>
<html lang="{language}" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: slides</title>
<link rel="icon" href="../_static/logo.svg">
<link rel="stylesheet" href="../_static/book.css">
<link rel="stylesheet" href="../_static/reveal/reveal.css">
<link rel="stylesheet" href="deck.css">
</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="../_static/reveal/reveal.js"></script>
<script src="../_static/reveal/notes.js"></script>
<script src="deck.js"></script>
</body>
</html>
"""
SLIDE = """<section class="deck-{kind}{again}" data-anchor="{anchor}">
<h2>{heading}</h2>
<div class="deck-body bd-article">{body}</div>
<p class="deck-foot"><a href="../book/{slug}.html#{anchor}">{title}</a></p>
{notes}</section>"""


def page(title: str, slug: str, slides: list[Slide], *, language: str = "en") -> str:
    """HTML of a deck, for the folder ``slides`` beside the site's folder ``book``."""
    made = [_slide(slide, title, slug) for slide in slides]
    return PAGE.format(title=escape(title), language=language, slides="\n".join(made))


def _slide(slide: Slide, title: str, slug: str) -> str:
    notes = "".join(f"<p>{note}</p>" for note in slide.notes)
    return SLIDE.format(
        kind=slide.kind,
        again=" deck-again" if slide.continues else "",
        anchor=escape(slide.anchor),
        heading=slide.heading,
        body=slide.body,
        slug=slug,
        title=escape(title),
        notes=f'<aside class="notes">{notes}</aside>\n' if notes else "",
    )
