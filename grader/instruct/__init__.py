"""Tools of instructors: cases that only they hold."""
