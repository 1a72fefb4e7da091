"""What is wrong is shown as one types, in the file where it is wrong, and is gone when it is put right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lsp.client import Client
from lsp.conftest import DATA


def messages(found: list[dict[str, object]]) -> list[str]:
    """Return what diagnostics say, without their help."""
    return [str(one["message"]).partition("\n")[0] for one in found]


@pytest.mark.parametrize(
    ("old", "new", "text", "message"),
    [
        ("wanted ==", "wantd ==", "wantd", "unknown name `wantd`\nhelp: did you mean `wanted`?"),
        ("box.material", "box.materal", "materal", "`Box` has no field `materal`\nhelp: did you mean `material`?"),
        ('== "tin"', '== "tinn"', '"tinn"', "`tinn` is not a value of `material`\nhelp: did you mean `tin`?"),
        ("severity: error", "severty: error", "severty", "unknown key `severty`\nhelp: did you mean `severity`?"),
        ("{wanted}", "{wantd}", "wantd", "unknown name `wantd`\nhelp: did you mean `wanted`?"),
    ],
)
def test_mistake_is_underlined(editor: Client, rule: Path, old: str, new: str, text: str, message: str) -> None:
    """A mistake is underlined where it stands, with what was meant, and goes away with its cause."""
    [found] = editor.replace(rule, old, new)
    assert (editor.stretch(found, rule), found["message"]) == (text, message)
    assert editor.replace(rule, new, old) == []
    assert editor.settled() == {}


def test_code_and_source_are_told(editor: Client, rule: Path) -> None:
    """A diagnostic names its code, its severity and who found it."""
    [found] = editor.replace(rule, "wanted ==", "wantd ==")
    assert (found["code"], found["severity"], found["source"]) == ("pack/expression", 1, "kernelpath")


def test_pack_changes_reach_rules(editor: Client, rule: Path, pack: Path) -> None:
    """A field that pack.yaml loses is missed in every rule that reads it, open or not."""
    declaration = pack / "pack.yaml"
    assert editor.open(declaration) == []
    editor.replace(declaration, "      material: {type: material,", "      made_of: {type: material,")
    assert sorted(Path(uri).name for uri in editor.settled()) == ["finish.yaml", "tin-is-blue.yaml"]
    editor.replace(declaration, "      made_of: {type: material,", "      material: {type: material,")
    assert editor.settled() == {}


def test_broken_declarations_blame_themselves(editor: Client, rule: Path, pack: Path) -> None:
    """While a declaration is half written, only its own file has a finding: rules are not blamed for it."""
    declaration = pack / "pack.yaml"
    editor.open(declaration)
    for old, new in (("lower(trim(text(value)))", "lower(trim(text("), ("values: [red,", "values: [red, [")):
        editor.replace(declaration, old, new)
        assert [Path(uri).name for uri in editor.settled()] == ["pack.yaml"]
        editor.replace(declaration, new, old)
    assert editor.settled() == {}


def test_extended_pack_is_read_from_the_editor(editor: Client, pack: Path) -> None:
    """A pack that extends another sees the other's unsaved text."""
    strict = editor.folder / "strict-boxes" / "checks" / "has-size.yaml"
    declaration = pack / "pack.yaml"
    assert editor.open(strict) == []
    editor.open(declaration)
    editor.replace(declaration, "      size: {is: raw.size", "      edge: {is: raw.size")
    assert [Path(uri).name for uri in editor.settled()] == ["has-size.yaml"]
    editor.replace(declaration, "      edge: {is: raw.size", "      size: {is: raw.size")
    assert editor.settled() == {}


def test_new_file_counts_before_it_is_saved(editor: Client, pack: Path) -> None:
    """A rule that only the editor has is checked, and forgotten when it is closed unsaved."""
    text = (pack / "checks" / "label.yaml").read_text(encoding="utf-8")
    found = editor.open(pack / "checks" / "label-again.yaml", text)
    assert messages(found) == ["`label` is already given by rule `boxes/checks/label`"]
    editor.close_all()


def test_failing_cases_are_shown(editor: Client, rule: Path) -> None:
    """An edit that a test beside the rule refuses is told at the case, as one types."""
    editor.replace(rule, 'check: wanted == "blue"', 'check: wanted == "red"')
    [(uri, found)] = editor.settled().items()
    assert Path(uri).name == "tin-is-blue.test.yaml"
    assert messages(found)[-1].startswith("expected fail")
    editor.replace(rule, 'check: wanted == "red"', 'check: wanted == "blue"')
    assert editor.settled() == {}


def test_mistakes_in_test_files(editor: Client, pack: Path) -> None:
    """A test file is held to its schema and to the rule that it is beside."""
    tests = pack / "checks" / "tin-is-blue.test.yaml"
    assert editor.open(tests) == []
    [found] = editor.replace(tests, "{box: {material: wood}}", "{bx: {material: wood}}")
    assert editor.stretch(found, tests) == "bx"
    editor.replace(tests, "bx:", "box:")
    assert messages(editor.replace(tests, "expect: skip", "expct: skip")) == ["unknown key `expct`"]


def test_manifest_faults_are_at_their_lines(editor: Client, manifest: Path) -> None:
    """A manifest is judged by the rules, each finding at its member, with the rule as related place."""
    found = editor.replace(manifest, '"stopCheckMode": "batch"', '"stopCheckMode": "sometimes"')
    assert [editor.stretch(one, manifest) for one in found] == ['"sometimes"']
    [related] = found[0]["relatedInformation"]
    assert Path(related["location"]["uri"]).stem == found[0]["code"].rpartition("/")[2]
    assert editor.replace(manifest, '"sometimes"', '"batch"') == []


@pytest.mark.parametrize(("old", "new"), [('"steps": [', '"step": ['), ('"execution": {', '"executon": {')])
def test_a_manifest_that_nothing_looks_at(editor: Client, manifest: Path, old: str, new: str) -> None:
    """A misspelt graph is underlined, since without it the rules find nothing."""
    found = editor.replace(manifest, old, new)
    assert [editor.stretch(one, manifest) for one in found] == [new.split(":")[0]]
    assert str(found[0]["message"]).startswith("nothing was judged: ")
    assert editor.replace(manifest, new, old) == []


def test_broken_json_is_told(editor: Client, manifest: Path) -> None:
    """A comma too many is told at its place."""
    found = editor.replace(manifest, '"modelId": "demo-4l",', '"modelId": "demo-4l",,')
    assert messages(found) == ["a comma where a value belongs"]
    assert editor.stretch(found[0], manifest) == ","


def test_other_json_is_left_alone(editor: Client) -> None:
    """A JSON file that is no manifest has no diagnostics, whatever is in it."""
    assert editor.open(editor.folder / "other.json", '{"name": "x", "steps": [,]}') == []


def test_columns_are_in_the_clients_code_units(editor: Client, rule: Path) -> None:
    """Behind a character outside the basic plane, columns count UTF-16 code units."""
    [found] = editor.replace(rule, "is {wanted}", "\U0001f4e6 {wantd}")
    line = editor.texts[rule].split("\n")[found["range"]["start"]["line"]]
    assert found["range"]["start"]["character"] == line.index("wantd") + 1


def test_columns_are_in_bytes_where_the_client_counts_bytes(tmp_path: Path) -> None:
    """A client that counts UTF-8 code units gets and gives columns in them."""
    shutil.copytree(DATA, tmp_path / "work")
    client = Client(tmp_path / "work", {"lintDelay": -1}, encoding="utf-8")
    rule = client.folder / "boxes" / "checks" / "tin-is-blue.yaml"
    client.open(rule)
    assert client.capabilities["positionEncoding"] == "utf-8"
    [found] = client.replace(rule, "is {wanted}", "\U0001f4e6 {wantd}")
    start = found["range"]["start"]
    line = client.texts[rule].split("\n")[start["line"]]
    assert start["character"] == line.index("wantd") + 3
    assert client.close() == 0


def test_the_pack_of_manifests_is_a_setting(tmp_path: Path) -> None:
    """A client may name another pack for manifests, also by its folder; one that cannot be used is told."""
    shutil.copytree(DATA, tmp_path / "work")
    client = Client(tmp_path / "work", {"lintDelay": -1, "pack": "nowhere"})
    [found] = client.open(client.folder / "manifest.json")
    assert found["message"].startswith("the pack or catalogue that decides manifests cannot be used: there is no pack")
    assert client.close() == 0
