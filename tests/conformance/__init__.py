"""Recorded outcomes of the reference engine, and the public functions held to them."""
