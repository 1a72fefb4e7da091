"""The library `execution-graph`: what is mechanical in judging the execution graphs of models, as typed built-ins.

Patching lists of steps, sorting steps into the lists of a kernel path, deriving a graph from a kernel path, provenance
of merged objects. Which step may run, and why, is said by rules.
"""

from __future__ import annotations

from functools import wraps

from kernelpath.execution_graph.answers import extent, unjudged
from kernelpath.execution_graph.derive import derive_steps
from kernelpath.execution_graph.devices import device_file, device_given, shipped_devices
from kernelpath.execution_graph.interleave import interleave as interleaved
from kernelpath.execution_graph.interleave import varying as varying_ids
from kernelpath.execution_graph.layers import layer_table, named
from kernelpath.execution_graph.lifetimes import unwritten
from kernelpath.execution_graph.origins import trace
from kernelpath.execution_graph.patch import patch_edits, patch_steps
from kernelpath.execution_graph.rewrites import Rewrites, read_rewrites
from kernelpath.execution_graph.rewriting import rewrite
from kernelpath.execution_graph.tuples import patch_tuples
from kernelpath.graph.catalog import check_catalog, load_catalog, load_presets
from kernelpath.graph.fresh import fresh
from kernelpath.language import EvaluationError
from kernelpath.language.builtins.declarations import DataFault, Failure, builtin, library_data, library_record
from kernelpath.packs.libraries import FILES, NAMES, RESOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import SimpleNamespace
    from typing import Any

__all__ = ["LIBRARY", "extent", "unjudged"]

LIBRARY = "execution-graph"
DEFAULT_CATALOG = "doppler-0.1.7"

library_record("PatchIds", kept="int", known="map<int>")
library_record("Patched", steps="list<json>", origins="list<string>", touched="map<json>")
library_record(
    "LayerSteps",
    index="int",
    decode="list<object>",
    prefill="list<object>",
    decode_key="int",
    prefill_key="int",
)
library_record(
    "LayerLists",
    base="LayerSteps",
    layers="list<LayerSteps>",
    items="list<object>",
    pre_layer="list<object>",
    post_layer="list<object>",
    sampling="list<object>",
)
library_record("NamedLayers", highest="int", repeated="list<int>")
library_record("Rewritten", graph="object", changed="bool", missing="list<string>")
library_data("Rewrites")(read_rewrites)
library_record("Derived", steps="list<object>", references="list<object>", unpinned="list<string>")


def _catalog(given: Any) -> Mapping[str, Any]:
    name = DEFAULT_CATALOG if given is None else given
    return load_catalog(name) if isinstance(name, str) else check_catalog(name)


def _presets(given: Any) -> Mapping[str, Any]:
    return load_presets() if given is None else given


RESOURCES["catalogs"] = _catalog
RESOURCES["paths"] = _presets
RESOURCES["devices"] = device_given
FILES["devices"] = device_file
NAMES["devices"] = shipped_devices


def _on_any_input(function: Callable[..., Any]) -> Callable[..., Any]:
    """Report what a built-in cannot work on as a fault of the input: JSON has types only as far as rules check it."""

    @wraps(function)
    def guarded(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            name = function.__name__.rstrip("_")
            raise EvaluationError(f"`{name}` cannot work on this: {type(error).__name__} {error}") from error

    return guarded


@builtin(
    "own(x: json) -> json",
    doc="The value as a copy, for shipped data that becomes part of an answer: the answer is the caller's to change.",
    examples=[('own(member("a", [1]))', {"a": [1]})],
    library=LIBRARY,
    work={0: "deep"},
)
def own(x: Any) -> Any:
    return fresh(x)


@builtin(
    "patch_ids(steps: list<json>, patch: json, options: object) -> PatchIds",
    doc="How many steps the sets and removes of a patch leave, and where each id of the patched list stands first. "
    "Options: `identity`, the member that names a step.",
    examples=[
        (
            'patch_ids([member("id", "a"), member("id", "b")], member("remove", [member("id", "a")]), '
            'member("identity", "id")).kept',
            1,
        ),
        (
            'patch_ids([member("id", "a")], member("add", [member("step", member("id", "n"))]), '
            'member("identity", "id")).known',
            {"n": 1, "a": 0},
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def patch_ids(steps: Sequence[Any], patch: Any, options: Mapping[str, Any]) -> SimpleNamespace:
    return patch_edits(options, steps, patch)


@builtin(
    "patched(steps: list<json>, patch: json, options: object) -> Patched",
    doc="The steps after the sets, the removes and the adds of a patch; where each was written; and which members of a "
    "step, by its id, the patch gave. Options: `identity`; `touches`, the members that are traced; `places`, the "
    "pointers of the list (`step`) and of the adds (`added`); `merges`, members whose objects a set adds to; "
    "`families`, whether a step is added after the families of its earlier siblings; `objects`, whether only objects "
    "are traced. Without a patch the very list is given back.",
    examples=[
        (
            'patched([member("id", "a"), member("id", "b")], member("remove", [member("id", "a")]), '
            'spread(spread(member("identity", "id"), member("touches", [])), member("places", '
            'mapping(["step", "added"], ["m#/steps", "r#/add"])))).origins',
            ["m#/steps/1"],
        ),
        (
            'patched([member("id", "a")], null, spread(spread(member("identity", "id"), member("touches", '
            '[])), member("places", mapping(["step", "added"], ["m#/steps", "r#/add"])))).steps',
            [{"id": "a"}],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def patched(steps: Sequence[Any], patch: Any, options: Mapping[str, Any]) -> SimpleNamespace:
    return patch_steps(options, steps, patch)


@builtin(
    "layer_lists(emitted: list<object?>, parts: list<string>, decode: list<bool>, prefill: list<bool>, "
    "layers: list<json>, count: int, options: object) -> LayerLists",
    doc="The steps sorted into the lists of a kernel path: layer 0 (`base`), every layer, all distinct steps of layers "
    "(`items`), and the lists outside the layers. Lists with equal keys are equal as JSON. `parts` says for each step "
    "which list outside it belongs to, if any, `decode` and `prefill` whether it is in a layer's list, `layers` on "
    "which layers. Options: `key_order` false ignores the order of members.",
    examples=[
        (
            'layer_lists([member("op", "x")], [""], [true], [false], ["all"], 2, member("key_order", '
            "true)).base.decode",
            [{"op": "x"}],
        ),
        (
            'length(layer_lists([member("op", "x")], [""], [true], [false], ["all"], 2, member("key_order", '
            "true)).layers)",
            2,
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def layer_lists(
    emitted: Sequence[Any],
    parts: Sequence[str],
    decode: Sequence[bool],
    prefill: Sequence[bool],
    layers: Sequence[Any],
    count: int,
    options: Mapping[str, Any],
) -> SimpleNamespace:
    return layer_table(options, emitted, parts, layers, count, decode=decode, prefill=prefill)


@builtin(
    "named_layers(layers: list<json>) -> NamedLayers",
    doc="The highest layer that some list of layers names, -1 if none does, and those that are named more than once.",
    examples=[
        (
            "named_layers([[0], [2, 2]]).highest",
            2,
        ),
        (
            "named_layers([[0], [2, 2]]).repeated",
            [2],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def named_layers(layers: Sequence[Any]) -> SimpleNamespace:
    return named(layers)


@builtin(
    "derived_graph(path: json, catalog: map<T>, layers: int, options: object) -> Derived",
    doc="The steps of a kernel path as those of a graph, their distinct kernel references, and the kernels that the "
    "catalogue lacks. `layers` is how many layers the model has, 0 if unknown. Options: `parts`, which lists become "
    "steps of which section and phase; `slots`, `copied` and `always`, the members of a step; `overrides` and "
    "`overridden`, where lists of single layers stand and of which section.",
    examples=[
        (
            'derived_graph(null, mapping(["k#main"], [1]), 0, spread(spread(spread(member("parts", []), '
            'member("slots", null)), member("copied", [])), member("always", null))).steps',
            [],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def derived_graph(path: Any, catalog: Mapping[str, Any], layers: int, options: Mapping[str, Any]) -> SimpleNamespace:
    return derive_steps(options, path, catalog, layers)


@builtin(
    "sources_of(merged: json, layers: list<json>, names: list<string>, prefix: string) -> map<object>",
    doc="For the path of each leaf of a merged object, the name of the first layer that has it, under `source`; "
    "`derived` if none has.",
    examples=[
        ('sources_of(member("a", 1), [member("a", 2), null], ["over", "under"], "x")', {"x.a": {"source": "over"}}),
        ('sources_of(member("a", 1), [null], ["over"], "x")', {"x.a": {"source": "derived"}}),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
def sources_of(merged: Any, layers: Sequence[Any], names: Sequence[str], prefix: str) -> dict[str, Any]:
    return trace(merged, layers, names, prefix)


@builtin(
    "interleave(order: list<string>, first: list<object>, second: list<object>, options: object) -> list<object>",
    doc="For each id of `order` its steps of the first list, then those of the second; steps that both have alike are "
    "there once. Options: `identity`; `member` and `names`: what steps that differ get, one name for each list.",
    examples=[
        (
            'interleave(["a"], [member("id", "a")], [member("id", "a")], spread(spread(member("identity", '
            '"id"), member("member", "phase")), member("names", ["prefill", "decode"])))',
            [{"id": "a"}],
        ),
        (
            'interleave(["a"], [mapping(["id", "x"], ["a", "y"])], [member("id", "a")], '
            'spread(spread(member("identity", "id"), member("member", "phase")), member("names", ["prefill", '
            '"decode"])))',
            [{"id": "a", "x": "y", "phase": "prefill"}, {"id": "a", "phase": "decode"}],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def interleave(
    order: Sequence[str], first: Sequence[Any], second: Sequence[Any], options: Mapping[str, Any]
) -> list[Any]:
    return interleaved(options, order, first, second)


@builtin(
    "varying(steps: list<object>, options: object) -> list<string>",
    doc="The ids of steps with several outcomes on a common layer, or outside the layers. Options: `identity`; `on`, "
    "the member with the layers of an outcome.",
    examples=[
        (
            'varying([member("id", "a"), member("id", "a")], mapping(["identity", "on"], ["id", "layers"]))',
            ["a"],
        ),
        (
            'varying([member("id", "a"), member("id", "b")], mapping(["identity", "on"], ["id", "layers"]))',
            [],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def varying(steps: Sequence[Any], options: Mapping[str, Any]) -> list[str]:
    return varying_ids(options, steps)


@builtin(
    "unwritten_reads(layers: list<LayerSteps>, options: object) -> list<object>",
    doc="Each slot that some layer's decode list reads before it writes it, with the `op` of the step. Options: "
    "`always`, slots that are there from the start; `reads` and `writes`, the members that hold slots.",
    examples=[
        (
            'unwritten_reads(layer_lists([mapping(["op", "src"], ["x", "s"])], [""], [true], [false], '
            '["all"], 1, member("key_order", true)).layers, spread(spread(member("always", ["state"]), '
            'member("reads", [member("member", "src")])), member("writes", [])))',
            [{"op": "x", "slot": "s"}],
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def unwritten_reads(layers: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    return unwritten(options, layers)


@builtin(
    "patched_tuples(graph: object, added: list<json>, sets: list<json>, sections: list<string>) -> object",
    doc="A graph of step tuples with kernels added to its table, each `kernel` under its `key`, and then with what "
    "each set gives to the steps of its `op`, in all sections or in its `section`: `kernelKey` and `weights`. Sections "
    "are named as in `sections`, in any case. What is not changed is the graph's own.",
    examples=[
        (
            'patched_tuples(member("decode", [["q", "a"]]), [], [mapping(["op", "kernelKey"], ["q", "b"])], '
            '["decode"]).decode',
            [["q", "b"]],
        ),
        (
            'patched_tuples(object(null), [spread(member("key", "k"), member("kernel", member("entry", "f")))], [], [])'
            ".kernels",
            {"k": {"entry": "f"}},
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def patched_tuples(
    graph: Mapping[str, Any], added: Sequence[Any], sets: Sequence[Any], sections: Sequence[str]
) -> dict[str, Any]:
    return patch_tuples(graph, added, sets, sections)


@builtin(
    "rewritten(graph: object, transforms: list<string>, holds: map<bool>, rewrites: Rewrites) -> Rewritten",
    doc="A graph of step tuples after transforms, one after the other: each rewrites kernels of the table, or assigns "
    "kernels to steps. `holds` says which conditions that the transforms name hold. A transform that changes nothing "
    "gives the graph on as it was; `changed` says whether any did. `missing` are the ops of steps that a transform "
    "cannot do without, and that the graph lacks; it is then unchanged.",
    examples=[
        (
            'rewritten(member("kernels", member("k", member("kernel", "a"))), ["t"], mapping(["wide"], [true]), '
            'rewrites(spread(member("derivations", member("d", [mapping(["files", "to"], ["a", "b"])])), '
            'member("transforms", member("t", member("edits", [member("derive", ["d"])])))))).graph.kernels',
            {"k": {"kernel": "b", "entry": None, "digest": None}},
        ),
        (
            'rewritten(member("kernels", object(null)), ["t"], mapping(["wide"], [true]), rewrites(member("transforms",'
            ' member("t", object(null))))).changed',
            False,
        ),
        (
            'rewritten(member("kernels", object(null)), ["u"], mapping(["wide"], [true]), rewrites(member("transforms",'
            ' member("t", object(null))))).changed',
            Failure("unknown transform `u`; known are `t`"),
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
@_on_any_input
def rewritten(
    graph: dict[str, Any], transforms: Sequence[str], holds: Mapping[str, bool], rewrites: Rewrites
) -> SimpleNamespace:
    return rewrite(graph, transforms, holds, rewrites)


@builtin(
    "rewrites(data: json) -> Rewrites",
    doc="What plain data says of rewriting graphs: `precisions` and `precisions_by_name` of derived kernels; `maps` "
    "from a file to the one that takes its place; `derivations`, rows of which the first that fits a kernel counts; "
    "`transforms`, whose `edits` find kernels, derive others from them, store these in place or under a new key, and "
    "assign that key to steps. A constant of type `Rewrites` is made of such data once.",
    examples=[
        ('transform_names(rewrites(member("transforms", member("t", object(null)))))', ["t"]),
        (
            'transform_names(rewrites(member("tables", 1)))',
            Failure(
                "`rewrites` cannot read this: unknown member `tables`; "
                "known are precisions, precisions_by_name, maps, derivations, transforms"
            ),
        ),
    ],
    library=LIBRARY,
    work={0: "deep"},
)
def rewrites_(data: Any) -> Rewrites:
    try:
        return read_rewrites(data)
    except DataFault as fault:
        raise EvaluationError(f"`rewrites` cannot read this: {fault.message}") from fault


@builtin(
    "transform_names(rewrites: Rewrites) -> list<string>",
    doc="The names of the transforms that the data has.",
    examples=[('transform_names(rewrites(member("transforms", member("t", object(null)))))', ["t"])],
    library=LIBRARY,
)
def transform_names(rewrites: Rewrites) -> list[str]:
    return list(rewrites.transforms)
