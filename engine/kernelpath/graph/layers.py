"""Sort the emitted steps of a graph into lists: per layer and phase, and per part outside the layers.

Most layers are alike. Layers to which the same steps apply share one list object and one key, so that the cost grows as
steps plus layers, not as their product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernelpath.language.json_values import canonical_text

Emitted = dict[str, Any]


class Layer:
    """The lists of one layer and their keys; lists with equal keys are equal as JSON, key order included."""

    __slots__ = ("decode", "decode_key", "index", "prefill", "prefill_key")


def _content_numbers(emitted: Sequence[Emitted]) -> list[int]:
    """Number the emitted steps so that steps that are equal as JSON get equal numbers."""
    known: dict[Any, int] = {}
    numbers = []
    for step in emitted:
        values = tuple(step.values()) if step else ()
        plain = all(type(value) is str for value in values)
        key: Any = (tuple(step or ()), values) if plain else canonical_text(step)
        numbers.append(known.setdefault(key, len(known)))
    return numbers


def layer_lists(
    settings: Mapping[str, Any],
    emitted: Sequence[Emitted],
    parts: Sequence[str],
    layers: Sequence[Any],
    count: int,
    **masks: Sequence[bool],
) -> Mapping[str, Any]:
    """Return `base` (layer 0), `layers` (0 to count - 1), `items` (each distinct list's steps), and each part's list.

    `masks` has, for each list of a layer that `settings["lists"]` names, whether each step is in it; `layers` says on
    which layers each step runs: "all", or a list of numbers.
    """
    keys: dict[tuple[int, ...], int] = {}
    numbers = _content_numbers(emitted)
    found = {name: _Split(emitted, numbers, masks[name], layers, count, keys) for name in settings["lists"]}
    table = [_layer(index, found) for index in range(count)]
    base = table[0] if table else _layer(0, found)
    items = [step for split in found.values() for step in split.distinct()]
    outside: dict[str, list[Emitted]] = {name: [] for name in settings["parts"].values()}
    for step, part in zip(emitted, parts, strict=True):
        if part:
            outside[settings["parts"][part]].append(step)
    return {"base": base, "layers": table, "items": items, **outside}


def _layer(index: int, found: Mapping[str, _Split]) -> Layer:
    layer = Layer()
    layer.index = index
    for name, split in found.items():
        steps, key = split.of(index)
        setattr(layer, name, steps)
        setattr(layer, f"{name}_key", key)
    return layer


class _Split:
    """One list of each layer, made once for each set of steps that layers have in common."""

    def __init__(
        self,
        emitted: Sequence[Emitted],
        numbers: Sequence[int],
        mask: Sequence[bool],
        layers: Sequence[Any],
        count: int,
        keys: dict[tuple[int, ...], int],
    ) -> None:
        self.emitted = emitted
        self.numbers = numbers
        self.keys = keys
        self.everywhere: list[int] = []
        self.named: dict[int, list[int]] = {}
        self.made: dict[tuple[int, ...], tuple[list[Emitted], int]] = {}
        most = max(count, 1)
        for place, (inside, where) in enumerate(zip(mask, layers, strict=True)):
            if inside and where == "all":
                self.everywhere.append(place)
            elif inside:
                for layer in {int(layer) for layer in where if layer < most}:
                    self.named.setdefault(layer, []).append(place)

    def of(self, layer: int) -> tuple[list[Emitted], int]:
        """Return a layer's list and its key."""
        own = tuple(self.named.get(layer, ()))
        if own not in self.made:
            places = sorted([*self.everywhere, *own]) if own else self.everywhere
            emitted, numbers = self.emitted, self.numbers
            content = tuple([numbers[place] for place in places])
            self.made[own] = ([emitted[place] for place in places], self.keys.setdefault(content, len(self.keys)))
        return self.made[own]

    def distinct(self) -> list[Emitted]:
        """Return the steps of all lists that were made."""
        return [step for steps, _ in self.made.values() for step in steps]
