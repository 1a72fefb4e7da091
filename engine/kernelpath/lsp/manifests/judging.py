"""What the rules say of a manifest, at its places, and what each item had while they looked at it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kernelpath.analysis.fixing.fix import Fix, fix
from kernelpath.diagnostics import ERROR, Diagnostic, Label, Source, Span
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load
from kernelpath.evaluate.observe import Visit, observe
from kernelpath.evaluate.report import was_judged
from kernelpath.facade import DEFAULT_CATALOG, DEFAULT_PACK, compile
from kernelpath.graph.catalog import load_catalog, load_presets
from kernelpath.graph.documents import Document, read_json
from kernelpath.graph.recognising import recognise
from kernelpath.language import RUNTIME, EvaluationError
from kernelpath.packs.documents import Mapping, Node
from kernelpath.packs.files import PackErrors, pack_folder

PROGRAM = "compile"
SECTION = "inference"
_SECTION_MEMBERS = ("schema", "execution", "sessionDefaults")
#: A manifest with more steps than this is checked, but its items are not told one by one.
MOST_ITEMS = 2_000
#: How many graphs are tried, at most, for a fix that an editor offers.
MOST_TRIALS = 300


def section_path(root: Node | None) -> tuple[str, ...] | None:
    """Return where a document has the section that the rules decide; None for one that is no manifest."""
    if not isinstance(root, Mapping):
        return None
    if isinstance(root.get(SECTION), Mapping):
        return (SECTION,)
    return () if any(member in root for member in _SECTION_MEMBERS) else None


@dataclass(slots=True)
class Judge:
    """A pack and a catalogue that manifests are judged by, named as on the command line."""

    pack: str = DEFAULT_PACK
    catalog: str = DEFAULT_CATALOG
    _visits: dict[Path, tuple[Source, object, tuple[Visit, ...]]] = field(default_factory=dict, init=False)
    _fixes: dict[Path, tuple[Source, object, Fix | None]] = field(default_factory=dict, init=False)
    _findings: dict[Path, tuple[Source, object, list[Diagnostic]]] = field(default_factory=dict, init=False)

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

    def findings(self, source: Source) -> list[Diagnostic]:
        """Return everything that is wrong with a manifest, each finding at its place."""
        path, pack = Path(source.name), self.loaded()
        known = self._findings.get(path)
        if pack is None or known is None or known[0] is not source or known[1] is not pack:
            known = self._findings[path] = (source, pack, self._found(source))
        return known[2]

    def _found(self, source: Source) -> list[Diagnostic]:
        document = read_json(source.name, source.text)
        if not document.ok:
            return list(document.diagnostics)
        try:
            pack, kernels = load(self.pack), load_catalog(self.catalog)
        except PackErrors as errors:
            return [*document.diagnostics, _unusable(source, errors)]
        request = _request(document.value)
        request["manifest_inference"] = request.pop(SECTION)
        result = compile(**request, pack=pack, catalog=kernels)
        found = [self._placed(document, pack, finding) for finding in result.diagnostics]
        if not was_judged(result.ok, result.value, result.asked):
            found += _unjudged(document, pack)
        return [*document.diagnostics, *found]

    def _placed(self, document: Document, pack: CompiledPack, found: Diagnostic) -> Diagnostic:
        prefix = f"/{SECTION}" if SECTION in document.value else ""
        pointer = prefix + (found.pointer or "")
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

    def visits(self, source: Source) -> tuple[Visit, ...]:
        """Return the visits of a manifest's items in the flows of the pack, as far as its faults let them be made."""
        path, pack = Path(source.name), self.loaded()
        known = self._visits.get(path)
        if known is None or known[0] is not source or known[1] is not pack:
            known = self._visits[path] = (source, pack, self._observed(source, pack) if pack else ())
        return known[2]

    def fix(self, source: Source) -> Fix | None:
        """Return what would make a manifest pass, None where nothing is known that does, or nothing is to be done."""
        path, pack = Path(source.name), self.loaded()
        known = self._fixes.get(path)
        if known is None or known[0] is not source or known[1] is not pack:
            known = self._fixes[path] = (source, pack, self._fixed(source, pack) if pack else None)
        return known[2]

    def _fixed(self, source: Source, pack: CompiledPack) -> Fix | None:
        request = self._whole_request(source)
        if request is None:
            return None
        references = {
            name: {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
            for name, kernel in request["catalog"].items()
        }
        try:
            return fix(pack, request, references, MOST_TRIALS)
        except ValueError:  # the pack declares no fixes
            return None

    def _observed(self, source: Source, pack: CompiledPack) -> tuple[Visit, ...]:
        request = self._whole_request(source)
        if request is None:
            return ()
        seen = observe(pack, PROGRAM, request, _is_record)
        return tuple(visit for visit in seen.visits if visit.data["flow"])

    def _whole_request(self, source: Source) -> dict[str, Any] | None:
        """Return all that the program starts from; None for what is no manifest, or too long to be told of in full."""
        document = read_json(source.name, source.text)
        if not document.ok or section_path_of(document.value) is None or _count(document.value) > MOST_ITEMS:
            return None
        try:
            shared = {"catalog": load_catalog(self.catalog), "presets": load_presets()}
        except PackErrors:
            return None
        return {**shared, "runtime": None, **_request(document.value)}


def _is_record(item: Any) -> bool:
    return item is not None and not isinstance(item, dict | list | str | int | float)


def section_path_of(value: Any) -> tuple[str, ...] | None:
    """Return where a JSON value has the section that the rules decide; None for one that is no manifest."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get(SECTION), dict):
        return (SECTION,)
    return () if any(member in value for member in _SECTION_MEMBERS) else None


def _request(value: dict[str, Any]) -> dict[str, Any]:
    """Return what the program starts from: the section, and what a whole manifest says beside it."""
    whole = section_path_of(value) == (SECTION,)
    architecture = value.get("architecture") if whole else None
    layers = architecture.get("numLayers", 0) if isinstance(architecture, dict) else 0
    if isinstance(layers, str):
        layers = RUNTIME["_number"](layers)  # type: ignore[operator]
    model = value.get("modelId", "model") if whole else "model"
    return {SECTION: value[SECTION] if whole else value, "model_id": model, "num_layers": layers}


def _count(value: Any) -> int:
    """Return the length of the longest list within a few levels of a document."""
    level, longest = [value], 0
    for _ in range(5):
        longest = max([longest, *(len(item) for item in level if isinstance(item, list))])
        level = [child for item in level if isinstance(item, dict) for child in item.values()]
    return longest


def _unjudged(document: Document, pack: CompiledPack) -> list[Diagnostic]:
    """Return what is said of a manifest that nothing looked at, at what stands in the place of its graph.

    An editor opens JSON of all kinds, so only a section of the pack's own schema is blamed.
    """
    schema = pack.meta["constants"].get("schema_name")
    whole = section_path_of(document.value) == (SECTION,)
    section = document.value[SECTION] if whole else document.value
    what = recognise(section, schema)
    if what is None or section.get("schema") != schema:
        return []
    pointer = (f"/{SECTION}" if whole else "") + what.pointer
    span = (document.key_span if what.at_key else document.locate)(pointer)
    help_text = what.help(pack.meta["name"], schema)
    return [Diagnostic("cli/not-judged", (), ERROR, what.message, pointer=pointer, span=span, help=help_text)]


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
    """Return what an item read of its slots, by variable, and the slots that it wrote, with their contents."""
    environment, tainted = visit.walk.environment, visit.walk.tainted
    reads = {name: environment.get(name) for name, _ in visit.data["flow"]["reads"] if name not in tainted}
    writes = []
    for rule in visit.rules:
        if rule["kind"] == "transition":
            try:
                if not rule["when"] or pack.value(rule["when"], environment):
                    writes.append((pack.value(rule["slot"], environment), pack.value(rule["value"], environment)))
            except (EvaluationError, KeyError, AttributeError, TypeError):
                continue  # a fault left open what it writes
    return reads, writes


def pointer_of(pack: CompiledPack, visit: Visit) -> str | None:
    """Return the JSON pointer of a visit's item below the section."""
    term = visit.data["scope"]["at"]
    try:
        place = str(pack.value(term, visit.walk.environment)) if term else ""
    except (EvaluationError, KeyError):
        return None
    document, _, pointer = place.partition("#")
    return pointer if document == "manifest" else None
