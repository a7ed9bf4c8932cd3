"""Sphinx extension: docstrings as the reference pages want them, and names that break well.

napoleon takes what stands before a colon under "Returns" for a type, and sets it in italics. Ours
are sentences: a colon of their own in front says that there is no type.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

WRITTEN = ("Alias for field number", "Create new instance of")


def keep_sentences(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Mark what is returned as a sentence; runs before napoleon reads the docstring.

    What Python writes for a named tuple says nothing, and goes.
    """
    lines[:] = [line for line in lines if not line.startswith(WRITTEN)]
    for place, line in enumerate(lines[:-1], start=1):
        if line.strip() == "Returns:" and ":" in lines[place]:
            text = lines[place].lstrip()
            lines[place] = f"{lines[place].removesuffix(text)}: {text}"


def break_names(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """In the narrow list of what is on a page a name is broken after its dots and underscores."""
    if "toc" in context:
        context["toc"] = re.sub(
            r'(?<=<span class="pre">)[^<]+',
            lambda name: re.sub(r"(?<=[^\W_])([._]+)(?=[^\W_])", r"\1<wbr>", name[0]),
            context["toc"],
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", keep_sentences, priority=400)
    app.connect("html-page-context", break_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
