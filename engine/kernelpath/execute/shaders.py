"""Turn kernel variants into WGSL text, shader modules and compute pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kernelpath.emit.plan.families import READ, SCRATCH, UNIFORM, Variant
from kernelpath.execute.device import COMPUTE, Device
from kernelpath.execute.wgsl import expand

_LAYOUT_TYPES = {UNIFORM: "uniform", READ: "read-only-storage", SCRATCH: "storage"}


@lru_cache(maxsize=512)
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def wgsl(variant: Variant) -> str:
    """Return the WGSL of a variant, its template expanded; shared parts come from `kernels/families/shared`."""
    folder = variant.family.folder
    return expand(_text(folder / variant.file), variant.substitute, lambda path: _text(folder.parent / path))


def template_files(variant: Variant) -> tuple[Path, ...]:
    """Return the files that a variant's WGSL is made of, its own first, includes in the order of their use."""
    folder = variant.family.folder
    seen: dict[Path, None] = {folder / variant.file: None}

    def read(path: str) -> str:
        seen[folder.parent / path] = None
        return _text(folder.parent / path)

    expand(_text(folder / variant.file), variant.substitute, read)
    return tuple(seen)


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """A compute pipeline with the explicit layout of its one bind group."""

    handle: Any
    layout: Any
    variant: Variant


@dataclass(slots=True)
class Shaders:
    """The modules and pipelines of one device, each made once.

    `trusted` compiles without bounds checks and loop counters; the kernels check their own bounds.
    """

    device: Device
    trusted: bool = True
    _modules: dict[str, Any] = field(default_factory=dict)
    _pipelines: dict[tuple[str, str, tuple[tuple[str, float], ...]], Pipeline] = field(default_factory=dict)

    def pipeline(self, variant: Variant, overrides: Mapping[str, float] | None = None) -> Pipeline:
        """Return the pipeline of a variant at these override constants.

        Raises DeviceError for an absent feature, wgpu's validation error for a fault in the WGSL.
        """
        code = wgsl(variant)
        key = (code, variant.entry, tuple(sorted((overrides or {}).items())))
        if key not in self._pipelines:
            self._pipelines[key] = self._build(variant, code, dict(overrides or {}))
        return self._pipelines[key]

    def _module(self, code: str, label: str) -> Any:
        if code not in self._modules:
            self._modules[code] = self.device.module(code, label, self.trusted)
        return self._modules[code]

    def _build(self, variant: Variant, code: str, overrides: dict[str, float]) -> Pipeline:
        self.device.require(variant.features, f"kernel {variant.name}")
        handle = self.device.handle
        layout = handle.create_bind_group_layout(entries=_layout_entries(variant), label=variant.name)
        compute = {"module": self._module(code, variant.name), "entry_point": variant.entry, "constants": overrides}
        pipeline = handle.create_compute_pipeline(
            layout=handle.create_pipeline_layout(bind_group_layouts=[layout]), compute=compute, label=variant.name
        )
        return Pipeline(pipeline, layout, variant)


def _layout_entries(variant: Variant) -> list[dict[str, Any]]:
    return [
        {
            "binding": binding.index,
            "visibility": COMPUTE,
            "buffer": {"type": _LAYOUT_TYPES.get(binding.kind, "storage")},
        }
        for binding in variant.bindings
    ]
