"""All names of one file with their places, made once for each text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from kernelpath.language.types import UNKNOWN, Record, Vocabulary, required
from kernelpath.lsp.checking.session import Model
from kernelpath.lsp.symbols.environment import cell_type, environment, tested_environment
from kernelpath.lsp.symbols.expressions import dotted_symbol, expression_names, message_names
from kernelpath.lsp.symbols.occurrence import Occurrence, Symbol
from kernelpath.packs.cells import REQUEST
from kernelpath.packs.declarations import row_type
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence
from kernelpath.packs.grammar import Path, Role, plain_path, role_at

_WORD = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True, slots=True)
class Index:
    """The names of a file, in the order of their places."""

    path: FilePath
    occurrences: tuple[Occurrence, ...]

    def at(self, offset: int) -> Occurrence | None:
        """Return the innermost name that an offset touches; one that begins there comes before one that ends there."""
        touching = [found for found in self.occurrences if found.start <= offset <= found.end]
        return min(touching, key=lambda found: (offset == found.end, found.end - found.start), default=None)

    def of(self, symbol: Symbol) -> list[Occurrence]:
        """Return where the file names a symbol."""
        return [found for found in self.occurrences if found.symbol == symbol]


def index(model: Model, kind: str, path: FilePath, root: Node | None) -> Index:
    """Return the names of a file of a kind, from its tree, which may be what is left of a half-written one."""
    found = _Indexer(model, kind, path, root)
    places = scalars(root) if root else ()
    names = [name for steps, scalar, is_key in places for name in found.names(steps, scalar, is_key)]
    return Index(path, tuple(sorted(names, key=lambda name: (name.start, name.end))))


@dataclass(slots=True)
class _Indexer:
    model: Model
    kind: str
    path: FilePath
    root: Node | None

    def names(self, steps: Path, scalar: Scalar, is_key: bool) -> Iterator[Occurrence]:
        """Yield the names in one scalar at their offsets in the file."""
        role = role_at(self.kind, steps, is_key=is_key)
        if role is None:
            return
        if role.kind in ("expression", "message"):
            yield from self._expression(steps, scalar, role)
        elif role.kind == "type":
            yield from self._type(scalar)
        elif role.kind == "cell":
            yield from self._cell(steps, scalar)
        elif role.of == "slots":
            yield from self._slots(scalar)
        elif role.kind in ("name", "declares"):
            yield self._name(steps, scalar, role)

    def _expression(self, steps: Path, scalar: Scalar, role: Role) -> Iterator[Occurrence]:
        known = environment(self.model, self.kind, self.path, self.root, steps, role)
        read = expression_names if role.kind == "expression" else message_names
        for name in read(self.model, known, scalar.text):
            yield self._moved(name, scalar)

    def _moved(self, name: Occurrence, scalar: Scalar) -> Occurrence:
        """Return a name of a scalar's text at its place in the file."""
        start, end = scalar.source_offset(name.start), scalar.source_offset(name.end)
        symbol = name.symbol
        if symbol and symbol[0] == "loop":
            symbol = ("loop", str(self.path), symbol[1], str(scalar.source_offset(int(symbol[2]))))
        return Occurrence(start, max(start, end), symbol, name.type, name.declares, name.text)

    def _type(self, scalar: Scalar) -> Iterator[Occurrence]:
        for word in _WORD.finditer(scalar.text):
            type_ = self.model.reader.terms.types.get(word[0])
            if type_ is not None:
                kind = "vocabulary" if isinstance(type_, Vocabulary) else "record"
                yield self._moved(Occurrence(word.start(), word.end(), (kind, word[0]), type_, text=word[0]), scalar)

    def _cell(self, steps: Path, scalar: Scalar) -> Iterator[Occurrence]:
        """A cell is a value of the vocabulary of what it is held against, where that has one."""
        type_ = cell_type(self.model, self.kind, self.path, self.root, steps)
        if isinstance(type_, Vocabulary):
            symbol = ("word", type_.name, scalar.text)
            yield Occurrence(*bounds(scalar), symbol, type_, text=scalar.text)

    def _name(self, steps: Path, scalar: Scalar, role: Role) -> Occurrence:
        symbol = self._symbol(steps, scalar.text, role.of)
        return Occurrence(*bounds(scalar), symbol, None, role.kind == "declares", scalar.text)

    def _slots(self, scalar: Scalar) -> Iterator[Occurrence]:
        """The slots that a pass leaves, such as `visits.prefill.slots`: a flow, a pass, and its slots."""
        parts = scalar.text.split(".")
        start = bounds(scalar)[0]
        for count, part in enumerate(parts, 1):
            path = ".".join(parts[:count])
            type_ = self.model.reader.cells.get(path)
            yield Occurrence(start, start + len(part), dotted_symbol(self.model, path), type_, text=path)
            start += len(part) + 1

    def _symbol(self, steps: Path, text: str, of: str) -> Symbol:
        """Return the symbol that a plain name stands for: some depend on what they stand in."""
        steps = plain_path(self.kind, steps)
        if of == "field":
            return (of, self._record(steps), text)
        if of in ("parameter", "word", "pass"):
            return (of, str(steps[1]), text)
        if of == "variable":
            return ("given" if steps[0] == "stages" else of, str(steps[1]), text)
        if of == "let":
            return (of, str(self.path), text)
        if of == "given":
            return (of, self.path.parent.name, text)
        if of in ("test-variable", "test-field"):
            return self._tested(steps, text)
        return self._named(of, text)

    def _named(self, of: str, text: str) -> Symbol:
        """Return the symbol of a name that may be of several kinds."""
        if of == "document":
            return ("value", text)
        if of == "stage":
            return (of, text.partition(".")[0])
        if of == "each":
            of = "flow" if text in self.model.reader.sections["flows"] else "table"
            return ("builtin", text) if text == REQUEST else (of, text)
        return (of, text)

    def _record(self, steps: Path) -> str:
        """Return the record type that a field belongs to: one of its own, or that of a table or a value."""
        section, name = str(steps[0]), str(steps[1])
        entry = self.model.reader.sections.get(section, {}).get(name)
        return name if section == "records" or entry is None else row_type(entry[1]) or name

    def _tested(self, steps: Path, text: str) -> Symbol:
        """Return the variable, or the field of a variable's record, that a test gives a value."""
        known = tested_environment(self.model, self.path)
        type_ = required(known.names.variables.get(str(steps[3]), UNKNOWN))
        if len(steps) > 4:
            return ("field", type_.name, text) if isinstance(type_, Record) else ("member", text)
        return known.origins.get(text, ("unknown", text))


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


def bounds(scalar: Scalar) -> tuple[int, int]:
    """Return where a scalar's text begins and ends in its file, without quotes."""
    inset = 1 if scalar.style in ("'", '"') else 0
    return scalar.start + inset, max(scalar.start + inset, scalar.end - inset)
