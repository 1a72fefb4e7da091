"""What there is to say of a symbol: its type, its doc, and where it is declared, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kernelpath.language import Type, Vocabulary
from kernelpath.language.builtins import DECLARED, Failure
from kernelpath.language.json_values import canonical_text
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.packs.documents import Mapping, Node, Scalar
from kernelpath.packs.model import Rule

_SECTIONS = {"vocabulary": "vocabularies", "record": "records", "function": "functions", "scope": "scopes",
             "stage": "stages", "flow": "flows", "program": "programs", "fragment": "fragments"}  # fmt: skip
_SHOWN = 40


def describe(model: Model, symbol: Symbol, type_: Type | None = None) -> str:
    """Return what a symbol is; `type_` is the type that it has where it stands."""
    kind = symbol[0]
    describer = _DESCRIBERS.get(kind, _named)
    return "\n\n".join(part for part in describer(model, symbol, type_) if part)


def code(text: str) -> str:
    """Return a line of code as a Markdown block."""
    return f"```\n{text}\n```"


def _entry(model: Model, section: str, name: str) -> tuple[Scalar | None, Node | None]:
    return model.reader.sections.get(section, {}).get(name, (None, None))


def doc(node: Node | None) -> str:
    """Return the `doc` of a declaration."""
    found = node.get("doc") if isinstance(node, Mapping) else None
    return found.text if isinstance(found, Scalar) else ""


def place(key: Scalar | None) -> str:
    """Return where something is declared, in words."""
    if key is None:
        return ""
    path = Path(key.source.name)
    return f"declared in `{path.parent.name}/{path.name}`, line {key.span.line}"


def _named(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    key, node = _entry(model, _SECTIONS.get(symbol[0], symbol[0]), symbol[-1])
    return [code(f"{symbol[0]} {symbol[-1]}"), doc(node), *_details(model, symbol), place(key)]


def _details(model: Model, symbol: Symbol) -> Iterable[str]:
    """What a scope, a stage or a record has in it."""
    kind, name = symbol[0], symbol[-1]
    if kind == "scope" and name in model.reader.scopes:
        yield _listing((v, str(t)) for v, t in model.reader.scopes[name].variables.items())
    if kind == "record" and name in model.reader.record_types:
        yield _listing((field, str(type_)) for field, type_ in model.reader.record_types[name].items())
    if kind == "stage" and name in model.pack.stages:
        stage = model.pack.stages[name]
        yield f"for each `{stage.scope}`, rules in order: " + ", ".join(f"`{rule.name}`" for rule in stage.rules)


def _listing(rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"- `{name}: {type_}`" for name, type_ in rows]
    more = [f"- and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join([*lines[:_SHOWN], *more])


def _value(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    name = symbol[1]
    constant = name in model.reader.sections.get("constants", {})
    key, node = _entry(model, "constants" if constant else "values", name)
    declared = model.reader.values.get(name)
    title = f"{'constant ' if constant else ''}{name}: {_type(declared, type_)}"
    held = f"`{canonical_text(model.reader.constants[name])[:200]}`" if name in model.reader.constants else ""
    return [code(title), doc(node), held, place(key)]


def _type(declared: Type | None, here: Type | None) -> str:
    """Return the declared type, and the one that tests left of it."""
    if declared is None or here is None or str(declared) == str(here):
        return str(declared or here or "unknown")
    return f"{declared}  (here: {here})"


_PLACES = {
    "over": "the item of scope `{0}`",
    "item": "the item of scope `{0}`",
    "index": "the item's place in the list",
    "locals": "set by the engine for each item of scope `{0}`",
    "given": "given by a rule of scope `{0}`",
}


def _variable(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    _, scope_name, name = symbol
    scope = model.reader.scopes.get(scope_name)
    declared = scope.variables.get(name) if scope else None
    node = _entry(model, "scopes", scope_name)[1]
    found = next(_variable_keys(node, name), None)
    words = _PLACES[found[0]].format(scope_name) if found else ""
    givers = [f"resolved by `{r.stage}/{r.name}`" for r in model.pack.rules() if _gives(r, scope_name, name)]
    return [code(f"{name}: {_type(declared, type_)}"), words, *givers, place(found[1] if found else None)]


def _variable_keys(scope: Node | None, name: str) -> Iterator[tuple[str, Scalar]]:
    for section in _PLACES:
        node = scope.get(section) if isinstance(scope, Mapping) else None
        if isinstance(node, Scalar) and node.text == name:
            yield section, node
        elif isinstance(node, Mapping) and (key := node.key(name)) is not None:
            yield section, key


def _gives(rule: Rule, scope: str, name: str) -> bool:
    return rule.scope == scope and getattr(rule, "variable", None) == name


def _field(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    _, record, name = symbol
    declared = model.reader.record_types.get(record, {}).get(name)
    fields = _entry(model, "records", record)[1]
    fields = fields.get("fields") if isinstance(fields, Mapping) else None
    node = fields.get(name) if isinstance(fields, Mapping) else None
    key = fields.key(name) if isinstance(fields, Mapping) else None
    value = node.get("value") if isinstance(node, Mapping) else None
    read = f"read as `{value.text}`" if isinstance(value, Scalar) else ""
    return [code(f"{record}.{name}: {_type(declared, type_)}"), doc(node), read, place(key)]


def _function(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    function = model.reader.terms.functions[symbol[1]]
    key, node = _entry(model, "functions", symbol[1])
    result = f" -> {type_}" if type_ else ""
    title = code(f"{function.name}({', '.join(parameters(node))}){result}")
    return [title, function.doc, f"stands for `{function.text}`", place(key)]


def parameters(node: Node | None) -> list[str]:
    """Return the parameters of a declared function with their types."""
    found = node.get("parameters") if isinstance(node, Mapping) else None
    entries = found.entries if isinstance(found, Mapping) else ()
    return [f"{key.text}: {value.text}" for key, value in entries if isinstance(value, Scalar)]


def _builtin(_: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    declared = DECLARED.get(symbol[1])
    if declared is None:
        return [code("source(variable) -> string"), "Where the value of a resolved variable came from."]
    examples = "\n".join(f"{text}  ->  {_outcome(expected)}" for text, expected in declared.examples)
    return [code("\n".join(declared.signatures)), declared.doc, code(examples), "built in"]


def _outcome(expected: object) -> str:
    return f"error: {expected.message}" if isinstance(expected, Failure) else canonical_text(expected)


def _vocabulary(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    key, node = _entry(model, "vocabularies", symbol[1])
    vocabulary = model.reader.terms.vocabularies.get(symbol[1])
    return [code(f"vocabulary {symbol[1]}"), doc(node), values(vocabulary) if vocabulary else "", place(key)]


def values(vocabulary: Vocabulary) -> str:
    """Return a vocabulary's values in a line."""
    kind = "open; rules may name" if vocabulary.open else "one of"
    return f"{kind} {', '.join(f'`{value}`' for value in vocabulary.values)}"


def _word(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    vocabulary, value = symbol[1:]
    return [code(f'"{value}": {vocabulary}'), *list(_vocabulary(model, ("vocabulary", vocabulary), None))[1:]]


def _decision(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    rules = [f"- `{r.stage}/{r.name}`: {r.summary}" for r in model.pack.rules() if symbol[1] in r.decisions]
    carried = "\n".join(["carried by", "", *rules]) if rules else ""
    return [f"decision **{symbol[1]}**", model.pack.decisions.get(symbol[1], ""), carried]


def _rule(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    rule = next((rule for rule in model.pack.rules() if f"{rule.stage}/{rule.name}" == symbol[1]), None)
    return [code(f"rule {symbol[1]}"), rule.summary if rule else "", rule.why if rule else ""]


def _own(_: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    words = {"let": "a name of this rule", "loop": "a variable of this loop"}
    name = symbol[2]
    return [code(f"{name}: {type_ or 'unknown'}"), words.get(symbol[0], f"a parameter of `{symbol[1]}`")]


_DESCRIBERS = {
    "value": _value,
    "variable": _variable,
    "field": _field,
    "function": _function,
    "builtin": _builtin,
    "vocabulary": _vocabulary,
    "word": _word,
    "decision": _decision,
    "rule": _rule,
    "let": _own,
    "loop": _own,
    "parameter": _own,
}
