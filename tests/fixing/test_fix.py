"""Fixes: proven by whoever compiles them anew, and never more edits than an exhaustive search needs."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import pytest

import kernelpath as kp
from fixing.graphs import CATALOG, REFERENCES, broken, graph, section
from kernelpath.analysis.fixing.fix import fix, shown
from kernelpath.analysis.fixing.moves import Form, edited, moves
from kernelpath.analysis.fixing.search import _fits
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.graph.catalog import load_presets

PACK = kp.load_pack("execution-v0")
FORM = Form.of(PACK.meta["fixes"])


def values(inference: Any, runtime: Any = None) -> dict[str, Any]:
    given = {"manifest": {"inference": inference, "modelId": "m"}, "runtime": runtime, "num_layers": 2}
    return {**given, "catalog": CATALOG, "presets": load_presets()}


def compiled(inference: Any, runtime: Any = None, pack: CompiledPack = PACK) -> kp.Result:
    return kp.compile(inference, pack=pack, runtime=runtime, num_layers=2, model_id="m")


def with_steps(inference: dict[str, Any], steps: Any) -> dict[str, Any]:
    return {**inference, "execution": {**inference["execution"], "steps": list(steps)}}


@pytest.mark.parametrize("seed", range(40))
def test_whole_graphs_pass(seed: int) -> None:
    """The graphs that faults are put into have none of their own."""
    assert compiled(graph(seed, 3 + seed % 6)).ok


@pytest.mark.parametrize("graphs", [25, pytest.param(250, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_every_proof_holds_when_somebody_else_compiles(name: str, graphs: int) -> None:
    """Over many broken graphs, every fix passes by the public functions, as steps and as an overlay; most are proven.

    Where a fix says what remains, that is all that does. One that is not proven shows a finding that a fault hid
    before: then it is called a suggestion.
    """
    pack, fixed, overlaid, proven = kp.load_pack(name), 0, 0, 0
    for seed in range(graphs):
        inference = broken(seed, 3 + seed % 6, 1 + seed % 3)
        before = copy.deepcopy(inference)
        found = fix(pack, values(inference), 3000)
        assert inference == before
        if found.found.moves is None:
            continue
        left = {(one.rule, one.subject) for one in found.found.open}
        assert _errors(compiled(with_steps(inference, found.graph), pack=pack)) <= left
        proven += found.proven
        if found.patch:
            assert _errors(compiled(inference, {"executionPatch": found.patch}, pack)) <= left
            overlaid += 1
        fixed += bool(found.found.moves)
    assert fixed > graphs * 2 // 5
    assert proven > graphs * 2 // 5
    assert overlaid > (20 if graphs == 250 else 1)


def _errors(result: kp.Result) -> set[tuple[str, str | None]]:
    return {(found.rule, found.subject) for found in result.diagnostics if found.severity == "error"}


def _errors(result: kp.Result) -> set[tuple[str, str | None]]:
    return {(found.rule, found.subject) for found in result.diagnostics if found.severity == "error"}


def fewest(inference: dict[str, Any], most: int) -> int | None:
    """Return the fewest moves that make a graph pass, by trying all sets of them in the order of their size."""
    steps = inference["execution"]["steps"]
    known = moves(PACK.meta["fixes"], PACK.meta["vocabularies"], steps, REFERENCES)
    for size in range(most + 1):
        for chosen in combinations(known, size):
            fits = all(_fits(chosen[:place], move) for place, move in enumerate(chosen))
            if fits and compiled(with_steps(inference, edited(steps, chosen, FORM))).ok:
                return size
    return None


@pytest.mark.parametrize("seed", range(15))
def test_no_fix_has_more_edits_than_an_exhaustive_search_needs(seed: int) -> None:
    """On small graphs the search finds a fix exactly where trying everything does, with as many edits."""
    inference = broken(seed, 3 + seed % 3, 1 + seed % 2)
    found = fix(PACK, values(inference))
    assert found.found.moves is not None
    assert len(found.found.moves) == fewest(inference, 2)


def test_a_fix_says_what_it_changes_elsewhere() -> None:
    """Steps without an edit of their own whose dtypes are others after the fix are listed."""
    kernel = "relu.wgsl"
    common = {"phase": "both", "section": "layer", "src": "state", "dst": "state", "layers": "all", "op": "ffn"}
    pinned = {"kernel": kernel, "entry": "main", "kernelRef": REFERENCES[f"{kernel}#main"]}
    first = {"id": "a", **common, "op": "cast", "toDtype": "f16"}
    second = {"id": "b", **common, **pinned, "precision": {"inputDtype": "f32"}}
    found = fix(PACK, values(section([first, second])))
    assert found.proven
    assert [shown(move) for move in found.found.moves or ()] == [
        "insert before `b`: phase both, section layer, op cast, src state, dst state, layers all, toDtype f32"
    ]
    assert found.changes == ()
    assert found.patch == {
        "add": [
            {
                "step": {"id": "cast_b", "phase": "both", "section": "layer", "op": "cast"}
                | {"src": "state", "dst": "state", "layers": "all", "toDtype": "f32"},
                "insertBefore": "b",
            }
        ]
    }


def test_where_no_moves_help_the_rules_that_conflict_are_named() -> None:
    """A graph of another schema cannot be mended by editing its steps."""
    inference = {**graph(1, 3), "schema": "other"}
    found = fix(PACK, values(inference))
    assert found.found.moves is None
    assert found.found.exhausted
    assert [finding.rule for finding in found.found.open] == ["execution-v0/gate/schema-name"]


def _decode_loop(inference: dict[str, Any]) -> dict[str, Any]:
    loop = {"batchSize": 1, "stopCheckMode": "sometimes", "readbackInterval": 1, "ringTokens": 1, "ringStop": 1}
    return {**inference, "sessionDefaults": {**inference["sessionDefaults"], "decodeLoop": loop}}


def _two_of_the_loop(inference: dict[str, Any]) -> dict[str, Any]:
    changed = _decode_loop(inference)
    changed["sessionDefaults"]["decodeLoop"]["batchSize"] = 0
    return changed


def _unknown_kernel(inference: dict[str, Any]) -> dict[str, Any]:
    steps = inference["execution"]["steps"]
    odd = {**next(step for step in steps if step["op"] != "cast"), "id": "odd", "kernel": "no_such.wgsl"}
    return with_steps(inference, [*steps, {**odd, "src": "state", "dst": "unread", "precision": {}}])


#: What spoils a graph in a way that no edit of a step mends, and the rules that say so.
OUT_OF_REACH = {
    _decode_loop: ["execution-v0/decode-loop/stop-check-mode"],
    _two_of_the_loop: ["execution-v0/decode-loop/batch-size", "execution-v0/decode-loop/stop-check-mode"],
    _unknown_kernel: ["execution-v0/pinning/kernel-known"],
}


@pytest.mark.parametrize("spoil", OUT_OF_REACH)
@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.sampled(3)
def test_what_edits_reach_is_mended_and_the_rest_is_named(seed: int, spoil: Any) -> None:
    """An error out of reach withholds no edit for the others, and the edits leave that error alone."""
    inference = broken(seed, 8, 3)
    assert fix(PACK, values(inference), 3000).found.moves
    spoilt = spoil(inference)
    found = fix(PACK, values(spoilt), 3000)
    assert sorted(one.rule for one in found.found.open) == OUT_OF_REACH[spoil]
    assert found.proven
    left = [one for one in compiled(with_steps(spoilt, found.graph)).diagnostics if one.severity == "error"]
    assert sorted({one.rule for one in left}) == OUT_OF_REACH[spoil]
    assert found.found.trials <= 3000


def test_a_graph_that_only_others_can_mend_gets_no_edits() -> None:
    """Where no edit mends anything, none is offered."""
    found = fix(PACK, values(_two_of_the_loop(graph(3, 8))), 3000).found
    assert (found.moves, found.exhausted) == (None, True)
    assert sorted(finding.rule for finding in found.open) == OUT_OF_REACH[_two_of_the_loop]


def test_a_search_that_is_cut_short_says_so() -> None:
    """A bound on the work is not a proof that there is no fix."""
    inference = broken(3, 8, 3)
    found = fix(PACK, values(inference), most=1)
    assert found.found.moves is None
    assert not found.found.exhausted
