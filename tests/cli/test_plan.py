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


def test_a_plan_is_held_to_a_device_by_its_name_or_file(cli: Cli, folder: Path, made: str) -> None:
    """The features and limits are those of its document; a name that is misspelt is no device."""
    least = cli("compile", made, *OWN, "--plan", "--limits", "webgpu", "-q")
    assert cli("compile", made, *OWN, "--plan", "--limits", "webgpu-minimum", "-q") == least
    assert cli("compile", made, *OWN, "--plan", "--limits", "lavapipe").code == 0
    own = "vendor: ''\narchitecture: ''\nfeatures: [subgroups, shader-f16]\n"
    own += "limits: {maxComputeInvocationsPerWorkgroup: 1}\n"
    (folder / "own.yaml").write_text(own)
    ran = cli("compile", made, *OWN, "--plan", "--limits", "own.yaml", "-q")
    assert ran.code == 1
    assert "invocations of a workgroup, and the device allows 1\n" in ran.err
    ran = cli("compile", made, *OWN, "--plan", "--limits", "own.yml", "-q")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "-: error[device/unknown]: unknown device `own.yml`")


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
    "many layers": ({"numLayers": 10_001}, "`numLayers` of the manifest's architecture is more than 10,000"),
    "long": ({"maxSeqLen": 2**31}, "`maxSeqLen` of the manifest's architecture is more than 2,147,483,647"),
    "tiny theta": ({"ropeTheta": 1e-320}, "`ropeTheta` of the manifest's architecture is too small: 1e-320"),
    "huge theta": ({"ropeTheta": 10**400}, "`ropeTheta` of the manifest's architecture is no number above 0"),
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


ROPE = {"theta": 1e4, "dims": 32, "pairs": "halves", "scale": 1.0, "inverse_frequencies": [1.0] * 16}
DESCRIPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a member that nothing reads": ({"attention_softcaps": 30.0}, "member `attention_softcaps`, and nothing reads it"),
    "a number as a text": ({"norm_eps": "1e-5"}, "`norm_eps` of the description is not a number"),
    "a truth value as a number": ({"causal": 1}, "`causal` of the description is not true or false"),
    "a number without end": ({"attention_scale": 10**400}, "`attention_scale` of the description is not a number"),
    "an unknown activation": ({"activation": "relu"}, "`activation` of the description is not one of silu, gelu_tanh"),
    "norms in part": ({"norms": {"qk": True}}, "`norms` of the description does not have the members qk, attn_output"),
    "a norm as a text": (
        {"norms": {"qk": "no", "attn_output": False, "ffn_output": False}},
        "`norms.qk` of the description is not true or false",
    ),
    "a type without a window": (
        {"types": {"global": {"rope": ROPE}}},
        "`types.global` of the description does not have the members window, rope",
    ),
    "a window below zero": (
        {"types": {"global": {"window": -1, "rope": ROPE}}},
        "`types.global.window` of the description is not a whole number from 0",
    ),
    "no rotation": (
        {"types": {"global": {"window": 0, "rope": {}}}},
        "`types.global.rope` of the description does not have the members theta, dims",
    ),
    **{
        f"a rotation with {name}": ({"types": {"global": {"window": 0, "rope": ROPE | {name: value}}}}, message)
        for name, value, message in (
            ("dims", 33, "`types.global.rope.dims` of the description is not even and at most 32"),
            ("pairs", "far", "`types.global.rope.pairs` of the description is not one of adjacent, halves"),
            ("scale", "1", "`types.global.rope` of the description has a theta or a scale that is not a number"),
            ("inverse_frequencies", [1.0], "is not a list of 16 numbers"),
            ("inverse_frequencies", [1e39] * 16, "is not a list of 16 numbers"),
            ("inverse_frequencies", 16, "is not a list of 16 numbers"),
        )
    },
}


@pytest.mark.parametrize("case", DESCRIPTIONS)
def test_members_of_a_description_that_do_not_do(cli: Cli, folder: Path, made: str, case: str) -> None:
    """Each is of the kind that it has in the manifests that `init` makes."""
    members, message = DESCRIPTIONS[case]
    description = json.loads((folder / made).read_text())["architecture"]["description"]
    ran = cli("compile", _change(folder, description=description | members), *OWN, "--plan", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_whole_numbers_are_numbers(cli: Cli, folder: Path, made: str) -> None:
    """JSON has one kind of number: 30 is 30.0."""
    description = json.loads((folder / made).read_text())["architecture"]["description"]
    plans = [
        cli("compile", _change(folder, description=description | {"final_softcap": cap}), *OWN, "--plan")
        for cap in (0, 0.0)
    ]
    assert plans[0].code == 0
    assert plans[0] == plans[1]


def test_a_cache_has_so_many_positions(cli: Cli, made: str) -> None:
    """Kernels count positions in 32 bits."""
    ran = cli("compile", made, *OWN, "--plan", "--capacity", str(10**30), "-q")
    assert ran == Ran(2, "", "-: error[cli/usage]: a cache holds at most 2,147,483,647 positions\n")
    assert cli("compile", made, *OWN, "--plan", "--capacity", str(2**31 - 1), "-q").code == 1


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
