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
    assert session.memory.checked == 6
    assert edited(session, "checks/tin-is-blue.yaml", 'wanted == "blue"', 'wanted != "red"') == 1


def test_docs_and_questions_concern_no_rule(session: PackSession) -> None:
    """Nothing is checked for an edit of pack.yaml that no rule can see."""
    assert edited(session, "pack.yaml", "doc: what may be painted", "doc: which paint stays") == 0
    assert edited(session, "pack.yaml", "answer: labels", 'answer: labels + ["end"]') == 0
    assert edited(session, "pack.yaml", "labels: {is: boxes.label,", 'labels: {is: boxes.label + ["end"],') == 0


def test_a_given_variable_concerns_its_own_rules(session: PackSession) -> None:
    """A type that a stage gives otherwise has all rules checked, since a column is a name in every rule."""
    assert edited(session, "pack.yaml", "finish: 'colour?'}", "finish: 'string?'}") == 6


def test_a_row_variable_concerns_its_own_rules(session: PackSession) -> None:
    """A variable that is bound for a table's rows has the rules of its stages checked, and no others."""
    assert edited(session, "pack.yaml", "    as: box\n", "    as: box\n    index: position\n") == 5


def test_a_value_concerns_every_rule(session: PackSession) -> None:
    """A value is a name in every rule, so a new one or one of another type has all rules checked."""
    assert edited(session, "pack.yaml", "values:\n  labels:", "values:\n  spare: {is: '1'}\n  labels:") == 6
    assert edited(session, "pack.yaml", "spare: {is: '1'}", "spare: {is: '\"1\"'}") == 6


def test_a_bound_concerns_every_rule(session: PackSession) -> None:
    """The length of a constant list bounds what rules cost, so it counts although its type does not show it."""
    old = "most_boxes: {type: int, doc: how many boxes a shelf holds, value: 40}"
    edited(session, "pack.yaml", old, f"{old}\n  sizes: {{value: [1, 2, 3]}}")
    assert edited(session, "pack.yaml", "value: [1, 2, 3]", "value: [1, 2, 3, 4]") == 6


def test_a_vocabulary_concerns_every_rule(session: PackSession) -> None:
    """A value that a vocabulary gains has all rules checked."""
    assert edited(session, "pack.yaml", "[red, green, blue]", "[red, green, blue, grey]") == 6


def test_a_level_concerns_its_rule(session: PackSession) -> None:
    """A rule whose level changes is checked, and one that is off is left out."""
    level = "\nrules:\n  boxes/checks/tin-is-blue: {level: warning, reason: any paint stays on coated tin}\n"
    assert edited(session, "pack.yaml", "\nquestions:\n", f"{level}\nquestions:\n") == 1
    assert edited(session, "pack.yaml", "level: warning", "level: 'off'") == 0
    assert session.model is not None
    assert "boxes/checks/tin-is-blue" not in {rule.identity for rule in session.model.pack.rules()}


def test_guarantees_concern_the_rules_they_guard(session: PackSession, tmp_path: Path) -> None:
    """What a check guards is part of what the rules that read it are checked by."""
    checks = tmp_path / "boxes" / "checks"
    first = "summary: A box has a finish.\nwhy: |\n  Bare boxes rot.\ncheck: finish != null\nmessage: bare\n"
    session.files.open[checks / "finished.yaml"] = first + "guards: [finish]\n"
    session.files.open[checks / "warm.yaml"] = first.replace("finish != null", 'contains(finish, "r")')
    session.refresh()
    assert session.findings == {}
    assert edited(session, "checks/finished.yaml", "guards: [finish]", "guards: [box.size]") == 4
    assert [path.name for path in session.findings] == ["warm.yaml"]
    assert edited(session, "checks/finished.yaml", "guards: [box.size]", "guards: [finish]") == 4
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
        ("checks/finish.yaml", "decisions: [D2]", "order: 50"),
        ("checks/label.yaml", "table: label", "table: lable"),
        ("checks/label.yaml", "{colour_here: red}", "{colour_hre: red}"),
        ("checks/label.yaml", "colour_here: finish", "shelf: finish"),
        ("shape/box-object.yaml", "guards: [raw]", "guards: perhaps"),
        ("drying/shade.yaml", "value: wet", "value: wett"),
        ("drying/shade.yaml", "resolve: shade", "resolve: finish"),
        ("drying/dries.yaml", "holds: box.paint", "holds: box.name"),
        ("pack.yaml", "material: {type: material", "material: {type: materiel"),
        ("pack.yaml", "after: [shape]\n    subject", "after: [shap]\n    subject"),
        ("pack.yaml", "  checks: {each: boxes,", "  cheks: {each: boxes,"),
        ("pack.yaml", "  checks: {each: boxes,", "  checks: {each: boxs,"),
        ("pack.yaml", "  checks: {each: boxes,", "  checks: {each: raw_boxes,"),
        ("pack.yaml", "of: elements(shelf.boxes)", "of: elements(shelf.boxes"),
        ("pack.yaml", "of: elements(shelf.boxes)", "of: elements(boxes)"),
        ("pack.yaml", "  painted:\n", "  most_boxes:\n"),
        ("pack.yaml", "slots: colour\n", "slots: material\n"),
        ("pack.yaml", "reads: {wet: box.name}", "reads: {wet: box.size}"),
        ("pack.yaml", "start: strokes.first.slots", "start: strokes.frst.slots"),
        ("pack.yaml", "given: [shelf]", "given: [shlf]"),
        ("pack.yaml", "answer: labels", "answer: lables"),
        ("pack.yaml", "labels: {is: boxes.label,", "labels: {is: labels,"),
        ("pack.yaml", "uses: [javascript]", "uses: [javascrpt]"),
        ("pack.yaml", "value: 40", "value: '40'"),
        ("pack.yaml", "answer: labels", 'answer: "labels\\x00"'),
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("extends: boxes", "extends: boxs"),
        ("extends: boxes", "extends: [boxes, boxs]"),
        ("extends: boxes", "extends: [boxes, strict-boxes]"),
        ("rules:", "replace: {values.labels.is: [1]}\nrules:"),
        ("rules:", "replace: {values.labls.is: '1'}\nrules:"),
        ("rules:", "values: {labels: {is: '[1]'}}\nrules:"),
        ("level: 'off'", "level: mild"),
        ("boxes/checks/tin-is-blue:", "boxes/checks/tin-is-red:"),
    ],
)
def test_findings_of_a_pack_that_extends_others(tmp_path: Path, old: str, new: str) -> None:
    """A pack that extends others has the findings of a whole reading, too, and none once the edit is undone."""
    for name in ("boxes", "strict-boxes"):
        shutil.copytree(DATA / name, tmp_path / name)
    session = PackSession(tmp_path / "strict-boxes", Files())
    session.refresh()
    assert session.findings == {}
    test_findings_are_those_of_a_whole_reading(session, "pack.yaml", old, new)


def test_a_pack_may_extend_several(tmp_path: Path) -> None:
    """Of several packs that are extended, all rules and declarations count, each pack's once."""
    for name in ("boxes", "strict-boxes"):
        shutil.copytree(DATA / name, tmp_path / name)
    both = tmp_path / "both"
    both.mkdir()
    (both / "pack.yaml").write_text("summary: Both.\nextends: [boxes, strict-boxes]\n", encoding="utf-8")
    session = PackSession(both, Files())
    session.refresh()
    assert session.findings == {}
    assert [folder.name for folder in session.folders()] == ["boxes", "strict-boxes", "both"]
    assert session.model is not None
    assert [rule.identity for rule in session.model.pack.rules()] == [rule.identity for rule in read_pack(both).rules()]


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
    assert mine.plans == pack.plans
