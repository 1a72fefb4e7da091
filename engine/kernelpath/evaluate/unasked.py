"""Which checks a run did not ask, because of the errors of others: what is not found there may yet be wrong.

An item that fails a stage is not taken through the stages behind it, and an entry whose stages or values are missing is
passed over. That keeps one fault from being reported many times, but it also hides what the rules behind it would say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Rules = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unasked:
    """Checks that were not asked, and the rules because of whose errors they were not.

    `subjects` are the items that they were not asked about; none, if they were not asked at all. `onwards` says that
    what depends on these items was not looked at in full either.
    """

    checks: Rules
    because: Rules
    subjects: tuple[str, ...] = ()
    onwards: bool = False


def together(found: Iterable[Unasked]) -> list[Unasked]:
    """Return one account for the items that the same rules kept others from, and one of what was not asked at all."""
    groups: dict[Rules | None, list[Unasked]] = {}
    for one in found:
        groups.setdefault(one.because if one.subjects else None, []).append(one)
    return [_joined(group) for group in groups.values()]


def _joined(group: Sequence[Unasked]) -> Unasked:
    checks, because, subjects = (
        _distinct(name for one in group for name in getattr(one, part)) for part in ("checks", "because", "subjects")
    )
    return Unasked(checks, because, subjects, any(one.onwards for one in group))


def checks_of(stages: Iterable[Sequence[Mapping[str, Any]]]) -> Rules:
    """Return the checks among the rules of stages."""
    return tuple(rule["id"] for rules in stages for rule in rules if rule["kind"] == "check")


class Account:
    """Follows, after a run, what was missing to the errors that are behind it."""

    def __init__(self, errors: Iterable[tuple[str, str]], missing: Iterable[str]) -> None:
        """Begin with the errors, each a rule and its stage, and the values that were never set."""
        self.missing = set(missing)
        self.stages: dict[str, dict[str, None]] = {}
        self.values: dict[str, dict[str, None]] = {}
        for rule, stage in errors:
            self.stages.setdefault(stage, {})[rule] = None

    def take(self, entry: Mapping[str, Any], passed_over: bool) -> Rules:
        """Follow one entry, in the order of the program; return why it was passed over, if it was."""
        why: dict[str, None] = {}
        if passed_over:
            for stage in entry["needs"]:
                why |= self.stages.get(stage, {})
            for name in sorted(entry["reads"]):
                why |= self.values.get(name, {})
        for stage in entry["stages"]:
            self.stages[stage] = self.stages.get(stage, {}) | why
        own = why if passed_over else self._own(entry)
        for name in targets(entry):
            if passed_over or name in self.missing:
                self.values[name] = self.values.get(name, {}) | own
        return tuple(why)

    def _own(self, entry: Mapping[str, Any]) -> dict[str, None]:
        """Return the errors because of which an entry that ran may have set nothing."""
        why: dict[str, None] = {}
        for stage in (*entry["stages"], *entry.get("walked", ()), entry["label"]):
            why |= self.stages.get(stage, {})
        return why


def targets(entry: Mapping[str, Any]) -> set[str]:
    """Return the values that an entry of a compiled program sets."""
    found = {name for name, _ in entry.get("terms", ())}
    for key in ("collect", "keep"):
        found |= {name for name, _ in entry.get(key, ())}
    into = entry.get("into") or ()
    found |= {into} if isinstance(into, str) else {name for name, _ in into}
    return found | {entry[key] for key in ("decision", "decisions", "slots") if entry.get(key)}


def _distinct(names: Iterable[str]) -> Rules:
    return tuple(dict.fromkeys(names))
