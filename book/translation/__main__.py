"""`make translation` and `make book LANGUAGE=...` call this module."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import yaml

from book.pages import ROOT, Refused
from book.translation.catalogs import ENGLISH, INTERFACE, path_of, read, translated, words_of
from book.translation.templates import SEARCH, interface, merged, template


@click.group()
def main() -> None:
    """Look after the translations of the book."""


def _checked(context: click.Context, _: click.Parameter, spoken: str) -> str:
    from babel import Locale, UnknownLocaleError

    try:
        Locale.parse(spoken)
    except (UnknownLocaleError, ValueError):
        raise Refused(
            f"LANGUAGE is {spoken!r}: give the code of a language, such as de or pt_BR"
        ) from None
    if spoken == ENGLISH:
        raise Refused("The book is English; give another language, as in LANGUAGE=de")
    return spoken


@main.command()
@click.argument("spoken", metavar="LANGUAGE", callback=_checked)
@click.argument("slugs", nargs=-1)
def update(spoken: str, slugs: tuple[str, ...]) -> None:
    """Begin or update the catalogs of a language: those of SLUGS, else those that it has.

    A language that has none gets one for every page. Translations of texts that have changed are
    marked as fuzzy: such a text stays English until somebody has looked at it.
    """
    every = _pages()
    there = [name for name in every if path_of(name, spoken).exists()]
    if unknown := [slug for slug in slugs if slug not in every]:
        raise Refused(f"There is no page {unknown[0]!r}: SLUG is one of {', '.join(every)}")
    names = [*dict.fromkeys(slugs)] or there or every
    found = prose(names)
    made = {name: template(name, found[name]) for name in names} | {INTERFACE: interface()}
    for name, catalog in made.items():
        path = path_of(name, spoken)
        old = read(path, spoken)
        text = merged(old, catalog, spoken)
        if not path.exists() or text != path.read_text():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        now = read(path, spoken)
        whole = len(list(translated(now)))
        click.echo(f"{path.relative_to(ROOT)}: {whole} of {len(now)} texts translated")


def _pages() -> list[str]:
    """The pages of the book besides those on modules, in their order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    files = [toc["root"], *(page["file"] for part in toc["parts"] for page in part["chapters"])]
    return [Path(file).stem for file in files]


def prose(names: Sequence[str]) -> dict:
    """The catalogs that Sphinx's gettext builder makes of pages, by name; it runs no cell."""
    folder = ROOT / "_build" / "gettext"
    toc = {"format": "jb-book", "root": f"book/{names[0]}"}
    if more := [{"file": f"book/{name}"} for name in names[1:]]:
        toc["chapters"] = more
    settings = configured()
    settings["execute"]["execute_notebooks"] = "off"
    settings["sphinx"]["config"] |= {"gettext_compact": False, "numfig": False}
    _configure(folder, settings, toc)
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(ROOT), "--path-output", str(folder)]
    command += ["--config", str(folder / "_config.yml"), "--toc", str(folder / "_toc.yml")]
    command += ["--builder", "custom", "--custom-builder", "gettext", "--all", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    paths = {name: folder / "_build" / "gettext" / "book" / f"{name}.pot" for name in names}
    if done.returncode or not all(path.exists() for path in paths.values()):
        raise click.ClickException(f"Sphinx did not read the pages:\n{done.stdout}{done.stderr}")
    return {name: read(path) for name, path in paths.items()}


@main.command()
@click.argument("spoken", metavar="LANGUAGE", callback=_checked)
@click.argument("folder", type=click.Path(path_type=Path))
def configure(spoken: str, folder: Path) -> None:
    """Write what a build in a language reads into FOLDER: configuration, contents, catalogs."""
    if not (found := words_of(INTERFACE, spoken)):
        raise Refused(f"The book has no catalogs for {spoken}: make translation LANGUAGE={spoken}")
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    for part in toc["parts"]:
        part["caption"] = found.get(part["caption"]) or part["caption"]
    settings = configured()
    cache_path = settings["execute"]["cache"]
    settings["execute"]["cache"] = f"{cache_path}/{spoken}"  # beside what has been executed
    settings["sphinx"]["config"] |= {
        "language": spoken,
        "locale_dirs": [str(folder.resolve() / "locale")],
        "gettext_compact": False,
    }
    theme = settings["sphinx"]["config"]["html_theme_options"]
    theme["search_bar_text"] = found.get(SEARCH) or SEARCH
    _configure(folder, settings, toc)
    target = folder / "locale" / spoken / "LC_MESSAGES" / "book"
    there = {path.name: path for path in path_of(INTERFACE, spoken).parent.glob("*.po")}
    for old in target.glob("*"):
        if old.with_suffix(".po").name not in there:
            old.unlink()
    for name, path in there.items():
        _put(target / name, path.read_text())  # Sphinx compiles what is newer


def configured() -> dict:
    """The book's configuration."""
    return yaml.safe_load((ROOT / "_config.yml").read_text())


def _configure(folder: Path, settings: dict, toc: dict) -> None:
    _put(folder / "_config.yml", yaml.safe_dump(settings, allow_unicode=True, sort_keys=False))
    _put(folder / "_toc.yml", yaml.safe_dump(toc, allow_unicode=True, sort_keys=False))


def _put(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
