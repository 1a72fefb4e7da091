"""`explain` names the candidate that gave a value, and the line on which somebody wrote what decided."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]


def _lines(folder: Path, name: str, *marks: str) -> list[int]:
    """Return the line on which each mark stands, each looked for after the one before."""
    lines = (folder / name).read_text().splitlines()
    places, start = [], 0
    for mark in marks:
        start = next(place for place in range(start, len(lines)) if mark in lines[place])
        places.append(start + 1)
    return places


def test_a_steps_own_word(cli: Cli, folder: Path) -> None:
    """A dtype that a step asks for is traced to the line where it does."""
    [_, line] = _lines(folder, "passes.json", '"id": "lm_head"', '"inputDtype"')
    ran = cli("explain", "passes.json", "lm_head.inputDtype")
    assert ran.code == 0
    assert "  precision.inputDtype = f32 (manifest)\n" in ran.out
    assert f"step.precision.inputDtype = f32  <- passes.json:{line}\n" in ran.out


def test_the_sessions_word(cli: Cli, folder: Path) -> None:
    """A dtype that nobody asks for is the session's, traced through the merged session to the manifest."""
    [line] = _lines(folder, "passes.json", '"mathDtype"')
    out = cli("explain", "passes.json", "norm.mathDtype").out
    assert f"session.compute.defaults.mathDtype = f16  <- passes.json:{line}\n" in out
    assert "no   step.precision.mathDtype != null\n" in out


def test_the_overlays_word(cli: Cli, folder: Path) -> None:
    """A session dtype that the overlay gives is traced to the overlay."""
    [line] = _lines(folder, "overlay.json", '"accumDtype"')
    out = cli("explain", "passes.json", "norm.accumDtype", "--runtime", "overlay.json").out
    assert "precision.accumDtype = f16 (runtime.session)" in out
    assert f"session.compute.defaults.accumDtype = f16  <- overlay.json:{line}\n" in out


def test_the_configs_word(cli: Cli, folder: Path) -> None:
    """The same, where the overlay is part of a runtime config."""
    [line] = _lines(folder, "config.json", '"accumDtype"')
    out = cli("explain", "passes.json", "norm.accumDtype", "--runtime", "config.json").out
    assert f"session.compute.defaults.accumDtype = f16  <- config.json:{line}\n" in out


def test_the_patchs_word(cli: Cli, folder: Path) -> None:
    """A dtype that a patch sets is traced to the patch, not to the step that it changes."""
    [line] = _lines(folder, "overlay.json", '"mathDtype"')
    out = cli("explain", "passes.json", "lm_head.mathDtype", "--runtime", "overlay.json").out
    assert f"step.precision.mathDtype = f32  <- overlay.json:{line}\n" in out


def test_a_step_that_a_patch_adds(cli: Cli, folder: Path) -> None:
    """An added step is explained like any other, at its place in the patch."""
    [step, line] = _lines(folder, "overlay.json", '"step": {', '"toDtype"')
    out = cli("explain", "passes.json", "cap.outputDtype", "--runtime", "overlay.json").out
    assert f"  <- overlay.json:{step}\n" in out
    assert f"step.raw.toDtype = f16  <- overlay.json:{line}\n" in out


def test_the_catalogues_word(cli: Cli) -> None:
    """An output that the kernel declares is traced to the kernel's entry in the catalogue."""
    out = cli("explain", "passes.json", "residual.outputDtype").out
    assert "step.kernel?.output = f16  <- kernels/catalogs/doppler-0.1.7.yaml:" in out


def test_through_the_slots(cli: Cli, folder: Path) -> None:
    """What a step reads is traced to the step that wrote the slot last, and to why that one wrote it so."""
    [line, step] = _lines(folder, "passes.json", '"id": "attend_one"', '"id": "residual"')
    out = cli("explain", "passes.json", "residual.inputDtype").out
    assert f"slot `attended` was last written by step `attend_one`  <- passes.json:{line - 1}\n" in out
    assert "slot `attended` was last written by step `attend`" in out
    assert step > line


def test_to_the_start(cli: Cli, folder: Path) -> None:
    """A slot that no step wrote holds what the flow began with."""
    [line] = _lines(folder, "passes.json", '"activationDtype"')
    out = cli("explain", "passes.json", "embed.inputDtype").out
    assert "slot `state` holds it from the start\n" in out
    assert f"session.compute.defaults.activationDtype = f16  <- passes.json:{line}\n" in out


def test_phases_that_agree_are_told_once(cli: Cli) -> None:
    """A step that runs in both phases is explained for each of them, or for both at once where they agree."""
    assert cli("explain", "passes.json", "lm_head.inputDtype").out.startswith(
        "step `lm_head` in prefill and decode  <- "
    )
    apart = cli("explain", "passes.json", "residual.inputDtype").out
    assert "step `residual` in prefill  <- " in apart
    assert "step `residual` in decode  <- " in apart


@pytest.mark.parametrize("field", ["precision.mathDtype", "mathDtype", "math"])
def test_names_of_a_field(cli: Cli, field: str) -> None:
    """A field goes by its whole path, by its last name, and by the variable that rules know it as."""
    assert "\n  precision.mathDtype = f16 (manifest)\n" in cli("explain", "passes.json", f"norm.{field}").out


def test_a_group_of_fields(cli: Cli) -> None:
    """The beginning of a path means all fields below it."""
    out = cli("explain", "passes.json", "attend.kvIO").out
    assert "\n  kvIO.readDtype = f16 (manifest)\n" in out
    assert "\n  kvIO.writeDtype = f16 (manifest)\n" in out
    assert "precision" not in out.replace("step.precision", "")


def test_a_step_by_its_place(cli: Cli) -> None:
    """A step goes by its place in the list too."""
    assert cli("explain", "passes.json", "1.mathDtype").out == cli("explain", "passes.json", "norm.mathDtype").out


def test_ids_with_dots(cli: Cli, folder: Path) -> None:
    """Of an id with dots the longest that is a step counts, and the rest is the field."""
    text = (folder / "passes.json").read_text().replace('"id": "norm"', '"id": "layer.norm"')
    (folder / "dots.json").write_text(text)
    assert cli("explain", "dots.json", "layer.norm.mathDtype").out.startswith("step `layer.norm` in")


def test_a_step_that_there_is_not(cli: Cli) -> None:
    """An unknown step is answered with the nearest one."""
    ran = cli("explain", "passes.json", "lm_haed.inputDtype")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "error[cli/usage]: there is no step `lm_haed.inputDtype`\n  = help: did you mean `lm_head`?"
    )


def test_a_field_that_there_is_not(cli: Cli) -> None:
    """An unknown field is answered with the nearest one, or with all of them."""
    assert "did you mean `inputDtype`?" in cli("explain", "passes.json", "norm.inputDtpye").err
    assert "fields are precision.inputDtype, " in cli("explain", "passes.json", "norm.zzz").err


def test_a_step_that_was_not_reached(cli: Cli) -> None:
    """Where a fault leaves a value open, what is wrong is told instead, and the exit code says so."""
    ran = cli("explain", "fails.json", "attend.inputDtype")
    assert ran.code == 1
    assert "not known, because of what is wrong before it" in ran.out
    assert "step `attend` reads slot `normd` before it is produced" in ran.err


def test_the_other_steps_of_a_faulty_graph(cli: Cli) -> None:
    """A step that no fault touches is explained although the graph has faults elsewhere."""
    ran = cli("explain", "fails.json", "norm.inputDtype")
    assert (ran.code, ran.err) == (0, "")


def test_json_has_it_all(cli: Cli) -> None:
    """For tools the same is a document: value, source, rule, and each candidate with what it read."""
    told = json.loads(cli("explain", "passes.json", "norm.mathDtype", "--format", "json").out)
    [field] = told["visits"][0]["fields"]
    assert told["step"] == "norm"
    assert [visit["given"] for visit in told["visits"]] == [{"phase": "prefill"}, {"phase": "decode"}]
    assert (field["value"], field["source"], field["rule"]) == ("f16", "manifest", "execution-v0/flow/math-dtype")
    assert [choice["applies"] for choice in field["choices"]] == [False, False, True]


def test_a_rule_by_any_name(cli: Cli) -> None:
    """A rule goes by its id, by stage and name, by its name, and by a decision that is its own."""
    outputs = {
        cli("explain", name).out
        for name in ("execution-v0/flow/src-produced", "flow/src-produced", "src-produced", "E53")
    }
    assert len(outputs) == 1
    assert next(iter(outputs)).startswith(
        "execution-v0/flow/src-produced (rules/execution-v0/flow/src-produced.yaml)\n"
    )


def test_a_rule_that_there_is_not(cli: Cli) -> None:
    """An unknown rule is answered with the nearest one."""
    ran = cli("explain", "src-prodused")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean `src-produced`?" in ran.err


def test_a_file_without_a_step(cli: Cli) -> None:
    """A file alone is asked back: which step?"""
    ran = cli("explain", "passes.json")
    assert ran.code == 2
    assert ran.err.startswith("error[cli/usage]: `passes.json` is a file: which of its items?\n")


def test_layers_that_differ(cli: Cli) -> None:
    """Under a pack that unrolls the layers, those in which a step finds something else are told apart."""
    out = cli("explain", "passes.json", "norm.inputDtype", "--pack", "strict").out
    first, others = out.split("\n\nstep ")
    assert first.startswith("step `norm` in prefill (layer 0) and decode (layer 0)  <- passes.json:")
    assert "slot `state` was last written by step `embed`" in first
    assert others.startswith("`norm` in prefill (layers 1 to 3) and decode (layers 1 to 3)  <- passes.json:")
    assert "slot `state` was last written by step `residual`" in others


def test_layers_that_agree(cli: Cli) -> None:
    """A step that finds the same in every layer is told of once."""
    out = cli("explain", "passes.json", "residual.mathDtype", "--pack", "strict").out
    assert out.count("step `residual` in") == 1
    assert "layer" not in out.split("\n")[0]


@pytest.mark.parametrize(("step", "has"), [("norm", False), ("lm_head", False), ("attend", False), ("widen", True)])
def test_only_casts_say_what_they_make(cli: Cli, step: str, has: bool) -> None:
    """A field that a resolved step of another op does not have is neither shown nor answered for it."""
    told = json.loads(cli("explain", "passes.json", step, "--pack", "strict", "--format", "json").out)
    assert {"toDtype" in {field["field"] for field in visit["fields"]} for visit in told["visits"]} == {has}
    assert ("  toDtype = " in cli("explain", "passes.json", step, "--pack", "strict").out) is has
    assert cli("explain", "passes.json", f"{step}.toDtype", "--pack", "strict").code == (0 if has else 2)


def test_fields_that_a_step_lacks_are_explained(cli: Cli) -> None:
    """Whoever asks for fields none of which the step has reads why not."""
    ran = cli("explain", "passes.json", "norm.kvIO")
    assert ran.code == 0
    assert ran.out.count('    no   step.op == "attention"\n') == 2
