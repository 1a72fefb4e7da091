"""Compare two files of answers to the same requests: what changes in verdicts, in values, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelpath.graph.documents import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Answer = Mapping[str, Any]

_MEMBERS = {"id": str, "ok": bool, "diagnostics": list}
_RULE_PARTS = 3  # pack, stage and rule


class NoAnswers(Exception):
    """A file that has something else than answers; the message says on which line."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A request that passes in one file and not in the other; `rules` are those that refuse it."""

    identity: str
    passes: bool
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """The first place, as a JSON pointer, at which two values differ; MISSING if there is nothing."""

    identity: str
    pointer: str
    old: Any
    new: Any


@dataclass(slots=True)
class RuleChange:
    """The requests to which a rule says something in one file only, or something else in each."""

    gained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Changes:
    """What differs between two files of answers."""

    compared: int = 0
    changed: int = 0
    only_old: list[str] = field(default_factory=list)
    only_new: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    rules: dict[str, RuleChange] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the files say the same."""
        return not (self.changed or self.only_old or self.only_new)


class Missing:
    """Stands for a member or an item that one of two values does not have."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()


def read_answers(content: bytes) -> dict[str, Answer]:
    """Return the answers of a file by their ids; raises NoAnswers for another line, or an id that is there twice."""
    answers: dict[str, Answer] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        value = read_json(f"line {number}", line).value
        if not isinstance(value, dict) or any(type(value.get(name)) is not kind for name, kind in _MEMBERS.items()):
            raise NoAnswers(f"line {number} is not an answer with `id`, `ok`, `value` and `diagnostics`")
        if not all(isinstance(found, dict) and isinstance(found.get("rule"), str) for found in value["diagnostics"]):
            raise NoAnswers(f"line {number} has a finding without `rule`")
        if value["id"] in answers:
            raise NoAnswers(f"line {number} has the id `{value['id']}`, which an earlier line has, too")
        answers[value["id"]] = value
    return answers


def compare(old: Mapping[str, Answer], new: Mapping[str, Answer]) -> Changes:
    """Return what differs between answers by id; rules go by stage and name, so that two packs can be compared."""
    changes = Changes()
    changes.only_old = [identity for identity in old if identity not in new]
    changes.only_new = [identity for identity in new if identity not in old]
    changes.compared = len(old) - len(changes.only_old)
    for identity, before in old.items():
        if identity in new and _compare_one(changes, identity, before, new[identity]):
            changes.changed += 1
    changes.rules = dict(sorted(changes.rules.items()))
    return changes


def _compare_one(changes: Changes, identity: str, old: Answer, new: Answer) -> bool:
    """Add what differs between two answers, and return whether anything does."""
    verdict, rules = old["ok"] != new["ok"], _compare_rules(changes, identity, old, new)
    if verdict:
        refused = old if new["ok"] else new
        rules_of = dict.fromkeys(_rule(each) for each in refused["diagnostics"] if each.get("severity") == "error")
        changes.verdicts.append(Verdict(identity, new["ok"], tuple(rules_of)))
    place = None if verdict else next(_differences(old.get("value"), new.get("value"), ""), None)
    if place is not None:
        changes.values.append(Value(identity, *place))
    return verdict or rules or place is not None


def _compare_rules(changes: Changes, identity: str, old: Answer, new: Answer) -> bool:
    before, after = _by_rule(old), _by_rule(new)
    differing = [rule for rule in {**before, **after} if before.get(rule) != after.get(rule)]
    for rule in differing:
        change = changes.rules.setdefault(rule, RuleChange())
        kind = change.gained if rule not in before else change.lost if rule not in after else change.other
        kind.append(identity)
    return bool(differing)


def _by_rule(answer: Answer) -> dict[str, list[Any]]:
    """Return what each rule says of a request, its findings in order, without the rule's own name."""
    found: dict[str, list[Any]] = {}
    for each in answer["diagnostics"]:
        found.setdefault(_rule(each), []).append({name: value for name, value in each.items() if name != "rule"})
    return found


def _rule(found: Mapping[str, Any]) -> str:
    """Return a rule by stage and name."""
    name: str = found["rule"]
    return name.split("/", 1)[1] if name.count("/") >= _RULE_PARTS - 1 else name


def _differences(old: Any, new: Any, pointer: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two JSON values differ; the order of members does not count, and 1 is 1.0 but not true."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            yield from _differences(old.get(name, MISSING), new.get(name, MISSING), place)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            before, after = (each[index] if index < len(each) else MISSING for each in (old, new))
            yield from _differences(before, after, f"{pointer}/{index}")
    elif isinstance(old, bool) is not isinstance(new, bool) or old != new:
        yield pointer, old, new
