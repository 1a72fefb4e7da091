"""Read programs: entries that set values, walk stages, run flows, call other programs and run operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from kernelpath.language import BOOL, Names, Type
from kernelpath.language.types import JSON, ListOf, MapOf, fits, optional
from kernelpath.packs import documents
from kernelpath.packs.declarations import mapping_at, mapping_of
from kernelpath.packs.documents import Node, Scalar, to_plain
from kernelpath.packs.model import Entry, Flow, Program, RecordShape, Scope, Stage, Term
from kernelpath.packs.targets import Targets
from kernelpath.packs.terms import TermReader, place_of

#: The most entries of a pack's programs, with fragments written out where they are included.
MAX_ENTRIES = 10_000
#: The most entries that one program comes to, with the entries of the programs that it calls.
MAX_CALLED = 10_000
#: How deep fragments may include each other, and programs call each other.
MAX_NESTING = 16

_ENDS = 5

VERBS = ("set", "walk", "flow", "read", "return", "call", "run", "judge")


@dataclass(slots=True)
class ProgramReader:
    """Reads the programs of a pack against its values."""

    terms: TermReader
    values: Mapping[str, Type]
    scopes: Mapping[str, Scope]
    sections: Mapping[str, Mapping[str, tuple[Scalar, Node]]]
    stages: Mapping[str, Stage]
    flows: Mapping[str, Flow]
    records: Mapping[str, RecordShape]
    kept: set[str] = field(default_factory=set)
    _left: int = MAX_ENTRIES
    targets: Targets = field(init=False)

    def __post_init__(self) -> None:
        self.targets = Targets(self.terms, self.values)

    def program(self, name: str, node: documents.Mapping) -> Program:
        """Return one program; what is wrong with it is collected."""
        plain: Any = to_plain(node)
        run, inputs = node["run"], node["inputs"]
        assert isinstance(run, documents.Sequence)
        assert isinstance(inputs, documents.Sequence)
        self.kept = set()
        entries = [self._entry(item) for item in self._included(run)]
        for item in inputs:
            self.targets.known(item, str(to_plain(item)))
        value = self.terms.term(node["value"], self._names(), JSON)
        always = bool(plain.get("always", False))
        return Program(name, tuple(plain["inputs"]), tuple(entries), value, always, place_of(node))  # type: ignore[arg-type]

    def refuse_calls(self) -> None:
        """Collect programs that call each other in a circle, and such as come to too many entries by their calls."""
        entries = self._silently_included()
        called = {name: _calls(found) for name, found in entries.items()}
        graph = {name: {node.text for node in nodes if node.text in called} for name, nodes in called.items()}
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            self._refuse_circle(error.args[1], called)
        else:
            self._refuse_large(order, {name: len(found) for name, found in entries.items()}, called)

    def _refuse_circle(self, found: Sequence[str], called: Mapping[str, list[Scalar]]) -> None:
        """Collect a circle, each of whose programs is called by the next, at a call of the first by its name."""
        names = list(found)[:0:-1]
        start = names.index(min(names))
        names = [*names[start:], *names[:start], names[start]]
        node = next(node for node in called[names[0]] if node.text == names[1])
        message = f"programs call each other in a circle: {_way(names)}"
        self.terms.fault(node, "pack/program", message)

    def _refuse_large(
        self, callees_first: Sequence[str], sizes: Mapping[str, int], called: Mapping[str, list[Scalar]]
    ) -> None:
        """Collect calls by which a program comes to too many entries, or by which calls go too deep."""
        whole: dict[str, tuple[int, int]] = {}
        for name in callees_first:
            size, depth = sizes[name], 0
            for node in called[name]:
                inner = whole.get(node.text, (0, 0))  # an unknown program is told elsewhere
                size, depth = size + inner[0], max(depth, inner[1] + 1)
                if size > MAX_CALLED or depth > MAX_NESTING:
                    self._refuse_call(node, size > MAX_CALLED)
                    size, depth = 0, 0  # its callers are not to blame
                    break
            whole[name] = (size, depth)

    def _refuse_call(self, node: Node, large: bool) -> None:
        message = f"programs call each other over {MAX_NESTING} deep"
        if large:
            message = f"with this call the program comes to over {MAX_CALLED:,} entries"
        self.terms.fault(node, "pack/program", message, "call a program once, and keep what it gives in a value")

    def _silently_included(self) -> dict[str, list[documents.Mapping]]:
        """Return the entries of every program; what is wrong with them was told already."""
        before = len(self.terms.diagnostics)
        self._left = MAX_ENTRIES
        found = {}
        for name, (_, node) in self.sections["programs"].items():
            assert isinstance(node, documents.Mapping)
            run = node["run"]
            assert isinstance(run, documents.Sequence)
            found[name] = list(self._included(run))
        del self.terms.diagnostics[before:]
        return found

    def _included(self, run: documents.Sequence, path: tuple[Scalar, ...] = ()) -> Iterator[documents.Mapping]:
        """Yield the entries of a list, those of the fragments that it includes in their place.

        `path` are the names of the fragments that are being written out, where they are included.
        """
        for item in run.items:
            assert isinstance(item, documents.Mapping)
            node = item.get("include")
            if not self._has_place(node or (path[-1] if path else item)):
                return
            if not isinstance(node, Scalar):
                yield item
            elif (fragment := self._fragment(node, [one.text for one in path])) is not None:
                yield from self._included(fragment, (*path, node))

    def _has_place(self, node: Node) -> bool:
        """Return whether the pack's programs may have another entry; says so once where not."""
        self._left -= 1
        if self._left == -1:
            message = f"with fragments written out, the programs have over {MAX_ENTRIES:,} entries"
            self.terms.fault(node, "pack/fragment", message, "include a fragment once, or make it a program")
        return self._left >= 0

    def _fragment(self, node: Scalar, path: Sequence[str]) -> documents.Sequence | None:
        """Return the fragment that an entry includes; None after collecting why it cannot."""
        fragments = self.sections["fragments"]
        if node.text in path:
            message = f"fragments include each other in a circle: {_way([*path, node.text])}"
            self.terms.fault(node, "pack/fragment", message)
        elif len(path) >= MAX_NESTING:
            message = f"fragments include each other over {MAX_NESTING} deep"
            self.terms.fault(node, "pack/fragment", message, "list the entries here")
        elif node.text in fragments:
            fragment = fragments[node.text][1]
            assert isinstance(fragment, documents.Sequence)
            return fragment
        else:
            self.terms.unknown(node, "fragment", node.text, fragments, "declare it under `fragments`")
        return None

    def _names(self) -> Names:
        return self.terms.names(self.values)

    def _entry(self, node: documents.Mapping) -> Entry:
        verb = next(verb for verb in VERBS if verb in node)
        plain: Any = to_plain(node)
        when = self.terms.term(node["when"], self._names(), BOOL) if "when" in node else None
        self._known_stages(node.get("needs"))
        terms = getattr(self, "_" + verb)(node, plain)
        name = plain[verb] if isinstance(plain[verb], str) else verb
        return Entry(verb, name, plain, terms, tuple(plain.get("needs", [])), when, place_of(node))

    def _known_stages(self, node: Node | None) -> None:
        """Hold a stage's name, or a list of them, to the stages that there are."""
        declared = self.sections["stages"]
        for item in node if isinstance(node, documents.Sequence) else [node] if node else []:
            name = str(to_plain(item))
            if name not in declared:
                self.terms.unknown(item, "stage", name, declared, "declare it under `stages` in pack.yaml")

    def _declared(self, node: Node, section: str, what: str) -> bool:
        """Return whether a section has the name that a scalar holds; says so where it has not."""
        name, declared = str(to_plain(node)), self.sections[section]
        if name not in declared:
            self.terms.unknown(node, what, name, declared, f"declare it under `{section}` in pack.yaml")
        return name in declared

    def _terms(self, node: Node | None, types: Mapping[str, Type] | None = None) -> dict[str, Term]:
        """Return the terms of a mapping; where `types` are given, each key must be one of them, and fit it."""
        found: dict[str, Term] = {}
        for key, value in node.entries if isinstance(node, documents.Mapping) else ():
            if types is not None and not self.targets.known(key, key.text):
                continue
            term = self.terms.term(value, self._names(), types.get(key.text) if types is not None else None)
            if term:
                found[key.text] = term
        return found

    def _set(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        return self._terms(node["set"], self.values)

    def _walk(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._known_stages(node["walk"])
        names = plain["walk"] if isinstance(plain["walk"], list) else [plain["walk"]]
        stages = [self.stages[name] for name in names if name in self.stages]
        scopes = sorted({stage.scope for stage in stages})
        if len(scopes) > 1:
            message = f"stages that are walked together have one scope, not {', '.join(scopes)}"
            self.terms.fault(node["walk"], "pack/walk", message)
        for place, stage in enumerate(stages):
            self._check_after(node["walk"], stage.after, [*names[:place], *plain.get("needs", [])])
        if scopes:
            self.targets.collect(node.get("collect"), self.scopes[scopes[0]])
            self.targets.keep(node.get("keep"), self.scopes[scopes[0]], None)
        return {}

    def _check_after(self, node: Node, after: Sequence[str], passed: Sequence[str]) -> None:
        """Hold an entry to what its stages or its record rely on: stages that the items passed before."""
        for name in after:
            if name not in passed:
                message, help_text = f"items must pass stage `{name}` first", "walk it before, or add it to `needs`"
                self.terms.fault(node, "pack/after", message, help_text)

    def _flow(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._declared(node["flow"], "flows", "flow")
        flow = self.flows.get(plain["flow"])
        scope = self.scopes[self.stages[flow.stage].scope] if flow else None
        if flow and scope:
            return self._flow_of(flow, scope, node)
        return {}

    def _flow_of(self, flow: Flow, scope: Scope, node: documents.Mapping) -> dict[str, Term]:
        over = node["over"]
        if self.targets.known(over, str(to_plain(over))) and scope.item:
            wanted = ListOf(scope.variables[scope.item])
            if not fits(self.values[str(to_plain(over))], wanted):
                self.terms.fault(over, "pack/flow", f"the flow goes over a `{wanted}`, and this is another type")
        if "carry" in node:
            self._kept_slots(node["carry"], flow)
        self.targets.collect(node.get("collect"), scope)
        self.targets.keep(node.get("keep"), scope, flow)
        terms = {f"with {name}": term for name, term in self._locals(flow, scope, node).items()}
        terms |= self._start(flow, node["start"])
        kept = node.get("keep")
        self.kept |= set(kept) if isinstance(kept, documents.Mapping) else set()
        return terms

    def _locals(self, flow: Flow, scope: Scope, node: documents.Mapping) -> dict[str, Term]:
        """Return the locals of the scope that the entry gives; what slots do not give, it must."""
        terms: dict[str, Term] = {}
        given = node.get("with")
        for key, value in given.entries if isinstance(given, documents.Mapping) else ():
            if key.text not in scope.locals:
                self.terms.unknown(key, "local", key.text, scope.locals, f"declare it in scope `{scope.name}`")
            term = self.terms.term(value, self._names(), scope.locals.get(key.text))
            if term:
                terms[key.text] = term
        read = set(mapping_at(self.sections["flows"][flow.name][1], "reads"))
        there = read | set(given if isinstance(given, documents.Mapping) else ())
        for name in sorted(set(scope.locals) - there) if read <= set(scope.locals) else ():
            message = f"nothing gives local `{name}` of scope `{scope.name}`"
            self.terms.fault(node["flow"], "pack/flow", message, "give it under `with`, or let the flow read it")
        return terms

    def _start(self, flow: Flow, node: Node) -> dict[str, Term]:
        if not isinstance(node, documents.Mapping):
            self._kept_slots(node, flow)
            return {}
        held = optional(flow.type)  # a slot that starts with null is one that nothing wrote
        terms = {key.text: self.terms.term(value, self._names(), held) for key, value in node.entries}
        return {f"start {name}": term for name, term in terms.items() if term}

    def _kept_slots(self, node: Node, flow: Flow) -> None:
        """Hold a value to slots that an earlier flow of the program kept, of what this flow's slots hold."""
        name = str(to_plain(node))
        if not self.targets.known(node, name):
            return
        if name not in self.kept:
            message = f"no earlier flow of the program keeps its slots as `{name}`"
            self.terms.fault(node, "pack/flow", message, f"write `keep: {{{name}: slots}}` there")
        elif not fits(self.values[name], MapOf(flow.type)):
            self.terms.fault(node, "pack/flow", f"slots here hold `{flow.type}`, and `{name}` is `{self.values[name]}`")

    def _read(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        record = self.records.get(plain["read"])
        if not self._declared(node["read"], "records", "record") or record is None:
            return {}
        if record.scope is None:
            fields = mapping_at(self.sections["records"][record.name][1], "fields").entries
            if not any("value" in mapping_of(field) for _, field in fields):
                self.terms.fault(node["read"], "pack/record", f"record `{record.name}` has no scope to be read from")
            return {}
        self._known_stages(node.get("gaps"))
        self._check_after(node["read"], record.after, [*plain.get("gaps", []), *plain.get("needs", [])])
        self.targets.read(node["into"], record.name, self.scopes[record.scope])
        return {}

    def _return(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        term = self.terms.term(node["return"], self._names(), JSON)
        return {"return": term} if term else {}

    def _call(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._declared(node["call"], "programs", "program")
        self.targets.take(node["into"], JSON)
        for key in ("decision", "decisions"):
            self.targets.take_all(node.get(key))
        return {f"with {name}": term for name, term in self._terms(node.get("with"), self.values).items()}

    def _run(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self.targets.take_all(node["into"])
        return {f"with {name}": term for name, term in self._terms(node.get("with")).items()}

    def _judge(self, node: documents.Mapping, plain: Any) -> dict[str, Term]:
        self._known_stages(node.get("of"))
        self.targets.take(node["into"], MapOf(BOOL))
        return {}


def _way(names: Sequence[str]) -> str:
    """Return names as a way from one to the next, without the middle of a long one."""
    shown = names if len(names) <= 2 * _ENDS else [*names[:_ENDS], "…", *names[-_ENDS:]]
    return " -> ".join(shown)


def _calls(entries: Sequence[documents.Mapping]) -> list[Scalar]:
    return [call for entry in entries if isinstance(call := entry.get("call"), Scalar)]
