"""Sphinx extension: what of the pages belongs to this edition, and what has to run for them.

Chapters are executed once, for every edition: what ``book.figures.show`` puts out holds one
version for each, and the others are removed here before anything else sees the page. A chapter
runs again when a definition that it reaches has changed, several chapters at a time. For another
language nothing runs again: the outputs that are there are translated.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from filelock import FileLock, Timeout
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.main import JupyterCacheBase
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.console import strip_colors

from book import mistakes, recorded, translation
from book._ext.kernels import KernelManager
from book.pages import BOOK, ROOT, cells, chapters, exercises
from book.reach import reached

LOG = logging.getLogger(__name__)
PLACEHOLDER = "/OWNER/"
EDITIONS = ("public", "student")
LENGTH = 64  # of a fingerprint


def restyle(app: Sphinx, config: Config) -> None:
    """Write every page again when a style or a script has changed: their addresses change too."""
    files = [file for folder in ("_static", "_vendor") for file in (BOOK / folder).rglob("*")]
    contents = [file.read_bytes() for file in sorted(files) if file.is_file()]
    digest = hashlib.sha256(b"\0".join(contents)).hexdigest()
    config.html_context = config.html_context | {"statics": digest}


def fingerprint(page: Path) -> str:
    """A hash of everything that a chapter's outputs depend on, besides its own code."""
    source = "\n".join(cells(page))
    used = reached(source, ROOT)
    asked = [name for name in used if _is_exercise(name)]  # `show` hides them from students
    files = [ROOT.joinpath(*name.split(".")) for name in used if name.startswith("book.widgets.")]
    shared = [
        file for file in (BOOK / "widgets").glob("*.*s") if not file.with_suffix(".py").exists()
    ]
    assets = [file.with_suffix(kind) for file in files for kind in (".css", ".js")] + shared
    parts = [
        sorted(used.items()),
        sorted(asked),
        [asset.read_text() for asset in sorted(assets) if asset.exists()],
        [file.read_text() for file in recorded.files(source, ROOT)],
        mistakes.told(source),
        [os.environ.get(name, "") for name in ("COURSE_DEVICE", "OMP_NUM_THREADS")],
        [platform.python_version(), version("torch"), (ROOT / "constraints.txt").read_text()],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _is_exercise(name: str) -> bool:
    package, _, symbol = name.partition(".")
    slug, _, symbol = symbol.partition(".")
    return package == "solutions" and symbol in exercises(slug)


def stale_chapters(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Chapters to read again, because of something that Sphinx and jupyter-cache do not see.

    What has no outputs of its present fingerprint is executed. The cache knows the fingerprints of
    its outputs, Sphinx's environment those of the pages that an edition has read.
    """
    names = {env.path2doc(str(page)): page for page in chapters()}
    new = {
        name: fingerprint(page) + translation.digest(page.stem)
        for name, page in names.items()
        if name in env.found_docs
    }
    old = getattr(env, "course_fingerprints", {})
    unread = {name for name in new if old.get(name) != new[name]}
    execute(env, {name: new[name] for name in sorted((added | changed | unread) & set(new))})
    env.course_fingerprints = new
    if unread | (changed & set(new)):  # the front page tells of the chapters
        unread |= {env.config.root_doc} & env.found_docs
    return sorted(unread - added)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While another edition is built from the same cache, wait."""
    folder.mkdir(parents=True, exist_ok=True)
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


def execute(env: BuildEnvironment, fingerprints: dict[str, str]) -> None:
    """Run the chapters that have no outputs in the cache, as many at a time as there are cores.

    The cache of another language lies inside of the one that holds what has run.

    Args:
        env: knows the cache, and how pages are read.
        fingerprints: of the chapters, by name, followed by what they are translated by.

    Raises:
        SystemExit: some fail. Those that do not are in the cache by then.
    """
    own = Path(env.mystnb_config.execution_cache_path)
    folder = own if translation.language() == translation.ENGLISH else own.parent
    whole = folder / "whole"  # there when all chapters have outputs: another edition may take them
    with _alone(folder):
        whole.unlink(missing_ok=True)
        cache = get_cache(folder)
        there, todo = {}, {}
        for name, mark in fingerprints.items():
            path = Path(env.doc2path(name))
            text = path.read_text()
            reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
            there[path] = notebook, mark = reader.read(text), mark
            if not _has_outputs(cache, notebook, mark[:LENGTH]):
                todo[path] = notebook, mark[:LENGTH]
        if todo:
            _run(cache, todo, env.mystnb_config.execution_timeout)
        if own != folder:
            _translate(cache, get_cache(own), there)
        whole.touch()


def _translate(cache: JupyterCacheBase, own: JupyterCacheBase, there: dict[Path, tuple]) -> None:
    """Put the outputs of a cache into that of the language that is built."""
    for path, (notebook, mark) in there.items():
        if _has_outputs(own, notebook, mark):
            continue
        record = cache.match_cache_notebook(notebook)
        outputs = cache.get_cache_bundle(record.pk).nb
        if translation.digest(path.stem):
            translation.Translator(path, translation.language()).rewrite(outputs)
        bundle = CacheBundleIn(outputs, str(path), data=record.data | {"fingerprint": mark})
        own.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def _has_outputs(cache: JupyterCacheBase, notebook: NotebookNode, mark: str) -> bool:
    """Whether the cache holds outputs of that fingerprint; others are taken out of the way."""
    try:
        key, _ = cache.merge_match_into_notebook(notebook)
        if cache.get_cache_record(key).data.get("fingerprint") == mark:
            return True
    except (KeyError, ValueError):  # not there, or not whole
        pass
    _, key = cache.create_hashed_notebook(notebook)
    shutil.rmtree(Path(cache.path, "executed", key), ignore_errors=True)
    return False


def _run(cache: JupyterCacheBase, todo: dict[Path, tuple], timeout: int) -> None:
    """Execute notebooks into the cache.

    Not with jupyter-cache's own `local-parallel`: after Ctrl-C its pool waits forever, it knows no
    fingerprints, and of a kernel that died it shows a traceback of its own.
    """
    LOG.info("executing %d chapters: %s", len(todo), ", ".join(path.stem for path in todo))
    lengths = {
        path: sum(len(cell.source) for cell in notebook.cells if cell.cell_type == "code")
        for path, (notebook, _) in todo.items()
    }
    clients = {
        path: NotebookClient(
            notebook,
            kernel_manager_class=KernelManager,
            record_timing=False,  # times would be part of the cache's key
            timeout=timeout,
            shutdown_kernel="immediate",  # on its way out a kernel tears torch down for a second
            resources={"metadata": {"path": str(path.parent)}},
        )
        for path, (notebook, _) in sorted(todo.items(), key=lambda one: -lengths[one[0]])
    }  # the longest begin, so that none of them is left to run alone at the end
    failed = []
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        runs = {pool.submit(_seconds, client): path for path, client in clients.items()}
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
                notebook, mark = todo[path]
                data = {"execution_seconds": seconds, "fingerprint": mark}
                bundle = CacheBundleIn(notebook, str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        except BaseException:  # Ctrl-C: kernels would go on to the end of their chapters
            pool.shutdown(wait=False, cancel_futures=True)
            while any(run.running() for run in runs):
                for client in clients.values():
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


def version_of_pages() -> int:
    """Another one where what makes pages out of sources has changed: then all are read again."""
    files = [*(BOOK / "_ext").glob("*.py"), BOOK / "listing.py", BOOK / "drawing.py"]
    if (words := translation.path_of(translation.INTERFACE, translation.language())).exists():
        files.append(words)
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in sorted(files)))
    return int(digest.hexdigest()[:12], 16)


def collect_seldom(app: Sphinx) -> None:
    """Look for garbage after many more objects than Python does by itself.

    A page is a tree of many small objects, which are all in use while it grows: to go through them
    again and again took most of the time of reading a page that has been written.
    """
    gc.freeze()  # what is imported stays
    gc.set_threshold(200_000, 10, 20)


def setup(app: Sphinx) -> dict[str, object]:
    app.connect("builder-inited", collect_seldom)
    app.connect("config-inited", restyle)
    app.connect("env-get-outdated", stale_chapters)
    app.connect("doctree-read", keep_edition, priority=100)  # before anything is collected
    app.connect("html-page-context", drop_dead_links, priority=502)  # the theme's run at 501
    return {
        "parallel_read_safe": True,
        "parallel_write_safe": True,
        "env_version": version_of_pages(),
    }
