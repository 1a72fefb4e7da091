"""What the reader of ONNX models makes of graphs inside nodes, functions, names and types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from examples.needing import need_onnx

need_onnx()

import onnx  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

from kernelpath.graph.readers import ReaderError  # noqa: E402
from kernelpath.readers.onnx_models import element_name, read, type_name, write  # noqa: E402

HALF, SINGLE, BOOL, LONG = TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64


def tensor(name: str, kind: int) -> onnx.ValueInfoProto:
    """Return a declared tensor; of kind 0 it has no type."""
    return helper.make_tensor_value_info(name, kind, ["n"]) if kind else onnx.ValueInfoProto(name=name)


def model(nodes: Sequence[onnx.NodeProto], given: dict[str, int], outputs: dict[str, int], **more: Any) -> bytes:
    """Return a model's bytes."""
    inputs = [tensor(name, kind) for name, kind in given.items()]
    graph = helper.make_graph(nodes, "g", inputs, [tensor(name, kind) for name, kind in outputs.items()])
    data: bytes = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], **more).SerializeToString()
    return data


def graph(nodes: Sequence[onnx.NodeProto], given: dict[str, int], outputs: Sequence[str]) -> onnx.GraphProto:
    """Return a graph inside a node."""
    inputs = [tensor(name, kind) for name, kind in given.items()]
    return helper.make_graph(nodes, "inner", inputs, [tensor(name, SINGLE) for name in outputs])


def told(value: Any) -> list[tuple[str, list[str], list[str]]]:
    """Return what each node is called, reads and writes."""
    return [(node["id"], node["input"], node["output"]) for node in value["nodes"]]


def test_branches_come_before_their_node() -> None:
    """Their own tensors are called by their node, those of the graph around it as there."""
    branch = [helper.make_node("Neg", ["x"], ["y"], name="neg")]
    other = [helper.make_node("Abs", ["x"], ["y"], name="abs")]
    node = helper.make_node(
        "If", ["c"], ["y"], name="if", then_branch=graph(branch, {}, ["y"]), else_branch=graph(other, {}, ["y"])
    )
    value = read(model([node], {"c": BOOL, "x": SINGLE}, {"y": SINGLE})).value
    branches = [each for each in told(value) if each[0] != "if"]
    assert sorted(branches) == [
        ("if/else_branch/abs", ["x"], ["if/else_branch/y"]),
        ("if/then_branch/neg", ["x"], ["if/then_branch/y"]),
    ]
    assert told(value)[-1] == ("if", ["c"], ["y"])
    assert sorted(value["nodes"][-1]["bodies"]) == [["if/else_branch/y"], ["if/then_branch/y"]]
    assert value["tensors"] == {"c": "bool", "x": "float32"}


def test_a_loop_keeps_its_condition_and_passes_types_on() -> None:
    """An input of the body without a type holds what the loop passes to it."""
    body = graph(
        [helper.make_node("Identity", ["cond"], ["again"]), helper.make_node("Neg", ["a"], ["b"], name="neg")],
        {"i": LONG, "cond": BOOL, "a": 0},
        ["again", "b"],
    )
    nodes = [
        helper.make_node("Cast", ["x"], ["h"], name="cast", to=HALF),
        helper.make_node("Loop", ["m", "c", "h"], ["y"], name="loop", body=body),
    ]
    value = read(model(nodes, {"m": LONG, "c": BOOL, "x": SINGLE}, {"y": HALF})).value
    assert ("loop/body/a", ["h"], ["loop/body/a"]) in told(value)
    assert ("loop/body/neg", ["loop/body/a"], ["loop/body/b"]) in told(value)
    assert value["nodes"][-1]["bodies"] == [["loop/body/b"]]
    assert value["tensors"]["loop/body/cond"] == "bool"
    assert value["nodes"][0]["attributes"] == {"to": "float16"}


def test_functions_are_in_full() -> None:
    """A call of a model's own function is the function's nodes; such a model is not written."""
    own = helper.make_function("own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [
        helper.make_opsetid("", 18)
    ])  # fmt: skip
    data = model([helper.make_node("Twice", ["x"], ["y"], domain="own")], {"x": SINGLE}, {"y": SINGLE}, functions=[own])
    value = read(data).value
    assert [(node["op_type"], node["input"], node["output"]) for node in value["nodes"]] == [("Add", ["x", "x"], ["y"])]
    with pytest.raises(ReaderError, match="functions of its own"):
        write(data, value)


def test_nodes_have_names_of_their_own() -> None:
    """A node without a name goes by its operator and place, and the second of one name by a number."""
    nodes = [
        helper.make_node("Neg", [a], [b], name=name)
        for a, b, name in (("x", "a", ""), ("a", "b", "n"), ("b", "y", "n"))
    ]
    read_model = read(model(nodes, {"x": SINGLE}, {"y": SINGLE}))
    assert [node["id"] for node in read_model.value["nodes"]] == ["Neg_0", "n", "n_2"]
    assert [node["is_output"] for node in read_model.value["nodes"]] == [False, False, True]
    assert read_model.origins["/nodes/2"] == "node `n_2` (Neg)"
    assert read_model.origins["/opset_import/0"] == "operator set of `ai.onnx`"
    assert read_model.origins["/tensors/x"] == "tensor `x`"


def test_writing_takes_nodes_away_at_every_depth() -> None:
    """A node inside a branch goes, too, and what read it reads what the document says, by the model's own names."""
    inner = [helper.make_node("Identity", ["x"], ["t"], name="t"), helper.make_node("Neg", ["t"], ["y"], name="neg")]
    plain = [helper.make_node("Neg", ["x"], ["y"], name="neg")]
    node = helper.make_node(
        "If", ["c"], ["y"], name="if", then_branch=graph(inner, {}, ["y"]), else_branch=graph(plain, {}, ["y"])
    )
    data = model([node], {"c": BOOL, "x": SINGLE}, {"y": SINGLE})
    value = read(data).value
    assert write(data, value) == data
    kept = [each for each in value["nodes"] if each["id"] != "if/then_branch/t"]
    changed = [{**each, "input": ["x"]} if each["id"] == "if/then_branch/neg" else each for each in kept]
    written = onnx.load_model_from_string(write(data, {**value, "nodes": changed}))
    branch = next(each.g for each in written.graph.node[0].attribute if each.name == "then_branch")
    assert [(each.name, list(each.input)) for each in branch.node] == [("neg", ["x"])]


def test_types_have_names() -> None:
    """Tensors, sequences and optionals; what has no element type has no name."""
    single = helper.make_tensor_type_proto(SINGLE, None)
    sequence = helper.make_sequence_type_proto(single)
    assert [type_name(each) for each in (single, sequence, helper.make_optional_type_proto(sequence))] == [
        "float32",
        "sequence(float32)",
        "optional(sequence(float32))",
    ]
    assert [type_name(onnx.TypeProto()), element_name(0), element_name(999)] == [None, None, None]
    assert [element_name(each) for each in (HALF, TensorProto.DOUBLE, TensorProto.BFLOAT16)] == [
        "float16",
        "float64",
        "bfloat16",
    ]


@pytest.mark.parametrize("data", [b"", b"not a model", b"\x08\x07"])
def test_what_is_not_a_model(data: bytes) -> None:
    """It is refused in words, whatever the parser thinks of it."""
    with pytest.raises(ReaderError, match=r"^this is not an ONNX model: "):
        read(data)
