"""The mechanical operations that a program may run, by the names that packs use."""

from __future__ import annotations

from kernelpath.graph.derive import derive_steps
from kernelpath.graph.interleave import interleave, varying
from kernelpath.graph.layers import layer_lists, named_layers
from kernelpath.graph.lifetimes import unwritten_reads
from kernelpath.graph.origins import pick_sources, trace
from kernelpath.graph.patch import patch_edits, patch_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

OPERATIONS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    "derive_steps": derive_steps,
    "interleave": interleave,
    "layer_lists": layer_lists,
    "named_layers": named_layers,
    "patch_edits": patch_edits,
    "patch_steps": patch_steps,
    "pick_sources": pick_sources,
    "trace": trace,
    "unwritten_reads": unwritten_reads,
    "varying": varying,
}
