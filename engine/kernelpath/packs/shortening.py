"""Leave out of a long YAML text what was read already and is whole, so that what is wrong with the rest is found fast.

The parser whose complaints are put into words is slow. Items that are complete say nothing about a mistake after them:
of each collection that is still open, its first item and its last stay, and of a complete value its first part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kernelpath.packs.composing import Open
from kernelpath.packs.nodes import Mapping, Node, Scalar, Sequence

_LONG = 100
_TAIL = 20
_BREAK = re.compile("[\r\n]")
_WRITTEN = re.compile("\\S")
Cut = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shortened:
    """A text without some stretches; `starts` are the offsets in it after them, `lost` how much is gone by then."""

    text: str
    starts: tuple[int, ...]
    lost: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """Return the offset in the whole text of an offset in the shortened one."""
        passed = bisect_right(self.starts, offset)
        return offset + (self.lost[passed - 1] if passed else 0)


def whole(text: str) -> Shortened:
    """Return a text with nothing left out."""
    return Shortened(text, (), ())


def shortened(text: str, opened: Iterable[Open], unclosed: Cut | None = None) -> Shortened:
    """Return a text without the whole items of the collections that are open where reading stopped.

    `unclosed` is what a quote that is never closed would run over.
    """
    cuts = [cut for one in opened for cut in _of_open(text, one)]
    kept, starts, lost = [], [], []
    at = length = gone = 0
    for start, end in sorted([*cuts, *([unclosed] if unclosed else [])]):
        kept.append(text[at:start])
        length, gone, at = length + start - at, gone + end - start, end
        starts.append(length)
        lost.append(gone)
    return Shortened("".join([*kept, text[at:]]), tuple(starts), tuple(lost))


def _of_open(text: str, opened: Open) -> Iterator[Cut]:
    nodes, step = opened.nodes, opened.step
    complete = len(nodes) - len(nodes) % step
    last = max(complete - step, step)
    if complete > 2 * step:
        yield nodes[step - 1].end, nodes[last - 1].end
    for node in [*nodes[:step], *nodes[last:]]:
        yield from _of_node(text, node)


def _of_node(text: str, node: Node) -> Iterator[Cut]:
    """Yield what a complete value can do without: all but the first part of a collection, the inside of a text."""
    if node.end - node.start <= _LONG:
        return
    if isinstance(node, Scalar):
        yield _inside(text, node)
        return
    parts = _first(node)
    if parts:
        yield parts[-1].end, node.end - (text[node.start] in "[{")
    for part in parts:
        yield from _of_node(text, part)


def _first(node: Mapping | Sequence) -> tuple[Node, ...]:
    if isinstance(node, Mapping):
        return node.entries[0] if node.entries else ()
    return node.items[:1]


def _inside(text: str, scalar: Scalar) -> Cut:
    if scalar.style in ("'", '"'):
        return scalar.start + 1, scalar.end - 1
    if scalar.style:  # a block's header stays, and the line that says how far it is indented
        first = _WRITTEN.search(text, _line_end(text, scalar.start))
        return min(_line_end(text, first.start() if first else scalar.end), scalar.end), scalar.end
    last = text.rfind("\n", scalar.start, scalar.end)
    return scalar.start + 2, max(scalar.start + 2, last if last >= 0 else scalar.end - _TAIL)


def _line_end(text: str, at: int) -> int:
    found = _BREAK.search(text, at)
    return found.start() if found else len(text)
