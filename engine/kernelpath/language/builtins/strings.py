"""Built-ins on strings."""

from __future__ import annotations

from kernelpath.language.builtins.declarations import builtin
from kernelpath.language.lengths import bounded
from kernelpath.language.matching import matcher
from kernelpath.language.numerals import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@builtin(
    "lower(s: string) -> string",
    doc="The string in lower case.",
    examples=[('lower("AbC1")', "abc1"), ('"É".lower()', "é")],
    python="{0.}.lower()",
    work={0: "wide"},
)
def lower(s: str) -> str:
    return s.lower()


@builtin(
    "upper(s: string) -> string",
    doc="The string in upper case.",
    examples=[('upper("AbC1")', "ABC1"), ('upper("")', "")],
    python="{0.}.upper()",
    work={0: "wide"},
)
def upper(s: str) -> str:
    return s.upper()


@builtin(
    "trim(s: string) -> string",
    doc="The string without white space at its ends. White space is what JavaScript's `trim` removes.",
    examples=[('trim("  a b\\t\\n")', "a b"), ('trim("\\u00a0\\ufeffx")', "x"), ('trim("\\u0085")', "\x85")],
    python="{0.}.strip(SPACE)",
    work={0: "wide"},
)
def trim(s: str) -> str:
    return s.strip(SPACE)


@builtin(
    "blank(s: string) -> bool",
    doc="Whether the string is empty or white space only.",
    examples=[('blank(" \\t")', True), ('blank("")', True), ('blank(" x ")', False)],
    python="(not {0.}.strip(SPACE))",
    work={0: "wide"},
)
def blank(s: str) -> bool:
    return not s.strip(SPACE)


@builtin(
    "contains(s: string, part: string) -> bool",
    doc="Whether `part` occurs in the string.",
    examples=[('contains("crimson", "rim")', True), ('"crimson".contains("red")', False)],
    python="{1:} in {0:}",
    level="compare",
    work={0: "wide"},
)
def contains(s: str, part: str) -> bool:
    return part in s


@builtin(
    "starts_with(s: string, start: string) -> bool",
    doc="Whether the string begins with `start`.",
    examples=[('starts_with("crimson", "crim")', True), ('starts_with("crimson", "on")', False)],
    python="{0.}.startswith({1})",
    work={1: "wide"},
)
def starts_with(s: str, start: str) -> bool:
    return s.startswith(start)


@builtin(
    "ends_with(s: string, end: string) -> bool",
    doc="Whether the string ends with `end`.",
    examples=[('ends_with("crimson", "on")', True), ('ends_with("crimson", "crim")', False)],
    python="{0.}.endswith({1})",
    work={1: "wide"},
)
def ends_with(s: str, end: str) -> bool:
    return s.endswith(end)


@builtin(
    "replace(s: string, old: string, new: string) -> string",
    doc="The string with every `old` replaced by `new`; an empty `old` replaces nothing.",
    examples=[('replace("a-b-c", "-", "+")', "a+b+c"), ('replace("abc", "", "x")', "abc")],
    work={0: "wide", "result": "wide"},
)
def replace(s: str, old: str, new: str) -> str:
    if not old:
        return s
    bounded(len(s) + s.count(old) * (len(new) - len(old)))
    return s.replace(old, new)


@builtin(
    "replace_first(s: string, old: string, new: string) -> string",
    doc="The string with the first `old` replaced by `new`; an empty `old` replaces nothing.",
    examples=[('replace_first("a-b-c", "-", "+")', "a+b-c"), ('replace_first("abc", "", "x")', "abc")],
    work={0: "wide"},
)
def replace_first(s: str, old: str, new: str) -> str:
    return s.replace(old, new, 1) if old else s


@builtin(
    "split(s: string, separator: string) -> list<string>",
    doc="The parts of the string between separators; an empty separator gives its characters.",
    examples=[
        ('split("a,b,,c", ",")', ["a", "b", "", "c"]),
        ('split("abc", "")', ["a", "b", "c"]),
        ('split("", ",")', [""]),
    ],
    work={0: "wide", "result": "wide"},
)
def split(s: str, separator: str) -> list[str]:
    return s.split(separator) if separator else list(s)


@builtin(
    "join(parts: list<string>, separator: string) -> string",
    doc="The strings one after another, with a separator between them.",
    examples=[('join(["a", "b"], ", ")', "a, b"), ('join([], ",")', "")],
    work={0: "wide", "result": "wide"},
)
def join(parts: Sequence[str], separator: str) -> str:
    bounded(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


@builtin(
    "length(s: string) -> int",
    "length(xs: list<T>) -> int",
    "length(m: map<T>) -> int",
    doc="The number of characters (code points), of items or of members.",
    examples=[('length("naïve")', 5), ("length([1, 2])", 2), ('length("")', 0), ("length(spread(null, [5]))", 1)],
    python="len({0})",
)
def length(value: Sequence[object]) -> int:
    return len(value)


@builtin(
    "matches(s: string, pattern: string) -> bool",
    doc="Whether the whole string matches a pattern, which must be a literal.\n\n"
    "A pattern has literal characters, `.` for any character, `\\d`, `\\w`, `\\s` (ASCII), classes such as `[a-z_]` "
    "and `[^0-9]`, groups `(...)`, alternatives `a|b`, and the repeats `?`, `*`, `+`, `{m}` and `{m,n}`. The next "
    "character alone must decide how to go on, so that matching takes linear time: `a*a` is refused.",
    examples=[
        ('matches("box-12", "[a-z]+-\\\\d+")', True),
        ('matches("box-12", "box")', False),
        ('"ffee00".matches("[0-9a-f]{6}")', True),
    ],
    pattern=True,
    work={0: "wide"},
)
def matches(s: str, pattern: str) -> bool:
    return matcher(pattern)(s) is not None
