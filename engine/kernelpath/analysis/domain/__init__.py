"""Finite domains: what the conditions of a pack can tell apart, exactly, as decision diagrams."""
