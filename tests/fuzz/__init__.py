"""Requests of any kind: every one has an answer, and none does harm."""
