"""Functions of a pack: written out where they are called, typed by each call, bounded, blamed only for their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask

from .folders import BOXES, copied, told, written


def with_function(folder: Path, functions: str, condition: str) -> Path:
    """Return the small pack with further functions, and a check of the shape stage that uses them."""
    pack = copied(BOXES, folder / "boxes")
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    rule = f"summary: A\nwhy: b\nseverity: error\ncheck: '{condition}'\nmessage: no\n"
    return written(
        pack, {"pack.yaml": text.replace("\nfunctions:\n", f"\nfunctions:\n{functions}"), "shape/f.yaml": rule}
    )


def verdict(pack: Path, *boxes: Any) -> list[str | None]:
    """Return the subjects of the boxes that the new rule rejects."""
    outcome = ask(load_folder(pack), "paint", {"order": {"boxes": list(boxes)}})
    return [found.subject for found in outcome.report.diagnostics if found.rule == "boxes/shape/f"]


MAIN = '  name_of: {parameters: {box: json}, is: \'if box.name == null then "main" else text(box.name ?? "")\'}\n'


def test_a_function_may_test_what_a_call_knows(tmp_path: Path) -> None:
    """A test for null in a function is no fault where the argument is known not to be null."""
    pack = with_function(tmp_path, MAIN, 'is_string(raw.name) and name_of(raw) == "a" or name_of(raw) == "main"')
    assert told(pack) == []
    assert verdict(pack, {"size": 1, "name": "a"}, {"size": 1, "name": "b"}, {"size": 1}) == ["1"]


def test_a_rule_that_tests_what_it_knows_is_told(tmp_path: Path) -> None:
    """The same test, written into the rule itself, has no use and is a fault."""
    condition = 'is_string(raw.name) and (if raw.name == null then "main" else raw.name) == "a"'
    [found] = told(with_function(tmp_path, "", condition))
    assert (found.message, found.span and found.span.column) == ("`raw.name` is never null", 37)


def test_functions_may_call_those_above_them(tmp_path: Path) -> None:
    """A function is made of earlier ones; arguments stand for themselves wherever they stand."""
    functions = "  twice: {parameters: {n: int}, is: n + n}\n  four: {parameters: {n: int}, is: twice(twice(n))}\n"
    pack = with_function(tmp_path, functions, "four(index + 1) < 9")
    assert verdict(pack, {"size": 1}, {"size": 1}, {"size": 1}) == ["2"]


def test_a_function_cannot_call_itself(tmp_path: Path) -> None:
    """There is no recursion: a function is unknown until its line ends."""
    [found] = told(with_function(tmp_path, "  again: {parameters: {n: int}, is: again(n)}\n", "again(index) < 9"))
    assert found.message == "unknown function `again`"


def test_functions_that_grow_without_bound(tmp_path: Path) -> None:
    """Doubling a few dozen times would fill memory; the bound is named where the call is."""
    lines = ["  f0: {parameters: {n: int}, is: n + n}\n"]
    lines += [f"  f{k}: {{parameters: {{n: int}}, is: f{k - 1}(f{k - 1}(n))}}\n" for k in range(1, 6)]
    found = told(with_function(tmp_path, "".join(lines), "f5(index) < 9"))
    assert {mistake.message for mistake in found} == {
        "with its functions written out, the expression has over 5,000 parts"
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("four()", "`four` takes 1 argument (n), not 0"),
        ("four(1, 2)", "`four` takes 1 argument (n), not 2"),
        ('four("a")', "`+` does not work on `string` and `int`"),
    ],
)
def test_wrong_calls(tmp_path: Path, call: str, message: str) -> None:
    """A call that does not fit is told at the call, not at the function."""
    functions = "  four: {parameters: {n: int}, is: n + 4}\n"
    [found] = told(with_function(tmp_path, functions, f"{call} < 9"))
    assert (found.message, found.span and found.span.line) == (message, 4)
