"""Read the values of a test file against the types that a pack declares for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelpath.analysis.testing import wording
from kernelpath.analysis.testing.records import RecordValue
from kernelpath.diagnostics import Diagnostic
from kernelpath.language import Type, Vocabulary
from kernelpath.language.types import BOOL, FLOAT, INT, JSON, NULL, STRING, ListOf, MapOf, Optional, Record
from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence, to_plain

_WORDS: dict[Type, str] = {
    BOOL: "true or false",
    INT: "a whole number",
    FLOAT: "a number",
    STRING: "a text",
    NULL: "null",
}
_FITTING: dict[Type, tuple[type, ...]] = {
    BOOL: (bool,),
    INT: (int,),
    FLOAT: (int, float),
    STRING: (str,),
    NULL: (type(None),),
}


@dataclass(slots=True)
class ValueReader:
    """Reads typed values; what is wrong with them is collected in `faults`.

    `fields` are the fields that a rule reads, by record; a field that is not among them is a fault. None allows all.
    """

    faults: list[Diagnostic]
    fields: dict[str, set[str]] | None = field(default=None)

    def value(self, node: Node, type_: Type) -> object:
        """Return a node's value if it is of the type; else collect a fault and return None."""
        if isinstance(type_, Optional):
            null = isinstance(node, Scalar) and node.value is None
            return None if null else self.value(node, type_.inner)
        if isinstance(type_, Vocabulary):
            return self._word(node, type_)
        if isinstance(type_, Record):
            return self._record(node, type_)
        if isinstance(type_, ListOf):
            return self._list(node, type_)
        if isinstance(type_, MapOf):
            return self._map(node, type_)
        return to_plain(node) if type_ == JSON else self._scalar(node, type_)

    def fault(self, words: wording.Words, node: Node) -> None:
        """Collect a fault of a whole node."""
        self.faults.append(wording.told(words, node.span))

    def _wrong(self, node: Node, wanted: str) -> None:
        self.fault(wording.wrong_type(wanted, kind(node)), node)

    def _scalar(self, node: Node, type_: Type) -> object:
        value = node.value if isinstance(node, Scalar) else node
        if not isinstance(value, _FITTING[type_]) or (isinstance(value, bool) and type_ != BOOL):
            self._wrong(node, _WORDS[type_])
            return None
        return float(value) if type_ == FLOAT and isinstance(value, int) else value

    def _word(self, node: Node, type_: Vocabulary) -> object:
        value = to_plain(node)
        if type_.open or (isinstance(value, str) and value in type_.values):
            return value
        if isinstance(value, str):
            self.fault(wording.no_word(type_.name, value, type_.values), node)
        else:
            self._wrong(node, f"a {type_.name}")
        return None

    def _list(self, node: Node, type_: ListOf) -> object:
        if not isinstance(node, Sequence):
            self._wrong(node, "a list")
            return None
        return [self.value(item, type_.element) for item in node]

    def _map(self, node: Node, type_: MapOf) -> object:
        if not isinstance(node, Mapping):
            self._wrong(node, "a mapping")
            return None
        return {key.text: self.value(value, type_.value) for key, value in node.entries}

    def _record(self, node: Node, type_: Record) -> object:
        if not isinstance(node, Mapping):
            self._wrong(node, f"a mapping with the fields of a {type_.name}")
            return None
        given = {}
        for key, value in node.entries:
            if key.text in type_.fields:
                self._read_field(key, type_)
                given[key.text] = self.value(value, type_.fields[key.text])
            else:
                self.fault(wording.unknown_field(type_.name, key.text, type_.fields), key)
        return RecordValue(type_, given)

    def _read_field(self, key: Scalar, type_: Record) -> None:
        read = None if self.fields is None else self.fields.get(type_.name, set())
        if read is not None and key.text not in read:
            self.fault(wording.unread_field(type_.name, key.text, read), key)


def kind(node: Node) -> str:
    """Return what a node is, in words."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            return f"the text `{node.value}`"
        return f"`{node.text}`" if node.value is not None else "null"
    return "a mapping" if isinstance(node, Mapping) else "a list"
