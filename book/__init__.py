"""The course's pages, and what they show their figures, code and tables with."""
