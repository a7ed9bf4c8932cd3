"""`python -m book.printed pdf|epub SITE FOLDER`: the finished site as PDF, or as one EPUB."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from book.printed.site import NotBuilt, need, pages
from grader.instruct.browser import Browser, BrowserError, chromium


@click.command()
@click.argument("kind", type=click.Choice(["pdf", "epub"]))
@click.argument("site", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--only", multiple=True, metavar="SLUG", help="Print these pages alone.")
def main(kind: str, site: Path, folder: Path, only: tuple[str, ...]) -> None:
    """Write the website in SITE into FOLDER, as PDF or EPUB."""
    listed = pages()
    if unknown := set(only) - {page.slug for page in listed}:
        raise click.UsageError(f"The book has no page {', '.join(sorted(unknown))}.")
    if not (path := chromium()):
        click.echo(
            "There is no Chromium to print with. Install it (Debian, Ubuntu: apt install "
            "chromium), or name one in COURSE_BROWSER.",
            err=True,
        )
        sys.exit(2)
    chosen = [page for page in listed if not only or page.slug in only]
    try:
        need(site)
        with Browser(path) as browser:
            if kind == "pdf":
                from book.printed import pdf

                paths = pdf.write(browser, site, folder, chosen)
            else:
                from book.printed import epub

                paths = epub.write(browser, site, folder, chosen)
    except (NotBuilt, BrowserError) as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    for path in paths:
        click.echo(f"{path}  {path.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
