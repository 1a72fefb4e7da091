"""`kernelpath pack show`: a pack's stages and rules, or one of them, as YAML or as the Python that runs."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.options import add_shared
from kernelpath.cli.packs import find, no_rules, pack_with_rules
from kernelpath.packs.generate import ModuleWriter, rule_function
from kernelpath.packs.model import Pack, Rule, Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("name", nargs="?", metavar="RULE", help="a rule, a stage or a decision; all, if left out")
    arguments.add("--python", action="store_true", help="the generated functions, as they run")
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Print what was asked for."""
    console = Console(options)
    pack = pack_with_rules(options.pack)
    if options.python:
        console.write(_python(pack, options.name))
        return 0
    found = find(pack, options.name) if options.name else list(pack.stages.values())
    if not console.is_text:
        from kernelpath.cli.values import json_text

        console.write(json_text(_members(pack, found)))
    elif isinstance(found, Stage):
        console.write(_stage(found))
    elif options.name:
        console.write("\n".join(_written(rule) for rule in found if isinstance(rule, Rule)))
    else:
        console.write(_overview(pack))
    return 0


def _overview(pack: Pack) -> str:
    """Return the stages in order, each with its rules."""
    rules = len(pack.rules())
    head = f"{pack.name}: {pack.summary}\n{rules} rules in {len(pack.stages)} stages, in evaluation order\n"
    extends = " > ".join(pack.chain)
    lines = [head + (f"extends {extends}\n" if len(pack.chain) > 1 else "")]
    return "\n".join([*lines, *(_stage(stage) for stage in pack.stages.values())])


def _stage(stage: Stage) -> str:
    lines = [f"{stage.name} (each {stage.scope}): {stage.doc}"]
    width = max((len(rule.name) for rule in stage.rules), default=0)
    for rule in stage.rules:
        decisions = f" [{', '.join(rule.decisions)}]" if rule.decisions else ""
        lines.append(f"  {rule.name.ljust(width)}  {rule.kind.ljust(10)}  {rule.summary}{decisions}")
    return "\n".join(lines) + "\n"


def _written(rule: Rule) -> str:
    """Return a rule as its author wrote it, below its place."""
    from kernelpath.cli.placing import pack_text

    return f"# {rule.identity}\n# {rule.place.file}\n{pack_text(rule.place.file) or ''}"


def _members(pack: Pack, found: list[Rule] | list[Stage] | Stage) -> dict[str, object]:
    stages = [found] if isinstance(found, Stage) else [stage for stage in found if isinstance(stage, Stage)]
    rules = [] if isinstance(found, Stage) else [rule for rule in found if isinstance(rule, Rule)]
    rules += [rule for stage in stages for rule in stage.rules]
    return {
        "pack": pack.name,
        "summary": pack.summary,
        "stages": [{"name": stage.name, "each": stage.scope, "doc": stage.doc} for stage in stages],
        "rules": [_rule_members(rule) for rule in rules],
    }


def _rule_members(rule: Rule) -> dict[str, object]:
    return {
        "rule": rule.identity,
        "kind": rule.kind,
        "each": rule.scope,
        "summary": rule.summary,
        "why": rule.why,
        "decisions": list(rule.decisions),
        "severity": rule.severity,
        "file": rule.place.file,
    }


def _python(pack: Pack, name: str | None) -> str:
    """Return the generated functions of a rule, the fused functions of a stage, or the whole module."""
    writer = ModuleWriter(pack)
    text = writer.write().text
    if name is None:
        return text
    found = find(pack, name)
    if isinstance(found, Stage):
        if not found.rules:
            raise no_rules(f"{pack.name}/{found.name}")
        wanted = [function for (stages, *_), (function, _) in writer.fused.items() if found.name in stages]
        return "\n\n".join(_functions(text, wanted, exact=True))
    blocks = []
    for rule in found:
        blocks.append(f"# {rule.identity}: {rule.summary}\n")
        blocks += _functions(text, [rule_function(rule) + "__"], exact=False)
    return "\n".join(blocks)


def _functions(text: str, names: list[str], exact: bool) -> list[str]:
    """Return the top-level functions with these names, or whose names begin with them."""
    blocks = []
    for block in ("\n" + text).split("\ndef ")[1:]:
        name = block[: block.index("(")]
        if name in names if exact else name.startswith(tuple(names)):
            blocks.append("def " + block.split("\n\n")[0].split("\n# ")[0].rstrip() + "\n")
    return blocks
