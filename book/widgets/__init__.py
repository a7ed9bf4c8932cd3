"""Widgets that readers explore on the pages, each a module with its style and script beside it.

`<name>.py` makes the data and what stands there without JavaScript, `<name>.css` its looks and
`<name>.js` its answers. What all share is in `board.py`, `board.css` and `board.js`; what those
share in which something trains, in `engine.py`, `engine.css` and `engine.js`. A widget that names
`player` among its `parts` can be played step by step; `digit` keeps what a reader has drawn, and
`stops` makes buttons one tab stop.
"""
