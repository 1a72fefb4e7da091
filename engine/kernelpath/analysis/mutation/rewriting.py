"""A mutant as the rule's author would write it: the changed text of the rule file, read and checked anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from kernelpath.analysis.formatting.scalars import quoted
from kernelpath.analysis.mutation.mutants import Mutant
from kernelpath.analysis.mutation.operators import Change
from kernelpath.analysis.rule_text import RuleText
from kernelpath.diagnostics import Source
from kernelpath.language import Expression, LanguageErrors, parse, unparse
from kernelpath.packs import documents
from kernelpath.packs.documents import DocumentErrors, Node, Scalar, read_yaml
from kernelpath.packs.files import RuleFile
from kernelpath.packs.model import Pack, Rule, Term, Text
from kernelpath.packs.passing import known_before
from kernelpath.packs.rules import RuleNode, RuleReader
from kernelpath.packs.terms import TermReader


@dataclass(frozen=True)
class Rewriting:
    """Writes mutants of one rule into its file's text; nothing is stored."""

    pack: Pack
    text: RuleText

    @property
    def _source(self) -> Source:
        return self.text.root.source

    def written(self, mutant: Mutant) -> str | None:
        """Return the file's text with the mutant's change, None where it cannot be written in place."""
        edits = list(self._edits(mutant))
        text = self._source.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text if edits else None

    def _edits(self, mutant: Mutant) -> Iterator[tuple[int, int, str]]:
        if mutant.change is not None and mutant.part is not None:
            yield from self._term(mutant.part.term, mutant.change, mutant.piece)
        elif mutant.entries[0] == "drop when":
            yield from self._constant(mutant.entries[1].term)
        else:
            yield from self._entries(*mutant.entries)

    def _term(self, term: Term | Text, change: Change, piece: int) -> Iterator[tuple[int, int, str]]:
        node = self.text.node(term.place)
        if isinstance(node, Scalar) and node.text == term.text:
            new = _spliced(term, change, piece)
            if new is not None:
                yield node.start, node.end, _scalar(node, new)
        elif isinstance(node, documents.Mapping):  # the cells of a table's row
            key = next((key for key, value in self._pairs() if value is node), None)
            new = _spliced(term, change, piece)
            if key is not None and new is not None:
                yield key.start, node.end, f"when: {quoted(new)}"

    def _pairs(self) -> Iterator[tuple[Scalar, Node]]:
        waiting: list[Node] = [self.text.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, documents.Mapping):
                yield from node.entries
                waiting += [value for _, value in node.entries]
            elif isinstance(node, documents.Sequence):
                waiting += node.items

    def _constant(self, term: Term) -> Iterator[tuple[int, int, str]]:
        """A condition left out is one that always holds."""
        node = self.text.node(term.place)
        if isinstance(node, Scalar):
            yield node.start, node.end, _scalar(node, "true")
            return
        key = next((key for key, value in self._pairs() if value is node), None)
        if key is not None:
            yield key.start, node.end, "when: 'true'"

    def _entries(self, what: str, key: str, place: int) -> Iterator[tuple[int, int, str]]:
        items = self.text.root[key]
        assert isinstance(items, documents.Sequence)
        text, one = self._source.text, items.items[place]
        if what == "swap":
            before = items.items[place - 1]
            yield before.start, before.end, text[one.start : one.end]
            yield one.start, one.end, text[before.start : before.end]
        elif text[items.start] == "-":
            start = text.rfind("\n", 0, text.rfind("-", 0, one.start)) + 1
            after = text.find("\n", one.end)
            yield start, len(text) if after < 0 else after + 1, ""

    def difference(self, text: str) -> str:
        """Return how a text differs from the rule's file, as a unified diff."""
        before, after = self._source.text.splitlines(), text.splitlines()
        name = self._source.name
        return "\n".join(unified_diff(before, after, name, f"{name} (mutant)", lineterm="", n=1)) + "\n"

    def checked(self, text: str) -> Rule | None:
        """Return the rule that a text is, None where the checker refuses it: such a mutant is never born."""
        try:
            root = read_yaml(Source(self._source.name, text))
        except DocumentErrors:
            return None
        rule, stage = self.text.rule, self.pack.stages[self.text.rule.stage]
        assert isinstance(root, documents.Mapping)
        slots = next((flow.type for flow in self.pack.flows.values() if flow.name in stage.each), None)
        terms = TermReader(vocabularies=self.pack.vocabularies, functions=dict(self.pack.functions))
        file = RuleFile(rule.identity.split("/")[0], rule.stage, rule.name, Path(self._source.name), self._source.name)
        node = RuleNode(file, root, rule.kind, rule.severity)
        facts = known_before(self.pack, stage, rule)
        return RuleReader(terms, node, self.pack.scopes[rule.scope], facts, slots).read()


def _spliced(term: Term | Text, change: Change, piece: int) -> str | None:
    """Return a term's text with the change, the rest as it is written; a written-out function stays written out."""
    old, new = _written_as_one(change)
    text = term.text
    start, end = old.start, old.end
    inside = text[:start] + f"({unparse(new)})" + text[end:]
    if isinstance(term, Text):
        inside = text[:start] + unparse(new) + text[end:]
        return inside if start < end <= len(text) else None
    try:
        return unparse(parse(inside)) if start < end else None
    except LanguageErrors:
        return None


def _written_as_one(change: Change) -> tuple[Expression, Expression]:
    """Return the smallest step whose stretch of the text is its own: what a function made has that of the call."""
    steps = change.steps
    for place, (old, new) in enumerate(steps):
        above = steps[place + 1 :]
        if all((old.start, old.end) != (outer.start, outer.end) and outer.start <= old.start for outer, _ in above):
            return old, new
    return steps[-1]


def _scalar(node: Scalar, text: str) -> str:
    """Return a text as a value in the place of another."""
    end = "\n" if node.source.text[node.start : node.end].endswith("\n") else ""
    return (text if not node.style and _stays_plain(text) else quoted(text)) + end


def _stays_plain(text: str) -> bool:
    from kernelpath.analysis.formatting.scalars import is_plain

    return is_plain(text, True)
