"""Sphinx extension: what the editors of exercises start from, and which server checks them.

The skeleton of each chapter is written beside the site's scripts, where editor.js fetches it when a
reader first opens an editor. There is an editor only where a server is named: by `course_server` in
``_config.yml``, for a site on static hosting, or by `grade serve`, of the pages that it serves.
"""

from __future__ import annotations

import html
import json
from pathlib import Path

from sphinx.application import Sphinx

from book.pages import chapters
from grader.judge import records, source
from grader.student import workspace

FOLDER = "exercises"  # below _static


def name_server(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Name the server in the head of a page."""
    if address := app.config.course_server:
        tag = f'<meta name="course-server" content="{html.escape(address)}">\n'
        context["metatags"] = context.get("metatags", "") + tag


def write_skeletons(app: Sphinx, exception: Exception | None) -> None:
    """Write the modules that `grade start` writes in pieces: an exercise's symbol, or nothing for
    what stands between two, and the text.
    """
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    known = records.slugs()
    for slug in [page.stem for page in chapters() if page.stem in known]:
        asked = {one.symbol for one in records.manifests(slug)}
        pieces = [*source.parts(workspace.skeleton(slug), asked)]
        text = json.dumps({"slug": slug, "pieces": pieces}, ensure_ascii=False)
        (folder / f"{slug}.json").write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("course_server", "", "html", str)
    app.connect("html-page-context", name_server)
    app.connect("build-finished", write_skeletons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
