"""What an analysis finds, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.packs.model import Place

#: The kinds of findings, and what each of them means.
KINDS: Mapping[str, str] = {
    "dead-rule": "the rule never applies",
    "idle-check": "the check can never fail",
    "shadowed-rule": "every item that the rule reports is reported by other rules",
    "contradiction": "no item to which both rules apply can satisfy both",
    "impossible-stage": "no item can pass the stage",
    "redundant-row": "without the row the rule gives the same values",
    "dead-row": "the row or candidate never applies",
    "shadowed-row": "whenever the row or candidate applies, an earlier one is chosen",
    "gap": "for some items the rule gives no value, though its variable needs one or all its inputs are finite",
    "overlap": "two rows apply at once where only one may",
    "switched-off": "under every declared value of a setting the rule never applies",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: the rule at fault, the rules or rows it is at fault with, and how it is known.

    `witness` has the values of the scope's variables that show it, confirmed by evaluating the rules on them; `reason`
    says why it is exact: over which cells it was decided. `row` counts from 1.
    """

    kind: str
    rule: str
    stage: str
    place: Place
    message: str
    reason: str
    by: tuple[str, ...] = ()
    row: int | None = None
    witness: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the finding as plain JSON, absent members left out."""
        members = {
            "kind": self.kind,
            "rule": self.rule,
            "stage": self.stage,
            "row": self.row,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
            "message": self.message,
            "by": list(self.by) or None,
            "witness": dict(self.witness) if self.witness is not None else None,
            "reason": self.reason,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that switches a rule: under the values in `off` it never applies, under those in `on` it can."""

    rule: str
    setting: str
    on: tuple[str, ...]
    off: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the switch as plain JSON."""
        return {"rule": self.rule, "setting": self.setting, "on": list(self.on), "off": list(self.off)}


def listed(names: Sequence[str]) -> str:
    """Return names in words: `a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
