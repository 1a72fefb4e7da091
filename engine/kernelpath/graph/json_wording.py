"""What is said about mistakes in a user's JSON: one entry for each mistake, in one place."""

from __future__ import annotations

from kernelpath.diagnostics import WARNING
from kernelpath.diagnostics.wording import Wording

EMPTY = Wording("json/empty", "the file is empty", "a document is at least `{{}}`")
TOO_LARGE = Wording(
    "json/too-large", "the file is larger than {limit} MB", "weights and other tensors go in their own files"
)
ENCODING = Wording("json/encoding", "the byte `{found}` is not UTF-8", "save the file as UTF-8")
TOO_DEEP = Wording("json/too-deep", "nested over {limit} levels deep", "flatten the structure")
LONG_INTEGER = Wording("json/long-integer", "an integer of over {limit} digits", "write it as a string if it is a name")

UNCLOSED_STRING = Wording("json/unclosed-string", "the string that opens here is never closed", 'put a `"` at its end')
LINE_BREAK = Wording(
    "json/unclosed-string",
    "the string is not closed on its line",
    'put a `"` at its end; a line break is written `\\n`',
    "the string opens here",
)
CONTROL = Wording("json/control-character", "the character `{found}` stands bare in a string", "write it as an escape")
STRANGE = Wording("json/character", "the character `{found}` may stand only in a string", "remove it")
ESCAPE = Wording("json/escape", "`{found}` is no escape", "write `\\\\` for a backslash")
TRUNCATED = Wording(
    "json/truncated", "the file ends inside {what}", "is it cut off? `{closing}` is missing", "it opens here"
)
NO_VALUE = Wording(
    "json/truncated", "the file ends where a value belongs", "is it cut off?", "the last value wanted here"
)

SYNTAX = Wording(
    "json/syntax", "this is not JSON from `{found}` on", "look for a comma, a quote or a bracket that is missing before"
)
TRAILING_COMMA = Wording("json/trailing-comma", "a comma before `{closing}`", "remove the comma")
LONE_COMMA = Wording("json/extra-comma", "a comma where a value belongs", "remove it")
COMMENT = Wording("json/comment", "JSON has no comments", "remove it")
SINGLE_QUOTE = Wording("json/single-quote", "strings are written in double quotes", "replace `'` by `\"`")
CONSTANT = Wording("json/constant", "`{found}` is no JSON", "write `null`, or a number")
LITERAL = Wording("json/literal", "`{found}` is no JSON", "write `{meant}`")
BARE_WORD = Wording("json/bare-word", "`{found}` is no JSON value", 'strings are written in double quotes: `"{found}"`')
BARE_KEY = Wording("json/bare-key", "the key `{found}` is not in quotes", 'write it as `"{found}"`')
KEY_TYPE = Wording("json/key-type", "`{found}` where a key belongs", "keys are strings in double quotes")
NUMBER = Wording("json/number", "`{found}` is no JSON number", "write it as `12`, `-0.5` or `1e9`")
MISSING_COMMA = Wording("json/missing-comma", "a comma is missing before `{found}`", "put one after the value before")
MISSING_COLON = Wording("json/missing-colon", "`{found}` where the `:` after a key belongs", 'write `"key": value`')
MISMATCH = Wording(
    "json/bracket", "`{found}` where `{closing}` belongs", "brackets close in the order they open", "it opens here"
)
STRAY = Wording("json/bracket", "`{found}` where a value belongs", "remove it, or write the value")
EXTRA = Wording("json/after-end", "`{found}` after the end of the document", "a file holds one document")

DUPLICATE_KEY = Wording(
    "json/duplicate-key",
    "the key `{found}` is set on line {first} and again on line {line}: the last counts",
    "remove one of them",
    "first set here",
    severity=WARNING,
)
