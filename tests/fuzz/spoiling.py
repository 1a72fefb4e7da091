"""Ways to spoil a file: as a document, as text, and as bytes; each the same for the same seed."""

from __future__ import annotations

import copy
import json
import random
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

#: Values that have broken readers before, at any place of a document.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 1.5, -0.0, 1e300, 10**400, 2**31, 2**63, "", " ", "f16", "F32 ", "state", "\ud800",
    "a\0b", "\x1b[31m", "\u202e", "x" * 300, "__proto__", "constructor", "*", "**", "null", "2099-12-31", [], {}, [[]],
    [None], {"": 0}, {"id": 1}, ["f16"], [{}], {"a": {"b": {"c": []}}},
)  # fmt: skip
#: The same for YAML, as it is written: scalars and collections, whole and broken.
WRITTEN = (
    "", "null", "~", "true", "0", "-1", "1e999", "0x10", "012", "1_000", "12:30:45", ".nan", "''", '"a\\0b"',
    '"\\ud800"', "[]", "{}", "[", "{a: ", "- a", "'", '"', "|", ">", "&a b", "*a", "!!python/object:os.system x", "? a",
    "a: b: c",
    "1 // 0", "1 / 0", "held", "step.id", "no_such_name", "a.b.c.d", "[x for x in range(9)]", "text(", "if a then b",
    "x" * 300, "é" * 40, "\u00a0", "\u202e", "\ufeff", "{a}", "{", "}", "`", "..", "../..", "/etc/passwd", "*", "?*",
    "'{'", "'{step.id'", "error", "9" * 400, "-", "---", "...", "%YAML 1.2", "\t", "#",
)  # fmt: skip

Spoil = Callable[[random.Random, bytes], bytes]


def spoilt_document(chance: random.Random, content: bytes) -> bytes:
    """Return a JSON document with one to three values replaced, taken away, renamed or repeated."""
    document = json.loads(content)
    for _ in range(chance.randint(1, 3)):
        document = _changed(chance, document)
    return json.dumps(document, indent=chance.choice((None, 2))).encode()


def _changed(chance: random.Random, document: Any) -> Any:
    places = list(_places(document))
    if not places:
        return copy.deepcopy(chance.choice(ODD))
    changed = copy.deepcopy(document)
    *path, last = chance.choice(places)
    owner = changed
    for key in path:
        owner = owner[key]
    kind = chance.randrange(5)
    if kind == 0:
        del owner[last]
    elif kind == 1 and isinstance(owner, dict):
        owner[chance.choice((f"{last}s", str(last)[:-1], str(last).upper(), "__proto__", ""))] = owner.pop(last)
    elif kind == 1:
        owner.append(copy.deepcopy(owner[last]))
    else:
        owner[last] = copy.deepcopy(chance.choice(ODD))
    return changed


def _places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def spoilt_lines(chance: random.Random, content: bytes) -> bytes:
    """Return a YAML file with one to three lines left out, repeated, moved, indented otherwise, or of another value."""
    lines = content.decode().split("\n")
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(lines))
        lines[at : at + 1] = _lines(chance, lines[at], lines)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _lines(chance: random.Random, line: str, lines: list[str]) -> list[str]:
    kind = chance.randrange(10)
    if kind == 0:
        return []
    if kind == 1:
        return [line, line]
    if kind == 2:
        return [line, chance.choice(lines)]
    if kind == 3:
        return [chance.choice(("  ", "\t", " ")) + line]
    key, separator, _ = line.partition(":")
    if kind == 4 and separator:
        return [f"{key}: {chance.choice(WRITTEN)}"]
    others = re.findall(_WORD, "\n".join(lines)) if kind > 5 else WRITTEN
    return [_word_replaced(chance, line, others)]


_WORD = r"[\w.-]+|[=!<>]=|[^\w\s]"


def _word_replaced(chance: random.Random, line: str, others: Sequence[str]) -> str:
    words = list(re.finditer(_WORD, line))
    if not words:
        return chance.choice(WRITTEN)
    word = chance.choice(words)
    return line[: word.start()] + chance.choice(others) + line[word.end() :]


def spoilt_bytes(chance: random.Random, content: bytes) -> bytes:
    """Return bytes of which some near the start are others, or which are cut, repeated, or begin with a mark."""
    kind = chance.randrange(7)
    if kind == 0:
        return content[: chance.randrange(len(content) + 1)]
    if kind == 1:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(40)))
    if kind == 2:
        return chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\r\n", b"[" * 300)) + content
    spoilt = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(min(len(spoilt), 3000)) if spoilt else 0
        new = chance.choice((b"\0", b"\xff", b"\x80", b"\n", b'"', b"}", struct.pack("<Q", chance.choice(COUNTS))))
        spoilt[at : at + len(new)] = new
    return bytes(spoilt)


#: Counts and sizes that no file has.
COUNTS = (0, 1, 2**16, 2**31 - 1, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
