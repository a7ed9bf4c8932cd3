"""The exercises: a folder for each chapter, a file for each symbol, its answers beside it."""
