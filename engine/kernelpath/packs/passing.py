"""What holds of an item because of the checks that it passed before: in its stage, and in the stages in `after`.

Within a stage, a failure of a check with `stop` keeps the later rules from an item, whatever the check's severity.
Between stages, nothing but an error does: an item that a check only warns about goes on. Where one walk takes items
through both stages, an item that was stopped stays so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

from kernelpath.language import Checked
from kernelpath.packs.model import Check, Pack, Rule, Scope, Stage
from kernelpath.packs.reads import gives

Settings = Mapping[str, Any]
#: The keys under which an entry names the values that it sets.
TARGETS = ("collect", "keep", "into", "decision", "decisions")
_ERROR = "error"
_ONCE = ""
#: Of longer programs the rest is not followed.
_MOST_ENTRIES = 10_000


def rejects(rule: Rule) -> bool:
    """Return whether an item that fails the rule comes to no later stage."""
    return isinstance(rule, Check) and rule.severity == _ERROR


def quiets(rule: Rule) -> bool:
    """Return whether a failure keeps the later rules of the stage from an item that still comes to later stages."""
    return isinstance(rule, Check) and rule.stop and not rejects(rule)


def guarantees(rule: Rule) -> list[Checked]:
    """Return what holds of an item where later rules of the same stage look at it."""
    sure = isinstance(rule, Check) and rule.stop and rule.when is None and not rule.lets
    return [rule.holds.checked] if sure and isinstance(rule, Check) else []


def lasting(rules: Iterable[Rule], passage: Passage, again: Set[str]) -> list[Checked]:
    """Return what holds of an item in a later stage because of the rules of a stage that it passed.

    A variable that several rules give, those in `again`, may have another value there.
    """
    asked = takewhile(lambda rule: passage.together or not quiets(rule), rules)
    known = [checked for rule in asked if passage.keeps_out(rule) for checked in guarantees(rule)]
    kept = [checked for checked in known if passage.keeps(checked.variables | checked.sources)]
    return [checked for checked in kept if again.isdisjoint(checked.variables | checked.sources)]


def known_before(pack: Pack, stage: Stage, rule: Rule) -> list[Checked]:
    """Return what holds of an item where a rule looks at it, as it was when the pack was read."""
    ways, scope = passages(pack), pack.scopes[stage.scope]
    again = given_again(pack, scope)
    found = [checked for other in stage.rules if other.order < rule.order for checked in guarantees(other)]
    for name in stage.after:
        found += lasting(pack.stages[name].rules, ways.between(name, stage.name, scope), again)
    return found


def given_again(pack: Pack, scope: Scope) -> frozenset[str]:
    """Return the variables of a scope that rules of several stages give."""
    given = Counter(gives(rule) for rule in pack.rules() if rule.scope == scope.name)
    return frozenset(name for name, count in given.items() if name and count > 1)


@dataclass(frozen=True, slots=True)
class Passage:
    """How items come from one stage to a later one in every program: `sure` says that all of them passed the first.

    `together` says that one entry always walks both, so that the variables which the first stage gives are those of
    the second. `changed` are the variables that may have another value in the second stage.
    """

    sure: bool = True
    together: bool = True
    changed: frozenset[str] = frozenset()

    def keeps_out(self, rule: Rule) -> bool:
        """Return whether an item that fails a rule of the first stage does not come to the second."""
        return self.sure and (rejects(rule) or (self.together and isinstance(rule, Check) and rule.stop))

    def keeps(self, names: Iterable[str]) -> bool:
        """Return whether variables have the values that they had in the first stage."""
        return self.changed.isdisjoint(names)

    def joined(self, other: Passage) -> Passage:
        """Return what holds of both passages."""
        return Passage(self.sure and other.sure, self.together and other.together, self.changed | other.changed)


@dataclass(frozen=True, slots=True)
class Passages:
    """Follows items through the entries of programs.

    `flows` are the stages of the flows; `partial` those of flows that need not visit every item.
    """

    programs: Sequence[Sequence[Settings]]
    flows: Mapping[str, str]
    partial: frozenset[str]

    def between(self, first: str, second: str, scope: Scope) -> Passage:
        """Return how items come from one stage to a later one of the same scope, or to a record that is read of them.

        A record goes by `read NAME`.
        """
        found = [one for entries in self.programs for one in _Following(first, second, scope, self.flows).all(entries)]
        if not found:
            flowing = not {first, second}.isdisjoint(self.flows.values())
            found = [_apart(scope, frozenset()) if flowing else Passage()]
        if first in self.partial:
            found.append(Passage(sure=False))
        result = found[0]
        for passage in found[1:]:
            result = result.joined(passage)
        return result


def passages(pack: Pack) -> Passages:
    """Return the passages of a pack that is read."""
    programs = [[entry.settings for entry in program.entries] for program in pack.programs.values()]
    flows = pack.flows.values()
    partial = frozenset(flow.stage for flow in flows if flow.visits or flow.parts)
    return Passages(programs, {flow.name: flow.stage for flow in flows}, partial)


def declared_passages(programs: Iterable[Any], fragments: Mapping[str, Any], flows: Mapping[str, Any]) -> Passages:
    """Return the passages of what pack.yaml declares, as plain values, before any of it is read."""
    run = [list(islice(_included(program["run"], fragments, ()), _MOST_ENTRIES)) for program in programs]
    partial = frozenset(flow["stage"] for flow in flows.values() if "visits" in flow or "parts" in flow)
    return Passages(run, {name: flow["stage"] for name, flow in flows.items()}, partial)


def _included(run: Iterable[Any], fragments: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Settings]:
    """Yield the entries of a list and of the fragments that it includes; wrong includes are reported elsewhere."""
    for entry in run:
        name = entry.get("include")
        if name is None:
            yield entry
        elif name not in path:
            yield from _included(fragments.get(name, ()), fragments, (*path, name))


def _apart(scope: Scope, changed: frozenset[str]) -> Passage:
    """Return the passage of items that two entries walk: what a walk gives or sets is not that of the other."""
    return Passage(True, False, changed | scope.given.keys() | scope.locals.keys())


@dataclass(slots=True)
class _Following:
    """Follows the items of one program: under which conditions they passed the first stage, and what changed since.

    A condition is the text of an entry's `when`, None for none, and `_ONCE` for one that no later entry can have.
    `stale` values changed under a condition after the first stage was walked; they are fresh again once it was walked
    under the same condition.
    """

    first: str
    second: str
    scope: Scope
    flows: Mapping[str, str]
    passed: set[str | None] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    stale: dict[str, set[str]] = field(default_factory=dict)

    def all(self, entries: Sequence[Settings]) -> Iterator[Passage]:
        """Yield a passage for each entry that takes items to the second stage."""
        for entry in entries:
            stages = self._stages(entry)
            if self.second in stages:
                yield self._passage(entry, stages[: stages.index(self.second)])
            if self.first in stages:
                self._walk(entry)
            self._change(entry)

    def _stages(self, entry: Settings) -> list[str]:
        if "flow" in entry:
            return [self.flows.get(str(entry["flow"]), "")]
        if "read" in entry:
            return [f"read {entry['read']}"]
        named = entry.get("walk", [])
        return [str(name) for name in named] if isinstance(named, list) else [str(named)]

    def _passage(self, entry: Settings, before: Sequence[str]) -> Passage:
        if self.first in before:
            return Passage()
        sure = not self.passed.isdisjoint({None, _condition(entry)}) and self.lists == {_list(entry)}
        return _apart(self.scope, self._changed()).joined(Passage(sure=sure))

    def _changed(self) -> frozenset[str]:
        changed = frozenset(name for name, conditions in self.stale.items() if conditions)
        over, item, index = self.scope.over, self.scope.item, self.scope.index
        if over is None or changed.isdisjoint(over.checked.variables):
            return changed
        return changed | {name for name in (item, index) if name}

    def _walk(self, entry: Settings) -> None:
        self.passed.add(_condition(entry))
        self.lists.add(_list(entry))
        for name, conditions in self.stale.items():
            self.stale[name] = conditions - {_condition(entry)} if _condition(entry) else set()

    def _change(self, entry: Settings) -> None:
        targets, own = list(targets_of(entry)), _condition(entry)
        conditions = {own, *self.passed, *(condition for found in self.stale.values() for condition in found)}
        changed = {one for one in conditions if one and any(name in one for name in targets)}
        self.passed -= changed
        for name, found in self.stale.items():
            self.stale[name] = {_ONCE if condition in changed else condition for condition in found}
        for name in targets:
            self.stale.setdefault(name, set()).add(own if own and own not in changed else _ONCE)


def _condition(entry: Settings) -> str | None:
    return str(entry["when"]) if "when" in entry else None


def _list(entry: Settings) -> str:
    """Return the list that an entry goes over: a flow names its own, a walk has that of the scope."""
    return str(entry["over"]) if "flow" in entry else ""


def targets_of(entry: Settings) -> Iterator[str]:
    """Yield the values that an entry sets."""
    for key in ("set", *TARGETS):
        target = entry.get(key)
        if isinstance(target, Mapping):
            yield from (str(name) for name in target)
        elif isinstance(target, str):
            yield target
