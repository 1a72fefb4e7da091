"""Compare what two packs declare: vocabularies, constants, functions, records, scopes, stages, flows, programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from kernelpath.analysis.difference.changes import Declared
from kernelpath.packs.model import Entry, Flow, Pack, Program, RecordShape, Scope, Stage, Term, Text

_SHOWN = 160
Parts = dict[str, str]


def compare_declared(old: Pack, new: Pack) -> Iterator[Declared]:
    """Yield what the new pack declares otherwise, section by section."""
    for section, parts in _SECTIONS.items():
        before: Mapping[str, Any] = getattr(old, section)
        after: Mapping[str, Any] = getattr(new, section)
        for name in dict.fromkeys([*before, *after]):
            if name not in before or name not in after:
                yield Declared(section, name, "added" if name in after else "removed")
                continue
            details = tuple(_compared(parts(before[name]), parts(after[name])))
            if section == "programs":
                details = tuple(_entries(before[name], after[name]))
            if details:
                yield Declared(section, name, "changed", details)


def _compared(before: Parts, after: Parts) -> Iterator[str]:
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"`{name}` is gone: {_cut(before[name])}"
        elif name not in before:
            yield f"`{name}` is new: {_cut(after[name])}"
        elif before[name] != after[name]:
            yield f"`{name}` was {_cut(before[name])}, and is {_cut(after[name])}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _vocabulary(value: Any) -> Parts:
    values = {f"value {name}": name for name in value.values}
    return {"open": str(value.open).lower(), **values}


def _constant(value: Any) -> Parts:
    return {"value": json.dumps(value, ensure_ascii=False)}


def _function(value: Any) -> Parts:
    return {"parameters": ", ".join(value.parameters), "value": value.text}


def _record(value: RecordShape) -> Parts:
    return {field.name: f"{field.type}{_of(field.value)}" for field in value.fields}


def _of(term: Term | None) -> str:
    return f" = {term.text}" if term else ""


def _text(term: Term | Text | None) -> str:
    return term.text if term else ""


def _scope(value: Scope) -> Parts:
    given = {f"given {name}": str(type_) for name, type_ in value.given.items()}
    uses = {f"uses {name}": str(type_) for name, type_ in value.variables.items() if name not in value.given}
    return {"over": _text(value.over), "subject": _text(value.subject), "at": _text(value.at), **uses, **given}


def _stage(value: Stage) -> Parts:
    return {"scope": value.scope, "after": ", ".join(value.after)}


def _flow(value: Flow) -> Parts:
    reads = {f"reads {name}": term.text for name, term in value.reads}
    return {"stage": value.stage, "order": value.order, "visits": _text(value.visits), **reads}


def _program(value: Program) -> Parts:
    return {"inputs": ", ".join(value.inputs), "value": value.value.text}


def _entries(before: Program, after: Program) -> Iterator[str]:
    """Yield how the entries of a program differ: those that are gone and those that are new, in order."""
    yield from _compared(_program(before), _program(after))
    one, two = ([_entry(entry) for entry in program.entries] for program in (before, after))
    for tag, start, end, new_start, new_end in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (f"gone: {_cut(text)}" for text in one[start:end])
            yield from (f"new: {_cut(text)}" for text in two[new_start:new_end])


def _entry(entry: Entry) -> str:
    return json.dumps(entry.settings, ensure_ascii=False, default=str)


_SECTIONS: Mapping[str, Callable[[Any], Parts]] = {
    "vocabularies": _vocabulary,
    "constants": _constant,
    "functions": _function,
    "records": _record,
    "scopes": _scope,
    "stages": _stage,
    "flows": _flow,
    "programs": _program,
}
