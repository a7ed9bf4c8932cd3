"""Measured assignments of the image ladder."""
