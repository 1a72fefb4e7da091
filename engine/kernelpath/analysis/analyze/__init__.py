"""What is wrong with a pack's rules whatever the input: found over finite domains, exactly."""

from kernelpath.analysis.analyze.analysis import Analysis, analyze
from kernelpath.analysis.analyze.findings import KINDS, Finding, Switch

__all__ = ["KINDS", "Analysis", "Finding", "Switch", "analyze"]
