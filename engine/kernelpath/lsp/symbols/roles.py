"""What stands at each place of a pack's files: an expression, a message, a type, or the name of something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kernelpath.lsp.texts.cursor import Step
from kernelpath.packs.nodes import Mapping, Node, Scalar, Sequence

Path = tuple[Step, ...]

RULE, PACK, TEST = "rule", "pack", "test"


@dataclass(frozen=True, slots=True)
class Role:
    """`kind` is `expression`, `message`, `type`, `name`, `declares` or `cell`; `of` is a type, or a kind of name."""

    kind: str
    of: str = ""


# A pattern's `*` stands for any key, `#` for any index, and a last `@` for the key itself instead of its value.
_EXPRESSION, _MESSAGE, _TYPE = Role("expression"), Role("message"), Role("type")
_CONDITION = Role("expression", "bool")


def _name(of: str) -> Role:
    return Role("name", of)


def _declares(of: str) -> Role:
    return Role("declares", of)


_RULE: dict[str, Role] = {
    "each": _name("scope"),
    "decisions.#": _name("decision"),
    "let.*": _EXPRESSION,
    "let.*.@": _declares("let"),
    "inputs.*": _EXPRESSION,
    "inputs.*.@": _declares("let"),
    "when": _CONDITION,
    "check": _CONDITION,
    "message": _MESSAGE,
    "help": _MESSAGE,
    "subject": _MESSAGE,
    "at": _MESSAGE,
    "resolve": _name("given"),
    "table": _name("given"),
    "first.#.when": _CONDITION,
    "first.#.value": Role("expression", "given"),
    "first.#.source": Role("expression", "string"),
    "transition.slot": Role("expression", "string"),
    "transition.holds": _EXPRESSION,
    "base": _EXPRESSION,
    "rows.#.when": _CONDITION,
    "rows.#.value": Role("expression", "given"),
    "rows.#.match.*.@": _name("let"),
    "rows.#.match.*": Role("cell"),
    "rows.#.match.*.#": Role("cell"),
}

_ENTRY: dict[str, Role] = {
    "set.*.@": _name("value"),
    "set.*": Role("expression", "value"),
    "when": _CONDITION,
    "walk": _name("stage"),
    "walk.#": _name("stage"),
    "needs.#": _name("stage"),
    "gaps.#": _name("stage"),
    "of.#": _name("stage"),
    "flow": _name("flow"),
    "over": _name("value"),
    "start": _name("value"),
    "start.*": _EXPRESSION,
    "carry": _name("value"),
    "with.*": _EXPRESSION,
    "collect.*.@": _name("value"),
    "collect.*": _name("given"),
    "keep.*.@": _name("value"),
    "keep.*": _name("given"),
    "into": _name("value"),
    "into.*.@": _name("value"),
    "read": _name("record"),
    "return": _EXPRESSION,
    "call": _name("program"),
    "include": _name("fragment"),
    "run": _name("operation"),
    "decision": _name("value"),
}

_PACK: dict[str, Role] = {
    "extends": _name("pack"),
    "disable.#": _name("rule"),
    "vocabularies.*.@": _declares("vocabulary"),
    "vocabularies.*.values.#": _declares("word"),
    "records.*.@": _declares("record"),
    "records.*.scope": _name("scope"),
    "records.*.after.#": _name("stage"),
    "records.*.fields.*.@": _declares("field"),
    "records.*.fields.*.type": _TYPE,
    "records.*.fields.*.value": _EXPRESSION,
    "constants.*.@": _declares("value"),
    "constants.*.type": _TYPE,
    "functions.*.@": _declares("function"),
    "functions.*.parameters.*.@": _declares("parameter"),
    "functions.*.parameters.*": _TYPE,
    "functions.*.value": _EXPRESSION,
    "values.*.@": _declares("value"),
    "values.*.type": _TYPE,
    "scopes.*.@": _declares("scope"),
    "scopes.*.uses.#": _name("value"),
    "scopes.*.over.*.@": _declares("variable"),
    "scopes.*.over.*": _EXPRESSION,
    "scopes.*.item.*.@": _declares("variable"),
    "scopes.*.item.*": _TYPE,
    "scopes.*.index": _declares("variable"),
    "scopes.*.locals.*.@": _declares("variable"),
    "scopes.*.locals.*": _TYPE,
    "scopes.*.given.*.@": _declares("variable"),
    "scopes.*.given.*": _TYPE,
    "scopes.*.subject": _MESSAGE,
    "scopes.*.at": _MESSAGE,
    "stages.*.@": _declares("stage"),
    "stages.*.scope": _name("scope"),
    "stages.*.after.#": _name("stage"),
    "flows.*.@": _declares("flow"),
    "flows.*.stage": _name("stage"),
    "flows.*.slots": _TYPE,
    "flows.*.reads.*.@": _name("local"),
    "flows.*.reads.*": Role("expression", "string"),
    "flows.*.visits": _CONDITION,
    "flows.*.parts.of": _EXPRESSION,
    "flows.*.parts.on": _EXPRESSION,
    "flows.*.parts.count": _name("value"),
    "programs.*.@": _declares("program"),
    "programs.*.inputs.#": _name("value"),
    "programs.*.value": _EXPRESSION,
    **{f"programs.*.run.#.{key}": role for key, role in _ENTRY.items()},
    "fragments.*.@": _declares("fragment"),
    **{f"fragments.*.#.{key}": role for key, role in _ENTRY.items()},
    "decisions.*.@": _declares("decision"),
}

_TEST: dict[str, Role] = {
    "cases.#.run": _name("program"),
    "cases.#.given.*.@": _name("test-variable"),
    "cases.#.given.*.*.@": _name("test-field"),
    "cases.#.given.*": Role("cell"),
    "cases.#.given.*.*": Role("cell"),
    "cases.#.expect.value": Role("cell"),
    "cases.#.expect.holds": Role("cell"),
}
_TABLES = {RULE: _RULE, PACK: _PACK, TEST: _TEST}


def role_at(kind: str, path: Path, *, is_key: bool = False) -> Role | None:
    """Return what stands at a path of a file of a kind; with `is_key`, what the path's last key itself is."""
    table = _compiled(kind)
    wanted = [*path, "@"] if is_key else list(path)
    for pattern, role in table.get(len(wanted), ()):
        if all(_fits(part, step) for part, step in zip(pattern, wanted, strict=True)):
            return role
    return None


def _fits(part: str, step: Step) -> bool:
    return part == "#" if isinstance(step, int) else part in ("*", step)


@cache
def _compiled(kind: str) -> dict[int, list[tuple[tuple[str, ...], Role]]]:
    """Return the table by length of path, patterns with more plain keys first."""
    table: dict[int, list[tuple[tuple[str, ...], Role]]] = {}
    for text, role in _TABLES.get(kind, {}).items():
        pattern = tuple(text.split("."))
        table.setdefault(len(pattern), []).append((pattern, role))
    for entries in table.values():
        entries.sort(key=lambda entry: entry[0].count("*"))
    return table


def scalars(node: Node, path: Path = ()) -> Iterator[tuple[Path, Scalar, bool]]:
    """Yield every key and every scalar value of a tree with its path; a key's flag is true."""
    if isinstance(node, Scalar):
        yield path, node, False
    elif isinstance(node, Sequence):
        for index, item in enumerate(node):
            yield from scalars(item, (*path, index))
    elif isinstance(node, Mapping):
        for key, value in node.entries:
            yield (*path, key.text), key, True
            yield from scalars(value, (*path, key.text))
