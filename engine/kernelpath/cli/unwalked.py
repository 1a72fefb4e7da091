"""Say which of a pack's own rules the program at hand does not ask: they would seem to pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kernelpath.diagnostics import NOTE, WARNING, Diagnostic, Span
from kernelpath.evaluate.compiled import CompiledPack

NOT_WALKED = "cli/not-walked"
#: What makes a command judge by another program than `compile`.
HOW = {"apply": "`--runtime` with a runtime config judges by it", "contract": "`kernelpath.contract` asks it"}


def unwalked(pack: CompiledPack, program: str) -> list[Diagnostic]:
    """Return what is to be said of checks of the pack's own in stages that a program does not walk.

    In a pack that extends another, each stage is a warning: its author may know the stages of the other by name alone.
    A pack that extends none declares itself which of its programs walk what, so one note reminds of them all.
    """
    seen = walked(pack.meta["programs"], program)
    own = {
        stage: [rule for rule in rules if rule["kind"] == "check" and _is_own(pack, rule)]
        for stage, rules in pack.meta["stages"].items()
        if stage not in seen
    }
    missed = {stage: rules for stage, rules in own.items() if rules}
    if _extends(pack):
        return [_finding(pack, program, {stage: rules}, WARNING) for stage, rules in missed.items()]
    return [_finding(pack, program, missed, NOTE)] if missed else []


def walked(programs: Mapping[str, Any], program: str) -> set[str]:
    """Return the stages that a program walks, those of the programs that it calls included."""
    stages: set[str] = set()
    for entry in programs[program]["entries"] if program in programs else ():
        stages |= set(entry["stages"])
        if entry["verb"] == "call":
            stages |= walked(programs, entry["program"])
    return stages


def _is_own(pack: CompiledPack, rule: Mapping[str, Any]) -> bool:
    return str(rule["id"]).startswith(f"{pack.meta['name']}/")


def _extends(pack: CompiledPack) -> bool:
    return any(not _is_own(pack, rule) for rules in pack.meta["stages"].values() for rule in rules)


def _finding(
    pack: CompiledPack, program: str, missed: Mapping[str, list[Mapping[str, Any]]], severity: str
) -> Diagnostic:
    rules = [rule for each in missed.values() for rule in each]
    what = f"rule `{rules[0]['id']}` is" if len(rules) == 1 else f"{len(rules)} rules of pack `{pack.meta['name']}` are"
    stages = f"stage{'s' if len(missed) > 1 else ''} {_listed(missed)}"
    message = f"{what} not asked here: program `{program}` does not walk {stages}"
    place = Span(rules[0]["file"], rules[0]["line"], 1, rules[0]["line"], 1)
    return Diagnostic(NOT_WALKED, (), severity, message, span=place, help="; ".join(_help(pack, missed)))


def _help(pack: CompiledPack, stages: Iterable[str]) -> Iterator[str]:
    """Yield which programs walk the stages, and how to have those asked."""
    programs = pack.meta["programs"]
    names = [name for name in programs if not walked(programs, name).isdisjoint(stages)]
    yield f"asked by program{'s' if len(names) > 1 else ''} {_listed(names)}"
    yield from (HOW[name] for name in names if name in HOW)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
