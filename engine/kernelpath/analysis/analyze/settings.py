"""Which settings switch which rules off.

A setting is a member of a vocabulary's type in a record that a value holds for a whole request.
"""

from __future__ import annotations

from kernelpath.analysis.analyze.checks import finding, is_dead
from kernelpath.analysis.analyze.findings import Finding, Switch
from kernelpath.analysis.analyze.region import Region
from kernelpath.analysis.domain.formulas import Leaf
from kernelpath.analysis.domain.search import Where
from kernelpath.language.types import Record, Vocabulary, required
from kernelpath.packs.model import Pack


def _settings(region: Region) -> list[Leaf]:
    """Return the leaves that are settings."""
    pack = region.formulas.pack
    return [leaf for leaf in region.domain.by_level.values() if _is_setting(leaf, pack)]


def _is_setting(leaf: Leaf, pack: Pack) -> bool:
    owner = required(leaf.parent.type) if leaf.parent else None
    if not isinstance(owner, Record) or not isinstance(required(leaf.type), Vocabulary):
        return False
    return any(value.fields and value.type == owner for value in pack.values.values())


def switches(region: Region) -> tuple[list[Switch], list[Finding]]:
    """Return which rules a setting switches, and as findings those that are off under each of its declared values."""
    found: list[Switch] = []
    never: list[Finding] = []
    for leaf in _settings(region):
        assert leaf.level is not None
        for place, rules in enumerate(region.rules):
            applies = region.applies(place)
            if leaf.level not in region.search.support(region.when[place]) or is_dead(region, place):
                continue
            off = {value for at, value in enumerate(leaf.choices) if region.is_empty(_under(region, leaf, at, applies))}
            if not region.proves(applies):
                continue
            found += _switch(rules.rule.identity, leaf, off)
            never += _never(region, place, leaf, off, applies)
    return found, never


def _under(region: Region, leaf: Leaf, choice: int, where: Where) -> Where:
    diagrams = region.domain.diagrams
    assert leaf.level is not None
    chosen = tuple(diagrams.true if at == choice else diagrams.false for at in range(len(leaf.choices)))
    return where.also(diagrams.node(leaf.level, chosen))


def _declared(leaf: Leaf) -> tuple[str, ...]:
    vocabulary = required(leaf.type)
    assert isinstance(vocabulary, Vocabulary)
    return vocabulary.values


def _switch(rule: str, leaf: Leaf, off: set[object]) -> list[Switch]:
    declared = _declared(leaf)
    others = [value for value in leaf.choices if value not in declared]
    names = [*declared, *(["any other value"] if others else [])]
    states = [value in off for value in declared] + ([all(value in off for value in others)] if others else [])
    if not any(states):
        return []
    on = tuple(name for name, is_off in zip(names, states, strict=True) if not is_off)
    return [Switch(rule, leaf.name, on, tuple(name for name, is_off in zip(names, states, strict=True) if is_off))]


def _never(region: Region, place: int, leaf: Leaf, off: set[object], applies: Where) -> list[Finding]:
    if not all(value in off for value in _declared(leaf)):
        return []
    message = f"the rule never applies under a declared value of `{leaf.name}`"
    return [
        finding(region, place, "switched-off", message, region.reason([applies], "it applies under no declared value"))
    ]
