"""A new rule can be read and its tests can be run, and they fail until both are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.formatting import format_text
from kernelpath.analysis.lint import lint
from kernelpath.analysis.scaffold import KINDS, scaffold, write_files
from kernelpath.analysis.testing import run_pack_tests
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack
from kernelpath.packs.reads import gives
from lint.packs import boxes, merge

TYPES = ["string", "int", "float", "bool", "colour", "colour?", "json", "object", "object?", "list<Box>", "map<int>"]


def test_check(tmp_path: Path) -> None:
    """A check knows how an item is called; the rest is for its author to say."""
    rule, tests = scaffold(boxes(tmp_path), "boxes/red-lid")
    assert (rule.path.name, tests.path.name) == ("red-lid.yaml", "red-lid.test.yaml")
    assert rule.text == (
        "summary: 'TODO: say in one sentence what holds'\n"
        "why: |\n"
        "  TODO: say what goes wrong where it does not.\n"
        "check: true\n"
        "message: 'TODO: say what is wrong with `{box.id}`'\n"
    ).replace("'", '"')
    assert tests.text == (
        "cases:\n"
        '  - name: "TODO: an item of which it holds"\n'
        "    given: {}\n"
        "    expect: pass\n"
        "\n"
        '  - name: "TODO: an item of which it does not hold"\n'
        "    given: {}\n"
        "    expect: {fail: 'TODO: the exact message'}\n"
        "\n"
        '  - name: "TODO: an item to which it does not apply"\n'
        "    given: {}\n"
        "    expect: skip\n"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_tests_run_and_fail(kind: str, tmp_path: Path) -> None:
    """Whatever its kind, a new rule loads, its tests fail, and lints say what is to be written."""
    pack = boxes(tmp_path)
    flow = {"over": "boxes", "slots": "colour", "passes": {"only": {}}}
    stage = {"each": "row", "gives": {"weight": "int"}}
    merge(pack / "pack.yaml", {"stages": {"rows": stage}, "flows": {"row": flow}})
    files = scaffold(pack, "rows/new-rule", kind)
    assert all(format_text(file.text, name) == file.text for file, name in zip(files, ("rule", "test"), strict=True))
    write_files(files)
    results = [each for each in run_pack_tests(pack, "new-rule").results if each.rule.endswith("/new-rule")]
    assert results
    assert any(each.outcome != "passed" for each in results)
    assert "lint/missing-why" in {found.rule for found in lint(pack)}


@pytest.mark.parametrize("kind", ["resolve", "table"])
@pytest.mark.parametrize("type_", TYPES)
def test_values_of_every_type(kind: str, type_: str, tmp_path: Path) -> None:
    """A rule that gives a variable gives it a value of its type, so that the pack can be read."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", {"stages": {"boxes": {"gives": {"extra": type_}}}})
    write_files(scaffold(pack, "boxes/new-rule", kind))
    assert "extra" in {gives(rule) for rule in read_pack(pack).rules()}


def test_what_is_read_is_begun(tmp_path: Path) -> None:
    """A variable that something reads already needs a rule, which is what is begun; so may another one."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", {"stages": {"boxes": {"gives": {"weight": "int", "mass": "int"}}}})
    merge(pack / "pack.yaml", {"questions": {"look": {"answer": "[boxes.weight, boxes.mass]"}}})
    with pytest.raises(PackErrors, match="no rule of stage `boxes` gives `weight`, and something reads it"):
        read_pack(pack)
    write_files(scaffold(pack, "boxes/weight", "resolve", "weight"))
    write_files(scaffold(pack, "boxes/mass", "table", "mass"))
    assert {"weight", "mass"} <= {gives(rule) for rule in read_pack(pack).rules()}


@pytest.mark.parametrize("kind", ["resolve", "table"])
@pytest.mark.parametrize("type_", ["Box", "list<Box, 4>", "map<Box>", "odd", "map<list<odd?>>"])
def test_what_is_begun_breaks_no_pack(kind: str, type_: str, tmp_path: Path) -> None:
    """A value of a record is one that is there, and that of a vocabulary is quoted, whatever signs it has."""
    pack = boxes(tmp_path)
    odd = {"odd": {"values": ["a \"quoted\" 'value'", "b"]}}
    merge(pack / "pack.yaml", {"vocabularies": odd, "stages": {"boxes": {"gives": {"extra": type_}}}})
    write_files(scaffold(pack, "boxes/new-rule", kind))
    assert "extra" in {gives(rule) for rule in read_pack(pack).rules()}


def test_a_rule_that_would_break_the_pack_is_not_begun(tmp_path: Path) -> None:
    """If no value can be written, nothing is, and the fault that the pack would have is reported."""
    pack = boxes(tmp_path)
    merge(pack / "pack.yaml", {"records": {"Lid": {"fields": {"id": {"type": "string"}}}}})
    merge(pack / "pack.yaml", {"stages": {"boxes": {"gives": {"cover": "Lid"}}}})
    before = sorted(pack.rglob("*"))
    with pytest.raises(PackErrors) as errors:
        scaffold(pack, "boxes/new-rule", "resolve", "cover")
    [found] = errors.value.diagnostics
    assert found.message.startswith("a rule that is just begun would break the pack: ")
    assert "`Lid`" in found.message
    assert sorted(pack.rglob("*")) == before


REFUSED = [
    ("box/red-lid", {}, "the pack has no stage `box`", "did you mean `boxes`?"),
    ("shelves/red-lid", {}, "the pack has no stage `shelves`", "declare it under `stages` in pack.yaml first"),
    ("red-lid", {}, "`red-lid` is not the name of a rule", "name it `STAGE/RULE`"),
    ("boxes/a/b", {}, "`boxes/a/b` is not the name of a rule", "name it `STAGE/RULE`"),
    ("boxes/RedLid", {}, "`RedLid` is not in kebab case", "use lower-case words with dashes between them"),
    ("boxes/a", {"kind": "chek"}, "unknown kind of rule `chek`", "did you mean `check`?"),
    ("boxes/a", {"kind": "resolve"}, "stage `boxes` has no variable that a new rule could give",
     "declare one under `gives` of stage `boxes` in pack.yaml first"),
    ("boxes/a", {"kind": "table", "variable": "grade"}, "`grade` is given by a rule already",
     "choose another variable"),
    ("boxes/a", {"kind": "transition"}, "stage `boxes` is not asked for a flow, so there are no slots to change",
     "ask the stage for each visit of a flow, in pack.yaml"),
    ("boxes/a", {"kind": "table", "variable": "mass"}, "`mass` is not under `gives` of stage `boxes`",
     "choose another variable"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "message", "help_text"), REFUSED)
def test_refused(name: str, options: dict[str, str], message: str, help_text: str, tmp_path: Path) -> None:
    """A rule that a pack cannot have is refused in words that say what would do."""
    with pytest.raises(PackErrors) as caught:
        scaffold(boxes(tmp_path), name, **options)
    [found] = caught.value.diagnostics
    assert (found.message, found.help) == (message, help_text)


def test_existing_rule(tmp_path: Path) -> None:
    """A rule that is there is never written over, nor is one of an extended pack replaced by an empty one."""
    pack = boxes(tmp_path)
    with pytest.raises(PackErrors, match="is there already"):
        scaffold(pack, "boxes/grade")
    extension = tmp_path / "more"
    extension.mkdir()
    (extension / "pack.yaml").write_text("summary: More boxes.\nextends: boxes\n", encoding="utf-8")
    with pytest.raises(PackErrors, match="a pack that this one extends has rule `boxes/grade`"):
        scaffold(extension, "boxes/grade")
    write_files(scaffold(extension, "boxes/red-lid"))
    assert (extension / "boxes/red-lid.yaml").is_file()
    again = scaffold(extension, "boxes/blue-lid")
    write_files(again)
    with pytest.raises(FileExistsError):
        write_files(again)
