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
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from filelock import FileLock, Timeout
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.console import strip_colors

from book.pages import BOOK, ROOT, cells, chapters, needs

LOG = logging.getLogger(__name__)
PLACEHOLDER = "/OWNER/"
EDITIONS = ("public", "student")


def restyle(app: Sphinx, config: Config) -> None:
    """Write every page again when a style or a script has changed: their addresses change too."""
    files = [file for folder in ("_static", "_vendor") for file in (BOOK / folder).rglob("*")]
    contents = [file.read_bytes() for file in sorted(files) if file.is_file()]
    digest = hashlib.sha256(b"\0".join(contents)).hexdigest()
    config.html_context = config.html_context | {"statics": digest}


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
    names = {name: page for name, page in names.items() if name in env.found_docs}
    here = Path(app.doctreedir) / "fingerprints.json"
    with _alone(folder):
        new = {name: fingerprint(page) for name, page in names.items()}
        record = folder / "fingerprints.json"
        cache, files = get_cache(folder), {names[name].name for name in _changes(record, new)}
        for entry in cache.list_cache_records():
            if Path(entry.uri).name in files:  # by name: the project's folder may have been moved
                with suppress(KeyError):  # half a record, of a build that was interrupted
                    cache.remove_cache(entry.pk)
        _keep(record, new)  # after they are gone: this may be interrupted anywhere
        unread = {*_changes(here, new)}
        execute(env, sorted((added | changed | unread) & set(new)))
    _keep(here, new)
    return sorted(unread - added)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While another edition is built from the same cache, wait."""
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        LOG.info("waiting for another build of this book, which executes chapters")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _changes(record: Path, new: dict[str, str]) -> list[str]:
    """The names whose fingerprint is not the one on record."""
    old = json.loads(record.read_text()) if record.exists() else {}
    return [name for name in new if old.get(name) != new[name]]


def _keep(record: Path, new: dict[str, str]) -> None:
    whole = record.with_suffix(".new")
    whole.write_text(json.dumps(new, indent=1))
    whole.replace(record)


def execute(env: BuildEnvironment, names: list[str]) -> None:
    """Run the chapters that have no outputs in the cache, as many at a time as there are cores.

    Raises:
        SystemExit: some fail. Those that do not are in the cache by then.
    """
    cache = get_cache(env.mystnb_config.execution_cache_path)
    todo = {}
    for name in names:
        path = Path(env.doc2path(name))
        text = path.read_text()
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        notebook = reader.read(text)
        try:
            cache.merge_match_into_notebook(notebook)
        except (KeyError, ValueError):  # not there, or not whole: then the rest is in the way
            _, key = cache.create_hashed_notebook(notebook)
            shutil.rmtree(Path(cache.path, "executed", key), ignore_errors=True)
            todo[path] = NotebookClient(
                notebook,
                record_timing=False,  # times would be part of the cache's key
                timeout=env.mystnb_config.execution_timeout,
                resources={"metadata": {"path": str(path.parent)}},
            )
    if not todo:
        return
    LOG.info("executing %d chapters: %s", len(todo), ", ".join(path.stem for path in todo))
    failed = []
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        runs = {pool.submit(_seconds, client): path for path, client in todo.items()}
        try:
            for run in as_completed(runs):
                path = runs[run]
                try:
                    seconds = run.result()
                except (CellControlSignal, DeadKernelError) as error:
                    LOG.info("%s failed", path.stem)
                    failed.append(f"{path}:\n{strip_colors(str(error))}")
                    continue
                LOG.info("executed %s in %.0f s", path.stem, seconds)
                data = {"execution_seconds": seconds}
                bundle = CacheBundleIn(todo[path].nb, str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        except BaseException:  # Ctrl-C: kernels would go on to the end of their chapters
            pool.shutdown(wait=False, cancel_futures=True)
            while any(run.running() for run in runs):
                for client in todo.values():
                    process = getattr(getattr(client.km, "provisioner", None), "process", None)
                    if process is not None:
                        process.kill()
                time.sleep(0.1)
            raise
    if failed:
        raise SystemExit("\n".join([*failed, f"{len(failed)} of {len(todo)} chapters failed."]))


def _seconds(client: NotebookClient) -> float:
    start = time.monotonic()
    client.execute()
    return time.monotonic() - start


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
    app.connect("config-inited", restyle)
    app.connect("env-get-outdated", stale_chapters)
    app.connect("doctree-read", keep_edition, priority=100)  # before anything is collected
    app.connect("html-page-context", drop_dead_links, priority=502)  # the theme's run at 501
    return {"parallel_read_safe": True, "parallel_write_safe": True}
