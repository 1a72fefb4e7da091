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
from kernelpath.evaluate.recognising import question_about, recognisable, recognised
from kernelpath.evaluate.report import was_judged
from kernelpath.files.reading import JSON_BYTES, read_file
from kernelpath.graph.documents import read_json
from kernelpath.graph.locate import escaped
from kernelpath.graph.readers import MAX_BYTES, read_with, reader_of
from kernelpath.language.json_values import json_equal
from kernelpath.packs.libraries import resource_value, said
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
    packs = [compiled_pack(pack) for pack in (old, new)]
    for name, document in documents.items():
        before, after = (_asked(pack, document, shared) for pack in packs)
        if before is None or after is None or not (_judged(before) or _judged(after)):
            raise DocumentErrors([_unjudged(name, packs, document)])
        change = _change(name, before, after)
        if change is not None:
            yield change


def _asked(compiled: CompiledPack, document: Any, shared: Mapping[str, Any]) -> Outcome | None:
    """Return what a pack says of a file, None of a file that it does not know."""
    what = recognised(compiled, document, meant=True)
    question = question_about(compiled, what.name) if what else None
    if what is None or question is None:
        return None
    documents = compiled.meta["documents"]
    shipped = {name: each["resource"] for name, each in documents.items() if each["resource"]}
    resources = {name: resource_value(kind, shared.get(name)) for name, kind in shipped.items()}
    return ask(compiled, question, {**resources, what.name: what.value})


def _judged(outcome: Outcome) -> bool:
    return was_judged(outcome.report.ok, outcome.value, outcome.report.asked)


def _unjudged(name: str, packs: Sequence[CompiledPack], value: Any) -> Diagnostic:
    """Return the error for a file that a pack does not know, or that neither pack judges."""
    unknown = [pack.meta["name"] for pack in packs if recognised(pack, value, meant=True) is None]
    if unknown:
        why = f"pack `{unknown[0]}` does not judge such a document"
    else:
        why = _library_says(packs[-1], value) or "neither pack asks a rule of this document"
    listed = [", ".join(f"`{each}`: {doc}" for each, doc in recognisable(pack)) for pack in packs]
    judges = {text: pack.meta["name"] for pack, text in zip(packs, listed, strict=True) if text}
    help_text = "; ".join(f"pack `{pack}` judges {text}" for text, pack in judges.items()) or None
    return Diagnostic("document/not-judged", (), ERROR, f"`{name}`: nothing was judged: {why}", help=help_text)


def _library_says(pack: CompiledPack, value: Any) -> str | None:
    what = recognised(pack, value, meant=True)
    meta = pack.meta
    found = said(meta["libraries"], "unjudged", what.value, meta["constants"], None, False) if what else None
    return found.message if found else None


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
    """Return the documents of files by their names; raises DocumentErrors with every file's faults."""
    found: dict[str, Any] = {}
    faults: list[Diagnostic] = []
    for path in paths:
        try:
            reader = reader_of(path.name)
            data = read_file(path, MAX_BYTES if reader else JSON_BYTES)
            document = read_with(reader, str(path), data) if reader else read_json(str(path), data)
        except OSError as error:
            message = f"`{path}` cannot be read: {str(error.strerror).lower()}"
            faults.append(Diagnostic("document/unreadable", (), "error", message))
            continue
        faults += [fault for fault in document.diagnostics if fault.severity == ERROR]
        found[str(path)] = document.value
    if faults:
        raise DocumentErrors(faults)
    return found
