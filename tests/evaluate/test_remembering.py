"""A run that remembers gives what any other run gives, and computes only what changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.recorded import cases
from kernelpath.api import given_values
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load, load_folder
from kernelpath.evaluate.question import Outcome, ask
from kernelpath.evaluate.remembering import MOST_KEPT, Memory, same
from packs.folders import BOXES

from .test_features import check, packed, resolve


def view(outcome: Outcome) -> tuple[object, ...]:
    """Return all that is to be seen of an outcome; the list of findings is a cell only once something reads it."""
    report = outcome.report
    return (
        json.dumps(outcome.value, default=repr),
        tuple(report.diagnostics),
        report.asked,
        tuple((one.checks, one.because, one.subjects) for one in report.unasked),
        json.dumps(outcome.shown(), default=repr),
        tuple(report.skipped),
        sorted(outcome.cells.keys() - {"findings"}),
    )


def assert_equal_runs(pack: CompiledPack, question: str, requests: list[dict[str, Any]]) -> Memory:
    """Ask each request in both ways, in turn, by one memory."""
    memory = Memory(pack)
    for request in requests:
        assert view(memory.ask(question, request)) == view(ask(pack, question, request))
    return memory


BOX = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", 3]), "size": st.sampled_from([0, 1, 2, 2.0, True])},
    optional={"paint": st.sampled_from(["red", "Blue", "pink", None]), "on": st.sampled_from(["floor", "a", "moon"])},
)
ORDERS = st.fixed_dictionaries({"boxes": st.lists(st.one_of(BOX, st.just(7)), max_size=3)})
STOCKS = st.sampled_from([None, ["red"], {"red": 1}])


@given(orders=st.lists(ORDERS, min_size=1, max_size=3), stocks=st.lists(STOCKS, min_size=1, max_size=3))
def test_orders_of_boxes(orders: list[Any], stocks: list[Any]) -> None:
    """Tables, flows and faults: every combination of a few documents, twice, is answered as without a memory."""
    requests = [{"order": order, "stock": stock} for order in orders for stock in stocks]
    assert_equal_runs(load_folder(BOXES), "paint", [*requests, *reversed(requests)])


@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_recorded_requests(name: str) -> None:
    """Real and generated manifests, under their own overlays and those of others, by both shipped packs."""
    pack = load(name)
    compiled = [case["options"] for case in cases("generated") if case["fn"] == "compile"][::97][:24]
    runtimes = [None, *(options.get("runtimeInference") for options in compiled[:2])]
    requests = []
    for options in compiled:
        manifest = {"inference": options.get("manifestInference"), "modelId": "m"}
        layers = {"num_layers": options.get("numLayers", 0)}
        for runtime in [options.get("runtimeInference"), *runtimes]:
            requests.append(given_values(pack, "compile", {"manifest": manifest, "runtime": runtime, **layers}))
    assert_equal_runs(pack, "compile", requests)


PACK = """\
documents: {d: {doc: one}, e: {doc: another, optional: true}}
values:
  long: '[x + 1 for x in [int(number(v)) for v in elements(d.list)]]'
  sign: if number(e.n) > 2 then "big" else "small"
  word: sign + "!"
  both: '[text(x) + word for x in long]'
stages:
  shape: {each: request, gives: {total: int}}
questions:
  q: {given: [d, e], answer: 'mapping(["both", "total"], [both, [text(total)]])'}
"""
RULES = {
    "shape__few": check("length(long) < 4", "too many"),
    "shape__total": resolve("total", "length(long)"),
}


def written(folder: Path) -> CompiledPack:
    """Return the pack above."""
    return load_folder(packed(folder, PACK, **RULES))


def test_only_what_changed_is_computed(tmp_path: Path) -> None:
    """What one document decides is computed once for it, and a value that comes out the same changes nothing."""
    pack = written(tmp_path)
    plan = pack.meta["questions"]["q"]
    d, other = {"list": [1, 2]}, {"list": [5]}
    counts = []
    memory = Memory(pack)
    for request in (
        {"d": d, "e": {"n": 1}},  # all is computed
        {"d": d, "e": {"n": 1}},  # nothing
        {"d": d, "e": {"n": 2}},  # `sign` alone: it is the same
        {"d": d, "e": {"n": 3}},  # `sign`, `word` and `both`
        {"d": d, "e": {"n": 4}},  # `sign` alone: what follows is known
        {"d": other, "e": {"n": 4}},  # what reads `long`
        {"d": d, "e": {"n": 1}},  # nothing: all of it is known
    ):
        before = memory.computed
        assert view(memory.ask("q", request)) == view(ask(pack, "q", request))
        counts.append(memory.computed - before)
    steps = len(plan["gate"]) + len(plan["steps"])
    assert counts == [steps, 0, 1, 3, 1, 3, 0]


def test_a_finding_ends_the_remembering(tmp_path: Path) -> None:
    """A run with a finding is as any other, and so is the next one without."""
    pack = written(tmp_path)
    good, bad = {"list": [1]}, {"list": [1, 2, 3, 4]}
    requests: list[dict[str, Any]] = [{"d": each, "e": {"n": n}} for n in (1, 3) for each in (bad, good, bad, good)]
    assert_equal_runs(pack, "q", requests)
    assert [found.message for found in Memory(pack).ask("q", {"d": bad}).report.diagnostics] == ["too many"]


CONDITIONAL = """\
documents: {d: {doc: one}, e: {doc: another, optional: true}}
items:
  parts: {of: elements(d.list), as: part, index: place, subject: '{place}'}
  named: {of: parts, as: one, fields: {size: {is: int(number(part)), type: int}}}
stages:
  sizes: {each: parts, when: e.sizes == true, gives: {size: int?}}
  sums: {each: request, when: e.sums == true, gives: {sum: int?}}
questions: {q: {given: [d, e], answer: 'mapping(["sizes", "sum"], [parts.size, [sum]])'}}
"""


def test_stages_that_are_not_always_asked(tmp_path: Path) -> None:
    """What a stage gives is null while its condition does not hold, of rows as well, and there once it does."""
    rules = {
        "sizes__whole": check("is_integer(part)", "part {place} is not whole"),
        "sizes__size": resolve("size", "int(number(part))"),
        "sums__sum": resolve("sum", "sum([one.size for one in named])"),
    }
    pack = load_folder(packed(tmp_path, CONDITIONAL, **rules))
    conditions = [{"sizes": sizes, "sums": sums} for sizes in (True, False, None) for sums in (True, False)]
    requests: list[dict[str, Any]] = [
        {"d": {"list": each}, "e": e} for e in conditions for each in ([1, 2], [3], ["x"])
    ]
    assert_equal_runs(pack, "q", [*requests, *reversed(requests), *requests[::2]])


def test_no_more_is_kept_than_a_limit(tmp_path: Path) -> None:
    """Of many different readings the latest are kept, and answers stay right."""
    pack = written(tmp_path)
    memory = assert_equal_runs(pack, "q", [{"d": {"list": [n]}, "e": {"n": n}} for n in range(3 * MOST_KEPT)])
    assert max(len(step.kept) for step in memory.steps("q")) == MOST_KEPT


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": [1, None]}, {"a": [1, None]}, True),
        ("a", "a", True),
        (1, True, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ([1], (1,), False),
        ([1], [1, 2], False),
        ({"a": 1}, {"b": 1}, False),
        (object(), object(), False),
    ],
)
def test_what_is_the_same(one: Any, other: Any, equal: bool) -> None:
    """Two values are the same only if no expression can tell them apart."""
    assert same(one, other) is equal
