"""The tree of a YAML document, every part of it with its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kernelpath.diagnostics import Source, Span

PlainScalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value: `text` is what was written, without quotes and escapes, and `value` is what it stands for.

    `style` is the sign it was written with: `'`, `"`, `|` or `>`, or nothing for a plain one. `start` and `end` are
    offsets into the source.
    """

    value: PlainScalar
    text: str
    style: str
    source: Source = field(repr=False, compare=False)
    start: int = field(repr=False, compare=False)
    end: int = field(repr=False, compare=False)
    _offsets: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def span(self) -> Span:
        """The whole scalar, its quotes or its block header included."""
        return self.source.span(self.start, self.end)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column in the file of an offset in `text`; its length gives the place after it.

        An escape is at its backslash. A space or line break that folding made is at the file's line break.
        """
        return self.source.position(self.source_offset(offset))

    def text_span(self, start: int, end: int) -> Span:
        """Return the span in the file of `text[start:end]`; an empty stretch gives an empty span."""
        first = self.source_offset(start)
        return self.source.span(first, max(first, self.source_offset(end)))

    def source_offset(self, offset: int) -> int:
        """Return the offset in the source of an offset in `text`."""
        if not self._offsets:
            from kernelpath.packs.positions import source_offsets  # only a message inside a scalar needs the map

            self._offsets.extend(source_offsets(self.source.text, self.start, self.end, self.style, self.text))
        return self._offsets[max(0, min(offset, len(self.text)))]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    source: Source = field(repr=False, compare=False)
    start: int = field(repr=False, compare=False)
    end: int = field(repr=False, compare=False)

    @property
    def span(self) -> Span:
        """From the first `-` or the bracket to the end of the last item or the bracket."""
        return self.source.span(self.start, self.end)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and their values, in the order of the file; keys are distinct strings."""

    entries: tuple[tuple[Scalar, Node], ...]
    source: Source = field(repr=False, compare=False)
    start: int = field(repr=False, compare=False)
    end: int = field(repr=False, compare=False)
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {key.text: index for index, (key, _) in enumerate(self.entries)})

    @property
    def span(self) -> Span:
        """From the first key or the brace to the end of the last value or the brace."""
        return self.source.span(self.start, self.end)

    def keys(self) -> list[str]:
        """Return the keys, in the order of the file."""
        return list(self._places)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None where the key is absent."""
        return self.entries[self._places[key]][1] if key in self._places else None

    def key(self, key: str) -> Scalar | None:
        """Return the key's own node, which has the key's span, or None where it is absent."""
        return self.entries[self._places[key]][0] if key in self._places else None

    def key_span(self, key: str) -> Span:
        """Return where a key is written, or the whole mapping where the key is absent."""
        node = self.key(key)
        return self.span if node is None else node.span

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, key: str) -> Node:
        return self.entries[self._places[key]][1]


Node = Mapping | Sequence | Scalar


def to_plain(node: Node) -> object:
    """Return a node's value as plain dicts, lists and scalars, in the order of the file."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return {key.text: to_plain(value) for key, value in node.entries}


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield every scalar of a tree, keys included, in the order of the file."""
    waiting: list[Node] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Scalar):
            yield current
        elif isinstance(current, Sequence):
            waiting.extend(reversed(current.items))
        else:
            waiting.extend(part for entry in reversed(current.entries) for part in reversed(entry))


def node_at(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node that keys and indices lead to; raises LookupError where they lead nowhere."""
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str):
            node = node[step]
        elif isinstance(node, Sequence) and isinstance(step, int):
            node = node.items[step]
        else:
            raise LookupError(step)
    return node
