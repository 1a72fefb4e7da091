"""What there is to say of a symbol: its type, its doc, and where it is declared, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kernelpath.language import Type, Vocabulary
from kernelpath.language.builtins import DECLARED, Failure
from kernelpath.language.json_values import canonical_text
from kernelpath.language.types import required
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.packs.decisions import carriers, declared_carriers
from kernelpath.packs.documents import Mapping, Node, Scalar
from kernelpath.packs.model import Column, Place
from kernelpath.packs.reads import gives as gives_variable

_SECTIONS = {"vocabulary": "vocabularies", "record": "records", "function": "functions", "stage": "stages",
             "flow": "flows", "table": "items", "question": "questions"}  # fmt: skip
_VALUES = ("constants", "documents", "values")
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
    """What a record, a table, a flow or a stage has in it."""
    kind, name = symbol[0], symbol[-1]
    if kind == "stage" and name in model.pack.stages:
        stage = model.pack.stages[name]
        each = ", ".join(f"`{table}`" for table in stage.each)
        yield f"for each of {each}, rules in order: " + ", ".join(f"`{rule.name}`" for rule in stage.rules)
        yield _listing((given, str(type_)) for given, type_ in stage.gives.items())
    elif kind == "question" and name in model.pack.questions:
        question = model.pack.questions[name]
        yield f"given {', '.join(f'`{each}`' for each in question.given) or 'nothing'}: `{question.answer.text}`"
    elif kind == "record" and name in model.reader.record_types:
        yield _listing((field, str(type_)) for field, type_ in model.reader.record_types[name].items())


def _table(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    name = symbol[1]
    key, node = _entry(model, "items", name)
    table = model.reader.tables.get(name)
    made = f"of `{table.over.text if table.over else table.source}`" if table and (table.over or table.source) else ""
    title = code(f"table {name}: {model.reader.cells.get(name, type_)}")
    return [title, doc(node), made, _listing(_columns(model, name)), place(key)]


def _flow(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    key, node = _entry(model, "flows", symbol[1])
    flow = model.reader.flows.get(symbol[1])
    held = f"visits rows of `{flow.over}`; slots hold `{flow.type}`" if flow else ""
    return [code(f"flow {symbol[1]}"), doc(node), held, _listing(_columns(model, symbol[1])), place(key)]


def _pass(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    flow, name = symbol[1:]
    listed = _listing(_columns(model, f"{flow}.{name}"))
    return [code(f"pass {flow}.{name}"), f"one pass of flow `{flow}`", listed, place(_key_at(model, flow, name))]


def _slots(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    flow, name = symbol[1:]
    cell = f"{flow}.{name}.slots"
    words = f"the slots at the end of pass `{name}` of flow `{flow}`"
    return [code(f"{cell}: {model.reader.cells.get(cell, 'unknown')}"), words, place(_key_at(model, flow, name))]


def _key_at(model: Model, flow: str, name: str) -> Scalar | None:
    node = _entry(model, "flows", flow)[1]
    passes = node.get("passes") if isinstance(node, Mapping) else None
    return passes.key(name) if isinstance(passes, Mapping) else None


def _columns(model: Model, owner: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a table or of a flow, with their types."""
    yield from ((name, str(type_)) for name, type_ in model.reader.cells.items() if name.startswith(owner + "."))


def _listing(rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"- `{name}: {type_}`" for name, type_ in rows]
    more = [f"- and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join([*lines[:_SHOWN], *more])


def _value(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    name = symbol[1]
    section = next((each for each in _VALUES if name in model.reader.sections.get(each, {})), "values")
    key, node = _entry(model, section, name)
    what = "" if section == "values" else f"{section.removesuffix('s')} "
    title = f"{what}{name}: {_type(model.reader.cells.get(name), type_)}"
    plain = name in model.reader.constants and name not in model.reader.data
    held = f"`{canonical_text(model.reader.constants[name])[:200]}`" if plain else ""
    value = model.reader.values.get(name)
    read = f"is `{value.term.text}`" if value and value.term else ""
    return [code(title), doc(node), held, read, place(key)]


def _type(declared: Type | None, here: Type | None) -> str:
    """Return the declared type, and the one that tests left of it."""
    if declared is None or here is None or str(declared) == str(here):
        return str(declared or here or "unknown")
    return f"{declared}  (here: {here})"


_PLACES = {
    "as": "the row of `{0}`",
    "key": "the key of the row of `{0}`",
    "index": "the row's place in the list",
    "with": "a value of table `{0}` as a whole",
    "reads": "what the slot holds that a visit reads",
    "pass": "the name of the pass",
}


def _variable(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    _, owner, name = symbol
    section = "flows" if owner in model.reader.sections.get("flows", {}) else "items"
    tables, flows = model.reader.tables, model.reader.flows
    scope = flows[owner].scope if owner in flows else tables[owner].scope if owner in tables else None
    declared = scope.variables.get(name) if scope else None
    found = next(_variable_keys(_entry(model, section, owner)[1], name), None)
    words = _PLACES[found[0]].format(owner) if found else ""
    return [code(f"{name}: {_type(declared, type_)}"), words, place(found[1] if found else None)]


def _variable_keys(entry: Node | None, name: str) -> Iterator[tuple[str, Scalar]]:
    for section in _PLACES:
        node = entry.get(section) if isinstance(entry, Mapping) else None
        if isinstance(node, Scalar) and node.text == name:
            yield section, node
        elif isinstance(node, Mapping) and (key := node.key(name)) is not None:
            yield section, key


def _given(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    _, stage, name = symbol
    known = model.pack.stages.get(stage)
    node = _entry(model, "stages", stage)[1]
    gives = node.get("gives") if isinstance(node, Mapping) else None
    declared = known.gives.get(name) if known else None
    givers = [f"given by `{r.stage}/{r.name}`" for r in (known.rules if known else ()) if gives_variable(r) == name]
    key = gives.key(name) if isinstance(gives, Mapping) else None
    return [code(f"{name}: {_type(type_ or declared, None)}"), *givers, place(key)]


def _field(model: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    _, record, name = symbol
    declared = model.reader.record_types.get(record, {}).get(name)
    column = column_of(model, record, name)
    fields = _entry(model, "records", record)[1]
    fields = fields.get("fields") if isinstance(fields, Mapping) else None
    about = column.doc if column else doc(fields.get(name)) if isinstance(fields, Mapping) else ""
    key = fields.key(name) if isinstance(fields, Mapping) else None
    where = _where(column.place) if column else place(key)
    read = f"is `{column.term.text}`" if column else ""
    return [code(f"{record}.{name}: {_type(declared, type_)}"), about, read, where]


def _where(found: Place) -> str:
    path = Path(found.file)
    return f"declared in `{path.parent.name}/{path.name}`, line {found.line}"


def column_of(model: Model, record: str, name: str) -> Column | None:
    """Return the column of a table, or the field of a value, that is a field of a record type."""
    made = [table.columns for table in model.reader.tables.values() if table.record == record]
    values = [v.fields for v in model.reader.values.values() if v.fields and str(required(v.type)) == record]
    return next((column for columns in (*made, *values) for column in columns if column.name == name), None)


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
    rules = [f"- `{r.stage}/{r.name}`: {r.summary}" for r in carriers(model.pack).get(symbol[1], ())]
    declared = [f"- `{name}`" for name in declared_carriers(model.pack).get(symbol[1], ())]
    carried = "\n".join(["carried by", "", *rules, *declared]) if rules or declared else ""
    return [f"decision **{symbol[1]}**", carried]


def _rule(model: Model, symbol: Symbol, _: Type | None) -> Iterable[str]:
    rule = next((rule for rule in model.pack.rules() if rule.identity == symbol[1]), None)
    return [code(f"rule {symbol[1]}"), rule.summary if rule else "", rule.why if rule else ""]


def _own(_: Model, symbol: Symbol, type_: Type | None) -> Iterable[str]:
    words = {"let": "a name of this rule", "loop": "a variable of this loop"}
    name = symbol[2]
    return [code(f"{name}: {type_ or 'unknown'}"), words.get(symbol[0], f"a parameter of `{symbol[1]}`")]


_DESCRIBERS = {
    "value": _value,
    "variable": _variable,
    "given": _given,
    "table": _table,
    "flow": _flow,
    "pass": _pass,
    "slots": _slots,
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
