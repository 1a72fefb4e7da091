"""What became of a manifest's items, in words: hover and inlay hints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.observe import Visit
from kernelpath.language.json_values import canonical_text
from kernelpath.lsp.features.describe import describe
from kernelpath.lsp.features.hover import Hover
from kernelpath.lsp.manifests.judging import slots_of, variables_of
from kernelpath.lsp.manifests.slots import Use, producers
from kernelpath.lsp.manifests.view import View, heading
from kernelpath.packs.documents import Mapping, Scalar

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Hint:
    """A short text that an editor shows behind an offset, and what it says on request."""

    offset: int
    text: str
    about: str


def manifest_hover(view: View, offset: int) -> Hover | None:
    """Return what became of the item under the pointer: what rules gave it in each pass, and where that came from."""
    index = view.item_at(offset)
    pack = view.judge.loaded()
    if index is None or pack is None:
        return None
    start, end = _stretch(view, index, offset)
    parts = [*_slot(view, offset), *_member(view, index, offset)]
    parts += _tables(view.visits.get(index, []))
    return Hover(start, end, "\n\n".join(parts)) if parts else None


def _stretch(view: View, index: int, offset: int) -> tuple[int, int]:
    """Return the member under the pointer, else the item's opening bracket."""
    node = view.nodes[index]
    for key, value in node.entries if isinstance(node, Mapping) else ():
        if key.start <= offset <= value.end:
            return key.start, value.end
    return node.start, node.start + 1


def _tables(visits: Sequence[Visit]) -> list[str]:
    """Return tables of what rules gave an item, each once, headed by the passes and repetitions that it is of."""
    tables = [(visit, table) for visit in visits if (table := _table(visit))]
    several = len({visit.name for visit, _ in tables}) > 1
    found: dict[str, list[str]] = {}
    for visit, table in tables:
        title = ", ".join(part for part in (visit.name if several else "", heading(visit)) if part)
        found.setdefault(table, []).append(f"**{title}**" if title else "")
    return ["\n".join([", ".join(filter(None, titles)), "", table]) for table, titles in found.items()]


def _table(visit: Visit) -> str:
    rows = [
        f"| {name} | {_shown(value)} | {source} |" for name, value, source in variables_of(visit) if _is_short(value)
    ]
    return "\n".join(["| | value | from |", "|---|---|---|", *rows]) if rows else ""


def _is_short(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _slot(view: View, offset: int) -> Iterator[str]:
    """Say of a slot's name who writes it and who reads it."""
    use = view.use_at(offset)
    if use is None or view.items is None:
        return
    yield f"slot `{use.slot}`"
    if not use.writes:
        written = producers(view.uses, use, view.passes())
        names = ", ".join(f"`{_name(view, other)}`" for other in written)
        yield f"written by {names}" if names else "there at the start"
    readers = dict.fromkeys(_name(view, other) for other in view.uses if not other.writes and other.slot == use.slot)
    yield "read by " + (", ".join(f"`{name}`" for name in readers) or "no step")


def _name(view: View, use: Use) -> str:
    node = view.nodes[use.index]
    name = node.get(view.items.identity) if isinstance(node, Mapping) and view.items and view.items.identity else None
    return name.text if isinstance(name, Scalar) else str(use.index)


def _member(view: View, index: int, offset: int) -> Iterator[str]:
    """Say what the pack's record says of the member under the pointer."""
    node = view.nodes[index]
    for key, value in node.entries if isinstance(node, Mapping) else ():
        field = view.items.field_of(key.text) if view.items else None
        if key.start <= offset <= value.end and field and view.model and view.items and view.items.record:
            yield describe(view.model, ("field", view.items.record, field))


def hints(view: View) -> Iterator[Hint]:
    """Yield a hint for each item that was visited: what it reads and what it leaves, once where all passes agree.

    Of several flows it is told of the one whose items these are.
    """
    pack, flow = view.judge.loaded(), view.items.flow if view.items else None
    for index, visits in view.visits.items():
        own = [visit for visit in visits if visit.name == flow]
        told: dict[str, list[str]] = {}
        for visit in own if pack else ():
            assert pack is not None
            if text := _flow(pack, visit):
                told.setdefault(text, []).append(heading(visit))
        place = _behind(view, index)
        if told and place is not None:
            texts = [f"{', '.join(names)} {text}" for text, names in told.items()]
            yield Hint(place, next(iter(told)) if len(told) == 1 else "; ".join(texts), "\n\n".join(_tables(own)))


def _flow(pack: CompiledPack, visit: Visit) -> str:
    reads, writes = slots_of(pack, visit)
    left = ", ".join(_shown(value) for value in reads.values() if value is not None)
    right = ", ".join(_shown(value) for _, value in writes if value is not None)
    if not writes:
        return left
    return f"{left or '?'} → {right or '?'}" if left or right else ""


def _behind(view: View, index: int) -> int | None:
    """Return where an item's hint goes: behind its name, else behind its opening bracket."""
    if index >= len(view.nodes):
        return None
    node = view.nodes[index]
    name = node.get(view.items.identity) if isinstance(node, Mapping) and view.items and view.items.identity else None
    return name.end if name is not None else node.start + 1
