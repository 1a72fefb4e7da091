"""What a report says besides its findings: what passed, what was not asked, and what the rules are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Rules that were not asked about a document, or about some of its items, because of what others found.

    `message` says so in words; `rules` and `because` are identities of rules, `subjects` the items, none for all.
    """

    message: str
    document: str
    rules: tuple[str, ...]
    because: tuple[str, ...]
    subjects: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return the account as plain JSON, without members that do not apply."""
        members: dict[str, object] = {
            "message": self.message,
            "document": self.document,
            "rules": list(self.rules),
            "because": list(self.because),
            "subjects": list(self.subjects) or None,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a rule says of itself, whatever it finds: what it holds, in a line, and why."""

    summary: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """What there is to report besides findings; `passed` names what was looked at and is clean."""

    passed: tuple[str, ...] = ()
    not_asked: tuple[NotAsked, ...] = ()
    rules: Mapping[str, RuleText] = field(default_factory=dict)
