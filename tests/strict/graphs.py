"""Write small graphs: steps on real kernels, sessions, and whole manifests with the profiles that their steps need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import kernelpath as kp
from conformance.recorded import catalog

from .asked import STRICT, loaded

Step = dict[str, Any]
#: A kernel that reads f32 and declares nothing that it writes; of any op that takes every kernel.
PLAIN = "rmsnorm.wgsl"
HALF = "rmsnorm_f16.wgsl"
POLICIES = {
    "precisionPrecedence": "step_then_kernel_profile_then_session_default",
    "unsupportedPrecision": "error",
    "dtypeTransition": "require_cast_step",
    "unresolvedKernel": "error",
}


def reference(kernel: str, entry: str = "main") -> dict[str, str]:
    """Return the kernelRef that pins a kernel of the catalogue."""
    found = catalog()[f"{kernel.strip()}#{entry.strip() or 'main'}"]
    return {"id": found.reference, "version": found.version, "digest": found.digest}


def step(identity: str, /, *, kernel: str = PLAIN, op: str = "ffn", **members: Any) -> Step:
    """Return a step of both phases on all layers that reads and writes `state`, changed by `members`."""
    pinned = {"kernel": kernel, "kernelRef": reference(kernel, str(members.get("entry", "main")))}
    return {
        "id": identity,
        "phase": "both",
        "section": "layer",
        "op": op,
        **SLOTS,
        "layers": "all",
        **pinned,
        **members,
    }


def cast(identity: str, to: str, /, **members: Any) -> Step:
    """Return a cast of both phases on all layers, of `state`."""
    common = {"phase": "both", "section": "layer", "op": "cast", **SLOTS, "layers": "all", "toDtype": to}
    return {"id": identity, **common, **members}


SLOTS = {"src": "state", "dst": "state"}


def session(dtype: str = "f32", **members: Any) -> dict[str, Any]:
    """Return a session of one dtype throughout, changed by `members`; it has no profiles yet."""
    defaults = dict.fromkeys(("activationDtype", "mathDtype", "accumDtype", "outputDtype"), dtype)
    return {"compute": {"defaults": defaults}, "kvcache": {"kvDtype": dtype}, "decodeLoop": None, **members}


def manifest(steps: Iterable[Any], *, own: Any = None, policies: Any = None, added: Iterable[Any] = ()) -> Any:
    """Return an inference section with these steps, and a profile for each kernelRef of theirs and of `added` steps."""
    listed = list(steps)
    own = own or session()
    if isinstance(own.get("compute"), dict) and "kernelProfiles" not in own["compute"]:
        own = {**own, "compute": {**own["compute"], "kernelProfiles": profiles([*listed, *added])}}
    execution = {"steps": listed, "policies": POLICIES if policies is None else policies}
    return {"schema": "doppler.execution/v0", "sessionDefaults": own, "execution": execution}


def profiles(steps: Iterable[Any]) -> list[dict[str, Any]]:
    """Return one profile for each kernelRef that the steps name."""
    found = {
        one["kernelRef"]["id"]: {"kernelRef": {name: one["kernelRef"][name] for name in ("id", "version", "digest")}}
        for one in steps
        if isinstance(one, dict) and isinstance(one.get("kernelRef"), dict)
    }
    return list(found.values())


def compiled(
    *steps: Any,
    layers: Any = 2,
    runtime: Any = None,
    pack: Any = STRICT,
    extra: Mapping[str, Any] | None = None,
    **how: Any,
) -> kp.Result:
    """Compile a manifest of these steps; `how` goes to `manifest`, `extra` beside the graph."""
    patch = runtime.get("executionPatch") if isinstance(runtime, dict) else None
    adds = patch.get("add") if isinstance(patch, dict) else None
    added = [change.get("step") for change in adds if isinstance(change, dict)] if isinstance(adds, list) else []
    return kp.compile(
        {**manifest(steps, added=added, **how), **(extra or {})},
        pack=loaded(pack) if isinstance(pack, str) else pack,
        runtime=runtime,
        model_id="m",
        num_layers=layers,
        catalog=catalog(),
    )
