"""Judged code is run here: clean copies, their dependencies, sandboxes, checks and disbelief."""
