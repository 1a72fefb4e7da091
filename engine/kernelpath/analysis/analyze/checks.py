"""Checks that never apply, never fail, repeat others, or cannot be satisfied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernelpath.analysis.analyze.findings import Finding, listed
from kernelpath.analysis.analyze.region import Outcomes, Region
from kernelpath.analysis.domain.search import Where
from kernelpath.packs.model import Check, Rule
from kernelpath.packs.passing import rejects

#: The findings that say where a rule applies, not what it does there.
OF_CONDITIONS = ("dead-rule", "switched-off")
_RANK = {"error": 2, "warning": 1, "note": 0}


def finding(region: Region, place: int, kind: str, message: str, reason: str, **more: object) -> Finding:
    """Return a finding about the rule at a place; one about when it applies stands at its condition."""
    rule = region.rules[place].rule
    at = rule.when.place if rule.when and kind in OF_CONDITIONS else rule.place
    return Finding(kind, rule.identity, rule.stage, at, message, reason, **more)  # type: ignore[arg-type]


def is_dead(region: Region, place: int) -> bool:
    """Return whether no item meets a rule's condition where it comes to the rule."""
    return region.is_empty(region.applies(place)) and region.proves(region.applies(place))


def dead(region: Region) -> Iterator[Finding]:
    """Find rules that never apply: by their own condition, or since earlier rules keep such items out."""
    for place in range(len(region.rules)):
        if not is_dead(region, place):
            continue
        own = Where().also(region.when[place])
        names, used = _stoppers(region, place, own)
        if names:
            message = f"the rule never applies: {listed(names)} stops every such item before"
            reason = region.reason([own, *used], "no item that meets its condition comes to it")
        else:
            message = "the rule never applies: its condition never holds"
            reason = region.reason([own if region.is_empty(own) else region.applies(place)], "it does not hold")
        yield finding(region, place, "dead-rule", message, reason, by=tuple(names))


def _stoppers(region: Region, place: int, wanted: Where) -> tuple[list[str], list[Where]]:
    """Return the checks before a place that guard a region's items from it; none if it is empty without them."""
    wanted = wanted.within(region.assumed)
    stops = [(other, region.own_fails(other)) for other in range(place) if region.guards(other, place)]
    found = region.cover(wanted, stops) if not region.is_empty(wanted) else None
    if found is None:
        return [], []
    return [_name(region, other) for other in found], [region.own_fails(other) for other in found]


def idle(region: Region) -> Iterator[Finding]:
    """Find checks that apply and can never fail."""
    for place in region.checks():
        if is_dead(region, place) or not region.is_empty(region.fails(place)) or not region.proves(region.fails(place)):
            continue
        own = region.own_fails(place)
        names, used = _stoppers(region, place, own)
        kind = "shadowed-rule" if names else "idle-check"
        message = f"{listed(names)} stops every item that would fail the check" if names else "the check can never fail"
        decided = [own, *used] if names or region.is_empty(own) else [region.fails(place)]
        yield finding(region, place, kind, message, region.reason(decided, "it does not fail"), by=tuple(names))


def _name(region: Region, place: int) -> str:
    return region.rules[place].rule.identity


def shadowed(region: Region, unsatisfied: Sequence[Finding]) -> Iterator[Finding]:
    """Find checks whose every failure is a failure of another check, or of one of several others.

    Of rules that fail for the same items the later one is found. A rule that guards others is never found: it keeps its
    items from them. Rules that cannot be satisfied together, which are found already, repeat every other one,
    and so nothing is said of rules that only they repeat.
    """
    remaining = [place for place in region.checks() if not region.is_empty(region.fails(place))]
    for place in reversed(list(remaining)):
        if region.is_guard(place):
            continue
        fails = region.fails(place)
        others = [
            (other, region.fails(other)) for other in remaining if other != place and _outranks(region, other, place)
        ]
        by = region.cover(fails, others)
        if by is None:
            continue
        names = {_name(region, other) for other in by}
        if any({found.rule, *found.by} <= names for found in unsatisfied):
            continue
        if region.proves(fails, *(region.fails(other) for other in by)):
            remaining.remove(place)
            yield _shadow(region, place, by)


def _outranks(region: Region, other: int, place: int) -> bool:
    """Return whether a failure of one check counts for at least as much as one of another."""
    one, two = region.rules[other].rule, region.rules[place].rule
    assert isinstance(one, Check)
    assert isinstance(two, Check)
    return _RANK[one.severity] >= _RANK[two.severity] and set(one.tags) >= set(two.tags)


def _shadow(region: Region, place: int, by: Sequence[int]) -> Finding:
    rules = [region.rules[other].rule for other in by]
    rule, names = region.rules[place].rule, [other.identity for other in rules]
    whole = "" if len(by) == 1 else "one of "
    message = f"whatever fails the check fails {whole}{listed(names)} too"
    regions = [region.fails(place), *(region.fails(other) for other in by)]
    reason = region.reason(regions, f"it does not fail without {'that one' if len(by) == 1 else 'one of them'}")
    witness = region.witness(
        region.fails(place), lambda found: _failed(found, rule) and any(_failed(found, o) for o in rules)
    )
    return finding(region, place, "shadowed-rule", message, reason, by=tuple(names), witness=witness)


def _failed(found: Outcomes, rule: Rule) -> bool:
    return rule.name in found and found[rule.name].kind == "fail"


def contradictions(region: Region) -> Iterator[Finding]:
    """Find pairs of checks that apply to some item, each of which can be satisfied there, but never both."""
    places = [place for place in region.checks() if not region.is_empty(region.applies(place))]
    supports = {place: region.search.support(region.holds[place]) for place in places}
    for at, second in enumerate(places):
        for first in places[:at]:
            if not supports[first].isdisjoint(supports[second]) and _contradict(region, first, second):
                yield _contradiction(region, first, second)


def _together(region: Region, first: int, second: int) -> tuple[Where, Where]:
    """Return where both of two rules apply, in two parts: their own conditions, and what brings an item to them."""
    return Where().also(region.when[first], region.when[second]), region.reached[first].within(region.reached[second])


def _contradict(region: Region, first: int, second: int) -> bool:
    own, reached = _together(region, first, second)
    both = own.also(region.holds[first], region.holds[second])
    where = both.within(region.search.relevant(reached, both))
    if not region.is_empty(where) or not region.proves(where):
        return False
    whole = own.within(reached)
    return all(not region.is_empty(whole.also(region.holds[place])) for place in (first, second))


def _contradiction(region: Region, first: int, second: int) -> Finding:
    rules = [region.rules[first].rule, region.rules[second].rule]
    own, reached = _together(region, first, second)
    message = f"no item to which {listed([rules[0].identity])} applies too can satisfy both"
    both = own.also(region.holds[first], region.holds[second])
    reason = region.reason([both if region.is_empty(both) else both.within(reached)], "both do not hold")
    satisfied = own.within(reached).also(region.holds[first])
    witness = region.witness(satisfied, lambda found: not _failed(found, rules[0]) and _failed(found, rules[1]))
    return finding(region, second, "contradiction", message, reason, by=(rules[0].identity,), witness=witness)


def impossible(region: Region) -> list[Finding]:
    """Find a stage that no item can pass, though any two of its checks can be satisfied."""
    places = [place for place in region.checks() if rejects(region.rules[place].rule)]
    rejected = {place: region.own_fails(place) for place in places}
    if not places or region.is_empty(region.assumed) or not region.is_empty(region.assumed, [*rejected.values()]):
        return []
    if not region.proves(region.assumed, *rejected.values()):
        return []
    needed = region.cover(region.assumed, [*rejected.items()]) or places
    names = [_name(region, place) for place in needed]
    message = f"no item can pass {'all of ' if len(names) > 1 else ''}{listed(names)}"
    reason = region.reason([rejected[place] for place in needed], "all do not hold")
    return [finding(region, needed[-1], "impossible-stage", message, reason, by=tuple(names[:-1]))]
