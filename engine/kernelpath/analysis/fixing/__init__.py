"""Fixing: the fewest edits that make a graph pass, and the proof that they do."""
