"""Checks over HTTP, for the editors on the website's pages."""
