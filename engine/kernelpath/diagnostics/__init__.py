"""Diagnostics: sources and spans, findings, and how they are shown.

Names are imported when they are first used, so that a run that finds nothing pays for nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.diagnostics.diagnostic import ERROR, NOTE, SEVERITIES, WARNING, Diagnostic, Label
    from kernelpath.diagnostics.source import Source, Span
    from kernelpath.diagnostics.suggestion import did_you_mean

_HOMES = {
    **dict.fromkeys(("ERROR", "NOTE", "SEVERITIES", "WARNING", "Diagnostic", "Label"), "diagnostic"),
    **dict.fromkeys(("Source", "Span"), "source"),
    "did_you_mean": "suggestion",
}

__all__ = ["ERROR", "NOTE", "SEVERITIES", "WARNING", "Diagnostic", "Label", "Source", "Span", "did_you_mean"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
