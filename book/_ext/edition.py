"""Sphinx extension: what of the pages belongs to this edition, and what has to run for them.

Chapters are executed once, for every edition: what ``book.figures.show`` puts out holds one
version for each, and the others are removed here before anything else sees the page. A chapter
runs again when something that it imports has changed, several chapters at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from book.pages import BOOK, ROOT, cells, chapters, needs

LOG = logging.getLogger(__name__)
PLACEHOLDER = "/OWNER/"
EDITIONS = ("public", "student")


def fingerprint(page: Path) -> str:
    """A hash of everything that a chapter's outputs depend on, besides its own code."""
    files = needs(cells(page))
    # `show` asks a module's exercises which of its symbols to hide
    files |= {ROOT / "grader" / "exercises" / file.name for file in files}
    sources = [file.read_text() for file in sorted(files) if file.exists()]
    # styles and scripts that end up in outputs are those that the page or its sources name
    named = [*sources, page.read_text()]
    sources += [
        asset.read_text()
        for asset in sorted((BOOK / "_static").glob("*.*s"))
        if any(f'"{asset.name}"' in text or f"'{asset.name}'" in text for text in named)
    ]
    settings = [os.environ.get(name, "") for name in ("COURSE_DEVICE", "OMP_NUM_THREADS")]
    versions = [platform.python_version(), version("torch"), (ROOT / "constraints.txt").read_text()]
    return hashlib.sha256("\0".join(settings + versions + sources).encode()).hexdigest()


def stale_chapters(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Chapters to read again, because of something that Sphinx and jupyter-cache do not see.

    Their outputs leave the cache here; fingerprints are kept beside it, and beside the pages of
    each edition. What has no outputs is executed.
    """
    folder = Path(env.mystnb_config.execution_cache_path)
    folder.mkdir(parents=True, exist_ok=True)
    names = {env.path2doc(str(page)): page for page in chapters()}
    new = {name: fingerprint(page) for name, page in names.items() if name in env.found_docs}
    record = folder / "fingerprints.json"
    stale = _changes(record, new)
    cache, files = get_cache(folder), {names[name].name for name in stale}
    for entry in cache.list_cache_records():
        if Path(entry.uri).name in files:  # by name: the project's folder may have been moved
            cache.remove_cache(entry.pk)
    _keep(record, new)  # after they are gone: this may be interrupted anywhere
    record = Path(app.doctreedir) / "fingerprints.json"
    unread = {*_changes(record, new)}
    _keep(record, new)
    execute(env, sorted((added | changed | unread) & set(new)))
    return sorted(unread - added)


def _changes(record: Path, new: dict[str, str]) -> list[str]:
    """The names whose fingerprint is not the one on record."""
    old = json.loads(record.read_text()) if record.exists() else {}
    return [name for name in new if old.get(name) != new[name]]


def _keep(record: Path, new: dict[str, str]) -> None:
    record.write_text(json.dumps(new, indent=1))


def execute(env: BuildEnvironment, names: list[str]) -> None:
    """Run the chapters that have no outputs in the cache, as many at a time as there are cores.

    One that fails is run again, and reported, when its page is read.
    """
    cache = get_cache(env.mystnb_config.execution_cache_path)
    todo = {}
    for name in names:
        path = Path(env.doc2path(name))
        text = path.read_text()
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        notebook = reader.read(text)
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            todo[path] = notebook
    if not todo:
        return
    LOG.info("executing %d chapters: %s", len(todo), ", ".join(path.stem for path in todo))
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        runs = pool.map(
            lambda path: single_nb_execution(
                todo[path],
                cwd=str(path.parent),
                timeout=env.mystnb_config.execution_timeout,
                allow_errors=False,
            ),
            todo,
        )
        for (path, notebook), run in zip(todo.items(), runs, strict=True):
            if run.err is None:
                LOG.info("executed %s in %.0f s", path.stem, run.time)
                data = {"execution_seconds": run.time}
                bundle = CacheBundleIn(notebook, str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def keep_edition(app: Sphinx, doctree: nodes.document) -> None:
    """Remove what is marked for another edition, and the marks of this one."""
    edition = os.environ.get("COURSE_EDITION", "public")
    for node in list(doctree.findall(nodes.container)):
        marks = {name for name in EDITIONS if f"course-{name}" in node["classes"]}
        if edition in marks:
            place = node.parent.index(node)
            node.parent[place : place + 1] = node.children
        elif marks:
            node.parent.remove(node)


def drop_dead_links(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """While the repository's address is the placeholder, no button leads there."""
    if PLACEHOLDER in app.config.html_theme_options.get("repository_url", ""):
        context["header_buttons"] = [
            button
            for button in context["header_buttons"]
            if not button.get("label", "").startswith(("launch-", "source-"))
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("env-get-outdated", stale_chapters)
    app.connect("doctree-read", keep_edition, priority=100)  # before anything is collected
    app.connect("html-page-context", drop_dead_links, priority=502)  # the theme's run at 501
    return {"parallel_read_safe": True, "parallel_write_safe": True}
