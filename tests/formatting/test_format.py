"""Formatting makes one text of all that mean the same, keeps comments, and never changes what a file means."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from formatting.written import Writer
from kernelpath.analysis.formatting import difference, format_pack, format_text, kind_of
from kernelpath.analysis.formatting.expressions import canonical, role
from kernelpath.diagnostics import Source
from kernelpath.packs.documents import DocumentErrors, read_yaml, to_plain
from kernelpath.resources import resource

SHIPPED = sorted(resource("rules").glob("*/pack.yaml")) + sorted(resource("rules").glob("*/*/*.yaml"))
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.before.yaml"))


def meaning(text: str, kind: str) -> Any:
    """Return a file's plain value, its expressions in canonical text; order of keys included where it has a meaning."""

    def at(value: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, dict):
            return {key: at(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [at(item, (*path, index)) for index, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        kind_of_text = role(kind, path)
        whole = canonical(value, kind_of_text)
        return " ".join(whole.split()) if kind_of_text == "expression" else whole

    return at(to_plain(read_yaml(Source("file.yaml", text))), ())


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_golden(path: Path) -> None:
    """A file is formatted to exactly the text beside it."""
    wanted = path.with_name(path.name.replace(".before", ".after")).read_text(encoding="utf-8")
    kind = path.name.split(".")[0]
    assert format_text(path.read_text(encoding="utf-8"), kind) == wanted
    assert format_text(wanted, kind) == wanted


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: "/".join(path.parts[-3:]))
def test_shipped_files(path: Path) -> None:
    """A shipped file means the same once it is formatted, and formatting it again changes nothing."""
    text = path.read_text(encoding="utf-8")
    formatted = format_text(text, kind_of(path))
    assert meaning(formatted, kind_of(path)) == meaning(text, kind_of(path))
    assert format_text(formatted, kind_of(path)) == formatted
    assert sorted(re.findall("^ *(#.*)", text, re.M)) == sorted(re.findall("^ *(#.*)", formatted, re.M))


@given(st.sampled_from([path for path in SHIPPED if kind_of(path) == "rule"]), st.integers(0, 2**32))
def test_mangled_rules(path: Path, seed: int) -> None:
    """However a rule is written, formatting keeps its meaning and its comments, and done twice it is as done once."""
    value = to_plain(read_yaml(Source("file.yaml", path.read_text(encoding="utf-8"))))
    assert isinstance(value, dict)
    writer = Writer(Random(seed).randrange)
    text = writer.document(value)
    hold(text, value, writer.comments)


SCALARS = st.one_of(
    st.text(alphabet="ab é'\"\\#:-?{}[],&*!|>%@`\n\t~=", max_size=12),
    st.sampled_from(["null", "true", "0x1F", "012", "1:30", "yes", "2024-01-01", "1_000"]),
    st.sampled_from([".5", "---", "...", "a: b", "a #b"]),
    st.text(alphabet="a b", min_size=100, max_size=300),
    st.integers(),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
)
KEYS = st.text(alphabet="abc é'\":-{", min_size=1, max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=5), st.integers(0, 2**32))
def test_mangled_values(value: dict[str, Any], seed: int) -> None:
    """Whatever a file holds, formatting keeps it, with its comments, and done twice it is as done once."""
    writer = Writer(Random(seed).randrange)
    hold(writer.document(value), value, writer.comments, kind="test")


def hold(text: str, value: dict[str, Any], comments: list[str], kind: str = "rule") -> None:
    """Hold a formatted text to the value that was written, to its comments and to itself; both YAML parsers agree."""
    formatted = format_text(text, kind)
    assert meaning(formatted, kind) == meaning(text, kind)
    assert to_plain(read_yaml(Source("file.yaml", text))) == value
    assert format_text(formatted, kind) == formatted
    assert sorted(re.findall(r"# \d+: 'a' \[b\] {c} - d", formatted)) == sorted(comments)
    events = [[(type(e), getattr(e, "value", None)) for e in yaml.parse(formatted, loader)] for loader in LOADERS]
    assert events[0] == events[-1]


LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)]


@pytest.mark.parametrize("escape", ["x1b", "x85", "u200b", "u2028", "u202e", "u2066", "ufeff", "U000e0041"])
@pytest.mark.parametrize("key", ["summary", "message", "check"])
def test_what_is_not_seen_stays_an_escape(key: str, escape: str) -> None:
    """A character that people do not see, or that a file may not have, is written as an escape, in any text."""
    text = f'{key}: "b == \'a \\{escape} b\'"\n'
    formatted = format_text(text)
    assert re.search(rf"\\[xuU]0*{escape[1:].lstrip('0')} b", formatted)
    assert formatted.isascii()
    assert meaning(formatted, "rule") == meaning(text, "rule")
    assert format_text(formatted) == formatted


def test_line_breaks() -> None:
    """A file with the line breaks of another system keeps them."""
    assert format_text("summary:  a\r\nwhy: |\r\n  b\r\n") == "summary: a\r\nwhy: |\r\n  b\r\n"


def test_unparsable_expression() -> None:
    """An expression that cannot be parsed stays as it is, so that its message points at what was written."""
    assert format_text('check:   a ==\nmessage:  "{a"\n') == "check: a ==\nmessage: '{a'\n".replace("'{a'", '"{a"')


def test_unreadable_file() -> None:
    """A file that is not YAML is refused with the places of its faults."""
    with pytest.raises(DocumentErrors) as caught:
        format_text("a: [1\n", name="rules/box.yaml")
    assert str(caught.value.diagnostics[0].span) == "rules/box.yaml:1:4"


def test_pack_folder(tmp_path: Path) -> None:
    """Every file of a pack's own folder is formatted by its kind, and the difference is shown."""
    (tmp_path / "boxes").mkdir()
    (tmp_path / "pack.yaml").write_text("summary: 'boxes'\n", encoding="utf-8")
    (tmp_path / "boxes/size.yaml").write_text("summary: a box has a size\ncheck: (size>0)\n", encoding="utf-8")
    (tmp_path / "boxes/size.test.yaml").write_text("cases: []\n", encoding="utf-8")
    files = format_pack(tmp_path)
    assert [(file.path.name, file.changed) for file in files] == [
        ("pack.yaml", True),
        ("size.test.yaml", False),
        ("size.yaml", True),
    ]
    shown = files[2].shown
    assert difference(files[2]) == (
        f"--- {shown}\n+++ {shown} (formatted)\n@@ -1,2 +1,2 @@\n"
        " summary: a box has a size\n-check: (size>0)\n+check: size > 0\n"
    )
    assert difference(files[1]) == ""
