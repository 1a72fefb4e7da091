"""Let two packs decide real documents, and say which fare otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelpath.analysis.difference.changes import DocumentChange
from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import compiled_pack
from kernelpath.evaluate.question import Outcome, ask
from kernelpath.evaluate.report import was_judged
from kernelpath.files.reading import JSON_BYTES, read_file
from kernelpath.graph.documents import read_json
from kernelpath.graph.locate import escaped
from kernelpath.language import interpret
from kernelpath.language.json_values import json_equal
from kernelpath.packs.libraries import resource_value
from kernelpath.packs.model import Pack

MOST_VALUES = 200


class DocumentErrors(Exception):
    """Files that cannot be read, with the diagnostics that say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = list(diagnostics)


def compare_documents(
    old: Pack, new: Pack, documents: Mapping[str, Any], shared: Mapping[str, Any]
) -> Iterator[DocumentChange]:
    """Yield the documents, by their names, that fare otherwise; `shared` are documents that every question has.

    Raises DocumentErrors for one that neither pack looks at.
    """
    packs = [(pack, compiled_pack(pack)) for pack in (old, new)]
    for name, document in documents.items():
        before, after = (_asked(pack, compiled, document, shared) for pack, compiled in packs)
        if not any(was_judged(each.report.ok, each.value, each.report.asked) for each in (before, after)):
            raise DocumentErrors([_unjudged(name, new)])
        change = _change(name, before, after)
        if change is not None:
            yield change


def _asked(pack: Pack, compiled: CompiledPack, document: Any, shared: Mapping[str, Any]) -> Outcome:
    question, given = recognised(pack, document)
    shipped = {each.name: each.resource for each in pack.documents.values() if each.resource}
    resources = {name: resource_value(kind, shared.get(name)) for name, kind in shipped.items()}
    return ask(compiled, question, {**resources, **given})


def recognised(pack: Pack, value: Any) -> tuple[str, dict[str, Any]]:
    """Return the question that a pack asks of a file, and the documents that the file gives.

    A file that no document recognises is taken for the first document of the first question.
    """
    constants = {**pack.constants, "file": value}
    for document in pack.documents.values():
        question = next((each for each in pack.questions.values() if document.name in each.given), None)
        if question is None or document.recognise is None:
            continue
        if document.part and interpret(document.part[0].checked, constants):
            return question.name, {document.name: _placed(value, document.part[1])}
        if interpret(document.recognise.checked, constants):
            return question.name, {document.name: value}
    first = next(iter(pack.questions.values()))
    return first.name, dict.fromkeys(first.given[:1], value)


def _placed(value: Any, pointer: str) -> Any:
    """Return a document that has a value at a pointer and nothing else."""
    for name in reversed(pointer.split("/")[1:]):
        value = {name: value}
    return value


def _unjudged(name: str, pack: Pack) -> Diagnostic:
    known = [each for each in pack.documents.values() if each.recognise is not None]
    listed = ", ".join(f"`{each.name}`: {each.doc}" for each in known)
    message = f"`{name}`: nothing was judged: neither pack asks a rule of this document"
    help_text = f"pack `{pack.name}` judges {listed}" if listed else None
    return Diagnostic("document/not-judged", (), ERROR, message, help=help_text)


def _change(name: str, before: Outcome, after: Outcome) -> DocumentChange | None:
    values = tuple(differences(before.value, after.value)) if before.report.ok and after.report.ok else ()
    reported, cleared = _rules(after, before), _rules(before, after)
    one, two = _verdict(before), _verdict(after)
    if one == two and not values and not reported and not cleared:
        return None
    return DocumentChange(name, one, two, reported, cleared, values[:MOST_VALUES])


def _verdict(outcome: Outcome) -> str:
    if not outcome.report.ok:
        return "rejected"
    return "accepted" if outcome.value is not None else "nothing to decide"


def _rules(outcome: Outcome, other: Outcome) -> tuple[str, ...]:
    """Return the rules, by stage and name, that report something in one run and nothing in the other."""
    known = {_name(found) for found in other.report.diagnostics}
    return tuple(dict.fromkeys(name for found in outcome.report.diagnostics if (name := _name(found)) not in known))


def _name(found: Diagnostic) -> str:
    return found.rule.partition("/")[2] or found.rule


def differences(before: Any, after: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the JSON pointers at which two values differ, with both values; None stands for an absent member."""
    if json_equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from differences(before.get(name), after.get(name), f"{pointer}/{escaped(name)}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, two) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, two, f"{pointer}/{place}")
    else:
        yield pointer, before, after


def read_documents(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the JSON documents of files by their names; raises DocumentErrors with every file's faults."""
    found: dict[str, Any] = {}
    faults: list[Diagnostic] = []
    for path in paths:
        try:
            document = read_json(str(path), read_file(path, JSON_BYTES))
        except OSError as error:
            message = f"`{path}` cannot be read: {str(error.strerror).lower()}"
            faults.append(Diagnostic("document/unreadable", (), "error", message))
            continue
        faults += [fault for fault in document.diagnostics if fault.severity == ERROR]
        found[str(path)] = document.value
    if faults:
        raise DocumentErrors(faults)
    return found
