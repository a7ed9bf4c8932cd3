"""Cells of a notebook that nbval runs: as far as the last one whose output is checked.

Of an output, its text is compared, for that alone is kept.
"""

from book.pages import CHECKED, tags


def pytest_collection_modifyitems(config, items):
    for notebook in {item.parent for item in items}:
        notebook.skip_compare += ("text/html", "text/markdown")
    last = {item.parent: place for place, item in enumerate(items) if CHECKED in tags(item.cell)}
    rest = [item for place, item in enumerate(items) if place > last.get(item.parent, -1)]
    items[:] = [item for place, item in enumerate(items) if place <= last.get(item.parent, -1)]
    config.hook.pytest_deselected(items=rest)
