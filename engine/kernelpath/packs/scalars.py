"""What a plain YAML scalar stands for: the JSON values, by the core schema of YAML 1.2, more narrowly.

`yes`, `no`, `on`, `off`, dates and sexagesimal numbers are strings, as in YAML 1.2. So are numbers with a leading
zero, which one reader takes for octal and the next for decimal, and numbers with underscores.
"""

from __future__ import annotations

import re
from typing import Any

from kernelpath.packs.nodes import PlainScalar

MAX_DIGITS = 4300  # Python's own limit on reading integers, which guards against quadratic time

_NAMES: tuple[tuple[str, PlainScalar], ...] = (("null", None), ("true", True), ("false", False))
_WORDS: dict[str, PlainScalar] = {form: v for w, v in _NAMES for form in (w, w.capitalize(), w.upper())}
_WORDS |= {"": None, "~": None}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def resolve(text: str) -> PlainScalar:
    """Return the value of a plain scalar; raises OverflowError for an integer of over `MAX_DIGITS` digits.

    >>> [resolve(text) for text in ("true", "no", "12", "0x1F", "1e3", "012", "~")]
    [True, 'no', 12, 31, 1000.0, '012', None]
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        if len(text.lstrip("+-")) > MAX_DIGITS:
            raise OverflowError(text[:20])
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        if len(text) > MAX_DIGITS * 4 // 5:  # a hexadecimal digit makes 1.2 decimal ones
            raise OverflowError(text[:20])
        return int(text, 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    special = _SPECIAL.fullmatch(text)
    if special:
        return float(text.replace(".", "", 1))
    return text


def write_yaml(value: Any) -> str:
    """Return plain data as YAML: every text that a plain scalar would make another value of stands in quotes."""
    import yaml  # only a command that writes pays for it

    class Dumper(yaml.SafeDumper):
        """Quotes what PyYAML's own schema takes for a text and `resolve` for something else, such as `1e3`."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        plain = resolve(value) if len(value) <= MAX_DIGITS else value
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain == value else "'")

    Dumper.add_representer(str, text)
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, width=120, default_flow_style=None)
