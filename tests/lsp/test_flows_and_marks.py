"""Hints are of the flow that items are in, tables say of which layers they are, and a byte order mark is skipped."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kernelpath.lsp.manifests.telling import hints, manifest_hover
from kernelpath.lsp.manifests.view import view
from kernelpath.lsp.workspace import Workspace
from lsp.client import Client

DATA = Path(__file__).parent / "data"
MARK = "\ufeff"
FLOW = """summary: The shipped rules, and another flow over the same steps.
extends: execution-v0
flows:
  roles:
    over: steps
    pass: {phase: phase}
    slots: dtype
    reads: {seen: step.src}
    passes: {decode: {start: {state: activation}}}
stages: {roles: {each: roles, after: [flow], gives: {role: string}, for: [compile]}}
"""
GIVES = "summary: A\nwhy: b\nresolve: role\nfirst:\n  - {value: '\"guest\"', source: '\"here\"'}\n"
LEAVES = "summary: A\nwhy: b\ntransition: {slot: step.dst, holds: '\"f32\"'}\n"


def _with_flow(folder: Path) -> Path:
    """Return a pack that takes the steps through a second flow, in one of the passes of the first."""
    pack = folder / "more"
    (pack / "roles").mkdir(parents=True)
    (pack / "pack.yaml").write_text(FLOW, encoding="utf-8")
    (pack / "roles" / "role.yaml").write_text(GIVES, encoding="utf-8")
    (pack / "roles" / "leaves.yaml").write_text(LEAVES, encoding="utf-8")
    return pack


def _shown(folder: Path, pack: str, manifest: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the hints of a manifest, and what hover says of each step, by the steps' ids."""
    path = folder / "shown.json"
    path.write_text(manifest, encoding="utf-8")
    workspace = Workspace()
    workspace.judge.pack = pack
    document = workspace.document(path)
    assert document is not None
    seen = view(workspace, document)
    text = document.source.text
    places = seen.names
    ends = {scalar.end: name for name, scalar in places.items()}
    hovers = {name: manifest_hover(seen, scalar.start) for name, scalar in places.items()}
    assert text == manifest.removeprefix(MARK)
    return {ends[hint.offset]: hint.text for hint in hints(seen)}, {n: h.text for n, h in hovers.items() if h}


def test_hints_are_of_the_flow_that_the_items_are_in(tmp_path: Path) -> None:
    """Another flow through the same steps changes no hint, and its tables are named after it."""
    manifest = (DATA / "manifest.json").read_text(encoding="utf-8")
    alone, _ = _shown(tmp_path, "execution-v0", manifest)
    both, told = _shown(tmp_path, str(_with_flow(tmp_path)), manifest)
    assert alone["norm"] == "f16 → f16"
    assert both == alone
    assert "**roles, decode**\n\n| | value | from |\n|---|---|---|\n| role | guest | here |" in told["norm"]
    assert "**visits, prefill**, **visits, decode**\n\n| | value | from |\n|---|---|---|\n" in told["norm"]
    assert "\n| input | f16 |" in told["norm"]


def _layered() -> str:
    """Return a manifest in which a step reads another dtype in the first layer than in the others."""
    manifest: Any = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    steps = manifest["inference"]["execution"]["steps"]
    del manifest["inference"]["execution"]["steps"][-3:]
    cast = {"id": "wide", "op": "cast", "phase": "both", "section": "layer", "layers": [0], "toDtype": "f32"}
    steps.append({**cast, "src": "state", "dst": "side"})
    steps.append({**cast, "id": "copy", "layers": "all", "src": "side", "dst": "other"})
    steps.append({**cast, "id": "back", "layers": "all", "toDtype": "f16", "src": "state", "dst": "side"})
    return json.dumps(manifest)


def test_tables_say_of_which_layers_they_are(tmp_path: Path) -> None:
    """What an item is in some layers is told apart from what it is in others, and told once where it is the same."""
    seen, told = _shown(tmp_path, "strict", _layered())
    assert seen["copy"] == (
        "prefill (layer 0), decode (layer 0) f32 → f32; prefill (layers 1 to 3), decode (layers 1 to 3) f16 → f32"
    )
    tables = told["copy"].split("\n\n| | value | from |\n")
    assert tables[0].endswith("\n\n**prefill (layer 0)**, **decode (layer 0)**")
    assert tables[1].endswith("\n\n**prefill (layers 1 to 3)**, **decode (layers 1 to 3)**")
    assert "| input | f32 | derived |" in tables[1]
    assert "| input | f16 | derived |" in tables[2]


def test_a_byte_order_mark_hides_no_step(tmp_path: Path) -> None:
    """Hints and hovers are those of the text without the mark."""
    manifest = (DATA / "manifest.json").read_text(encoding="utf-8")
    assert _shown(tmp_path, "execution-v0", MARK + manifest) == _shown(tmp_path, "execution-v0", manifest)


@pytest.fixture(params=["utf-8", "utf-16", "utf-32"])
def marking(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Client]:
    """Return an editor that counts in an encoding's units."""
    shutil.copytree(DATA, tmp_path / "work")
    client = Client(tmp_path / "work", {"lintDelay": -1}, request.param)
    yield client
    assert client.close() == 0


def _moved(found: list[dict[str, Any]], by: int) -> list[dict[str, Any]]:
    """Return diagnostics as they are where the first line has more units before them."""
    moved = json.loads(json.dumps(found))
    for one in moved:
        for end in (one["range"]["start"], one["range"]["end"]):
            end["character"] += by if end["line"] == 0 else 0
    return moved


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.sampled(2)
def test_findings_stand_where_the_editor_shows_them(marking: Client, indent: int | None) -> None:
    """A mark is a character to the editor: on the first line all places are one further, on others none."""
    path = marking.folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["inference"]["execution"]["steps"][2]["src"] = "normd"
    manifest["inference"]["sessionDefaults"]["decodeLoop"]["stopCheckMode"] = "sometimes"
    text = json.dumps(manifest, indent=indent)
    plain = marking.open(path, text)
    assert len(plain) == 2
    units = {"utf-8": 3, "utf-16": 1, "utf-32": 1}[marking.capabilities["positionEncoding"]]
    assert marking.change(path, MARK + text) == _moved(plain, units)
    hover = {"textDocument": {"uri": path.as_uri()}, "position": plain[1]["range"]["start"]}
    if indent is None:
        hover["position"]["character"] += units
    assert "slot `normd`" in marking.request("textDocument/hover", hover)["contents"]["value"]


@pytest.mark.sampled(3)
def test_rules_with_a_mark_are_read(marking: Client) -> None:
    """A pack's file may begin with a mark, too: its findings are those of the text without it."""
    path = marking.folder / "boxes" / "checks" / "tin-is-blue.yaml"
    text = path.read_text(encoding="utf-8").replace("summary:", "sumary:")
    plain = marking.open(path, text)
    assert plain
    assert marking.change(path, MARK + text) == _moved(
        plain, {"utf-8": 3}.get(marking.capabilities["positionEncoding"], 1)
    )
