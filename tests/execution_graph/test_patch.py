"""Sets, removes and adds, against a list that is edited in place."""

from __future__ import annotations

import copy
import random
from types import SimpleNamespace
from typing import Any

import pytest

from kernelpath.execution_graph.patch import patch_edits, patch_steps

SETTINGS = {
    "identity": "id",
    "touches": ["precision", "kvIO"],
    "places": {"step": "manifest#/execution/steps", "added": "runtime#/executionPatch/add"},
}
Step = dict[str, Any]


def step(identity: str, **members: Any) -> Step:
    """Return a step of an id."""
    return {"id": identity, **members}


def naive(steps: list[Step], patch: dict[str, Any]) -> list[str]:
    """Return the ids that a patch leaves, by going through the list for every change."""
    current = [one["id"] for one in steps]
    for change in patch.get("remove", []):
        current = [identity for identity in current if identity != change["id"]]
    after: dict[str, str] = {}
    for change in patch.get("add", []):
        identity, anchor = change["step"]["id"], change.get("insertAfter")
        if anchor is None:
            current.insert(current.index(change["insertBefore"]), identity)
            continue
        place = current.index(anchor) + 1
        while place < len(current) and after.get(current[place]) == anchor:
            place += 1
        current.insert(place, identity)
        after[identity] = anchor
    return current


def random_patch(chance: random.Random, steps: list[Step], adds: int) -> dict[str, Any]:
    """Return a patch whose every change finds its step."""
    removed = chance.sample([one["id"] for one in steps], chance.randrange(len(steps)))
    left = [one["id"] for one in steps if one["id"] not in removed]
    changes = []
    for number in range(adds):
        anchor = chance.choice(left[-3:] if chance.random() < 0.4 else left)
        changes.append(
            {chance.choice(("insertBefore", "insertAfter", "insertAfter")): anchor, "step": step(f"n{number}")}
        )
        left.append(f"n{number}")
    return {"remove": [{"id": identity} for identity in removed], "add": changes}


@pytest.mark.parametrize("seed", range(30))
def test_order_is_that_of_the_plain_way(seed: int) -> None:
    """Whatever is removed and added, the steps come out as if the list were edited change by change."""
    chance = random.Random(seed)
    for _ in range(20):
        steps = [step(f"s{number}") for number in range(chance.randrange(1, 12))]
        patch = random_patch(chance, steps, chance.randrange(25))
        given = patch_steps(SETTINGS, steps, patch)
        assert [one["id"] for one in given.steps] == naive(steps, patch)


def test_four_thousand_adds_after_one_anchor() -> None:
    """Adds after one anchor stay in their order, and so do the steps around them."""
    steps = [step("first"), step("last")]
    adds = [{"insertAfter": "first", "step": step(f"n{number}")} for number in range(4_000)]
    given = patch_steps(SETTINGS, steps, {"add": adds})
    assert [one["id"] for one in given.steps] == ["first", *(f"n{number}" for number in range(4_000)), "last"]


def test_only_an_unbroken_run_of_siblings_is_passed() -> None:
    """A step between the siblings ends their run: what is added after the anchor then comes before that step."""
    steps = [step("a"), step("b")]
    adds = [
        {"insertAfter": "a", "step": step("n0")},
        {"insertAfter": "a", "step": step("n1")},
        {"insertBefore": "n1", "step": step("between")},
        {"insertAfter": "a", "step": step("n2")},
    ]
    given = patch_steps(SETTINGS, steps, {"add": adds})
    assert [one["id"] for one in given.steps] == ["a", "n0", "n2", "between", "n1", "b"]


def test_sets_replace_members_whole_and_in_order() -> None:
    """A member that is set takes the place of the old one; of several sets of one member the last counts."""
    steps = [step("a", precision={"inputDtype": "f16"}, kernel="k"), step("b")]
    patch = {
        "set": [
            {"id": "a", "precision": {"mathDtype": "f32"}},
            {"id": "a", "constants": None, "precision": {"outputDtype": "f32"}},
            {"id": "b", "kvIO": None},
        ]
    }
    before = copy.deepcopy((steps, patch))
    given = patch_steps(SETTINGS, steps, patch)
    assert given.steps == [
        {"id": "a", "precision": {"outputDtype": "f32"}, "kernel": "k", "constants": None},
        {"id": "b", "kvIO": None},
    ]
    assert given.touched == {"a": {"precision": {"outputDtype": "f32"}}, "b": {"kvIO": None}}
    assert (steps, patch) == before


def test_each_step_says_where_it_was_written() -> None:
    """Places are those in the manifest and in the patch, whatever came before or went."""
    steps = [step("a"), step("b"), step("c")]
    patch = {"remove": [{"id": "a"}], "add": [{"insertBefore": "b", "step": step("n", precision={})}]}
    given = patch_steps(SETTINGS, steps, patch)
    assert given.origins == [
        "runtime#/executionPatch/add/0/step",
        "manifest#/execution/steps/1",
        "manifest#/execution/steps/2",
    ]
    assert given.touched == {"n": {"precision": {}}}


def test_edits_are_known_before_they_are_made() -> None:
    """What rules ask of a patch: which ids it leaves and brings, how many it leaves, where each is first."""
    steps = [step("a"), step("b"), step("c")]
    patch = {"remove": [{"id": "b"}, "odd"], "add": [{"step": step("n")}, {"step": 5}, "odd", {"step": step("a")}]}
    assert patch_edits(SETTINGS, steps, patch) == SimpleNamespace(kept=2, known={"a": 0, "c": 1, "n": 2})


@pytest.mark.parametrize("patch", [None, {}, {"set": None, "remove": [], "add": None}, {"set": ""}])
def test_no_patch_leaves_the_steps(patch: Any) -> None:
    """A patch without changes gives the very steps that there are."""
    steps = [step("a"), step("b")]
    given = patch_steps(SETTINGS, steps, patch)
    assert all(one is other for one, other in zip(given.steps, steps, strict=True))
