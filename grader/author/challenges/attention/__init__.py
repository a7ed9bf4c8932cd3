"""Measured assignments of the chapter on attention."""
