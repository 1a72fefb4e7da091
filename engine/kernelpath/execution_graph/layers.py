"""Sort the emitted steps of a graph into lists: per layer and phase, and per part outside the layers.

Most layers are alike. Layers to which the same steps apply share one list object and one key, so that the cost grows as
steps plus layers, not as their product.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import itemgetter
from types import SimpleNamespace

from kernelpath.language.json_values import MAX_DEPTH, canonical_text, too_deep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Emitted = dict[str, Any]


#: The lists outside the layers, by the section whose steps they hold.
_OUTSIDE = {"preLayer": "pre_layer", "postLayer": "post_layer", "sampling": "sampling"}


def _content_numbers(emitted: Sequence[Emitted], key_order: bool) -> list[int]:
    """Number the emitted steps so that steps that are equal as JSON get equal numbers."""
    known: dict[Any, int] = {}
    numbers = []
    for step in emitted:
        values = tuple(step.values()) if step else ()
        plain = all(type(value) is str for value in values)
        key: Any = (tuple(step or ()), values) if plain else _content(step, key_order)
        numbers.append(known.setdefault(key, len(known)))
    return numbers


def _content(step: Emitted, key_order: bool) -> str:
    """Return a step as JSON text; where the order of keys does not matter, with sorted keys."""
    return canonical_text(step if key_order else _sorted(step, 0))


def _sorted(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise too_deep()
    if isinstance(value, dict):
        return {key: _sorted(value[key], depth + 1) for key in sorted(value)}
    return [_sorted(item, depth + 1) for item in value] if isinstance(value, list) else value


def layer_table(
    settings: Mapping[str, Any],
    emitted: Sequence[Emitted],
    parts: Sequence[str],
    layers: Sequence[Any],
    count: int,
    **masks: Sequence[bool],
) -> SimpleNamespace:
    """Return `base` (layer 0), `layers` (0 to count - 1), `items` (each distinct list's steps), and each part's list.

    `masks` has, for each list of a layer, whether each step is in it; `layers` says on which layers each step runs:
    "all", or a list of numbers. `settings["key_order"]` false makes lists equal whose objects differ in the order of
    their keys alone.
    """
    found = {name: _Split(emitted, mask, layers, count) for name, mask in masks.items()}
    if any(split.named for split in found.values()):
        numbers = _content_numbers(emitted, settings.get("key_order", True))
    else:  # all layers are alike: two lists are equal only if they are the same one
        numbers = list(range(len(emitted)))
    keys: dict[tuple[int, ...], int] = {}
    for split in found.values():
        split.number(numbers, keys)
    table = _table(found, count)
    base = table[0] if table else _layer(0, found)
    used = sorted({place for split in found.values() for place in split.used})
    items = _picked(emitted, used)
    outside: dict[str, list[Emitted]] = {name: [] for name in _OUTSIDE.values()}
    for step, part in zip(emitted, parts, strict=True):
        if part:
            outside[_OUTSIDE[part]].append(step)
    return SimpleNamespace(base=base, layers=table, items=items, **outside)


def named(layers: Sequence[Any]) -> SimpleNamespace:
    """Return the `highest` layer that some list of layers names (-1: none), and the ones named more than once."""
    counts = Counter(int(layer) for where in layers if isinstance(where, (list, tuple)) for layer in where)
    repeated = sorted(layer for layer, times in counts.items() if times > 1)
    return SimpleNamespace(highest=max(counts, default=-1), repeated=repeated)


def _table(found: Mapping[str, _Split], count: int) -> list[SimpleNamespace]:
    """Return every layer's lists; layers that no step names share them."""
    named = {layer for split in found.values() for layer in split.named}
    common = _members(-1, found)
    return [SimpleNamespace(index=i, **(_members(i, found) if i in named else common)) for i in range(count)]


def _layer(index: int, found: Mapping[str, _Split]) -> SimpleNamespace:
    return SimpleNamespace(index=index, **_members(index, found))


def _members(index: int, found: Mapping[str, _Split]) -> dict[str, Any]:
    """Return the lists of one layer and their keys; lists with equal keys are equal as JSON, key order included."""
    members: dict[str, Any] = {}
    for name, split in found.items():
        members[name], members[f"{name}_key"] = split.of(index)
    return members


class _Split:
    """One list of each layer, made once for each set of steps that layers have in common."""

    def __init__(self, emitted: Sequence[Emitted], mask: Sequence[bool], layers: Sequence[Any], count: int) -> None:
        self.emitted = emitted
        self.numbers: Sequence[int] = ()
        self.keys: dict[tuple[int, ...], int] = {}
        self.everywhere: list[int] = []
        self.named: defaultdict[int, list[int]] = defaultdict(list)
        self.made: dict[tuple[int, ...], tuple[list[Emitted], int]] = {}
        most = max(count, 1)
        for place, (inside, where) in enumerate(zip(mask, layers, strict=True)):
            if inside and where == "all":
                self.everywhere.append(place)
            elif inside:
                for layer in {int(layer) for layer in where if layer < most}:
                    self.named[layer].append(place)
        self.used = {*self.everywhere, *(place for places in self.named.values() for place in places)}

    def number(self, numbers: Sequence[int], keys: dict[tuple[int, ...], int]) -> None:
        """Take the numbers of the steps' contents, and the keys that all lists of the graph have in common."""
        self.numbers, self.keys = numbers, keys

    def of(self, layer: int) -> tuple[list[Emitted], int]:
        """Return a layer's list and its key."""
        own = tuple(self.named.get(layer, ()))
        if own not in self.made:
            places = sorted([*self.everywhere, *own]) if own else self.everywhere
            content = tuple(_picked(self.numbers, places))
            self.made[own] = (_picked(self.emitted, places), self.keys.setdefault(content, len(self.keys)))
        return self.made[own]


def _picked(values: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """Return the values at the places; `itemgetter` does in one call what a loop does in one for each value."""
    if len(places) < 2:
        return [values[place] for place in places]
    return list(itemgetter(*places)(values))
