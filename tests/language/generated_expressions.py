"""Well-typed expressions and environments for them, as strategies."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from kernelpath.language import (
    BOOL,
    FLOAT,
    INT,
    JSON,
    STRING,
    LanguageErrors,
    ListOf,
    MapOf,
    Names,
    Optional,
    Record,
    Type,
    Vocabulary,
    check,
    parse,
)

COLOUR = Vocabulary("colour", ("red", "green", "blue"))
MODE = Vocabulary("mode", ("fast", "slow"), open=True)
BOX = Record(
    "box",
    {"id": STRING, "colour": COLOUR, "size": Optional(INT), "class": STRING, "raw": JSON, "tags": ListOf(STRING)},
)
VARIABLES: dict[str, Type] = {
    "flag": BOOL,
    "n": INT,
    "f": FLOAT,
    "s": STRING,
    "c": COLOUR,
    "mode": MODE,
    "raw": JSON,
    "other": JSON,
    "box": BOX,
    "maybe": Optional(BOX),
    "num": Optional(INT),
    "word": Optional(STRING),
    "ints": ListOf(INT),
    "words": ListOf(STRING),
    "table": MapOf(INT),
}
NAMES = Names(VARIABLES, {"colour": COLOUR}, frozenset({"c"}))
SOURCES = {"c": "the palette"}

_INTS = st.one_of(st.integers(-3, 3), st.sampled_from([2**62, -(2**62), 2**63 - 1, -(2**63)]))
_FLOATS = st.sampled_from([0.0, -0.0, 1.0, 2.5, -1.5, 1e21, 1e-7, float("inf"), float("nan")])
_TEXTS = st.sampled_from(["", "a", "A b", " x ", "red", "12", "\u00a0", "é", "😀", "0", '"\\\n', "long " * 40])
_SCALARS = st.one_of(st.none(), st.booleans(), st.sampled_from([0, 1, 2, 10**400, -5]), _FLOATS, _TEXTS)
_KEYS = st.sampled_from(["a", "b", "k", "0", "10", "2"])
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)


def _boxes() -> st.SearchStrategy[SimpleNamespace]:
    fields = {"id": _TEXTS, "colour": st.sampled_from(COLOUR.values), "size": st.none() | _INTS, "class_": _TEXTS}
    return st.builds(SimpleNamespace, **fields, raw=_JSON, tags=st.lists(_TEXTS, max_size=3))


ENVIRONMENTS = st.fixed_dictionaries(
    {
        "flag": st.booleans(),
        "n": _INTS,
        "f": _FLOATS,
        "s": _TEXTS,
        "c": st.sampled_from(COLOUR.values),
        "mode": st.one_of(st.sampled_from(MODE.values), _JSON),
        "raw": _JSON,
        "other": _JSON,
        "box": _boxes(),
        "maybe": st.none() | _boxes(),
        "num": st.none() | _INTS,
        "word": st.none() | _TEXTS,
        "ints": st.lists(_INTS, max_size=4) | st.lists(_INTS, max_size=4).map(tuple),
        "words": st.lists(_TEXTS, max_size=4),
        "table": st.dictionaries(_KEYS, _INTS, max_size=3),
    }
)

_ATOMS: dict[str, list[str]] = {
    "bool": ["true", "false", "flag"],
    "int": ["0", "1", "2", "-3", "9223372036854775807", "n"],
    "float": ["0.0", "2.5", "1e300", "f"],
    "string": ['"a"', '" x "', '"12"', '""', "s", "box.id", "box.class", "c", "source(c)"],
    "colour": ["c", "box.colour", '"red"'],
    "json": ["raw", "box.raw", "raw.a", "raw.a.b", 'raw["k"]', "raw[0]", "raw?.a[1].k", "other", "other[1]", "other.k"],
    "int?": ["num", "box.size", "maybe?.size", "table.a", 'table["b"]', "ints[0]", "ints[1]", "ints[-1]"],
    "string?": ["word", "maybe?.id", "words[0]", "box.tags[1]", "maybe?.class"],
    "list<int>": ["ints", "[1, 2]", "range(3)"],
    "list<string>": ["words", "box.tags", '["a", "red"]'],
}
_JSON_PATHS = {"raw": "raw", "raw.a": "raw", "raw.b.k": "raw", "raw[0]": "raw", "raw?.a": "raw", "box.raw.a": "box.raw"}
_TESTS = {"is_string": "string", "is_bool": "bool", "is_integer": "int", "is_number": "float"}
_OPTIONAL_PATHS = {
    "num": "int",
    "box.size": "int",
    "word": "string",
    "words[0]": "string",
    "table.a": "int",
    "ints[1]": "int",
}


class _Generator:
    """Draws expression text of a wanted type; `extra` are atoms that loops and tests brought into sight."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw
        self.extra: list[tuple[str, str]] = []
        self.loops = 0
        self.narrowed: list[str] = []

    def pick(self, options: list[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def make(self, type_: str, depth: int) -> str:
        if depth <= 0 or self.draw(st.integers(0, 4)) == 0:
            return str(self.pick(self.atoms(type_)))
        templates = [*_TEMPLATES[type_], self.special] if type_ == "bool" else _TEMPLATES[type_]
        template = self.pick(templates)
        return self.fill(template, depth - 1) if isinstance(template, str) else template(depth - 1)

    def atoms(self, type_: str) -> list[str]:
        extra = [text for text, of in self.extra if of == type_]
        usual = [text for text in _ATOMS[type_] if not text.replace("?.", ".").startswith(tuple(self.narrowed))]
        return usual + extra

    def fill(self, template: str, depth: int) -> str:
        pieces = template.split("@")
        result = pieces[0]
        for piece in pieces[1:]:
            type_, _, rest = piece.partition("@") if "@" in piece else piece.partition(";")
            result += f"({self.make(type_, depth)}){rest}"
        return result

    def special(self, depth: int) -> str:
        return str(self.pick([self.json_test, self.null_test, self.loop, self.late_test])(depth))

    def within(self, atoms: list[tuple[str, str]], root: str, depth: int) -> str:
        """Return a condition in which the atoms are in sight, and others that begin with `root` are not."""
        self.extra.extend(atoms)
        self.narrowed.append(root)
        text = self.make("bool", depth)
        self.narrowed.pop()
        del self.extra[len(self.extra) - len(atoms) :]
        return text

    def free(self, paths: dict[str, str]) -> str | None:
        """Return a path that no test around here narrows already."""
        open_ = [path for path, root in paths.items() if not root.startswith(tuple(self.narrowed))]
        return self.pick(open_) if open_ else None

    def json_test(self, depth: int) -> str:
        path, test = self.free(_JSON_PATHS), self.pick(list(_TESTS))
        if path is None:
            return self.make("bool", depth)
        inside = self.within([(path, _TESTS[test])] * 8, _JSON_PATHS[path], depth)
        return f"{test}({path}) and ({inside})"

    def null_test(self, depth: int) -> str:
        path = self.free({path: path for path in _OPTIONAL_PATHS})
        if path is None:
            return self.make("bool", depth)
        inside = self.within([(path, _OPTIONAL_PATHS[path])] * 8, path, depth)
        if self.draw(st.booleans()):
            return f"{path} == null or ({inside})"
        return f"if {path} != null then ({inside}) else ({self.make('bool', depth)})"

    def late_test(self, depth: int) -> str:
        if self.free({"maybe": "maybe"}) is None:
            return self.make("bool", depth)
        inside = self.within([("maybe.id", "string"), ("maybe.colour", "colour")] * 3, "maybe", depth)
        return f'maybe?.class in ["a", "red", ""] and ({inside})'

    def loop(self, depth: int) -> str:
        self.loops += 1
        name = self.pick(["i", "type", "x", "meter", "lambda"]) + str(self.loops % 3 or "")
        if any(text == name for text, _ in self.extra):
            return self.make("bool", depth)
        item = self.pick(["int", "string"])
        source = self.make(f"list<{item}>", depth)
        body = self.within([(name, item)] * 4, name, depth)
        return f"{self.pick(['any', 'all'])} {name} in {source}: {body}"


_TEMPLATES: dict[str, list[Any]] = {
    "bool": [
        "not @bool;",
        "@bool; and @bool;",
        "@bool; or @bool; or @bool;",
        "@int; == @int;",
        "@int; < @float;",
        "@string; <= @string;",
        "@float; != @int;",
        "@json; == @json;",
        "@json; == @int;",
        "@json; != @string;",
        "@json; == 1",
        "@json; == 2.5",
        "@json; == true",
        "@json; == null",
        'other.a in ["a", null, "red"]',
        "other.b in [1, true, 0.5]",
        "@json; in [@json;, 2]",
        '@colour; in ["red", "blue"]',
        '@colour; == "green"',
        'mode == "fast"',
        'mode in ["fast", "slow"]',
        "mode == @json;",
        "mode == s",
        "@int?; == @int;",
        "@string?; in @list<string>;",
        "@int; in [1, 2, -1]",
        "@int; in @list<int>;",
        "@float; in [@float;, f]",
        "@list<int>; == @list<int>;",
        "@string; not in @list<string>;",
        "contains(@string;, @string;)",
        "starts_with(@string;, @string;)",
        "matches(@string;, '[a-z]+( [a-z]+)*')",
        "has(@json;, @string;)",
        "has(other, 'a')",
        "truthy(@json;)",
        "is_integer(@json;)",
        "is_list(@json;)",
        "if @bool; then @bool; else @bool;",
    ],
    "int": [
        "@int; + @int;",
        "@int; - @int;",
        "@int; * @int;",
        "@int; // @int;",
        "@int; % @int;",
        "@int; % 7",
        "-@int;",
        "if @bool; then @int; else @int;",
        "@int?; ?? @int;",
        "length(@string;)",
        "length(@list<int>;)",
        "min(@int;, @int;)",
        "ceil_div(@int;, @int;)",
        "int(@float;)",
        "floor(@float;)",
        "sum(@list<int>;)",
        "(count k in @list<int>;: k > n)",
        "(count k in @list<string>;: k == s)",
    ],
    "float": [
        "@float; + @int;",
        "@float; * @float;",
        "@float; - @float;",
        "@int; / @int;",
        "@float; / 4",
        "@float; // @float;",
        "@float; % @float;",
        "-@float;",
        "number(@json;)",
        "max(@float;, @int;)",
        "sqrt(@float;)",
        "if @bool; then @int; else @float;",
    ],
    "string": [
        "@string; + @string;",
        "lower(@string;)",
        "trim(@string;)",
        "text(@json;)",
        "canonical(@json;)",
        "@string?; ?? @string;",
        "if @bool; then @string; else @colour;",
        "join(@list<string>;, @string;)",
        "replace(@string;, @string;, @string;)",
    ],
    "colour": ["if @bool; then @colour; else 'blue'", "colour(@string;) ?? @colour;"],
    "json": [
        "@json; ?? @json;",
        "@json;.a",
        "@json;[0]",
        "@json;[@string;]",
        "@json;[@int;]",
        "merge(@json;, @json;)",
        "spread(@json;, @json;)",
        "without(@json;, @list<string>;)",
        "at(@json;, 'a.b')",
        "if @bool; then @json; else @int;",
        "if @bool; then @list<string>; else @json;",
        "if @bool; then other else [@json;, @json;]",
        "if @bool; then null else @json;",
    ],
    "int?": [
        "if @bool; then @int; else null",
        "@list<int>;[@int;]",
        "index_of(@list<string>;, @string;)",
        "first(@list<int>;)",
    ],
    "string?": ["if @bool; then @string; else null", "@list<string>;[0]", "last(@list<string>;)"],
    "list<int>": [
        "@list<int>; + @list<int>;",
        "[@int;, @int;]",
        "[k + 1 for k in @list<int>; if k != n]",
        "sorted(@list<int>;)",
        "unique(@list<int>;)",
        "range(@int; % 4)",
        "if @bool; then @list<int>; else @list<int>;",
    ],
    "list<string>": [
        "@list<string>; + @list<string>;",
        "[@string;]",
        "[lower(w) for w in @list<string>;]",
        "[w for w in @list<string>; if @bool;]",
        "duplicates(@list<string>;)",
        "split(@string;, @string;)",
        "sorted(@list<string>;)",
    ],
}


@st.composite
def _texts(draw: Callable[[st.SearchStrategy[Any]], Any], depth: int) -> str:
    return _Generator(draw).make(draw(st.sampled_from(list(_TEMPLATES))), depth)


def _is_well_typed(text: str) -> bool:
    try:
        check(parse(text), NAMES)
    except LanguageErrors:
        return False
    return True


def expressions(depth: int = 4) -> st.SearchStrategy[str]:
    """Return texts of well-typed expressions over VARIABLES.

    What is generated is well typed but for a few, in which one comparison narrows what another one reads.
    """
    return _texts(depth).filter(_is_well_typed)
