"""`kernelpath explain RULE`: what a rule decides, why it is there, how it is tested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelpath.cli.console import Console
from kernelpath.cli.finding_packs import refused
from kernelpath.cli.inputs import unusable
from kernelpath.cli.options import DEFAULT_PACK
from kernelpath.cli.packs import find, no_rules, pack_model
from kernelpath.packs.files import TEST_SUFFIX, PackErrors, pack_folder, read_node
from kernelpath.packs.model import Check, Pack, Resolve, Rule, Stage, Table, Transition
from kernelpath.packs.nodes import to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace


def run_rule(options: Namespace) -> int:
    """Print what there is to say about the rules that a name stands for."""
    console = Console(options)
    name = options.pack or DEFAULT_PACK
    pack = pack_model(name)
    if Path(options.subject).is_file():
        message = f"`{options.subject}` is a file: which of its items?"
        raise unusable("cli/usage", message, help_text="kernelpath explain FILE ITEM[.FIELD]")
    found = find(pack, options.subject)
    rules = list(found.rules) if isinstance(found, Stage) else found
    if not rules:
        raise no_rules(f"{pack.name}/{options.subject}")
    if console.is_text:
        pages = ("".join(f"{line}\n" for line in rule_lines(pack, rule, name)) for rule in rules)
        console.write("\n".join(pages))
        return 0
    from kernelpath.cli.values import json_text

    console.write(json_text([rule_members(pack, rule, name) for rule in rules]))
    return 0


def rule_lines(pack: Pack, rule: Rule, pack_name: str) -> Iterator[str]:
    """Yield a rule's page as lines of text."""
    yield f"{rule.identity} ({rule.place.file})"
    yield f"  {rule.summary}"
    yield ""
    yield from (f"  {line}" for line in rule.why.rstrip().splitlines())
    yield ""
    yield f"  decisions  {', '.join(rule.decisions) or 'none'}"
    yield f"  looked at  for each {rule.scope}, in stage {rule.stage}: {pack.stages[rule.stage].doc}"
    for name, text in expressions(rule):
        yield f"  {name.ljust(9)}  {text}"
    tests = rule_tests(rule, pack_name)
    yield f"  tests      {len(tests)}" if tests else "  tests      none"
    for name, outcome in tests:
        yield f"    {name}: {outcome}"


def rule_members(pack: Pack, rule: Rule, pack_name: str) -> dict[str, Any]:
    """Return a rule's page as plain JSON."""
    return {
        "rule": rule.identity,
        "file": rule.place.file,
        "kind": rule.kind,
        "summary": rule.summary,
        "why": rule.why.rstrip(),
        "decisions": list(rule.decisions),
        "severity": rule.severity if isinstance(rule, Check) else None,
        "stage": rule.stage,
        "each": rule.scope,
        "expressions": [{"name": name, "text": text} for name, text in expressions(rule)],
        "tests": [{"name": name, "expect": outcome} for name, outcome in rule_tests(rule, pack_name)],
    }


def expressions(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield what a rule is made of: the name of each part, and its text on one line."""
    for name, term in rule.lets:
        yield "let", f"{name} = {_flat(term.text)}"
    if rule.when:
        yield "when", _flat(rule.when.text)
    match rule:
        case Check():
            yield "check", _flat(rule.holds.text)
            yield rule.severity, _flat(rule.message.text)
            if rule.help:
                yield "help", _flat(rule.help.text)
        case Resolve():
            for number, candidate in enumerate(rule.candidates, 1):
                condition = f" if {_flat(candidate.when.text)}" if candidate.when else ""
                start = f"{rule.variable}: " if number == 1 else f"else {rule.variable}: "
                yield "gives", f"{start}{_flat(candidate.value.text)}{condition}"
        case Transition():
            yield "slot", _flat(rule.slot.text)
            yield "holds", _flat(rule.value.text)
        case Table():
            yield from _rows(rule)


def _rows(rule: Table) -> Iterator[tuple[str, str]]:
    yield "gives", f"{rule.variable} (hit policy {rule.hit})" + (f", over {_flat(rule.base.text)}" if rule.base else "")
    for row in rule.rows:
        condition = f" if {_flat(row.when.text)}" if row.when else ""
        path = f"{'.'.join(row.path)}: " if row.path else ""
        yield "row", f"{path}{_flat(row.value.text)}{condition}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def rule_tests(rule: Rule, pack_name: str) -> list[tuple[str, str]]:
    """Return the name and the expected outcome of each test case that lies beside a rule."""
    pack = rule.identity.split("/")[0]
    folder = pack_folder(pack_name)
    path = (folder if folder.name == pack else folder.parent / pack) / rule.stage / f"{rule.name}{TEST_SUFFIX}"
    if not path.exists():
        return []
    try:
        found = to_plain(read_node(path, within=path.parent.parent))
    except PackErrors as errors:
        raise refused(errors) from None
    cases = found.get("cases") if isinstance(found, dict) else None
    listed = [case for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    return [(str(case.get("name")), _outcome(case.get("expect"))) for case in listed]


def _outcome(expected: Any) -> str:
    """Return what a case expects, in a line."""
    if not isinstance(expected, dict):
        return str(expected)
    if "fail" in expected:
        return f"fails: {expected['fail']}"
    return ", ".join(f"{key} {value}" for key, value in expected.items())
