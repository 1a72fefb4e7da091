"""Put findings at their places: the line of the user's file, and the rule's file."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from kernelpath.cli.inputs import Manifest
from kernelpath.diagnostics import Diagnostic, Label, Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.cli.judging import Judge
    from kernelpath.cli.overlaid import Overlaid

SECTION = "/inference"


class Placing:
    """Knows the documents that a pack's findings point into."""

    def __init__(self, judge: Judge, manifest: Manifest) -> None:
        self.judge = judge
        self.pack = judge.pack
        self.manifest = manifest
        self.overlay = judge.overlay

    def placed(self, found: Diagnostic) -> Diagnostic:
        """Return a finding with its span, its pointer into the whole document, and the place of its rule."""
        secondary = (*found.secondary, *self._rule_label(found.rule))
        if self.judge.verbose:
            found = replace(found, docs=self._why(found.rule))
        given = self.judge.setting.given.get(found.document or "")
        if given is not None:
            span = given.locate(found.pointer or "")
            return replace(found, span=span, secondary=secondary)
        pointer = self._overlay_pointer(found)
        if pointer is not None and self.overlay is not None:
            span = self.overlay.document.locate(pointer)
            return replace(found, document="runtime", pointer=pointer, span=span, secondary=secondary)
        pointer = self.manifest.prefix + (found.pointer or "").removeprefix(SECTION)
        return replace(found, pointer=pointer, span=self.manifest.document.locate(pointer), secondary=secondary)

    def _overlay_pointer(self, found: Diagnostic) -> str | None:
        """Return where in the overlay's document a finding belongs, None where it belongs in the manifest."""
        if self.overlay is None:
            return None
        if found.document in ("runtime", "runtime_config"):
            return found.pointer or ""
        if self._derived:  # the graph that was compiled is not the manifest's own
            return None if found.pointer is None else f"{SECTION}/kernelPath"
        pointer = self._overlaid.pointer(found, found.pointer or "")
        return None if pointer is None else (SECTION if self.overlay.is_config else "") + pointer

    @cached_property
    def _overlaid(self) -> Overlaid:
        from kernelpath.cli.overlaid import Overlaid  # needed only where an overlay was given

        assert self.overlay is not None
        request = {"manifest": self.manifest.whole_value(), "num_layers": self.judge.layers(self.manifest)}
        value = self.overlay.document.value
        request |= {"catalog": self.judge.catalog, "runtime": value["inference"] if self.overlay.is_config else value}
        request |= self.judge.setting.values
        return Overlaid(self.pack, "compile", request, "runtime")

    @cached_property
    def _derived(self) -> bool:
        """Whether the config names a kernel path, from which the graph is derived."""
        section = self.overlay.document.value.get("inference") if self.overlay and self.overlay.is_config else None
        return isinstance(section, dict) and bool(section.get("kernelPath"))

    def _rule_label(self, identity: str) -> tuple[Label, ...]:
        place = self._rules.get(identity)
        return () if place is None else (Label(Span(place[0], place[1], 1, place[1], 1), "rule"),)

    def _why(self, identity: str) -> str | None:
        """Return why a rule is there."""
        from kernelpath.cli.accounts import rule_texts

        text = rule_texts(self.pack, {identity}).get(identity)
        return (text.why or None) if text else None

    @cached_property
    def _rules(self) -> dict[str, tuple[str, int]]:
        rules = [rule for stage in self.pack.meta["stages"].values() for rule in stage]
        return {rule["id"]: (rule["file"], rule["line"]) for rule in rules}


def pack_sources(diagnostics: list[Diagnostic]) -> dict[str, Source]:
    """Return the texts of the pack files that findings point into; those that cannot be read are left out."""
    names = {found.span.file for found in diagnostics if found.span}
    names |= {label.span.file for found in diagnostics for label in found.secondary}
    texts = {name: pack_text(name) for name in names}
    return {name: Source(name, text) for name, text in texts.items() if text is not None}


def pack_text(shown: str) -> str | None:
    """Return the text of a pack's file by the name that messages show; None where it cannot be read."""
    from kernelpath.packs.files import shown_text

    return shown_text(shown)
