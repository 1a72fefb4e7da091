"""The dispatch plan: a kernel path lowered to buffers, bindings, uniforms and workgroup counts, and proven to fit."""

from kernelpath.emit.plan.document import to_document
from kernelpath.emit.plan.families import Families, Family, FamilyError, Variant, load_families
from kernelpath.emit.plan.limits import Limits, prove
from kernelpath.emit.plan.lower import Lowered, Shape, decode_shape, lower, prefill_shape
from kernelpath.emit.plan.model import Binding, Buffer, Dispatch, Plan
from kernelpath.emit.plan.ops import load_ops

__all__ = [
    "Binding",
    "Buffer",
    "Dispatch",
    "Families",
    "Family",
    "FamilyError",
    "Limits",
    "Lowered",
    "Plan",
    "Shape",
    "Variant",
    "decode_shape",
    "load_families",
    "load_ops",
    "lower",
    "prefill_shape",
    "prove",
    "to_document",
]
