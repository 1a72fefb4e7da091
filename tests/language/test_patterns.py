"""A pattern is accepted only if it decides by the next character, and matches what its parts say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelpath.language.matching import matcher
from kernelpath.language.pattern_syntax import Alternatives, Characters, Part, Repeat, Sequence, read
from kernelpath.language.patterns import check_pattern

_ATOMS = st.sampled_from(["a", "b", "c", "[ab]", "[^a]", "."])
_REPEATS = st.sampled_from(["?", "*", "+", "{2}", "{1,2}", "{2,}"])
PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, _REPEATS).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)


def ways(part: Part, text: str, at: int) -> list[int]:
    """Return where a part can end that begins at `at`: each place once for every way to get there."""
    if isinstance(part, Characters):
        return [at + 1] if at < len(text) and any(low <= ord(text[at]) <= high for low, high in part.ranges) else []
    if isinstance(part, Sequence):
        ends = [at]
        for inner in part.parts:
            ends = [after for end in ends for after in ways(inner, text, end)]
        return ends
    if isinstance(part, Alternatives):
        return [end for inner in part.parts for end in ways(inner, text, at)]
    return _repeated(part, text, at, 0)


def _repeated(part: Repeat, text: str, at: int, done: int) -> list[int]:
    here = [at] if done >= part.least else []
    if part.most is not None and done >= part.most:
        return here
    once = [end for end in ways(part.part, text, at) if end > at or done < part.least]
    return here + [after for end in once for after in _repeated(part, text, end, done + 1)]


@settings(max_examples=300)
@given(pattern=PATTERNS, text=st.text("abc", max_size=6))
def test_accepted_pattern_matches_in_one_way(pattern: str, text: str) -> None:
    """What is accepted has at most one way to match a text, and matches it just if there is one."""
    if check_pattern(pattern) is not None:
        return
    found = ways(read(pattern), text, 0).count(len(text))
    assert found <= 1
    assert (matcher(pattern)(text) is not None) == (found == 1)


@pytest.mark.parametrize(
    "pattern",
    ["a*a", "(a+)+", "(a*)*", "(a|ab)", ".*x", "(a?)?b", "a{2,3}a", "(|a|)", "(a|b|[bc])", "(ab?)*b", "a?a?"],
)
def test_ambiguous_pattern_is_refused(pattern: str) -> None:
    """A pattern that could go on in two ways is refused."""
    assert check_pattern(pattern) is not None


@pytest.mark.parametrize(
    ("pattern", "matching", "failing"),
    [
        ("[0-9a-f]{64}", "0f" * 32, "0f" * 31),
        (r"[a-z][a-z0-9_-]*(/[a-z]+)*", "box-1/red/blue", "box//red"),
        (r"\d+(\.\d+)?", "12.5", "12."),
        (r"\w+\s\W", "a_1 !", "é !"),
        (r"a{2,}", "aaaa", "a"),
        (r"[^\d\]]+", "a-b", "a]"),
        (r"(red|green|blue)", "green", "greenish"),
        (".{3}", "a\nb", "ab"),
        (r"\(\)\[\]\{\}\.\*", "()[]{}.*", "()[]{}x*"),
        ("", "", "a"),
    ],
)
def test_pattern_matches_whole_strings(pattern: str, matching: str, failing: str) -> None:
    """A pattern matches a string from end to end."""
    assert check_pattern(pattern) is None
    assert matcher(pattern)(matching) is not None
    assert matcher(pattern)(failing) is None


@pytest.mark.parametrize(
    ("pattern", "message", "place"),
    [
        ("a**", "`*` after a repeat has no meaning in a pattern", 2),
        ("a+?", "`?` after a repeat has no meaning in a pattern", 2),
        ("*a", "`*` repeats nothing in the pattern", 0),
        ("a$", "`$` has no meaning in a pattern, which matches the whole string anyway", 1),
        ("(?:a)", "`(?` has no meaning in a pattern", 0),
        ("a{", "`{` must begin a repeat such as `{2}` or `{2,5}`, or be written `\\{`", 1),
        ("a{2,1}", "a repeat in the pattern ends before it begins", 1),
        ("a}", "write `\\}` for `}` in a pattern", 1),
        ("[b-a]", "a range in a class ends before it begins", 1),
        (r"[\d-z]", "a range in a class must go from one character to another", 1),
        ("[[a]", "write `\\[` for `[` in a class", 1),
        ("[]", "an empty class matches nothing", 0),
        (r"\1", "`\\1` is not an escape of patterns", 0),
        ("a\\", "`\\` is not an escape of patterns", 1),
        ("[a", "unclosed `[` in the pattern", 0),
        ("a)", "`)` closes nothing in the pattern", 1),
        ("a{1001}", "the pattern has more than 1,000 positions, its repeats written out", 0),
        ("(" * 60 + "a" + ")" * 60, "groups are nested deeper than 50 levels", 51),
    ],
    ids=lambda value: str(value)[:20],
)
def test_mistake_in_a_pattern(pattern: str, message: str, place: int) -> None:
    """A pattern that cannot be read says why, and where."""
    problem = check_pattern(pattern)
    assert problem is not None
    assert (problem.message, problem.place) == (message, place)
