"""What expressions mean, where other languages differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from kernelpath.language import (
    FLOAT,
    INT,
    JSON,
    STRING,
    EvaluationError,
    ListOf,
    MapOf,
    Names,
    Optional,
    Record,
    Trace,
    Type,
    check,
    compile_function,
    interpret,
    parse,
)
from kernelpath.language.ast import Expression


def both(text: str, types: dict[str, Type] | None = None, **environment: Any) -> Any:
    """Return the value of an expression, on which both evaluators must agree; variables are JSON unless typed."""
    types = types or dict.fromkeys(environment, JSON)
    checked = check(parse(text), Names(types))
    value = interpret(checked, environment)
    assert repr(compile_function(checked, list(types))(**environment)) == repr(value)
    return value


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        (None, False, False),
        ("1", 1, False),
        (math.nan, math.nan, False),
        ([1, [True]], [1.0, [True]], True),
        ([1], [True], False),
        ([1], [1, 1], False),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": 1}, {"a": True}, False),
        ([math.nan], [math.nan], False),
    ],
)
def test_json_equality(left: Any, right: Any, equal: bool) -> None:
    """JSON values are equal by value and kind, numbers by value only, and objects whatever the order of their keys."""
    assert both("a == b", a=left, b=right) is equal
    assert both("a != b", a=left, b=right) is not equal
    assert both("a in [b, b]", a=left, b=right) is equal


def test_literals_compare_as_json() -> None:
    """A literal is not equal to a JSON value that Python alone would take for it."""
    assert both("[a == 1, a == true, a in [1, 'x'], a in [true, 'x']]", a=True) == [False, True, False, True]
    assert both("[a == 0, a == false, a in [0], a == 2]", a=False) == [False, True, False, False]
    assert both("[a == 1, a == 1.0, a == true]", a=1.0) == [True, True, False]


@pytest.mark.parametrize("value", [None, 5, "abc", [1], {"b": 2}])
def test_reading_json_is_lenient(value: Any) -> None:
    """What is not there is null, whatever it is read from."""
    assert both("[a.x, a[7], a['x'], a.x.y[0].z, a?.x]", a=value) == [None] * 5


def test_list_index_out_of_range_is_null() -> None:
    """An index beyond either end of a list gives null, and so does a negative one."""
    types: dict[str, Type] = {"xs": ListOf(INT), "i": INT}
    assert [both("xs[i]", types, xs=(7, 8), i=i) for i in (-1, 0, 1, 2)] == [None, 7, 8, None]
    assert both("[xs[0], xs[2], xs[-1]]", types, xs=[7, 8], i=0) == [7, None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9223372036854775808 + 1", "integer overflow"),
        ("-9223372036854775808 - 1", "integer overflow"),
        ("4611686018427387904 * 4", "integer overflow"),
        ("1 // 0", "division by zero"),
        ("1 / 0", "division by zero"),
        ("1.5 % 0.0", "division by zero"),
        ("all x in range(1000): all y in range(1000): true", "the budget of 1,000,000 steps is spent"),
        ("[x for x in range(500001)] == []", "the budget of 1,000,000 steps is spent"),
    ],
)
def test_expression_without_a_value(text: str, message: str) -> None:
    """What arithmetic or the budget does not allow is an error of the evaluation."""
    checked = check(parse(text), Names())
    with pytest.raises(EvaluationError) as interpreted:
        interpret(checked, {})
    with pytest.raises(EvaluationError) as compiled:
        compile_function(checked, [])()
    assert interpreted.value.message == compiled.value.message == message


def test_budget_counts_whole_loops() -> None:
    """A loop is charged its length on entry, whether or not it runs to its end."""
    types: dict[str, Type] = {"xs": ListOf(INT)}
    assert both("any x in xs: true", types, xs=range(1_000_000)) is True
    with pytest.raises(EvaluationError):
        both("any x in xs: true", types, xs=range(1_000_001))


def test_numbers_mix() -> None:
    """An int meets a float as a float, and compares with it exactly."""
    types: dict[str, Type] = {"n": INT, "f": FLOAT}
    assert repr(both("n + f", types, n=1, f=2.0)) == "3.0"
    assert repr(both("if f > 1 then n else f", types, n=1, f=2.0)) == "1.0"
    assert both("n == f", types, n=2**53 + 1, f=float(2**53)) is False
    assert both("[7 // -2, -7 // 2, 7 % -2, -7 % 2]", types, n=0, f=0.0) == [-4, -4, -1, 1]
    assert both("1e308 * 10 == f", types, n=0, f=math.inf) is True


def test_json_numbers_are_read_as_what_a_test_proved() -> None:
    """A whole JSON number is an int, and any other a float, however JSON spelled it."""
    assert repr(both("if is_integer(a) then a + 1 else 0", a=2.0)) == "3"
    assert repr(both("if is_number(a) then a + 1 else 0", a=2)) == "3.0"
    assert both("[is_integer(a), is_number(a)]", a=10**400) == [False, True]
    assert both("[is_integer(a), is_integer(b), is_integer(c)]", a=1e300, b=math.inf, c="1") == [True, False, False]


def test_operands_are_evaluated_only_where_they_count() -> None:
    """`and`, `or`, `if`, `??` and the quantifiers leave out what cannot change the value."""
    types: dict[str, Type] = {"n": INT, "num": Optional(INT)}
    assert both("n == 0 or 1 // n == 1", types, n=0, num=None) is True
    assert both("n != 0 and 1 // n == 1", types, n=0, num=None) is False
    assert both("if n == 0 then 5 else 1 // n", types, n=0, num=None) == 5
    assert both("num ?? 1 // n", types, n=0, num=3) == 3
    assert both("any x in [1, 0]: 1 // x == 1", types, n=0, num=None) is True


def test_record_fields_named_like_python_keywords() -> None:
    """A field whose name Python keeps for itself is the attribute with an underscore behind it."""
    types: dict[str, Type] = {"box": Record("box", {"class": INT, "lambda": INT})}
    assert both("box.class + box.lambda", types, box=SimpleNamespace(class_=1, lambda_=2)) == 3


def test_values_are_never_changed() -> None:
    """`merge`, `spread` and `without` give new values, and leave their arguments as they are."""
    a, b = {"x": {"y": 1, "z": 2}, "k": 1}, {"x": {"y": None}, "new": [1]}
    assert both("merge(a, b)", a=a, b=b) == {"x": {"y": None, "z": 2}, "k": 1, "new": [1]}
    assert both("spread(a, b)", a=a, b=b) == {"x": {"y": None}, "k": 1, "new": [1]}
    assert both("without(a, ['x.y', 'x.z', 'nothing.there'])", a=a) == {"k": 1}
    assert both("without(a, ['k.deeper', 'x.y'])", a=a) == {"x": {"z": 2}, "k": 1}
    assert a == {"x": {"y": 1, "z": 2}, "k": 1}


def test_without_keeps_objects_that_were_empty_before() -> None:
    """Only an object that the removal emptied goes with it; the outermost stays, empty."""
    assert both("without(a, ['x.y'])", a={"x": {"y": 1}, "e": {}}) == {"e": {}}
    assert both("without(a, ['x.y'])", a={"x": {"y": 1}}) == {}
    assert both("without(a, ['x.y.z'])", a={"x": {"y": {"z": 1}, "w": 0}}) == {"x": {"w": 0}}


@pytest.mark.parametrize("text", ["a == b", "canonical(a) == ''", "text(a) == ''", "merge(c, d) == null"])
def test_nesting_beyond_the_limit_is_an_error(text: str) -> None:
    """What walks into JSON refuses more than 200 levels, and never exhausts the stack."""
    deep_list: Any = 0
    deep_map: Any = 0
    for _ in range(100_000):
        deep_list, deep_map = [deep_list], {"k": deep_map}
    environment = {"a": deep_list, "b": [deep_list[0]], "c": deep_map, "d": {"k": deep_map["k"]}}
    checked = check(parse(text), Names(dict.fromkeys(environment, JSON)))
    with pytest.raises(EvaluationError) as interpreted:
        interpret(checked, environment)
    with pytest.raises(EvaluationError) as compiled:
        compile_function(checked, list(environment))(**environment)
    assert interpreted.value.message == compiled.value.message == "nested deeper than 200 levels"
    while isinstance(deep_list, list) and deep_list:  # Python frees a deep value by recursion
        deep_list, deep_map = deep_list[0], deep_map["k"]


def test_trace_shows_the_reads_that_decided() -> None:
    """A trace has each distinct read or call with its last value, and no records."""
    box = SimpleNamespace(size=3, id="b")
    types: dict[str, Type] = {"box": Record("box", {"size": INT, "id": Optional(INT)}), "raw": JSON}
    text = "box.size > 2 and length(keys(spread(raw, null))) == 1 and (any x in [1, 2]: x == 2)"
    checked = check(parse(text), Names(types))
    trace = Trace()
    assert interpret(checked, {"box": box, "raw": {"a": [1]}}, recorder=trace) is True
    assert trace.lines() == (
        "box.size = 3",
        'raw = {"a":[1]}',
        'spread(raw, null) = {"a":[1]}',
        "keys(spread(raw, null)) = a",
        "length(keys(spread(raw, null))) = 1",
        "x = 2",
    )


def test_recorder_gets_every_value() -> None:
    """Each evaluated node is recorded after its parts, and those that were not evaluated are not."""
    seen: list[tuple[str, object]] = []

    def record(node: Expression, value: object) -> None:
        seen.append((type(node).__name__, value))

    interpret(check(parse("1 > 2 and 3 > 2"), Names()), {}, recorder=record)
    assert seen == [("Literal", 1), ("Literal", 2), ("Binary", False), ("Logic", False)]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("1 + 2", 3),
        ("any x in [1, 2]: x > 1", 1 + 3 + 2 * 3),
        ("any x in xs: x > 1", 1 + 1 + 64 * 3),
        ("any x in ys: x > 1", 1 + 1 + 10_000 * 3),
        ("[x for x in range(5) if x > 1]", 1 + 2 + 5 * (3 + 1)),
        ("any x in [y for y in xs]: true", 1 + (1 + 1 + 64) + 64),
        ("any x in xs + [1]: true", 1 + (1 + 1 + 2) + 65),
    ],
)
def test_cost_is_nodes_times_loop_bounds(text: str, bound: int) -> None:
    """The static cost counts nodes, those of a loop once for every item that its list may have."""
    names = Names({"xs": ListOf(INT, 64), "ys": ListOf(INT)})
    assert check(parse(text), names).cost == bound


def test_checked_expression_says_what_it_reads() -> None:
    """The free variables are those read, loop variables and sources apart."""
    names = Names({"n": INT, "xs": ListOf(INT), "c": INT}, {}, frozenset({"c"}))
    checked = check(parse("(any x in xs: x > n) and source(c) == 'given'"), names)
    assert (checked.variables, checked.sources) == (frozenset({"xs", "n"}), frozenset({"c"}))


BIG, MANY = "ab" * 500_000, ["ab" * 500] * 20_000
NESTED: Any = [MANY, {"a": MANY}]
SPENT = "the budget of 1,000,000 steps is spent"


@pytest.mark.parametrize(
    "body",
    [
        'contains(big, "z")', "starts_with(big, big)", "ends_with(big, big)", 'lower(big) == "a"', 'upper(big) == "a"',
        'trim(big) == "a"', "blank(big)", 'replace(big, "x", "y") == "a"', 'length(split(big, "x")) == 0', "big == big",
        'matches(big, "[a-z]+")', 'length(join(many, ",")) == 0', "length(duplicates(many)) == 0", "big < big",
        "length(unique(many)) == 0", 'index_of(many, "a") == 0', "first(sorted(many)) == null", '"a" in many',
        "not big in many", "length(many + many) == 0", 'length("" + big) == 0', "nested == nested",
        'text(nested) == "a"', "at(nested, big) == 0",
        'canonical(nested) == "a"', "number(nested) == 0", "merge(nested, nested) == 0", "has(spread(big, many), big)",
        "length(elements(nested[1].a)) == 0", "length(mapping(many, many)) == 0", "length(first_positions(many)) == 0",
        "length(keys(table)) == 0", "length(values(table)) == 0", "length(omit(table, many)) == 0",
        "length([x for x in many if x == big]) == 0", 'replace("a", "a", big) == "b"', "without(table, many) == 0",
    ],
)  # fmt: skip
def test_what_a_loop_looks_through_counts(body: str) -> None:
    """An iteration that goes through megabytes costs as much: a loop of half a million of them ends at once."""
    types: dict[str, Type] = {"big": STRING, "many": ListOf(STRING), "nested": JSON, "table": MapOf(STRING)}
    values = {"big": BIG, "many": MANY, "nested": NESTED, "table": dict.fromkeys(map(str, range(20_000)), "")}
    checked = check(parse(f"(count i in range(499000): {body}) == 0"), Names(types))
    with pytest.raises(EvaluationError, match=SPENT):
        interpret(checked, values)
    with pytest.raises(EvaluationError, match=SPENT):
        compile_function(checked, list(types))(*values.values())


def test_small_values_in_loops_cost_their_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is short, written there or looked up by its key costs no more than the iteration."""
    monkeypatch.setattr("kernelpath.language.meter.BUDGET", 1_000)
    types: dict[str, Type] = {"words": ListOf(STRING), "table": MapOf(INT)}
    values = {"words": ["abc"] * 1_000, "table": {"abc": 1}}
    assert both('all w in words: w == "abc" and lower(w) in ["abc"] and table[w] == 1', types, **values) is True


def doubled(times: int, double: Callable[[Any], Any]) -> Any:
    """Return a value that holds another twice, that again one twice, and so on: small, and yet without end."""
    value: Any = 1
    for _ in range(times):
        value = double(value)
    return value


def twice_in_a_list(value: Any) -> Any:
    """Return a list that holds a value twice."""
    return [value, value]


def twice_in_an_object(value: Any) -> Any:
    """Return an object that holds a value twice."""
    return {"x": value, "y": value}


@pytest.mark.parametrize(
    ("text", "double"),
    [
        ("a == b", twice_in_a_list),
        ("a == b", twice_in_an_object),
        ("canonical(a) == 'x'", twice_in_a_list),
        ("canonical(a) == 'x'", twice_in_an_object),
        ("text(a) == 'x'", twice_in_a_list),
        ("number(a) == 1", twice_in_a_list),
        ("merge(a, b) == 1", twice_in_an_object),
        ("[a] == [b]", twice_in_a_list),
        ("a in [b, b]", twice_in_a_list),
    ],
)
def test_a_value_that_holds_itself_many_times_over(
    text: str, double: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes through all of a value does not go through one without end."""
    monkeypatch.setattr("kernelpath.language.json_values.MAX_PARTS", 10_000)
    checked = check(parse(text), Names({"a": JSON, "b": JSON}))
    values = {"a": doubled(60, double), "b": doubled(60, double)}
    for evaluate in (lambda: interpret(checked, values), lambda: compile_function(checked, ["a", "b"])(**values)):
        with pytest.raises(EvaluationError, match="a value of over 10,000 parts"):
            evaluate()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("length(big + big)", "a string longer than 1,000,000 characters"),
        ('length(replace(big, "a", "aaa"))', "a string longer than 1,000,000 characters"),
        ("length(join([big, big], big))", "a string longer than 1,000,000 characters"),
        ("length(many + many)", "a list longer than 1,000,000 items"),
    ],
)
def test_what_is_made_of_others_has_a_longest_length(text: str, message: str) -> None:
    """Doubling a text or a list ends at a length, so that a chain of names does not fill the memory."""
    types: dict[str, Type] = {"big": STRING, "many": ListOf(INT)}
    with pytest.raises(EvaluationError, match=message):
        both(text, types, big=BIG, many=[1] * 600_000)
