"""What the rules say of a manifest, at its places, and what each item had while they looked at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from kernelpath.analysis.fixing.fix import Fix, fix
from kernelpath.api import DEFAULT_CATALOG, DEFAULT_PACK, ask, given_values
from kernelpath.diagnostics import ERROR, Diagnostic, Label, Source, Span
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load
from kernelpath.evaluate.observe import Visit, observe
from kernelpath.evaluate.recognising import Recognised, question_about, recognised
from kernelpath.evaluate.report import was_judged
from kernelpath.graph.documents import Document, read_json
from kernelpath.language import EvaluationError
from kernelpath.packs.documents import Node, to_plain
from kernelpath.packs.files import PackErrors, pack_folder
from kernelpath.packs.libraries import Unjudged, resource_value, said

Known = TypeVar("Known")
#: The shipped data that goes by the name of a catalogue.
CATALOGS = "catalogs"
#: A manifest with more steps than this is checked, but its items are not shown one by one.
MOST_ITEMS = 2_000
#: How many graphs are tried, at most, for a fix that an editor offers.
MOST_TRIALS = 300


@dataclass(slots=True)
class Judge:
    """A pack and a catalogue that manifests are judged by, named as on the command line."""

    pack: str = DEFAULT_PACK
    catalog: str = DEFAULT_CATALOG
    _known: dict[tuple[str, Path], tuple[Source, object, Any]] = field(default_factory=dict, init=False)

    def folder(self) -> Path | None:
        """Return the folder of the pack, None where there is no such pack."""
        try:
            return pack_folder(self.pack)
        except PackErrors:
            return None

    def loaded(self) -> CompiledPack | None:
        """Return the pack as the engine runs it, None where it cannot be used."""
        try:
            return load(self.pack)
        except PackErrors:
            return None

    def recognised(self, root: Node | None) -> Recognised | None:
        """Return which document of the pack a file is, by its tree, which may be half written.

        If the pack cannot be used, the default one recognises files, so that manifests say what is wrong with it.
        """
        if root is None:
            return None
        return recognised(self.loaded() or load(DEFAULT_PACK), to_plain(root))

    def findings(self, source: Source) -> list[Diagnostic]:
        """Return everything that is wrong with a manifest, each finding at its place."""
        return self._remembered("findings", source, lambda pack: self._found(source))

    def visits(self, source: Source) -> tuple[Visit, ...]:
        """Return the visits of a manifest's items in the flows of the pack, as far as its faults let them be made."""
        return self._remembered("visits", source, lambda pack: self._observed(source, pack) if pack else ())

    def fix(self, source: Source) -> Fix | None:
        """Return what would make a manifest pass, None where nothing is known that does, or nothing is to be done."""
        return self._remembered("fix", source, lambda pack: self._fixed(source, pack) if pack else None)

    def _remembered(self, what: str, source: Source, find: Callable[[CompiledPack | None], Known]) -> Known:
        """Return what was found in a text, found again only if the text or the pack changed."""
        key, pack = (what, Path(source.name)), self.loaded()
        known = self._known.get(key)
        if pack is None or known is None or known[0] is not source or known[1] is not pack:
            known = self._known[key] = (source, pack, find(pack))
        found: Known = known[2]
        return found

    def _found(self, source: Source) -> list[Diagnostic]:
        document = read_json(source.name, source.text)
        if not document.ok:
            return list(document.diagnostics)
        try:
            pack = load(self.pack)
            what = recognised(pack, document.value)
            question = question_about(pack, what.name) if what else None
            if what is None or question is None:
                return list(document.diagnostics)
            result = ask(question, pack=pack, **self._given(pack, what))
        except PackErrors as errors:
            return [*document.diagnostics, _unusable(source, errors)]
        found = [self._placed(document, what, pack, finding) for finding in result.diagnostics]
        if not was_judged(result.ok, result.value, result.asked):
            found += _unjudged(document, what, pack, question)
        return [*document.diagnostics, *found]

    def _given(self, pack: CompiledPack, what: Recognised) -> dict[str, Any]:
        """Return what a question about a document is asked with, beside shipped data."""
        documents = pack.meta["documents"].items()
        catalogs = {name: self.catalog for name, document in documents if document["resource"] == CATALOGS}
        return {**catalogs, what.name: what.value}

    def shipped(self, document: str) -> list[str]:
        """Return the keys of the shipped data that a document of the pack is taken from, none if it cannot be read."""
        pack = self.loaded()
        data = pack.meta["documents"].get(document) if pack else None
        if data is None:
            return []
        try:
            return list(resource_value(data["resource"], self.catalog if data["resource"] == CATALOGS else None))
        except PackErrors:
            return []

    def _placed(self, document: Document, what: Recognised, pack: CompiledPack, found: Diagnostic) -> Diagnostic:
        pointer = what.inside(found.pointer or "") or ""
        place = self._rule_place(pack, found.rule)
        secondary = (*found.secondary, *([Label(place, "the rule")] if place else []))
        return replace(found, pointer=pointer, span=document.locate(pointer), secondary=secondary)

    def _rule_place(self, pack: CompiledPack, identity: str) -> Span | None:
        """Return the place of a rule's file: it lies below the folder of its own pack, beside the one that is used."""
        name, _, inside = identity.partition("/")
        own = self.folder()
        if own is None:
            return None
        path = (own if own.name == name else own.parent / name) / f"{inside}.yaml"
        return Span(str(path), 1, 1, 1, 1) if path.is_file() else None

    def _fixed(self, source: Source, pack: CompiledPack) -> Fix | None:
        request = self._request(source, pack)
        if request is None:
            return None
        try:
            return fix(pack, request[1], MOST_TRIALS)
        except ValueError:  # the pack declares no fixes
            return None

    def _observed(self, source: Source, pack: CompiledPack) -> tuple[Visit, ...]:
        request = self._request(source, pack)
        if request is None:
            return ()
        seen = observe(pack, *request, _is_record)
        return tuple(visit for visit in seen.visits if visit.data["flow"])

    def _request(self, source: Source, pack: CompiledPack) -> tuple[str, dict[str, Any]] | None:
        """Return a question and what it is asked with; None for what is not recognised, or too long to be shown."""
        document = read_json(source.name, source.text)
        what = recognised(pack, document.value) if document.ok else None
        question = question_about(pack, what.name) if what else None
        if what is None or question is None or _count(what.value) > MOST_ITEMS:
            return None
        try:
            return question, given_values(pack, question, self._given(pack, what))
        except PackErrors:
            return None


def _is_record(item: Any) -> bool:
    return item is not None and not isinstance(item, dict | list | str | int | float)


def _count(value: Any) -> int:
    """Return the length of the longest list within a few levels of a document."""
    level, longest = [value], 0
    for _ in range(5):
        longest = max([longest, *(len(item) for item in level if isinstance(item, list))])
        level = [child for item in level if isinstance(item, dict) for child in item.values()]
    return longest


def _unjudged(document: Document, what: Recognised, pack: CompiledPack, question: str) -> list[Diagnostic]:
    """Return what is said of a document that nothing looked at, at what stands in the place of its items."""
    meta = pack.meta
    found = said(meta["libraries"], "unjudged", what.value, meta["constants"], None, False) or Unjudged(None)
    pointer = what.inside(found.pointer) or ""
    span = (document.key_span if found.at_key else document.locate)(pointer)
    told = found.message or f"question `{question}` of pack `{meta['name']}` asks no rule of this document"
    message, help_text = f"nothing was judged: {told}", found.help(meta["name"])
    return [Diagnostic("cli/not-judged", (), ERROR, message, pointer=pointer, span=span, help=help_text)]


def _unusable(source: Source, errors: PackErrors) -> Diagnostic:
    first = errors.diagnostics[0]
    where = f" ({first.span})" if first.span else ""
    message = f"the pack or catalogue that decides manifests cannot be used: {first.message}{where}"
    return Diagnostic("lsp/pack", (), ERROR, message, span=source.span(0, 0))


def variables_of(visit: Visit) -> list[tuple[str, Any, str]]:
    """Return the variables that rules gave an item of a visit: name, value and where the value came from."""
    environment = visit.walk.environment
    given = [rule["variable"] for rule in visit.rules if rule["kind"] in ("resolve", "table")]
    known = [name for name in given if name in environment and name not in visit.walk.tainted]
    return [(name, environment[name], str(environment.get(f"source({name})") or "")) for name in known]


def slots_of(pack: CompiledPack, visit: Visit) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """Return what an item read of its slots, by variable, and the slots that it wrote, with their contents.

    What a fault left open is an unnamed slot without content.
    """
    environment, tainted = visit.walk.environment, visit.walk.tainted
    reads = {name: environment.get(name) for name, _ in visit.data["flow"]["reads"] if name not in tainted}
    writes = []
    for rule in visit.rules:
        if rule["kind"] == "transition":
            try:
                if not rule["when"] or pack.value(rule["when"], environment):
                    writes.append((pack.value(rule["slot"], environment), pack.value(rule["value"], environment)))
            except (EvaluationError, KeyError, AttributeError, TypeError):
                writes.append(("", None))
    return reads, writes


def place_of(pack: CompiledPack, visit: Visit) -> tuple[str, str]:
    """Return the document that a visit's item is written in, and its JSON pointer there; empty if that is unknown."""
    term = visit.data["scope"]["at"]
    try:
        place = str(pack.value(term, visit.walk.environment)) if term else ""
    except (EvaluationError, KeyError):
        return "", ""
    document, _, pointer = place.partition("#")
    return document, pointer
