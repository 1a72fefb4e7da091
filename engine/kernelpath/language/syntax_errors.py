"""Turn the place where parsing stopped into the mistake that was meant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernelpath.language import wording
from kernelpath.language.errors import Problem

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)|(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')"""
    r"""|(?P<unclosed>"(?:[^"\\\n]|\\.)*+|'(?:[^'\\\n]|\\.)*+)|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"""
    r"""|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<foreign>===|!==|&&|\|\||=>|->|<>|\*\*|:=|\+\+)"""
    r"""|(?P<symbol>==|!=|<=|>=|//|\?\?|\?\.|.)""",
    re.DOTALL,
)
_KEYWORDS = {"if", "then", "else", "any", "all", "count", "for", "in", "and", "or", "not", "true", "false", "null"}
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "in"}
_INFIX = _COMPARISONS | {"and", "or", "??", "+", "-", "*", "/", "//", "%"}
_PREFIX = _INFIX | {"not", "if", "then", "else", "(", "[", ",", ":"}
_FOREIGN = {
    "===": "==",
    "!==": "!=",
    "<>": "!=",
    "&&": "and",
    "||": "or",
    "!": "not",
    "&": "and",
    "|": "or",
    "?": "if a then b else c",
    "**": "x * x",
}
_FOREIGN_WORDS = {"is": "==", "elif": "else if", "mod": "%", "div": "//", "xor": "!="}
_CLOSES = {")": "(", "]": "["}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def explain(text: str, place: int) -> Problem:
    """Return the problem of `text`, whose parsing stopped at offset `place`."""
    tokens = [
        _Token(match.lastgroup or "", match[0], match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]
    if not tokens:
        return _make(wording.empty_expression(), 0, len(text))
    before = [token for token in tokens if token.end <= place]
    found = next((token for token in tokens if token.end > place), None)
    return _of_characters(found, before, text) or _of_brackets(tokens, before, found) or _of_order(before, found, text)


def _make(words: wording.Wording, start: int, end: int) -> Problem:
    return Problem(words[0], start, end, words[1])


def _at(words: wording.Wording, token: _Token) -> Problem:
    return _make(words, token.start, token.end)


def _of_characters(found: _Token | None, before: list[_Token], text: str) -> Problem | None:
    """Find a symbol that the language does not have."""
    if found is None:
        return None
    if found.text == "=":
        return _at(wording.single_equals(), found)
    if found.kind == "unclosed":
        return _make(wording.unclosed_string(), found.start, len(text))
    if before and before[-1].text + found.text in ("!=", "=="):
        return None
    if found.text in _FOREIGN:
        return _at(wording.foreign_symbol(found.text, _FOREIGN[found.text]), found)
    known = found.kind != "symbol" or found.text in _PREFIX | {")", "]", ".", "?."}
    return None if known else _at(wording.strange_character(found.text), found)


def _of_brackets(tokens: list[_Token], before: list[_Token], found: _Token | None) -> Problem | None:
    """Find brackets that do not pair: first the one that parsing stopped at, then one that is never closed."""
    opened = _open_brackets(before)
    if found is not None and found.text in _CLOSES:
        if not opened:
            return _at(wording.unopened_bracket(found.text), found)
        if opened[-1].text != _CLOSES[found.text]:
            return _at(wording.mismatched_bracket(found.text, opened[-1].text), found)
    if found is None and opened and before[-1].text not in _PREFIX - {"(", "["} | {".", "?."}:
        return _at(wording.unclosed_bracket(opened[-1].text), opened[-1])
    return None


def _open_brackets(tokens: list[_Token]) -> list[_Token]:
    opened: list[_Token] = []
    for token in tokens:
        if token.text in ("(", "["):
            opened.append(token)
        elif token.text in _CLOSES and opened:
            opened.pop()
    return opened


def _of_order(before: list[_Token], found: _Token | None, text: str) -> Problem:
    """Find what is missing between the last token read and the one that was found."""
    last = before[-1] if before else None
    place = _place(before, found)
    if last is not None and last.text in (".", "?.", "any", "all", "count", "for"):
        return _make(wording.expected_name_after(last.text, found.text if found else None), *place)
    if last is None or last.text in _PREFIX:
        return _missing_operand(last, found, place)
    return _unfinished(before, place) if found is None else _extra(before, last, found)


def _place(before: list[_Token], found: _Token | None) -> tuple[int, int]:
    if found is not None:
        return found.start, found.end
    return before[-1].start, before[-1].end


def _missing_operand(last: _Token | None, found: _Token | None, place: tuple[int, int]) -> Problem:
    if last is None and found is not None:
        return _make(wording.expected_expression_before(found.text), *place)
    if found is not None and found.text in ("if", "any", "all", "count"):
        return _make(wording.needs_parentheses(found.text), *place)
    return _make(wording.expected_expression_after(last.text if last else ""), *place)


def _expects(before: list[_Token]) -> tuple[str, str] | None:
    """Return the innermost `if` or loop that is still without a part, and that part."""
    waiting: list[tuple[str, str] | None] = []
    for token in before:
        if token.text in ("(", "["):
            waiting.append(None)
        elif token.text in _CLOSES:
            while waiting and waiting.pop() is not None:
                pass
        elif token.text in ("if", "any", "all", "count", "for"):
            waiting.append((token.text, {"if": "then"}.get(token.text, "in")))
        elif waiting and (top := waiting[-1]) is not None and token.text == top[1]:
            waiting.pop()
            follow = {"then": "else", "in": ":"}.get(token.text)
            if follow and top[0] != "for":
                waiting.append((top[0], follow))
    return waiting[-1] if waiting else None


def _unfinished(before: list[_Token], place: tuple[int, int]) -> Problem:
    missing = _expects(before)
    if missing is None:
        return _make(wording.unexpected(before[-1].text), *place)
    return _make(wording.missing_part(*missing), *place)


def _extra(before: list[_Token], last: _Token, found: _Token) -> Problem:
    """Explain a token that follows a whole expression."""
    if found.text in _COMPARISONS or (found.text == "not"):
        return _at(wording.chained_comparison(), found)
    if found.text == "(":
        return _at(_bad_call(before, last), found)
    if found.text in _FOREIGN_WORDS:
        return _at(wording.foreign_symbol(found.text, _FOREIGN_WORDS[found.text]), found)
    missing = _expects(before)
    if missing is not None:
        return _at(wording.missing_part(*missing), found)
    starts = found.kind in ("string", "number") or (found.kind == "word" and found.text not in {"then", "else"})
    return _at(wording.missing_operator(found.text) if starts else wording.unexpected(found.text), found)


def _bad_call(before: list[_Token], last: _Token) -> wording.Wording:
    if len(before) > 1 and before[-2].text == "?.":
        return wording.safe_call(last.text)
    return wording.only_names_are_called()
