"""Refuse programs that read a value before it is set, and walks in which nothing gives what a rule reads.

Such an entry would be passed over in silence, rules and all, and an item's faults with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, Span, did_you_mean
from kernelpath.packs.model import Check, Entry, Flow, Pack, Place, Program, Rule, Scope, Stage, Term, Text
from kernelpath.packs.reads import gives, terms_of

Read = tuple[str, Place]

#: The values that the engine gives every program, whatever its inputs are.
SHARED = frozenset({"catalog", "presets"})


def gaps(pack: Pack) -> list[Diagnostic]:
    """Return what the programs of a pack read that is not there when they read it."""
    given = {name: place for program in pack.programs.values() for name, place in _unset(pack, program)}
    programs = pack.programs.values()
    others = [found for program in programs for check in (_ungiven, _unwalked) for found in check(pack, program)]
    distinct = {(found.span, found.message): found for found in others}
    return [*given.values(), *distinct.values(), *_unjudged(pack)]


def idle(pack: Pack) -> list[Diagnostic]:
    """Return the stages with rules of the pack's own at which no program ever looks; those it extends may lie idle.

    A pack whose rules are only tested may have such stages; one that runs may not.
    """
    entries = [entry for program in pack.programs.values() for entry in program.entries]
    alive = {stage.name for entry in entries for stage in walked(pack, entry)[0]}
    stages = [stage for stage in pack.stages.values() if any(_is_own(pack, rule) for rule in stage.rules)]
    message, help_text = "no program walks stage `{}`, so its rules are never asked", "walk it in a program"
    return [
        _fault("pack/stage", message.format(stage.name), stage.place, help_text)
        for stage in stages
        if stage.name not in alive
    ]


def _is_own(pack: Pack, rule: Rule) -> bool:
    return rule.identity.startswith(f"{pack.name}/")


def _unjudged(pack: Pack) -> Iterator[Diagnostic]:
    """Yield the rules that turn a verdict that no program gives."""
    entries = [entry for program in pack.programs.values() for entry in program.entries if entry.verb == "judge"]
    known: set[Any] = {name for entry in entries for name in entry.settings["judge"]}  # type: ignore[attr-defined]
    for rule in pack.rules():
        named = zip(rule.verdicts, rule.verdict_places, strict=True) if isinstance(rule, Check) else ()
        for name, place in named if _is_own(pack, rule) else ():
            if name not in known:
                near = did_you_mean(name, known)
                help_text = f"did you mean `{near}`?" if near else "name it under `judge` in a program"
                yield _fault("pack/verdict", f"no program gives a verdict `{name}`", place, help_text)


def ungiven(pack: Pack) -> Iterator[Diagnostic]:
    """Yield the places at which programs read a value that nothing gives: no input, no entry, and not the engine.

    A pack whose rules are only tested may have such values; one that runs may not.
    """
    missing = outside(pack) - SHARED
    help_text = f"set it in an entry, or take it as an input; the engine gives {', '.join(sorted(SHARED))}"
    found: dict[str, Place] = {}
    for program in pack.programs.values():
        for entry in program.entries:
            for name, place in reads(pack, entry):
                if name in missing:
                    found.setdefault(name, place)
    for name, place in found.items():
        yield _fault("pack/order", f"nothing gives `{name}`, which is read here", place, help_text)


def outside(pack: Pack) -> frozenset[str]:
    """Return the values that nothing in the pack sets, so that whoever runs a program must."""
    programs = pack.programs.values()
    inputs = {name for program in programs for name in program.inputs}
    set_ = {name for program in programs for entry in program.entries for name in targets(entry)}
    return frozenset(pack.values.keys() - pack.constants.keys() - inputs - set_)


def targets(entry: Entry) -> set[str]:
    """Return the values that an entry sets."""
    found: set[str] = set(entry.terms) if entry.verb == "set" else set()
    for key in ("collect", "keep", "into", "decision", "decisions"):
        target = entry.settings.get(key)
        if isinstance(target, Mapping):
            found |= set(target)
        elif isinstance(target, str):
            found.add(target)
    return found


def _unset(pack: Pack, program: Program) -> Iterator[tuple[tuple[str, Place], Diagnostic]]:
    """Yield each place that reads a value too early, with what is to be said there."""
    there = {*program.inputs, *pack.constants, *outside(pack)}
    later = {name for entry in program.entries for name in targets(entry)}
    for entry in program.entries:
        for name, place in reads(pack, entry):
            if name not in there:
                when = "before it is set" if name in later else "but is never set"
                message = f"program `{program.name}` reads `{name}` here {when}"
                yield (name, place), _fault("pack/order", message, place, f"by its entry `{entry.verb}: {entry.name}`")
        there |= targets(entry)
    for name, place in _of_terms([program.value]):
        if name not in there:
            message = f"program `{program.name}` gives `{name}`, which is never set"
            yield (name, place), _fault("pack/order", message, place)


def _unwalked(pack: Pack, program: Program) -> Iterator[Diagnostic]:
    """Yield the entries that rely on a stage that no entry before them walks."""
    done: set[str] = set()
    for entry in program.entries:
        stages, _ = walked(pack, entry)
        for name in _relied_on(pack, entry, stages):
            if name not in done | {stage.name for stage in stages}:
                message = f"this relies on stage `{name}`, which program `{program.name}` has not walked yet"
                yield _fault("pack/after", message, entry.place)
        done |= {stage.name for stage in stages}


def _relied_on(pack: Pack, entry: Entry, stages: Sequence[Stage]) -> Iterator[str]:
    """Yield the stages of whose items, or of whose passing, an entry makes something."""
    for key in ("needs", "gaps", "of"):
        names: Any = entry.settings.get(key, ())
        yield from names
    yield from (name for stage in stages for name in stage.after)
    if entry.verb == "read":
        yield from pack.records[entry.name].after


def reads(pack: Pack, entry: Entry) -> Iterator[Read]:
    """Yield the values that an entry cannot do without, and where each is read."""
    yield from _of_terms([*entry.terms.values(), entry.when])
    if entry.verb == "read":
        record = pack.records[entry.name]
        scope = pack.scopes[record.scope or ""]
        own = {scope.item, scope.index}
        yield from _but(own, _of_terms([scope.over, *(field.value for field in record.fields)]))
        return
    stages, flow = walked(pack, entry)
    if not stages:
        return
    scope = pack.scopes[stages[0].scope]
    rules = [rule for stage in stages for rule in stage.rules]
    kept = {name for name in scope.given if name in pack.values}  # an earlier walk may have given them
    own = {*(gives(rule) for rule in rules), *(scope.given.keys() - kept), *scope.locals, scope.item, scope.index}
    yield from _of_terms([scope.over])
    yield from _but(own, _of_texts([scope.subject, scope.at]))
    for rule in rules:
        yield from _but(own | {name for name, _ in rule.lets}, rule_reads(rule))
    if flow:
        yield from _flow_reads(flow, entry, own)


def _flow_reads(flow: Flow, entry: Entry, own: set[str | None]) -> Iterator[Read]:
    yield from _but(own, _of_terms([*(term for _, term in flow.reads), flow.visits]))
    names = [entry.settings.get(key) for key in ("over", "start", "carry")]
    yield from ((name, entry.place) for name in names if isinstance(name, str))
    if flow.parts:
        yield flow.parts.count, entry.place


def walked(pack: Pack, entry: Entry) -> tuple[list[Stage], Flow | None]:
    """Return the stages that an entry walks, and the flow in which it does."""
    if entry.verb == "flow":
        flow = pack.flows[entry.name]
        return [pack.stages[flow.stage]], flow
    if entry.verb != "walk":
        return [], None
    names = entry.settings["walk"]
    return [pack.stages[name] for name in ([names] if isinstance(names, str) else names)], None  # type: ignore[attr-defined]


def rule_reads(rule: Rule) -> Iterator[Read]:
    """Yield all variables that a rule reads, in its conditions, its results and its texts."""
    yield from _of_terms([*terms_of(rule), *(term for _, term in rule.lets)])
    if isinstance(rule, Check):
        yield from _of_texts([rule.message, rule.help, rule.subject, rule.at])


def _ungiven(pack: Pack, program: Program) -> Iterator[Diagnostic]:
    for entry in program.entries:
        stages, _ = walked(pack, entry)
        if stages:
            scope = pack.scopes[stages[0].scope]
            yield from _too_early(pack, scope, [rule for stage in stages for rule in stage.rules])
            yield from _uncollected(scope, stages, entry)


def _too_early(pack: Pack, scope: Scope, rules: Sequence[Rule]) -> Iterator[Diagnostic]:
    """Yield the given variables that a rule reads although no rule before it in the walk gives them."""
    givers = {name: rule for rule in rules if (name := gives(rule))}
    there = set(pack.values) - givers.keys()
    for rule in rules:
        for name, place in _but({name for name, _ in rule.lets}, rule_reads(rule)):
            if name in scope.given and name not in there:
                giver = givers.get(name)
                message = f"`{name}` is read here, but no rule gives it"
                if giver:
                    message = f"`{name}` is read here before rule `{giver.identity}` gives it"
                yield _fault("pack/given", message, place, None if giver else "write a rule that resolves it")
        there.add(gives(rule) or "")


def _uncollected(scope: Scope, stages: Sequence[Stage], entry: Entry) -> Iterator[Diagnostic]:
    givers = {gives(rule) for stage in stages for rule in stage.rules}
    for key in ("collect", "keep"):
        wanted = entry.settings.get(key)
        for name in wanted.values() if isinstance(wanted, Mapping) else ():
            if name in scope.given and name not in givers:
                yield _fault("pack/given", f"`{key}` wants `{name}`, but no rule gives it", entry.place)


def _of_terms(terms: Sequence[Term | None]) -> Iterator[Read]:
    for term in terms:
        for name in sorted(term.checked.variables | term.checked.sources) if term else ():
            yield name, term.place  # type: ignore[union-attr]


def _of_texts(texts: Sequence[Text | None]) -> Iterator[Read]:
    for text in texts:
        for name in sorted(text.checked.variables | text.checked.sources) if text else ():
            yield name, text.place  # type: ignore[union-attr]


def _but(own: set[str | None] | set[str], found: Iterator[Read]) -> Iterator[Read]:
    return ((name, place) for name, place in found if name not in own)


def _fault(code: str, message: str, place: Place, help_text: str | None = None) -> Diagnostic:
    span = Span(place.file, place.line, place.column, place.line, place.column + 1)
    return Diagnostic(code, (), ERROR, message, span=span, help=help_text)
