"""In which order the rules of a stage are evaluated, as follows from what they read, give and guard.

A rule comes after those that give what it reads, and after the checks that guard what it reads. Nothing else has an
order: rules that do not depend on each other come by their first decision, then by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kernelpath.diagnostics import ERROR, Diagnostic
from kernelpath.language import LanguageErrors
from kernelpath.packs import documents
from kernelpath.packs.columns import paths_read
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.grammar import RULE, Path, role_at
from kernelpath.packs.rules import RuleNode
from kernelpath.packs.terms import TermReader


@dataclass(frozen=True)
class RuleSketch:
    """What can be said of a rule before its types are checked: what it gives, reads and guards."""

    node: RuleNode
    terms: TermReader

    @property
    def gives(self) -> str | None:
        """The variable that the rule resolves."""
        node = self.node.root.get("resolve") or self.node.root.get("table")
        return str(to_plain(node)) if node is not None and self.node.kind in ("resolve", "table") else None

    @cached_property
    def guards(self) -> frozenset[str]:
        """The paths that no other rule may read where this check failed."""
        node = self.node.root.get("guards")
        return frozenset(map(str, to_plain(node))) if isinstance(node, documents.Sequence) else frozenset()  # type: ignore[call-overload]

    @cached_property
    def reads(self) -> frozenset[str]:
        """The dotted paths that the rule reads in its conditions, its results and its texts."""
        return frozenset(path for where, scalar in _scalars(self.node.root, ()) for path in self._read(where, scalar))

    def _read(self, path: Path, node: Scalar) -> set[str]:
        """Return what a scalar reads: one that is neither an expression nor a message reads nothing."""
        role = role_at(RULE, path)
        try:
            if role and role.kind == "expression":
                return paths_read(self.terms.expression(node.text))
            pieces = self.terms.message(node.text).pieces if role and role.kind == "message" else ()
        except LanguageErrors:
            return set()
        return {read for piece in pieces if not isinstance(piece, str) for read in paths_read(piece)}

    def follows(self, other: RuleSketch) -> bool:
        """Return whether this rule reads what the other one gives or guards; two that guard each other are free."""
        if other.gives is not None and other.gives in self.reads:
            return True
        return not other.guards.isdisjoint(self.reads) and self.guards.isdisjoint(other.reads)

    @cached_property
    def rank(self) -> tuple[str, int, str]:
        """What independent rules are sorted by."""
        node = self.node.root.get("decisions")
        first = next(iter(node), None) if isinstance(node, documents.Sequence) else None
        match = re.fullmatch(r"([A-Z]+)([0-9]+)", str(to_plain(first))) if first is not None else None
        letter, number = (match[1], int(match[2])) if match else ("~", 0)
        return letter, number, self.node.file.name


def _scalars(node: Node, path: Path) -> Iterator[tuple[Path, Scalar]]:
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, documents.Mapping):
        for key, value in node.entries:
            yield from _scalars(value, (*path, key.text))
    else:
        for place, item in enumerate(node):
            yield from _scalars(item, (*path, place))


def ordered(nodes: Sequence[RuleNode], terms: TermReader) -> list[RuleSketch]:
    """Return the rules in evaluation order; rules that need each other in a circle are reported."""
    sketches = sorted((RuleSketch(node, terms) for node in nodes), key=lambda sketch: sketch.rank)
    sorting = _Sorting(sketches, terms.diagnostics)
    for sketch in sketches:
        if sketch.gives is not None and sketch.gives in sketch.reads:
            sorting.circle([sketch, sketch])
    for sketch in sketches:
        sorting.place(sketch, [])
    return sorting.result if sorting.whole else []  # without an order, no rule can say what holds before it


@dataclass(slots=True)
class _Sorting:
    sketches: Sequence[RuleSketch]
    diagnostics: list[Diagnostic]
    result: list[RuleSketch] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    whole: bool = True

    def place(self, sketch: RuleSketch, path: list[RuleSketch]) -> None:
        identity = sketch.node.file.identity
        if identity in self.done:
            return
        if sketch in path:
            self.circle([*path[path.index(sketch) :], sketch])
            return
        for other in self.sketches:
            if other is not sketch and sketch.follows(other):
                self.place(other, [*path, sketch])
        if identity not in self.done:
            self.done.add(identity)
            self.result.append(sketch)

    def circle(self, circle: list[RuleSketch]) -> None:
        """Report a circle, unless it shares a rule with one that was reported."""
        identities = {each.node.file.identity for each in circle}
        self.whole = False
        if self.done.isdisjoint(identities):
            names = [f"{each.node.file.stage}/{each.node.file.name}" for each in circle]
            node = giving(circle[0].node.root)
            message = f"rules need each other in a circle: {' -> '.join(names)}"
            if len(names) == 2:
                message = f"rule {names[0]} reads `{circle[0].gives}`, which it gives"
            self.diagnostics.append(Diagnostic("pack/rule-cycle", (), ERROR, message, span=node.span))
        self.done |= identities


def giving(root: documents.Mapping) -> Node:
    """Return where a rule says what it gives or guards; its first key where it does neither."""
    named = next((root[key] for key in ("resolve", "table", "guards") if key in root), None)
    return named or root.entries[0][0]


def refuse_twice_given(sketches: Sequence[RuleSketch], terms: TermReader) -> None:
    """Report each rule that gives a variable that another one gives."""
    givers: dict[str, RuleSketch] = {}
    for sketch in sketches:
        name = sketch.gives
        if name and name in givers:
            message = f"`{name}` is already given by rule `{givers[name].node.file.identity}`"
            help_text = "a variable has one rule: add a candidate there, or give another variable here"
            terms.fault(giving(sketch.node.root), "pack/given", message, help_text)
        elif name:
            givers[name] = sketch
