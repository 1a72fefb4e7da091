"""Where a cursor stands in a collection written in brackets, as in `{a: [1, {b: `."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Step = str | int

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>(?<=\s)\#[^\n]*)|(?P<double>"(?:[^"\\]|\\.)*"?)|(?P<single>'(?:[^']|'')*'?)"""
    r"""|(?P<mark>[{}\[\],]|:(?=[\s,}\]]|$))|(?P<plain>(?:[^\s{}\[\],:]|:(?=[^\s,}\]]))(?:[^\n{}\[\],:]|:(?=[^\s,}\]]))*)""",
    re.S,
)


@dataclass(slots=True)
class Flow:
    """What is open at the end of a text: the steps that lead there, and the key or value that is being written."""

    path: list[Step] = field(default_factory=list)
    is_key: bool = False
    text: str = ""
    start: int = 0
    closed: bool = False


@dataclass(slots=True)
class _Frame:
    bracket: str
    step: Step = 0
    start: int = 0
    has_key: bool = False


def scan_flow(text: str) -> Flow:
    """Return what is open at the end of a text that begins with `{` or `[`; `closed` where its bracket is closed."""
    frames: list[_Frame] = []
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "mark" and _mark(frames, token[0], token.end(), text):
            return Flow(closed=True)
    return _open(frames, text)


def _mark(frames: list[_Frame], mark: str, end: int, text: str) -> bool:
    """Take a bracket, comma or colon; return whether the outermost bracket is closed by it."""
    if mark in "{[":
        frames.append(_Frame(mark, "" if mark == "{" else 0, end))
    elif mark in "}]":
        if frames:
            frames.pop()
        return not frames
    elif frames and mark == ",":
        top = frames[-1]
        top.start, top.has_key = end, False
        top.step = top.step + 1 if isinstance(top.step, int) else ""
    elif frames and mark == ":" and frames[-1].bracket == "{":
        top = frames[-1]
        top.step = text[top.start : end - 1].strip().strip("\"'")
        top.start, top.has_key = end, True
    return False


def _open(frames: list[_Frame], text: str) -> Flow:
    top = frames[-1]
    start = top.start
    while start < len(text) and text[start] in " \t\n\r":
        start += 1
    is_key = top.bracket == "{" and not top.has_key
    steps = [frame.step for frame in (frames[:-1] if is_key else frames)]
    return Flow(steps, is_key, text[start:], start)
