"""`compile --plan` prints what a device is given, from a manifest alone, and says what does not fit it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Ran
from cli.model_files import model_file
from models.test_open_model import GGUF_NAMES

Cli = Callable[..., Ran]
OWN = ("--catalog", "kernelpath")


@pytest.fixture
def made(cli: Cli, folder: Path) -> str:
    """Return the name of a manifest that `init` made."""
    cli("init", model_file(folder), "--output", "made.json")
    return "made.json"


def _change(folder: Path, **members: Any) -> str:
    """Write the manifest with members of its architecture changed, and return the new name; None takes one away."""
    manifest = json.loads((folder / "made.json").read_text())
    changed = {**manifest["architecture"], **members}
    manifest["architecture"] = {name: value for name, value in changed.items() if value is not None}
    (folder / "changed.json").write_text(json.dumps(manifest))
    return "changed.json"


@pytest.mark.parametrize("architecture", sorted(GGUF_NAMES))
def test_a_manifest_says_as_much_as_its_model(cli: Cli, folder: Path, architecture: str) -> None:
    """The plans of a manifest that `init` made are those of its model, whatever the architecture."""
    model = model_file(folder, architecture)
    cli("init", model, "--output", "made.json")
    alone = cli("compile", "made.json", *OWN, "--plan", "--format", "json")
    assert (alone.code, alone.err) == (0, "")
    assert cli("compile", "made.json", *OWN, "--plan", "--model", model).out == alone.out
    plans = json.loads(alone.out)
    assert [plans[phase]["phase"] for phase in ("prefill", "decode")] == ["prefill", "decode"]
    assert plans["decode"]["rows"] == {"least": 1, "most": 1}
    assert plans["decode"]["capacity"] == 64
    assert plans["decode"]["dispatches"][0]["step"] == "embed"


def test_sizes_go_as_far_as_they_go(cli: Cli, folder: Path, made: str) -> None:
    """A manifest with sizes alone is planned as a plain decoder: for one, that is all there is to say but the pairs."""
    plain, known = (
        json.loads(cli("compile", name, *OWN, "--plan", "--part", "/decode").out)
        for name in (_change(folder, description=None), made)
    )
    assert [each["groups"] for each in plain["dispatches"]] == [each["groups"] for each in known["dispatches"]]
    assert [each["bytes"] for each in plain["buffers"]] == [each["bytes"] for each in known["buffers"]]


def test_a_plan_needs_no_gpu(folder: Path, made: str) -> None:
    """Neither wgpu nor numpy, nor any library for models, is imported to plan a manifest."""
    program = "import sys; from kernelpath.cli import main; main(sys.argv[1:]); print(*sorted(sys.modules))"
    words = ["compile", made, *OWN, "--plan", "--output", "plan.json"]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert {"numpy", "wgpu", "gguf", "tokenizers"}.isdisjoint(done.stdout.split())
    assert json.loads((folder / "plan.json").read_text())["decode"]["version"] == 1


def test_what_does_not_fit_is_told(cli: Cli, folder: Path, made: str) -> None:
    """A limit that is passed is named with the step and both numbers, and like layers are told of once."""
    (folder / "limits.json").write_text('{"max_storage_buffer_binding_size": 20000}')
    ran = cli("compile", made, *OWN, "--plan", "--limits", "limits.json")
    assert (ran.code, ran.out) == (1, "")

    found = (
        "error[plan/limit]: step `layer.0.activation` needs 40,960 bytes in binding `gate`, "
        "and the device allows 20,000\n"
        "  = values:\n"
        "      needs = 40960\n"
        "      max_storage_buffer_binding_size = 20000\n"
        "  = help: the same in 1 other layer\n"
    )
    assert found in ran.err
    assert "`layer.1." not in ran.err


def test_the_least_device_has_no_features(cli: Cli, made: str) -> None:
    """`--limits webgpu` is what every device has: kernels that need more are refused by name."""
    ran = cli("compile", made, *OWN, "--plan", "--limits", "webgpu", "-q")
    assert ran.code == 1
    assert (
        "-: error[plan/feature]: step `lm_head` needs the feature `subgroup` for "
        "`fused_matmul_q8_0.wgsl#main_multicol`, which the device does not have\n"
    ) in ran.err


LIMITS = {
    "[]": "it is no object",
    '{"max_bufer_size": 3}': "there is no limit `max_bufer_size`",
    '{"max_buffer_size": "3"}': "`max_buffer_size` has a value that it cannot have",
    '{"max_buffer_size": -1}': "`max_buffer_size` has a value that it cannot have",
    '{"maxBufferSize": 1, "max_buffer_size": 1}': (
        "`max_buffer_size` gives a limit that is there already, spelled in another way"
    ),
    '{"maxTextureDimension2D": "x"}': "`maxTextureDimension2D` has a value that it cannot have",
    '{"maxTextureDimension4D": 1}': "there is no limit `maxTextureDimension4D`",
    '{"features": "shader-f16"}': "`features` has a value that it cannot have",
    '{"cpu": 1}': "`cpu` has a value that it cannot have",
}


def test_limits_that_are_not_in_a_file(cli: Cli, folder: Path, made: str) -> None:
    """A device in the place of a file of limits is refused by what it is."""
    ran = cli("compile", made, *OWN, "--plan", "--limits", "/dev/zero", "-q")
    why = "cannot be read: it is a device, not a file"
    assert ran == Ran(2, "", f"-: error[cli/input]: `/dev/zero` {why}\n")


@pytest.mark.parametrize("text", LIMITS)
def test_limits_that_are_none(cli: Cli, folder: Path, made: str, text: str) -> None:
    """A file of limits is held to what limits there are."""
    (folder / "limits.json").write_text(text)
    ran = cli("compile", made, *OWN, "--plan", "--limits", "limits.json", "-q")
    assert ran == Ran(2, "", f"-: error[cli/limits]: `limits.json` gives no limits: {LIMITS[text]}\n")


ARCHITECTURES: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"headDim": None, "vocabSize": None}, "lacks `headDim`, `vocabSize`"),
    "text": ({"headDim": "32"}, "`headDim` of the manifest's architecture is no whole number above 0"),
    "zero": ({"vocabSize": 0}, "`vocabSize` of the manifest's architecture is no whole number above 0"),
    "heads": ({"numKeyValueHeads": 4}, "6 heads do not share 4 evenly"),
    "theta": ({"ropeTheta": -1}, "`ropeTheta` of the manifest's architecture is no number above 0"),
}


@pytest.mark.parametrize("case", ARCHITECTURES)
def test_an_architecture_that_does_not_do(cli: Cli, folder: Path, made: str, case: str) -> None:
    """What is missing from sizes, or wrong with them, is told."""
    members, message = ARCHITECTURES[case]
    ran = cli("compile", _change(folder, description=None, **members), *OWN, "--plan", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_a_description_that_does_not_do(cli: Cli, folder: Path, made: str) -> None:
    """A description is an object, and gives each layer a type."""
    for description, message in ((3, "is no object"), ({"layer_types": ["far"]}, "does not name a type of `types`")):
        ran = cli("compile", _change(folder, description=description), *OWN, "--plan", "-q")
        assert (ran.code, ran.out) == (2, "")
        assert message in ran.err


def test_a_section_has_no_architecture(cli: Cli) -> None:
    """An inference section that stands alone needs `--model`."""
    ran = cli("compile", "section.json", "--num-layers", "4", "--plan")
    assert (ran.code, ran.out) == (2, "")
    assert "the manifest's architecture lacks `numLayers`" in ran.err
    assert "name a model with --model" in ran.err


def test_a_graph_without_kernels_is_no_plan(cli: Cli, folder: Path) -> None:
    """A manifest whose layers run no kernel has nothing to plan."""
    manifest = json.loads((folder / "passes.json").read_text())
    steps = manifest["inference"]["execution"]["steps"]
    manifest["inference"]["execution"]["steps"] = [{**step, "src": "state"} for step in steps if step["op"] == "cast"]
    (folder / "casts.json").write_text(json.dumps(manifest))
    ran = cli("compile", "casts.json", "--plan", "-q")
    assert ran == Ran(
        2, "", "-: error[cli/no-graph]: the manifest compiles to no kernel path, so there is nothing to plan\n"
    )


SPELLED = {
    "max_storage_buffer_binding_size": "maxStorageBufferBindingSize",
    "max_buffer_size": "maxBufferSize",
    "max_compute_workgroups_per_dimension": "maxComputeWorkgroupsPerDimension",
    "max_compute_workgroup_storage_size": "maxComputeWorkgroupStorageSize",
    "max_compute_invocations_per_workgroup": "maxComputeInvocationsPerWorkgroup",
    "max_compute_workgroup_size_x": "maxComputeWorkgroupSizeX",
    "max_storage_buffers_per_shader_stage": "maxStorageBuffersPerShaderStage",
}


@pytest.mark.parametrize("own", SPELLED)
def test_limits_are_spelled_as_webgpu_or_wgpu_spells_them(cli: Cli, folder: Path, made: str, own: str) -> None:
    """One limit in three spellings is one limit: what passes it is the same, and told the same."""
    refused = set()
    for name in (own, SPELLED[own], own.replace("_", "-")):
        (folder / "limits.json").write_text(json.dumps({name: 1}))
        ran = cli("compile", made, *OWN, "--plan", "--limits", "limits.json")
        assert (ran.code, ran.out) == (1, "")
        assert f"      {own} = 1\n" in ran.err
        refused.add(ran.err)
    assert len(refused) == 1


@pytest.mark.parametrize("feature", ["subgroup", "subgroups"])
def test_subgroups_are_spelled_in_two_ways(cli: Cli, folder: Path, made: str, feature: str) -> None:
    """WebGPU calls the feature `subgroups`, wgpu `subgroup`."""
    (folder / "limits.json").write_text(json.dumps({"features": ["shader-f16", feature, "timestamp-query"]}))
    assert cli("compile", made, *OWN, "--plan", "--limits", "limits.json").code == 0


def test_a_devices_whole_list_of_limits_may_be_given(cli: Cli, folder: Path, made: str) -> None:
    """Limits that no compute pass meets change nothing."""
    names = ["maxTextureDimension1D", "maxTextureArrayLayers", "maxBindGroups", "max-vertex-buffers"]
    (folder / "limits.json").write_text(json.dumps(dict.fromkeys(names, 1)))
    ran = cli("compile", made, *OWN, "--plan", "--limits", "limits.json")
    assert ran == cli("compile", made, *OWN, "--plan")
