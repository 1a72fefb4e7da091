"""The pack's own pages say what the pack does."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from kernelpath.packs.decisions import declared_carriers
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

from .defects import DEFECTS

UPDATE = "KERNELPATH_UPDATE_GOLDEN"
FOLDER = Path(resource("rules", "strict"))


def carriers() -> dict[str, list[str]]:
    """Return what of the pack's own carries out each decision: rules, and entries of its pack.yaml."""
    pack, base = read_pack(FOLDER), read_pack(Path(resource("rules", "execution-v0")))
    known = declared_carriers(base)
    own = {
        name: [f"`{entry}`" for entry in entries if entry not in known.get(name, ())]
        for name, entries in declared_carriers(pack).items()
    }
    found: dict[str, list[str]] = {}
    for rule in (rule for stage in pack.stages.values() for rule in stage.rules):
        for decision in rule.decisions if rule.identity.startswith("strict/") else ():
            found.setdefault(decision, []).append(f"`{rule.stage}/{rule.name}`")
    carried = {decision: [*sorted(found.get(decision, [])), *own.get(decision, [])] for decision in sorted(found | own)}
    return {decision: words for decision, words in carried.items() if words}


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return the lines of a table without its head."""
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def written(text: str, found: dict[str, list[str]]) -> str:
    """Return the page with its columns of rules as the pack has them."""
    head, base = text.split("\n## ", 1)
    rows = re.findall(r"^\| (B\d\d) \| (.*?) \|.*$", head, re.MULTILINE)
    start = head.index("| B01 |")
    first = head[:start] + table((name, does, ", ".join(found[name])) for name, does in rows)
    last = base[: base.index("|---|---|\n") + len("|---|---|\n")]
    return f"{first}\n## {last}" + table((name, ", ".join(by)) for name, by in found.items() if name not in DEFECTS)


def test_every_decision_names_what_carries_it_out() -> None:
    """The page has all 72 defects, each with the rules and the entries of pack.yaml that carry it out."""
    path, found = FOLDER / "DECISIONS.md", carriers()
    assert [name for name in DEFECTS if name not in found] == []
    expected = written(path.read_text(encoding="utf-8"), found)
    if os.environ.get(UPDATE) == "1":
        path.write_text(expected, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == expected, f"DECISIONS.md differs; {UPDATE}=1 rewrites it"
