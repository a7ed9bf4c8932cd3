"""Measured assignments: each folder is a chapter, each file in it a task and its answers."""
