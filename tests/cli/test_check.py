"""`check` says whether manifests may run, whatever they are given as, and never passes what it did not look at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]


def test_a_clean_manifest_exits_0(cli: Cli) -> None:
    """A manifest that may run gives one line and exit code 0."""
    assert cli("check", "passes.json") == Ran(0, "passes.json: clean, 8 steps over 4 layers by pack execution-v0\n", "")


def test_findings_exit_1(cli: Cli) -> None:
    """A manifest that may not run gives exit code 1."""
    assert cli("check", "fails.json").code == 1


def test_several_files_are_all_checked(cli: Cli) -> None:
    """A file that cannot be read hides neither the findings of others nor who is clean, and decides the exit code."""
    ran = cli("check", "-q", "nosuch.json", "fails.json", "passes.json")
    assert ran.code == 2
    assert ran.out.count("fails.json:") == 3
    assert ran.err == "-: error[cli/input]: there is no file `nosuch.json`\n"


def test_quiet_says_nothing_of_success(cli: Cli) -> None:
    """With -q a clean manifest gives no output at all."""
    assert cli("check", "-q", "passes.json") == Ran(0, "", "")


def test_standard_input(cli: Cli, folder: Path) -> None:
    """`-` reads standard input, and messages call it <stdin>."""
    ran = cli("check", "-", "-q", stdin=(folder / "fails.json").read_bytes())
    assert ran.code == 1
    assert ran.out.startswith("<stdin>:66:26: error[execution-v0/decode-loop/stop-check-mode]")


def test_a_section_that_stands_alone(cli: Cli) -> None:
    """An inference section without the manifest around it is checked as well, with the layers that the caller says."""
    ran = cli("check", "section.json", "--num-layers", "3")
    assert ran == Ran(0, "section.json: clean, 8 steps over 3 layers by pack execution-v0\n", "")


def test_a_section_is_pointed_into_without_the_manifest(cli: Cli, folder: Path) -> None:
    """Pointers lead from the top of the document that was given, be it a manifest or a section."""
    section = json.loads((folder / "fails.json").read_text())["inference"]
    (folder / "alone.json").write_text(json.dumps(section))
    pointers = [
        [found["pointer"] for found in json.loads(cli("check", name, "--format", "json").out)["diagnostics"]]
        for name in ("fails.json", "alone.json")
    ]
    assert pointers[0] == [f"/inference{pointer}" for pointer in pointers[1]]
    assert pointers[1][0] == "/sessionDefaults/decodeLoop/stopCheckMode"


def test_the_number_of_layers_may_be_text(cli: Cli, folder: Path) -> None:
    """A manifest's `numLayers` counts as `apply` counts it, also where it is written as text."""
    manifest = json.loads((folder / "passes.json").read_text())
    manifest["architecture"]["numLayers"] = "70000"
    (folder / "text.json").write_text(json.dumps(manifest))
    assert "70000 layers are more than the limit of 65536" in cli("check", "text.json").out


@pytest.mark.parametrize(("runtime", "line"), [("bad-overlay.json", 5), ("bad-config.json", 9)])
def test_faults_of_the_runtime_are_placed_in_its_file(cli: Cli, runtime: str, line: int) -> None:
    """What is wrong in an overlay or a runtime config is told at its line there, for a manifest and for a section."""
    for manifest in ("passes.json", "section.json"):
        ran = cli("check", manifest, "--runtime", runtime, "-q")
        assert ran.code == 1
        assert ran.out.startswith(f"{runtime}:{line}:")


def test_a_fault_of_the_overlay_is_told_once(cli: Cli) -> None:
    """What is wrong in the overlay is not repeated for every manifest that it is tried on."""
    ran = cli("check", "passes.json", "section.json", "--runtime", "bad-overlay.json", "-q")
    assert len(ran.out.splitlines()) == 1


def test_a_kernel_path_of_the_config_is_what_is_checked(cli: Cli) -> None:
    """A config that names a kernel path is checked with the graph that the path gives."""
    ran = cli("check", "passes.json", "--runtime", "path-config.json")
    assert ran == Ran(0, "passes.json: clean, 35 steps over 4 layers by pack execution-v0\n", "")


def test_output_goes_to_a_file(cli: Cli, folder: Path) -> None:
    """`--output` takes the report, and nothing is printed."""
    ran = cli("check", "fails.json", "--format", "sarif", "--output", "report.sarif")
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert len(json.loads((folder / "report.sarif").read_text())["runs"][0]["results"]) == 3


def test_machine_formats_hold_what_could_not_be_read(cli: Cli) -> None:
    """In a format for tools everything is in one document, also what kept a file from being checked."""
    ran = cli("check", "nosuch.json", "fails.json", "--format", "json")
    assert (ran.code, ran.err) == (2, "")
    assert json.loads(ran.out)["summary"] == {"error": 4, "warning": 0, "note": 0}


def test_the_rule_and_the_manifest_are_both_placed(cli: Cli) -> None:
    """A finding has the manifest's place first, and the rule's file as its second."""
    found = json.loads(cli("check", "fails.json", "--format", "json").out)["diagnostics"][2]
    assert (found["span"]["file"], found["span"]["line"]) == ("fails.json", 168)
    assert found["secondary"][0]["text"] == "rule"
    assert found["secondary"][0]["span"]["file"] == "rules/execution-v0/flow/read-dtype-mismatch.yaml"


def test_a_changed_pack_changes_the_verdict(cli: Cli, folder: Path, shipped_pack: Path) -> None:
    """With `--pack FOLDER` a rule that is taken away takes its findings with it."""
    (shipped_pack / "decode-loop" / "stop-check-mode.yaml").unlink()
    assert cli("check", "fails.json", "-q").out.count("\n") == 3
    assert cli("check", "fails.json", "-q", "--pack", str(shipped_pack)).out.count("error[") == 2


def test_places_of_rules_are_seen_from_where_one_stands(
    cli: Cli, folder: Path, shipped_pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cached pack shows its rules' files as they are from the present folder, not from where it was first read."""
    assert "= rule: packs/execution-v0/flow/" in cli("check", "fails.json", "--pack", "packs/execution-v0").out
    monkeypatch.chdir(shipped_pack.parent)
    assert "= rule: execution-v0/flow/" in cli("check", "../fails.json", "--pack", "./execution-v0").out


def test_the_pack_is_found_by_the_document(cli: Cli) -> None:
    """A manifest of another generation is judged by the pack of its schema, unless another pack is named."""
    ran = cli("check", "next-generation.json", "-q")
    assert ran.code == 1
    assert ran.out.startswith("next-generation.json:17:18: error[execution-v1/session/cache-given]: ")
    refused = cli("explain", "next-generation.json", "norm", "-q")
    message = "no rule of pack `execution-v1` gives an item of this `manifest` anything"
    assert refused == Ran(2, "", f"-: error[cli/usage]: {message}\n")
    (named, message) = ("execution-v0", "its schema is `doppler.execution/v1`, not `doppler.execution/v0`")
    assert f"nothing was judged: {message}\n" in cli("check", "next-generation.json", "-q", "--pack", named).err
