"""`matrix`: what passes where, what stops it elsewhere, and that equal cells are asked once."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Ran
from cli.toy import manifest, toy_pack
from kernelpath.evaluate.remembering import Memory
from kernelpath.execution_graph.devices import shipped_devices

Cli = Callable[..., Ran]
DEVICES = ["--device", "lavapipe", "--device", "adreno-7xx", "--device", "webgpu-minimum"]


@pytest.fixture
def toy(folder: Path) -> Path:
    """Return a folder with the toy pack and files that it judges."""
    toy_pack(folder)
    (folder / "both.json").write_text(manifest("shader-f16", None, "subgroups"))
    (folder / "none.json").write_text(manifest(None))
    (folder / "large.json").write_text('{"storage": 32768}')
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return a list that gets what each question is asked with."""
    given: list[dict[str, Any]] = []
    ask = Memory.ask

    def noting(memory: Memory, question: str, values: Any) -> Any:
        given.append(dict(values))
        return ask(memory, question, values)

    monkeypatch.setattr(Memory, "ask", noting)
    return given


def matrix(cli: Cli, *words: str) -> tuple[int, Any]:
    """Return the exit code and the JSON of a matrix by the toy pack."""
    ran = cli("matrix", *words, "--pack", "toy", "--format", "json")
    assert ran.err == ""
    return ran.code, json.loads(ran.out)


def test_people_get_a_grid_and_the_reasons(cli: Cli, toy: Path) -> None:
    """Cells that fail alike have one letter, which is explained once, with what the pack shows."""
    (toy / "cut.json").write_text("{")
    ran = cli("matrix", "both.json", "none.json", "cut.json", "--pack", "toy", "--with", "budget=large.json", *DEVICES)
    assert ran == Ran(
        1,
        """\
           1   2   3
both.json  ok  a   b
none.json  ok  ok  c
cut.json   d   d   d

1  lavapipe
2  adreno-7xx
3  webgpu-minimum

a  toy/place/feature: step `s0` needs `shader-f16`
   at manifest#/inference/execution/steps/0/needs
   lacks: s0
   storage: 32768
   1 cell: both.json on adreno-7xx

b  toy/place/feature: step `s0` needs `shader-f16`
   at manifest#/inference/execution/steps/0/needs
   lacks: s0, s2
   storage: 16384
   1 cell: both.json on webgpu-minimum

c  toy/size/storage: the device has 16384 of 32768 bytes
   at device#/limits/maxComputeWorkgroupStorageSize
   storage: 16384
   1 cell: none.json on webgpu-minimum

d  json/truncated: the file ends inside an object
   at cut.json:1:2
   help: is it cut off? `}` is missing
   3 cells: cut.json on lavapipe, adreno-7xx, webgpu-minimum

9 cells of question `compile`: 3 pass, 3 fail, 3 not judged
""",
        "",
    )
    quiet = cli("matrix", "none.json", "--pack", "toy", "-q", *DEVICES)
    assert quiet == Ran(0, "3 cells of question `compile`: 3 pass, 0 fail\n", "")


def test_tools_get_every_cell(cli: Cli, toy: Path) -> None:
    """JSON has the axes, each cell with its errors in full, and the counts."""
    code, found = matrix(cli, "both.json", *DEVICES[:4])
    error = found["cells"][1]["errors"][0]
    assert (code, error["rule"], error["subject"]) == (1, "toy/place/feature", "s0")
    assert found | {"cells": None} == {
        "version": 1,
        "pack": "toy",
        "question": "compile",
        "axes": {"manifest": ["both.json"], "device": ["lavapipe", "adreno-7xx"]},
        "cells": None,
        "summary": {"cells": 2, "passes": 1, "fails": 1, "notJudged": 0, "asked": 2},
    }
    assert [cell | {"errors": None} for cell in found["cells"]] == [
        {
            "documents": {"manifest": "both.json", "device": "lavapipe"},
            "verdict": "passes",
            "shows": {"lacks": [], "storage": 32768},
            "errors": None,
        },
        {
            "documents": {"manifest": "both.json", "device": "adreno-7xx"},
            "verdict": "fails",
            "stage": "place",
            "shows": {"lacks": ["s0"], "storage": 32768},
            "errors": None,
        },
    ]


def test_a_table_has_a_line_for_each_cell(cli: Cli, toy: Path) -> None:
    """CSV has the documents, what stops the cell, and what the pack shows, each in its column."""
    ran = cli("matrix", "both.json", "none.json", "--pack", "toy", "--format", "csv", *DEVICES)
    assert (ran.code, ran.err) == (1, "")
    head, *lines = csv.reader(io.StringIO(ran.out))
    assert head == [
        *("manifest", "device", "verdict", "stage", "rule", "message", "place", "errors"),
        "lacks",
        "storage",
    ]
    place = "manifest#/inference/execution/steps/0/needs"
    stopped = ["fails", "place", "toy/place/feature", "step `s0` needs `shader-f16`", place]
    assert lines[1:4] == [
        ["both.json", "adreno-7xx", *stopped, "1", "s0", "32768"],
        ["both.json", "webgpu-minimum", *stopped, "2", "s0, s2", "16384"],
        ["none.json", "lavapipe", "passes", "", "", "", "", "0", "", "32768"],
    ]


def test_equal_cells_are_asked_once(cli: Cli, toy: Path, asked: list[dict[str, Any]]) -> None:
    """Files of equal content on devices of equal facts are one cell, whatever they are called."""
    (toy / "copy.json").write_text(json.dumps(json.loads((toy / "both.json").read_text()), indent=2))
    own = "vendor: ''\narchitecture: ''\nfeatures: []\nlimits: {maxBufferSize: 268435456}\nsummary: mine\n"
    (toy / "own.yaml").write_text(own)
    _, found = matrix(cli, "both.json", "copy.json", "none.json", "--device", "webgpu-minimum", "--device", "own.yaml")
    assert (found["summary"]["cells"], found["summary"]["asked"], len(asked)) == (6, 2, 2)
    told = [(cell["verdict"], cell.get("stage")) for cell in found["cells"]]
    assert told == [("fails", "place")] * 4 + [("passes", None)] * 2


def test_what_the_cells_share_is_read_once(cli: Cli, toy: Path, asked: list[dict[str, Any]]) -> None:
    """Each file's value is the same object in all of its cells: nothing is read again for a cell."""
    matrix(cli, "both.json", "none.json", *DEVICES)
    assert len({id(values["manifest"]) for values in asked}) == 2
    assert len({id(values["device"]) for values in asked}) == 3


def test_without_a_device_all_that_have_a_name_are_asked(cli: Cli, toy: Path) -> None:
    """The columns are the devices that are shipped."""
    code, found = matrix(cli, "none.json")
    assert (code, found["axes"]["device"]) == (0, [*shipped_devices()])
    assert found["summary"]["passes"] == len(shipped_devices())


def test_profiles_and_other_documents_are_axes(cli: Cli, toy: Path, asked: list[dict[str, Any]]) -> None:
    """Several profiles and several documents are combined, and rows and reasons name them."""
    (toy / "a.json").write_text('{"session": {}}')
    (toy / "b.json").write_text('{"inference": {"session": {"x": 1}}}')
    (toy / "small.json").write_text('{"storage": 16384}')
    budgets = ["--with", "budget=small.json", "--with", "budget=large.json"]
    ran = cli(
        "matrix", "none.json", "--pack", "toy", "--runtime", "a.json", "--runtime", "b.json", *budgets, *DEVICES[2:]
    )
    assert ran.out.startswith(
        """\
                             1   2
none.json a.json small.json  ok  ok
none.json a.json large.json  ok  a
none.json b.json small.json  ok  ok
none.json b.json large.json  ok  a
"""
    )
    assert "   2 cells: none.json a.json large.json on webgpu-minimum; none.json b.json large.json on webgpu" in ran.out
    assert [values["runtime"] for values in asked[::4]] == [{"session": {}}, {"session": {"x": 1}}]


def test_a_bad_document_is_a_cell_with_its_finding(cli: Cli, toy: Path) -> None:
    """Neither a broken file nor a broken device ends the others."""
    (toy / "broken.yaml").write_text("vendor: ''\narchitecture: ''\nfeatures: [zzz]\nlimits: {}\n")
    code, found = matrix(cli, "none.json", "absent.json", "--device", "lavapipe", "--device", "broken.yaml")
    told = [(cell["verdict"], [error["message"] for error in cell.get("errors", ())]) for cell in found["cells"]]
    assert (code, told) == (
        1,
        [
            ("passes", []),
            ("not judged", ["unknown feature `zzz`"]),
            ("not judged", ["there is no file `absent.json`"]),
            ("not judged", ["there is no file `absent.json`", "unknown feature `zzz`"]),
        ],
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "question `compile` of pack `toy` asks no rule of this"),
        ("{", "the file ends inside an object"),
        (manifest(), "question `compile` of pack `toy` asks no rule of this"),
    ],
)
def test_nothing_judged_is_no_pass(cli: Cli, toy: Path, content: str, message: str) -> None:
    """If no cell was judged, the exit code is 2 and the reason is said."""
    (toy / "odd.json").write_text(content)
    text = (toy / "toy" / "pack.yaml").read_text()
    rules = "  size: {doc: what is too large, each: request, at: device#/limits/maxComputeWorkgroupStorageSize}\n"
    (toy / "toy" / "pack.yaml").write_text(text.replace(rules, ""))
    (toy / "toy" / "size" / "storage.yaml").unlink()
    code, found = matrix(cli, "odd.json", *DEVICES)
    assert (code, found["summary"]["notJudged"]) == (2, 3)
    assert {error["message"] for cell in found["cells"] for error in cell["errors"]} == {message}


def test_a_shipped_pack_knows_its_files(cli: Cli) -> None:
    """What the pack does not take for its document is a cell of its own; a section alone is taken for one."""
    ran = cli("matrix", "passes.json", "fails.json", "overlay.json", "--format", "json")
    found = json.loads(ran.out)
    told = {cell["documents"]["manifest"]: (cell["verdict"], cell.get("stage")) for cell in found["cells"]}
    assert ran.code == 1
    assert told == {
        "passes.json": ("passes", None),
        "fails.json": ("fails", "decode-loop"),
        "overlay.json": ("not judged", "matrix"),
    }
    (error,) = found["cells"][2]["errors"]
    assert error["message"] == "`overlay.json` is not a `manifest` that pack `execution-v0` judges"


def test_the_pack_is_that_of_the_first_file(cli: Cli, folder: Path) -> None:
    """Without a pack the first file that can be read says which; the others are judged by the same one."""
    (folder / "cut.json").write_text("{")
    (folder / "v1.json").write_text('{"inference": {"schema": "doppler.execution/v1"}}')
    first = json.loads(cli("matrix", "cut.json", "passes.json", "v1.json", "--format", "json").out)
    assert (first["pack"], [cell["verdict"] for cell in first["cells"]]) == (
        "execution-v0",
        ["not judged", "passes", "not judged"],
    )
    other = json.loads(cli("matrix", "v1.json", "--device", "lavapipe", "--format", "json").out)
    assert (other["pack"], other["axes"]["device"]) == ("execution-v1", ["lavapipe"])


@pytest.mark.parametrize(
    ("words", "message", "help_text"),
    [
        (["--question", "x"], "pack `toy` has no question `x`", "it has `compile`"),
        (["--pack", "plain"], "pack `plain` does not say which question a matrix asks", None),
        (["--device", "lavapipe", "--pack", "execution-v0"], "pack `execution-v0` has no document `device`", None),
        (
            ["--question", "derive", "--pack", "execution-v0", "--runtime", "large.json"],
            "question `derive` of pack `execution-v0` takes no profile",
            "leave `--runtime` out, or choose another question",
        ),
        (
            ["--question", "apply", "--pack", "execution-v0"],
            "question `apply` needs document `runtime_config`",
            "give it by `--runtime`",
        ),
        (["--catalog", "kernelpath"], "pack `toy` has no document `catalog`", None),
        (["--with", "budget"], "`budget` does not say which document is which file", None),
    ],
)
def test_what_cannot_be_asked_is_refused(
    cli: Cli, toy: Path, words: list[str], message: str, help_text: str | None
) -> None:
    """A mistake of usage is one error with exit code 2, in every format."""
    plain = Path(shutil.copytree(toy / "toy", toy / "plain"))
    (plain / "pack.yaml").write_text((toy / "toy" / "pack.yaml").read_text().replace("    matrix: true\n", ""))
    pack = [] if "--pack" in words else ["--pack", "toy"]
    for format in ("text", "csv"):
        ran = cli("matrix", "none.json", *pack, *words, "--format", format)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error[cli/usage]: {message}\n")
        assert help_text is None or f"  = help: {help_text}\n" in ran.err
