"""A pack is read anew after each edit, and only what the edit can have changed is checked again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kernelpath.lsp.checking.session import PackSession
from kernelpath.lsp.texts.files import Files
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource
from lsp.conftest import DATA


@pytest.fixture
def session(tmp_path: Path) -> PackSession:
    """Return the pack of boxes, read once."""
    shutil.copytree(DATA / "boxes", tmp_path / "boxes")
    made = PackSession(tmp_path / "boxes", Files())
    made.refresh()
    assert made.findings == {}
    return made


def edited(session: PackSession, name: str, old: str, new: str) -> int:
    """Edit a file of a pack as an editor does, refresh, and return how many rules were checked for it."""
    path = session.folder / name
    text = session.files.source(path).text
    assert text.count(old) == 1, old
    session.files.open[path] = text.replace(old, new)
    before = session.memory.checked
    session.refresh()
    return session.memory.checked - before


def test_only_the_edited_rule_is_checked(session: PackSession) -> None:
    """An edit of a rule that guarantees nothing to others has just this rule checked."""
    assert session.memory.checked == 4
    assert edited(session, "checks/tin-is-blue.yaml", 'wanted == "blue"', 'wanted != "red"') == 1


def test_docs_and_programs_concern_no_rule(session: PackSession) -> None:
    """Nothing is checked for an edit of pack.yaml that no rule can see."""
    assert edited(session, "pack.yaml", "doc: what may be painted", "doc: which paint stays") == 0
    assert edited(session, "pack.yaml", "    value: labels", '    value: labels + ["end"]') == 0


def test_a_scope_concerns_its_own_rules(session: PackSession) -> None:
    """A variable that a scope gains has the rules of this scope checked, and no others."""
    assert edited(session, "pack.yaml", "uses: [most_boxes, shelf]", "uses: [most_boxes, shelf, labels]") == 3


def test_a_vocabulary_concerns_every_rule(session: PackSession) -> None:
    """A value that a vocabulary gains has all rules checked."""
    assert edited(session, "pack.yaml", "[red, green, blue]", "[red, green, blue, grey]") == 4


def test_guarantees_concern_later_rules(session: PackSession, tmp_path: Path) -> None:
    """What a `stop` check guarantees is part of what later rules of its stage are checked by."""
    later = tmp_path / "boxes" / "shape" / "has-name.yaml"
    rule = (tmp_path / "boxes" / "shape" / "box-object.yaml").read_text(encoding="utf-8")
    text = (
        rule.replace("order: 10", "order: 20").replace("is_object(raw)", "length(raw) > 0").replace("stop: true\n", "")
    )
    session.files.open[later] = text
    session.refresh()
    assert session.findings == {}
    assert edited(session, "shape/box-object.yaml", "stop: true", "stop: false") == 2
    assert sorted(path.name for path in session.findings) == ["has-name.yaml", "pack.yaml"]
    assert edited(session, "shape/box-object.yaml", "stop: false", "stop: true") == 2
    assert session.findings == {}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("checks/tin-is-blue.yaml", "check: wanted", "check: wantd"),
        ("checks/tin-is-blue.yaml", "box.material", "box?.material"),
        ("checks/tin-is-blue.yaml", 'check: wanted == "blue"', "check: ["),
        ("checks/tin-is-blue.yaml", "let:", "lets:"),
        ("checks/finish.yaml", "resolve: finish", "resolve: label"),
        ("checks/finish.yaml", "resolve: finish", "resolve: finsh"),
        ("checks/finish.yaml", "value: box.paint", "value: box.name"),
        ("checks/finish.yaml", "order: 5", "order: 50"),
        ("checks/label.yaml", "each: box", "each: raw-box"),
        ("checks/label.yaml", "{colour_here: red}", "{colour_hre: red}"),
        ("shape/box-object.yaml", "stop: true", "stop: perhaps"),
        ("pack.yaml", "type: material, value", "type: materiel, value"),
        ("pack.yaml", "after: [shape]", "after: [shap]"),
        ("pack.yaml", "  checks: {scope: box,", "  cheks: {scope: box,"),
        ("pack.yaml", "- {walk: shape}", "- {walk: shapes}"),
        ("pack.yaml", "set: {raw_boxes: elements(shelf.boxes)}", "set: {raw_boxes: shelf}"),
        ("pack.yaml", "value: labels", "value: lables"),
    ],
)
def test_findings_are_those_of_a_whole_reading(session: PackSession, name: str, old: str, new: str) -> None:
    """After an edit the findings are what reading the saved pack from scratch says, place by place, and back again."""
    edited(session, name, old, new)
    found = {(f.message, *_place(f)) for own in session.findings.values() for f in own}
    path = session.folder / name
    path.write_text(session.files.source(path).text, encoding="utf-8")
    with pytest.raises(PackErrors) as whole:
        read_pack(session.folder)
    expected = {(f.message, *_place(f)) for f in whole.value.diagnostics}
    assert found
    assert found == expected
    edited(session, name, new, old)
    assert session.findings == {}


def _place(found: object) -> tuple[str, int, int]:
    span = found.span  # type: ignore[attr-defined]
    return Path(span.file).name, span.line, span.column


def test_files_on_disk_count_where_none_is_open(session: PackSession) -> None:
    """A file that another program changes, adds or removes is read again."""
    path = session.folder / "checks" / "tin-is-blue.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("check: wanted", "check: wantd"), encoding="utf-8")
    session.refresh()
    assert list(session.findings) == [path]
    path.unlink()
    session.refresh()
    assert session.findings == {}


def test_unreadable_files_are_told(session: PackSession) -> None:
    """A file that is not UTF-8 is a finding, and no end of the session."""
    path = session.folder / "checks" / "label.yaml"
    path.write_bytes(b"summary: \xff\n")
    session.refresh()
    assert [found.message for found in session.findings[path]] == ["byte 9 is not UTF-8"]


def test_the_model_outlives_a_broken_pack(session: PackSession) -> None:
    """While pack.yaml cannot be read, the last model that could be is there for help."""
    before = session.model
    edited(session, "pack.yaml", "values: [red, green, blue]", "values: [red, green")
    assert session.model is before
    edited(session, "pack.yaml", "values: [red, green\n", "values: [red, green, blue]\n")
    assert session.findings == {}
    assert session.model is not before


@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_shipped_packs_are_read_alike(name: str) -> None:
    """A shipped pack has the same rules in a session as in a whole reading."""
    session = PackSession(resource("rules", name), Files())
    session.refresh()
    assert session.findings == {}
    assert session.model is not None
    pack = read_pack(resource("rules", name))
    mine = session.model.pack
    assert [rule.identity for rule in mine.rules()] == [rule.identity for rule in pack.rules()]
    assert mine.scopes.keys() == pack.scopes.keys()
    assert mine.programs.keys() == pack.programs.keys()
