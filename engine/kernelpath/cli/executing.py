"""What the commands that run models have in common: extras that may be missing, models, devices, kernel paths."""

from __future__ import annotations

from contextlib import contextmanager

from kernelpath.cli.inputs import InputErrors, read_manifest, unusable
from kernelpath.cli.judging import usable_catalog, usable_pack
from kernelpath.facade import compile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from kernelpath.execute.place import Place
    from kernelpath.models.model import Model

OWN_CATALOG = "kernelpath"


@contextmanager
def told() -> Iterator[None]:
    """Turn what models, devices and sessions refuse into what the command tells; a missing extra is one of these."""
    try:
        yield
    except ImportError as error:
        name = (error.name or str(error)).partition(".")[0]
        if name == "kernelpath":
            raise
        extra = "gpu" if name in ("wgpu", "numpy") else "models"
        help_text = f"pip install 'kernelpath[{extra}]' brings it"
        raise unusable("cli/extra", f"this needs `{name}`, which is not installed", help_text=help_text) from None
    except Exception as error:
        raise _refused(error) or error from None


def _refused(error: Exception) -> InputErrors | None:
    """Return what a model, a device or a session says, None for any other error."""
    found = getattr(error, "diagnostics", None)
    if type(error).__name__ in ("ModelErrors", "SessionError") and found:
        return InputErrors(found)
    if type(error).__name__ == "DeviceError":
        return unusable("device/unusable", str(error), help_text=getattr(error, "help", None))
    return None


def opened(path: str) -> Model:
    """Return the model in a file or folder; raises InputErrors where there is none that can be used."""
    with told():
        from kernelpath.models.open_model import open_model

        return open_model(path)


def placed(backend: str, adapter: str | None = None) -> Place:
    """Return where to run; raises InputErrors where the backend that was asked for cannot be had."""
    with told():
        from kernelpath.execute.place import choose_place

        return choose_place(backend, adapter)


def first_manifest(model: Model, features: frozenset[str], catalog: str, keep: str) -> dict[str, Any]:
    """Return a whole manifest for a model: its name, what of its architecture manifests say, and its graph."""
    with told():
        from kernelpath.models.initial import initial_manifest

        inference = initial_manifest(model, features, usable_catalog(catalog), keep)
    architecture = model.architecture
    about = {
        "numLayers": architecture["num_layers"],
        "headDim": architecture["head_dim"],
        "maxSeqLen": architecture["context_length"],
    }
    return {"modelId": model.name, "architecture": about, "inference": inference}


def kernel_path(manifest: Mapping[str, Any], pack: str, catalog: str, runtime: Any = None) -> Mapping[str, Any]:
    """Return the kernel path that a manifest compiles to; raises InputErrors with the findings where there is none."""
    layers = manifest.get("architecture", {}).get("numLayers", 0)
    result = compile(
        manifest["inference"],
        pack=usable_pack(pack),
        runtime=runtime,
        model_id=manifest.get("modelId"),
        num_layers=layers,
        catalog=usable_catalog(catalog),
    )
    if not result.ok:
        raise InputErrors(result.diagnostics)
    path = (result.value or {}).get("runtimeInferencePatch", {}).get("kernelPath")
    if path is None:
        raise unusable("cli/no-graph", "the manifest compiles to no kernel path, so there is nothing to run")
    found: Mapping[str, Any] = path
    return found


def named_manifest(name: str) -> dict[str, Any]:
    """Return the whole manifest in a file; an inference section that stands alone becomes one."""
    manifest = read_manifest(name)
    if manifest.whole:
        return dict(manifest.document.value)
    return {"modelId": "model", "inference": manifest.inference}
