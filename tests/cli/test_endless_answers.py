"""A pack may make a value without end out of a few entries: it is refused before it is written out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from packs.folders import written

PACK = """\
summary: A pack whose answer grows.
uses: javascript
documents: {{manifest: {{doc: the section, recognise: is_object(file.inference)}}}}
values: {{inference: manifest.inference, v0: {{type: json, is: '1'}}{0}}}
stages: {{shape: {{doc: its shape, each: request, at: manifest#}}}}
questions: {{compile: {{given: manifest, answer: v{1}}}}}
"""
RULE = """\
summary: A section is an object.
why: Nothing else has members.
severity: error
check: is_object(inference)
message: "this is not an object"
"""


@pytest.mark.parametrize(
    ("entry", "times", "message"),
    [
        ('spread(member("a", v), member("b", v))', 60, "the answer has over 5,000,000 parts"),
        ("[v, v]", 60, "the answer has over 5,000,000 parts"),
        ('member("a", member("b", member("c", v)))', 120, "the answer is nested over 300 levels deep"),
        ("[[[v]]]", 120, "the answer is nested over 300 levels deep"),
    ],
)
def test_an_answer_without_end(cli: Callable[..., Ran], folder: Path, entry: str, times: int, message: str) -> None:
    """What would fill the memory as text, or is deeper than any text that is read, is refused with the limit."""
    steps = [re.sub(r"\bv\b", f"v{number}", entry) for number in range(times)]
    values = "".join(f", v{number + 1}: {{type: json, is: '{step}'}}" for number, step in enumerate(steps))
    written(folder / "grows", {"pack.yaml": PACK.format(values, times), "shape/is-object.yaml": RULE})
    ran = cli("compile", "passes.json", "--pack", "grows", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
