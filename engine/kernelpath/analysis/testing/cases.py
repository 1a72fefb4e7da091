"""Read a test file: its cases, each checked against the rule that it is beside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kernelpath.analysis.testing import wording
from kernelpath.analysis.testing.expectations import ExpectationReader
from kernelpath.analysis.testing.given import Given, GivenReader
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.reading import Reads, reads_of
from kernelpath.diagnostics import Diagnostic, Source, Span
from kernelpath.language.json_values import canonical_text
from kernelpath.packs import documents
from kernelpath.packs.documents import DocumentErrors, Node, Scalar, read_yaml, to_plain
from kernelpath.packs.files import TEST_SUFFIX, PackErrors, read_source, shown_path, test_paths
from kernelpath.packs.model import Pack, Rule
from kernelpath.packs.shape import validate
from kernelpath.resources import resource


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what is given, to the rule alone or to the program `run`, and what is expected.

    `span` is the case's name, `node` the whole case, and `expect` what `--update` would rewrite of it.
    """

    name: str
    span: Span
    run: str | None
    given: Given
    expected: Outcome
    expect: Node
    node: documents.Mapping


@dataclass(frozen=True, slots=True)
class TestFile:
    """A test file: the rule that it is of, its cases, and what is wrong with the file itself."""

    __test__ = False  # its name is no invitation to pytest

    path: Path
    shown: str
    rule: Rule | None
    cases: tuple[Case, ...]
    faults: tuple[Diagnostic, ...]


@cache
def test_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of test files, which editors use too."""
    schema: Mapping[str, Any] = json.loads(resource("grammars", "test.schema.json").read_text(encoding="utf-8"))
    return schema


test_schema.__test__ = False  # type: ignore[attr-defined]


def read_tests(pack: Pack, folder: Path, sources: Mapping[Path, Source] | None = None) -> list[TestFile]:
    """Return the test files below a pack's folder, by their paths; `sources` stand for files that are not written."""
    return [read_test(pack, folder, path, (sources or {}).get(path)) for path in test_paths(folder)]


def read_test(pack: Pack, folder: Path, path: Path, source: Source | None = None) -> TestFile:
    """Return one test file; what cannot be read of it is among its faults."""
    shown = shown_path(path)
    rule, missing = _rule_of(pack, path.relative_to(folder), shown)
    try:
        root = read_yaml(source or read_source(path, folder))
    except (DocumentErrors, PackErrors) as errors:
        return TestFile(path, shown, rule, (), tuple(errors.diagnostics))
    faults = validate(root, test_schema()) or missing
    if faults or rule is None:
        return TestFile(path, shown, rule, (), tuple(faults))
    assert isinstance(root, documents.Mapping)
    return TestFile(path, shown, rule, *cases_of(pack, rule, root))


def cases_of(pack: Pack, rule: Rule, root: documents.Mapping) -> tuple[tuple[Case, ...], tuple[Diagnostic, ...]]:
    """Return the cases of a test file whose shape the schema allows, and what is wrong with them."""
    return _FileReader(pack, rule, root).read()


def _rule_of(pack: Pack, inside: Path, shown: str) -> tuple[Rule | None, list[Diagnostic]]:
    start = Span(shown, 1, 1, 1, 1)
    if len(inside.parts) != 2:
        return None, [wording.told(wording.misplaced(), start)]
    name = inside.as_posix().removesuffix(TEST_SUFFIX)
    rules = {f"{rule.stage}/{rule.name}": rule for rule in pack.rules()}
    if name in rules:
        return rules[name], []
    return None, [wording.told(wording.no_rule(name, rules), start)]


class _FileReader:
    """Reads the cases of a file whose shape is right."""

    def __init__(self, pack: Pack, rule: Rule, root: documents.Mapping) -> None:
        self.pack, self.rule, self.root = pack, rule, root
        self.scope = pack.scopes[rule.scope]
        self.reads: Reads = reads_of(rule, self.scope)
        self.faults: list[Diagnostic] = []
        self.names: dict[str, int] = {}
        self.givens: dict[str, int] = {}

    def read(self) -> tuple[tuple[Case, ...], tuple[Diagnostic, ...]]:
        nodes = self.root["cases"]
        assert isinstance(nodes, documents.Sequence)
        cases = [case for node in nodes if (case := self.case(node))]
        if not self.faults:
            self.sides(cases)
        return tuple(cases), tuple(self.faults)

    def case(self, node: Node) -> Case | None:
        """Return a case, or None after collecting what is wrong with it."""
        assert isinstance(node, documents.Mapping)
        before = len(self.faults)
        name = node["name"]
        assert isinstance(name, Scalar)
        self.once(self.names, name.text, name, wording.name_twice)
        run, given = self.given(node)
        expected = ExpectationReader(self.pack, self.rule, self.faults).read(node["expect"], run)
        if len(self.faults) > before or expected is None:
            return None
        return Case(name.text, name.span, run, given, expected, node["expect"], node)

    def given(self, node: documents.Mapping) -> tuple[str | None, Given]:
        reader = GivenReader(self.pack, self.rule, self.scope, self.reads, self.faults)
        given, run = node.get("given"), node.get("run")
        assert given is None or isinstance(given, documents.Mapping)
        program = run.text if isinstance(run, Scalar) else None
        text = canonical_text([program, to_plain(given) if given else {}])
        self.once(self.givens, text, node.key("given") or node, lambda _, line: wording.same_given(line))
        if run is None or program is None:
            return None, reader.variables(given)
        if program not in self.pack.programs:
            self.faults.append(wording.told(wording.unknown_program(program, self.pack.programs), run.span))
            return program, Given({}, {})
        return program, reader.inputs(program, given)

    def once(self, seen: dict[str, int], text: str, node: Node, words: Any) -> None:
        if text in seen:
            self.faults.append(wording.told(words(text, seen[text]), node.span))
        seen.setdefault(text, node.span.line)

    def sides(self, cases: list[Case]) -> None:
        """Ask for a case on each side of a check, and for a value of any other rule."""
        kinds = {case.expected.kind for case in cases}
        span = self.root.key_span("cases")
        if self.rule.kind == "check":
            sides = [words for kind, words in (("pass", "pass"), ("fail", "fail")) if kind not in kinds]
            self.faults += [wording.told(wording.never(side), span) for side in sides]
        elif not kinds & {"value", "slot"}:
            self.faults.append(wording.told(wording.no_value(self.rule.kind), span))
