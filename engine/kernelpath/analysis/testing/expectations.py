"""Read what a case expects, and hold it to what the rule can give."""

from __future__ import annotations

from dataclasses import dataclass

from kernelpath.analysis.testing import wording
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.values import ValueReader
from kernelpath.diagnostics import Diagnostic
from kernelpath.language import Type
from kernelpath.language.types import JSON, STRING
from kernelpath.packs.documents import Mapping, Node, Scalar, to_plain
from kernelpath.packs.model import Pack, Resolve, Rule, Table, Transition

_KINDS = ("pass", "skip", "fail", "value", "slot", "error")
_WAYS = {
    "check": ("pass", "fail", "skip", "error"),
    "resolve": ("value", "skip", "error"),
    "table": ("value", "skip", "error"),
    "transition": ("slot", "skip", "error"),
}


@dataclass(slots=True)
class ExpectationReader:
    """Reads the expectations of one rule's cases; what is wrong is collected in `faults`."""

    pack: Pack
    rule: Rule
    faults: list[Diagnostic]

    def read(self, node: Node, run: str | None) -> Outcome | None:
        """Return what is expected, or None after collecting a fault."""
        parts = to_plain(node) if isinstance(node, Mapping) else {}
        assert isinstance(parts, dict)
        kind = node.text if isinstance(node, Scalar) else next(name for name in _KINDS if name in parts)
        words = self._mistaken(kind, parts, run)
        if words:
            self.faults.append(wording.told(words, node.span))
            return None
        return Outcome(kind, self._typed(node, parts) if isinstance(node, Mapping) else {})

    def _mistaken(self, kind: str, parts: dict[str, object], run: str | None) -> wording.Words | None:
        rule = self.rule
        if run is not None:
            if rule.kind != "check":
                return wording.question_of_check(rule.kind)
            return None if kind in ("pass", "fail") else wording.question_expects()
        if kind not in _WAYS[rule.kind]:
            return wording.expects(rule.kind, kind, ", ".join(f"`{way}`" for way in _WAYS[rule.kind]))
        if kind == "skip" and rule.when is None:
            return wording.never_skips()
        if kind == "fail" and not isinstance(parts["fail"], str):
            return wording.many_fails()
        return self._mistaken_source(kind, parts)

    def _mistaken_source(self, kind: str, parts: dict[str, object]) -> wording.Words | None:
        rule = self.rule
        if kind != "value" or (isinstance(rule, Resolve) and "source" in parts):
            return None
        if "source" in parts:
            return wording.source_of(rule.kind)
        told = isinstance(rule, Resolve) and any(way.source.text != '"derived"' for way in rule.candidates)
        return wording.no_source() if told else None

    def _typed(self, node: Mapping, parts: dict[str, object]) -> dict[str, object]:
        """Return the parts, those that the rule gives read by their types."""
        reader = ValueReader(self.faults)
        types = {"value": self._value_type(), "holds": self._holds_type(), "slot": STRING}
        return {name: reader.value(node[name], types[name]) if name in types else part for name, part in parts.items()}

    def _value_type(self) -> Type:
        if not isinstance(self.rule, Resolve | Table) or (isinstance(self.rule, Table) and self.rule.hit == "build"):
            return JSON
        return self.pack.scopes[self.rule.scope].given[self.rule.variable]

    def _holds_type(self) -> Type:
        return self.rule.value.checked.type if isinstance(self.rule, Transition) else JSON
