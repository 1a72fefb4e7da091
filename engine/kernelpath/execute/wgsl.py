"""Expand a kernel's WGSL template: substitutions, conditional lines and shared parts.

A line that begins with `//#` is a directive, so a template stays readable WGSL:
`//# include shared/rows_f16.wgsl NAME=weights BUFFER=B`, `//# if OUTPUT == f16`, `//# else`, `//# end`.
`{{NAME}}` is replaced by the variant's value for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_INCLUDE_DEPTH = 8


class TemplateError(Exception):
    """A kernel template that cannot be expanded: a fault of the family, not of a user."""


def expand(text: str, values: Mapping[str, str], read: Callable[[str], str], depth: int = 0) -> str:
    """Return WGSL text with every directive obeyed and every `{{NAME}}` replaced.

    `read` gives the text of an included path. Raises TemplateError for an unknown name or directive, or an open `if`.
    """
    if depth > _INCLUDE_DEPTH:
        raise TemplateError("includes nest too deep")
    lines: list[str] = []
    kept = [True]
    for line in text.splitlines():
        if line.startswith("//# "):
            _direct(line, values, read, depth, lines, kept)
        elif kept[-1]:
            lines.append(_substitute(line, values))
    if len(kept) != 1:
        raise TemplateError("`if` without `end`")
    return "\n".join(lines) + "\n"


def _direct(
    line: str,
    values: Mapping[str, str],
    read: Callable[[str], str],
    depth: int,
    lines: list[str],
    kept: list[bool],
) -> None:
    """Obey one directive: extend `lines`, or change which of the following lines are kept."""
    word, *rest = _substitute(line, values).split()[1:] if kept[-1] else line.split()[1:]
    if word == "if":
        kept.append(kept[-1] and _holds(rest, values))
    elif word == "else" and len(kept) > 1:
        kept.append(not kept.pop() and kept[-1])
    elif word == "end" and len(kept) > 1:
        kept.pop()
    elif word == "include":
        if kept[-1]:
            path, *given = rest
            inner = {**values, **dict(item.split("=", 1) for item in given)}
            lines.extend(expand(read(path), inner, read, depth + 1).splitlines())
    else:
        raise TemplateError(f"not a directive: `{line}`")


def _holds(condition: list[str], values: Mapping[str, str]) -> bool:
    """Evaluate `NAME == text` or `NAME != text`; a name without a value is the empty text."""
    name, operator, wanted = condition
    if operator not in ("==", "!="):
        raise TemplateError(f"not a comparison: `{' '.join(condition)}`")
    return (values.get(name, "") == wanted) == (operator == "==")


def _substitute(line: str, values: Mapping[str, str]) -> str:
    """Replace each `{{NAME}}` of one line."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise TemplateError(f"no value for `{match[1]}`")
        return values[match[1]]

    return _PLACEHOLDER.sub(value, line)
