"""Begin a new rule: its file and its tests, which run and fail until both are written."""

from kernelpath.analysis.scaffold.rule_files import KINDS, NewFile, scaffold, write_files

__all__ = ["KINDS", "NewFile", "scaffold", "write_files"]
