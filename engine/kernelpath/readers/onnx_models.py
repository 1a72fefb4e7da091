"""Read an ONNX model as a document: its operator sets, the tensors that are there at the start, and its nodes.

The document is flat. The nodes of a graph inside a node (the branches of an If, the body of a Loop or Scan) come right
before that node, and their tensors are called `holder/attribute/name`, so that each name stands for one tensor. Calls
of the model's own functions are replaced by their bodies. Weights are not read.

    {"ir_version": 8, "graph": "mnist", "opset_import": [{"domain": "", "version": 13}],
     "tensors": {"x": "float32"},                         # inputs and initializers
     "nodes": [{"id": "add", "op_type": "Add", "domain": "", "input": ["x", "x"], "output": ["y"], "is_output": true,
                "attributes": {...}, "bodies": [["b/then_branch/z"]]}],
     "outputs": {"y": "float32"}}

Attributes that are numbers of element types are given by name; those that are tensors, as the name of their type. Types
are `float32`, `sequence(float32)`, `optional(float32)`; an unknown one is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
import onnx.inliner

from kernelpath.graph.readers import Read, ReaderError

#: Attributes whose numbers stand for element types.
TYPED = frozenset(("to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision"))
#: What a Constant may be given by, and the type of each.
CONSTANTS = {
    "value_float": "float32",
    "value_floats": "float32",
    "value_int": "int64",
    "value_ints": "int64",
    "value_string": "string",
    "value_strings": "string",
}
_NAMES = {"float": "float32", "double": "float64", "undefined": None}
#: How many outputs of a body an operator keeps to itself, before those that it gives.
_KEPT = {"Loop": 1}


def read(data: bytes) -> Read:
    """Return a model's document, and the name of the node or tensor behind each of its places."""
    try:
        model = onnx.load_model_from_string(data)
        model = onnx.inliner.inline_local_functions(model) if model.functions else model
    except Exception as error:  # the parser and the inliner raise errors of several libraries
        raise ReaderError(f"this is not an ONNX model: {str(error).splitlines()[0][:200].lower()}") from None
    if not model.HasField("graph"):
        raise ReaderError("this is not an ONNX model: it has no graph")
    return _Document(model).read()


def write(data: bytes, value: Mapping[str, Any]) -> bytes:
    """Return a model without the nodes that its document lacks, whose other nodes read what the document says."""
    model = onnx.load_model_from_string(data)
    if model.functions:
        message = "the model calls functions of its own, which its document has in full"
        raise ReaderError(message, "take the nodes away where the model is made")
    document = _Document(model)
    document.read()
    kept = {node["id"]: node for node in value["nodes"]}
    for name, (graph, node, names) in document.protos.items():
        if name not in kept:
            graph.node.remove(node)
        else:
            del node.input[:]
            node.input.extend(names.get(each, each) for each in kept[name]["input"])
    content: bytes = model.SerializeToString()
    return content


class _Document:
    """The document of one model while it is made."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        self.tensors: dict[str, str | None] = {}
        self.nodes: list[dict[str, Any]] = []
        self.taken: set[str] = set()
        #: the graph and the node behind each node of the document, and the model's own names of the tensors there
        self.protos: dict[str, tuple[onnx.GraphProto, onnx.NodeProto, dict[str, str]]] = {}

    def read(self) -> Read:
        graph = self.model.graph
        outputs = {value.name: type_name(value.type) for value in graph.output}
        self._graph(graph, "", {}, set(outputs))
        opsets = [{"domain": _domain(each.domain), "version": each.version} for each in self.model.opset_import]
        value = {
            "ir_version": self.model.ir_version,
            "graph": graph.name,
            "opset_import": opsets,
            "tensors": self.tensors,
            "nodes": self.nodes,
            "outputs": outputs,
        }
        return Read(value, dict(self._origins(opsets)))

    def _origins(self, opsets: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
        yield "", ""
        for index, opset in enumerate(opsets):
            yield f"/opset_import/{index}", f"operator set of `{opset['domain'] or 'ai.onnx'}`"
        for name in self.tensors:
            yield f"/tensors/{name.replace('~', '~0').replace('/', '~1')}", f"tensor `{name}`"
        for index, node in enumerate(self.nodes):
            yield f"/nodes/{index}", f"node `{node['id']}` ({node['op_type']})"

    def _graph(
        self,
        graph: onnx.GraphProto,
        prefix: str,
        outer: Mapping[str, str],
        outputs: set[str],
        passed: Sequence[str] = (),
    ) -> list[str]:
        """Add the tensors and nodes of a graph, and return what its outputs are called.

        `passed` are the tensors that a node passes to its body. An input of the body without a type of its own has
        that of its tensor, which a node between them says: an Identity that the model does not have.
        """
        own = {value.name for value in (*graph.input, *graph.initializer)}
        own |= {each.values.name for each in graph.sparse_initializer}
        own |= {name for node in graph.node for name in node.output}
        scope = {**outer, **{name: prefix + name for name in own}, "": ""}
        given = dict(zip([value.name for value in reversed(graph.input)], reversed(passed), strict=False))
        for value in graph.input:
            declared = type_name(value.type)
            if declared is None and given.get(value.name):
                self._implied(scope[value.name], given[value.name])
            else:
                self.tensors[scope[value.name]] = declared
        for tensor in graph.initializer:
            self.tensors[scope[tensor.name]] = element_name(tensor.data_type)
        for sparse in graph.sparse_initializer:
            self.tensors[scope[sparse.values.name]] = element_name(sparse.values.data_type)
        names = {called: name for name, called in scope.items()}
        for node in graph.node:
            self.protos[self._node(node, prefix, scope, outputs)] = (graph, node, names)
        return [scope.get(value.name, prefix + value.name) for value in graph.output]

    def _node(self, node: onnx.NodeProto, prefix: str, scope: Mapping[str, str], outputs: set[str]) -> str:
        """Add a node, after those of the graphs inside it, and return what it is called."""
        name = self._name(node, prefix)
        bodies = []
        for attribute in node.attribute:
            graphs = [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else list(attribute.graphs)
            for graph in graphs:
                passed = [scope.get(each, prefix + each) for each in node.input]
                given = self._graph(graph, f"{name}/{attribute.name}/", scope, set(), passed)
                bodies.append(given[_KEPT.get(node.op_type, 0) :])
        self.nodes.append(
            {
                "id": name,
                "op_type": node.op_type,
                "domain": _domain(node.domain),
                "input": [scope.get(each, prefix + each) for each in node.input],
                "output": [scope[each] for each in node.output],
                "is_output": bool(prefix) or not outputs.isdisjoint(node.output),
                "attributes": dict(_attributes(node)),
                "bodies": bodies,
            }
        )
        return name

    def _implied(self, name: str, source: str) -> None:
        """Add the node that says that a tensor of a body holds what another one does."""
        node = {"id": name, "op_type": "Identity", "domain": "", "input": [source], "output": [name]}
        self.nodes.append({**node, "is_output": True, "attributes": {}, "bodies": []})
        self.taken.add(name)

    def _name(self, node: onnx.NodeProto, prefix: str) -> str:
        """Return what a node is called: its name, or its operator and a number, and no other node's name."""
        start = prefix + (node.name or node.op_type)
        name, number = (start, 1) if node.name else (f"{start}_{len(self.nodes)}", 1)
        while name in self.taken:
            number += 1
            name = f"{start}_{number}"
        self.taken.add(name)
        return name


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _attributes(node: onnx.NodeProto) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that say something of types, and plain numbers and texts."""
    kinds = onnx.AttributeProto
    for each in node.attribute:
        if each.name in CONSTANTS and node.op_type == "Constant":
            yield "value", CONSTANTS[each.name]
        elif each.type == kinds.TENSOR:
            yield each.name, element_name(each.t.data_type)
        elif each.type == kinds.SPARSE_TENSOR:
            yield "value", element_name(each.sparse_tensor.values.data_type)
        elif each.type == kinds.TYPE_PROTO:
            yield each.name, type_name(each.tp)
        elif each.type == kinds.INT:
            yield each.name, element_name(each.i) if each.name in TYPED else each.i
        elif each.type == kinds.STRING:
            yield each.name, each.s.decode("utf-8", "replace")
        elif each.type == kinds.FLOAT:
            yield each.name, each.f


def element_name(number: int) -> str | None:
    """Return the name of an element type: `float32` for FLOAT; None for one that is unknown."""
    try:
        name = onnx.TensorProto.DataType.Name(number).lower()
    except ValueError:
        return None
    return _NAMES.get(name, name)


def type_name(proto: onnx.TypeProto) -> str | None:
    """Return the name of a type: `float32` of a tensor, `sequence(float32)`, `optional(float32)`; None if unknown."""
    kind = proto.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        return element_name(getattr(proto, kind).elem_type)
    if kind in ("sequence_type", "optional_type"):
        inner = type_name(getattr(proto, kind).elem_type)
        return None if inner is None else f"{kind.removesuffix('_type')}({inner})"
    return None
