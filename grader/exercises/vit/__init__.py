"""Exercises on vision Transformers: patches, positions on a grid, the model, what it sees."""
