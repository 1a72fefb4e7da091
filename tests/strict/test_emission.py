"""What strict emits: the kernel path and the layer pipeline, layer by layer and phase by phase (B01 to B15)."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kernelpath as kp

from .asked import ask, blamed, errors, path_of, pipeline_of, record, rules, warnings
from .graphs import cast, compiled, step


def lists(path: Any, layer: int) -> dict[str, list[Any]]:
    """Return what a layer runs in each phase by the emitted path, as an executor reads it."""
    for override in path.get("layerOverrides", []):
        if layer in override["layers"]:
            return {phase: override[phase]["steps"] for phase in ("decode", "prefill")}
    return {phase: path[phase]["steps"] for phase in ("decode", "prefill")}


def runs(path: Any, layers: int) -> list[dict[str, list[Any]]]:
    """Return the constant K of each step that each layer runs, by phase."""
    return [
        {phase: [one["constants"]["K"] for one in steps] for phase, steps in lists(path, layer).items()}
        for layer in range(layers)
    ]


def marked(name: str, **members: Any) -> dict[str, Any]:
    """Return a step with its own id as constant K."""
    return step(name, constants={"K": name}, **members)


def piped(pipeline: Any, layer: int) -> list[tuple[str, str, str | None]]:
    """Return op, phase and inputDtype of each pipeline step of a layer, as the layer planner picks them."""
    steps = next((o["steps"] for o in pipeline["overrides"] if layer in o["layers"]), pipeline["steps"])
    return [(one["op"], one["phase"], one.get("inputDtype")) for one in steps]


def test_an_override_keeps_the_steps_of_both_phases() -> None:
    """B01: layer 1 decodes with d1 and prefills with p, constants and all."""
    assert runs(path_of(ask(record("B01"))), 2) == [
        {"decode": ["d0"], "prefill": ["p"]},
        {"decode": ["d1"], "prefill": ["p"]},
    ]


@pytest.mark.parametrize("layer", [0, 1, 3])
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_one_layer_differs_in_one_phase(layer: int, phase: str) -> None:
    """Whichever layer and phase has a step of its own, all others run the common ones."""
    own = marked("own", phase=phase, layers=[layer])
    found = runs(path_of(compiled(marked("common"), own, layers=4)), 4)
    for number in range(4):
        for name in ("decode", "prefill"):
            expected = ["common", "own"] if (number, name) == (layer, phase) else ["common"]
            assert found[number][name] == expected


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
def test_lists_keep_the_order_of_the_graph(order: tuple[str, ...]) -> None:
    """In every layer and phase the steps stand as in the manifest."""
    where: dict[str, Any] = {"a": "all", "b": [1], "c": [0, 1]}
    path = path_of(compiled(*[marked(name, layers=where[name]) for name in order], layers=3))
    for layer, kept in ((0, "ac"), (1, "abc"), (2, "a")):
        assert lists(path, layer)["decode"] == lists(path, layer)["prefill"]
        assert runs(path, 3)[layer]["decode"] == [name for name in order if name in kept]


@pytest.mark.parametrize(("layers", "count"), [([0], 3), ([1], 3), ([2], 3), ([0, 2], 4)])
def test_a_layer_without_steps_runs_nothing(layers: list[int], count: int) -> None:
    """B02, B03: only the layers that a step names run it, and a path is emitted whichever these are."""
    found = runs(path_of(compiled(marked("a", layers=layers), layers=count)), count)
    assert [bool(lists["decode"]) for lists in found] == [number in layers for number in range(count)]
    assert [bool(lists["prefill"]) for lists in found] == [number in layers for number in range(count)]


def test_a_path_without_steps_in_layer_0_keeps_what_stands_outside() -> None:
    """B03: the recorded graph keeps its preLayer step, and layers 1 and 2 run theirs."""
    path = path_of(ask(record("B03")))
    assert [one["op"] for one in path["preLayer"]] == ["ffn"]
    assert [len(lists(path, layer)["decode"]) for layer in range(3)] == [0, 1, 1]


@pytest.mark.parametrize("section", ["preLayer", "postLayer"])
def test_a_path_of_steps_outside_the_layers_alone(section: str) -> None:
    """A graph without any layer step has a path too, its layers empty and no override."""
    path = path_of(compiled(marked("a", section=section), layers=3))
    assert (path["decode"], path["prefill"]) == ({"steps": []}, {"steps": []})
    assert "layerOverrides" not in path
    assert [one["constants"] for one in path[section]] == [{"K": "a"}]


def test_a_graph_of_casts_alone_has_no_path() -> None:
    """What a kernel path has no word for makes no path."""
    result = compiled(cast("up", "f32", fromDtype="f32"), layers=2)
    assert errors(result) == []
    assert "kernelPath" not in result.value["runtimeInferencePatch"]


@pytest.mark.parametrize(("phase", "other"), [("decode", "prefill"), ("prefill", "decode")])
@pytest.mark.parametrize("count", [1, 3])
def test_a_graph_of_one_phase_has_an_empty_other_one(phase: str, other: str, count: int) -> None:
    """B04: no overrides, and nothing runs in the phase that the graph says nothing of."""
    path = path_of(compiled(marked("a", phase=phase), layers=count))
    assert "layerOverrides" not in path
    assert (len(path[phase]["steps"]), path[other]["steps"]) == (1, [])


@pytest.mark.parametrize("phase", [" Both ", "BOTH", ["both"], "\tboth\n", "both\ufeff"])
@pytest.mark.parametrize("section", ["layer", " layer ", "layer\n"])
def test_phases_and_sections_are_made_plain(phase: Any, section: str) -> None:
    """B05, B06: what is accepted however it is written is emitted as if it were written plainly."""
    plain = path_of(compiled(marked("a"), marked("b", op="conv")))
    assert path_of(compiled(marked("a", phase=phase, section=section), marked("b", op="conv"))) == plain


@pytest.mark.parametrize(("section", "list_name"), [(" preLayer", "preLayer"), ("postLayer ", "postLayer")])
def test_sections_outside_the_layers_are_made_plain(section: str, list_name: str) -> None:
    """A step outside the layers gets into its section's list however the section is written."""
    path = path_of(compiled(marked("l"), marked("a", section=section, phase=" Decode ")))
    assert [(one["constants"]["K"], one["phase"]) for one in path[list_name]] == [("a", "decode")]


@pytest.mark.parametrize("section", ["Layer", "pre_layer", "", None])
def test_a_section_that_there_is_not_is_refused(section: Any) -> None:
    """Sections are compared in their own case; another word is refused, not dropped."""
    assert rules(compiled(step("a", section=section))) == ["execution-v0/step-shape/step-section"]


@pytest.mark.parametrize(
    ("kernel", "entry"),
    [(" rmsnorm.wgsl ", "main"), ("rmsnorm.wgsl", " main "), ("rmsnorm.wgsl\n", "\tmain"), ("rmsnorm.wgsl", "  ")],
)
def test_kernel_and_entry_are_emitted_trimmed(kernel: str, entry: str) -> None:
    """B07: what was validated trimmed reaches the executor trimmed, in every list of the path."""
    outside = step("o", kernel=kernel, section="postLayer", kernelRef=step("x")["kernelRef"], entry=entry)
    inside = step("i", kernel=kernel, kernelRef=step("x")["kernelRef"], entry=entry, layers=[1])
    path = path_of(compiled(outside, inside, step("all")))
    named = [*path["postLayer"], *lists(path, 0)["decode"], *lists(path, 1)["prefill"]]
    assert {(one["kernel"], one["entry"]) for one in named} == {("rmsnorm.wgsl", "main")}


@pytest.mark.parametrize("section", ["preLayer", "postLayer"])
@pytest.mark.parametrize("order", [("decode", "prefill", "both"), ("both", "prefill", "decode")])
def test_steps_outside_the_layers_keep_their_phase(section: str, order: tuple[str, ...]) -> None:
    """B08: a step of one phase says so, a step of both says nothing, and their order stays."""
    outside = [marked(phase, phase=phase, section=section) for phase in order]
    found = path_of(compiled(marked("l"), *outside))[section]
    assert [(one["constants"]["K"], one.get("phase")) for one in found] == [
        (phase, None if phase == "both" else phase) for phase in order
    ]


def sampler(name: str, phase: str) -> dict[str, Any]:
    """Return a sampling step on a kernel that samples."""
    return step(name, op="sample", kernel="sample.wgsl", entry="sample_single_pass", phase=phase, section="sampling")


def test_sampling_in_prefill_is_emitted() -> None:
    """B09: a sampling step of prefill is in the path with its phase; decode's then has its own."""
    path = path_of(compiled(marked("l"), sampler("p", "prefill")))
    assert [(one["op"], one["phase"]) for one in path["sampling"]] == [("sample", "prefill")]
    path = path_of(compiled(marked("l"), sampler("d", "decode"), sampler("p", "prefill")))
    assert [one["phase"] for one in path["sampling"]] == ["decode", "prefill"]


@pytest.mark.parametrize("phase", ["decode", "both"])
def test_sampling_as_the_reference_writes_it(phase: str) -> None:
    """Where no step says how prefill samples alone, sampling is emitted as ever, without a phase."""
    path = path_of(compiled(marked("l"), sampler("s", phase)))
    assert path["sampling"] == [{"op": "sample", "kernel": "sample.wgsl", "entry": "sample_single_pass"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"A": 1, "B": 2}, {"B": 2, "A": 1}),
        ({"A": {"x": 1, "y": [1, 2]}}, {"A": {"y": [1, 2], "x": 1}}),
        ({"A": 1}, {"A": 1.0}),
    ],
)
def test_equal_lists_make_no_override(one: Any, other: Any) -> None:
    """B10: objects are equal whatever the order of their keys, at any depth, in path and pipeline."""
    result = compiled(step("a", layers=[0], constants=one), step("b", layers=[1, 2], constants=other), layers=3)
    assert "layerOverrides" not in path_of(result)
    assert pipeline_of(result)["overrides"] == []


@pytest.mark.parametrize(
    ("one", "other"), [({"A": 1, "B": 2}, {"A": 2, "B": 1}), ({"A": [1, 2]}, {"A": [2, 1]}), ({"A": 1}, {"A": "1"})]
)
def test_lists_that_differ_make_an_override(one: Any, other: Any) -> None:
    """What is not equal is not taken to be: values, the order of lists, and types count."""
    path = path_of(compiled(step("a", layers=[0], constants=one), step("b", layers=[1], constants=other)))
    assert [override["layers"] for override in path["layerOverrides"]] == [[1]]
    assert lists(path, 1)["decode"][0]["constants"] == other


@pytest.mark.parametrize("count", ["2", "", 2.5, -3, -1, math.nan, math.inf, None, True, [2], {}])
def test_a_number_of_layers_that_is_none_is_refused(count: Any) -> None:
    """B11: only a whole number from 0 counts, of whatever JSON type the other is."""
    assert blamed(compiled(step("a"), layers=count)) == [("strict/limits/whole-layers", "numLayers")]


@pytest.mark.parametrize("count", [0, 1, 2, 2.0, 96])
def test_a_whole_number_of_layers_is_taken(count: Any) -> None:
    """JSON knows one kind of number: 2.0 is 2."""
    assert errors(compiled(step("a"), layers=count)) == []


@pytest.mark.parametrize("count", [65_537, 1e21, 10**30])
def test_too_many_layers_are_refused_with_the_limit(count: Any) -> None:
    """A number that would never come to an end is refused, and the limit named."""
    [message] = errors(compiled(step("a"), layers=count))
    assert message.endswith("layers are more than the limit of 65536")


@pytest.mark.parametrize("count", ["abc", "", "2.5", -1, [2], True])
def test_the_architecture_s_number_of_layers_is_a_number(count: Any) -> None:
    """In a manifest too, what is no number of layers is not taken for none."""
    model = {"modelId": "m", "architecture": {"numLayers": count}, "inference": section(step("a"))}
    assert rules(kp.apply(model, {"inference": {}}, pack="strict")) == ["strict/limits/whole-layers"]


@pytest.mark.parametrize("architecture", [{"numLayers": "3"}, {"numLayers": 3}, {"numLayers": None}, {}, None])
def test_the_architecture_may_leave_the_number_out(architecture: Any) -> None:
    """A text of digits is its number, and a manifest that says nothing is compiled as of unknown depth."""
    model = {"modelId": "m", "architecture": architecture, "inference": section(step("a", layers=[0, 2]))}
    assert errors(kp.apply(model, {"inference": {}}, pack="strict")) == []


def section(*steps: Any) -> Any:
    """Return an inference section of these steps."""
    from .graphs import manifest

    return manifest(steps)


def test_without_a_number_of_layers_every_named_layer_is_emitted() -> None:
    """Where nobody says how many layers there are, the path tells apart those up to the highest that is named."""
    path = path_of(compiled(marked("a", layers=[0]), marked("b", layers=[2]), marked("c"), layers=0))
    assert [found["decode"] for found in runs(path, 3)] == [["a", "c"], ["c"], ["b", "c"]]


def test_the_pipeline_knows_layers() -> None:
    """B12: step a runs on layer 0 alone, and b on layer 1 alone."""
    pipeline = pipeline_of(ask(record("B12")))
    assert [piped(pipeline, layer) for layer in (0, 1)] == [[("conv", "both", "f32")], [("ffn", "both", "f32")]]


@pytest.mark.parametrize("layers", [[0], [1], [2], [0, 2], [1, 2]])
def test_a_pipeline_step_runs_on_its_layers(layers: list[int]) -> None:
    """Whichever layers a step names, the pipeline has it there and nowhere else."""
    pipeline = pipeline_of(compiled(step("a", op="conv"), step("b", layers=layers), layers=3))
    found = [[op for op, _, _ in piped(pipeline, layer)] for layer in range(3)]
    assert found == [["conv", "ffn"] if layer in layers else ["conv"] for layer in range(3)]


def test_a_layer_without_pipeline_steps_idles() -> None:
    """A layer planner takes no empty list, so a layer that runs nothing has a noop."""
    pipeline = pipeline_of(compiled(step("a", layers=[1]), layers=3))
    idle = [("noop", "both", None)]
    assert [piped(pipeline, layer) for layer in range(3)] == [idle, [("ffn", "both", "f32")], idle]


def test_the_pipeline_keeps_the_order_of_the_graph() -> None:
    """B13: in decode the order is conv, ffn, noop."""
    pipeline = pipeline_of(ask(record("B13")))
    assert piped(pipeline, 0) == [("conv", "both", "f32"), ("ffn", "decode", "f32"), ("noop", "both", "f32")]


@pytest.mark.parametrize(
    "phases", [("both", "decode", "prefill"), ("prefill", "both", "decode"), ("decode", "both", "both")]
)
def test_pipeline_steps_of_any_phase_keep_their_order(phases: tuple[str, ...]) -> None:
    """Each phase reads its steps of the pipeline in the order in which the manifest lists them."""
    ops = ("conv", "ffn", "noop")
    pipeline = pipeline_of(compiled(*[step(op, op=op, phase=phase) for op, phase in zip(ops, phases, strict=True)]))
    assert [(op, phase) for op, phase, _ in piped(pipeline, 1)] == list(zip(ops, phases, strict=True))


def test_resolved_steps_are_in_the_order_of_the_graph() -> None:
    """The list of all resolved steps, too, has a step of decode where the manifest has it."""
    steps = ask(record("B13")).value["resolvedSteps"]["all"]
    assert [one["id"] for one in steps] == ["a", "b", "d"]


def test_a_step_of_both_phases_has_the_dtypes_of_each() -> None:
    """B14: after a cast in prefill alone, decode reads f32 and prefill f16."""
    pipeline = pipeline_of(ask(record("B14")))
    assert piped(pipeline, 0) == [("cast", "prefill", "f32"), ("ffn", "prefill", "f16"), ("ffn", "decode", "f32")]


@pytest.mark.parametrize(("phase", "halves"), [("prefill", "prefill"), ("decode", "decode")])
def test_a_cast_in_one_phase_changes_that_phase(phase: str, halves: str) -> None:
    """Whichever phase casts, the other one's dtypes stay, in the resolved steps as in the pipeline."""
    result = compiled(cast("c", "f16", phase=phase), step("n", layers=[0]), cast("u", "f32", phase=phase))
    found = {
        one["phase"]: one["precision"]["inputDtype"] for one in result.value["resolvedSteps"]["all"] if one["id"] == "n"
    }
    assert found == {"prefill": "f32", "decode": "f32"} | {halves: "f16"}


def test_dtypes_that_differ_between_layers_are_told_apart() -> None:
    """Where a step finds another dtype in some layers, each outcome says on which layers it holds."""
    result = compiled(cast("c", "f16", layers=[1]), step("n"), layers=4)
    found = [
        (one["id"], one["layers"], one["precision"]["inputDtype"]) for one in result.value["resolvedSteps"]["decode"]
    ]
    assert found == [("c", [1], "f32"), ("n", [0, 2, 3], "f32"), ("n", [1], "f16")]
    assert [piped(pipeline_of(result), layer) for layer in (0, 1, 2)] == [
        [("ffn", "both", "f32")],
        [("cast", "both", "f32"), ("ffn", "both", "f16")],
        [("ffn", "both", "f32")],
    ]


NORM = {"op": "rmsnorm", "weight": "input"}


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([step("n", op="rmsnorm")], "step `n` is an rmsnorm of the layer pipeline without `weight`"),
        ([step("n", op="rmsnorm", weight=" ")], "step `n` is an rmsnorm of the layer pipeline without `weight`"),
        ([step("s", op="save")], "step `s` is a save of the layer pipeline without `name`"),
        ([step("s", op="load", name="")], "step `s` is a load of the layer pipeline without `name`"),
        ([step("s", op="load", name="kept")], "step `s` of the layer pipeline reads slot `kept`, which nothing writes"),
        ([step("r", op="residual_add")], "step `r` of the layer pipeline reads slot `residual`, which nothing writes"),
        (
            [step("r", op="residual_add", a="x", b="state")],
            "step `r` of the layer pipeline reads slot `x`, which nothing writes",
        ),
        (
            [step("n", **NORM, residual="lost")],
            "step `n` of the layer pipeline reads slot `lost`, which nothing writes",
        ),
    ],
)
def test_a_pipeline_that_its_planner_refuses_is_refused(steps: list[Any], message: str) -> None:
    """B15: weights, names and slots are what the layer planner asks for."""
    assert errors(compiled(*steps)) == [message]


@pytest.mark.parametrize(
    "steps",
    [
        [step("n", **NORM)],
        [step("s", op="save", name="residual"), step("n", **NORM), step("r", op="residual_add")],
        [step("s", op="save", name="x"), step("l", op="load", name="x")],
        [step("w", dst="x"), step("r", op="residual_add", a="state", b="x")],
        [step("w", dst="x"), step("n", **NORM, residual="x")],
        [step("r", op="residual_add", a="state", b="state")],
    ],
)
def test_a_pipeline_that_its_planner_takes_is_emitted(steps: list[Any]) -> None:
    """The same steps with all that the layer planner asks for make a pipeline."""
    result = compiled(*steps)
    assert [op for op, _, _ in piped(pipeline_of(result), 0)] == [one["op"] for one in steps]
    assert warnings(result) == []


def test_outside_a_pipeline_nobody_asks_for_its_members() -> None:
    """Where some step has no word in a pipeline there is none, and its rules do not apply."""
    result = compiled(step("n", op="rmsnorm"), step("q", op="q_proj", kernel="matmul_f32.wgsl"))
    assert errors(result) == []
    assert "pipeline" not in result.value["runtimeInferencePatch"]


def test_a_pipeline_that_reads_across_layers_is_left_out() -> None:
    """A planner knows no slot that another layer wrote: the graph is right, but its pipeline cannot be written."""
    result = compiled(step("w", dst="x", layers=[0]), step("r", src="x", layers=[1]))
    assert errors(result) == []
    assert "pipeline" not in result.value["runtimeInferencePatch"]
    assert warnings(result) == [
        "there is no layer pipeline: `ffn` reads slot `x` in a layer that has not written it before"
    ]
