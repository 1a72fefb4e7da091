"""Ask a pack about a manifest, and put what it finds at its places in the user's files and in the rules."""

from __future__ import annotations

from kernelpath.api import Result, ask, given_values, load_pack
from kernelpath.cli.inputs import InputErrors, Manifest, Overlay, read_manifest, read_overlay, unusable
from kernelpath.cli.settings import NO_SETTING, Setting, settings_of
from kernelpath.evaluate.report import was_judged
from kernelpath.graph.catalog import load_catalog
from kernelpath.packs.folders import PackErrors, is_shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.diagnostics.account import Account
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.evaluate.unasked import Unasked

NOTHING = "cli/not-judged"


class Judged:
    """What a manifest comes to: `value` is None where it may not run, `unasked` what errors kept from being asked."""

    def __init__(
        self,
        manifest: Manifest,
        ok: bool,
        value: Any,
        diagnostics: list[Diagnostic],
        unasked: Sequence[Unasked] = (),
        setting: Setting = NO_SETTING,
    ) -> None:
        self.manifest = manifest
        self.unasked = unasked
        self.ok = ok
        self.value = value
        self.diagnostics = diagnostics
        self.setting = setting


class Judge:
    """A pack, a catalogue, an overlay and a setting, which manifests are judged by."""

    def __init__(self, options: Namespace, overlay: Overlay | None) -> None:
        self.pack: CompiledPack = usable_pack(options.pack)
        self.catalog = usable_catalog(options.catalog)
        self.overlay = overlay
        self.setting = NO_SETTING
        self.num_layers: int | None = options.num_layers
        self.verbose: bool = options.verbose
        self.is_shipped = is_shipped(options.pack)

    @staticmethod
    def of(options: Namespace) -> Judge:
        """Return the judge that a command's options describe; raises InputErrors where they describe none."""
        return Judge(options, read_overlay(options.runtime))

    @staticmethod
    def each(options: Namespace) -> list[Judge]:
        """Return a judge for each setting that a command's options describe; raises InputErrors as `of` does."""
        judge = Judge.of(options)
        settings = settings_of(options, judge.pack, judge.question)
        return [judge.under(setting) for setting in settings]

    def under(self, setting: Setting) -> Judge:
        """Return this judge under a setting."""
        from copy import copy

        judge = copy(self)
        judge.setting = setting
        return judge

    def judge(self, name: str) -> Judged:
        """Return what the manifest in a file comes to; raises InputErrors where it is none, or nothing judges it."""
        return self.judge_manifest(read_manifest(name))

    def judge_manifest(self, manifest: Manifest) -> Judged:
        """Return what a manifest comes to; raises InputErrors where nothing judges it."""
        question, request = self.request(manifest)
        return self.judged(manifest, question, ask(question, pack=self.pack, **request))

    def judged(self, manifest: Manifest, question: str, result: Result) -> Judged:
        """Return what an answer says of a manifest; raises InputErrors if no rule looked at it."""
        value = _state(result.value) if question == "apply" else result.value
        found = [*self.placed(manifest, result.diagnostics), *self._unwalked(question)]
        if not was_judged(result.ok, value, result.asked) or (result.ok and steps_of(value) == []):
            raise self.not_judged(manifest, question, found)
        return Judged(manifest, result.ok, value, found, result.unasked, self.setting)

    def _unwalked(self, question: str) -> list[Diagnostic]:
        """Return what is to be said of rules that a question does not ask; shipped packs are as they are."""
        if self.is_shipped:
            return []
        from kernelpath.cli.unwalked import unwalked

        return unwalked(self.pack, question)

    def not_judged(self, manifest: Manifest, question: str, found: Sequence[Diagnostic] = ()) -> InputErrors:
        """Return the error for a manifest that a question passes only because no rule looked at it."""
        from kernelpath.diagnostics import ERROR, Diagnostic
        from kernelpath.graph.recognising import Unjudged, recognise

        meta = self.pack.meta
        schema = meta["constants"].get("schema_name")
        what = recognise(manifest.inference, schema)
        if what is None:
            what = Unjudged(f"question `{question}` of pack `{meta['name']}` asks no rule of this graph")
        pointer = manifest.prefix + what.pointer
        span = (manifest.document.key_span if what.at_key else manifest.document.locate)(pointer)
        help_text = what.help(meta["name"], schema)
        said = Diagnostic(NOTHING, (), ERROR, what.message, pointer=pointer, span=span, help=help_text)
        return InputErrors([*found, said], self.sources([manifest]))

    @property
    def question(self) -> str:
        """The question that judges a manifest under the overlay.

        A runtime config is applied, since it may name a kernel path of its own; anything else is compiled.
        """
        name = "apply" if self.overlay is not None and self.overlay.is_config else "compile"
        if name not in self.pack.meta["questions"]:
            given_values(self.pack, name, {})  # raises what there is to say about it
        return name

    def request(self, manifest: Manifest) -> tuple[str, dict[str, Any]]:
        """Return the question that judges a manifest under the overlay and the setting, and what it is asked with."""
        if self.question == "apply":
            assert self.overlay is not None
            config = self.overlay.document.value
            given = {"manifest": self.whole(manifest), "runtime_config": config, "catalog": self.catalog}
            return "apply", self.known(given) | self.setting.values
        given = {
            "manifest": manifest.whole_value(),
            "runtime": self.overlay.document.value if self.overlay else None,
            "num_layers": self.layers(manifest),
            "catalog": self.catalog,
        }
        return "compile", self.known(given) | self.setting.values

    def known(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return what the pack knows of a request; raises InputErrors for what the user gave and it does not know."""
        meta = self.pack.meta
        unknown = [name for name in given if name not in meta["documents"] and name not in meta["inputs"]]
        asked = {"num_layers": self.num_layers, "runtime": self.overlay, "runtime_config": self.overlay}
        for name in unknown:
            if asked.get(name) is not None:
                raise unusable("cli/usage", f"pack `{meta['name']}` has no document or input `{name}`")
        return {name: value for name, value in given.items() if name not in unknown}

    def layers(self, manifest: Manifest) -> Any:
        """Return how many layers a manifest is judged for: as the caller says, else as the manifest does."""
        if self.num_layers is not None:
            return self.num_layers
        from kernelpath.language import RUNTIME  # the number of layers may be written as text

        layers = manifest.num_layers()
        return RUNTIME["_number"](layers) if isinstance(layers, str) else layers  # type: ignore[operator]

    def whole(self, manifest: Manifest) -> dict[str, Any]:
        """Return the manifest as a whole one, with the number of layers that the caller says."""
        value = manifest.whole_value()
        if self.num_layers is None:
            return dict(value)
        architecture = value.get("architecture")
        given = architecture if isinstance(architecture, dict) else {}
        return {**value, "architecture": {**given, "numLayers": self.num_layers}}

    def placed(self, manifest: Manifest, diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
        """Return findings at their places, after those of the documents themselves."""
        documents = [manifest.document] + ([self.overlay.document] if self.overlay else [])
        found = [diagnostic for document in documents for diagnostic in document.diagnostics]
        found += self.setting.diagnostics()
        if not diagnostics:
            return found
        from kernelpath.cli.placing import Placing

        placing = Placing(self, manifest)
        return found + [placing.placed(diagnostic) for diagnostic in diagnostics]

    def account(self, judged: Sequence[Judged], found: Sequence[Diagnostic], format: str) -> Account:
        """Return what a report in a format says besides its findings."""
        from kernelpath.cli.accounts import account_of

        return account_of(self.pack, judged, found if format == "sarif" else ())

    def sources(self, manifests: list[Manifest]) -> dict[str, Source]:
        """Return the texts that findings may point into."""
        documents = [manifest.document for manifest in manifests]
        documents += [self.overlay.document] if self.overlay else []
        return {document.source.name: document.source for document in documents} | self.setting.sources()


def usable_pack(name: str) -> CompiledPack:
    """Return a pack; raises InputErrors with every mistake in it."""
    try:
        return load_pack(name)
    except PackErrors as errors:
        raise refused(errors) from None


def usable_catalog(name: str) -> Any:
    """Return a catalogue's kernels; raises InputErrors where it is none."""
    try:
        return load_catalog(name)
    except PackErrors as errors:
        raise refused(errors) from None


def refused(errors: PackErrors) -> InputErrors:
    """Return a pack's mistakes as errors of input, with the files that they point into."""
    from kernelpath.cli.placing import pack_sources

    return InputErrors(errors.diagnostics, pack_sources(errors.diagnostics))


def _state(applied: Any) -> Any:
    """Return the compiled graph in what `apply` answers; all of it, if a pack's own answers something else."""
    return applied.get("executionV0State", applied) if isinstance(applied, dict) else applied


def steps_of(value: Any) -> Any:
    """Return all resolved steps of a compiled graph; None for what another pack answers."""
    resolved = value.get("resolvedSteps") if isinstance(value, dict) else None
    return resolved.get("all") if isinstance(resolved, dict) else None


__all__ = ["Judge", "Judged", "refused", "steps_of", "usable_catalog", "usable_pack"]
