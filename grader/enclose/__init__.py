"""What encloses: the sandbox, its walls, the worker inside, and what comes back out of it."""
