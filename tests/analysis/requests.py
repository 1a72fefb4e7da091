"""Small inference sections that the tests of this folder compile."""

from __future__ import annotations

from typing import Any

from kernelpath.graph.catalog import Kernel, load_catalog


def manifest(session: Any) -> dict[str, Any]:
    """Return an inference section of one cast, which any session can run."""
    return _section(session, [{"id": "narrow", "op": "cast", "toDtype": "f16", **_PLACE}])


def kernel_step(session: Any) -> dict[str, Any]:
    """Return an inference section of one step, whose kernel writes f32, with its profile."""
    return _pinned(
        session, next(k for k in _kernels() if k.output == "f32" and not k.kernel.startswith("attention")), "ffn"
    )


def attention(session: Any, dtype: str) -> dict[str, Any]:
    """Return an inference section of one attention step, whose kernel takes activations and a cache of a dtype."""
    wanted = "_f16" if dtype == "f16" else ""
    found = (
        k for k in _kernels() if k.kernel.startswith("attention") and k.output == dtype and "_f16kv" not in k.kernel
    )
    return _pinned(session, next(k for k in found if ("_f16" in k.kernel) == bool(wanted)), "attention")


_PLACE = {"phase": "both", "section": "layer", "src": "state", "dst": "state", "layers": "all"}


def _kernels() -> list[Kernel]:
    return list(load_catalog("doppler-0.1.7").values())


def _pinned(session: Any, kernel: Kernel, op: str) -> dict[str, Any]:
    reference = {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
    step = {"id": "only", "op": op, "kernel": kernel.kernel, "entry": kernel.entry, "kernelRef": reference, **_PLACE}
    section = _section(session, [step])
    section["execution"]["policies"] = {"unresolvedKernel": "ignore"}
    return section


def _section(session: Any, steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"schema": "doppler.execution/v0", "sessionDefaults": session, "execution": {"steps": steps}}
