"""A manifest of execution-v1 on devices, by the public functions and by the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kernelpath as kp
from kernelpath.cli import main

DIGEST = "sha256:" + "0" * 64
REMAP = {"mode": "capability-aware", "onIncompatible": "remap"}


def kernel(file: str, **more: Any) -> dict[str, Any]:
    """Return a pinned kernel of the table."""
    return {"kernel": file, "entry": "main", "digest": DIGEST, **more}


def manifest() -> dict[str, Any]:
    """Return a model of two layers, alike but for what attention runs on in prefill."""
    return {
        "modelId": "tiny",
        "architecture": {"numLayers": 2, "headDim": 64},
        "quantizationInfo": {"weights": "q4k"},
        "inference": {
            "schema": "doppler.execution/v1",
            "session": {
                "compute": {"defaults": dict.fromkeys(("activationDtype", "mathDtype", "accumDtype"), "f32")},
                "kvcache": {"kvDtype": "f16"},
            },
            "execution": {
                "kernels": {
                    "norm": kernel("rmsnorm.wgsl"),
                    "q": kernel("fused_matmul_q4.wgsl"),
                    "decode": kernel("attention_decode_online_f16kv.wgsl"),
                    "small": kernel("attention_small_f16kv.wgsl"),
                    "stream": kernel("attention_streaming_f16kv.wgsl"),
                },
                "decode": [["input_norm", "norm"], ["q_proj", "q", "layer.{L}.q"], ["attention", "decode"]],
                "prefill": [
                    ["input_norm", "norm"],
                    ["q_proj", "q", "layer.{L}.q"],
                    {"layers": [0], "steps": [["attention", "small"]]},
                    {"layers": [1], "steps": [["attention", "stream"]]},
                ],
                "postLayer": [["final_norm", "norm"]],
            },
        },
    }


def files_of(steps: list[dict[str, Any]]) -> list[str]:
    """Return the file of each step's kernel."""
    return [step["kernel"] for step in steps]


def test_a_graph_without_a_device() -> None:
    """Nothing is adapted; a layer that differs from the first has an override."""
    result = kp.compile(manifest()["inference"], pack="execution-v1", model_id="tiny", num_layers=2)
    assert result.ok
    path = result.value["runtimeInferencePatch"]["kernelPath"]
    assert (path["id"], path["activationDtype"], path["kvDtype"]) == ("tiny-execution-inline", "f32", "f16")
    assert [each["layers"] for each in path["layerOverrides"]] == [[1]]
    assert files_of(path["layerOverrides"][0]["prefill"]["steps"])[-1] == "attention_streaming_f16kv.wgsl"
    assert result.value["laneIntegrity"]["policy"] is None


def test_a_graph_is_adapted_to_a_device() -> None:
    """A device without subgroups and f16 gets other kernels for flat steps, and a session of f32."""
    documents = {"manifest": manifest(), "runtime": {"kernelPathPolicy": REMAP}, "device": "webgpu-minimum"}
    result = kp.ask("compile", pack="execution-v1", **documents)
    assert result.ok
    assert result.value["appliedTransforms"] == ["removeSubgroups", "widenToF32Activations"]
    path = result.value["runtimeInferencePatch"]["kernelPath"]
    assert files_of(path["decode"]["steps"]) == ["rmsnorm.wgsl", "matmul_f32.wgsl", "attention_streaming.wgsl"]
    assert result.value["session"]["kvcache"] == {"kvDtype": "f32"}
    assert result.value["laneIntegrity"]["status"] == "transformed"
    assert documents["manifest"] == manifest()


def test_the_names_of_the_reference() -> None:
    """What the reference is called with can be given by its names, beside documents or without them."""
    request = {
        "manifestInference": manifest()["inference"],
        "modelId": "tiny",
        "numLayers": 2,
        "weightDtype": "q4k",
        "capabilities": {"hasSubgroups": True, "hasF16": False},
        "kernelPathPolicy": REMAP,
    }
    result = kp.ask("compile", pack="execution-v1", **request)
    assert result.value["appliedTransforms"] == ["widenToF32Activations"]
    refused = kp.ask("compile", pack="execution-v1", **{**request, "kernelPathPolicy": None})
    assert [found.decisions for found in refused.diagnostics] == [("V092",)]


def test_a_graph_is_applied_to_a_config() -> None:
    """The config has the kernel path afterwards, and the state is what was compiled."""
    applied = kp.apply(manifest(), {"inference": {}, "seed": 7}, pack="execution-v1")
    assert applied.ok
    assert list(applied.runtime_config["inference"]) == ["compute", "session", "kernelPath", "kernelPathSource"]
    assert applied.runtime_config["seed"] == 7
    assert applied.state["resolvedSteps"]["all"][0]["id"] == "layer_decode_0_input_norm"
    other = kp.apply({"inference": {"schema": "other"}}, {"seed": 7}, pack="execution-v1")
    assert (other.ok, other.runtime_config, other.state) == (True, {"seed": 7}, None)


@pytest.mark.parametrize(
    ("device", "code", "said"),
    [
        ("nvidia-ampere", 0, "m.json: clean, 8 steps over 2 layers by pack execution-v1 with device `nvidia-ampere`\n"),
        ("webgpu-minimum", 1, "error[execution-v1/adaptation/policy-allows]: on this device the graph needs"),
    ],
)
def test_check_on_a_device(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    device: str,
    code: int,
    said: str,
) -> None:
    """`kernelpath check` finds the pack by the manifest's schema, and says what the device keeps from running."""
    monkeypatch.chdir(tmp_path)
    Path("m.json").write_text(json.dumps(manifest()))
    assert main(["check", "m.json", "--device", device]) == code
    assert "".join(capsys.readouterr()).startswith(said)


def test_apply_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`kernelpath apply` takes the config, though the question could be asked without one."""
    monkeypatch.chdir(tmp_path)
    Path("m.json").write_text(json.dumps(manifest()))
    Path("c.json").write_text(json.dumps({"inference": {"kernelPathPolicy": REMAP}}))
    assert main(["apply", "m.json", "c.json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["runtimeConfig"]["inference"]["kernelPathSource"] == "execution-v1"
