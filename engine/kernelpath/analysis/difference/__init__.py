"""What changes from one pack to another: cell by cell, rule by rule, and for real documents."""

from kernelpath.analysis.difference.compare import Difference, diff

__all__ = ["Difference", "diff"]
