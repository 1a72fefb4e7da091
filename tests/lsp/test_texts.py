"""Half-written texts: where the cursor stands, and what is left of the file around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.diagnostics import Source
from kernelpath.lsp.texts.changes import changed
from kernelpath.lsp.texts.cursor import Cursor, cursor_at
from kernelpath.lsp.texts.json_tree import json_cursor, json_tree
from kernelpath.lsp.texts.places import Places
from kernelpath.lsp.texts.recovery import recovered
from kernelpath.packs.documents import node_at, to_plain
from lsp.conftest import DATA

RULE = (DATA / "boxes" / "checks" / "tin-is-blue.yaml").read_text(encoding="utf-8")
PACK = (DATA / "boxes" / "pack.yaml").read_text(encoding="utf-8")
MANIFEST = (DATA / "manifest.json").read_text(encoding="utf-8")


def cursor(text: str) -> Cursor:
    """Return the cursor at the `^` of a text."""
    return cursor_at(text.replace("^", "", 1), text.index("^"))


@pytest.mark.parametrize(
    ("text", "path", "is_key", "written"),
    [
        ("che^\n", (), True, "che"),
        ("check: a^\n", ("check",), False, "a"),
        ("check: ^\n", ("check",), False, ""),
        ("let:\n  a: b\n  c: x.^\n", ("let", "c"), False, "x."),
        ("let:\n  a: b\n  ^\n", ("let",), True, ""),
        ("let:\n  a: b\n^\n", (), True, ""),
        ("first:\n  - {when: a, value: b.^\n", ("first", 0, "value"), False, "b."),
        ("first:\n  - {when: a, val^}\n", ("first", 0), True, "val"),
        ("first:\n  - {when: 'a, b', value: '\"re^\n", ("first", 0, "value"), False, '"re'),
        ("first:\n  - when: a\n    value: ^\n", ("first", 0, "value"), False, ""),
        ("first:\n  - when: a\n  - wh^\n", ("first", 1), True, "wh"),
        ("first:\n- when: a\n- value: b^\n", ("first", 1, "value"), False, "b"),
        ('message: "a {st^\n', ("message",), False, "a {st"),
        ("why: |\n  foo\n  ba^\n", ("why",), False, "  foo\n  ba"),
        ("uses: [a, b^\n", ("uses", 1), False, "b"),
        ("uses:\n  - a\n  - b^\n", ("uses", 1), True, "b"),
        ("fix: {cast: {from: held, to: in^\n", ("fix", "cast", "to"), False, "in"),
        ("rows:\n  - {path: src,\n     value: st^\n", ("rows", 0, "value"), False, "st"),
        ('run:\n  - set:\n      v: "a\\"b^\n', ("run", 0, "set", "v"), False, 'a"b'),
        ("run:\n  - walk: x\n    needs: [y, ^\n", ("run", 0, "needs", 1), False, ""),
        ("when: a\n  and b^\n", ("when",), False, "a\n  and b"),
        ("# each: a\neach: 'it''s^\n", ("each",), False, "it's"),
        ("a: 'x\nb: y^\n", ("b",), False, "y"),
        ("a: [x, y\nb:\n  c: z^\n", ("b", "c"), False, "z"),
    ],
)
def test_cursor_in_yaml(text: str, path: tuple[object, ...], is_key: bool, written: str) -> None:
    """The cursor's path, and what is written up to it, are found in whole and in half-written YAML."""
    found = cursor(text)
    assert (found.path, found.is_key, found.text) == (path, is_key, written)


@pytest.mark.parametrize(
    ("text", "path", "is_key", "written"),
    [
        ('{"a": {"b": "^', ("a", "b"), False, ""),
        ('{"a": {"b": "x^", "c": 1}}', ("a", "b"), False, "x"),
        ('{"a": {"^', ("a",), True, ""),
        ('{"a": [{"id": "x"}, {"id^', ("a", 1), True, "id"),
        ('{"a": [1, "^', ("a", 1), False, ""),
        ('{"a": tr^', ("a",), False, "tr"),
        ('{"a": 1, ^', (), True, ""),
        ('{"a": "x\n  "b": {"c": ^', ("b", "c"), False, ""),
    ],
)
def test_cursor_in_json(text: str, path: tuple[object, ...], is_key: bool, written: str) -> None:
    """The same for JSON."""
    found = json_cursor(text.replace("^", ""), text.index("^"))
    assert (found.path, found.is_key, found.text) == (path, is_key, written)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ('check: wanted == "blue"', 'check: "wanted', "check"),
        ('check: wanted == "blue"', "che", "check"),
        ('check: wanted == "blue"', "check: [wanted, (", "check"),
        ('check: wanted == "blue"', "check: wanted: blue", "check"),
        ("decisions: [D1, D2]", "decisions: [D1, D2", "decisions"),
        ("severity: error", "severity", "severity"),
        ("severity: error", "\tseverity: error", "severity"),
        ("severity: error", "severity: &anchor error", "severity"),
        ("severity: error", "severity: error\nseverity: note", None),
        ("let:\n", "let\n", "let"),
        ("severity: error", "severity: error\n}", None),
    ],
)
def test_the_rest_of_a_rule_is_kept(old: str, new: str, lost: str | None) -> None:
    """Where one line cannot be read, all other keys keep their values and their places."""
    assert RULE.count(old) == 1
    text = RULE.replace(old, new)
    whole, left = recovered(Source("", RULE)), recovered(Source("", text))
    assert whole is not None
    assert left is not None
    expected = {key: value for key, value in to_plain(whole).items() if key != lost}  # type: ignore[attr-defined]
    found = {key: value for key, value in to_plain(left).items() if key != lost}  # type: ignore[attr-defined]
    assert found == expected
    help_node = node_at(left, ("help",))
    assert text[help_node.start : help_node.end] == "paint `{box.name}` blue"


@pytest.mark.parametrize(
    ("old", "new", "section"),
    [
        ("values: [red, green, blue]", "values: [red, green", "vocabularies"),
        ("    reads: {wet: box.name}", "    reads: {wet: box.name", "flows"),
        ("subject: '{index}'", "subject: '{index}", "items"),
        ("questions:\n", "questions\n", "questions"),
    ],
)
def test_the_rest_of_a_pack_is_kept(old: str, new: str, section: str) -> None:
    """A fault in one section of pack.yaml leaves the other sections whole."""
    assert PACK.count(old) == 1
    whole, left = to_plain(recovered(Source("", PACK))), to_plain(recovered(Source("", PACK.replace(old, new))))  # type: ignore[arg-type]
    assert isinstance(whole, dict)
    assert isinstance(left, dict)
    assert {k: v for k, v in left.items() if k != section} == {k: v for k, v in whole.items() if k != section}


@given(text=st.text(alphabet=st.sampled_from("ab:- \n\t{}[],'\"#|>&*?%\\\u2028x"), max_size=60), at=st.integers(0, 60))
def test_any_yaml_has_a_cursor(text: str, at: int) -> None:
    """No text, however broken, keeps the cursor or the tree from being found."""
    found = cursor_at(text, at)
    assert 0 <= found.start <= len(text)
    recovered(Source("", text))


@given(cut=st.integers(0, len(RULE)), length=st.integers(0, 40), put=st.text(alphabet="ab:{['\"\n- ", max_size=6))
def test_any_damaged_rule_has_a_cursor(cut: int, length: int, put: str) -> None:
    """The same for a rule with a stretch replaced, at the place of the damage."""
    text = RULE[:cut] + put + RULE[cut + length :]
    assert 0 <= cursor_at(text, cut + len(put)).start <= len(text)
    recovered(Source("", text))


@given(cut=st.integers(0, len(MANIFEST)), length=st.integers(0, 80), put=st.text(alphabet='a1:{}[]",\n\\ ', max_size=6))
def test_any_damaged_json_has_a_tree(cut: int, length: int, put: str) -> None:
    """A damaged JSON text has a tree whose nodes lie inside it, and a cursor."""
    text = MANIFEST[:cut] + put + MANIFEST[cut + length :]
    root = json_tree(Source("", text))
    assert root is None or 0 <= root.start <= root.end <= len(text)
    assert 0 <= json_cursor(text, cut + len(put)).start <= len(text)


def test_whole_json_has_its_own_tree() -> None:
    """For JSON that is whole, the forgiving tree has the very values of the strict reading."""
    import json

    root = json_tree(Source("", MANIFEST))
    assert root is not None
    assert to_plain(root) == json.loads(MANIFEST)


@given(
    text=st.text(alphabet="ab\n\r\u00e9\u20ac\U0001f4e6\u2028\x0c"),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_places_and_offsets_are_inverse(text: str, encoding: str) -> None:
    """Every offset's place leads back to the offset, in each of the code units; inside a line break, to its start."""
    places = Places(Source("", text), encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":
            assert places.offset(*places.place(offset)) == offset


def test_a_place_outside_gives_the_nearest_inside() -> None:
    """Lines and characters beyond the text give its nearest place."""
    places = Places(Source("", "ab\nc"))
    assert [places.offset(*place) for place in ((0, 9), (1, 9), (7, 0))] == [2, 4, 4]


def test_changes_count_code_units() -> None:
    """A change's characters are counted as both sides agreed, and its lines by the protocol's line breaks alone."""
    text = "\U0001f4e6 a\x0cb\nc"
    assert changed(text, ((0, 3), (0, 4)), "x", "utf-16") == "\U0001f4e6 x\x0cb\nc"
    assert changed(text, ((0, 5), (1, 0)), "", "utf-8") == "\U0001f4e6 c"
    assert changed(text, None, "y") == "y"
