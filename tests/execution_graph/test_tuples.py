"""Patches of graphs whose steps are tuples in sections."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kernelpath.execution_graph.tuples import changed_steps, patch_tuples, steps_of

SECTIONS = ("preLayer", "decode", "prefill", "postLayer")
GROUP = {"layers": [1], "steps": [["q", "a"], ["o", "a", "w"]]}


def graph() -> dict[str, Any]:
    """Return a graph with a flat step and a group in decode, and one step in prefill."""
    return {"kernels": {"a": {"kernel": "a.wgsl"}}, "decode": [["q", "a", "w"], GROUP], "prefill": [["q", "a"]]}


def patched(sets: list[Any], added: list[Any] | None = None, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the graph under a patch; the one that was given is not changed."""
    source = before or graph()
    kept = copy.deepcopy(source)
    made = patch_tuples(source, added or [], sets, SECTIONS)
    assert source == kept
    return made


def test_steps_in_the_order_of_writing() -> None:
    """Steps of groups stand where their group does."""
    assert list(steps_of(graph()["decode"])) == [["q", "a", "w"], ["q", "a"], ["o", "a", "w"]]
    assert list(steps_of(graph()["decode"], groups=False)) == [["q", "a", "w"]]
    assert list(steps_of(None)) == list(steps_of(5)) == []


def test_what_does_not_change_is_the_very_section() -> None:
    """No list and no group is made again without need."""
    entries = graph()["decode"]
    assert changed_steps(entries, lambda step: step) is entries
    made = changed_steps(entries, lambda step: ["k", *step[1:]] if step[0] == "q" else step, groups=False)
    assert made == [["k", "a", "w"], GROUP]
    assert made[1] is entries[1]


def test_a_set_is_for_all_steps_of_an_op() -> None:
    """In all sections, in groups too; weights stay unless they are given."""
    made = patched([{"op": " q ", "kernelKey": " b "}])
    assert made["decode"] == [["q", "b", "w"], {"layers": [1], "steps": [["q", "b"], ["o", "a", "w"]]}]
    assert made["prefill"] == [["q", "b"]]
    assert "preLayer" not in made


@pytest.mark.parametrize("section", ["prefill", " Prefill "])
def test_a_set_may_be_for_one_section(section: str) -> None:
    """Its name counts in any case."""
    made = patched([{"op": "q", "weights": " v ", "section": section}])
    assert made["prefill"] == [["q", "a", "v"]]
    assert made["decode"] == graph()["decode"]


def test_sets_are_done_in_order() -> None:
    """A later set works on what an earlier one left."""
    sets = [{"op": "q", "kernelKey": "b", "weights": "v"}, {"op": "q", "kernelKey": "c", "section": "prefill"}]
    assert patched(sets)["prefill"] == [["q", "c", "v"]]


def test_kernels_are_added() -> None:
    """Under their keys without white space, after those of the table."""
    made = patched([], [{"key": " k ", "kernel": {"kernel": "k.wgsl"}}])
    assert list(made["kernels"].items()) == [("a", {"kernel": "a.wgsl"}), ("k", {"kernel": "k.wgsl"})]


@pytest.mark.parametrize(
    ("constants", "copied"),
    [([5], {"0": 5}), ("ab", {"0": "a", "1": "b"}), (7, {}), ({"N": 1}, {"N": 1}), (None, None), (0, 0)],
)
def test_constants_are_copied_as_an_object(constants: Any, copied: Any) -> None:
    """The reference takes whatever constants are apart, of the table's kernels and of added ones."""
    before = {"kernels": {"a": {"constants": constants}}}
    made = patched([], [{"key": "k", "kernel": {"constants": constants}}], before)
    assert made["kernels"] == {"a": {"constants": copied}, "k": {"constants": copied}}
