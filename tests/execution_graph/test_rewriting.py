"""Transforms of kernel tables and step tuples: what is found, derived, stored and assigned."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kernelpath.execution_graph.rewrites import read_rewrites
from kernelpath.execution_graph.rewriting import rewrite
from kernelpath.language import EvaluationError

Graph = dict[str, Any]
NARROW = {"files": ["wide.wgsl"], "to": "narrow.wgsl"}


def kernel(file: str, **more: Any) -> Graph:
    """Return a pinned kernel."""
    return {"kernel": file, "entry": "main", "digest": "sha256:1", **more}


def derived(file: str, **more: Any) -> Graph:
    """Return what such a kernel becomes under another file."""
    return {"kernel": file, "entry": "main", "digest": None, **more}


def graph() -> Graph:
    """Return a graph with a flat step, a group, and a step after the layers."""
    return {
        "kernels": {"a": kernel("wide.wgsl"), "b": kernel("wide.wgsl", constants={"N": 1}), "c": kernel("other.wgsl")},
        "decode": [["q", "a", "w"], {"layers": [1], "steps": [["q", "b"], ["o", "c"]]}],
        "prefill": [["q", "b"], ["k", "a"]],
        "postLayer": [["head", "a"]],
    }


def rewritten(edits: list[Graph], rows: Any = None, before: Any = None, **more: Any) -> Graph:
    """Return a graph after one transform with some edits, all of one derivation; what it was is not changed."""
    source = before or graph()
    kept = copy.deepcopy(source)
    holds = more.pop("holds", {})
    data = {
        "derivations": {"d": rows or [NARROW]},
        "transforms": {"t": {"edits": [{"derive": "d"} | e for e in edits]}},
    }
    result = rewrite(source, ["t"], holds, read_rewrites(data | more))
    assert source == kept
    assert result.changed is (result.graph is not source)
    made: Graph = result.graph
    return made


def test_kernels_are_rewritten_in_place() -> None:
    """All kernels of the table that have a derivation get it under their own keys, and steps stay as they are."""
    made = rewritten([{}])
    narrow = derived("narrow.wgsl")
    assert made == graph() | {
        "kernels": {"a": narrow, "b": narrow | {"constants": {"N": 1}}, "c": kernel("other.wgsl")}
    }
    assert made["decode"] == graph()["decode"]


def test_spared_kernels_stay() -> None:
    """A kernel is spared if its precision has all members of an alternative."""
    before = graph()
    before["kernels"]["a"]["precision"] = {"inputDtype": "f32", "outputDtype": "f16"}
    spare = [{"inputDtype": "f16"}, {"inputDtype": "f32", "outputDtype": "f16"}]
    made = rewritten([{"spare": spare}], before=before)
    assert [each["kernel"] for each in made["kernels"].values()] == ["wide.wgsl", "narrow.wgsl", "other.wgsl"]
    made = rewritten([{"spare": [{"inputDtype": "f32", "outputDtype": "f32"}]}], before=before)
    assert [each["kernel"] for each in made["kernels"].values()] == ["narrow.wgsl", "narrow.wgsl", "other.wgsl"]


@pytest.mark.parametrize(
    ("find", "keys"),
    [
        ({"every": {"sections": ["decode"]}}, ["a"]),
        ({"every": {"sections": ["decode"], "groups": True}}, ["a", "b"]),
        ({"every": {"sections": ["prefill", "decode"], "ops": ["q"]}}, ["b", "a"]),
        ({"every": {"sections": ["preLayer"]}}, []),
        ({"first": {"sections": ["prefill"]}}, ["b"]),
        ({"first": {"sections": ["prefill"], "ops": ["k"]}}, ["a"]),
        ({"first": {"sections": ["decode"], "ops": ["o"]}}, []),
        ({"first": {"sections": ["decode"], "ops": ["o"], "groups": True}}, []),
    ],
)
def test_kernels_are_found_by_steps(find: Graph, keys: list[str]) -> None:
    """Steps of sections and ops, the first or all, in groups too if that is said; kernels without derivation stay."""
    made = rewritten([{"find": find, "suffix": "_n", "counts": True}])
    assert list(made["kernels"])[3:] == [f"{key}_n" for key in keys]


def test_a_new_key_is_assigned() -> None:
    """The derived kernel gets a key that is free, and the steps that are named get it, with their weights."""
    before = graph()
    before["kernels"] |= {"a_n": kernel("x.wgsl"), "a_n_2": kernel("x.wgsl")}
    find = {"first": {"sections": ["decode"], "ops": ["q"]}}
    assign = [{"sections": ["decode", "prefill"], "ops": ["q"]}]
    made = rewritten([{"find": find, "suffix": "_n", "assign": assign}], before=before)
    assert made["kernels"]["a_n_3"] == derived("narrow.wgsl")
    assert made["decode"] == [["q", "a_n_3", "w"], graph()["decode"][1]]
    assert made["prefill"] == [["q", "a_n_3"], ["k", "a"]]
    assert made["postLayer"] == graph()["postLayer"]


def test_steps_of_groups_are_assigned_if_that_is_said() -> None:
    """A group keeps its layers, and its steps of the op get the key."""
    find = {"first": {"sections": ["decode"], "ops": ["q"]}}
    assign = [{"sections": ["decode"], "ops": ["q"], "groups": True}]
    made = rewritten([{"find": find, "suffix": "_n", "assign": assign}])
    assert made["decode"] == [["q", "a_n", "w"], {"layers": [1], "steps": [["q", "a_n"], ["o", "c"]]}]


def test_steps_get_the_key_that_theirs_was_mapped_to() -> None:
    """Each step whose kernel was derived gets that kernel's new key; others keep theirs."""
    find = {"every": {"sections": ["decode", "prefill"]}}
    assign = [{"sections": ["decode", "prefill", "postLayer", "preLayer"], "key": "mapped"}]
    made = rewritten([{"find": find, "suffix": "_n", "assign": assign}])
    assert made["decode"] == [["q", "a_n", "w"], graph()["decode"][1]]
    assert made["prefill"] == [["q", "b_n"], ["k", "a_n"]]
    assert made["postLayer"] == [["head", "a_n"]]
    assert "preLayer" not in made


def test_steps_get_the_key_that_was_found() -> None:
    """Steps may be put back to the kernel that another one was derived from."""
    find = {"first": {"sections": ["prefill"], "ops": ["q"]}}
    assign = [{"sections": ["prefill"], "ops": ["k"], "key": "found"}]
    made = rewritten([{"find": find, "suffix": "_n", "assign": assign}])
    assert made["prefill"] == [["q", "b"], ["k", "b"]]


def test_what_changes_nothing_gives_the_graph_on() -> None:
    """Kernels that no step got are dropped, unless storing them counts."""
    find = {"first": {"sections": ["decode"]}}
    nothing = {"find": find, "suffix": "_n", "assign": [{"sections": ["decode"], "ops": ["none"]}]}
    assert rewritten([nothing]) == graph()
    assert list(rewritten([nothing | {"counts": True}])["kernels"]) == ["a", "b", "c", "a_n"]
    assert rewritten([{}], rows=[{"files": ["none.wgsl"], "to": "x.wgsl"}]) == graph()


@pytest.mark.parametrize(
    ("row", "changed"),
    [
        ({"files": ["wide.wgsl", "x.wgsl"]}, ["a", "b"]),
        ({"prefixes": ["oth", "x"]}, ["c"]),
        ({"suffix": "r.wgsl"}, ["c"]),
        ({"entries": ["main"], "files": ["other.wgsl"]}, ["c"]),
        ({"entries": ["other"]}, []),
        ({"when": "yes"}, ["a", "b", "c"]),
        ({"when": "no"}, []),
        ({"used": ["postLayer"]}, ["a"]),
        ({"used": ["decode", "prefill"], "unused": ["postLayer"]}, ["b"]),
        ({"used": ["decode"]}, ["a"]),
        ({}, ["a", "b", "c"]),
    ],
)
def test_a_row_fits_some_kernels(row: Graph, changed: list[str]) -> None:
    """By file, entry point, condition, and the flat steps that run the kernel."""
    made = rewritten([{}], rows=[row | {"to": "new.wgsl"}], holds={"yes": True, "no": False})
    assert [key for key, each in made["kernels"].items() if each["kernel"] == "new.wgsl"] == changed


def test_the_first_row_that_fits_counts() -> None:
    """Later rows, and later derivations, are for kernels that no earlier one fits."""
    rows = [{"files": ["wide.wgsl"], "to": "one.wgsl"}, {"to": "two.wgsl"}]
    assert [each["kernel"] for each in rewritten([{}], rows)["kernels"].values()] == [
        "one.wgsl",
        "one.wgsl",
        "two.wgsl",
    ]
    more = {"derivations": {"d": [NARROW], "e": [{"to": "two.wgsl"}]}}
    made = rewritten([{"derive": ["d", "e"]}], **more)
    assert [each["kernel"] for each in made["kernels"].values()] == ["narrow.wgsl", "narrow.wgsl", "two.wgsl"]


def test_what_a_derived_kernel_has() -> None:
    """Another file, entry point and no digest; dropped members; a precision laid over the one that was there."""
    before = {"kernels": {"k": kernel("attention_a.wgsl", constants={"N": 1}, precision={"kvDtype": "f32", "x": "y"})}}
    row = {"to": "attention_b_f16kv.wgsl", "entry": "go", "drop": "constants", "precision": {"outputDtype": "f16"}}
    named = [
        {"prefix": "attention", "has": "_f16kv", "precision": {"activationDtype": "f32", "kvDtype": "f16"}},
        {"prefix": "attention", "precision": {"activationDtype": "none"}},
    ]
    more = {"precisions": {"attention_b_f16kv.wgsl": {"outputDtype": "f32"}}, "precisions_by_name": named}
    made = rewritten([{}], [row], before, **more)["kernels"]["k"]
    precision = {"kvDtype": "f16", "x": "y", "outputDtype": "f16", "activationDtype": "f32"}
    assert made == derived("attention_b_f16kv.wgsl") | {"entry": "go", "precision": precision}
    assert list(made) == ["kernel", "entry", "digest", "precision"]
    assert list(made["precision"]) == ["kvDtype", "x", "outputDtype", "activationDtype"]


def test_an_empty_precision_is_left_out() -> None:
    """A derived kernel of which nothing is known has none."""
    before = {"kernels": {"k": kernel("wide.wgsl", precision=None)}}
    assert rewritten([{}], before=before) == {"kernels": {"k": derived("narrow.wgsl")}}


def test_a_kept_kernel_has_another_precision() -> None:
    """A row without `to` keeps file, entry point, digest and constants."""
    row = {"files": ["wide.wgsl"], "precision": {"inputDtype": "f32"}}
    made = rewritten([{}], [row])["kernels"]
    assert made["b"] == kernel("wide.wgsl", constants={"N": 1}, precision={"inputDtype": "f32"})
    assert rewritten([{"counts": True, "suffix": "_n"}], [{}])["kernels"]["c_n"] == kernel("other.wgsl")


def test_a_map_says_the_file_and_its_entry_point() -> None:
    """Files that a map does not have stay."""
    row = {"map": "m", "entry": {"two.wgsl": "start"}}
    made = rewritten([{}], [row], maps={"m": {"wide.wgsl": "one.wgsl", "other.wgsl": "two.wgsl"}})["kernels"]
    assert [(each["kernel"], each["entry"]) for each in made.values()] == [
        ("one.wgsl", "main"),
        ("one.wgsl", "main"),
        ("two.wgsl", "start"),
    ]


def test_edits_work_on_what_is_there_by_then() -> None:
    """An edit sees what those before it made; one of the source looks where nothing was changed yet."""
    back = {"find": {"first": {"sections": ["decode"]}}, "source": True, "derive": "kept", "suffix": "_wide"}
    assign = [{"sections": ["decode"]}]
    rows = {"derivations": {"d": [NARROW], "kept": [{}]}}
    made = rewritten([{}, back | {"assign": assign}], **rows)
    assert made["kernels"]["a"] == derived("narrow.wgsl")
    assert made["kernels"]["a_wide"] == kernel("wide.wgsl")
    assert made["decode"][0] == ["q", "a_wide", "w"]


@pytest.mark.parametrize(
    ("edit", "changed"), [({"when": "no"}, False), ({"unless": "no"}, True), ({"when": "yes"}, True)]
)
def test_conditions_of_an_edit(edit: Graph, changed: bool) -> None:
    """An edit is done if its condition holds."""
    assert (rewritten([edit], holds={"yes": True, "no": False}) != graph()) is changed


@pytest.mark.parametrize(
    ("transform", "changed"),
    [
        ({"when": ["yes"]}, True),
        ({"when": ["yes", "no"]}, False),
        ({"unless_files": ["other.wgsl"]}, False),
        ({"unless_files": ["x.wgsl"]}, True),
        ({"needs_map": "m"}, True),
        ({"needs_map": "n"}, False),
    ],
)
def test_conditions_of_a_transform(transform: Graph, changed: bool) -> None:
    """A transform that does not apply does none of its edits."""
    data = {
        "maps": {"m": {"wide.wgsl": "x.wgsl"}, "n": {"x.wgsl": "wide.wgsl"}},
        "derivations": {"d": [NARROW]},
        "transforms": {"t": {"edits": [{"derive": "d"}]} | transform},
    }
    assert rewrite(graph(), ["t"], {"yes": True, "no": False}, read_rewrites(data)).changed is changed


def test_a_transform_may_apply_another_first() -> None:
    """What the other one made is rewritten further; if it does nothing, the graph goes on as it was."""
    data = {
        "derivations": {"d": [NARROW], "e": [{"files": ["narrow.wgsl"], "to": "tiny.wgsl"}]},
        "transforms": {
            "narrow": {"when": "yes", "edits": {"derive": "d"}},
            "tiny": {"edits": [{"apply": "narrow"}, {"derive": "e"}]},
        },
    }
    rewrites = read_rewrites(data)
    made = rewrite(graph(), ["tiny"], {"yes": True}, rewrites)
    assert [each["kernel"] for each in made.graph["kernels"].values()] == ["tiny.wgsl", "tiny.wgsl", "other.wgsl"]
    before = graph()
    assert rewrite(before, ["tiny"], {"yes": False}, rewrites).graph is before


def test_transforms_are_done_in_order() -> None:
    """Each works on what the one before it made, and the graph is changed if any of them did something."""
    data = {
        "derivations": {"d": [NARROW], "e": [{"files": ["narrow.wgsl"], "to": "tiny.wgsl"}]},
        "transforms": {"one": {"edits": {"derive": "d"}}, "two": {"edits": {"derive": "e"}}, "none": {}},
    }
    rewrites = read_rewrites(data)
    files = {
        names: [each["kernel"] for each in rewrite(graph(), names, {}, rewrites).graph["kernels"].values()]
        for names in (("one", "two"), ("two", "one"), ("none", "one"))
    }
    assert files[("one", "two")] == ["tiny.wgsl", "tiny.wgsl", "other.wgsl"]
    assert files[("two", "one")] == files[("none", "one")] == ["narrow.wgsl", "narrow.wgsl", "other.wgsl"]
    assert rewrite(graph(), ("none",), {}, rewrites).changed is False


def test_a_step_that_cannot_be_done_without() -> None:
    """The op is named, and the graph is the one that was given, whatever transforms before did."""
    data = {
        "derivations": {"d": [NARROW]},
        "transforms": {
            "one": {"edits": {"derive": "d"}},
            "two": {"edits": {"find": {"first": {"sections": ["postLayer"], "ops": ["norm"]}}, "needed": True}},
        },
    }
    before = graph()
    result = rewrite(before, ["one", "two"], {}, read_rewrites(data))
    assert (result.graph, result.changed, result.missing) == (before, False, ["norm"])


def test_an_unknown_transform() -> None:
    """The known ones are named."""
    with pytest.raises(EvaluationError, match=r"^unknown transform `three`; known are `one`, `two`$"):
        rewrite(graph(), ["three"], {}, read_rewrites({"transforms": {"one": {}, "two": {}}}))
