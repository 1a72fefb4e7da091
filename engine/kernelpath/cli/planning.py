"""Lower a compiled manifest to its dispatch plans, for `kernelpath compile --plan`; no GPU and no numpy is needed."""

from __future__ import annotations

from dataclasses import fields, replace

from kernelpath.cli.executing import opened
from kernelpath.cli.inputs import read_document, unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.judging import Judged
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.emit.plan.limits import Limits

NEEDED = ("num_layers", "hidden_size", "num_heads", "num_kv_heads", "head_dim", "ffn_size", "vocab_size")


def planned(options: Namespace, judged: Judged) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Return the plans of prefill and decode as plain JSON, and what does not fit the device's limits."""
    from kernelpath.emit.plan.document import to_document
    from kernelpath.emit.plan.lower import decode_shape, lower, prefill_shape

    path = ((judged.value or {}).get("runtimeInferencePatch") or {}).get("kernelPath")
    if path is None:
        raise unusable("cli/no-graph", "the manifest compiles to no kernel path, so there is nothing to plan")
    architecture = _architecture(options, judged)
    capacity = options.capacity or int(architecture["context_length"])
    limits = _limits(options.limits)
    shapes = {"prefill": prefill_shape(capacity, min(512, capacity)), "decode": decode_shape(capacity)}
    lowered = {name: lower(path, architecture, shape, limits) for name, shape in shapes.items()}
    found = [diagnostic for each in lowered.values() for diagnostic in each.diagnostics]
    return {name: to_document(each.plan) for name, each in lowered.items()}, list(dict.fromkeys(found))


def _architecture(options: Namespace, judged: Judged) -> Mapping[str, Any]:
    """Return the description that plans are made with: a model's, or the manifest's own where it is whole."""
    if options.model:
        found: Mapping[str, Any] = opened(options.model).architecture
        return found
    manifest = judged.manifest
    own = manifest.document.value.get("architecture") if manifest.whole else None
    missing = [name for name in NEEDED if not isinstance(own, dict) or name not in own]
    if missing:
        help_text = "name a model with --model, or describe it as kernels/architectures/README.md says"
        raise unusable(
            "cli/architecture", f"the manifest's architecture lacks {', '.join(missing)}", help_text=help_text
        )
    described: Mapping[str, Any] = own or {}
    return described


def _limits(name: str | None) -> Limits:
    """Return the limits of an ordinary GPU, changed by those that a file gives."""
    from kernelpath.emit.plan.limits import Limits

    ordinary = Limits(
        max_buffer_size=1 << 31,
        max_compute_invocations_per_workgroup=1024,
        max_compute_workgroup_storage_size=32_768,
        features=frozenset({"shader-f16", "subgroup"}),
    )
    if name is None:
        return ordinary
    given = read_document(name).value
    known = {field.name for field in fields(Limits)}
    if not isinstance(given, dict) or not known >= given.keys():
        strange = ", ".join(sorted(given.keys() - known)) if isinstance(given, dict) else "no object"
        raise unusable(
            "cli/limits",
            f"`{name}` is no list of limits: {strange}",
            help_text=f"limits are {', '.join(sorted(known))}",
        )
    return replace(ordinary, **{**given, "features": frozenset(given.get("features", ordinary.features))})
