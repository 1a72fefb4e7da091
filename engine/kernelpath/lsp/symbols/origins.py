"""What each name of a pack's expressions stands for: the symbol that tells where it is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelpath.lsp.symbols.occurrence import Symbol
from kernelpath.packs.cells import REQUEST
from kernelpath.packs.declarations import mapping_at, words_at
from kernelpath.packs.documents import Mapping as Entry
from kernelpath.packs.documents import Scalar
from kernelpath.packs.reading import PackReader

_ROW = ("as", "key", "index")


def cell_symbols(reader: PackReader) -> dict[str, Symbol]:
    """Return the symbol of everything that all expressions see, by its name; columns have dotted names."""
    found: dict[str, Symbol] = {name: ("value", name) for name in reader.cells}
    found |= {name: ("table", name) for name in reader.sections.get("items", {})}
    found |= dict(_whole_symbols(reader))
    found |= dict(_given_symbols(reader))
    for flow, (_, node) in reader.sections.get("flows", {}).items():
        found |= {f"{flow}.{name}.slots": ("slots", flow, name) for name in mapping_at(node, "passes")}
    return found


def _whole_symbols(reader: PackReader) -> Iterator[tuple[str, Symbol]]:
    for table, (_, node) in reader.sections.get("items", {}).items():
        yield from ((f"{table}.{name}", ("variable", table, name)) for name in mapping_at(node, "with"))


def _given_symbols(reader: PackReader) -> Iterator[tuple[str, Symbol]]:
    """Yield what stages give: a value of the request, a column of a table, or one of each pass of a flow."""
    flows = reader.sections.get("flows", {})
    for stage, (_, node) in reader.sections.get("stages", {}).items():
        for each in words_at(node, "each"):
            passes = [f"{each}.{name}." for name in mapping_at(flows[each][1], "passes")] if each in flows else None
            for prefix in passes or ["" if each == REQUEST else f"{each}."]:
                yield from ((prefix + name, ("given", stage, name)) for name in mapping_at(node, "gives"))


def scope_symbols(reader: PackReader, name: str) -> dict[str, Symbol]:
    """Return the symbols of what only a scope's rules see: the variables of a row, of a flow, and what stages give."""
    found: dict[str, Symbol] = {}
    over = name
    if name in reader.sections.get("flows", {}):
        node = reader.sections["flows"][name][1]
        own = [*mapping_at(node, "reads"), *mapping_at(node, "pass")]
        found |= {word: ("variable", name, word) for word in own}
        over = _text(node, "over") or ""
    found = {**_row_symbols(reader, over, ()), **found}
    for stage, (_, node) in reader.sections.get("stages", {}).items():
        if name in (*words_at(node, "each"), f"{REQUEST} {stage}"):
            found |= {word: ("given", stage, word) for word in mapping_at(node, "gives")}
    return found


def _row_symbols(reader: PackReader, table: str, seen: tuple[str, ...]) -> dict[str, Symbol]:
    """Return the variables that a table's row binds, those of the row that it is part of included."""
    entry = reader.sections.get("items", {}).get(table)
    if entry is None or table in seen:
        return {}
    found: dict[str, Symbol] = {}
    for key in ("within", "like"):
        found |= _row_symbols(reader, _text(entry[1], key) or "", (*seen, table))
    found |= {word: ("variable", table, word) for key in _ROW if (word := _text(entry[1], key))}
    return found | {word: ("variable", table, word) for word in mapping_at(entry[1], "with")}


def _text(node: Entry, key: str) -> str | None:
    found = node.get(key)
    return found.text if isinstance(found, Scalar) else None


def own_names(reader: PackReader, names: Mapping[str, object]) -> list[str]:
    """Return the names that not every expression of the pack sees, before those that every one does."""
    return [*(name for name in names if name not in reader.cells), *(name for name in names if name in reader.cells)]
