"""Lists of layers and parts, against a filter of the steps for every layer."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from kernelpath.execution_graph.layers import layer_table

LISTS = ("decode", "prefill")


def split(steps: list[dict[str, Any]], count: int, settings: Any = None) -> Any:
    """Return what the operation gives for steps that say where they belong."""
    return layer_table(
        settings or {},
        [step["emitted"] for step in steps],
        [step["part"] for step in steps],
        [step["layers"] for step in steps],
        count,
        decode=[step["decode"] for step in steps],
        prefill=[step["prefill"] for step in steps],
    )


def naive(steps: list[dict[str, Any]], layer: int, name: str) -> list[Any]:
    """Return one layer's list by asking every step."""
    return [s["emitted"] for s in steps if s[name] and (s["layers"] == "all" or layer in s["layers"])]


CONSTANTS: tuple[dict[str, Any], ...] = ({}, {"constants": {"K": 1}})


def random_steps(chance: random.Random) -> list[dict[str, Any]]:
    """Return steps of all kinds, some with equal content."""
    return [
        {
            "emitted": {"op": chance.choice("ab"), "kernel": chance.choice("xy"), **chance.choice(CONSTANTS)},
            "part": chance.choice(("", "", "", "preLayer", "postLayer")),
            "layers": chance.choice(("all", "all", [0], [1, 2], [2, 2, 5], [], [99], [1.0, 3])),
            "decode": chance.random() < 0.6,
            "prefill": chance.random() < 0.6,
        }
        for _ in range(chance.randrange(12))
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_lists_and_keys_are_those_of_the_plain_way(seed: int) -> None:
    """Every layer has the steps that a filter finds; keys are equal exactly where lists are equal as JSON."""
    chance = random.Random(seed)
    for _ in range(10):
        steps, count = random_steps(chance), chance.randrange(7)
        given = split(steps, count)
        table = [given.base, *given.layers]
        assert [layer.index for layer in given.layers] == list(range(count))
        for layer, number in zip(table, [0, *range(count)], strict=True):
            assert (layer.decode, layer.prefill) == (naive(steps, number, "decode"), naive(steps, number, "prefill"))
        keyed = [(getattr(layer, name), getattr(layer, f"{name}_key")) for layer in table for name in LISTS]
        for content, key in keyed:
            assert [other_key == key for _, other_key in keyed] == [
                json.dumps(other) == json.dumps(content) for other, _ in keyed
            ]


def test_parts_outside_the_layers_keep_their_order() -> None:
    """Each part's list has its steps as they are listed, whatever their layers."""
    steps = [
        {"emitted": {"op": str(n)}, "part": part, "layers": [], "decode": False, "prefill": False}
        for n, part in enumerate(("preLayer", "postLayer", "", "preLayer"))
    ]
    given = split(steps, 2)
    assert (given.pre_layer, given.post_layer) == ([{"op": "0"}, {"op": "3"}], [{"op": "1"}])


def test_layers_that_are_alike_share_their_lists() -> None:
    """Ten thousand equal layers cost two lists: they are the same objects."""
    step = {"emitted": {"op": "a"}, "part": "", "layers": "all", "decode": True, "prefill": True}
    odd = {"emitted": {"op": "b"}, "part": "", "layers": [5], "decode": True, "prefill": False}
    given = split([step, odd], 10_000)
    assert len({id(layer.decode) for layer in given.layers}) == 2
    assert given.layers[5].decode == [{"op": "a"}, {"op": "b"}]


def test_items_are_the_steps_of_all_lists_once() -> None:
    """What rules look at step by step is each step that some list has, in the order of the graph."""
    steps = [
        {"emitted": {"op": "a"}, "part": "", "layers": [3], "decode": True, "prefill": False},
        {"emitted": {"op": "b"}, "part": "", "layers": "all", "decode": False, "prefill": False},
        {"emitted": {"op": "c"}, "part": "", "layers": "all", "decode": True, "prefill": True},
        {"emitted": {"op": "d"}, "part": "", "layers": [9], "decode": True, "prefill": True},
    ]
    assert [item["op"] for item in split(steps, 5).items] == ["a", "c"]


def test_key_order_matters_unless_a_pack_says_otherwise() -> None:
    """Lists are told apart by the order of their objects' keys, or not, as the setting `key_order` has it."""
    one = {"op": "a", "constants": {"x": 1, "y": 2}}
    other = {"op": "a", "constants": {"y": 2, "x": 1}}
    steps = [
        {"emitted": emitted, "part": "", "layers": [layer], "decode": True, "prefill": False}
        for layer, emitted in enumerate((one, other))
    ]
    first, second = split(steps, 2).layers
    assert first.decode_key != second.decode_key
    first, second = split(steps, 2, {"key_order": False}).layers
    assert first.decode_key == second.decode_key
