"""Lower a compiled manifest to its dispatch plans, for `kernelpath compile --plan`; no GPU and no numpy is needed."""

from __future__ import annotations

import re
from dataclasses import fields, replace

from kernelpath.cli.console import Console
from kernelpath.cli.describing import POSITIONS, described
from kernelpath.cli.executing import folded, opened, path_of
from kernelpath.cli.inputs import read_document, unusable
from kernelpath.execution_graph.answers import compiled_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.judging import Judged
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.emit.plan.limits import Limits

CHUNK = 512  # tokens of a prefill that run in one call
GPU, WEBGPU = LIMITS = ("gpu", "webgpu")
# Limits of textures, samplers, vertices and layouts, which compute passes of one group do not meet: a device's whole
# list may be given, and a misspelt limit is still reported.
# fmt: off
ELSEWHERE = frozenset((
    "max_texture_dimension_1d", "max_texture_dimension_2d", "max_texture_dimension_3d", "max_texture_array_layers",
    "max_sampled_textures_per_shader_stage", "max_samplers_per_shader_stage", "max_storage_textures_per_shader_stage",
    "max_storage_buffers_in_vertex_stage", "max_storage_buffers_in_fragment_stage",
    "max_storage_textures_in_vertex_stage", "max_storage_textures_in_fragment_stage", "max_vertex_buffers",
    "max_vertex_attributes", "max_vertex_buffer_array_stride", "max_inter_stage_shader_variables",
    "max_inter_stage_shader_components", "max_color_attachments", "max_color_attachment_bytes_per_sample",
    "max_bind_groups", "max_bind_groups_plus_vertex_buffers", "max_bindings_per_bind_group",
    "max_non_sampler_bindings", "max_dynamic_uniform_buffers_per_pipeline_layout",
    "max_dynamic_storage_buffers_per_pipeline_layout", "max_uniform_buffers_per_shader_stage",
    "min_uniform_buffer_offset_alignment", "min_storage_buffer_offset_alignment",
    "max_binding_array_elements_per_shader_stage", "max_binding_array_sampler_elements_per_shader_stage",
    "max_immediate_size", "max_push_constant_size", "max_multiview_view_count",
))
# fmt: on


def planned(options: Namespace, judged: Judged) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the plans of prefill and decode as plain JSON, and what does not fit the device's limits."""
    from kernelpath.emit.plan.document import to_document
    from kernelpath.emit.plan.lower import decode_shape, lower, prefill_shape

    path = path_of(compiled_graph(judged.value), "plan")
    architecture = _architecture(options, judged)
    capacity = options.capacity or int(architecture["context_length"])
    if capacity > POSITIONS:
        raise unusable("cli/usage", f"a cache holds at most {POSITIONS:,} positions")
    limits = _limits(options.limits)
    shapes = {"prefill": prefill_shape(capacity, min(CHUNK, capacity)), "decode": decode_shape(capacity)}
    lowered = {name: lower(path, architecture, shape, limits) for name, shape in shapes.items()}
    found = [diagnostic for each in lowered.values() for diagnostic in each.diagnostics]
    if found:
        return {}, folded(list(dict.fromkeys(found)))
    return {name: to_document(each.plan) for name, each in lowered.items()}, []


def _architecture(options: Namespace, judged: Judged) -> Mapping[str, Any]:
    """Return the description that plans are made with: a model's, or the manifest's own where it is whole."""
    if options.model:
        model = opened(options.model)
        Console(options).warn(model.warnings)
        found: Mapping[str, Any] = model.architecture
        return found
    return described(judged.given.written("/architecture"))


def _limits(name: str | None) -> Limits:
    """Return the limits of a device, or of an ordinary GPU with those that a file changes; raises InputErrors."""
    from kernelpath.emit.plan.limits import Limits
    from kernelpath.execution_graph.devices import shipped_devices

    if name == WEBGPU:
        return Limits()
    if name in shipped_devices() or str(name).endswith((".yaml", ".yml")):
        return _of_device(str(name))
    ordinary = Limits(
        max_buffer_size=1 << 31,
        max_compute_invocations_per_workgroup=1024,
        max_compute_workgroup_size_x=1024,
        max_compute_workgroup_size_y=1024,
        max_compute_workgroup_storage_size=32_768,
        features=frozenset({"shader-f16", "subgroup"}),
    )
    return ordinary if name in (None, GPU) else _from_file(str(name), ordinary)


def _of_device(name: str) -> Limits:
    """Return the limits and features of a device document."""
    from kernelpath.emit.plan.limits import Limits, feature_name
    from kernelpath.execution_graph.devices import facts, load_document

    document = load_document(name)
    device, known = facts(document), {field.name for field in fields(Limits)}
    limits = {limit: amount for name, amount in device["limits"].items() if (limit := _snake(name)) in known}
    features = frozenset(map(feature_name, device["features"]))
    return Limits(**limits, features=features, cpu=document.get("kind") == "software")


def _from_file(name: str, ordinary: Limits) -> Limits:
    """Return limits with those that a file changes: named as WebGPU, wgpu or this project spells them."""
    from kernelpath.emit.plan.limits import feature_name

    found = _given_limits(name, {field.name for field in fields(ordinary)})
    features = found.pop("features", ordinary.features)
    return replace(ordinary, **found, features=frozenset(map(feature_name, features)))


def _given_limits(name: str, known: set[str]) -> dict[str, Any]:
    """Return the limits in a file that a plan can meet, under this project's names; raises InputErrors."""
    given = read_document(name).value
    if not isinstance(given, dict):
        raise _no_limits(name, "it is no object")
    found: dict[str, Any] = {}
    for member, value in given.items():
        limit = _snake(member)
        if limit not in known and limit not in ELSEWHERE:
            raise _no_limits(name, f"there is no limit `{member[:60]}`")
        if limit in found:
            raise _no_limits(name, f"`{member[:60]}` gives a limit that is there already, spelled in another way")
        if not _suits(value, limit):
            raise _no_limits(name, f"`{member[:60]}` has a value that it cannot have")
        found[limit] = value
    return {limit: value for limit, value in found.items() if limit in known}


def _snake(name: str) -> str:
    """Return the name of a limit as this project spells it: `maxBufferSize` and `max-buffer-size` are one."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=Dimension)(?=[1-3]D)|(?<=Size)(?=[XYZ])", "_", name)
    return apart.replace("-", "_").lower()


def _suits(value: object, limit: str) -> bool:
    if limit == "features":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    return isinstance(value, bool) if limit == "cpu" else type(value) is int and value >= 0


def _no_limits(name: str, why: str) -> Exception:
    from kernelpath.emit.plan.limits import Limits

    known = ", ".join(field.name for field in fields(Limits))
    return unusable("cli/limits", f"`{name}` gives no limits: {why}", help_text=f"{GPU}, {WEBGPU}, or a file: {known}")
