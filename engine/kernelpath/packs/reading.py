"""Read a pack: every file of its chain, every type and expression checked, all mistakes reported in one go."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic, did_you_mean
from kernelpath.diagnostics.render.printable import printable
from kernelpath.language import BOOL, Checked, Type
from kernelpath.language.types import JSON, UNKNOWN
from kernelpath.packs import documents
from kernelpath.packs.cells import REQUEST, CellReader, Row
from kernelpath.packs.declarations import doc_of, items_at, mapping_at, words_at
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.files import (
    Layer,
    PackErrors,
    PackFiles,
    RuleFile,
    read_chain,
    read_pack_files,
    rule_files,
    stray_files,
)
from kernelpath.packs.libraries import SHIPPED, load_modules
from kernelpath.packs.model import Pack, Question, RecordShape, Rule, Scope, Stage, Term
from kernelpath.packs.passing import guarantees, is_passed
from kernelpath.packs.planning import plans
from kernelpath.packs.rule_order import RuleSketch, ordered, refuse_twice_given
from kernelpath.packs.rules import RuleNode, RuleReader, read_rule_nodes
from kernelpath.packs.shape import control_characters, validate
from kernelpath.packs.terms import place_of
from kernelpath.packs.ungiven import ungiven
from kernelpath.resources import resource

NAME = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
OFF = "off"
#: From the mildest to the hardest; a level that is lower than the rule's own needs a reason.
LEVELS = (OFF, "note", "warning", "error")
#: How a move of `fixes` finds the values that it may set.
_WAYS = ("catalog", "between", "otherwise", "each", "normal", "removed")


@cache
def pack_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of pack.yaml, which editors use too."""
    schema: Mapping[str, Any] = json.loads(resource("grammars", "pack.schema.json").read_text(encoding="utf-8"))
    return schema


def read_pack(folder: Path, files: PackFiles | None = None, *, whole: bool = True) -> Pack:
    """Return a checked pack; raises PackErrors with every mistake in its files.

    `files` are the folder's files if they were read already. A pack that is not `whole` can be written on, not run: a
    variable that is read may have no rule yet.
    """
    read = files or read_pack_files(folder)
    try:
        chain = read_chain(read)
    except PackErrors as errors:
        raise _with_rule_files(errors.diagnostics, rule_files(read.layers[0])) from None
    shape = [found for layer in chain for found in _misshapen(layer)]
    shape += [found for layer in read.layers for found in stray_files(layer)]
    if shape:
        raise _with_rule_files(shape, [file for layer in chain for file in layer.rules])
    try:
        return PackReader(chain, read.digest, whole=whole).read()
    except PackErrors as errors:
        if not any(found.message.startswith("unknown function") for found in errors.diagnostics):
            raise
    load_modules(module for module in SHIPPED.values() if module)  # so that one of another library is known as that
    return PackReader(chain, read.digest, whole=whole).read()


def _misshapen(layer: Layer) -> Iterator[Diagnostic]:
    """Yield what is wrong with the shape of a pack's pack.yaml."""
    yield from validate(layer.root, pack_schema())
    yield from control_characters(layer.root)


def _with_rule_files(found: Sequence[Diagnostic], files: Sequence[RuleFile]) -> PackErrors:
    """Return what is wrong with a pack whose pack.yaml says too little to check its rules, and with their shape."""
    diagnostics = list(found)
    read_rule_nodes(files, diagnostics)
    return PackErrors(sorted(set_of(diagnostics), key=_place))


@dataclass(slots=True)
class PackReader(CellReader):
    """Reads the layers of a chain into one pack; `whole` says whether every variable that is read needs a rule."""

    whole: bool = True
    scopes: dict[str, Scope] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)

    def read(self) -> Pack:
        """Return the pack, or raise PackErrors."""
        self._declare()
        self._read_stages()
        questions = self._read_questions()
        self._refuse_fixes(questions)
        pack = self._pack(questions)
        self._refuse()
        return pack

    def _declare(self) -> None:
        self._compose()
        self._refuse_shape()
        self._read_types()
        self._read_functions()
        self._read_constants()
        self._read_documents()
        self._read_cells()

    def _refuse_shape(self) -> None:
        """Refuse what `replace` put where something of another shape belongs; each layer by itself is well shaped."""
        schema = {key: value for key, value in pack_schema().items() if key != "required"}
        found = validate(self.root, schema)
        if found:
            self.terms.diagnostics += found
            self._refuse()

    def _pack(self, questions: Mapping[str, Question]) -> Pack:
        last = self.chain[-1]
        pack = Pack(
            name=last.name,
            summary=str(to_plain(last.root["summary"])),
            digest=self.digest,
            vocabularies=self.terms.vocabularies,
            records={**self._records(), **self._row_records()},
            constants=self.constants,
            data=self.data,
            functions=self.terms.functions,
            documents=self.documents,
            values=self.values,
            items=self.tables,
            flows=self.flows,
            stages=self.stages,
            questions=questions,
            cells=self.cells,
            scopes=self.scopes,
            plans={},
            fixes=self.fixes,
            libraries=self.libraries,
            chain=tuple(layer.name for layer in self.chain),
        )
        if self.whole and not self.terms.diagnostics:
            self._refuse_ungiven(pack)
        return pack if self.terms.diagnostics else plans(pack, self.terms.diagnostics)

    def _refuse_fixes(self, questions: Mapping[str, Question]) -> None:
        """Refuse names in `fixes` that nothing has: a fix would search in vain, or write what nobody meant."""
        fixes = self.root.get("fixes")
        if not isinstance(fixes, documents.Mapping):
            return
        if "question" in fixes:
            self.named(fixes["question"], questions, "question", "questions")
        for key in ("list", "patch"):
            if key in fixes and (name := str(to_plain(fixes[key])).partition("#")[0]) not in self.documents:
                self.terms.unknown(fixes[key], "document", name, self.documents)
        for _, move in mapping_at(fixes, "moves").entries:
            for form in ("insert", "to"):
                inside = move.get(form) if isinstance(move, documents.Mapping) else None
                if isinstance(inside, documents.Mapping):
                    self._refuse_form(inside, form)

    def _refuse_form(self, node: documents.Mapping, form: str) -> None:
        """Refuse unknown ways to find a value, and vocabularies that do not exist."""
        ways = [node] if form == "to" else [value for _, value in node.entries if isinstance(value, documents.Mapping)]
        known = _WAYS if form == "to" else ("each", "from")
        for way in ways:
            assert isinstance(way, documents.Mapping)
            for key, value in way.entries:
                if key.text not in known:
                    near = did_you_mean(key.text, known)
                    help_text = f"did you mean `{near}`?" if near else f"a value is found by {', '.join(known)}"
                    self.terms.fault(key, "pack/fixes", f"`{key.text}` does not say how a value is found", help_text)
                elif key.text == "each":
                    self.named(value, self.terms.vocabularies, "vocabulary", "vocabularies")
                elif key.text in ("removed", "normal") and to_plain(value) is not True:
                    self.terms.fault(value, "pack/fixes", f"`{key.text}` is true, or left out")

    def _refuse_ungiven(self, pack: Pack) -> None:
        """Refuse that something reads what no rule gives; without a rule it would have no value."""
        for stage, name in ungiven(pack):
            gives = mapping_at(self.sections["stages"][stage][1], "gives")
            message = f"no rule of stage `{stage}` gives `{name}`, and something reads it"
            self.terms.fault(gives.key(name) or gives, "pack/ungiven", message, "write a rule that gives it")

    def _refuse(self) -> None:
        if self.terms.diagnostics:
            raise PackErrors(sorted(set_of(self.terms.diagnostics), key=_place))

    def _row_records(self) -> dict[str, RecordShape]:
        """Return the record types that tables' columns make."""
        return {
            table.record: RecordShape(
                table.record,
                {column.name: column.type for column in table.columns},
                {column.name: column.doc for column in table.columns},
                table.doc,
                table.place,
            )
            for table in self.tables.values()
            if table.record
        } | {
            str(value.type): RecordShape(
                str(value.type),
                {column.name: column.type for column in value.fields},
                {column.name: column.doc for column in value.fields},
                value.doc,
                value.place,
            )
            for value in self.values.values()
            if value.fields
        }

    # Stages and their rules

    def _read_stages(self) -> None:
        nodes = self._rule_nodes()
        for name in self._stages_in_turn():
            key, node = self.sections["stages"][name]
            scope = self._stage_scope(name, key, node)
            if scope is None:
                continue
            after = self._stages_at(node, "after")
            own = [rule for rule in nodes if rule.file.stage == name]
            each = words_at(node, "each")
            passed = [] if each[0] == REQUEST else list(self._passed(after, each[0]))
            rules = self._stage_rules(own, self.scopes[scope], passed, self._held(each))
            self.stages[name] = Stage(
                name=name,
                each=each,
                scope=scope,
                doc=doc_of(node),
                rules=tuple(rules),
                gives={word.text: self.terms.type(value) for word, value in mapping_at(node, "gives").entries},
                after=after,
                when=self._optional_term(node, "when", BOOL),
                questions=self._asked_by(node),
                decisions=words_at(node, "decisions"),
                place=place_of(key),
            )
        self.stages = {name: self.stages[name] for name in self.sections["stages"] if name in self.stages}
        listed = [name for stage in self.stages.values() for name in (stage.scope, *stage.each)]
        self.scopes = {
            name: self.scopes[name] for name in dict.fromkeys([*listed, *self.scopes]) if name in self.scopes
        }
        self._refuse_strays(nodes)

    def _stages_in_turn(self) -> list[str]:
        """Return the stages, each behind those that it is after: its rules count on what those make sure of."""
        sections, found = self.sections["stages"], dict[str, None]()
        after = {
            name: {each.partition(".")[0] for each in words_at(node, "after")} & sections.keys()
            for name, (_, node) in sections.items()
        }
        while rest := [name for name in sections if name not in found]:
            free = [name for name in rest if after[name] <= found.keys()]
            found |= dict.fromkeys(free or rest)  # a circle is reported elsewhere
        return list(found)

    def _asked_by(self, node: documents.Mapping) -> tuple[str, ...]:
        """Return the questions that ask a stage: those it names, or the pack's first one."""
        questions = self.sections["questions"]
        if "for" not in node:
            return tuple(list(questions)[:1])
        return tuple(
            name for item in items_at(node, "for") if (name := self.named(item, questions, "question", "questions"))
        )

    def _stage_scope(self, name: str, key: Scalar, node: documents.Mapping) -> str | None:
        """Return the name of the scope of a stage's rules; a stage of the request has one of its own."""
        each = words_at(node, "each")
        known = [REQUEST, *self.sections["items"], *self.sections["flows"]]
        for item in items_at(node, "each"):
            if self.named(item, dict.fromkeys(known), "table or flow", "items` or `flows") is None:
                return None
        if not each or not self.terms.lost.isdisjoint(each) or self._refuse_together(node, each):
            return None
        if each[0] == REQUEST:
            scope = f"{REQUEST} {name}"
            given = self.gives.get(scope, {})
            self.scopes[scope] = self._scope(scope, key, node, {}, {}, given, Row({}, None), None)
            return scope
        if each[0] in self.flows and "when" in node:
            message, help_text = "a stage that is asked for a flow has no `when`", "say it in its rules"
            self.terms.fault(node.key("when") or key, "pack/stage", message, help_text)
        scopes = {other: table.scope for other, table in self.tables.items()}
        scopes |= {other: flow.scope for other, flow in self.flows.items()}
        self.scopes |= {other: scopes[other] for other in each if other in scopes}
        self._refuse_unlike(node, each)
        return each[0] if each[0] in scopes else None

    def _refuse_together(self, node: documents.Mapping, each: Sequence[str]) -> bool:
        """Refuse a stage that is asked for the request, or for a flow, and for something else besides."""
        alone = {REQUEST: "the request", **{name: f"flow `{name}`" for name in self.sections["flows"]}}
        found = next((item for item in items_at(node, "each") if to_plain(item) in alone and len(each) > 1), None)
        if found:
            message = f"a stage that is asked for {alone[str(to_plain(found))]} is asked for nothing else"
            self.terms.fault(found, "pack/stage", message, "make two stages of it")
        return found is not None

    def _refuse_unlike(self, node: documents.Mapping, each: Sequence[str]) -> None:
        """Refuse a stage for tables whose rows have other variables."""
        first = self.tables.get(each[0])
        for item, name in zip(items_at(node, "each"), each, strict=True):
            table = self.tables.get(name)
            if first is None or table is None or table is first:
                continue
            unlike = _unlike(first.scope, table.scope)
            if unlike is not None:
                message = f"`{name}` does not have the variables of `{each[0]}`{unlike}"
                help_text = None if unlike else f"declare it `like: {each[0]}`"
                self.terms.fault(item, "pack/stage", message, help_text)

    def _held(self, each: Sequence[str]) -> Type | None:
        """Return the type of what the slots of a stage's flow hold, None if it is not asked for visits."""
        flow = self.flows.get(each[0])
        return flow.type if flow else None

    def _passed(self, stages: Sequence[str], table: str | None) -> tuple[Checked, ...]:
        """Return what holds of the rows of a table that passed these stages over it."""
        passed = [stage for name, stage in self.stages.items() if name in stages and is_passed(stage, table)]
        return tuple(checked for stage in passed for rule in stage.rules for checked in guarantees(rule))

    def _refuse_strays(self, nodes: Sequence[RuleNode]) -> None:
        for rule in nodes:
            if not NAME.fullmatch(rule.file.name):
                message = f"`{printable(rule.file.name)}` is not a name for a rule"
                help_text = "a name has letters and digits, with `-`, `_` or `.` between them"
                self.terms.fault(rule.root.entries[0][0], "pack/name", message, help_text)
            if rule.file.stage not in self.sections["stages"]:
                near = did_you_mean(rule.file.stage, self.sections["stages"])
                help_text = f"did you mean `{near}`?" if near else "declare it under `stages` in pack.yaml"
                message = f"the folder `{rule.file.stage}` is not a stage of the pack"
                self.terms.fault(rule.root.entries[0][0], "pack/stage", message, help_text)

    def _rule_nodes(self) -> list[RuleNode]:
        """Return the rules of the chain at their levels, without those off: of equal names the last layer's."""
        files: dict[tuple[str, str], RuleFile] = {}
        for layer in self.chain:
            files |= {(file.stage, file.name): file for file in layer.rules}
        return self._levelled(self._read_nodes(list(files.values())))

    def _read_nodes(self, files: list[RuleFile]) -> list[RuleNode]:
        return read_rule_nodes(files, self.terms.diagnostics)

    def _levelled(self, nodes: list[RuleNode]) -> list[RuleNode]:
        """Return the rules with the levels that `rules` gives them."""
        by_id = {node.file.identity: node for node in nodes}
        for identity, (key, entry) in self.sections["rules"].items():
            node = by_id.get(identity)
            if node is None:
                self.terms.unknown(key, "rule", identity, by_id, "a rule goes by its id, as diagnostics print it")
                continue
            level = str(to_plain(entry["level"]))
            if "guards" in node.root and level not in ("error", OFF):
                message = f"`{identity}` guards what other rules read, so it is an error"
                self.terms.fault(entry["level"], "pack/guards", message, "leave it at `error`, or turn it off")
                continue
            if LEVELS.index(level) < LEVELS.index(node.severity) and "reason" not in entry:
                self.terms.fault(key, "pack/level", f"`{identity}` is lowered to `{level}`", "say why, under `reason`")
            by_id[identity] = RuleNode(node.file, node.root, node.kind, level)
        return [by_id[node.file.identity] for node in nodes if by_id[node.file.identity].severity != OFF]

    def _stage_rules(
        self, nodes: Sequence[RuleNode], scope: Scope, passed: list[Checked], slots: Type | None
    ) -> list[Rule]:
        """Read a stage's rules; what a check guards may be relied on by the rules that read it."""
        rules: list[Rule] = []
        read: list[RuleSketch] = []
        guarding: list[tuple[RuleSketch, Checked]] = []
        for sketch in self._sketches(nodes):
            facts = [*passed, *(fact for guard, fact in guarding if not guard.guards.isdisjoint(sketch.reads))]
            rule = self._rule(sketch, scope, facts, slots)
            if rule is not None:
                rules.append(rule)
                read.append(sketch)
                guarding += [(sketch, fact) for fact in guarantees(rule)]
        refuse_twice_given(read, self.terms)
        return rules

    def _sketches(self, nodes: Sequence[RuleNode]) -> list[RuleSketch]:
        """Return a stage's rules in evaluation order."""
        return ordered(nodes, self.terms)

    def _rule(self, sketch: RuleSketch, scope: Scope, facts: list[Checked], slots: Type | None) -> Rule | None:
        rule = RuleReader(self.terms, sketch.node, scope, facts, slots).read()
        return None if rule is None else replace(rule, paths=tuple(sorted(sketch.reads)))

    # Questions

    def _read_questions(self) -> dict[str, Question]:
        read = {name: self._question(name, key, node) for name, (key, node) in self.sections["questions"].items()}
        asked = [name for name, question in read.items() if question.matrix]
        for name in asked[1:]:
            node = self.sections["questions"][name][1]["matrix"]
            message = f"a matrix asks one question, and `{asked[0]}` is it already"
            help_text = f"leave one out, or `replace` `questions.{asked[0]}.matrix` by false"
            self.terms.fault(node, "pack/matrix", message, help_text)
        return read

    def _question(self, name: str, key: Scalar, node: documents.Mapping) -> Question:
        given = tuple(
            each
            for item in items_at(node, "given")
            if (each := self.named(item, self.documents, "document", "documents"))
        )
        request: Any = to_plain(node["request"]) if "request" in node else {}
        for _, value in mapping_at(node, "request").entries:
            self._refuse_path(value)
        self._complete(node, key, "answer", "question")
        inputs = {
            word.text: term
            for word, value in mapping_at(node, "with").entries
            if (wanted := self._settable(word)) and (term := self._term(value, wanted))
        }
        answer = self._term(node["answer"], JSON) if "answer" in node else None
        return Question(
            name=name,
            given=given,
            inputs=inputs,
            answer=answer or Term(_NULL(), "null", place_of(key)),
            when=self._optional_term(node, "when", BOOL),
            otherwise=self._optional_term(node, "else", JSON),
            always=bool(to_plain(node["always"])) if "always" in node else False,
            request=request,
            doc=doc_of(node),
            decisions=words_at(node, "decisions"),
            place=place_of(key),
            matrix=bool(to_plain(node["matrix"])) if "matrix" in node else False,
            shows={
                word.text: term
                for word, value in mapping_at(node, "shows").entries
                if (term := self._term(value, JSON))
            },
        )

    def _refuse_path(self, node: Node) -> None:
        """Refuse a path that does not start with a document."""
        name = str(to_plain(node)).partition(".")[0]
        if name not in self.documents:
            self.terms.unknown(node, "document", name, self.documents)


def _unlike(first: Scope, second: Scope) -> str | None:
    """Return how the variables of two tables' rows differ, None if they do not; empty if it is their names."""
    if (first.row, first.index, first.whole.keys()) != (second.row, second.index, second.whole.keys()):
        return ""
    for name in (*first.row, *first.whole):
        one, other = first.variables[name], second.variables[name]
        if str(one) != str(other) and UNKNOWN not in (one, other):
            return f": `{name}` is `{other}` there and `{one}` here"
    return None


@cache
def _NULL() -> Checked:
    from kernelpath.language import Names, check, parse

    return check(parse("null"), Names())


def set_of(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics without those that say the same at the same place."""
    seen: dict[tuple[Any, ...], Diagnostic] = {}
    for found in diagnostics:
        seen.setdefault((found.span, found.message), found)
    return list(seen.values())


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span else ("", 0, 0)


__all__ = ["JSON", "Layer", "Node", "PackReader", "pack_schema", "read_pack"]
