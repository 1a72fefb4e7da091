"""The pack execution-v0-0.1.5: where the older release decides otherwise than 0.1.7, and where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from analysis.requests import attention, kernel_step, manifest
from kernelpath.analysis.difference import diff
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

OLD, NEW = "execution-v0-0.1.5", "execution-v0"
F32 = {"activationDtype": "f32", "mathDtype": "f32", "accumDtype": "f32", "outputDtype": "f32"}


def _session(**members: Any) -> dict[str, Any]:
    return {"compute": {"defaults": dict(F32), "kernelProfiles": []}, "kvcache": None, "decodeLoop": None, **members}


def _compiled(session: Any, pack: str = OLD, **options: Any) -> Any:
    inference = manifest(session)
    if session is None:
        del inference["sessionDefaults"]
    result = kp.compile(inference, pack=pack, **options)
    assert result.ok, [found.message for found in result.diagnostics]
    return result.value


def _decisions(session: Any, pack: str) -> list[str]:
    inference = manifest(session)
    if session is None:
        del inference["sessionDefaults"]
    return [decision for found in kp.compile(inference, pack=pack).diagnostics for decision in found.decisions]


SCHEMA = {
    "compute": {
        "defaults": {"activationDtype": "f16", "mathDtype": "f16", "accumDtype": "f32", "outputDtype": "f16"},
        "kernelProfiles": [],
    },
    "kvcache": None,
    "decodeLoop": None,
}


@pytest.mark.parametrize(
    ("session", "decision"),
    [
        (None, "E03"),
        ({"kvcache": None, "decodeLoop": None}, "E04"),
        ({"compute": None, "kvcache": None, "decodeLoop": None}, "E04"),
        ({"compute": {"kernelProfiles": []}, "kvcache": None, "decodeLoop": None}, "E05"),
        (
            {"compute": {"defaults": {"mathDtype": None}, "kernelProfiles": []}, "kvcache": None, "decodeLoop": None},
            "E06",
        ),
        ({"compute": {"defaults": dict(SCHEMA["compute"]["defaults"])}, "kvcache": None, "decodeLoop": None}, "E07"),  # type: ignore[index]
        ({"compute": SCHEMA["compute"], "decodeLoop": None}, "E08"),
        ({"compute": SCHEMA["compute"], "kvcache": None}, "E09"),
    ],
)
def test_missing_session_members_are_filled(session: Any, decision: str) -> None:
    """What a manifest leaves out, or has as null, comes from the schema; 0.1.7 refuses it."""
    assert decision in _decisions(session, NEW)
    assert _compiled(session)["sessionDefaults"] == SCHEMA


@pytest.mark.parametrize(
    ("session", "decision"),
    [
        (5, "E03"),
        (_session(compute=5), "E04"),
        (_session(compute={"defaults": "f16"}), "E05"),
        (_session(compute={"defaults": {"mathDtype": "f64"}}), "E06"),
        (_session(compute={"kernelProfiles": {}}), "E07"),
        (_session(kvcache={"kvDtype": "int8"}), "E08"),
        (_session(decodeLoop=4), "E09"),
    ],
)
def test_wrong_session_members_are_refused(session: Any, decision: str) -> None:
    """What is there and wrong is refused by both releases."""
    assert _decisions(session, OLD) == [decision]


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_attention_without_a_cache_takes_the_activation_dtype(dtype: str) -> None:
    """Where the session keeps no KV cache, attention reads and writes one of the activation dtype."""
    session = _session(compute={"defaults": dict.fromkeys(F32, dtype), "kernelProfiles": []})
    inference = attention(session, dtype)
    refused = kp.compile(inference, pack=NEW)
    assert [found.decisions for found in refused.diagnostics] == [("E62",)]
    result = kp.compile(inference, pack=OLD)
    assert result.ok
    [step] = result.value["resolvedSteps"]["prefill"]
    assert step["kvIO"] == {"readDtype": dtype, "writeDtype": dtype}


def test_decode_loops_are_taken_as_they_are() -> None:
    """No member of a decode loop is looked at, and command batching is not emitted."""
    loop = {
        "batchSize": 0,
        "readbackInterval": "x",
        "stopCheckMode": "never",
        "ringTokens": -1,
        "disableCommandBatching": 5,
    }
    assert set(_decisions(_session(decodeLoop=loop), NEW)) == {"E10", "E11", "E12", "E13", "E14"}
    patch = _compiled(_session(decodeLoop=loop))["runtimeInferencePatch"]
    assert patch["batching"] == {name: value for name, value in loop.items() if name != "disableCommandBatching"}
    assert "generation" not in patch


def test_dtypes_of_an_overlay_give_way_to_the_manifest() -> None:
    """An overlay's dtype is dropped where the manifest says one, also where it is not the schema's."""
    runtime = {"session": {"compute": {"defaults": {"mathDtype": "f32", "accumDtype": "f16"}}}}
    session = _session(compute={"defaults": {**F32, "mathDtype": "f16", "accumDtype": None}, "kernelProfiles": []})
    defaults = _compiled(session, runtime=runtime)["sessionDefaults"]["compute"]["defaults"]
    assert (defaults["mathDtype"], defaults["accumDtype"]) == ("f16", "f16")
    filled = _session(compute={"defaults": {**F32, "mathDtype": "f16"}, "kernelProfiles": []})
    newer = _compiled(filled, pack=NEW, runtime=runtime)["sessionDefaults"]["compute"]["defaults"]
    assert (newer["mathDtype"], newer["accumDtype"]) == ("f32", "f16")


def test_dtypes_are_emitted_beside_the_activation_dtype() -> None:
    """Math, accum and output dtypes stand under `compute.defaults`."""
    rest = {name: dtype for name, dtype in F32.items() if name != "activationDtype"}
    old, new = (_compiled(_session(), pack=pack)["runtimeInferencePatch"] for pack in (OLD, NEW))
    assert (old["compute"], "session" in old) == ({"activationDtype": "f32", "defaults": rest}, False)
    assert (new["compute"], new["session"]) == ({"activationDtype": "f32"}, {"compute": {"defaults": rest}})


def test_there_is_no_finiteness_fallback() -> None:
    """A kernel path that has a fallback in 0.1.7 has none."""
    inference = kernel_step(_session())
    inference["defaultKernelPath"] = "gemma2-f16-f16a"
    paths = [kp.compile(inference, pack=pack).value["runtimeInferencePatch"]["kernelPath"] for pack in (OLD, NEW)]
    assert ["finitenessFallbackKernelPathId" in path for path in paths] == [False, True]


@pytest.mark.parametrize("chosen", ["gemma2-f16-f16a", None, "no such path"])
def test_a_kernel_path_of_the_config_is_overwritten(chosen: Any) -> None:
    """The manifest's own graph is compiled, and its path takes the place of the config's."""
    whole = {"modelId": "small", "architecture": {"numLayers": 1}, "inference": kernel_step(_session())}
    applied = kp.apply(whole, {"inference": {"kernelPath": chosen}}, pack=OLD)
    assert applied.ok
    inference = applied.runtime_config["inference"]
    assert (inference["kernelPath"]["id"], inference["kernelPathSource"]) == ("small-execution-v0", "execution-v0")


def test_a_compiled_path_says_that_it_was_compiled() -> None:
    """Without a kernel path in the config the source is `execution-v0` too, where 0.1.7 has `manifest`."""
    whole = {"modelId": "small", "architecture": {"numLayers": 1}, "inference": kernel_step(_session())}
    sources = [kp.apply(whole, {}, pack=pack).runtime_config["inference"]["kernelPathSource"] for pack in (OLD, NEW)]
    assert sources == ["execution-v0", "manifest"]


def test_a_path_without_activation_dtype_is_of_f16() -> None:
    """An execution graph derived from a kernel path without activation dtype is one of f16."""
    [step] = kernel_step(_session())["execution"]["steps"]
    path = {"decode": {"steps": [{"op": step["op"], "kernel": step["kernel"]}]}}
    assert [found.decisions for found in kp.execution_from_kernel_path(path, pack=NEW).diagnostics] == [("E83",)]
    derived = kp.execution_from_kernel_path(path, pack=OLD).value
    assert derived["sessionDefaults"]["compute"]["defaults"] == SCHEMA["compute"]["defaults"]  # type: ignore[index]


def test_the_contract_fills_the_session_too() -> None:
    """The contract check looks at the filled session; what is wrong in it still fails all verdicts."""
    inference = attention(None, "f16")
    del inference["sessionDefaults"]
    assert kp.contract(inference, pack=NEW).value["ok"] is False
    checks = {check["id"]: check["ok"] for check in kp.contract(inference, pack=OLD).value["checks"]}
    assert checks["model.kvIOPrecedence"] is True
    inference["sessionDefaults"] = {"compute": 5}
    assert not any(check["ok"] for check in kp.contract(inference, pack=OLD).value["checks"])


def test_the_difference_from_the_older_release_is_told() -> None:
    """The difference names the rules that changed, and nothing about the flow of dtypes but the KV cache."""
    old, new = (read_pack(resource("rules", name)) for name in (OLD, NEW))
    found = diff(old, new)
    assert {f"{c.stage}/{c.name}" for c in found.rules if c.status == "added"} == {
        "decode-loop/batch-size",
        "decode-loop/command-batching",
        "decode-loop/readback-interval",
        "decode-loop/ring-sizes",
        "decode-loop/stop-check-mode",
        "derivation-path/path-activation",
        "flow/kv-cache-given",
    }
    assert not [c for c in found.rules if c.status == "removed"]
    assert {f"{c.stage}/{c.name}" for c in found.rules if c.status == "changed"} == {
        f"{path.parent.name}/{path.stem}"
        for path in Path(resource("rules", OLD)).glob("*/*.yaml")
        if not path.name.endswith(".test.yaml")
    }
