"""The mechanical operations that a program may run, by the names that packs use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernelpath.graph.derive import derive_steps
from kernelpath.graph.interleave import interleave
from kernelpath.graph.layers import layer_lists
from kernelpath.graph.origins import pick_sources, trace
from kernelpath.graph.patch import patch_edits, patch_steps

OPERATIONS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    "derive_steps": derive_steps,
    "interleave": interleave,
    "layer_lists": layer_lists,
    "patch_edits": patch_edits,
    "patch_steps": patch_steps,
    "pick_sources": pick_sources,
    "trace": trace,
}
