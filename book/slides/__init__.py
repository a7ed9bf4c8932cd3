"""Decks of slides, one for each chapter, made from its finished page.

A slide shows what the page shows: a formula, a figure, an explorer, a table, a solution's code, a
question before its result. The prose around it becomes the speaker's notes. Nothing is written for
a deck, so nothing in it can be out of date; a cell with the tag ``no-slide`` is left out.

`make slides` calls this module.
"""
