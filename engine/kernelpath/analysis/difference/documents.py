"""Let two packs decide real documents, and tell which fare otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelpath.analysis.difference.changes import DocumentChange
from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.program import Outcome, run_program
from kernelpath.evaluate.report import was_judged
from kernelpath.files.reading import JSON_BYTES, read_file
from kernelpath.graph.documents import read_json
from kernelpath.graph.locate import escaped
from kernelpath.graph.recognising import Unjudged, recognise
from kernelpath.language import RUNTIME
from kernelpath.language.json_values import json_equal
from kernelpath.packs.generate import generate
from kernelpath.packs.model import Pack

#: What is asked of a document: the program that runs, and its inputs.
Request = tuple[str, Mapping[str, Any]]
Requests = Callable[[Any], Request]
MOST_VALUES = 200


class DocumentErrors(Exception):
    """Files that cannot be read, with the diagnostics that say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = list(diagnostics)


def compile_request(document: Any) -> Request:
    """Return the request that compiles a whole manifest, or a bare inference section, without an overlay."""
    manifest = document if isinstance(document, dict) else {}
    whole = isinstance(manifest.get("inference"), dict)
    architecture = manifest.get("architecture")
    layers = architecture.get("numLayers", 0) if isinstance(architecture, dict) else 0
    inference = manifest["inference"] if whole else document
    model = manifest.get("modelId", "model") if whole else "model"
    return "compile", {"inference": inference, "runtime": None, "model_id": model, "num_layers": layers}


def loaded(pack: Pack) -> CompiledPack:
    """Return a pack that was read as the engine runs it."""
    generated = generate(pack)
    namespace: dict[str, Any] = dict(RUNTIME)
    exec(compile(generated.text, f"<pack {pack.name}>", "exec"), namespace)
    return CompiledPack(namespace, generated.data)


def compare_documents(
    old: Pack,
    new: Pack,
    documents: Mapping[str, Any],
    shared: Mapping[str, Any],
    requests: Requests = compile_request,
) -> Iterator[DocumentChange]:
    """Yield the documents, by their names, that fare otherwise; `shared` are inputs that every request has.

    Raises DocumentErrors for one that neither pack looks at.
    """
    packs = [loaded(old), loaded(new)]
    for name, document in documents.items():
        program, inputs = requests(document)
        before, after = (run_program(pack, program, {**shared, **inputs}) for pack in packs)
        if not any(was_judged(each.report.ok, each.value, each.report.asked) for each in (before, after)):
            raise DocumentErrors([_unjudged(name, inputs.get("inference"), new)])
        change = _change(name, before, after)
        if change is not None:
            yield change


def _unjudged(name: str, section: Any, pack: Pack) -> Diagnostic:
    schema = pack.constants.get("schema_name")
    found = recognise(section, schema) or Unjudged("neither pack asks a rule of this graph")
    message = f"`{name}`: {found.message}"
    return Diagnostic("document/not-judged", (), ERROR, message, help=found.help(pack.name, schema))


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
