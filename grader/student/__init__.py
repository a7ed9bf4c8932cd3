"""Everything a student touches: commands, reports, the notebook's magic, workspaces, progress."""
