"""What a rule reads is found in its expressions and its messages, and in nothing else that it says."""

from __future__ import annotations

import pytest

from kernelpath.packs.model import Rule
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource


@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_rules_read_only_what_they_see(name: str) -> None:
    """Each path starts with a name of the scope or of the rule; keys, members and the cells of tables are neither."""
    pack = read_pack(resource("rules", name))
    for rule in pack.rules():
        seen = {name.partition(".")[0] for name in (*pack.scopes[rule.scope].variables, *_own(rule))}
        assert {path.partition(".")[0] for path in rule.paths} - seen == set(), rule.identity


def _own(rule: Rule) -> list[str]:
    return [name for name, _ in rule.lets]
