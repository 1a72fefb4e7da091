"""Any JSON value in any argument gives a result or a diagnostic: no exception, no endless run, no changed input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelpath as kp
from conformance.recorded import Case, catalog, every_case, pack, request

from .hostile import HOSTILE, calls, inference, nested, placed

#: What the language and the engine refuse to do, each with its number; anything else that fails is a fault of ours.
LIMITS = ("nested deeper than 200 levels", "over 200,000 characters", "integer overflow", "more than the limit of")


def assert_answered(result: kp.Result) -> None:
    """Hold a result to its form: a verdict that its findings bear out, each of them printable."""
    errors = [found for found in result.diagnostics if found.severity == "error"]
    for found in result.diagnostics:
        assert json.dumps(found.to_dict())
        stuck = "cannot be evaluated" in found.message or "cannot work on" in found.message
        assert not stuck or any(limit in found.message for limit in LIMITS), found
    assert result.ok or errors
    assert result.value is None or isinstance(result.value, dict)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.sampled(4)
def test_hostile_value_anywhere(name: str) -> None:
    """A hostile value as any argument, or at any place of a good request, is answered."""
    value = HOSTILE[name]
    before = _print(value)
    for _, call in calls(value):
        assert_answered(call())
    assert _print(value) == before


def _print(value: Any) -> str:
    """Return a text that changes with the value; one that is nested too deeply for that changes in its outer part."""
    try:
        return repr(value)
    except (RecursionError, ValueError):
        return str(type(value))


TEXTS = st.text(st.characters(exclude_categories=()), max_size=12)
WORDS = st.sampled_from(
    ["f16", "f32", " F16 ", "state", "both", "decode", "layer", "all", "cast", "attention", "__proto__", "constructor",
     "length", "0", "1.0.0", "batch", "bdpa", "id", "main", "sha256:" + "0" * 64]
)  # fmt: skip
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 2**63, 1e21, 0.0, -0.0, 1, 2])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS | WORDS
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(first=JSON, second=JSON, third=JSON, fourth=JSON)
@settings(max_examples=300)
def test_any_json_in_every_argument(first: Any, second: Any, third: Any, fourth: Any) -> None:
    """Whatever is passed to a public function, it answers, and what was passed is what it was."""
    before = repr((first, second, third, fourth))
    given_ = {"pack": pack(), "catalog": catalog()}
    assert_answered(kp.compile(first, runtime=second, model_id=third, num_layers=fourth, **given_))
    assert_answered(kp.graph(first, runtime=second, model_id=third, num_layers=fourth, **given_))
    assert_answered(kp.contract(first, runtime=second, model_id=third, num_layers=fourth, **given_))
    assert_answered(kp.apply(first, second, **given_))
    assert_answered(kp.execution_from_kernel_path(first, **given_))
    assert repr((first, second, third, fourth)) == before


@given(data=st.data(), case=st.sampled_from(every_case()), changes=st.lists(JSON, min_size=1, max_size=3))
@settings(max_examples=600)
def test_any_json_anywhere_in_a_recorded_request(data: st.DataObject, case: Case, changes: list[Any]) -> None:
    """A real request with any values in the place of some of its own is answered, and stays as it is."""
    options: Any = case["options"]
    for value in changes:
        options = placed(options, data.draw(st.sampled_from(places(options))), value)
        options = options if isinstance(options, dict) else {}
    before = repr(options)
    assert_answered(request({**case, "options": options}))
    assert repr(options) == before


def places(document: Any) -> list[tuple[str | int, ...]]:
    """Return the places of all values in a document."""
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while waiting:
        place, value = waiting.pop()
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, inner in members:
            found.append((*place, name))
            waiting.append(((*place, name), inner))
    return found or [("manifestInference",)]


def test_a_manifest_of_fifty_megabytes_is_compiled() -> None:
    """Size alone is no fault: big members are carried along, in the result as in the manifest."""
    big = placed(inference(), ("model",), {"notes": ["x" * 1_000] * 50_000})
    result = kp.compile(big, pack=pack(), catalog=catalog())
    assert result.ok
    assert result.value["runtimeInferencePatch"]["modelOverrides"] == {"notes": ["x" * 1_000] * 50_000}


def test_limits_are_named() -> None:
    """What is refused for its size alone is refused with the limit in the message."""
    good, given_ = inference(), {"pack": pack(), "catalog": catalog()}
    steps = good["execution"]["steps"]
    many = placed(good, ("execution", "steps"), [steps[0]] * 200_001)
    deep = placed(good, ("sessionDefaults", "extra"), nested(300, lambda value: {"a": value}))
    broken = placed(good, ("execution", "steps"), [None] * 10_001)
    messages = [
        kp.compile(good, num_layers=1e21, **given_).diagnostics[0].message,
        kp.compile(many, **given_).diagnostics[0].message,
        kp.compile(deep, runtime={"session": {"extra": {}}}, **given_).diagnostics[0].message,
        kp.compile(broken, **given_).diagnostics[-1].message,
        kp.compile(placed(good, ("execution", "policies"), "x" * 200_001), **given_).diagnostics[0].message,
    ]
    assert messages == [
        "1e+21 layers are more than the limit of 65536",
        "200001 steps are more than the limit of 200000",
        "nested deeper than 200 levels",
        "10,000 items are at fault, which is the limit: the other 1 are not looked at",
        "a text of over 200,000 characters is not taken apart",
    ]
