"""From a slot to what writes it, and to everything that names it; from an item's name to the item."""

from __future__ import annotations

from kernelpath.lsp.manifests.slots import producers
from kernelpath.lsp.manifests.view import View, scalars_of
from kernelpath.lsp.symbols.index import bounds
from kernelpath.lsp.symbols.occurrence import Location
from kernelpath.packs.documents import Scalar


def manifest_definition(view: View, offset: int) -> list[Location]:
    """Return what writes the slot at an offset, or the item that is named there."""
    use = view.use_at(offset)
    if use is not None:
        found = [use] if use.writes else producers(view.uses, use, view.passes())
        return [_location(view, other.scalar) for other in found]
    named = _named(view, offset)
    return [_location(view, view.names[named.text])] if named else []


def manifest_references(view: View, offset: int) -> list[Location]:
    """Return every place that names the slot at an offset, or the item."""
    use = view.use_at(offset)
    if use is not None:
        return [_location(view, other.scalar) for other in view.uses if other.slot == use.slot]
    named = _named(view, offset)
    slots = {use.scalar.start for use in view.uses}
    every = scalars_of(view.document.root) if named else ()
    return [_location(view, s) for s in every if named and s.value == named.text and s.start not in slots]


def _named(view: View, offset: int) -> Scalar | None:
    """Return the text at an offset where it is the name of an item."""
    found = next((s for s in scalars_of(view.document.root) if s.start <= offset <= s.end), None)
    return found if found is not None and isinstance(found.value, str) and found.text in view.names else None


def _location(view: View, scalar: Scalar) -> Location:
    return Location(view.document.path, *bounds(scalar))
