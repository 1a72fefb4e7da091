"""What is said about mistakes in YAML: one entry for each mistake, in one place.

`{found}` is the text at the place of the mistake.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.diagnostics.wording import Wording


@dataclass(frozen=True, slots=True)
class ParserWording:
    """The wording for a parser's complaint, known by parts of its problem and context.

    `opening` puts the diagnostic where the construct opens, not where the parser gave up. `line_start` asks that the
    place is, or is not, the first thing on its line; `colon_before`, that a `: ` comes before it there.
    """

    problem: str
    wording: Wording
    context: str = ""
    opening: bool = False
    line_start: bool | None = None
    colon_before: bool = False


EMPTY = Wording("yaml/empty", "the file is empty", "write at least one `key: value`")
TOO_LARGE = Wording("yaml/too-large", "the file has over {limit} bytes", "split it into several files")
TOO_MANY = Wording("yaml/too-many", "the file has over {limit} values", "split it into several files")
TOO_DEEP = Wording("yaml/too-deep", "nested over {limit} levels deep", "flatten the structure")
CHARACTER = Wording(
    "yaml/character", "the character `{found}` may not stand in a file", "write it as an escape in quotes"
)
MERGE_KEY = Wording("yaml/merge-key", "merge keys are not read", "write the keys out, or quote `<<` if it is a name")
ANCHOR = Wording("yaml/anchor", "anchors are not read", "write the value out, or quote it if it begins with `&`")
ALIAS = Wording("yaml/alias", "aliases are not read", "write the value out, or quote it if it begins with `*`")
UNKNOWN_ALIAS = Wording("yaml/alias", "no anchor of this name stands before it", "write the value out")
MERGED_VALUE = Wording("yaml/merge-key", "only mappings can be merged", "write the keys out")
TAG = Wording("yaml/tag", "tags are not read", "leave the tag out, or quote the value if it begins with `!`")
DIRECTIVE = Wording(
    "yaml/directive", "directives are not read", "leave the line out, or quote the value if it begins with `%`"
)
SECOND_DOCUMENT = Wording(
    "yaml/second-document",
    "a second document starts here",
    "one file holds one document: move it to its own file",
    "the first",
)
DUPLICATE_KEY = Wording(
    "yaml/duplicate-key",
    "the key `{found}` is already set on line {line}",
    "remove or rename one of them",
    "first set here",
)
COLLECTION_KEY = Wording(
    "yaml/collection-key", "a key must be a string, not a list or a mapping", "use a string as the key"
)
KEY_TYPE = Wording(
    "yaml/key-type", "the key `{found}` is {kind}, and keys are strings", 'write it in quotes: "{found}"'
)
LONG_INTEGER = Wording("yaml/long-integer", "an integer of over {limit} digits", "write it in quotes if it is a name")
SURROGATE = Wording(
    "yaml/surrogate", "half of a surrogate pair is no character", "write the character as one `\\U` escape"
)
SYNTAX = Wording("yaml/syntax", "`{found}` cannot be read here", "check the quotes, brackets and indentation before it")

_BRACKET = "put the closing bracket before this, or quote the whole value"
_INDENT = "items of one level start in one column: line this up with its neighbours"
_QUOTE_VALUE = "write the value in quotes"
_HEADER = "write a value that begins with `|` or `>` in quotes; a block's text starts on the next line"

PARSER: tuple[ParserWording, ...] = (
    ParserWording("", ANCHOR, context="scanning an anchor", opening=True),
    ParserWording("", ALIAS, context="scanning an alias", opening=True),
    ParserWording("", TAG, context="a tag", opening=True),
    ParserWording("", DIRECTIVE, context="a directive", opening=True),
    ParserWording("found '<anchor>'", ANCHOR),
    ParserWording("found '<alias>'", ALIAS),
    ParserWording("found '<tag>'", TAG),
    ParserWording("'\\t'", Wording("yaml/tab", "a tab cannot indent", "indent with spaces")),
    ParserWording(
        "that cannot start any token",
        Wording("yaml/reserved-character", "a value cannot begin with `{found}`", _QUOTE_VALUE),
    ),
    ParserWording(
        "unexpected end of stream",
        Wording(
            "yaml/unclosed-quote",
            "the quote that opens here is never closed",
            "close it, or remove it",
            "the file ends here",
        ),
        opening=True,
    ),
    ParserWording(
        "unexpected document separator",
        Wording("yaml/unclosed-quote", "the quote that opens here is not closed before the document ends", "close it"),
        opening=True,
    ),
    ParserWording(
        "'<stream end>'",
        Wording(
            "yaml/unclosed-bracket",
            "the `{opening}` that opens here is never closed",
            "close it, or quote the whole value",
        ),
        context="while parsing a flow",
        opening=True,
    ),
    ParserWording(
        "expected ',' or ']'",
        Wording("yaml/unclosed-bracket", "`{found}` where `,` or `]` belongs", _BRACKET, "the list opens here"),
    ),
    ParserWording(
        "expected ',' or '}'",
        Wording("yaml/unclosed-bracket", "`{found}` where `,` or `}}` belongs", _BRACKET, "the mapping opens here"),
    ),
    ParserWording(
        "could not find expected ':'",
        Wording(
            "yaml/missing-colon",
            "`{found}` is neither a `key: value` nor part of one",
            "put `:` and a space after the key",
        ),
        opening=True,
    ),
    ParserWording(
        "mapping values are not allowed",
        Wording(
            "yaml/second-colon",
            "a second `:` in one value",
            "write the value in quotes, or start a nested mapping on a line of its own",
        ),
        colon_before=True,
    ),
    ParserWording(
        "mapping values are not allowed",
        Wording(
            "yaml/key-in-value",
            "a key where the value above it goes on",
            "line the key up with the one above; a `:` there needs a space after it",
        ),
    ),
    ParserWording(
        "mapping keys are not allowed", Wording("yaml/question-mark", "a value cannot begin with `? `", _QUOTE_VALUE)
    ),
    ParserWording(
        "sequence entries are not allowed",
        Wording("yaml/dash", "a list item cannot start here", "put `-` on a line of its own, or quote the value"),
    ),
    ParserWording(
        "unknown escape character",
        Wording(
            "yaml/escape",
            "`\\{escape}` is no escape in double quotes",
            "write `\\\\` for a backslash, or use single quotes",
        ),
    ),
    ParserWording(
        "hexadecimal numbers",
        Wording(
            "yaml/escape",
            "`{found}` is no hexadecimal digit of an escape",
            "`\\x` takes two digits, `\\u` four, `\\U` eight",
        ),
    ),
    ParserWording(
        "<document start>",
        Wording("yaml/after-end", "text where no document has begun", "remove the `...` or `%` line above"),
    ),
    ParserWording(
        "'<block mapping start>'",
        Wording("yaml/indentation", "no line above is indented like this", _INDENT, "the level opens here"),
    ),
    ParserWording(
        "'<block sequence start>'",
        Wording("yaml/indentation", "no line above is indented like this", _INDENT, "the level opens here"),
    ),
    ParserWording(
        "found '-'",
        Wording(
            "yaml/item-in-mapping",
            "a list item among the keys of a mapping",
            "indent the item under its key, or remove the `-`",
            "the mapping opens here",
        ),
    ),
    ParserWording(
        "found '?'",
        Wording(
            "yaml/key-in-list",
            "a key among the items of a list",
            "begin it with `-`, or move it out of the list",
            "the list opens here",
        ),
        context="block collection",
    ),
    ParserWording(
        "found '}'", Wording("yaml/stray-bracket", "`}}` closes nothing", "remove it, or quote the whole value")
    ),
    ParserWording(
        "found ']'", Wording("yaml/stray-bracket", "`]` closes nothing", "remove it, or quote the whole value")
    ),
    ParserWording("found ','", Wording("yaml/reserved-character", "a value cannot begin with `,`", _QUOTE_VALUE)),
    ParserWording(
        "expected a comment or a line break",
        Wording("yaml/block-header", "text on the line that opens a block", _HEADER),
        context="block scalar",
    ),
    ParserWording(
        "", Wording("yaml/block-header", "`{found}` is no setting of a block's text", _HEADER), context="block scalar"
    ),
    ParserWording(
        "found ':'", Wording("yaml/missing-key", "a `:` without a key before it", "write the key, or quote the value")
    ),
    ParserWording("tag handle", TAG),
    ParserWording(
        "expected <block end>",
        Wording("yaml/indentation", "no line above is indented like this", _INDENT, "the level opens here"),
        line_start=True,
    ),
    ParserWording(
        "expected <block end>",
        Wording(
            "yaml/after-quote",
            "`{found}` after the end of the value",
            "a value in quotes ends with them: quote all of it",
        ),
    ),
)
