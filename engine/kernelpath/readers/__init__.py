"""Readers of files that are not JSON, each by the package of an extra."""
