"""Compare two packs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelpath.analysis.difference.cells import compare_rules, one_sided
from kernelpath.analysis.difference.changes import Difference, RuleChange
from kernelpath.analysis.difference.declared import compare_declared
from kernelpath.analysis.difference.documents import compare_documents, read_documents
from kernelpath.packs.model import Pack, Rule

__all__ = ["Difference", "diff"]


def diff(
    old: Pack,
    new: Pack,
    manifests: Sequence[Path] = (),
    *,
    shared: Mapping[str, Any] | None = None,
) -> Difference:
    """Return what changes from one pack to another.

    Rules of equal stage and name are compared cell by cell, each by itself: what the rules before it do is not counted
    in. `manifests` are files of real documents, which both packs then decide beside the documents in `shared` (a
    catalogue, presets). Raises DocumentErrors for files that cannot be read.
    """
    documents = read_documents(manifests)
    changed = compare_documents(old, new, documents, shared or {}) if documents else []
    return Difference(
        old.name,
        new.name,
        tuple(_rules(old, new)),
        tuple(compare_declared(old, new)),
        len(manifests),
        tuple(changed),
    )


def _by_name(pack: Pack) -> dict[tuple[str, str], Rule]:
    return {(rule.stage, rule.name): rule for rule in pack.rules()}


def _rules(old: Pack, new: Pack) -> Iterator[RuleChange]:
    """Yield what changes of each rule: of the new pack's in their order, then what is gone."""
    before, after = _by_name(old), _by_name(new)
    for key, rule in after.items():
        if key not in before:
            yield one_sided(new, rule, "added")
        elif old.digest != new.digest:
            yield from compare_rules((old, before[key]), (new, rule))
    for key, rule in before.items():
        if key not in after:
            yield one_sided(old, rule, "removed")
