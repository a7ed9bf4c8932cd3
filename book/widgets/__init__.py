"""Widgets that readers explore on the pages, each a module with its style and script beside it.

`<name>.py` makes the data and what stands there without JavaScript, `<name>.css` its looks and
`<name>.js` its answers. What all share is in `board.py`, `board.css` and `board.js`. A widget names
what else it shares among its `parts`: with `player` it can be played step by step, with `engine` it
trains networks, `digit` has the board on which a reader draws a digit and keeps it, and `network`
runs networks that the page has trained.
"""
