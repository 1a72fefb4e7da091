"""What strict makes of configs and kernel paths: nothing is lost or overwritten in silence (B63 to B68)."""

from __future__ import annotations

from typing import Any

import pytest

import kernelpath as kp
from conformance.recorded import catalog
from kernelpath.graph.catalog import load_presets

from .asked import errors, loaded, rules, warnings
from .graphs import manifest, session, step

PRESET = "gemma3-f16-fused-f32a-online"
LOOP = {"batchSize": 4, "readbackInterval": 2, "stopCheckMode": "batch"}
CACHE = {"kvDtype": "f32", "layout": "paged", "maxSeqLen": 99, "pageSize": 16}


def model(*steps: Any, layers: Any = 2, extra: Any = None, **how: Any) -> Any:
    """Return a whole manifest of these steps."""
    inference = {**manifest(steps or [step("a")], **how), **(extra or {})}
    return {"modelId": "m", "architecture": {"numLayers": layers}, "inference": inference}


def applied(config: Any, manifest: Any = None) -> kp.Applied:
    """Apply a manifest to a runtime config's inference section."""
    return kp.apply(manifest or model(), {"inference": config}, pack=loaded("strict"), catalog=catalog())


def section(result: kp.Applied) -> Any:
    """Return the inference section of the resulting config."""
    assert errors(result) == []
    return result.runtime_config["inference"]


@pytest.mark.parametrize("preset", [PRESET, "lfm2-q4k-dequant-f32a-online", "gemma2-f16-f32a"])
@pytest.mark.parametrize("loop", [LOOP, None])
def test_a_chosen_path_keeps_the_rest_of_the_session(preset: str, loop: Any) -> None:
    """B63: the decode loop and all of the cache but its dtype are the manifest's still."""
    result = applied({"kernelPath": preset}, model(own=session("f32", kvcache=CACHE, decodeLoop=loop)))
    own = result.state["sessionDefaults"]
    path = load_presets()[preset]
    assert own["decodeLoop"] == loop
    assert own["kvcache"] == {**CACHE, "kvDtype": path.get("kvDtype", path["activationDtype"])}
    assert section(result)["kvcache"] == own["kvcache"]
    assert section(result).get("batching") == loop
    assert own["compute"]["defaults"]["activationDtype"] == path["activationDtype"]


def test_a_chosen_path_of_a_manifest_without_cache_has_its_own() -> None:
    """Where the manifest keeps no cache there is nothing to keep, and the path's dtype makes one."""
    result = applied({"kernelPath": PRESET}, model(own=session("f32", kvcache=None)))
    assert result.state["sessionDefaults"]["kvcache"] == {"kvDtype": "f16"}


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        ({"compute": {"activationDtype": "f16"}}, "compute"),
        ({"kvcache": {"kvDtype": "f32"}}, "kvcache"),
        ({"kvcache": {"layout": "contiguous"}}, "kvcache"),
        ({"batching": {"batchSize": 9}}, "batching"),
    ],
)
def test_a_chosen_path_and_dtypes_that_contradict_it_are_refused(config: Any, wrong: str) -> None:
    """B64: state and config would not say the same."""
    own = session("f32", kvcache=CACHE, decodeLoop=LOOP)
    result = applied({"kernelPath": PRESET, **config}, model(own=own))
    assert [(found.rule, found.subject) for found in result.diagnostics] == [
        ("strict/application-result/user-dtypes-agree", wrong)
    ]


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        ({"compute": {"activationDtype": "f16"}}, "compute"),
        ({"compute": None}, "compute"),
        ({"compute": "f32"}, "compute"),
        ({"kvcache": {"kvDtype": "f16"}}, "kvcache"),
        ({"kvcache": {"layout": "tiered"}}, "kvcache"),
        ({"kvcache": None}, "kvcache"),
        ({"batching": {"batchSize": 9}}, "batching"),
        ({"batching": {"stopCheckMode": "per-token"}}, "batching"),
        ({"generation": {"disableCommandBatching": False}}, "generation"),
        ({"pipeline": {"steps": []}}, "pipeline"),
    ],
)
def test_what_the_graph_would_overwrite_is_refused(config: Any, wrong: str) -> None:
    """B65: an explicit word of the config is not replaced in silence."""
    own = session("f32", kvcache=CACHE, decodeLoop={**LOOP, "disableCommandBatching": True})
    result = applied(config, model(own=own))
    assert [(found.rule, found.subject) for found in result.diagnostics] == [
        ("strict/application-result/user-dtypes-agree", wrong)
    ]


@pytest.mark.parametrize("chosen", [{}, {"kernelPath": PRESET}])
@pytest.mark.parametrize(
    "config",
    [
        {"compute": {"activationDtype": "f32"}},
        {"compute": {"useFusedKernels": True, "activationDtype": "f32"}},
        {"compute": {"useFusedKernels": True}},
        {"compute": {}},
        {"kvcache": {"maxSeqLen": 99}},
        {"kvcache": {"layout": "paged", "tiering": {"mode": "off"}}},
        {"batching": {"batchSize": 4, "other": 1}},
        {"generation": {"maxTokens": 5}},
        {"sampling": {"temperature": 0}},
    ],
)
def test_what_agrees_with_the_graph_is_kept(chosen: Any, config: Any) -> None:
    """What the config says besides, or says alike, is still there afterwards."""
    result = applied({**chosen, **config}, model(own=session("f32", kvcache=CACHE, decodeLoop=LOOP)))
    [(name, own)] = config.items()
    assert section(result)[name] | own == section(result)[name]


def test_batching_of_a_graph_without_decode_loop_is_the_user_s() -> None:
    """Where the graph sets none, nothing is overwritten."""
    assert section(applied({"batching": {"batchSize": 9}}))["batching"] == {"batchSize": 9}


def test_the_overlay_of_a_config_is_honoured() -> None:
    """A config's session changes the graph, and then agrees with it."""
    config = {"session": {"compute": {"defaults": {"mathDtype": "f16"}}}, "compute": {"activationDtype": "f32"}}
    result = applied(config)
    assert section(result)["session"]["compute"]["defaults"]["mathDtype"] == "f16"
    assert result.state["sessionDefaults"]["compute"]["defaults"]["mathDtype"] == "f16"


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        ({"session": ""}, "overlay/session-object"),
        ({"session": False}, "overlay/session-object"),
        ({"session": [1]}, "overlay/session-object"),
        ({"executionPatch": ""}, "patch-shape/patch-object"),
        ({"executionPatch": 0}, "patch-shape/patch-object"),
        ({"session": {"decodeLoop": {"batchSize": 0}}}, "resolved-session/decode-loop-sizes"),
        ({"session": {"computee": {}}}, "overlay/session-members"),
        ({"executionPatch": {"sett": []}}, "patch-shape/patch-members"),
    ],
)
def test_an_overlay_in_a_config_is_checked(config: Any, rule: str) -> None:
    """What compile refuses of an overlay, apply refuses too, falsy values included."""
    assert f"strict/{rule}" in rules(applied(config))


def path(**members: Any) -> Any:
    """Return an inline kernel path of one step."""
    return {"id": "x", "activationDtype": "f32", "decode": {"steps": [plain("rmsnorm.wgsl")]}, **members}


def plain(kernel: str, op: str = "ffn", **members: Any) -> Any:
    """Return a step of a kernel path."""
    return {"op": op, "kernel": kernel, **members}


@pytest.mark.parametrize(
    ("override", "rule"),
    [
        ({"layers": [1], "steps": [plain("nonexist.wgsl")]}, "derivation/path-pinned"),
        ({"layers": [1], "steps": [plain("rmsnorm.wgsl", entry="other")]}, "derivation/path-pinned"),
        (
            {"layers": [1], "decode": {"steps": [plain("nonexist.wgsl")]}, "prefill": {"steps": []}},
            "derivation/path-pinned",
        ),
        ({"layers": [2], "steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ({"layers": [-1], "steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ({"layers": [], "steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ({"layers": "all", "steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ({"layers": [0.5], "steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ({"steps": [plain("rmsnorm.wgsl")]}, "path-overrides/override-layers"),
        ("abc", "path-overrides/override-layers"),
        ({"layers": [1]}, "path-overrides/override-steps"),
        ({"layers": [1], "steps": "abc"}, "path-overrides/override-steps"),
        ({"layers": [1], "decode": {"steps": []}}, "path-overrides/override-steps"),
        ({"layers": [1], "steps": [], "decode": {"steps": []}}, "path-overrides/override-steps"),
        ({"layers": [1, 1], "steps": []}, "derivation/one-override"),
    ],
)
def test_an_override_of_an_inline_path_is_checked(override: Any, rule: str) -> None:
    """B66: its layers, its lists and its kernels."""
    assert rules(applied({"kernelPath": path(layerOverrides=[override])})) == [f"strict/{rule}"]


def test_a_path_at_fault_is_all_that_is_told() -> None:
    """A manifest whose place a chosen path takes is not looked at, whether the path is right or not."""
    broken = model({**step("a"), "layers": "All"})
    assert rules(applied({"kernelPath": path(layerOverrides="abc")}, broken)) == [
        "strict/derivation-path/overrides-list"
    ]
    assert errors(applied({"kernelPath": path()}, broken)) == []


@pytest.mark.parametrize("overrides", [{}, {"layers": [1]}, "abc", 5, True])
def test_the_overrides_of_an_inline_path_are_a_list(overrides: Any) -> None:
    """Anything else would be passed over."""
    assert rules(applied({"kernelPath": path(layerOverrides=overrides)})) == ["strict/derivation-path/overrides-list"]


def test_two_overrides_of_one_layer_are_refused() -> None:
    """Nobody knows which of them would run."""
    overrides = [{"layers": [0, 1], "steps": []}, {"layers": [1], "steps": []}]
    assert errors(applied({"kernelPath": path(layerOverrides=overrides)})) == [
        "the kernel path overrides layer 1 more than once"
    ]


def derived(overrides: Any, layers: int = 3) -> list[tuple[str, Any, str]]:
    """Return phase, layers and kernel of each step of the graph that an inline path gives."""
    result = applied({"kernelPath": path(layerOverrides=overrides)}, model(layers=layers))
    assert errors(result) == []
    return [(one["phase"], one["layers"], one["kernel"]) for one in result.state["resolvedSteps"]["all"]]


def test_a_right_override_is_part_of_the_graph() -> None:
    """The common steps run on the layers that have no override, and the override's on its own."""
    assert derived([{"layers": [1], "steps": [plain("residual.wgsl")]}]) == [
        ("decode", [0, 2], "rmsnorm.wgsl"),
        ("decode", [1], "residual.wgsl"),
        ("prefill", [0, 2], "rmsnorm.wgsl"),
        ("prefill", [1], "residual.wgsl"),
    ]


def test_an_override_may_tell_phases_apart_in_an_inline_path() -> None:
    """Its decode list runs in decode and its empty prefill list means nothing in prefill."""
    override = {"layers": [0, 2], "decode": {"steps": [plain("residual.wgsl")]}, "prefill": {"steps": []}}
    assert derived([override]) == [
        ("decode", [1], "rmsnorm.wgsl"),
        ("decode", [0, 2], "residual.wgsl"),
        ("prefill", [1], "rmsnorm.wgsl"),
    ]


def test_overrides_of_every_layer_leave_nothing_of_the_common_steps() -> None:
    """Then the common list runs nowhere, and its steps are not in the graph."""
    overrides = [{"layers": [0], "steps": [plain("residual.wgsl")]}, {"layers": [1, 2], "steps": []}]
    assert derived(overrides) == [("decode", [0], "residual.wgsl"), ("prefill", [0], "residual.wgsl")]


def test_an_override_is_followed_by_the_flow() -> None:
    """A fault in one layer's own steps is found in that layer."""
    overrides = [{"layers": [1], "steps": [plain("attention_small_f16.wgsl", op="attention")]}]
    own = path(layerOverrides=overrides, kvDtype="f16")
    assert errors(applied({"kernelPath": own})) == [
        f"step `layer_{phase}_{place}_attention` runs kernel `attention_small_f16.wgsl#main`, which reads f16, but slot"
        " `state` holds f32, in layer 1"
        for phase, place in (("prefill", 3), ("decode", 1))
    ]


def test_what_strict_emits_can_be_chosen_again() -> None:
    """An emitted path with phases and overrides gives a graph that compiles to the same path."""
    steps = [
        step("pre", section="preLayer", phase="decode"),
        step("d", phase="decode", constants={"K": 1}),
        step("l", layers=[1], constants={"K": 2}),
        step("post", section="postLayer", phase="prefill"),
    ]
    first = applied({}, model(*steps, layers=3))
    emitted = section(first)["kernelPath"]
    again = applied({"kernelPath": emitted}, model(*steps, layers=3))
    compiled = kp.compile(
        kp.execution_from_kernel_path(emitted, pack="strict").value, pack="strict", model_id="m", num_layers=3
    )
    assert errors(again) == []
    assert compiled.value["runtimeInferencePatch"]["kernelPath"] == emitted


@pytest.mark.parametrize("preset", sorted(load_presets()))
def test_every_preset_can_be_derived_and_compiled(preset: str) -> None:
    """B67: also those whose softcap has no digest; the graph says that it goes without."""
    result = kp.execution_from_kernel_path(preset, pack=loaded("strict"), catalog=catalog())
    left_out = [
        f"the derived graph goes without `sample{half}.wgsl#apply_softcap`, of which the catalogue has no digest"
        for half in ("", "_f16")
    ]
    assert errors(result) == []
    assert [message in left_out for message in warnings(result)] == [True] * preset.startswith("gemma2")
    own = kp.compile(result.value, pack=loaded("strict"), num_layers=26, catalog=catalog())
    assert errors(own) == []
    assert errors(applied({"kernelPath": preset}, model(layers=26))) == []


@pytest.mark.parametrize("kernel", ["sample.wgsl#apply_soft", "nonexist.wgsl#main", "softcap.wgsl#main"])
def test_any_other_kernel_without_digest_is_refused(kernel: str) -> None:
    """Only the two that the shipped paths name are known to be without."""
    name, entry = kernel.split("#")
    own = path(postLayer=[plain(name, op="softcap", entry=entry)])
    assert errors(applied({"kernelPath": own})) == [
        f"the kernel path names `{kernel}`, which the catalogue does not have"
    ]


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        ({"x": 1}, {"modelOverrides": None}, None),
        ({"x": 1}, {}, {"x": 1}),
        ({"x": 1}, {"modelOverrides": {}}, {"x": 1}),
        ({"x": 1, "y": {"z": 1}}, {"modelOverrides": {"y": {"z": 2}}}, {"x": 1, "y": {"z": 2}}),
        ({"x": 1}, {"modelOverrides": {"x": None}}, {"x": None}),
        (None, {"modelOverrides": None}, None),
        (None, {"modelOverrides": {"x": 1}}, {"x": 1}),
    ],
)
def test_a_null_of_model_overrides_is_honoured(own: Any, given: Any, expected: Any) -> None:
    """B68: null switches the manifest's overrides off, as any other value changes them."""
    result = applied(given, model(extra={} if own is None else {"model": own}))
    assert section(result)["modelOverrides"] == expected
