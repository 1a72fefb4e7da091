"""What an expression at a place of a pack's files may name, and where each of those names comes from."""

from __future__ import annotations

from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from kernelpath.language import Checked, LanguageErrors, Names, Type, check, parse_type
from kernelpath.language.types import BOOL, INT, JSON, STRING, UNKNOWN, ListOf, Record, optional, required
from kernelpath.lsp.checking.cases import rule_of
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.lsp.symbols.origins import scope_symbols
from kernelpath.packs.cells import RAW, REQUEST
from kernelpath.packs.documents import Mapping, Node, Scalar, node_at
from kernelpath.packs.grammar import PACK, RULE, Path, Role, plain_path


@dataclass(frozen=True, slots=True)
class Environment:
    """The names in sight, the symbol of each variable, what is known to hold, and the type that is wanted."""

    names: Names = field(default_factory=Names)
    origins: Map[str, Symbol] = field(default_factory=dict)
    given: tuple[Checked, ...] = ()
    expected: Type | None = None


def environment(
    model: Model, kind: str, file: FilePath, root: Node | None, path: Path, role: Role | None
) -> Environment:
    """Return what an expression at a path of a file may name."""
    if not isinstance(root, Mapping):
        return Environment(model.reader.terms.names({}))
    if kind == RULE:
        return _Rule(model, file, root).at(path, role)
    return _in_pack(model, root, path, role) if kind == PACK else tested_environment(model, file)


def tested_environment(model: Model, file: FilePath) -> Environment:
    """Return the variables of the rule that a test file is beside."""
    return stage_environment(model, rule_of(file).parent.name)


def cell_type(model: Model, kind: str, file: FilePath, root: Node | None, path: Path) -> Type:
    """Return the type of what a cell holds: of a table's input, or of a variable or a field that a test gives."""
    known = environment(model, kind, file, root, path, None)
    if kind == RULE:
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        return required(known.names.variables.get(name, UNKNOWN))
    if path[2:3] == ("expect",):
        rule = model.rule(rule_of(file))
        return required(known.names.variables.get(getattr(rule, "variable", ""), UNKNOWN))
    steps = [str(step) for step in path[3:]]
    type_ = required(known.names.variables.get(steps[0], UNKNOWN)) if steps else UNKNOWN
    if len(steps) > 1:
        type_ = required(type_.fields.get(steps[1], UNKNOWN)) if isinstance(type_, Record) else UNKNOWN
    return type_


def stage_environment(model: Model, stage: str) -> Environment:
    """Return what the rules of a stage see; the cells alone where there is no such stage."""
    known = model.reader.stages.get(stage)
    return scope_environment(model, known.scope) if known else values_environment(model)


def scope_environment(model: Model, name: str) -> Environment:
    """Return what the rules of a scope see: that of a table, a flow, or a stage of the request."""
    scope = model.reader.scopes.get(name)
    tables, flows = model.reader.tables, model.reader.flows
    scope = scope or (tables[name].scope if name in tables else flows[name].scope if name in flows else None)
    if scope is None:
        return values_environment(model)
    origins = {**model.origins, **scope_symbols(model.reader, name)}
    return Environment(model.reader.terms.names(scope.variables, frozenset(scope.given)), origins)


def values_environment(
    model: Model, more: Map[str, Type] | None = None, symbols: Map[str, Symbol] | None = None
) -> Environment:
    """Return what every expression of a pack sees, and more variables."""
    variables = {**model.reader.cells, **(more or {})}
    return Environment(model.reader.terms.names(variables), {**model.origins, **(symbols or {})})


@dataclass(slots=True)
class _Rule:
    """Finds the names that the expressions of one rule file may use; the file may be half written."""

    model: Model
    file: FilePath
    root: Mapping

    def at(self, path: Path, role: Role | None) -> Environment:
        """Return what the expression at a path may name."""
        base = stage_environment(self.model, self.file.parent.name)
        own = path[1] if len(path) > 1 and path[0] in ("let", "inputs") else None
        seen = self._with_lets(base, str(path[0]) if own is not None else None, own)
        facts = self.model.facts(self.file)
        known = Environment(seen.names, seen.origins, facts)
        if path[:1] not in (("when",), ("let",), ("inputs",)):
            known = Environment(seen.names, seen.origins, (*facts, *self._condition(("when",), known)))
        if path[:1] in (("first",), ("rows",)) and path[-1] != "when" and len(path) > 2:
            known = Environment(seen.names, seen.origins, (*known.given, *self._condition((*path[:2], "when"), known)))
        return Environment(known.names, known.origins, known.given, self._expected(role))

    def _with_lets(self, base: Environment, until_section: str | None, until: object) -> Environment:
        """Return the scope's names and the rule's own, up to the one that is being looked at."""
        variables, origins = dict(base.names.variables), dict(base.origins)
        for section in ("inputs", "let"):
            node = self.root.get(section)
            for key, value in node.entries if isinstance(node, Mapping) else ():
                if (section, key.text) == (until_section, until):
                    return Environment(self._names(variables, base), origins)
                names = self._names(variables, base)
                variables[key.text] = type_of(self.model, value.text if isinstance(value, Scalar) else "", names, ())
                origins[key.text] = ("let", str(self.file), key.text)
        return Environment(self._names(variables, base), origins)

    def _names(self, variables: Map[str, Type], base: Environment) -> Names:
        return self.model.reader.terms.names(variables, base.names.resolved)

    def _condition(self, path: Path, known: Environment) -> tuple[Checked, ...]:
        """Return the condition at a path where it is well typed."""
        try:
            node = node_at(self.root, path)
        except LookupError:
            return ()
        if not isinstance(node, Scalar):
            return ()
        try:
            return (check(self.model.reader.terms.expression(node.text), known.names, BOOL, known.given),)
        except LanguageErrors:
            return ()

    def _expected(self, role: Role | None) -> Type | None:
        if role is None or role.kind != "expression":
            return None
        if role.of == "given":
            return self._given_type()
        return {"bool": BOOL, "string": STRING}.get(role.of)

    def _given_type(self) -> Type | None:
        stage = self.model.reader.stages.get(self.file.parent.name)
        type_ = stage.gives.get(_text(self.root, "resolve") or _text(self.root, "table")) if stage else None
        hit = _text(self.root, "hit")
        if type_ is None or hit == "build":
            return None
        if hit == "collect":
            return type_.element if isinstance(type_, ListOf) else None
        return optional(type_)


def _in_pack(model: Model, root: Mapping, path: Path, role: Role | None) -> Environment:
    """Return what an expression in pack.yaml may name, which depends on its section, and the type that it must have."""
    plain = plain_path(PACK, path)
    section, name = (str(plain[0]), str(plain[1])) if len(plain) > 1 else ("", "")
    if section == "functions":
        known = _parameters(model, name)
    elif section == "documents":
        constants = {each: model.reader.cells[each] for each in model.reader.constants}
        origins: Map[str, Symbol] = {each: ("value", each) for each in constants}
        known = Environment(model.reader.terms.names({**constants, "file": JSON}), origins)
    elif section == "items":
        known = _in_table(model, name, plain)
    elif section == "flows" and plain[2:3] != ("passes",) and plain[-1:] != ("count",):
        known = scope_environment(model, name)
    elif section == "stages" and plain[-1] in ("subject", "at"):
        known = scope_environment(model, f"{REQUEST} {name}")
    else:
        known = values_environment(model)
    return Environment(known.names, known.origins, known.given, _expected_in_pack(model, root, path, role))


def _in_table(model: Model, name: str, path: Path) -> Environment:
    """Return what an expression of a table sees: its columns are made of `raw`, or of another table's row."""
    table = model.reader.tables.get(name)
    part = path[2] if len(path) > 2 else ""
    if table is None or part in ("when", "with"):
        return values_environment(model)
    if part in ("subject", "at"):
        return scope_environment(model, name)
    if part == "fields" and table.source:
        return _row_environment(model, table.source, {})
    if part == "fields":
        element = (
            table.over.checked.type.element if table.over and isinstance(table.over.checked.type, ListOf) else JSON
        )
        return _row_environment(model, name, {RAW: element}, without=table.scope.item)
    return _row_environment(model, table.within, {}) if table.within else values_environment(model)


def _row_environment(model: Model, table: str, more: Map[str, Type], without: str | None = None) -> Environment:
    """Return the variables of a table's row, what rules give it left out."""
    row = model.reader.rows.get(table)
    visible = {**row.variables, **({row.index: INT} if row.index else {})} if row else {}
    symbols = scope_symbols(model.reader, table)
    kept = {name: type_ for name, type_ in visible.items() if name != without}
    return values_environment(model, {**kept, **more}, {name: symbols[name] for name in kept if name in symbols})


def _expected_in_pack(model: Model, root: Mapping, path: Path, role: Role | None) -> Type | None:
    if role is None or role.kind != "expression":
        return None
    if role.of in ("bool", "string"):
        return BOOL if role.of == "bool" else STRING
    if path[-1:] == ("is",):
        text = _scalar_text(root, (*path[:-1], "type"))
        return spelled(model, text) if text else None
    return model.reader.cells.get(str(path[-1])) if path[-2:-1] == ("with",) and path[0] != "items" else None


def _parameters(model: Model, name: str) -> Environment:
    """Return the parameters of a function of the pack."""
    entry = model.reader.sections["functions"].get(name)
    node = entry[1].get("parameters") if entry else None
    found: dict[str, Type] = {}
    for key, value in node.entries if isinstance(node, Mapping) else ():
        found[key.text] = spelled(model, value.text) if isinstance(value, Scalar) else UNKNOWN
    return Environment(model.reader.terms.names(found), {key: ("parameter", name, key) for key in found})


def spelled(model: Model, text: str) -> Type:
    """Return the type that a text spells, UNKNOWN where it spells none."""
    try:
        return parse_type(text, model.reader.terms.types)
    except LanguageErrors:
        return UNKNOWN


def _scalar_text(root: Mapping, path: Path) -> str:
    try:
        node = node_at(root, path)
    except LookupError:
        return ""
    return node.text if isinstance(node, Scalar) else ""


def _text(root: Mapping, key: str) -> str:
    return _scalar_text(root, (key,))


def type_of(model: Model, text: str, names: Names, given: tuple[Checked, ...]) -> Type:
    """Return the type of an expression, UNKNOWN where something is wrong with it."""
    try:
        return check(model.reader.terms.expression(text), names, None, given).type
    except LanguageErrors:
        return UNKNOWN
