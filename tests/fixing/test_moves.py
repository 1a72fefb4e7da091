"""Moves as data: items go by the member that a pack names, and read and write one slot or a list of them."""

from __future__ import annotations

from typing import Any

import pytest

from kernelpath.analysis.fixing.fix import overlay_patch, shown
from kernelpath.analysis.fixing.moves import REMOVED, Form, Move, edited, moves, names_in

FORM = Form("name", "in", "out")
DROP = {
    "identity": "name",
    "slots": {"reads": "in", "writes": "out"},
    "moves": {"drop": {"doc": "d", "cost": 1, "if": {"op": "copy"}, "remove": True}},
}


def item(name: str, read: Any, write: Any, op: str = "copy") -> dict[str, Any]:
    """Return an item."""
    return {"name": name, "op": op, "in": read, "out": write}


def test_only_items_with_a_name_of_their_own_are_moved() -> None:
    """Two of one name could not be told apart, and what is not a text names nothing."""
    listed = [item("a", "x", "y"), item("b", "y", "z"), item("b", "z", "u"), {"op": "copy", "name": 3}, 7]
    found = moves(DROP, {}, listed, {})
    assert [(move.name, move.anchor, move.cost, move.path, move.value is REMOVED) for move in found] == [
        ("drop", "a", 101, (), True)
    ]
    assert shown(found[0]) == "remove `a`"


def drop(name: str) -> Move:
    """Return the move that takes an item away."""
    return Move("drop", name, 101, (), REMOVED)


@pytest.mark.parametrize(
    ("listed", "gone", "read"),
    [
        ([item("a", "x", "y"), item("b", "y", "z")], ["a"], ["x"]),
        ([item("a", " x ", "y"), item("b", " y ", "z")], ["a"], ["x"]),
        ([item("a", ["x"], ["y"]), item("b", ["y", "w", "y"], ["z"])], ["a"], [["x", "w", "x"]]),
        ([item("a", ["x", "w"], ["y", "v"]), item("b", ["v", "y"], ["z"])], ["a"], [["x", "x"]]),
        ([item("a", "x", "y"), item("b", "y", "z"), item("c", "z", "u")], ["a", "b"], ["x"]),
        ([item("a", "x", "y"), item("b", "w", "y"), item("c", "y", "u")], ["a"], ["w", "y"]),
        ([item("a", [], ["y"]), item("b", ["y"], ["z"])], ["a"], [["y"]]),
        ([item("a", "x", "y"), item("b", None, "z"), item("c", [3, "y"], "u")], ["a"], [None, [3, "x"]]),
    ],
)
def test_what_read_an_item_that_is_gone_reads_what_it_read(listed: list[Any], gone: list[str], read: list[Any]) -> None:
    """Until another item writes the slot; what was given stays as it is."""
    before = [dict(each) for each in listed]
    after = edited(listed, [drop(name) for name in gone], FORM)
    assert [each["in"] for each in after] == read
    assert listed == before


def test_new_items_get_names_that_are_new() -> None:
    """The name is in the member that names items."""
    listed = [item("cast_a", "u", "v"), item("a", "x", "y")]
    [_, new, _] = edited(listed, [Move("cast", "a", 100, add={"in": "x", "out": "x"})], FORM)
    assert new == {"name": "cast_a_", "in": "x", "out": "x"}


def test_an_overlay_takes_no_item_away() -> None:
    """A patch sets members and adds items."""
    listed = [item("a", "x", "y"), item("b", "y", "z")]
    declared = {**DROP, "overlay": ["op"]}
    assert overlay_patch(listed, [drop("a")], declared) is None
    change = Move("set", "b", 100, ("op",), "move")
    assert overlay_patch(listed, [change], declared) == {"set": [{"name": "b", "op": "move"}]}
    assert overlay_patch(listed, [change], DROP) is None


def test_names_of_slots() -> None:
    """One text or a list of them; other values name nothing."""
    assert [names_in(each) for each in ("a", " a ", ["a", 3, " b"], None, 3)] == [["a"], ["a"], ["a", "b"], [], []]
