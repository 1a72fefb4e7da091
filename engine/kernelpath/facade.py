"""The public functions: what tools and tests build on."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load
from kernelpath.evaluate.program import Outcome, run_program
from kernelpath.graph.catalog import Kernel, load_catalog, load_presets

DEFAULT_PACK = "execution-v0"
DEFAULT_CATALOG = "doppler-0.1.7"
Catalog = str | Mapping[str, Kernel]

__all__ = [
    "Applied",
    "Result",
    "apply",
    "compile",
    "contract",
    "execution_from_kernel_path",
    "graph",
    "load_catalog",
    "load_pack",
]


@dataclass(frozen=True, slots=True)
class Result:
    """What a request gives: `value` is None where a rule found an error; `diagnostics` are in evaluation order."""

    ok: bool
    value: Any
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Applied(Result):
    """What applying a manifest gives; `runtime_config` and `state` are None where a rule found an error."""

    @property
    def runtime_config(self) -> Any:
        """The runtime config with the compiled inference section."""
        return self.value["runtimeConfig"] if self.value else None

    @property
    def state(self) -> Any:
        """The compiled graph, None where the manifest has none."""
        return self.value["executionV0State"] if self.value else None


def load_pack(name_or_path: str) -> CompiledPack:
    """Return a pack by its shipped name or its folder; raises PackErrors with every mistake in its files."""
    return load(name_or_path)


def compile(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Compile a manifest's inference section under a runtime overlay.

    `value` is the compiled graph as a plain dict, or None where the section has no execution graph. Inputs are any JSON
    values and are never changed. Raises PackErrors where the pack or the catalogue itself cannot be used.
    """
    inputs = {"inference": manifest_inference, "runtime": runtime, "model_id": model_id, "num_layers": num_layers}
    return _result(_run("compile", pack, catalog, inputs))


def apply(
    manifest: Any,
    runtime_config: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Applied:
    """Apply a manifest's execution graph to a runtime config; raises as `compile` does."""
    outcome = _run("apply", pack, catalog, {"manifest": manifest, "runtime_config": runtime_config})
    return Applied(outcome.report.ok, outcome.value, tuple(outcome.report.diagnostics))


def contract(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check that every step of a manifest can be pinned and has dtypes; `ok` says that the check was made.

    The verdict is in `value["ok"]`, what led to it in `diagnostics`. It takes what `compile` takes, so that one request
    fits both, but judges the manifest alone: overlay and layers do not matter. Raises as `compile` does.
    """
    outcome = _run("contract", pack, catalog, {"inference": manifest_inference, "model_id": model_id})
    return Result(True, outcome.value, tuple(outcome.report.diagnostics))


def graph(
    manifest_inference: Any,
    *,
    pack: CompiledPack | str = DEFAULT_PACK,
    runtime: Any = None,
    model_id: Any = "model",
    num_layers: Any = 0,
    catalog: Catalog = DEFAULT_CATALOG,
) -> Result:
    """Check the slots and the phase boundary of a graph; as with `contract`, the verdict is in `value["ok"]`."""
    inputs = {"inference": manifest_inference, "runtime": runtime, "model_id": model_id, "num_layers": num_layers}
    outcome = _run("graph", pack, catalog, inputs)
    return Result(True, outcome.value, tuple(outcome.report.diagnostics))


def execution_from_kernel_path(
    id_or_path: Any, *, pack: CompiledPack | str = DEFAULT_PACK, catalog: Catalog = DEFAULT_CATALOG
) -> Result:
    """Derive schema, session and execution graph from a kernel path, given by its id or in full."""
    return _result(_run("kernel_path", pack, catalog, {"chosen_path": id_or_path}))


def _run(program: str, pack: CompiledPack | str, catalog: Catalog, inputs: Mapping[str, Any]) -> Outcome:
    compiled = load(pack) if isinstance(pack, str) else pack
    kernels = load_catalog(catalog) if isinstance(catalog, str) else catalog
    with _collector_paused():
        return run_program(compiled, program, {**inputs, "catalog": kernels, "presets": load_presets()})


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cycle collector: a large graph makes many objects and no cycles, so its passes are for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _result(outcome: Outcome) -> Result:
    return Result(outcome.report.ok, outcome.value, tuple(outcome.report.diagnostics))
