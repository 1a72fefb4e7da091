"""What differs between two packs, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class CellChange:
    """Cells of a rule's finite domain in which it now does something else: how many, and the smallest of them.

    `witness` has the values of the scope's variables, confirmed by evaluating both versions; None where the values of
    some expression cannot be brought about one by one.
    """

    before: str
    after: str
    count: int
    witness: Mapping[str, Any] | None

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain JSON."""
        witness = None if self.witness is None else dict(self.witness)
        return {"before": self.before, "after": self.after, "count": self.count, "witness": witness}


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What is new of one rule.

    `status` is added, removed or changed. `cells` is the size of the finite domain that both versions read, None where
    it could not be gone through, as `notes` then say; `member` is the member of a built object that it is about.
    `texts` are the parts that are worded otherwise; `severity` holds both severities where they differ.
    """

    status: str
    stage: str
    name: str
    kind: str
    cells: int | None = None
    changes: tuple[CellChange, ...] = ()
    severity: tuple[str, str] | None = None
    texts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    member: str = ""

    @property
    def changed_cells(self) -> int:
        """How many cells of the domain changed."""
        return sum(change.count for change in self.changes)

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain JSON."""
        return {
            "status": self.status,
            "rule": f"{self.stage}/{self.name}",
            "kind": self.kind,
            "member": self.member or None,
            "cells": self.cells,
            "changedCells": self.changed_cells,
            "changes": [change.to_dict() for change in self.changes],
            "severity": list(self.severity) if self.severity else None,
            "texts": list(self.texts),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Declared:
    """Something that pack.yaml declares and that is new, gone or otherwise: its section, its name, and how."""

    section: str
    name: str
    status: str
    details: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain JSON."""
        return {"section": self.section, "name": self.name, "status": self.status, "details": list(self.details)}


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A real document that fares otherwise under the new pack.

    `before` and `after` are its verdicts; `reported` and `cleared` name the rules that report something new, or no
    longer; `values` are the members of the result that differ: their JSON pointers with both values.
    """

    document: str
    before: str
    after: str
    reported: tuple[str, ...]
    cleared: tuple[str, ...]
    values: tuple[tuple[str, Any, Any], ...]

    def to_dict(self) -> dict[str, object]:
        """Return the change as plain JSON."""
        return {
            "document": self.document,
            "before": self.before,
            "after": self.after,
            "reported": list(self.reported),
            "cleared": list(self.cleared),
            "values": [{"pointer": pointer, "before": old, "after": new} for pointer, old, new in self.values],
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that changes from one pack to another; `documents` says how many real documents were tried."""

    old: str
    new: str
    rules: tuple[RuleChange, ...]
    declared: tuple[Declared, ...]
    documents: int = 0
    changed_documents: tuple[DocumentChange, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not (self.rules or self.declared or self.changed_documents)

    def to_dict(self) -> dict[str, object]:
        """Return the difference as plain JSON."""
        return {
            "old": self.old,
            "new": self.new,
            "rules": [change.to_dict() for change in self.rules],
            "declared": [change.to_dict() for change in self.declared],
            "documents": self.documents,
            "changedDocuments": [change.to_dict() for change in self.changed_documents],
        }
