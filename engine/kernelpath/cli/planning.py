"""Lower a compiled manifest to its dispatch plans, for `kernelpath compile --plan`; no GPU and no numpy is needed."""

from __future__ import annotations

from dataclasses import fields, replace

from kernelpath.cli.console import Console
from kernelpath.cli.describing import described
from kernelpath.cli.executing import folded, opened, path_of
from kernelpath.cli.inputs import read_document, unusable

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


def planned(options: Namespace, judged: Judged) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the plans of prefill and decode as plain JSON, and what does not fit the device's limits."""
    from kernelpath.emit.plan.document import to_document
    from kernelpath.emit.plan.lower import decode_shape, lower, prefill_shape

    path = path_of(judged.value, "plan")
    architecture = _architecture(options, judged)
    capacity = options.capacity or int(architecture["context_length"])
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
    manifest = judged.manifest
    return described(manifest.document.value.get("architecture") if manifest.whole else None)


def _limits(name: str | None) -> Limits:
    """Return the limits of an ordinary GPU, with those that a file changes, or the least that WebGPU allows."""
    from kernelpath.emit.plan.limits import Limits

    if name == WEBGPU:
        return Limits()
    ordinary = Limits(
        max_buffer_size=1 << 31,
        max_compute_invocations_per_workgroup=1024,
        max_compute_workgroup_storage_size=32_768,
        features=frozenset({"shader-f16", "subgroup"}),
    )
    return ordinary if name in (None, GPU) else _from_file(str(name), ordinary)


def _from_file(name: str, ordinary: Limits) -> Limits:
    given = read_document(name).value
    if not isinstance(given, dict):
        raise _no_limits(name, "it is no object")
    known = {field.name: field.type for field in fields(ordinary)}
    for member, value in given.items():
        if member not in known:
            raise _no_limits(name, f"there is no limit `{member[:60]}`")
        if not _suits(value, member):
            raise _no_limits(name, f"`{member}` has a value that it cannot have")
    features = given.get("features", ordinary.features)
    return replace(ordinary, **{**given, "features": frozenset(features)})


def _suits(value: object, member: str) -> bool:
    if member == "features":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    return isinstance(value, bool) if member == "cpu" else type(value) is int and value >= 0


def _no_limits(name: str, why: str) -> Exception:
    from kernelpath.emit.plan.limits import Limits

    known = ", ".join(field.name for field in fields(Limits))
    return unusable("cli/limits", f"`{name}` gives no limits: {why}", help_text=f"{GPU}, {WEBGPU}, or a file: {known}")
