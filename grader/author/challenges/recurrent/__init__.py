"""Measured assignments of the chapter on recurrent networks."""
