"""Read the text of a pattern into its parts."""

from __future__ import annotations

from typing import NamedTuple

MAX_GROUPS = 50
_LAST = 0x10FFFF
_NAMED: dict[str, tuple[tuple[int, int], ...]] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32)),
}
_CONTROL = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11}
_SPECIAL = "*+?{}()|[]^$\\."


class PatternProblem(Exception):
    """What is wrong with a pattern, and the offset in it; `ambiguous` is the part that may be read in two ways."""

    def __init__(self, message: str, place: int, ambiguous: str | None = None) -> None:
        self.message, self.place, self.ambiguous = message, place, ambiguous
        super().__init__(message)


class Characters(NamedTuple):
    """One character out of disjoint, ascending ranges of code points, both ends included."""

    ranges: tuple[tuple[int, int], ...]
    text: str
    place: int


class Sequence(NamedTuple):
    """Parts one after another."""

    parts: tuple[Part, ...]
    place: int


class Alternatives(NamedTuple):
    """One of several parts."""

    parts: tuple[Part, ...]
    place: int


class Repeat(NamedTuple):
    """A part from `least` up to `most` times; None stands for no bound."""

    part: Part
    least: int
    most: int | None
    place: int


Part = Characters | Sequence | Alternatives | Repeat


def read(pattern: str) -> Part:
    """Return the parts of a pattern; raise PatternProblem for a mistake."""
    reader = _Reader(pattern)
    part = reader.alternatives(0)
    if reader.at < len(pattern):
        raise PatternProblem("`)` closes nothing in the pattern", reader.at)
    return part


def merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ranges in ascending order, with those that touch made one."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def inverted(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Return all code points that are not in the ranges."""
    starts = [0, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), _LAST]
    return tuple((low, high) for low, high in zip(starts, ends, strict=True) if low <= high)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self, depth: int) -> Part:
        place = self.at
        if depth > MAX_GROUPS:
            raise PatternProblem(f"groups are nested deeper than {MAX_GROUPS} levels", place)
        parts = [self.sequence(depth)]
        while self.peek() == "|":
            self.take()
            parts.append(self.sequence(depth))
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts), place)

    def sequence(self, depth: int) -> Part:
        place = self.at
        parts = []
        while self.peek() and self.peek() not in "|)":
            parts.append(self.repeat(self.atom(depth)))
        return Sequence(tuple(parts), place)

    def repeat(self, part: Part) -> Part:
        place = self.at
        bounds = self.bounds()
        if bounds is None:
            return part
        if self.peek() and self.peek() in "?*+{":
            raise PatternProblem(f"`{self.peek()}` after a repeat has no meaning in a pattern", self.at)
        least, most = bounds
        if most is not None and (most < least or most == 0):
            raise PatternProblem("a repeat in the pattern ends before it begins", place)
        return Repeat(part, least, most, place)

    def bounds(self) -> tuple[int, int | None] | None:
        symbol = self.peek()
        if symbol and symbol in "?*+":
            self.take()
            return {"?": (0, 1), "*": (0, None), "+": (1, None)}[symbol]
        return self.counts() if symbol == "{" else None

    def counts(self) -> tuple[int, int | None]:
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        usable = all(digits.isascii() and digits.isdigit() and len(digits) < 5 for digits in (low, high or "0"))
        if end < 0 or not usable:
            raise PatternProblem("`{` must begin a repeat such as `{2}` or `{2,5}`, or be written `\\{`", self.at)
        self.at = end + 1
        return int(low), (int(high) if high else None) if comma else int(low)

    def atom(self, depth: int) -> Part:
        place = self.at
        symbol = self.take()
        if symbol == "(":
            return self.group(depth, place)
        if symbol == "[":
            return self.character_class(place)
        if symbol == "\\":
            return Characters(self.escape(place), self.pattern[place : self.at], place)
        if symbol == ".":
            return Characters(((0, _LAST),), symbol, place)
        if symbol in _SPECIAL:
            raise PatternProblem(_misplaced(symbol), place)
        return Characters(((ord(symbol), ord(symbol)),), symbol, place)

    def group(self, depth: int, place: int) -> Part:
        if self.peek() == "?":
            raise PatternProblem("`(?` has no meaning in a pattern", place)
        part = self.alternatives(depth + 1)
        if self.peek() != ")":
            raise PatternProblem("unclosed `(` in the pattern", place)
        self.take()
        return part

    def escape(self, place: int) -> tuple[tuple[int, int], ...]:
        symbol = self.take() if self.peek() else ""
        if symbol and symbol.lower() in _NAMED:
            ranges = _NAMED[symbol.lower()]
            return ranges if symbol.islower() else inverted(ranges)
        code = _CONTROL.get(symbol, ord(symbol) if symbol and not symbol.isalnum() else None)
        if code is None:
            raise PatternProblem(f"`\\{symbol}` is not an escape of patterns", place)
        return ((code, code),)

    def character_class(self, place: int) -> Part:
        negative = self.peek() == "^"
        self.at += negative
        ranges: list[tuple[int, int]] = []
        while self.peek() != "]":
            if not self.peek():
                raise PatternProblem("unclosed `[` in the pattern", place)
            ranges.extend(self.class_item())
        if not ranges:
            raise PatternProblem("an empty class matches nothing", place)
        self.take()
        chosen = merged(ranges)
        return Characters(inverted(chosen) if negative else chosen, self.pattern[place : self.at], place)

    def class_item(self) -> tuple[tuple[int, int], ...]:
        place = self.at
        low = self.class_character()
        if self.peek() != "-" or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.take()
        high = self.class_character()
        if len(low) > 1 or len(high) > 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
            raise PatternProblem("a range in a class must go from one character to another", place)
        if low[0][0] > high[0][0]:
            raise PatternProblem("a range in a class ends before it begins", place)
        return ((low[0][0], high[0][0]),)

    def class_character(self) -> tuple[tuple[int, int], ...]:
        place = self.at
        symbol = self.take()
        if symbol == "\\":
            return self.escape(place)
        if symbol in "[&~|" and (symbol == "[" or self.peek() == symbol):
            raise PatternProblem(f"write `\\{symbol}` for `{symbol}` in a class", place)
        if symbol == "-" and self.peek() == "-":
            raise PatternProblem("write `\\-` for `-` in a class", place)
        return ((ord(symbol), ord(symbol)),)


def _misplaced(symbol: str) -> str:
    if symbol in "^$":
        return f"`{symbol}` has no meaning in a pattern, which matches the whole string anyway"
    if symbol in "*+?{":
        return f"`{symbol}` repeats nothing in the pattern"
    return f"write `\\{symbol}` for `{symbol}` in a pattern"
