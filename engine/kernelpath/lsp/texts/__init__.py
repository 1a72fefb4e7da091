"""Texts as an editor holds them: files, places, trees of half-written documents, and where a cursor stands."""
