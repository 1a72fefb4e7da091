"""What a case gives: the variables of a rule's scope, or the documents of a whole question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelpath.analysis.testing import wording
from kernelpath.analysis.testing.reading import Reads
from kernelpath.analysis.testing.records import admits_null, filled, neutral
from kernelpath.analysis.testing.values import ValueReader
from kernelpath.diagnostics import Diagnostic
from kernelpath.language.types import STRING
from kernelpath.packs.documents import Mapping as Entry
from kernelpath.packs.documents import Scalar
from kernelpath.packs.model import Pack, Rule, Scope
from kernelpath.packs.reads import gives, rule_names, text_names

_SOURCE = re.compile(r"source\((\w+)\)")


@dataclass(frozen=True, slots=True)
class Given:
    """The values of a case, and the provenances of resolved variables.

    `values` lack what the case leaves out and has no value of its own (constants have, and what may be null is null).
    """

    values: Mapping[str, object]
    sources: Mapping[str, str]

    def whole(self, rule: Rule, scope: Scope) -> dict[str, object]:
        """Return every variable that a rule may read, and `source(NAME)` of the resolved ones; neutral if not given."""
        read = {*rule_names(rule), *scope.own, *scope.given, *text_names([scope.subject, scope.at])}
        types = {name: scope.variables[name] for name in read if name in scope.variables}
        values = {n: filled(self.values[n], t) if n in self.values else neutral(t) for n, t in types.items()}
        return values | {f"source({name})": self.sources.get(name, "") for name in scope.given}


@dataclass(slots=True)
class GivenReader:
    """Reads what a case gives to one rule; what is wrong is collected in `faults`."""

    pack: Pack
    rule: Rule
    scope: Scope
    reads: Reads
    faults: list[Diagnostic]
    sources: dict[str, str] = field(default_factory=dict)

    def variables(self, node: Entry | None) -> Given:
        """Return the scope's variables as a case gives them."""
        reader = ValueReader(self.faults, self.reads.fields)
        values = {name: self.pack.constants[name] for name in self.scope.variables if name in self.pack.constants}
        values |= {name: None for name, type_ in self.scope.variables.items() if admits_null(type_)}
        self.sources = {}
        for key, value in node.entries if node else ():
            if source := _SOURCE.fullmatch(key.text):
                self._source(key, source.group(1), reader.value(value, STRING))
            elif self._is_read(key):
                values[key.text] = reader.value(value, self.scope.variables[key.text])
        own = gives(self.rule)
        if own:
            values.pop(own, None)
        return Given(values, self.sources)

    def _is_read(self, key: Scalar) -> bool:
        name = key.text
        if name not in self.scope.variables:
            self._fault(wording.unknown_variable(name, self.scope.name, self.scope.variables), key)
        elif name == gives(self.rule):
            self._fault(wording.own_variable(name), key)
        elif name not in self.reads.variables:
            self._fault(wording.unread_variable(name, self.reads.variables), key)
        else:
            return True
        return False

    def _source(self, key: Scalar, name: str, value: object) -> None:
        if name not in self.scope.given:
            self._fault(wording.unknown_source(name, self.scope.name, self.scope.given), key)
        elif name not in self.reads.sources:
            self._fault(wording.unread_variable(key.text, [f"source({other})" for other in self.reads.sources]), key)
        elif isinstance(value, str):
            self.sources[name] = value

    def asked(self, question: str, node: Entry | None) -> Given:
        """Return the documents and inputs that a question is asked with; documents that are left out are null."""
        reader = ValueReader(self.faults)
        inputs = [name for name, value in self.pack.values.items() if value.input]
        names = (*self.pack.questions[question].given, *inputs)
        shipped = {name for name, document in self.pack.documents.items() if document.resource}
        values: dict[str, object] = dict.fromkeys(set(self.pack.questions[question].given) - shipped)
        for key, value in node.entries if node else ():
            if key.text in names:
                values[key.text] = reader.value(value, self.pack.cells[key.text])
            else:
                self._fault(wording.unknown_document(question, key.text, names), key)
        return Given(values, {})

    def _fault(self, words: wording.Words, key: Scalar) -> None:
        self.faults.append(wording.told(words, key.span))
