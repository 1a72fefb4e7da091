"""The pack of ONNX graphs on models that show each of its rules: check, explain, fix, and the pack's own tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Ran
from examples.needing import need_onnx

need_onnx()

import onnx  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

Cli = Callable[..., Ran]
HALF, SINGLE = TensorProto.FLOAT16, TensorProto.FLOAT
PACK = ("--pack", "onnx")


def node(operator: str, name: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    """Return a node whose tensors are separated by blanks."""
    return helper.make_node(operator, inputs.split(), outputs.split(), name=name, **attributes)


def saved(folder: Path, nodes: Sequence[onnx.NodeProto], opset: int = 18, **outputs: int) -> None:
    """Write a model of nodes with an input `x` in float32 and one `w` in float16."""
    given = [helper.make_tensor_value_info(name, kind, ["n"]) for name, kind in (("x", SINGLE), ("w", HALF))]
    wanted = [helper.make_tensor_value_info(name, kind, ["n"]) for name, kind in outputs.items()]
    graph = helper.make_graph(nodes, "mixed", given, wanted)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def lines(ran: Ran) -> list[str]:
    """Return the findings of a quiet check without the name of the file."""
    return [line.removeprefix("model.onnx: ") for line in ran.out.splitlines()]


NARROW = node("Cast", "narrow", "x", "x16", to=HALF)


@pytest.mark.parametrize(
    ("nodes", "outputs", "found"),
    [
        ([NARROW, node("Add", "sum", "x16 w", "y")], {"y": HALF}, []),
        (
            [node("Add", "sum", "x w", "y")],
            {"y": SINGLE},
            ["node `sum` (Add): error[onnx/nodes/one-float-type]: node `sum` reads float32 and float16"],
        ),
        (
            [node("Cast", "idle", "x", "a", to=SINGLE), node("Relu", "relu", "a", "y")],
            {"y": SINGLE},
            ["node `idle` (Cast): warning[onnx/casts/no-idle-cast]: cast `idle` makes float32 of float32"],
        ),
        (
            [NARROW, node("Cast", "back", "x16", "y", to=SINGLE)],
            {"y": SINGLE},
            [
                "node `back` (Cast): warning[onnx/casts/no-round-trip]: "
                "cast `back` makes float32 of what `narrow` made float16 of float32"
            ],
        ),
        (
            [node("ReduceMean", "mean", "w", "y")],
            {"y": HALF},
            ["node `mean` (ReduceMean): warning[onnx/nodes/wide-sums]: node `mean` sums up in float16"],
        ),
        (
            [node("LayerNormalization", "norm", "w w", "y", stash_type=HALF)],
            {"y": HALF},
            [
                "node `norm` (LayerNormalization): warning[onnx/nodes/wide-statistics]: "
                "node `norm` computes its statistics in float16"
            ],
        ),
        (
            [node("Neg", "", "w", "y")],
            {"y": SINGLE},
            ["error[onnx/results/type-kept]: output `y` is declared as `float32`, and holds float16"],
        ),
        (
            [node("Nag", "n", "w", "y")],
            {"y": SINGLE},
            ["node `n` (Nag): note[onnx/nodes/operator-known]: operator `Nag` of node `n` is unknown"],
        ),
    ],
)
def test_each_rule_on_a_model(
    cli: Cli, folder: Path, nodes: list[onnx.NodeProto], outputs: dict[str, int], found: list[str]
) -> None:
    """A finding is at the node that a person sees, and nothing else is found."""
    saved(folder, nodes, **outputs)
    ran = cli("check", "model.onnx", *PACK, "-q")
    assert (ran.code, lines(ran)) == (1 if any(": error[" in f": {each}" for each in found) else 0, found)


def test_old_operator_sets_are_warned_of(cli: Cli, folder: Path) -> None:
    """The place is the operator set."""
    saved(folder, [node("Relu", "r", "x", "y")], opset=6, y=SINGLE)
    assert lines(cli("check", "model.onnx", *PACK, "-q")) == [
        "operator set of `ai.onnx`: warning[onnx/opsets/version-known]: operator set 6 is not one from 7 to 28"
    ]


def test_a_finding_for_people_and_for_tools(cli: Cli, folder: Path) -> None:
    """A file without lines is pointed into by names, and tools get the pointer as well."""
    saved(folder, [node("Add", "sum", "x w", "y")], y=SINGLE)
    text = cli("check", "model.onnx", *PACK).out
    head = "error[onnx/nodes/one-float-type]: node `sum` reads float32 and float16\n --> model.onnx: node `sum` (Add)\n"
    assert text.startswith(head)
    [found] = json.loads(cli("check", "model.onnx", *PACK, "--format", "json").out)["diagnostics"]
    assert (found["pointer"], found["span"]["origin"]) == ("/nodes/0/input", "node `sum` (Add)")
    for format in ("sarif", "junit", "github"):
        assert "reads float32 and float16" in cli("check", "model.onnx", *PACK, "--format", format).out


def test_a_type_is_explained_through_the_graph(cli: Cli, folder: Path) -> None:
    """The explanation goes back to the node that wrote the tensor, and to the attribute that it was given."""
    saved(folder, [NARROW, node("Relu", "relu", "x16", "y")], y=HALF)
    out = cli("explain", "model.onnx", "y.dtype", *PACK).out
    assert out.startswith("output `y`  <- model.onnx: node `relu` (Relu)\n\n  dtype = float16 (input 0)\n")
    assert "slot `x16` was last written by output `x16`  <- model.onnx: node `narrow` (Cast)\n" in out
    out = cli("explain", "model.onnx", "x16", *PACK).out
    assert "node.attributes[named] = float16  <- model.onnx: node `narrow` (Cast)\n" in out
    assert "there is no output `z`" in cli("explain", "model.onnx", "z", *PACK).err


def test_casts_that_do_nothing_are_taken_away(cli: Cli, folder: Path) -> None:
    """The edit is proven, and what reads the Cast's output reads its input in the model that is written."""
    saved(folder, [node("Cast", "idle", "x", "a", to=SINGLE), node("Add", "sum", "a a", "y")], y=SINGLE)
    assert cli("fix", "model.onnx", *PACK) == Ran(0, "model.onnx: nothing to fix\n", "")
    assert cli("fix", "model.onnx", *PACK, "--warnings").out == (
        "1 edit (proven: compiled again, it passes with no new finding)\n"
        "  remove `idle`\n"
        "these are edits of the file itself\n"
    )
    assert cli("fix", "model.onnx", *PACK, "--warnings", "--apply") == Ran(0, "model.onnx: 1 edits written\n", "")
    model = onnx.load(str(folder / "model.onnx"))
    assert [(each.name, list(each.input)) for each in model.graph.node] == [("sum", ["x", "x"])]
    onnx.checker.check_model(model)
    assert cli("check", "model.onnx", *PACK) == Ran(0, "model.onnx: clean by pack onnx\n", "")


def test_a_cast_that_the_graph_gives_stays(cli: Cli, folder: Path) -> None:
    """Its output has a name that callers know."""
    saved(folder, [node("Cast", "idle", "x", "y", to=SINGLE)], y=SINGLE)
    ran = cli("fix", "model.onnx", *PACK, "--warnings")
    assert (ran.code, ran.out.splitlines()[0]) == (
        1,
        "no fix: no edits make this pass; this rule conflicts with what edits may change:",
    )


def test_the_pack_itself_is_sound(cli: Cli) -> None:
    """Its cases cover all of it, it is in canonical form, and lint finds nothing."""
    tested = cli("pack", "test", "onnx", "--coverage", "--fail-under", "100")
    assert (tested.code, tested.err) == (0, "")
    assert "covered: rules 11 of 11 (100.0 %), branches 39 of 39 (100.0 %), atoms 39 of 39 (100.0 %)" in tested.out
    assert cli("pack", "lint", "onnx") == Ran(0, "onnx: clean\n", "")
    assert cli("pack", "fmt", "onnx", "--check").code == 0
