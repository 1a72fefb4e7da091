"""The YAML parser's complaints, told as diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelpath.diagnostics import Diagnostic, Source, Span
from kernelpath.diagnostics.render.printable import printable
from kernelpath.packs.shortening import Shortened
from kernelpath.packs.yaml_wording import PARSER, SYNTAX, ParserWording

if TYPE_CHECKING:
    from yaml.error import MarkedYAMLError

_SHOWN = 30


def parser_error(source: Source, error: MarkedYAMLError, read: Shortened) -> Diagnostic:
    """Return the one diagnostic that says what the pure-Python parser stumbled over, and what was meant.

    `read` is the text that the parser read: all of the source, or less.
    """
    mark = error.problem_mark or error.context_mark
    at = min(read.origin(mark.index if mark else 0), len(source.text))
    opened = read.origin(error.context_mark.index) if error.context_mark else at
    if error.context == "while parsing a flow node":  # its mark is where the node lacks, not where the brackets open
        opened = min(read.origin(_last_opened(read.text)), len(source.text))
    known = _known(source, str(error.context or ""), str(error.problem or ""), at)
    place, second = (opened, at) if known.opening else (at, opened)
    return known.wording.told(
        _word_span(source, place),
        _word_span(source, second) if second != place else None,
        found=_word(source, place),
        opening=source.text[opened : opened + 1],
        escape=printable(source.text[at : at + 1]),
    )


def stumbled(source: Source, at: int) -> Diagnostic:
    """Return the diagnostic that says no more than where a text cannot be read."""
    at = min(at, len(source.text))
    return SYNTAX.told(_word_span(source, at), None, found=_word(source, at))


def _last_opened(text: str) -> int:
    """Return where the innermost bracket opens that is not closed again."""
    import yaml

    opened: list[int] = []
    try:
        for token in yaml.scan(text, yaml.SafeLoader):
            if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                opened.append(token.start_mark.index)
            elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken) and opened:
                opened.pop()
    except yaml.MarkedYAMLError:
        pass  # what was read until there is what counts
    return opened[-1] if opened else len(text)


def _known(source: Source, context: str, problem: str, at: int) -> ParserWording:
    before = source.text[source.offset(source.position(at)[0], 1) : at]
    for known in PARSER:
        fits = known.problem in problem and known.context in context
        if fits and known.line_start in (None, not before.strip()) and (": " in before or not known.colon_before):
            return known
    return ParserWording("", SYNTAX)


def _word(source: Source, at: int) -> str:
    """The text at a place: a run of letters and digits, or one other character."""
    end = _word_end(source.text, at)
    return printable(source.text[at:end]) or "the end of the file"


def _word_end(text: str, at: int) -> int:
    end = at
    while end < len(text) and end - at < _SHOWN and (text[end].isalnum() or text[end] in "_-."):
        end += 1
    return max(end, min(at + 1, len(text)))


def _word_span(source: Source, at: int) -> Span:
    if source.text[at : at + 1] in ("\n", "\r"):
        return source.span(at, at)
    return source.span(at, _word_end(source.text, at))
