"""Diagnostics: sources and spans, findings, and how they are shown."""

from kernelpath.diagnostics.diagnostic import ERROR, NOTE, SEVERITIES, WARNING, Diagnostic, Label
from kernelpath.diagnostics.source import Source, Span
from kernelpath.diagnostics.suggestion import did_you_mean

__all__ = ["ERROR", "NOTE", "SEVERITIES", "WARNING", "Diagnostic", "Label", "Source", "Span", "did_you_mean"]
