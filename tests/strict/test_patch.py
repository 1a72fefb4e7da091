"""What strict makes of patches and traces: conflicts refused, sets merged, families kept together (B52 to B62)."""

from __future__ import annotations

from typing import Any

import pytest

from .asked import ask, blamed, errors, path_of, record, rules
from .graphs import cast, compiled, session, step


def patched(*steps: Any, layers: int = 2, **patch: Any) -> Any:
    """Compile a graph under a patch."""
    return compiled(*steps, runtime={"executionPatch": patch}, layers=layers)


def order(result: Any) -> list[str]:
    """Return the ids of the resolved steps in their order."""
    assert errors(result) == []
    return [one["id"] for one in result.value["resolvedSteps"]["prefill"]]


def found(result: Any, name: str = "a") -> Any:
    """Return a resolved step by its id."""
    assert errors(result) == []
    return next(one for one in result.value["resolvedSteps"]["all"] if one["id"] == name)


def traced(result: Any, field: str, name: str = "a") -> str:
    """Return where a resolved dtype came from."""
    assert errors(result) == []
    source: str = result.value["resolvedSources"]["steps"][name][field]["source"]
    return source


@pytest.mark.parametrize("member", ["sett", "Set", "added", "replace", "__proto__", ""])
def test_a_patch_member_that_nothing_reads_is_refused(member: str) -> None:
    """B52: misspelt members are changes that are not made."""
    assert errors(patched(step("a"), **{member: []})) == [f"the patch has `{member}`, which nothing reads"]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"remove": [{"id": "b", "x": 1}]}, "remove 0 of the patch has `x`, which nothing reads"),
        (
            {"add": [{"insertAfter": "b", "step": step("c"), "at": 1}]},
            "add 0 of the patch has `at`, which nothing reads",
        ),
        (
            {"set": [{"id": "b", "layers": "all"}]},
            "set 0 of the patch changes `layers` of step `b`, which a patch may not",
        ),
        (
            {"set": [{"id": "b", "constant": {}}]},
            "set 0 of the patch changes `constant` of step `b`, which a patch may not",
        ),
        (
            {"set": [{"id": "b", "precision": {"mathDtpe": "f16"}}]},
            "step 1 has `precision.mathDtpe`, which nothing reads",
        ),
        ({"set": [{"id": "b", "precision": "f16"}]}, "`precision` of step 1 is not an object"),
    ],
)
def test_members_inside_a_patch_are_known_too(patch: Any, message: str) -> None:
    """A misspelt member inside a change is not passed over either."""
    assert errors(patched(step("a"), step("b"), **patch)) == [message]


@pytest.mark.parametrize("patch", ["abc", "", [], [{"set": []}], 5, 0, True, False])
def test_a_patch_is_an_object(patch: Any) -> None:
    """B53: anything else has no sets, removes or adds."""
    assert rules(compiled(step("a"), runtime={"executionPatch": patch})) == ["strict/patch-shape/patch-object"]


@pytest.mark.parametrize("kind", ["set", "remove", "add"])
@pytest.mark.parametrize("changes", [{"id": "a"}, {}, "abc", "", 5, 0, False])
def test_changes_are_lists(kind: str, changes: Any) -> None:
    """B54: an object is no list of changes, and neither is a text; it is said which."""
    [message] = errors(patched(step("a"), **{kind: changes}))
    assert message.startswith(f"`{kind}` of the patch is ")
    assert message.endswith(", not a list")


@pytest.mark.parametrize("patch", [None, {}, {"set": None}, {"set": [], "remove": [], "add": []}])
def test_a_patch_may_change_nothing(patch: Any) -> None:
    """Null and empty lists change nothing, and are meant to."""
    assert order(compiled(step("a"), runtime={"executionPatch": patch})) == ["a"]


@pytest.mark.parametrize("entry", ["main_multicol", "main_vec4", " main_vec4 ", None])
def test_an_entry_is_not_set(entry: Any) -> None:
    """B55: another entry is another kernel, which the step's kernelRef does not pin."""
    own = step("a", kernel="matmul_gemv_subgroup.wgsl", entry="main_vec4")
    assert rules(patched(own, set=[{"id": "a", "entry": entry}])) == ["strict/patch-sets/set-members"]


def test_another_entry_comes_by_another_step() -> None:
    """What a set may not do, a remove and an add do: the new step is pinned to what it runs."""
    own = step("a", kernel="matmul_gemv_subgroup.wgsl", entry="main_vec4")
    other = step("a2", kernel="matmul_gemv_subgroup.wgsl", entry="main_multicol")
    result = patched(own, step("b"), remove=[{"id": "a"}], add=[{"insertBefore": "b", "step": other}])
    assert order(result) == ["a2", "b"]
    assert path_of(result)["decode"]["steps"][0]["entry"] == "main_multicol"


PRECISION = {"inputDtype": "f32", "mathDtype": "f32", "accumDtype": "f16", "outputDtype": "f32"}


@pytest.mark.parametrize("field", ["mathDtype", "accumDtype"])
def test_a_set_changes_what_it_mentions(field: str) -> None:
    """B56: the other members of the step's precision stay."""
    result = patched(step("a", precision=PRECISION), set=[{"id": "a", "precision": {field: "f16"}}])
    assert found(result)["precision"] == {**PRECISION, field: "f16"}
    sources = {name: traced(result, f"precision.{name}") for name in PRECISION}
    assert sources == {**dict.fromkeys(PRECISION, "manifest"), field: "runtime.patch"}


def test_the_recorded_set_keeps_what_the_step_accumulates_in() -> None:
    """B56 as recorded: mathDtype is the patch's, accumDtype still the manifest's f16."""
    precision = found(ask(record("B56")))["precision"]
    assert (precision["mathDtype"], precision["accumDtype"]) == ("f16", "f16")


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        ({"A": 1}, {"B": 2}, {"A": 1, "B": 2}),
        ({"A": 1}, {"A": 2}, {"A": 2}),
        (None, {"B": 2}, {"B": 2}),
        ({"A": 1}, {}, {"A": 1}),
    ],
)
def test_constants_are_merged_too(own: Any, given: Any, expected: Any) -> None:
    """A set of one constant leaves the others."""
    members = {} if own is None else {"constants": own}
    result = patched(step("a", **members), set=[{"id": "a", "constants": given}])
    assert path_of(result)["decode"]["steps"][0]["constants"] == expected


@pytest.mark.parametrize("member", ["constants", "precision"])
def test_a_set_of_null_takes_a_member_away(member: str) -> None:
    """Null is not an object to merge: the step has no such member then."""
    own = step("a", constants={"A": 1}, precision=PRECISION)
    result = patched(own, set=[{"id": "a", member: None}])
    assert found(result)["precision"]["accumDtype"] == ("f32" if member == "precision" else "f16")
    assert ("constants" in path_of(result)["decode"]["steps"][0]) == (member == "precision")


def test_a_set_of_one_kv_dtype_keeps_the_other() -> None:
    """KV dtypes are merged as well: what results is checked against the cache."""
    own = step("a", op="attention", kernel="attention_small.wgsl", kvIO={"readDtype": "f32", "writeDtype": "f32"})
    assert errors(patched(own, set=[{"id": "a", "kvIO": {"readDtype": "f32"}}])) == []
    assert rules(patched(own, set=[{"id": "a", "kvIO": {"writeDtype": "f16"}}])) == [
        "execution-v0/flow/kv-matches-session"
    ]


@pytest.mark.parametrize(
    ("patch", "blamed_sets"),
    [
        ({"set": [{"id": "a", "constants": {"X": 1}}, {"id": "a", "constants": {"Y": 2}}]}, ["a"]),
        ({"set": [{"id": "a", "constants": {}}, {"id": "b", "constants": {}}, {"id": "a", "precision": {}}]}, ["a"]),
        ({"set": [{"id": "b", "constants": {"X": 1}}], "remove": [{"id": "b"}]}, ["b"]),
        ({"set": [{"id": "a"}, {"id": "a"}], "remove": [{"id": "a"}]}, ["a", "a"]),
        ({"set": [{"id": "a"}, {"id": "b"}], "remove": [{"id": "b"}, {"id": "a"}]}, ["a", "b"]),
    ],
)
def test_changes_that_conflict_are_refused(patch: Any, blamed_sets: list[str]) -> None:
    """B57: two sets of a step, and a set of a step that is removed, whatever they change."""
    result = patched(step("a"), step("b"), step("c"), **patch)
    assert blamed(result) == [("strict/patch-sets/set-once", name) for name in blamed_sets]


def test_changes_of_different_steps_do_not_conflict() -> None:
    """One set for each step, removes of others, and adds next to both."""
    result = patched(
        step("a"),
        step("b"),
        step("c"),
        set=[{"id": "a", "constants": {"X": 1}}, {"id": "b", "constants": {"X": 2}}],
        remove=[{"id": "c"}],
        add=[{"insertAfter": "b", "step": step("c")}],
    )
    assert order(result) == ["a", "b", "c"]


def after(*pairs: tuple[str, str]) -> list[Any]:
    """Return adds of steps after anchors."""
    return [{"insertAfter": anchor, "step": step(name)} for name, anchor in pairs]


@pytest.mark.parametrize(
    ("adds", "expected"),
    [
        (after(("x", "a"), ("x2", "x"), ("y", "a")), "a x x2 y b"),
        (after(("x", "a"), ("x2", "x"), ("x3", "x2"), ("y", "a"), ("x4", "x")), "a x x2 x3 x4 y b"),
        (after(("x", "a"), ("y", "a"), ("x2", "x"), ("y2", "y"), ("z", "a")), "a x x2 y y2 z b"),
        (after(("x", "b"), ("x2", "x"), ("y", "b")), "a b x x2 y"),
        (after(("x", "a"), ("y", "a"), ("z", "a")), "a x y z b"),
        (after(("x", "a"), ("y", "b"), ("x2", "x"), ("z", "a")), "a x x2 z b y"),
    ],
)
def test_added_steps_keep_their_own_beside_them(adds: list[Any], expected: str) -> None:
    """B58: what is added after a step stands after everything that was added after its earlier siblings."""
    assert " ".join(order(patched(step("a"), step("b"), add=adds))) == expected


def test_adds_before_a_step_are_in_their_order() -> None:
    """Each add before an anchor stands right before it."""
    adds = [{"insertBefore": "b", "step": step(name)} for name in ("x", "y")]
    assert order(patched(step("a"), step("b"), add=[*adds, *after(("z", "a"))])) == ["a", "z", "x", "y", "b"]


def test_a_step_before_an_added_one_belongs_to_it_not_to_its_anchor() -> None:
    """A step that stands between an anchor and its first sibling does not come between the siblings."""
    adds = [*after(("x", "a")), {"insertBefore": "x", "step": step("w")}, *after(("y", "a"))]
    assert order(patched(step("a"), step("b"), add=adds)) == ["a", "w", "x", "y", "b"]


def test_many_adds_after_one_anchor_stay_in_their_order() -> None:
    """Five thousand adds after one step are in the order in which they were added."""
    names = [f"x{number}" for number in range(5_000)]
    assert order(patched(step("a"), step("b"), add=after(*[(name, "a") for name in names]), layers=1)) == [
        "a",
        *names,
        "b",
    ]


def test_an_overlay_s_dtype_is_traced_to_where_it_is_from() -> None:
    """B59: the recorded override counts, so it is the overlay's; without it the value is the manifest's."""
    case = record("B59")
    result = ask(case)
    assert (found(result)["precision"]["mathDtype"], traced(result, "precision.mathDtype")) == (
        "f16",
        "runtime.session",
    )
    case["options"]["runtimeInference"] = None
    result = ask(case)
    assert (found(result)["precision"]["mathDtype"], traced(result, "precision.mathDtype")) == ("f32", "manifest")


@pytest.mark.parametrize("field", ["inputDtype", "mathDtype", "accumDtype", "outputDtype"])
def test_a_null_of_a_patch_decides_nothing(field: str) -> None:
    """B60: the value is the session's or derived, and so is its source."""
    result = patched(step("a"), set=[{"id": "a", "precision": {field: None}}])
    assert traced(result, f"precision.{field}") == ("derived" if field == "inputDtype" else "manifest")


def test_a_null_of_a_patch_brings_back_what_the_session_says() -> None:
    """A null over the step's own dtype leaves the session's, traced to the session."""
    result = patched(step("a", precision={"mathDtype": "f16"}), set=[{"id": "a", "precision": {"mathDtype": None}}])
    assert (found(result)["precision"]["mathDtype"], traced(result, "precision.mathDtype")) == ("f32", "manifest")


def test_an_added_step_s_dtypes_are_the_patch_s() -> None:
    """What an added step says is the patch's word; what it leaves open is not."""
    added = step("x", precision={"mathDtype": "f16", "accumDtype": None})
    result = patched(step("a"), add=[{"insertAfter": "a", "step": added}])
    assert [traced(result, f"precision.{name}", "x") for name in ("mathDtype", "accumDtype", "outputDtype")] == [
        "runtime.patch",
        "manifest",
        "manifest",
    ]


def test_a_patch_is_followed_like_a_manifest() -> None:
    """B61 by a patch: faults of added steps are all reported, where they were written."""
    adds = [{"insertAfter": "a", "step": step(name, src=name, dst="y")} for name in ("x", "z")]
    result = patched(step("a"), add=adds)
    assert [(one.subject, one.document, one.pointer) for one in result.diagnostics] == [
        ("x", "runtime", "/executionPatch/add/0/step/src"),
        ("z", "runtime", "/executionPatch/add/1/step/src"),
    ]


def test_a_removed_cast_is_missed() -> None:
    """A patch that takes a cast away makes the step after it wrong, in the layers where it was."""
    steps = [
        cast("c", "f16", layers=[1]),
        step("n", layers=[1], precision={"inputDtype": "f16"}, kernel="rmsnorm_f16.wgsl"),
    ]
    assert errors(patched(*steps, set=[])) == []
    assert errors(patched(*steps, remove=[{"id": "c"}])) == [
        "step `n` reads slot `state` as f16, but it holds f32, in layer 1"
    ]


@pytest.mark.parametrize(
    "name", ["unknown", "gemma3", "LFM2-q4k-dequant-f32a-online", 5, True, ["gemma2-f16-f32a"], {}, "  "]
)
def test_a_default_path_that_there_is_not_is_refused(name: Any) -> None:
    """B62: the fallback is looked up by it."""
    assert rules(compiled(step("a"), extra={"defaultKernelPath": name})) == ["strict/path-lists/default-path-known"]


@pytest.mark.parametrize(
    ("name", "dtype", "fallback"),
    [
        ("lfm2-q4k-dequant-f32a-online", "f32", None),
        ("gemma3-q4k-dequant-f32a-online", "f32", None),
        (" gemma2-f16-f32a ", "f32", None),
        ("gemma3-f16-fused-f16a-online", "f16", "gemma3-f16-fused-f32a-online"),
        ("gemma3-q4k-dequant-f16a-online", "f16", "gemma3-q4k-dequant-f32a-nosubgroups"),
        ("gemma2-f16-f16a", "f16", "gemma2-f16-f32a"),
        (" gemma2-q4k-dequant-f16a ", "f16", "gemma2-q4k-dequant-f32a-nosubgroups"),
        (None, "f16", None),
        ("", "f32", None),
    ],
)
def test_the_fallback_is_of_the_same_family_and_of_f32(name: Any, dtype: str, fallback: str | None) -> None:
    """B62: a path with f16 activations falls back to its own family's with f32; no other falls back to anything."""
    kernel = "rmsnorm_f16.wgsl" if dtype == "f16" else "rmsnorm.wgsl"
    result = compiled(step("a", kernel=kernel), own=session(dtype), extra={"defaultKernelPath": name})
    assert path_of(result).get("finitenessFallbackKernelPathId") == fallback


@pytest.mark.parametrize(
    ("name", "dtype"), [("gemma3-f16-fused-f16a-online", "f32"), ("lfm2-q4k-dequant-f32a-online", "f16")]
)
def test_a_default_path_of_another_dtype_is_refused(name: str, dtype: str) -> None:
    """B62: what to fall back to follows the graph's own activations."""
    result = compiled(step("a", layers=[0]), own=session(dtype), extra={"defaultKernelPath": name})
    assert rules(result) == ["strict/path-lists/default-path-dtype"]
