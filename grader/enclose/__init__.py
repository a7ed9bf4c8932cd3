"""The enclosure: the sandbox, its walls, the worker inside, and the outcome that leaves it."""
