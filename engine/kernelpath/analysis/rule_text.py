"""A rule's file beside its model: where in the file each expression is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kernelpath.diagnostics import Span
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar, read_yaml
from kernelpath.packs.files import read_source
from kernelpath.packs.model import Place, Rule, Term, Text


@dataclass(frozen=True)
class RuleText:
    """A rule and the tree of its file."""

    rule: Rule
    root: documents.Mapping

    @cached_property
    def _nodes(self) -> dict[tuple[int, int], Node]:
        nodes: dict[tuple[int, int], Node] = {}
        for node in nodes_of(self.root):
            nodes.setdefault((node.span.line, node.span.column), node)
        return nodes

    def node(self, place: Place) -> Node:
        """Return the value that stands at a place of the model."""
        return self._nodes[place.line, place.column]

    def part(self, term: Term | Text, start: int, end: int) -> Span:
        """Return the span of a stretch of an expression or a message; the whole where it stands for other text."""
        node = self.node(term.place)
        return node.text_span(start, end) if isinstance(node, Scalar) and node.text == term.text else node.span

    def key_span(self, key: str) -> Span:
        """Return where a key of the rule is written."""
        return self.root.key_span(key)


def read_rule_text(folder: Path, rule: Rule) -> RuleText:
    """Return a rule of a pack's own folder with its file's tree."""
    root = read_yaml(read_source(folder / rule.stage / f"{rule.name}.yaml", folder))
    assert isinstance(root, documents.Mapping)  # INVARIANT: the pack was read, so the file is a rule
    return RuleText(rule, root)


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield every value of a tree, outer ones first; keys are left out."""
    yield node
    children = node.items if isinstance(node, documents.Sequence) else ()
    values = [value for _, value in node.entries] if isinstance(node, documents.Mapping) else children
    for child in values:
        yield from nodes_of(child)
