"""Evaluate one rule on one item by the functions generated from it, as the engine does where an item is at fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernelpath.analysis.testing.outcomes import Outcome, agrees
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.loading import compiled_pack
from kernelpath.evaluate.report import Report
from kernelpath.evaluate.slots import Slots
from kernelpath.packs.model import Pack, Rule


@dataclass(frozen=True, slots=True)
class CompiledRules:
    """The generated form of a pack, and the data of its scopes, also of those that no question asks."""

    pack: CompiledPack
    scopes: Mapping[str, Mapping[str, Any]]


def compile_rules(pack: Pack) -> CompiledRules:
    """Return the generated form of a pack that was read already."""
    compiled = compiled_pack(pack)
    return CompiledRules(compiled, compiled.meta["scopes"])


def evaluate_compiled(compiled: CompiledRules, rule: Rule, values: dict[str, object]) -> Outcome:
    """Return what the rule's compiled form does; `values` has all variables of its scope.

    A rule that does not apply and a check that holds are both told as a pass: the engine keeps no difference.
    """
    pack = compiled.pack
    data = next(found for found in pack.meta["stages"][rule.stage] if found["id"] == rule.identity)
    report, slots = Report(), Slots()
    walk = ItemWalk(pack, compiled.scopes[rule.scope], dict(values), set(), report, slots)
    walk.walk([data])
    if report.diagnostics:
        return _reported(rule, report)
    if data["kind"] == "transition" and slots.values:
        [(slot, value)] = slots.values.items()
        return Outcome("slot", {"slot": slot, "holds": value})
    if data["kind"] in ("resolve", "table"):
        name = data["variable"]
        parts = {"value": walk.environment[name], "source": walk.environment[f"source({name})"]}
        return Outcome("value", parts)
    return Outcome("pass")


def _reported(rule: Rule, report: Report) -> Outcome:
    [found] = report.diagnostics
    broken = f"rule `{rule.identity}` cannot be evaluated here: "
    if found.message.startswith(broken):
        return Outcome("error", {"error": found.message.removeprefix(broken)})
    at = None if found.document is None else f"{found.document}#{found.pointer or ''}"
    return Outcome("fail", {"fail": found.message, "subject": found.subject, "help": found.help, "at": at})


def same(meaning: Outcome, compiled: Outcome) -> bool:
    """Return whether the two forms of a rule agree in all that both say."""
    known = {name: value for name, value in meaning.parts.items() if name not in meaning.unknown}
    if meaning.kind == "skip":  # a rule that does not apply gives null, and a check says nothing
        return compiled.kind in ("pass", "value") and compiled.parts.get("value") is None
    if meaning.kind == "value" and "source" not in known:
        known["source"] = ""
    return agrees(Outcome(meaning.kind, known), compiled)
