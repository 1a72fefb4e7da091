"""Say which of a pack's own rules the question at hand does not ask: they would seem to pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kernelpath.diagnostics import NOTE, WARNING, Diagnostic, Span
from kernelpath.evaluate.compiled import CompiledPack

NOT_ASKED = "cli/not-asked"


def not_asked(pack: CompiledPack, question: str) -> list[Diagnostic]:
    """Return what is to be said of checks of the pack's own in stages that a question does not ask.

    In a pack that extends another, each stage is a warning: its author may know the stages of the other by name alone.
    A pack that extends none declares itself which of its questions ask what, so one note reminds of them all.
    """
    seen = asked_stages(pack.meta["questions"], question)
    own = {
        stage: [rule for rule in rules if rule["kind"] == "check" and _is_own(pack, rule)]
        for stage, rules in pack.meta["stages"].items()
        if stage not in seen
    }
    missed = {stage: rules for stage, rules in own.items() if rules}
    if _extends(pack):
        return [_finding(pack, question, {stage: rules}, WARNING) for stage, rules in missed.items()]
    return [_finding(pack, question, missed, NOTE)] if missed else []


def asked_stages(questions: Mapping[str, Any], question: str) -> set[str]:
    """Return the stages that a question asks, those of the questions that it asks itself included."""
    data = questions.get(question, {"gate": (), "steps": ()})
    stages: set[str] = set()
    for step in (*data["gate"], *data["steps"]):
        if step["kind"] in ("stages", "pass"):
            stages |= set(step["stages"])
        if step["kind"] == "value" and step["ask"]:
            stages |= asked_stages(questions, step["ask"][0])
    return stages


def _is_own(pack: CompiledPack, rule: Mapping[str, Any]) -> bool:
    return str(rule["id"]).startswith(f"{pack.meta['name']}/")


def _extends(pack: CompiledPack) -> bool:
    return any(not _is_own(pack, rule) for rules in pack.meta["stages"].values() for rule in rules)


def _finding(
    pack: CompiledPack, question: str, missed: Mapping[str, list[Mapping[str, Any]]], severity: str
) -> Diagnostic:
    rules = [rule for each in missed.values() for rule in each]
    what = f"rule `{rules[0]['id']}` is" if len(rules) == 1 else f"{len(rules)} rules of pack `{pack.meta['name']}` are"
    stages = f"stage{'s' if len(missed) > 1 else ''} {_listed(missed)}"
    message = f"{what} not asked here: question `{question}` does not ask {stages}"
    place = Span(rules[0]["file"], rules[0]["line"], 1, rules[0]["line"], 1)
    return Diagnostic(NOT_ASKED, (), severity, message, span=place, help=_help(pack, missed))


def _help(pack: CompiledPack, stages: Iterable[str]) -> str:
    """Return which questions ask the stages."""
    questions = pack.meta["questions"]
    names = [name for name in questions if not asked_stages(questions, name).isdisjoint(stages)]
    return f"asked by question{'s' if len(names) > 1 else ''} {_listed(names)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
