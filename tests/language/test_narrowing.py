"""What a test proves holds where it was true, and nowhere else."""

from __future__ import annotations

import pytest

from kernelpath.language import BOOL, JSON, STRING, LanguageErrors, Names, Optional, check, parse

from .generated_expressions import NAMES

PROVED = [
    "num != null and num + 1 == 2",
    "num == null or num + 1 == 2",
    "not (num == null) and num > 1",
    "not (num != null) or num > 1",
    "if num == null then false else num > 1",
    "if num != null and num > 1 then num < 5 else true",
    "num == 3 and num > 1",
    "num in [1, 2] and num > 1",
    "num in ints and num > 1",
    "num == n and num > 1",
    "[k for k in ints if num != null and num > k] == []",
    "[num + k for k in ints if num != null] == []",
    "(any k in ints: num != null and num > k)",
    "ints[0] != null and ints[0] > 1",
    "table.a != null and table['a'] > 1",
    "maybe?.size == 1 and maybe.size > 0 and maybe.id == 'x'",
    "maybe?.size != null and maybe.size > 0",
    "maybe == null or maybe.id == 'x'",
    "is_string(raw) and lower(raw) == 'a'",
    "is_string(raw.a.b) and lower(raw.a.b) == 'a'",
    "is_string(raw[0]) and lower(raw[0]) == 'a' and length(raw) == 1",
    "is_object(raw) and keys(raw) == []",
    "is_list(raw.a) and (any item in raw.a: item == 1)",
    "is_bool(raw.a) and raw.a",
    "is_integer(raw.a) and raw.a // 2 == 1",
    "is_number(raw.a) and raw.a / 2 == 1",
    "raw.a == 'x' and lower(raw.a) == 'x'",
    "raw.a in ['x', 'y'] and lower(raw.a) == 'x'",
    "(raw.a == 'x' or raw.a == 'y') and lower(raw.a) == 'x'",
    "raw.a == 1 and raw.a + 1 == 2",
    "has(raw, 'a') and length(raw) == 1",
    "mode == 'fast' and lower(mode) == 'fast'",
    "is_string(mode) and lower(mode) == 'fast'",
]

NOT_PROVED = [
    "num != null or num > 1",
    "num == null and num > 1",
    "(num != null or flag) and num > 1",
    "num != n and num > 1",
    "num in [1, null] and num > 1",
    "(any k in ints: num != null) and num > 1",
    "ints[n] != null and ints[n] > 1",
    "ints[0] != null and ints[1] > 1",
    "maybe?.size == maybe?.size and maybe.size > 0",
    "maybe?.size == null and maybe.id == 'x'",
    "raw.a != null and lower(raw.a) == 'a'",
    "raw.a in ['x', 1] and lower(raw.a) == 'x'",
    "raw.a == raw.b and lower(raw.a) == 'x'",
    "raw.a == [1] and sum(raw.a) == 1",
    "(raw.a == 1 or raw.a == 1.5) and raw.a + 1 == 2",
    "not is_string(raw) and lower(raw) == 'a'",
]


@pytest.mark.parametrize("text", PROVED)
def test_use_after_its_test_is_well_typed(text: str) -> None:
    """A value may be used as what a test before it proved it to be."""
    assert check(parse(text), NAMES, BOOL).type == BOOL


@pytest.mark.parametrize("text", NOT_PROVED)
def test_use_without_its_test_is_refused(text: str) -> None:
    """A test that may have been false proves nothing."""
    with pytest.raises(LanguageErrors):
        check(parse(text), NAMES, BOOL)


def test_given_conditions_prove_as_tests_do() -> None:
    """Conditions that are given as true narrow the whole expression."""
    names = Names({"word": Optional(STRING), "raw": JSON})
    when = check(parse("word != null and is_string(raw.a)"), names, BOOL)
    assert check(parse("word + raw.a"), names, STRING, given=[when]).type == STRING


def test_fact_is_about_one_name_only() -> None:
    """A loop variable of the same name in another loop is another variable."""
    names = Names({"boxes": JSON})
    text = "is_list(boxes) and (any b in boxes: is_string(b)) and (any b in boxes: lower(b) == 'x')"
    with pytest.raises(LanguageErrors) as raised:
        check(parse(text), names)
    assert [problem.message for problem in raised.value.problems] == ["expected `string`, but this is `json`"]
