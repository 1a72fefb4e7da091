"""Hold the operations that a pack's programs run to what there is: their names, their arguments, their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from typing import Any

from kernelpath.diagnostics import ERROR, Diagnostic, Span, did_you_mean
from kernelpath.evaluate.operations import OPERATIONS
from kernelpath.packs.model import Entry, Pack

#: What each operation gives; in braces a setting whose values, or keys, are further names.
RESULTS: Mapping[str, tuple[str, ...]] = {
    "derive_steps": ("steps", "references", "unpinned"),
    "interleave": ("steps",),
    "layer_lists": ("base", "layers", "items", "{parts.values}"),
    "named_layers": ("highest", "repeated"),
    "patch_edits": ("ids", "kept", "known"),
    "patch_steps": ("steps", "origins", "touched"),
    "pick_sources": ("{paths.keys}",),
    "trace": ("sources",),
    "unwritten_reads": ("reads",),
    "varying": ("ids",),
}


def misuses(pack: Pack) -> list[Diagnostic]:
    """Return what is wrong with the operations of a pack's programs."""
    entries = [entry for program in pack.programs.values() for entry in program.entries if entry.verb == "run"]
    told = [(entry, *words) for entry in entries for words in _wrong(entry)]
    found = {(message, entry.place): _fault(entry, message, help_text) for entry, message, help_text in told}
    return list(found.values())


def _wrong(entry: Entry) -> Iterator[tuple[str, str | None]]:
    if entry.name not in OPERATIONS:
        near = did_you_mean(entry.name, OPERATIONS)
        known = f"known: {', '.join(sorted(OPERATIONS))}"
        yield f"there is no operation `{entry.name}`", f"did you mean `{near}`?" if near else known
        return
    yield from _wrong_arguments(entry)
    results = _results(entry)
    into: Any = entry.settings["into"]
    for name in into.values() if isinstance(into, Mapping) else [into]:
        if name not in results:
            yield f"operation `{entry.name}` gives no `{name}`", f"it gives {', '.join(results)}"


def _wrong_arguments(entry: Entry) -> Iterator[tuple[str, str | None]]:
    _, *parameters = signature(OPERATIONS[entry.name]).parameters.values()
    given = {key.removeprefix("with ") for key in entry.terms}
    named = {parameter.name: parameter for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD}
    for name, parameter in named.items():
        if parameter.default is Parameter.empty and name not in given:
            yield f"operation `{entry.name}` needs `{name}`", f"give it under `with`: {', '.join(named)}"
    if len(named) == len(parameters):
        for name in sorted(given - named.keys()):
            yield f"operation `{entry.name}` takes no `{name}`", f"it takes {', '.join(named)}"


def _results(entry: Entry) -> list[str]:
    settings: Any = entry.settings.get("settings", {})
    names: list[str] = []
    for name in RESULTS[entry.name]:
        setting, _, part = name.strip("{}").partition(".")
        further = settings.get(setting) if part else None
        names += [name] if not part else map(str, getattr(further, part)()) if isinstance(further, Mapping) else []
    return names


def _fault(entry: Entry, message: str, help_text: str | None) -> Diagnostic:
    place = entry.place
    span = Span(place.file, place.line, place.column, place.line, place.column + 1)
    return Diagnostic("pack/operation", (), ERROR, message, span=span, help=help_text)
