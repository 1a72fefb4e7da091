"""Put findings at their places: the line of the user's file, and the rule's file."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from kernelpath.diagnostics import Diagnostic, Label, Source, Span
from kernelpath.evaluate.recognising import question_about
from kernelpath.graph.pointers import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.cli.judging import Judge
    from kernelpath.cli.overlaid import Overlaid


class Placing:
    """Knows the documents that a pack's findings point into."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.pack = judge.pack
        self.given = judge.given
        self.beside = judge.beside

    def placed(self, found: Diagnostic) -> Diagnostic:
        """Return a finding with its span, its pointer into the file, and the place of its rule."""
        secondary = (*found.secondary, *self._rule_label(found.rule))
        if self.judge.verbose:
            found = replace(found, docs=self._why(found.rule))
        given = self.judge.setting.given.get(found.document or "")
        if given is not None:
            return replace(found, span=given.locate(found.pointer or ""), secondary=secondary)
        other = self._pointer_beside(found)
        if other is not None and self.beside is not None:
            pointer, span = self.beside.pointer(other), self.beside.locate(other)
            return replace(found, document=self._called(), pointer=pointer, span=span, secondary=secondary)
        pointer = self.given.pointer(found.pointer or "")
        return replace(found, pointer=pointer, span=self.given.document.locate(pointer), secondary=secondary)

    def _called(self) -> str:
        """Return what the document beside is called: the overlay that it is, or that it holds."""
        assert self.beside is not None
        return next(iter(self.pack.meta["documents"][self.beside.name]["holds"]), self.beside.name)

    def _pointer_beside(self, found: Diagnostic) -> str | None:
        """Return where in the document beside a finding belongs, None if it belongs in the first one."""
        if self.beside is None:
            return None
        if found.document == self.beside.name:
            return found.pointer or ""
        held = self.pack.meta["documents"][self.beside.name]["holds"]
        if found.document in held:
            return f"{held[found.document]}{found.pointer or ''}"
        replaced = self.judge.replaced()
        if replaced is not None:  # the items that were judged are not the first document's own
            return None if found.pointer is None else replaced
        overlaid = self._overlaid
        pointer = overlaid.pointer(found, found.pointer or "") if overlaid else None
        return None if pointer is None or overlaid is None else held.get(overlaid.overlay, "") + pointer

    @cached_property
    def _overlaid(self) -> Overlaid | None:
        """What the document beside replaces of the first one, as the overlay that it is, or that it holds."""
        assert self.beside is not None
        documents = self.pack.meta["documents"]
        held = documents[self.beside.name]["holds"]
        name = next((each for each in (self.beside.name, *held) if documents[each]["over"]), None)
        question = question_about(self.pack, self.given.name, name) if name else None
        if name is None or question is None:
            return None
        from kernelpath.cli.overlaid import Overlaid  # needed only where an overlay was given

        value = self.beside.value
        for step in tokens(held.get(name, "")):
            value = value.get(step) if isinstance(value, dict) else None
        request = {**self.judge.request(), name: value}
        known = self.pack.meta["questions"][question]["given"]
        return Overlaid(self.pack, question, {key: each for key, each in request.items() if key in known}, name)

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
