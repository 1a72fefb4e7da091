"""Rule authors' YAML is read to one meaning, and each mistake is told once, at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.packs.documents import (
    MAX_BYTES,
    MAX_NODES,
    DocumentErrors,
    Mapping,
    Scalar,
    Sequence,
    node_at,
    read_yaml,
    to_plain,
)
from kernelpath.packs.scalars import write_yaml


def plain(text: str) -> object:
    """Return the value of a document."""
    return to_plain(read_yaml(Source("file.yaml", text)))


def mistakes(text: str) -> list[tuple[str, int, int]]:
    """Return the rule, line and column of everything wrong with a document."""
    with pytest.raises(DocumentErrors) as caught:
        read_yaml(Source("file.yaml", text))
    return [(d.rule, d.span.line, d.span.column) for d in caught.value.diagnostics if d.span]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("tRue", "tRue"),
        ("12", 12),
        ("-7", -7),
        ("+3", 3),
        ("0", 0),
        ("012", "012"),
        ("0o17", "0o17"),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("01.5", "01.5"),
        (".inf", float("inf")),
        ("-.inf", float("-inf")),
        ("2020-01-01", "2020-01-01"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
        ("'12'", "12"),
        ('"true"', "true"),
        ("'it''s'", "it's"),
        ('"a\\tb"', "a\tb"),
        ("[1, a, [b]]", [1, "a", ["b"]]),
        ("{a: 1, 'b': {c: }}", {"a": 1, "b": {"c": None}}),
        ("|\n  one\n  two\n", "one\ntwo\n"),
        (">-\n  one\n  two\n", "one two"),
    ],
)
def test_values(written: str, value: object) -> None:
    """A value is JSON's: words and numbers by YAML 1.2, and nothing else is anything but a string."""
    made = plain(f"key: {written}")
    assert made == {"key": value}
    assert isinstance(made, dict)
    assert type(made["key"]) is type(value)


def test_not_a_number_is_read() -> None:
    """`.nan` is the one value that does not equal itself."""
    made = plain("key: .nan")
    assert isinstance(made, dict)
    assert made["key"] != made["key"]


TEXT = "# boxes\nname: lid\nsizes:\n  - 1\n  - {a: [x]}\nmore:\n  deep: |\n    text\n\nlast: 'end'\n"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), (2, 1, 10, 12)),
        (("name",), (2, 7, 2, 10)),
        (("sizes",), (4, 3, 5, 13)),
        (("sizes", 0), (4, 5, 4, 6)),
        (("sizes", 1), (5, 5, 5, 13)),
        (("sizes", 1, "a"), (5, 9, 5, 12)),
        (("more",), (7, 3, 8, 9)),
        (("more", "deep"), (7, 9, 8, 9)),
        (("last",), (10, 7, 10, 12)),
    ],
)
def test_spans(path: tuple[str | int, ...], expected: tuple[int, int, int, int]) -> None:
    """Every node spans what was written of it, and no more."""
    span = node_at(read_yaml(Source("file.yaml", TEXT)), path).span
    assert (span.line, span.column, span.end_line, span.end_column) == expected


def test_keys_have_spans() -> None:
    """A key is found with its place; an absent one has that of the mapping."""
    root = read_yaml(Source("file.yaml", TEXT))
    assert isinstance(root, Mapping)
    assert root.keys() == ["name", "sizes", "more", "last"]
    assert str(root.key_span("sizes")) == "file.yaml:3:1"
    assert str(root.key_span("absent")) == "file.yaml:2:1"
    assert root.get("absent") is None
    assert "name" in root
    assert isinstance(root["sizes"], Sequence)
    assert isinstance(root["name"], Scalar)


@pytest.mark.parametrize("path", [("absent",), ("sizes", 2), ("sizes", "a"), ("name", 0), (0,)])
def test_node_at_a_path_that_leads_nowhere(path: tuple[str | int, ...]) -> None:
    """A path that leads nowhere is a LookupError."""
    with pytest.raises(LookupError):
        node_at(read_yaml(Source("file.yaml", TEXT)), path)


@pytest.mark.parametrize(
    ("text", "rule", "line", "column"),
    [
        ("", "empty", 1, 1),
        ("# nothing\n", "empty", 1, 1),
        ("a:\n\tb: 1\n", "tab", 2, 1),
        ("a:\n  b: 1\n\tc: 2\n", "tab", 3, 1),
        ("a: 1\n  b: 2\n", "key-in-value", 2, 4),
        ("a:1\nb: 2\n", "key-in-value", 2, 2),
        ("a: b: c\n", "second-colon", 1, 5),
        ("a:\n    b: 1\n  c: 2\n", "indentation", 3, 3),
        ("a:\n  - x\n - y\n", "indentation", 3, 2),
        ("a: |\n    one\n  two\n", "indentation", 3, 3),
        ('a: "x\nb: 1\n', "unclosed-quote", 1, 4),
        ("a: 'x\nb: 1\n", "unclosed-quote", 1, 4),
        ('a: "x\n--- y"\n', "unclosed-quote", 1, 4),
        ("a: [1, 2", "unclosed-bracket", 1, 4),
        ("a: {b: 1", "unclosed-bracket", 1, 4),
        ("a: [1, 2\nb: 3\n", "unclosed-bracket", 2, 2),
        ("a: {b: 1\nc: 2\n", "unclosed-bracket", 2, 2),
        ("a: [1, 2}\n", "unclosed-bracket", 1, 9),
        ("a: ]\n", "stray-bracket", 1, 4),
        ("a: {b: 1}}\n", "stray-bracket", 1, 10),
        ("a: 1\nb\nc: 2\n", "missing-colon", 2, 1),
        ('a: "\\q"\n', "escape", 1, 6),
        ('a: "\\xZZ"\n', "escape", 1, 7),
        ("a: @x\n", "reserved-character", 1, 4),
        ("a: `x`\n", "reserved-character", 1, 4),
        ("a: %x\n", "reserved-character", 1, 4),
        ("a: ,b\n", "reserved-character", 1, 4),
        ("a: - b\n", "dash", 1, 4),
        ("a: ? b\n", "question-mark", 1, 4),
        ('a: "x" y\n', "after-quote", 1, 8),
        ("a: 1\n- b\n", "item-in-mapping", 2, 1),
        ("- b\na: 1\n", "key-in-list", 2, 1),
        ("a: > 3\n", "block-header", 1, 6),
        ("a: |x\n", "block-header", 1, 5),
        ("a: |0\n  x\n", "block-header", 1, 5),
        ("a: &x 1\n", "anchor", 1, 4),
        ("a: &\n", "anchor", 1, 4),
        ("a: *x\n", "alias", 1, 4),
        ("a: *\n", "alias", 1, 4),
        ("a: !x 1\n", "tag", 1, 4),
        ("a: !<x\n", "tag", 1, 4),
        ("<<: {a: 1}\n", "merge-key", 1, 1),
        ("%YAML 1.1\n---\na: 1\n", "directive", 1, 1),
        ("a: 1\n%b: 2\n", "directive", 2, 1),
        ("a: 1\n---\nb: 2\n", "second-document", 2, 1),
        ("a: 1\n...\nb: 2\n", "after-end", 3, 1),
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", 3, 1),
        ("{a: 1, 'a': 2}\n", "duplicate-key", 1, 8),
        ("? [a]\n: b\n", "collection-key", 1, 3),
        ("a: {{x}}\n", "collection-key", 1, 5),
        ("1: a\n", "key-type", 1, 1),
        ("true: a\n", "key-type", 1, 1),
        (": a\n", "missing-key", 1, 1),
        ("a: \x07\n", "character", 1, 4),
        ("a: x\u2028y\n", "character", 1, 5),
        ("a: \ud800\n", "character", 1, 4),
        ('a: "\\ud83d"\n', "surrogate", 1, 4),
        (f"a: {'1' * 4301}\n", "long-integer", 1, 4),
        ("[" * 101 + "]" * 101, "too-deep", 1, 101),
        ("[" * 100_000, "too-deep", 1, 101),
        ("{a: " * 100_000, "too-deep", 1, 401),
        ("- " * 20_000 + "a", "too-deep", 1, 201),
        ("[" + "1," * MAX_NODES + "]", "too-many", 1, 2 * MAX_NODES),
        ("#" * (MAX_BYTES + 1), "too-large", 1, 1),
        ("é" * (MAX_BYTES // 2 + 1), "too-large", 1, 1),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_one_mistake_gives_one_message(text: str, rule: str, line: int, column: int) -> None:
    """Each mistake is told once, where it was made."""
    assert mistakes(text) == [(f"yaml/{rule}", line, column)]


SIBLINGS = {
    "keys": lambda number: "".join(f"x{place}: [{place}, on]\n" for place in range(number)),
    "items": lambda number: "x:\n" + "".join(f"- {{x: {place}, y: z}}\n" for place in range(number)),
    "one list": lambda number: f"x: [{', '.join(['[a, b, c, d]'] * number)}]\n",
    "quoted": lambda number: f"x: '{'a b c d e f ' * number}'\n",
    "block": lambda number: "x: |\n" + "  a b c d e f\n" * number + "    c\n",
    "folded": lambda number: "x:\n" + "    a b c d e f\n" * number,
}
AFTER = [
    "a:\n\tb: 1\n", "a: b: c\n", "a: 1\n  b: 2\n", "a:1\nb: 2\n", "a:\n    b: 1\n  c: 2\n", "a:\n  - x\n - y\n",
    "a: |\n    one\n  two\n", 'a: "x\nb: 1\n', "a: 'x\nb: 1\n", 'a: "x\n--- y"\n', "a: [1, 2", "a: {b: 1",
    "a: [1, 2\nb: 3\n", "a: {b: 1\nc: 2\n", "a: [1, 2}\n", "a: ]\n", "a: {b: 1}}\n", "a: 1\nb\nc: 2\n", 'a: "\\q"\n',
    'a: "\\xZZ"\n', "a: @x\n", "a: ,b\n", "a: - b\n", "a: ? b\n", 'a: "x" y\n', "a: > 3\n", "a: |x\n", "a: &\n",
    "a: *\n", "a: !<x\n", "a: 1\n%b: 2\n", 'a: "\\ud83d"\n',
]  # fmt: skip


@pytest.mark.parametrize("shape", SIBLINGS)
@pytest.mark.sampled(4)
def test_a_mistake_after_much_that_is_right(shape: str) -> None:
    """What is wrong is told in the same words and at the same column after two siblings and after two thousand."""
    few, many = SIBLINGS[shape](2), SIBLINGS[shape](2_000)
    further = many.count("\n") - few.count("\n")
    for text in AFTER:
        expected = [(rule, line + further, column) for rule, line, column in mistakes(few + text)]
        assert mistakes(many + text) == expected, text


@pytest.mark.parametrize(
    ("text", "rule", "line", "column"),
    [
        ("a: [" + "1, " * 200_000 + "\n", "unclosed-bracket", 1, 4),
        ("a: {" + ", ".join(f"k{n}: 1" for n in range(50_000)) + "\nb: 1", "unclosed-bracket", 2, 2),
        ('a: "' + "word " * 900_000, "unclosed-quote", 1, 4),
        ("a: " + "word " * 900_000 + ": x\n", "second-colon", 1, 4_500_004),
        ("- - - [" + "1," * 100_000 + "]\n- a: b: c\n", "second-colon", 2, 7),
        ("a: &" + "w" * 4_900_000, "anchor", 1, 4),
    ],
    ids=["list", "mapping", "quote", "plain", "nested", "anchor"],
)
def test_a_mistake_in_megabytes(text: str, rule: str, line: int, column: int) -> None:
    """A mistake is told in time that grows with the file: the slow parser, which words it, would take minutes."""
    assert mistakes(text) == [(f"yaml/{rule}", line, column)]


def test_independent_mistakes_are_all_told_in_order() -> None:
    """What does not stop the reading is collected, from the top of the file to its end."""
    assert mistakes("b: *x\na: 1\nc: &y 2\na: 2\n1: z\n") == [
        ("yaml/alias", 1, 4),
        ("yaml/anchor", 3, 4),
        ("yaml/duplicate-key", 4, 1),
        ("yaml/key-type", 5, 1),
    ]


def test_a_duplicate_key_names_the_first() -> None:
    """The message says on which line the key was set first, and points there."""
    with pytest.raises(DocumentErrors) as caught:
        read_yaml(Source("file.yaml", "one: 1\ntwo: 2\none: 3\n"))
    (found,) = caught.value.diagnostics
    assert found.message == "the key `one` is already set on line 1"
    assert [(str(label.span), label.text) for label in found.secondary] == [("file.yaml:1:1", "first set here")]


@pytest.mark.parametrize("depth", [100])
def test_the_deepest_nesting_is_read(depth: int) -> None:
    """A hundred levels are read, one more is not."""
    assert str(plain("[" * depth + "]" * depth)) == "[" * depth + "]" * depth


def shared(text: str) -> object:
    """Return the value of a document that may share parts."""
    return to_plain(read_yaml(Source("file.yaml", text), sharing=True))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x [1, on]\nb: *x\n", {"a": [1, "on"], "b": [1, "on"]}),
        ("a: &x 012\nb: *x\n", {"a": "012", "b": "012"}),
        ("a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}\n", {"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 3}}),
        ("- &x {p: 1}\n- &y {p: 2, q: 3}\n- {<<: [*x, *y]}\n", [{"p": 1}, {"p": 2, "q": 3}, {"p": 1, "q": 3}]),
        ("a: &x {p: 1}\na2: &x {p: 2}\nb: *x\n", {"a": {"p": 1}, "a2": {"p": 2}, "b": {"p": 2}}),
        ("a: {'<<': 1}\n", {"a": {"<<": 1}}),
    ],
)
def test_a_file_that_shares_parts(text: str, value: object) -> None:
    """Where a file may share parts, aliases and merge keys are what they stand for; one's own keys come first."""
    assert shared(text) == value


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("a: *x\n", "alias", "1:4"),
        ("a: &x [*x]\n", "alias", "1:8"),
        ("a: {<<: 5}\n", "merge-key", "1:9"),
        ("a: &x {p: 1}\nb: {<<: *x, q: 1, q: 2}\n", "duplicate-key", "2:19"),
        (
            "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else '1'] * 9)}]\n" for n in range(9)),
            "too-many",
            "6:40",
        ),
        ("".join(f"a{n}: &a{n} [{f'*a{n - 1}' if n else '1'}]\n" for n in range(200)), "too-deep", "100:12"),
    ],
    ids=["unknown", "in itself", "merged scalar", "own keys twice", "bomb", "deep"],
)
def test_shared_parts_have_limits(text: str, rule: str, place: str) -> None:
    """An alias counts as what it stands for: neither a bomb nor a tower of aliases is written out."""
    with pytest.raises(DocumentErrors) as caught:
        shared(text)
    assert [(d.rule, str(d.span)) for d in caught.value.diagnostics] == [(f"yaml/{rule}", f"file.yaml:{place}")]


def test_mistakes_are_told_up_to_a_number() -> None:
    """A file with mistakes without end costs no more than a hundred of them."""
    assert len(mistakes("[" + "*x, " * 5_000 + "]")) == 100


TRICKY = st.sampled_from(["on", "012", "1e3", "0x1F", "0o17", "1_000", "=", "~", "2024-01-01", "12:30:45", ".inf"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.sampled_from("0123456789abcdefnoxyNOFT_.:+-=~<>!&*@%#'\"?{}[], é"), max_size=8)
    | TRICKY
)


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TRICKY, inner), max_leaves=8))
def test_what_is_written_is_read_again(value: object) -> None:
    """The project writes YAML that its own reader takes for the same value."""
    assert plain(write_yaml({"value": value})) == {"value": value}


def test_a_byte_order_mark_has_no_column() -> None:
    """Columns on the first line are those an editor shows."""
    root = read_yaml(Source("file.yaml", "\ufeffa: 1\n"))
    assert isinstance(root, Mapping)
    assert str(root.key_span("a")) == "file.yaml:1:1"


ANY = st.text(alphabet=st.sampled_from("ab01 \n\t-:,[]{}'\"|>&*!%@#?\\x.~<é\u2028\ud800"), max_size=30)


def told(text: str) -> list[Diagnostic]:
    """Return what is wrong with a document; nothing where it can be read."""
    try:
        to_plain(read_yaml(Source("file.yaml", text)))
    except DocumentErrors as errors:
        return errors.diagnostics or [Diagnostic("silent", (), "error", "")]
    return []


@given(ANY)
def test_any_text_is_read_or_told(text: str) -> None:
    """Whatever is written, there is a value or mistakes with words and places, and never another exception."""
    assert all(found.span is not None and found.message for found in told(text))


@given(ANY)
def test_any_scalar_maps(text: str) -> None:
    """Every scalar that is read, whatever stands round it, has a place for each of its characters, in order."""
    try:
        nodes = [read_yaml(Source("file.yaml", text))]
    except DocumentErrors:
        return
    while nodes:
        node = nodes.pop()
        if isinstance(node, Scalar):
            offsets = [node.source_offset(index) for index in range(len(node.text) + 1)]
            assert offsets == sorted(offsets)
            assert not node.text or node.start <= offsets[0]
        elif isinstance(node, Sequence):
            nodes.extend(node)
        else:
            nodes.extend(child for entry in node.entries for child in entry)
