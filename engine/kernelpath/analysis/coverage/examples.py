"""Cases made of plain values: read as a test file's are, evaluated, made small, and written to be pasted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kernelpath.analysis.formatting.flow_text import flow
from kernelpath.analysis.formatting.scalars import inline
from kernelpath.analysis.testing.given import Given, GivenReader
from kernelpath.analysis.testing.meaning import Observe, evaluate
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.reading import reads_of
from kernelpath.analysis.testing.records import NotGiven
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.packs import documents
from kernelpath.packs.documents import DocumentErrors, read_yaml
from kernelpath.packs.model import Pack, Rule

Plain = dict[str, Any]
_LONGEST = 5_000  # characters: no one would paste a longer case
_MOST_TRIES = 200


@dataclass(frozen=True, slots=True)
class Example:
    """A case that no test file has yet: what it gives, and what the rule does with it."""

    given: Plain
    outcome: Outcome

    def expected(self) -> object:
        """Return the outcome as a test file expects it, without what is null anyway."""
        found = self.outcome.to_plain()
        if not isinstance(found, dict):
            return found
        return {name: value for name, value in found.items() if value is not None or name not in ("help", "at")}

    def text(self, name: str) -> str:
        """Return the case as a test file has it, at the depth of a case."""
        lines = [f"- name: {inline(name, False)}", f"  given: {flow(self.given)}"]
        return "\n".join([*lines, f"  expect: {flow(self.expected())}"]) + "\n"

    def line(self, name: str) -> str:
        """Return the case as an item of a test file on one line."""
        return f"- {flow({'name': name, 'given': self.given, 'expect': self.expected()})}"


class Bench:
    """Evaluates a rule, or a change of it, on plain givens; None where a test file may not say so."""

    def __init__(self, pack: Pack, rule: Rule) -> None:
        self.pack, self.rule = pack, rule
        self.scope = pack.scopes[rule.scope]
        self._reads = reads_of(rule, self.scope)

    def given(self, plain: Plain) -> Given | None:
        """Return what a case would give, None where it has a mistake."""
        try:
            text = json.dumps(plain)
            if len(text) > _LONGEST:
                return None
            root = read_yaml(Source("", text))
        except (DocumentErrors, ValueError):
            return None
        faults: list[Diagnostic] = []
        assert isinstance(root, documents.Mapping)
        found = GivenReader(self.pack, self.rule, self.scope, self._reads, faults).variables(root)
        return None if faults else found

    def outcome(self, given: Given, rule: Rule | None = None, observe: Observe | None = None) -> Outcome | None:
        """Return what the rule does; None where it reads what is not given, or says what hangs on that."""
        try:
            found = evaluate(rule or self.rule, self.scope, given.values, given.sources, observe)
        except (NotGiven, TypeError, KeyError, AttributeError, ValueError):
            return None
        return None if found.kind == "error" else found

    def lacks(self, given: Given, rule: Rule) -> bool:
        """Return whether a rule reads what is not given."""
        try:
            evaluate(rule, self.scope, given.values, given.sources)
        except NotGiven:
            return True
        except (TypeError, KeyError, AttributeError, ValueError):
            return False
        return False

    def example(self, plain: Plain) -> Example | None:
        """Return the case of plain values, None where it could not be one."""
        given = self.given(plain)
        outcome = None if given is None else self.outcome(given)
        return None if outcome is None else Example(plain, outcome)

    def smallest(self, plain: Plain, shows: Callable[[Plain], bool]) -> Plain:
        """Return what is left of plain values when everything is taken away that `shows` does not need."""
        tries, shrunk = _MOST_TRIES, True
        while shrunk:
            shrunk = False
            for smaller in without_one(plain):
                tries -= 1
                if tries >= 0 and shows(smaller):
                    plain, shrunk = smaller, True
                    break
        return plain


def without_one(plain: Any) -> Iterator[Any]:
    """Yield a nested value without each of its parts in turn, outer ones first."""
    if isinstance(plain, dict):
        for name in plain:
            yield {other: value for other, value in plain.items() if other != name}
        for name, value in plain.items():
            for smaller in without_one(value):
                yield {**plain, name: smaller}
    elif isinstance(plain, list):
        for index, value in enumerate(plain):
            yield [*plain[:index], *plain[index + 1 :]]
            for smaller in without_one(value):
                yield [*plain[:index], smaller, *plain[index + 1 :]]
