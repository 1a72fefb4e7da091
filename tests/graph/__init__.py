"""The mechanical operations on graphs, each against the plainest way to do the same."""
