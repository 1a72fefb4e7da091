"""A pack for a made-up document works with every command that judges documents or works on packs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelpath as kp
from cli.conftest import Ran
from examples.conftest import EXAMPLES
from lsp.client import Client

Cli = Callable[..., Ran]
PASSES, FAILS = "jobs/passes.json", "jobs/fails.json"
MESSAGE = "job `ship` expects `app` as image, but it is packed as tar"
PACK = ("--pack", "jobs")


def test_a_pipeline_that_can_run(cli: Cli) -> None:
    """A right document gives a line, and the question's answer says what was planned."""
    assert cli("check", PASSES, *PACK) == Ran(0, f"{PASSES}: clean by pack jobs\n", "")
    planned = kp.ask("plan", pack=str(EXAMPLES / "jobs"), pipeline=json.loads((EXAMPLES / PASSES).read_text()))
    artifacts = {"sources": "tar", "app": "zip", "container": "image"}
    assert (planned.ok, planned.value) == (True, {"minutes": 36, "artifacts": artifacts})


def test_a_pipeline_that_cannot(cli: Cli) -> None:
    """A finding is at its line, with its rule and its help."""
    ran = cli("check", FAILS, *PACK)
    assert ran.code == 1
    assert ran.out.startswith(f"error[jobs/formats/taken-as-packed]: {MESSAGE}\n --> {FAILS}:9:18\n")
    assert "  = help: let a job pack `app` as image before\n" in ran.out
    [found] = json.loads(cli("check", FAILS, *PACK, "--format", "json").out)["diagnostics"]
    assert (found["pointer"], found["subject"]) == ("/jobs/1/expects", "ship")


def test_the_pack_is_found_by_the_document(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder of a pack its documents need no `--pack`; elsewhere the message says what would be recognised."""
    ran = cli("check", PASSES)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[cli/document]: no pack recognises this document\n")
    assert "pack `execution-v0` judges `manifest`: a model's manifest, or its inference section alone" in ran.err
    monkeypatch.chdir(folder / "jobs")
    assert cli("check", "passes.json") == Ran(0, "passes.json: clean by pack jobs\n", "")
    (folder / "jobs" / "odd.json").write_text('{"pipelin": "a", "jobs": []}')
    refused = cli("check", "odd.json", "--pack", ".")
    assert refused.err.startswith("error[cli/document]: pack `jobs` does not judge this document\n")
    assert "= help: did you mean `pipeline`? pack `jobs` judges `pipeline`: a pipeline of jobs\n" in refused.err


def test_what_other_packs_options_set_is_refused(cli: Cli) -> None:
    """A pipeline has no layers and takes nothing beside it."""
    assert cli("check", PASSES, *PACK, "--num-layers", "3", "-q") == Ran(
        2, "", "-: error[cli/usage]: a `pipeline` of pack `jobs` has nothing that `--num-layers` sets\n"
    )
    refused = cli("check", PASSES, *PACK, "--runtime", FAILS, "-q")
    assert refused.err == f"{FAILS}:1:1: error[cli/document]: pack `jobs` takes nothing beside a `pipeline`\n"


def test_a_job_is_explained(cli: Cli) -> None:
    """Why an artifact is packed as it is leads back through the jobs before to the constant that it began with."""
    assert cli("explain", FAILS, "ship.left", *PACK).out == (
        "job `ship`  <- jobs/fails.json:5\n"
        "\n"
        "  left = tar (as taken)\n"
        "    rule jobs/formats/left (jobs/formats/left.yaml)\n"
        "    no   job.packs != null\n"
        "         job.packs = null  <- not given at jobs/fails.json:5\n"
        "    yes  otherwise: packed\n"
        "         packed = tar\n"
        "           slot `app` was last written by job `build`  <- jobs/fails.json:4\n"
        "             left = tar (as taken), by rule jobs/formats/left\n"
        "               packed = tar\n"
        "                 slot `sources` holds it from the start\n"
        "                   sources = tar\n"
        "                     source_format = tar  <- constant `source_format` of pack jobs\n"
    )
    assert "there is no job `shp`\n  = help: did you mean `ship`?" in cli("explain", FAILS, "shp", *PACK).err
    assert cli("explain", "formats/left", *PACK).out.startswith("jobs/formats/left (jobs/formats/left.yaml)\n")


def test_the_fewest_edits_are_found_and_written(cli: Cli, folder: Path) -> None:
    """The pack says what its items are called and what they read and write; the file's layout stays."""
    before = (folder / FAILS).read_text()
    assert cli("fix", FAILS, *PACK).out.startswith(
        "1 edit (proven: compiled again, it passes with no new finding)\n"
        "  insert before `ship`: takes app, makes app, packs image\n"
        "what changes elsewhere\n"
        "  ship: left tar -> image\n"
    )
    assert cli("fix", FAILS, *PACK, "--apply") == Ran(0, f"{FAILS}: 1 edits written\n", "")
    added = '{"name": "repack_ship", "takes": "app", "makes": "app", "minutes": 1, "commands": ["repack"], '
    ship = '{\n      "name": "ship"'
    assert (folder / FAILS).read_text() == before.replace(ship, f'{added}"packs": "image"}},\n    {ship}')
    assert cli("check", FAILS, *PACK).code == 0
    assert cli("fix", FAILS, *PACK) == Ran(0, f"{FAILS}: nothing to fix\n", "")


def test_a_finding_is_waived(cli: Cli, folder: Path) -> None:
    """A waiver goes by the member that identifies the pack's documents, and by the names of their items."""
    waiver = {"rule": "jobs/formats/taken-as-packed", "model": "nightly", "step": "ship", "reason": "r", "owner": "o"}
    (folder / "waivers.yaml").write_text(json.dumps({"waivers": [{**waiver, "expires": "2099-12-31"}]}))
    ran = cli("check", FAILS, *PACK, "--waivers", "waivers.yaml", "-q")
    note = "note[jobs/formats/taken-as-packed]: waived by o until 2099-12-31 (r)"
    assert ran == Ran(0, f"{FAILS}:9:18: {note}: {MESSAGE}\n", "")


def test_two_packs_are_compared_on_documents(cli: Cli, folder: Path) -> None:
    """A stricter budget is a change of the constant, and of the documents that are longer."""
    (folder / "fast").mkdir()
    (folder / "fast" / "pack.yaml").write_text(
        "summary: Short pipelines.\nextends: jobs\nreplace: {constants.most_minutes.value: 20}\n"
    )
    out = cli("pack", "diff", "jobs", "fast", "--manifests", "jobs/*.json").out
    assert "changed in constants: most_minutes\n  `value` was 60, and is 20\n" in out
    assert "jobs/passes.json: accepted -> rejected\n  budget/short-enough reports\n" in out
    assert "1 of 2 documents fare otherwise\n" in out
    (folder / "other.json").write_text("{}")
    refused = cli("pack", "diff", "jobs", "fast", "--manifests", "other.json")
    assert (refused.code, refused.out) == (2, "")
    assert "`other.json`: nothing was judged: pack `jobs` does not judge such a document" in refused.err


def test_the_pack_itself_is_sound(cli: Cli) -> None:
    """Its cases pass and cover all of it, it is in canonical form, and neither lint nor analysis finds anything."""
    tested = cli("pack", "test", "jobs", "--coverage", "--fail-under", "100")
    assert (tested.code, tested.err) == (0, "")
    assert "covered: rules 12 of 12 (100.0 %), branches 29 of 29 (100.0 %), atoms 27 of 27 (100.0 %)" in tested.out
    assert cli("pack", "lint", "jobs") == Ran(0, "jobs: clean\n", "")
    assert cli("pack", "fmt", "jobs", "--check").code == 0
    assert cli("pack", "analyze", "jobs").code == 0
    assert cli("pack", "doc", *PACK) == Ran(0, "14 pages in jobs-rules\n", "")
    assert cli("pack", "show", *PACK).code == 0


@pytest.fixture
def editor(folder: Path) -> Client:
    """Return an editor whose documents are judged by the pack."""
    return Client(folder, {"pack": str(folder / "jobs"), "lintDelay": -1})


def test_an_editor_knows_the_documents(editor: Client, folder: Path) -> None:
    """Findings, hints, hover, definitions and fixes of a pipeline come from what the pack declares."""
    path = folder / FAILS
    [found] = editor.open(path)
    assert (found["message"].split("\n")[0], editor.stretch(found, path)) == (MESSAGE, '"image"')
    document = {"textDocument": {"uri": path.as_uri()}}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = editor.request("textDocument/inlayHint", {**document, "range": everything})
    assert [hint["label"].strip() for hint in hints] == ["tar → tar", "tar"]
    where = editor.place(path, '"takes": "ap|p"')
    hover = editor.request("textDocument/hover", where)["contents"]["value"]
    assert "slot `app`\n\nwritten by `build`\n\nread by `ship`" in hover
    assert "the artifact that it unpacks" in hover
    [target] = editor.request("textDocument/definition", where)
    assert target["range"]["start"]["line"] == 3
    context = {"diagnostics": [], "only": ["quickfix"]}
    [action] = editor.request("textDocument/codeAction", {**document, "range": found["range"], "context": context})
    assert action["title"] == "make the graph pass: insert before `ship`: takes app, makes app, packs image"
    complete = editor.request("textDocument/completion", editor.place(path, '"expects": "ima|ge"'))
    assert {"tar", "zip", "image"} <= {item["label"] for item in complete["items"]}
    assert editor.close() == 0
