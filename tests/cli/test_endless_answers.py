"""A pack may make a value without end out of a few entries: it is refused before it is written out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from packs.folders import written

PACK = """\
summary: A pack whose answer grows.
values: {{inference: {{type: json}}, v: {{type: json}}}}
scopes: {{whole: {{doc: the section, uses: [inference]}}}}
stages: {{shape: {{doc: its shape, scope: whole}}}}
programs:
  compile:
    inputs: [inference]
    run:
      - {{walk: shape}}
      - {{set: {{v: '1'}}}}
{0}
    value: v
"""
RULE = """\
summary: A section is an object.
why: Nothing else has members.
severity: error
each: whole
check: is_object(inference)
message: "this is not an object"
"""


@pytest.mark.parametrize(
    ("entry", "times", "message"),
    [
        ('spread(member("a", v), member("b", v))', 60, "the answer has over 5,000,000 parts"),
        ("[v, v]", 60, "the answer has over 5,000,000 parts"),
        ('member("a", v)', 2_000, "the answer is nested over 300 levels deep"),
        ("[v]", 2_000, "the answer is nested over 300 levels deep"),
    ],
)
def test_an_answer_without_end(cli: Callable[..., Ran], folder: Path, entry: str, times: int, message: str) -> None:
    """What would fill the memory as text, or is deeper than any text that is read, is refused with the limit."""
    entries = "\n".join([f"      - {{set: {{v: '{entry}'}}}}"] * times)
    written(folder / "grows", {"pack.yaml": PACK.format(entries), "shape/is-object.yaml": RULE})
    ran = cli("compile", "passes.json", "--pack", "grows", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
