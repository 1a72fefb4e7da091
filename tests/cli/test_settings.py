"""Documents that are given by name: `--with DOC=FILE`, `--device`, several of each, and what findings say of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran
from cli.toy import manifest, toy_pack
from kernelpath.resources import resource

Cli = Callable[..., Ran]
FIXES = """\
fixes:
  question: compile
  list: manifest#/inference/execution/steps
  slots: {reads: from, writes: to}
  overlay: []
  moves:
    unneed: {doc: do without a feature, cost: 1, set: needs, to: {removed: true}}
"""


@pytest.fixture
def toy(folder: Path) -> Path:
    """Return a folder with the toy pack and files that it judges."""
    toy_pack(folder, FIXES)
    (folder / "both.json").write_text(manifest("shader-f16", None, "subgroups"))
    (folder / "none.json").write_text(manifest(None))
    (folder / "small.json").write_text('{"storage": 16384}')
    (folder / "large.json").write_text('{\n  "storage": 32768\n}')
    return folder


def test_one_device_is_judged_as_it_is(cli: Cli, toy: Path) -> None:
    """A single setting is named beside what is clean, and findings are as the rules word them."""
    clean = "both.json: clean by pack toy with device `lavapipe`\n"
    assert cli("check", "both.json", "--pack", "toy", "--device", "lavapipe") == Ran(0, clean, "")
    ran = cli("check", "both.json", "--pack", "toy", "--device", "adreno-7xx", "-q")
    assert ran == Ran(1, "both.json:1:95: error[toy/place/feature]: step `s0` needs `shader-f16`\n", "")


def test_with_is_what_device_is_short_for(cli: Cli, toy: Path) -> None:
    """Both ways of giving a document are one."""
    for devices in (["--device", "lavapipe"], ["--with", "device=lavapipe"], ["--device=lavapipe"]):
        ran = cli("check", "none.json", "--pack", "toy", *devices)
        assert ran == Ran(0, "none.json: clean by pack toy with device `lavapipe`\n", "")


def test_each_of_several_devices_is_judged(cli: Cli, toy: Path) -> None:
    """A finding is said once and names the devices that have it; what is clean names those on which it is."""
    devices = ["--device", "lavapipe", "--device", "adreno-7xx", "--with", "device=webgpu-minimum"]
    ran = cli("check", "both.json", "none.json", "--pack", "toy", *devices)
    assert ran.code == 1
    assert "error[toy/place/feature]: with device `adreno-7xx`, `webgpu-minimum`: step `s0` needs `sh" in ran.out
    assert "error[toy/place/feature]: with device `webgpu-minimum`: step `s2` needs `subgroups`\n" in ran.out
    assert ran.out.endswith(
        "2 errors\n"
        "both.json: clean by pack toy with device `lavapipe`\n"
        "none.json: clean by pack toy with device `lavapipe`, `adreno-7xx`, `webgpu-minimum`\n"
    )


def test_many_devices_are_counted(cli: Cli, toy: Path) -> None:
    """A message names some of many devices, the values name all."""
    names = [path.stem for path in sorted(resource("kernels", "devices").glob("*.yaml"))]
    devices = [word for name in names for word in ("--device", name)]
    (toy / "one.json").write_text(manifest("indirect-first-instance"))
    found = json.loads(cli("check", "one.json", "--pack", "toy", "--format", "json", *devices).out)["diagnostics"]
    (finding,) = [each for each in found if each["rule"] == "toy/place/feature"]
    without = [name for name in names if name not in ("lavapipe", "nvidia-h200", "nvidia-kepler")]
    without = [name for name in without if name != "nvidia-lovelace-no-f16"]
    first = ", ".join(f"`{name}`" for name in without[:8])
    message = f"with device {first} and {len(without) - 8} more: step `s0` needs `indirect-first-instance`"
    assert finding["message"] == message
    assert finding["values"][-1] == {"name": "with", "value": "; ".join(f"device `{name}`" for name in without)}


def test_every_combination_of_documents_is_judged(cli: Cli, toy: Path) -> None:
    """Documents of two names are combined; a document that is the same in all settings is not named."""
    devices = ["--device", "webgpu-minimum", "--device", "adreno-7xx"]
    one = cli("check", "none.json", "--pack", "toy", "-q", *devices, "--with", "budget=large.json")
    place = "kernels/devices/webgpu-minimum.yaml:11:35: error[toy/size/storage]"
    assert one.out == f"{place}: with device `webgpu-minimum`: the device has 16384 of 32768 bytes\n"
    budgets = ["--with", "budget=large.json", "--with", "budget=small.json"]
    two = cli("check", "none.json", "--pack", "toy", "-q", *devices, *budgets)
    said = "with device `webgpu-minimum`, budget `large.json`: the device has 16384 of 32768 bytes"
    assert two.out == f"{place}: {said}\n"
    clean = cli("check", "none.json", "--pack", "toy", *devices, *budgets).out.splitlines()[-1]
    assert clean == (
        "none.json: clean by pack toy with device `webgpu-minimum`, budget `small.json`; "
        "device `adreno-7xx`, budget `large.json`; device `adreno-7xx`, budget `small.json`"
    )


def test_a_finding_about_a_given_document_is_at_its_place(cli: Cli, toy: Path) -> None:
    """A rule that points into the device is underlined in the device's file, a user's own as well."""
    text = "vendor: acme\narchitecture: one\nfeatures: []\nlimits:\n  maxComputeWorkgroupStorageSize: 8192\n"
    (toy / "own.yaml").write_text(text)
    ran = cli("check", "none.json", "--pack", "toy", "--device", "own.yaml", "--with", "budget=small.json")
    assert ran.code == 1
    assert "the device has 8192 of 16384 bytes\n --> own.yaml:5:35\n" in ran.out
    (toy / "own.yaml").write_text(text.replace("limits:\n  maxComputeWorkgroupStorageSize: 8192", "limits: {}"))
    ran = cli("check", "none.json", "--pack", "toy", "--device", "own.yaml", "--with", "budget=large.json", "-q")
    assert ran.out.startswith("own.yaml:4:9: error[toy/size/storage]: the device has 16384")


def test_the_same_device_twice_is_one(cli: Cli, toy: Path) -> None:
    """A repeated word changes nothing."""
    ran = cli("compile", "none.json", "--pack", "toy", "--device", "lavapipe", "--device", "lavapipe")
    assert ran == Ran(0, '{\n  "steps": 1\n}\n', "")


def test_compile_prints_what_each_device_gives(cli: Cli, toy: Path) -> None:
    """With several devices there is a list; a device on which there is nothing has null, and findings say why."""
    devices = ["--device", "lavapipe", "--device", "adreno-7xx"]
    ran = cli("compile", "both.json", "--pack", "toy", *devices)
    assert ran.code == 1
    assert json.loads(ran.out) == [
        {"with": {"device": "lavapipe"}, "value": {"steps": 3}},
        {"with": {"device": "adreno-7xx"}, "value": None},
    ]
    assert "error[toy/place/feature]: with device `adreno-7xx`: step `s0` needs `shader-f16`\n" in ran.err
    part = cli("compile", "none.json", "--pack", "toy", "--part", "/steps", *devices)
    assert (part.code, [each["value"] for each in json.loads(part.out)]) == (0, [1, 1])
    alone = cli("compile", "both.json", "--pack", "toy", "--device", "adreno-7xx")
    assert (alone.code, alone.out) == (1, "")


def test_fix_makes_a_graph_pass_on_each_device(cli: Cli, toy: Path) -> None:
    """The edits are the fewest that hold on all devices, of which the first may need none."""
    devices = ["--device", "lavapipe", "--device", "adreno-7xx", "--device", "webgpu-minimum"]
    ran = cli("fix", "both.json", "--pack", "toy", "--format", "json", *devices)
    found = json.loads(ran.out)
    assert (ran.code, found["edits"], found["proven"]) == (
        1,
        ["remove needs of `s0`", "remove needs of `s2`"],
        True,
    )
    one = json.loads(cli("fix", "both.json", "--pack", "toy", "--format", "json", *devices[:4]).out)
    assert one["edits"] == ["remove needs of `s0`"]
    assert cli("fix", "both.json", "--pack", "toy", "--device", "lavapipe").out == "both.json: nothing to fix\n"


def test_explain_answers_for_each_device(cli: Cli, shipped_pack: Path) -> None:
    """Each answer is below a line with its device; JSON has a list."""
    declared = (shipped_pack / "pack.yaml").read_text()
    declared = declared.replace(
        "  catalog: {", "  device: {doc: a device, optional: true, resource: devices}\n  catalog: {", 1
    )
    declared = declared.replace(
        "given: [manifest, runtime, catalog, presets]", "given: [manifest, runtime, device, catalog, presets]", 1
    )
    (shipped_pack / "pack.yaml").write_text(declared)
    asked = ["explain", "passes.json", "attend_one.inputDtype", "--pack", str(shipped_pack)]
    alone = cli(*asked)
    assert alone.code == 0
    both = cli(*asked, "--device", "lavapipe", "--device", "adreno-6xx")
    wanted = f"with device `lavapipe`\n{alone.out}\nwith device `adreno-6xx`\n{alone.out}"
    assert both == Ran(0, wanted, "")
    listed = json.loads(cli(*asked, "--format", "json", "--device", "lavapipe", "--device", "adreno-6xx").out)
    assert [each["with"] for each in listed] == [{"device": "lavapipe"}, {"device": "adreno-6xx"}]


@pytest.mark.parametrize(
    ("words", "message", "help_text"),
    [
        (
            ["--device", "lavapipe", "--pack", "execution-v0"],
            "pack `execution-v0` has no document `device`",
            "its documents are `manifest`, `runtime`, `runtime_config`, `chosen_path`, `catalog`, `presets`; "
            "choose a pack that declares it",
        ),
        (
            ["--with", "devise=lavapipe"],
            "pack `toy` has no document `devise`",
            "did you mean `device`? its documents are `manifest`, `runtime`, `runtime_config`, `device`, `budget`; "
            "choose a pack that declares it",
        ),
        (
            ["--with", "stock=small.json"],
            "question `compile` of pack `toy` does not take document `stock`",
            "add `stock` to its `given`",
        ),
        (
            ["--with", "budget"],
            "`budget` does not say which document is which file",
            "write `--with DOC=FILE`, such as `--with device=FILE`",
        ),
        (
            ["--with", "budget="],
            "`budget=` does not say which document is which file",
            "write `--with DOC=FILE`, such as `--with device=FILE`",
        ),
        (["--with", "runtime=small.json"], "document `runtime` is given by `--runtime`, not by `--with`", None),
        (["--with", "budget=x/y"], "there is no file `x/y`", None),
        (["--device", "lavapip"], "unknown device `lavapip`", "did you mean `lavapipe`?"),
        (["--num-layers", "3"], "a `manifest` of pack `toy` has nothing that `--num-layers` sets", None),
    ],
)
@pytest.mark.parametrize("command", ["check", "compile", "explain", "fix"])
def test_what_cannot_be_given_is_refused(
    cli: Cli, toy: Path, command: str, words: list[str], message: str, help_text: str | None
) -> None:
    """Each mistake is one error with exit code 2, whatever the command."""
    text = (toy / "toy" / "pack.yaml").read_text()
    (toy / "toy" / "pack.yaml").write_text(
        text.replace("  budget:", "  stock: {optional: true}\n  budget:", 1) if "stock" in words[1] else text
    )
    pack = [] if "--pack" in words else ["--pack", "toy"]
    step = ["s0"] if command == "explain" else []
    ran = cli(command, "none.json", *step, *pack, *words)
    helped = f"  = help: {help_text}\n" if help_text else ""
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.split("]: ", 1)[1] == f"{message}\n{helped}\n1 error\n"
