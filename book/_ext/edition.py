"""Sphinx extension: runs chapters again when what they import changes, and drops dead links."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from importlib.metadata import version
from pathlib import Path

from jupyter_cache import get_cache
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book.pages import BOOK, ROOT, cells, chapters, needs

PLACEHOLDER = "/OWNER/"


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
    names = ("COURSE_DEVICE", "COURSE_EDITION", "OMP_NUM_THREADS")
    settings = [os.environ.get(name, "") for name in names]
    versions = [platform.python_version(), version("torch"), (ROOT / "constraints.txt").read_text()]
    return hashlib.sha256("\0".join(settings + versions + sources).encode()).hexdigest()


def stale_chapters(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Chapters to execute again, because of something that Sphinx and jupyter-cache do not see.

    Their outputs leave the cache here; fingerprints are kept beside it.
    """
    folder = Path(env.mystnb_config.execution_cache_path)
    record = folder / "fingerprints.json"
    old = json.loads(record.read_text()) if record.exists() else {}
    new = {
        env.path2doc(str(page)): fingerprint(page)
        for page in chapters()
        if env.path2doc(str(page)) in env.found_docs
    }
    stale = [name for name in new if old.get(name) != new[name]]
    if stale:
        cache = get_cache(folder)
        uris = {env.doc2path(name) for name in stale}
        for entry in cache.list_cache_records():
            if entry.uri in uris:
                cache.remove_cache(entry.pk)
        record.write_text(json.dumps(new, indent=1))
    return [name for name in stale if name not in added]


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
    app.connect("html-page-context", drop_dead_links, priority=502)  # the theme's run at 501
    return {"parallel_read_safe": True, "parallel_write_safe": True}
