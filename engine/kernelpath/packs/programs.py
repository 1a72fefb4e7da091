"""Read programs: entries that set values, walk stages, run flows, call other programs and run operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.diagnostics import did_you_mean
from kernelpath.language import BOOL, Names, Type
from kernelpath.language.types import JSON
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.model import Entry, Flow, Program, RecordShape, Scope, Stage, Term
from kernelpath.packs.terms import TermReader, place_of

VERBS = ("set", "walk", "flow", "read", "return", "call", "run", "judge")


@dataclass(slots=True)
class ProgramReader:
    """Reads the programs of a pack against its values."""

    terms: TermReader
    values: Mapping[str, Type]
    scopes: Mapping[str, Scope]
    stages: Mapping[str, Stage]
    flows: Mapping[str, Flow]
    records: Mapping[str, RecordShape]
    sections: Mapping[str, Any]
    fragments: Mapping[str, Any]

    def program(self, name: str, node: documents.Mapping) -> Program:
        """Return one program; what is wrong with it is collected."""
        plain: Any = to_plain(node)
        run = node["run"]
        assert isinstance(run, documents.Sequence)
        entries = [self._entry(item) for item in self._included(run, ())]
        for value in plain["inputs"]:
            self._value(node["inputs"], value)
        value = self.terms.term(node["value"], self._names(), JSON)
        assert value is not None or self.terms.diagnostics
        always = bool(plain.get("always", False))
        return Program(name, tuple(plain["inputs"]), tuple(entries), value, always, place_of(node))  # type: ignore[arg-type]

    def _included(self, run: documents.Sequence, path: tuple[str, ...]) -> Iterator[documents.Mapping]:
        """Yield the entries of a list, those of the fragments that it includes in their place."""
        for item in run.items:
            assert isinstance(item, documents.Mapping)
            node = item.get("include")
            if not isinstance(node, Scalar):
                yield item
            elif node.text in path:
                self.terms.fault(
                    node,
                    "pack/fragment",
                    f"fragments include each other in a circle: {' -> '.join([*path, node.text])}",
                )
            elif node.text in self.fragments:
                fragment = self.fragments[node.text][1]
                assert isinstance(fragment, documents.Sequence)
                yield from self._included(fragment, (*path, node.text))
            else:
                near = did_you_mean(node.text, self.fragments)
                self.terms.fault(
                    node,
                    "pack/fragment",
                    f"there is no fragment `{node.text}`",
                    f"did you mean `{near}`?" if near else None,
                )

    def _names(self, extra: Mapping[str, Type] | None = None) -> Names:
        return self.terms.names({**self.values, **(extra or {})})

    def _value(self, node: Node, name: str) -> bool:
        if name in self.values:
            return True
        near = did_you_mean(name, self.values)
        help_text = f"did you mean `{near}`?" if near else "declare it under `values` in pack.yaml"
        self.terms.fault(node, "pack/value", f"there is no value `{name}`", help_text)
        return False

    def _entry(self, node: documents.Mapping) -> Entry:
        verb = next(verb for verb in VERBS if verb in node)
        plain: Any = to_plain(node)
        when = self.terms.term(node["when"], self._names(), BOOL) if "when" in node else None
        self._check_names(node, "needs", plain.get("needs", []), self.sections_known())
        terms = getattr(self, "_" + verb)(node, plain)
        name = plain[verb] if isinstance(plain[verb], str) else verb
        return Entry(verb, name, plain, terms, tuple(plain.get("needs", [])), when, place_of(node))

    def sections_known(self) -> list[str]:
        """Return the names that `needs` may hold: the stages."""
        return list(self.stages)

    def _check_names(self, node: documents.Mapping, key: str, names: list[str], known: list[str]) -> None:
        for name in names:
            if name not in known:
                near = did_you_mean(name, known)
                self.terms.fault(
                    node[key], "pack/stage", f"there is no stage `{name}`", f"did you mean `{near}`?" if near else None
                )

    def _terms(self, node: Node | None, typed: bool = False) -> dict[str, Term]:
        found: dict[str, Term] = {}
        for key, value in node.entries if isinstance(node, documents.Mapping) else ():
            expected = self.values.get(key.text) if typed else None
            if typed and not self._value(key, key.text):
                continue
            term = self.terms.term(value, self._names(), expected)
            if term:
                found[key.text] = term
        return found

    def _set(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        return self._terms(node["set"], typed=True)

    def _walk(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        stages = plain["walk"] if isinstance(plain["walk"], list) else [plain["walk"]]
        self._check_names(node, "walk", stages, list(self.stages))
        scopes = {self.stages[stage].scope for stage in stages if stage in self.stages}
        if len(scopes) > 1:
            self.terms.fault(
                node["walk"],
                "pack/walk",
                f"stages that are walked together have one scope, not {', '.join(sorted(scopes))}",
            )
        for place, stage in enumerate(stages):
            self._check_after(
                node["walk"],
                self.stages[stage].after if stage in self.stages else (),
                [*stages[:place], *plain.get("needs", [])],
            )
        self._targets(node)
        return {}

    def _check_after(self, node: Node, after: Sequence[str], passed: Sequence[str]) -> None:
        """Hold an entry to what its stages or its record rely on: stages that the items passed before."""
        for name in after:
            if name not in passed:
                self.terms.fault(
                    node, "pack/after", f"items must pass stage `{name}` first", "walk it before, or add it to `needs`"
                )

    def _targets(self, node: documents.Mapping) -> None:
        for key in ("collect", "keep", "into"):
            target = node.get(key)
            if isinstance(target, documents.Mapping):
                for name in target:
                    self._value(target.key(name) or target, name)
            elif isinstance(target, Scalar):
                self._value(target, target.text)

    def _flow(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        if plain["flow"] not in self.flows:
            near = did_you_mean(plain["flow"], self.flows)
            self.terms.fault(
                node["flow"],
                "pack/flow",
                f"there is no flow `{plain['flow']}`",
                f"did you mean `{near}`?" if near else None,
            )
        self._value(node["over"], plain["over"])
        if "carry" in node:
            self._value(node["carry"], plain["carry"])
        self._targets(node)
        terms = {f"with {name}": term for name, term in self._terms(node.get("with")).items()}
        start = node["start"]
        if isinstance(start, documents.Mapping):
            return terms | {f"start {name}": term for name, term in self._terms(start).items()}
        self._value(start, plain["start"])
        return terms

    def _read(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        if plain["read"] not in self.records:
            near = did_you_mean(plain["read"], self.records)
            self.terms.fault(
                node["read"],
                "pack/record",
                f"there is no record `{plain['read']}`",
                f"did you mean `{near}`?" if near else None,
            )
        else:
            self._check_after(
                node["read"], self.records[plain["read"]].after, [*plain.get("gaps", []), *plain.get("needs", [])]
            )
        self._targets(node)
        return {}

    def _return(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        term = self.terms.term(node["return"], self._names(), JSON)
        return {"return": term} if term else {}

    def _call(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        known = self.sections
        if plain["call"] not in known:
            near = did_you_mean(plain["call"], known)
            self.terms.fault(
                node["call"],
                "pack/program",
                f"there is no program `{plain['call']}`",
                f"did you mean `{near}`?" if near else None,
            )
        self._targets(node)
        return {f"with {name}": term for name, term in self._terms(node.get("with"), typed=True).items()}

    def _run(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._targets(node)
        return {f"with {name}": term for name, term in self._terms(node.get("with")).items()}

    def _judge(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._check_names(node, "of", plain.get("of", []), list(self.stages))
        self._targets(node)
        return {}
