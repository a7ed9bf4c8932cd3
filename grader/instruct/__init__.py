"""What instructors use: cases that only they hold."""
