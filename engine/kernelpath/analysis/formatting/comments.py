"""Find the comments of a YAML file, and which entry each belongs to, so that it moves with that entry.

A comment on a line of its own belongs to the entry that follows, or, where it is indented deeper than that, to the end
of the block above. A comment behind something belongs to the entry that it stands behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kernelpath.packs.documents import Mapping, Node, Scalar, Sequence
from kernelpath.packs.grammar import Path


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its `#`, and whether a blank line stands before it."""

    text: str
    after_blank: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value, or an item of a list: where it starts and ends, and its column in the file, from 1."""

    path: Path
    start: int
    end: int
    column: int
    in_flow: bool
    is_flow: bool


@dataclass(slots=True)
class Comments:
    """What surrounds the entries of a file, by their paths."""

    head: list[Comment] = field(default_factory=list)
    before: dict[Path, list[Comment]] = field(default_factory=dict)
    beside: dict[Path, str] = field(default_factory=dict)
    after: dict[Path, list[Comment]] = field(default_factory=dict)
    blank: set[Path] = field(default_factory=set)

    def inside(self, path: Path) -> bool:
        """Return whether there is a comment anywhere below a path, so that one line cannot hold it."""
        found = (*self.before, *self.beside, *self.after)
        return any(len(other) > len(path) and other[: len(path)] == path for other in found)


def attached(root: Node) -> Comments:
    """Return the comments of a document and the blank lines between its entries."""
    return _Attaching(root).attach()


def _entries(node: Node, path: Path, in_flow: bool) -> Iterator[Entry]:
    """Yield the entries below a node, outer ones first, in the order of the file."""
    flow = in_flow or is_flow(node)
    if isinstance(node, Mapping):
        for key, value in node.entries:
            yield from _entry(value, (*path, key.text), key.start, flow)
    elif isinstance(node, Sequence):
        end = node.start
        for index, item in enumerate(node.items):
            yield from _entry(item, (*path, index), item.start if flow else _dash(node, end), flow)
            end = item.end


def _entry(value: Node, path: Path, start: int, flow: bool) -> Iterator[Entry]:
    column = value.source.position(start)[1]
    yield Entry(path, start, max(value.end, start), column, flow, is_flow(value))
    yield from _entries(value, path, flow)


def _dash(node: Sequence, at: int) -> int:
    """Return where the next item's `-` stands, from the end of the item before on."""
    text = node.source.text
    while text[at] != "-":
        at = text.index("\n", at) if text[at] == "#" else at + 1
    return at


def is_flow(node: Node) -> bool:
    """Return whether a mapping or list is written in brackets."""
    return not isinstance(node, Scalar) and node.source.text[node.start : node.start + 1] in ("{", "[")


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _scalars(item)
    else:
        for key, value in node.entries:
            yield key
            yield from _scalars(value)


def _comment_offsets(root: Node) -> Iterator[tuple[int, int]]:
    """Yield each comment's start and end: every `#` that is in no scalar begins one, up to the end of its line."""
    text = root.source.text
    at = 0
    for scalar in [*_scalars(root), None]:
        limit = len(text) if scalar is None else scalar.start
        while (found := text.find("#", at, limit)) >= 0:
            at = _line_end(text, found)
            yield found, at
        if scalar is None:
            return
        if scalar.style in ("|", ">"):
            found = text.find("#", scalar.start, _line_end(text, scalar.start))
            if found >= 0:
                yield found, _line_end(text, found)
        at = max(at, scalar.end)


def _line_end(text: str, at: int) -> int:
    ends = [end for sign in "\r\n" if (end := text.find(sign, at)) >= 0]
    return min(ends, default=len(text))


class _Attaching:
    """Goes through a file's comments and entries once, in the order of the file."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.source = root.source
        self.text = root.source.text
        self.entries = list(_entries(root, (), False))
        self.offsets = list(_comment_offsets(root))
        self.kept_ends = {s.end for s in _scalars(root) if s.style in ("|", ">") and s.text.endswith("\n\n")}
        self.result = Comments()

    def attach(self) -> Comments:
        for start, end in self.offsets:
            if self._line_before(start).strip(" \t-") and self._beside(start, end):
                continue
            self._alone(start, Comment(self.text[start:end].rstrip(), self._blank_before(start)))
        for entry in self.entries:
            if not entry.in_flow and self._blank_before(entry.start):
                self.result.blank.add(entry.path)
        self._split_head()
        return self.result

    def _line_before(self, at: int) -> str:
        return self.text[self.source.offset(self.source.position(at)[0], 1) : at]

    def _beside(self, start: int, end: int) -> bool:
        """Give a comment to the entry that it stands behind; one that has a comment already takes no second one."""
        line = self.source.position(start)[0]
        entry = self._owner(start, line)
        if entry is None or entry.path in self.result.beside:
            return False
        self.result.beside[entry.path] = self.text[start:end].rstrip()
        return True

    def _owner(self, at: int, line: int) -> Entry | None:
        begun = [entry for entry in self.entries if entry.start < at]
        here = [entry for entry in begun if self.source.position(entry.start)[0] == line]
        closed = [entry for entry in begun if entry.end <= at and not self.text[entry.end : at].strip(" \t,]}")]
        whole = [entry for entry in closed if entry in here]
        if whole:
            return whole[0]
        return here[-1] if here else next((entry for entry in closed if not self._is_block(entry)), None)

    def _is_block(self, entry: Entry) -> bool:
        """Whether an entry goes on below its first line as a block of entries, whose last one is the owner instead."""
        return any(other.path[:-1] == entry.path for other in self.entries) and not entry.is_flow

    def _alone(self, start: int, comment: Comment) -> None:
        following = next((entry for entry in self.entries if entry.start > start), None)
        block = self._block_above(start, following)
        if block is not None:
            self.result.after.setdefault(block, []).append(comment)
        elif following is not None:
            self.result.before.setdefault(following.path, []).append(comment)
        else:
            self.result.head.append(comment)

    def _block_above(self, at: int, following: Entry | None) -> Path | None:
        """Return the entry of the block above that a comment closes, by its indentation."""
        above = [entry for entry in self.entries if entry.start < at]
        if not above or (following is not None and following.in_flow and self._same_flow(at, following)):
            return None
        last = above[-1]
        chain = [entry for entry in above if entry.path == last.path[: len(entry.path)]]
        open_flow = next((entry for entry in chain if entry.is_flow and entry.end > at), None)
        if open_flow is not None:
            inner = [entry for entry in above if entry.path[:-1] == open_flow.path]
            return inner[-1].path if inner else None
        column = self.source.position(at)[1]
        blocks = [entry for entry in chain if not entry.in_flow and entry.column <= column]
        if following is None:
            return max(blocks, key=lambda entry: entry.column).path if blocks else chain[0].path
        deeper = [entry for entry in blocks if entry.column > following.column]
        return max(deeper, key=lambda entry: entry.column).path if deeper else None

    def _same_flow(self, at: int, following: Entry) -> bool:
        """Whether a comment stands inside the brackets that the next entry stands in too."""
        parent = next((entry for entry in self.entries if entry.path == following.path[:-1]), None)
        return parent is None or parent.start < at < parent.end

    def _blank_before(self, at: int) -> bool:
        """Whether a blank line stands right before; the last lines of a block that keeps them are none."""
        above = self.text[:at].rstrip(" \t\r\n")
        if any(end >= len(above) for end in self.kept_ends if end <= at):
            return False
        return self.text[len(above) : at].replace("\r\n", "\n").replace("\r", "\n").count("\n") > 1

    def _split_head(self) -> None:
        """Keep comments at the top that a blank line parts from the first entry at the top of the file."""
        if not self.entries:
            return
        first = self.entries[0].path
        before = self.result.before.get(first, [])
        blanks = [place for place, comment in enumerate(before) if comment.after_blank]
        cut = len(before) if first in self.result.blank else max(blanks, default=0)
        self.result.head = before[:cut]
        self.result.before[first] = before[cut:]
