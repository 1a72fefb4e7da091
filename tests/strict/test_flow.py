"""The unrolled flow is held to a walk over every layer that remembers nothing, on graphs that nobody wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelpath as kp
from kernelpath.evaluate.unrolled import Unrolled

from .asked import STRICT, dtypes_of, errors, loaded
from .brute import KERNELS, SECTIONS, Said, patched, said
from .graphs import POLICIES, cast, compiled, manifest, session, step
from .planner import refusals
from .test_emission import lists

COPYING = Path(__file__).parent / "copying"
DTYPES = st.sampled_from(["f16", "f32"])
SLOTS = st.sampled_from(["state", "state", "x", "y"])


@st.composite
def steps(draw: st.DrawFn, name: str, copies: bool = False) -> dict[str, Any]:
    """Draw a step: a cast, or one on some kernel, anywhere in the graph."""
    common = {
        "src": draw(SLOTS),
        "dst": draw(SLOTS),
        "phase": draw(st.sampled_from(["both", "both", "prefill", "decode"])),
        "section": draw(st.sampled_from(["layer", "layer", "layer", *SECTIONS])),
        "layers": draw(st.one_of(st.just("all"), st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True))),
    }
    kind = draw(st.sampled_from(["cast", "noop"] if copies else ["cast", "attention", *["plain"] * 4]))
    if kind == "cast":
        members: dict[str, Any] = draw(st.fixed_dictionaries({}, optional={"fromDtype": DTYPES}))
        if draw(st.integers(0, 3)) == 0:
            members["precision"] = {"inputDtype": draw(DTYPES)}
        return cast(name, draw(DTYPES), **common, **members)
    if kind == "attention":
        return step(name, op="attention", kernel="attention_small.wgsl", **common)
    if kind == "noop":
        return step(name, op="noop", kernel=draw(st.sampled_from(["rmsnorm.wgsl", "rmsnorm_f16.wgsl"])), **common)
    precision = draw(st.fixed_dictionaries({}, optional={"inputDtype": DTYPES, "outputDtype": DTYPES}))
    kernel = draw(st.sampled_from([kernel for kernel in KERNELS if not kernel.startswith("attention")]))
    return step(name, kernel=kernel, **common, **({"precision": precision} if precision else {}))


def listed(most: int, copies: bool = False) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw a list of steps with ids of their own."""
    return (
        st.integers(1, most).flatmap(lambda count: st.tuples(*[steps(f"s{n}", copies) for n in range(count)])).map(list)
    )


@st.composite
def patches(draw: st.DrawFn, own: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw a patch of a graph: sets and removes of some steps, adds next to others and to each other."""
    names = [one["id"] for one in own]
    removed = draw(st.lists(st.sampled_from(names), unique=True, max_size=len(names) - 1))
    left = [name for name in names if name not in removed]
    plain = [one["id"] for one in own if one["id"] in left and one["op"] != "cast"]
    sets = draw(st.lists(st.sampled_from(plain), unique=True, max_size=2)) if plain else []
    fields = st.fixed_dictionaries({}, optional={"inputDtype": DTYPES, "outputDtype": DTYPES})
    adds = []
    for number in range(draw(st.integers(0, 4))):
        anchor = draw(st.sampled_from(["insertBefore", "insertAfter", "insertAfter"]))
        adds.append({anchor: draw(st.sampled_from(left)), "step": draw(steps(f"p{number}"))})
        left = [*left, f"p{number}"]
    return {
        "set": [{"id": name, "precision": draw(fields)} for name in sets],
        "remove": [{"id": name} for name in removed],
        "add": adds,
    }


def asked(
    own: list[Any], layers: int, dtype: str, transitions: bool, unprofiled: frozenset[str], pack: Any
) -> kp.Result:
    """Compile a graph whose session lacks the profiles of some steps' kernels."""
    policies = {**POLICIES, "dtypeTransition": "require_cast_step" if transitions else "allow"}
    request = manifest(own, own=session(dtype, kvcache={"kvDtype": "f32"}), policies=policies)
    lacking = {one["kernelRef"]["id"] for one in own if one["id"] in unprofiled and "kernelRef" in one}
    compute = request["sessionDefaults"]["compute"]
    compute["kernelProfiles"] = [one for one in compute["kernelProfiles"] if one["kernelRef"]["id"] not in lacking]
    return kp.compile(request, pack=pack, num_layers=layers, catalog="doppler-0.1.7")


def without_profile(own: list[Any], unprofiled: frozenset[str]) -> frozenset[str]:
    """Return all steps that share a kernel with one that has no profile."""
    lacking = {one["kernelRef"]["id"] for one in own if one["id"] in unprofiled and "kernelRef" in one}
    return frozenset(one["id"] for one in own if one.get("kernelRef", {}).get("id") in lacking)


def agrees(result: kp.Result, expected: Said) -> None:
    """Hold what strict says to what must be said, in any order of a step's rules.

    But for pipelines, these graphs have no other findings.
    """
    known = {"strict/pipeline-slots/readable-pipeline"}
    found = [(one.severity, one.message) for one in result.diagnostics if one.rule not in known]
    assert sorted(found) == sorted(expected.findings)
    if expected.prefill is not None:
        assert dtypes_of(result, "prefill") == expected.prefill
        assert dtypes_of(result, "decode") == expected.decode
        emitted(result.value["runtimeInferencePatch"], expected)


def emitted(patch: Any, expected: Said) -> None:
    """Hold the emitted path and pipeline, as their readers take them, to what each layer runs in each phase."""
    pipeline = patch.get("pipeline")
    assert refusals(pipeline) == []
    for number, runs in enumerate(expected.layers):
        for phase, steps in runs.items():
            if "kernelPath" in patch:
                found = lists(patch["kernelPath"], number)[phase]
                assert [one["kernel"] for one in found] == [one["kernel"] for one, _, _ in steps if one["op"] != "cast"]
            if pipeline:
                own = next(
                    (one["steps"] for one in pipeline["overrides"] if number in one["layers"]), pipeline["steps"]
                )
                in_phase = [one for one in own if one["phase"] in (phase, "both") and "inputDtype" in one]
                assert [(one["op"], one["inputDtype"], one["outputDtype"]) for one in in_phase] == [
                    (one["op"], read, written) for one, read, written in steps
                ]


@settings(max_examples=250)
@given(own=listed(7), layers=st.integers(0, 5), dtype=DTYPES, transitions=st.booleans(), odd=st.integers(0, 9))
def test_findings_and_dtypes_are_those_of_every_layer(
    own: list[Any], layers: int, dtype: str, transitions: bool, odd: int
) -> None:
    """Whatever the graph, each finding has the layers in which a plain walk makes it, and so has each dtype."""
    for one in own:
        if layers and one["layers"] != "all":
            one["layers"] = sorted({number % layers for number in one["layers"]})
    unprofiled = without_profile(own, frozenset(one["id"] for one in own[:1] if odd == 0))
    result = asked(own, layers, dtype, transitions, unprofiled, loaded(STRICT))
    agrees(result, said(own, layers, dtype, transitions, unprofiled))


@st.composite
def gentle(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw a graph in which little can be wrong: all slots are written first, and steps take what they find."""
    begun = [cast(f"b{slot}", draw(DTYPES), dst=slot, section="preLayer") for slot in "xy"]
    if draw(st.booleans()):
        begun = [{**one, "phase": "prefill"} for one in begun]
    rest = draw(listed(6))
    for one in rest:
        one.pop("fromDtype", None)
        if one["op"] in ("cast", "attention"):
            one.pop("precision", None)
        if one["op"] == "attention":
            one |= {"op": "ffn", "kernel": "rmsnorm.wgsl", "kernelRef": step("a")["kernelRef"]}
        if one.get("kernel") == "matmul_f32.wgsl":
            one.pop("precision", None)
    return [*rest[:3], *begun, *rest[3:]]


@settings(max_examples=250)
@given(own=gentle(), layers=st.integers(0, 5), dtype=DTYPES)
def test_right_graphs_have_each_layer_s_dtypes(own: list[Any], layers: int, dtype: str) -> None:
    """Where dtypes may change without a cast, each step has the dtypes of each layer and phase, and of one round."""
    for one in own:
        if layers and one["layers"] != "all":
            one["layers"] = sorted({number % layers for number in one["layers"]})
    result = asked(own, layers, dtype, False, frozenset(), loaded(STRICT))
    agrees(result, said(own, layers, dtype, False, frozenset()))


@settings(max_examples=120)
@given(data=st.data(), own=listed(4), layers=st.sampled_from([0, 5]), dtype=DTYPES)
def test_patched_graphs_are_walked_as_they_are_patched(
    data: st.DataObject, own: list[Any], layers: int, dtype: str
) -> None:
    """Sets, removes and adds change the graph that is walked, in the order that the patch gives it."""
    patch = data.draw(patches(own))
    added = [change["step"] for change in patch["add"]]
    request = manifest(own, own=session(dtype, kvcache={"kvDtype": "f32"}), added=added)
    runtime = {"executionPatch": patch}
    result = kp.compile(request, pack=loaded(STRICT), runtime=runtime, num_layers=layers, catalog="doppler-0.1.7")
    agrees(result, said(patched(own, patch), layers, dtype, True, frozenset()))


@settings(max_examples=150)
@given(own=listed(7, copies=True), layers=st.integers(0, 3), dtype=DTYPES)
def test_dtypes_that_travel_for_rounds_are_followed(own: list[Any], layers: int, dtype: str) -> None:
    """With steps that copy their slot's dtype, slots swap and shift for many rounds, and every round is looked at."""
    for one in own:
        if layers and one["layers"] != "all":
            one["layers"] = sorted({number % layers for number in one["layers"]})
    result = asked(own, layers, dtype, True, frozenset(), kp.load_pack(str(COPYING)))
    agrees(result, said(own, layers, dtype, True, frozenset(), copies=True))


def moves(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    """Return copying steps of decode, from slot to slot."""
    return [
        step(f"m{number}", op="noop", src=src, dst=dst, phase="decode", section="postLayer")
        for number, (src, dst) in enumerate(pairs)
    ]


@pytest.mark.parametrize("length", [1, 2, 5, 12])
def test_a_dtype_that_travels_far_is_found_at_its_end(length: int) -> None:
    """A chain of slots passes an f16 on, one slot a round, until the last step meets it."""
    names = [f"x{number}" for number in range(length + 1)]
    begun = [step(f"p{name}", dst=name, phase="prefill", section="postLayer") for name in names]
    half = cast("c", "f16", dst="x0", phase="decode", section="preLayer")
    end = step("end", src=names[-1], dst="out", phase="decode", section="preLayer", precision={"inputDtype": "f32"})
    chain = moves(*[(names[at], names[at + 1]) for at in reversed(range(length))])
    result = compiled(*begun, half, end, *chain, pack=kp.load_pack(str(COPYING)), layers=1)
    assert errors(result) == [f"step `end` reads slot `{names[-1]}` as f32, but it holds f16"]


def cycles(*sizes: int) -> list[dict[str, Any]]:
    """Return a graph in which slots change places in cycles of these sizes, one slot of each holding f16."""
    own: list[dict[str, Any]] = []
    for number, size in enumerate(sizes):
        names = [f"c{number}.{at}" for at in range(size)]
        own += [
            cast(f"p{name}", "f16" if at == 0 else "f32", dst=name, phase="prefill", section="preLayer")
            for at, name in enumerate(names)
        ]
        turn = [
            (names[-1], "kept"),
            *[(names[at], names[at + 1]) for at in reversed(range(size - 1))],
            ("kept", names[0]),
        ]
        own += [{**move, "id": f"{number}.{move['id']}"} for move in moves(*turn)]
    return own


def test_slots_that_change_places_come_round() -> None:
    """Cycles of two, three and five slots are back where they were after thirty rounds, and the walk ends."""
    own = cycles(2, 3, 5)
    result = asked(own, 1, "f32", True, frozenset(), kp.load_pack(str(COPYING)))
    agrees(result, said(own, 1, "f32", True, frozenset(), copies=True))


def test_slots_that_do_not_settle_are_given_up() -> None:
    """Cycles that would take 2,310 rounds to come round are refused with the limit, and without a hang."""
    result = asked(cycles(2, 3, 5, 7, 11), 1, "f32", True, frozenset(), kp.load_pack(str(COPYING)))
    assert errors(result) == ["the slots do not settle in 1,000 rounds"]


@pytest.mark.parametrize("count", [1, 2, 96])
def test_equal_layers_are_visited_once(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many layers run the same steps on the same slots, each step is taken through the rules once a phase."""
    taken: list[int] = []
    visit = Unrolled._effect

    def counted(self: Unrolled, position: int, held: Any) -> Any:
        taken.append(position)
        return visit(self, position, held)

    monkeypatch.setattr(Unrolled, "_effect", counted)
    assert errors(compiled(step("a"), step("b", dst="x"), step("c", src="x"), layers=count)) == []
    assert sorted(taken) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("named", "walked"), [([], 1), ([[0]], 1), ([[3]], 4), ([[1], [0, 2]], 3)])
def test_an_unknown_number_of_layers_reaches_to_the_highest_that_is_named(named: list[list[int]], walked: int) -> None:
    """Without a number the flow goes through layer 0 up to the highest that a step names, and through one at least."""
    own = [step(f"s{number}", layers=layers) for number, layers in enumerate(named)]
    result = compiled(*own, step("r", src="gone"), layers=0)
    numbers = list(range(walked))
    text = f"layer{'s' if walked > 1 else ''} " + (f"0 to {walked - 1}" if walked > 2 else ", ".join(map(str, numbers)))
    assert errors(result) == [f"step `r` reads slot `gone` before it is produced, in {text}"]
