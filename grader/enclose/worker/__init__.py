"""The side that runs students' code. It imports nothing else of this project."""
