"""`solutions.preference`, where nothing is built yet, so nothing is tested."""
