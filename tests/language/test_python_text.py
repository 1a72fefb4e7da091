"""Generated Python is lean, and reads like what a person would write."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from kernelpath.language import RUNTIME, PythonWriter, check, parse

from .generated_expressions import NAMES, VARIABLES


def written(text: str) -> str:
    """Return the Python of an expression whose variables are locals of the same names."""
    writer = PythonWriter({name: name for name in VARIABLES}, {"c": "c_source"})
    return writer.expression(check(parse(text), NAMES))


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("c == 'red' and box.colour != c", "c == 'red' and box.colour != c"),
        ("c in ['red', 'blue']", "c in {'red', 'blue'}"),
        ("mode in ['fast', 'slow']", "mode in ('fast', 'slow')"),
        ("mode in ['fast']", "mode in ('fast',)"),
        ("raw in ['a', null]", "raw in ('a', None)"),
        ("raw in [1, 'a']", "json_in(raw, [1, 'a'])"),
        ("n not in [1, 2]", "n not in {1, 2}"),
        ("s in words", "s in words"),
        ("raw == null or raw == true or raw == 'x'", "raw is None or raw is True or raw == 'x'"),
        ("raw == 1", "json_equal(raw, 1)"),
        ("raw == 2", "raw == 2"),
        ("raw != box.raw", "not json_equal(raw, box.raw)"),
        ("box.class == s", "box.class_ == s"),
        ("is_string(raw)", "type(raw) is str"),
        ("is_object(raw) and is_string(raw.id)", "type(raw) is dict and type(raw.get('id')) is str"),
        (
            "is_string(raw.id) and starts_with(raw.id, 'a')",
            "type(raw.get('id') if type(raw) is dict else None) is str and raw['id'].startswith('a')",
        ),
        ("has(raw, 'id')", "type(raw) is dict and 'id' in raw"),
        ("has(table, 'id')", "'id' in table"),
        ("raw.a.b", "_1.get('b') if type(_1 := raw.get('a') if type(raw) is dict else None) is dict else None"),
        ("maybe?.id", "maybe.id if maybe is not None else None"),
        ("maybe != null and maybe.size == 3", "maybe is not None and maybe.size == 3"),
        ("num ?? 0", "num if num is not None else 0"),
        ("words[0] ?? s", "_1 if (_1 := words[0] if len(words) > 0 else None) is not None else s"),
        ("n + 1 > 2 * n", "checked_add(n, 1) > checked_multiply(2, n)"),
        ("f * 2 + n", "f * 2.0 + float(n)"),
        ("f / 2", "f / 2.0"),
        ("n % 8 == 0", "n % 8 == 0"),
        ("n // 8", "checked_floor_divide(n, 8)"),
        ("-1 < n and -n < 1", "-1 < n and checked_negate(n) < 1"),
        ("not (flag or n == 1) and flag", "not (flag or n == 1) and flag"),
        ("flag == (n == 1)", "flag == (n == 1)"),
        ("(if flag then n else 1) == 2", "(n if flag else 1) == 2"),
        ("any x in ints: x > n", "any(x > n for x in meter.over(ints))"),
        ("count s2 in words: s2 == s", "sum(1 for s2 in meter.over(words) if meter.wide(s2) == s)"),
        ("[len for len in ints if len > 1]", "[len_ for len_ in meter.over(ints) if len_ > 1]"),
        (
            "any w in [words[0] ?? s]: w == s",
            "(_2 := [_1 if (_1 := words[0] if len(words) > 0 else None) is not None else s], "
            "any(meter.wide(w) == s for w in meter.over(_2)))[1]",
        ),
        ("length(words + [s])", "len(joined_lists(words, [s]))"),
        ("lower(s + 'A')", "(s + 'A').lower()"),
        ("contains(s, 'a') or contains(s, lower(s))", "'a' in s or _contains(s, s.lower())"),
        ("colour(s) ?? 'red'", "_1 if (_1 := s if s in {'red', 'green', 'blue'} else None) is not None else 'red'"),
        ("source(c) == 'given'", "c_source == 'given'"),
        ("sum(range(n))", "_sum(_range(meter, n))"),
        ("matches(s, '[a-z]+')", "_matches(s, '[a-z]+')"),
    ],
)
def test_generated_text(text: str, python: str) -> None:
    """An expression is written in just these words."""
    assert written(text) == python


def test_meter_is_asked_for_only_by_loops() -> None:
    """A writer says whether the function around its expressions must bind a meter."""
    writer = PythonWriter({name: name for name in VARIABLES})
    writer.expression(check(parse("n > 1"), NAMES))
    assert not writer.uses_meter
    writer.expression(check(parse("any x in ints: x > 1"), NAMES))
    assert writer.uses_meter


def test_temporaries_differ_within_a_writer() -> None:
    """Two expressions of one function use different temporary names, and the variables' own texts."""
    writer = PythonWriter({"words": "env.words", "num": "env.num"})
    checked = check(parse("words[0] ?? 'a'"), NAMES)
    first, second = writer.expression(checked), writer.expression(checked)
    assert first == "_1 if (_1 := env.words[0] if len(env.words) > 0 else None) is not None else 'a'"
    assert second == first.replace("_1", "_2")


def test_loop_variable_hides_nothing() -> None:
    """A loop variable is renamed where its name is read by another variable's text."""
    writer = PythonWriter({"n": "x + y", "ints": "x.ints"})
    text = writer.expression(check(parse("any x in ints: x > n * 2"), NAMES))
    assert text == "any(x_ > checked_multiply(x + y, 2) for x_ in meter.over(x.ints))"


def test_generated_names_are_all_known() -> None:
    """What generated code reads beyond its variables is in RUNTIME or built into Python."""
    text = "[n / 2, n - 1, f // 2, number(raw), text(raw[n]) == raw.a.b.c.d.e, min(n, 1) * 1.5] == raw"
    tree = ast.parse(written(text.replace("text(raw[n]) == raw.a.b.c.d.e", "number(raw.a.b.c.d.e)")), mode="eval")
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    temporaries = {name for name in read if name[1:].isdigit()}
    assert read - temporaries - set(RUNTIME) - set(VARIABLES) <= {"type", "dict", "float", "len"}


def test_running_generated_code_loads_no_parser() -> None:
    """The globals of generated code are there without Lark, the syntax tree and the checker."""
    program = (
        "import sys; from kernelpath.language.runtime import RUNTIME; "
        "print(sorted({'lark', 'kernelpath.language.ast', 'kernelpath.language.checker'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
