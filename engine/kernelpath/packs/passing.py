"""What holds of an item because of the checks that it passed before: in its stage, and in the stages in `after`.

An item that fails a check at severity `error` comes to no stage that is after that one; one that a check only warns
about goes on. Within a stage, a failure keeps the item from the rules that read what the check guards.
"""

from __future__ import annotations

from kernelpath.language import Checked
from kernelpath.packs.model import Check, Pack, Rule, Stage
from kernelpath.packs.reads import gives, rule_names

REQUEST = "request"
_ERROR = "error"


def rejects(rule: Rule) -> bool:
    """Return whether an item that fails the rule comes to no later stage."""
    return isinstance(rule, Check) and rule.severity == _ERROR


def guarantees(rule: Rule) -> list[Checked]:
    """Return what holds of an item that a rule did not reject: its condition, if it is asked for every item."""
    sure = rejects(rule) and rule.when is None and not rule.lets
    return [rule.holds.checked] if sure and isinstance(rule, Check) else []


def keeps_from(check: Rule, rule: Rule) -> bool:
    """Return whether a rule is not asked for an item that fails a check before it: it reads what that guards."""
    return isinstance(check, Check) and not set(check.guards).isdisjoint(rule.paths)


def known_before(pack: Pack, stage: Stage, rule: Rule) -> list[Checked]:
    """Return what holds of an item when a rule is asked about it, as it was when the pack was read."""
    found = [
        checked for earlier in passed_stages(pack, stage) for other in earlier.rules for checked in guarantees(other)
    ]
    for other in stage.rules:
        if other.identity == rule.identity:
            break
        found += guarantees(other) if keeps_from(other, rule) else []
    return found


def passed_stages(pack: Pack, stage: Stage) -> list[Stage]:
    """Return the stages over the same rows that a row has passed; the request as a whole has no rows."""
    named = [pack.stages[name] for name in stage.after if name in pack.stages]
    return [earlier for earlier in named if is_passed(earlier, stage.each[0])]


def needed_before(pack: Pack, stage: Stage, each: str) -> dict[str, frozenset[str]]:
    """Return the stages that a row of a table must have passed to come to one, each with what is read of it.

    They are those that the stage is after, and those that give what its rules read: of a row that failed one of them,
    what it gives is not known.
    """
    others = {name: other for name, other in pack.stages.items() if other is not stage and each in other.each}
    read = {name for rule in stage.rules for name in rule_names(rule)} - {gives(rule) for rule in stage.rules}
    found = {name: frozenset(read & other.gives.keys()) for name, other in others.items()}
    after = {name.partition(".")[0] for name in stage.after if name.partition(".")[2] in ("", each)}
    return {name: names for name, names in found.items() if names or name in after}


def is_passed(earlier: Stage, each: str | None) -> bool:
    """Return whether the rows of a stage that is after another one passed its checks: they were asked about each."""
    return each != REQUEST and each in earlier.each and earlier.when is None
