"""Odd requests on which nobody's manifest depends, but on which two engines that agree must agree too.

A member `__proto__` is one like any other where an object is laid under another, and is lost only where an object that
lacks it gets it, as an assignment in JavaScript has it. A patch's set of `precision` that is not an object changes the
step, but leaves the trace of an earlier one.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import cases, catalog, pack

ODD = "__proto__"


def manifest() -> dict[str, Any]:
    """Return the manifest of a recorded case that is applied, with a KV cache."""
    case = next(
        case
        for case in cases("generated")
        if case["fn"] == "compile"
        and case["expect"]["ok"]
        and (case["expect"]["value"] or {}).get("sessionDefaults", {}).get("kvcache")
        and not case["options"].get("runtimeInference")
        and len(case["options"]["manifestInference"]["execution"]["steps"]) > 2
    )
    inference = copy.deepcopy(case["options"]["manifestInference"])
    inference["sessionDefaults"]["decodeLoop"] = {"batchSize": 1, "stopCheckMode": "batch", "readbackInterval": 1}
    return {"modelId": "m", "inference": inference}


def compiled(inference: Any, runtime: Any = None) -> Any:
    """Return what a section compiles to."""
    result = kp.compile(inference, runtime=runtime, pack=pack(), catalog=catalog())
    assert result.ok, result.diagnostics
    return result.value


@pytest.mark.parametrize("part", ["kvcache", "decodeLoop"])
@pytest.mark.parametrize("overlay", [None, {}, {"extra": 1}])
def test_a_part_keeps_what_the_schema_has_no_object_for(part: str, overlay: dict[str, Any] | None) -> None:
    """Such a part of the manifest's session is taken whole, lies under the overlay's, and is traced."""
    inference = manifest()["inference"]
    inference["sessionDefaults"][part][ODD] = {"a": 1}
    value = compiled(inference, None if overlay is None else {"session": {part: overlay}})
    assert value["sessionDefaults"][part][ODD] == {"a": 1}
    assert value["resolvedSources"]["session"][f"sessionDefaults.{part}.{ODD}.a"] == {"source": "manifest"}


@pytest.mark.parametrize("path", [(), ("compute",), ("compute", "defaults")])
@pytest.mark.parametrize("given", [7, "f16", None, {"a": 1}])
def test_where_the_schema_has_an_object_the_manifest_gives_none(path: tuple[str, ...], given: Any) -> None:
    """Laid over the schema's objects, the member is an assignment, and lost; so is the trace of it."""
    inference = manifest()["inference"]
    plain = compiled(inference)
    at(inference["sessionDefaults"], path)[ODD] = given
    assert compiled(inference) == plain


@pytest.mark.parametrize(("over", "kept"), [(7, 7), (None, None), ({"b": 2}, {"a": 1, "b": 2})])
def test_an_overlay_changes_a_member_that_is_there(over: Any, kept: Any) -> None:
    """Where the manifest has the member, the overlay's is laid over it as over any other."""
    inference = manifest()["inference"]
    inference["sessionDefaults"]["kvcache"][ODD] = {"a": 1}
    value = compiled(inference, {"session": {"kvcache": {ODD: over}}})
    assert value["sessionDefaults"]["kvcache"][ODD] == kept
    sources = value["resolvedSources"]["session"]
    leaf = "b" if isinstance(kept, dict) else ""
    assert sources[f"sessionDefaults.kvcache.{ODD}" + (f".{leaf}" if leaf else "")] == {"source": "runtime.session"}


def test_an_overlay_gives_none() -> None:
    """Where the manifest lacks the member, an overlay's is lost."""
    inference = manifest()["inference"]
    assert compiled(inference, {"session": {"kvcache": {ODD: 7}}})["sessionDefaults"]["kvcache"].get(ODD) is None


@pytest.mark.parametrize("path", [(), ("session",), ("session", "compute"), ("session", "kvcache"), ("compute",)])
def test_apply_keeps_what_the_config_has(path: tuple[str, ...]) -> None:
    """The compiled patch lies over the config's own section, whose members all stay."""
    config = {"inference": {"session": {"compute": {"defaults": {}}, "kvcache": {}}, "compute": {}}}
    at(config["inference"], path)[ODD] = {"a": 1}
    applied = kp.apply(manifest(), config, pack=pack(), catalog=catalog())
    assert applied.ok, applied.diagnostics
    assert at(applied.runtime_config["inference"], path)[ODD] == {"a": 1}


@pytest.mark.parametrize(("own", "kept"), [({}, {ODD: 1, "a": 1}), ({"modelOverrides": {"b": 2}}, {"a": 1, "b": 2})])
def test_a_manifests_model_in_a_config(own: dict[str, Any], kept: dict[str, Any]) -> None:
    """The manifest's model section is taken whole, or laid over the config's own overrides."""
    whole = manifest()
    whole["inference"]["model"] = {ODD: 1, "a": 1}
    applied = kp.apply(whole, {"inference": own}, pack=pack(), catalog=catalog())
    assert applied.runtime_config["inference"]["modelOverrides"] == kept


def at(value: Any, path: tuple[str, ...]) -> Any:
    """Return what is under a path of members."""
    for name in path:
        value = value[name]
    return value


def patched(*sets: Any, add: Any = None) -> dict[str, Any]:
    """Return the sources of the first step's precision after sets of it; of an added step's, if one is given."""
    inference = manifest()["inference"]
    first = inference["execution"]["steps"][0]
    patch: dict[str, Any] = {"set": [{"id": first["id"], "precision": precision} for precision in sets]}
    name = first["id"]
    if add is not None:
        patch["add"] = [{"insertAfter": name, "step": {**first, "id": "added", "precision": add}}]
        name = "added"
    sources = compiled(inference, {"executionPatch": patch})["resolvedSources"]["steps"][name]
    return {key: source["source"] for key, source in sources.items()}


MATH = {"mathDtype": "f32"}


@pytest.mark.parametrize("later", ["", "f16", "mathDtype", None, 0, 7, True, False])
def test_a_set_that_gives_no_object_leaves_the_trace(later: Any) -> None:
    """What is not an object names no members, so the members of the earlier set stay the patch's."""
    assert patched(MATH, later)["precision.mathDtype"] == "runtime.patch"


@pytest.mark.parametrize("later", [{}, [], {"accumDtype": "f32"}])
def test_a_set_that_gives_an_object_takes_the_place(later: Any) -> None:
    """An object or a list names its own members alone."""
    assert patched(MATH, later)["precision.mathDtype"] != "runtime.patch"


@pytest.mark.parametrize("alone", ["", "f16", None, 7, {}, []])
def test_a_set_without_members_touches_none(alone: Any) -> None:
    """Without an earlier set nothing is the patch's."""
    assert "runtime.patch" not in patched(alone).values()


def test_null_is_given_by_a_set_and_not_by_an_added_step() -> None:
    """A set that says null decided; a step that comes with null leaves it to others."""
    assert patched({"inputDtype": None})["precision.inputDtype"] == "runtime.patch"
    assert patched(add={"inputDtype": None})["precision.inputDtype"] == "derived"
    assert patched(add=MATH)["precision.mathDtype"] == "runtime.patch"
