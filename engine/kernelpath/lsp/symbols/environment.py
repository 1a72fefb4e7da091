"""What an expression at a place of a pack's files may name, and where each of those names comes from."""

from __future__ import annotations

from collections.abc import Mapping as Map
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from kernelpath.language import Checked, LanguageErrors, Names, Type, check
from kernelpath.language.types import BOOL, STRING, UNKNOWN, ListOf, Record, optional, required
from kernelpath.lsp.checking.cases import rule_of
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.checking.terms import parsed
from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.lsp.symbols.roles import PACK, RULE, Path, Role
from kernelpath.packs.documents import Mapping, Node, Scalar, node_at
from kernelpath.packs.functions import expand


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
    known = model.reader.memory.nodes.get(rule_of(file))
    node = known[0] if known else None
    each = node.get("each") if isinstance(node, Mapping) else None
    return scope_environment(model, each.text if isinstance(each, Scalar) else "")


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


def scope_environment(model: Model, name: str) -> Environment:
    """Return the variables of a scope."""
    scope = model.reader.scopes.get(name)
    if scope is None:
        return Environment(model.reader.terms.names({}))
    used = {item.value for item in _uses(model, name)}
    origins = {v: ("value", v) if v in used else ("variable", name, v) for v in scope.variables}
    return Environment(model.reader.terms.names(scope.variables, frozenset(scope.given)), origins)


def _uses(model: Model, scope: str) -> list[Scalar]:
    node = model.reader.sections["scopes"][scope][1]
    uses = node.get("uses") if isinstance(node, Mapping) else None
    return [item for item in getattr(uses, "items", ()) if isinstance(item, Scalar)]


def values_environment(model: Model) -> Environment:
    """Return all values and constants of a pack."""
    values = model.reader.values
    return Environment(model.reader.terms.names(values), {name: ("value", name) for name in values})


@dataclass(slots=True)
class _Rule:
    """Finds the names that the expressions of one rule file may use; the file may be half written."""

    model: Model
    file: FilePath
    root: Mapping

    def at(self, path: Path, role: Role | None) -> Environment:
        """Return what the expression at a path may name."""
        each = self.root.get("each")
        base = scope_environment(self.model, each.text if isinstance(each, Scalar) else "")
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
            expression = expand(parsed(node.text), self.model.reader.terms.functions)
            return (check(expression, known.names, BOOL, known.given),)
        except LanguageErrors:
            return ()

    def _expected(self, role: Role | None) -> Type | None:
        if role is None or role.kind != "expression":
            return None
        if role.of == "given":
            return self._given_type()
        return {"bool": BOOL, "string": STRING}.get(role.of)

    def _given_type(self) -> Type | None:
        scope = self.model.reader.scopes.get(self._text("each"))
        type_ = scope.given.get(self._text("resolve") or self._text("table")) if scope else None
        hit = self._text("hit")
        if type_ is None or hit == "build":
            return None
        if hit == "collect":
            return type_.element if isinstance(type_, ListOf) else None
        return optional(type_)

    def _text(self, key: str) -> str:
        node = self.root.get(key)
        return node.text if isinstance(node, Scalar) else ""


def _in_pack(model: Model, root: Mapping, path: Path, role: Role | None) -> Environment:
    """Return what an expression in pack.yaml may name: that hangs on its section."""
    section, name = (str(path[0]), str(path[1])) if len(path) > 1 else ("", "")
    if section == "functions":
        return _parameters(model, root, name)
    if section == "scopes" and path[2:3] != ("over",):
        return scope_environment(model, name)
    if section == "records":
        return scope_environment(model, _scalar_text(root, (section, name, "scope")))
    if section == "flows":
        stage = model.pack.stages.get(_scalar_text(root, (section, name, "stage")))
        return scope_environment(model, stage.scope if stage else "")
    known = values_environment(model)
    wanted = model.reader.values.get(str(path[-1])) if role and role.of == "value" else None
    expected = BOOL if role and role.of == "bool" else wanted
    return Environment(known.names, known.origins, (), expected)


def _parameters(model: Model, root: Mapping, name: str) -> Environment:
    try:
        node = node_at(root, ("functions", name, "parameters"))
    except LookupError:
        node = root
    found: dict[str, Type] = {}
    for key, value in node.entries if isinstance(node, Mapping) and node is not root else ():
        found[key.text] = spelled(model, value.text) if isinstance(value, Scalar) else UNKNOWN
    return Environment(model.reader.terms.names(found), {key: ("parameter", name, key) for key in found})


def spelled(model: Model, text: str) -> Type:
    """Return the type that a text spells, UNKNOWN where it spells none."""
    from kernelpath.language import parse_type

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


def type_of(model: Model, text: str, names: Names, given: tuple[Checked, ...]) -> Type:
    """Return the type of an expression, UNKNOWN where something is wrong with it."""
    try:
        return check(expand(parsed(text), model.reader.terms.functions), names, None, given).type
    except LanguageErrors:
        return UNKNOWN
