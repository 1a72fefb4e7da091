"""Compare what two packs declare, section by section of pack.yaml."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kernelpath.analysis.difference.changes import Declared
from kernelpath.packs.model import (
    Document,
    Flow,
    Items,
    Pack,
    Pass,
    Question,
    RecordShape,
    Stage,
    Term,
    Text,
    Value,
)

_SHOWN = 160
Parts = dict[str, str]


def compare_declared(old: Pack, new: Pack) -> Iterator[Declared]:
    """Yield what the new pack declares otherwise, section by section."""
    for section, parts in _SECTIONS.items():
        before, after = _declared(old, section), _declared(new, section)
        for name in dict.fromkeys([*before, *after]):
            if name not in before or name not in after:
                yield Declared(section, name, "added" if name in after else "removed")
                continue
            details = tuple(_compared(parts(before[name]), parts(after[name])))
            if details:
                yield Declared(section, name, "changed", details)


def _declared(pack: Pack, section: str) -> Mapping[str, Any]:
    """Return a section of a pack; constants that a library made of data are the data."""
    entries: Mapping[str, Any] = getattr(pack, section)
    return {**entries, **pack.data} if section == "constants" else entries


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
    if not isinstance(value, tuple):  # data of a library has the name of its type beside it
        return {"value": json.dumps(value, ensure_ascii=False)}
    wanted, data = value
    return {"type": wanted, **{path: json.dumps(item, ensure_ascii=False) for path, item in _entries(data)}}


def _entries(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield the entries of each section of data, such as one transform; what has no sections is one entry."""
    for section, entries in data.items() if isinstance(data, dict) else [("value", data)]:
        for name, item in entries.items() if isinstance(entries, dict) else [("", entries)]:
            yield (f"{section}.{name}" if name else section), item


def _function(value: Any) -> Parts:
    return {"parameters": ", ".join(value.parameters), "is": value.text}


def _record(value: RecordShape) -> Parts:
    return {name: str(type_) for name, type_ in value.fields.items()}


def _text(term: Term | Text | None) -> str:
    return term.text if term else ""


def _document(value: Document) -> Parts:
    part, instead = value.part, value.instead
    return {
        "type": str(value.type),
        "optional": str(value.optional).lower(),
        "recognise": _text(value.recognise),
        "resembles": _text(value.resembles),
        "part": f"{part.when.text} at {part.at}" if part else "",
        "part resembles": _text(part.resembles) if part else "",
        "completed": _text(value.completed),
        "options": ", ".join(f"{name} {at}" for name, at in value.options.items()),
        "holds": ", ".join(f"{name} {at}" for name, at in value.holds.items()),
        "instead": f"of {instead.of} if {instead.when.text} at {instead.at}" if instead else "",
    }


def _value(value: Value) -> Parts:
    fields = {f"field {column.name}": column.term.text for column in value.fields}
    asked = {f"with {name}": term.text for name, term in value.ask.given.items()} if value.ask else {}
    parts = {
        "is": _text(value.term),
        "ask": value.ask.question if value.ask else "",
        "when": _text(value.when),
        "otherwise": _text(value.otherwise),
        "after": ", ".join(value.after),
        "type": str(value.type),
    }
    return {**parts, **asked, **fields}


def _items(value: Items) -> Parts:
    columns = {f"column {column.name}": f"{column.type} = {column.term.text}" for column in value.columns}
    parts = {
        "of": value.source or _text(value.over),
        "within": value.within or "",
        "like": value.like or "",
        "when": _text(value.when),
        "after": ", ".join(value.after),
        "subject": _text(value.scope.subject),
        "at": _text(value.scope.at),
    }
    return {**parts, **columns}


def _stage(value: Stage) -> Parts:
    gives = {f"gives {name}": str(type_) for name, type_ in value.gives.items()}
    parts = {"each": ", ".join(value.each), "after": ", ".join(value.after), "when": _text(value.when)}
    return {**parts, "for": ", ".join(value.questions), **gives}


def _flow(value: Flow) -> Parts:
    reads = {f"reads {name}": term.text for name, term in value.reads}
    passes = {f"pass {name}": _pass(pass_) for name, pass_ in value.passes.items()}
    order = "unrolled" if value.parts else "listed"
    return {"over": value.over, "order": order, "visits": _text(value.visits), **reads, **passes}


def _pass(value: Pass) -> str:
    start = ", ".join(f"{name}: {term.text}" for name, term in value.start.items())
    carried = f", the rest from {value.carry}" if value.carry else ""
    return f"{value.start_from or start}{carried}{', until a fixed point' if value.settles else ''}"


def _question(value: Question) -> Parts:
    inputs = {f"with {name}": term.text for name, term in value.inputs.items()}
    parts = {
        "given": ", ".join(value.given),
        "when": _text(value.when),
        "answer": value.answer.text,
        "else": _text(value.otherwise),
        "always": str(value.always).lower(),
        "matrix": str(value.matrix).lower(),
    }
    shows = {f"shows {name}": term.text for name, term in value.shows.items()}
    return {**parts, **inputs, **shows}


_SECTIONS: Mapping[str, Callable[[Any], Parts]] = {
    "documents": _document,
    "vocabularies": _vocabulary,
    "constants": _constant,
    "functions": _function,
    "records": _record,
    "values": _value,
    "items": _items,
    "flows": _flow,
    "stages": _stage,
    "questions": _question,
}
