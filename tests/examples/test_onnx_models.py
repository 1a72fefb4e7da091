"""The types that the pack finds are those that `onnx.shape_inference` infers, on every model of the backend tests.

Where one of them has no type, the test says why: the differences are of known kinds, and there are no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelpath as kp
from examples.conftest import EXAMPLES
from examples.needing import need_onnx

need_onnx()

import onnx  # noqa: E402
import onnx.inliner  # noqa: E402
import onnx.shape_inference  # noqa: E402

from kernelpath.readers.onnx_models import read, type_name  # noqa: E402

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
FILES = sorted(DATA.rglob("*.onnx"))
KNOWN = frozenset(("", "ai.onnx.ml"))
#: The latest operator set in which Dropout's mask has no type of its own, so that shape inference leaves it open.
OLD_MASK = 9


def differences(data: bytes) -> Iterator[str]:
    """Yield, for each tensor that a node of the graph writes, `same` or the kind of the difference."""
    result = kp.ask("dtypes", pack=str(EXAMPLES / "onnx"), model=read(data).value)
    assert result.value is not None, result.diagnostics
    model = onnx.load_model_from_string(data)
    model = onnx.inliner.inline_local_functions(model) if model.functions else model
    graph = onnx.shape_inference.infer_shapes(model).graph
    inferred = {value.name: type_name(value.type) for value in (*graph.value_info, *graph.output)}
    opset = next((each.version for each in model.opset_import if each.domain in KNOWN), 0)
    for node in model.graph.node:
        for name in filter(None, node.output):
            yield kind(result.value.get(name), inferred.get(name), node, opset)


def kind(ours: str | None, theirs: str | None, node: onnx.NodeProto, opset: int) -> str:
    """Return what kind of difference there is between two types of a node's output."""
    if ours == theirs:
        return "same"
    if theirs is None:
        return "a mask of an old Dropout" if (node.op_type, opset <= OLD_MASK) == ("Dropout", True) else "only ours"
    if ours is not None:
        return f"{node.op_type}: {ours}, not {theirs}"
    if node.domain not in KNOWN:
        return "an operator of another domain"
    if node.op_type in ("LabelEncoder", "LinearAttention"):
        return "a type that depends on an attribute's kind, or on an omitted input"
    return f"only theirs: {node.op_type}"


def test_the_models_that_come_as_files() -> None:
    """Every model of the wheel is read, and no tensor has two types."""
    found = Counter(each for path in FILES for each in differences(path.read_bytes()))
    assert len(FILES) >= 100
    assert found.pop("same") >= 4_000
    assert found.keys() <= {"a mask of an old Dropout", "an operator of another domain"}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
def test_the_models_of_single_operators() -> None:
    """The same of the models that the wheel makes for each operator and its options."""
    from onnx.backend.test.case.node import collect_testcases

    cases = [case for case in collect_testcases(None) if case.model is not None]
    found = Counter(each for case in cases for each in differences(case.model.SerializeToString()))
    assert len(cases) >= 1_500
    assert found.pop("same") >= 10_000
    assert found.keys() <= {
        "an operator of another domain",
        "a type that depends on an attribute's kind, or on an omitted input",
    }
