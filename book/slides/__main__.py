"""`python -m book.slides SITE`: a deck of slides for each chapter, in SITE/slides, and as PDF."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from book.pages import chapters
from book.slides.deck import slides
from book.slides.page import page
from grader.instruct.browser import Browser, BrowserError, chromium

HERE = Path(__file__).parent


@click.command()
@click.argument("site", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--only", multiple=True, metavar="SLUG", help="Make decks of these chapters alone.")
@click.option("--pdf", is_flag=True, help="Print each deck as well (needs Chromium).")
def main(site: Path, only: tuple[str, ...], pdf: bool) -> None:
    """Write a deck for each chapter of the finished website in SITE."""
    known = [chapter.stem for chapter in chapters()]
    if unknown := set(only) - set(known):
        raise click.UsageError(f"The book has no chapter {', '.join(sorted(unknown))}.")
    chosen = [slug for slug in known if not only or slug in only]
    missing = [slug for slug in chosen if not (site / "book" / f"{slug}.html").is_file()]
    if missing:
        raise click.UsageError(f"{site} has no page of {missing[0]}. Build it first: make book")
    if pdf and not (browser := chromium()):
        raise click.UsageError("There is no Chromium to print with; COURSE_BROWSER names one.")
    folder = site / "slides"
    folder.mkdir(exist_ok=True)
    for name in ("deck.css", "deck.js"):
        shutil.copy(HERE / name, folder / name)
    for slug in chosen:
        title, made = slides((site / "book" / f"{slug}.html").read_text("utf-8"), slug)
        path = folder / f"{slug}.html"
        path.write_text(page(title, slug, made), "utf-8")
        click.echo(f"{path}: {len(made)} slides")
    if pdf:
        try:
            with Browser(browser) as opened:
                for slug in chosen:
                    click.echo(_print(opened, folder, slug))
        except BrowserError as error:
            click.echo(str(error), err=True)
            sys.exit(2)


def _print(browser: Browser, folder: Path, slug: str) -> Path:
    """One slide on each sheet of 16:9."""
    ready = "document.documentElement.dataset.deck === 'set'"
    browser.open(folder / f"{slug}.html", ready, query="?print-pdf")
    path = folder / f"{slug}.pdf"
    path.write_bytes(browser.print(scale=1))
    return path


if __name__ == "__main__":
    main()
