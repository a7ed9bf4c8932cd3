"""`solutions.refresher`, where nothing is built yet, so nothing is tested."""
