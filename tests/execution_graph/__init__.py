"""Tests of the library of execution graphs."""
