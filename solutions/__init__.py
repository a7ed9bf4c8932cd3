"""Neural networks, built one module per chapter of the book."""
