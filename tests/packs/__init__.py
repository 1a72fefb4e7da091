"""Packs as their authors write them: what is read, what is refused and in which words, what is kept."""
