"""What the commands that run models have in common: extras that may be missing, models, devices, kernel paths."""

from __future__ import annotations

import re
from contextlib import contextmanager

from kernelpath.api import ask
from kernelpath.cli.describing import section
from kernelpath.cli.inputs import InputErrors, unusable
from kernelpath.cli.judging import Judge, usable_catalog, usable_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.cli.console import Console
    from kernelpath.cli.judging import Judged
    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.execute.place import Place
    from kernelpath.models.model import Model

OWN_CATALOG = "kernelpath"
KEPT = ("stored", "f16", "f32")
_LAYER = re.compile(r"`layer\.\d+\.")


class Findings(Exception):
    """What was found in a manifest that may not run, or in a run that went wrong: no mistake of usage (exit code 1)."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)
        self.sources = dict(sources)

    def to_list(self) -> list[dict[str, object]]:
        """Return the findings as plain JSON."""
        return [diagnostic.to_dict() for diagnostic in self.diagnostics]

    def told(self, console: Console) -> int:
        """Tell the findings, and return the exit code."""
        console.refuse(self.diagnostics, self.sources)
        return 1


def add_model(arguments: Arguments) -> None:
    """Add the arguments that say what is run: a model, and the manifest whose graph it has."""
    arguments.add("model", metavar="MODEL", help="a GGUF file, a safetensors file, or a folder with one")
    manifest_help = "run this manifest's graph, not one made for the model; --catalog as it was pinned"
    arguments.add("--manifest", metavar="FILE", help=manifest_help)


def add_place(add: Any) -> None:
    """Add the options that say where a model runs, and how its weights are kept there; `add` is a group's."""
    backend_help = "a GPU, numpy, or what there is (auto)"
    add("--backend", default="auto", choices=("auto", "wgpu", "numpy"), help=backend_help)
    add("--adapter", metavar="NAME", help="part of the name of the GPU to take")
    add("--keep", default="stored", choices=KEPT, help="how weights are kept (stored)")


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


def _refused(error: Exception) -> InputErrors | Findings | None:
    """Return what a model, a device or a session says, None for any other error."""
    found = getattr(error, "diagnostics", None)
    names = {kind.__name__ for kind in type(error).__mro__}  # they are named here, and never imported
    if "NotFinite" in names and found:
        return Findings(found, {})
    if not names.isdisjoint(("ModelErrors", "SessionError")) and found:
        return InputErrors(folded(found))
    if isinstance(error, MemoryError):
        message = "the machine has no memory for this" + (f": {error}" if str(error) else "")
        return unusable("device/memory", message, help_text="keep fewer positions with `--capacity`")
    if "DeviceError" in names:
        return unusable("device/unusable", str(error), help_text=getattr(error, "help", None))
    if type(error).__module__.partition(".")[0] == "wgpu":
        return _device_failed(str(error))
    return None


def _device_failed(text: str) -> InputErrors:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else "it does not say why"
    help_text = "look into the driver's log, or run with `--backend numpy`"
    if "device is lost" in text.lower() or "device lost" in text.lower():
        return unusable("device/lost", "the device was lost while it worked", help_text=help_text)
    return unusable("device/failed", f"the device refused the work: {last}", help_text=help_text)


def folded(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return findings with those that differ in the layer alone as one: the first, which says how many there are."""
    alike: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in found:
        key = (diagnostic.rule, _LAYER.sub("`layer.*.", diagnostic.message))
        alike.setdefault(key, []).append(diagnostic)
    return [_first(group) for group in alike.values()]


def _first(group: list[Diagnostic]) -> Diagnostic:
    from dataclasses import replace

    others = len({diagnostic.subject for diagnostic in group}) - 1
    if not others:
        return group[0]
    again = f"the same in {others} other layer{'s' if others > 1 else ''}"
    return replace(group[0], help=f"{group[0].help}; {again}" if group[0].help else again)


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
    """Return a whole manifest for a model: its name, its architecture, and its graph."""
    with told():
        from kernelpath.models.initial import whole_manifest

        return whole_manifest(model, section(model.architecture), features, usable_catalog(catalog), keep)


def graph_path(options: Namespace, model: Model, place: Place) -> Mapping[str, Any]:
    """Return the kernel path that is to run: the manifest's that was given, else that of one made for the model.

    Raises Findings where the manifest may not run, and InputErrors where it is none, or not one for this model.
    """
    if options.manifest:
        return _of_manifest(options, model)
    manifest = first_manifest(model, frozenset(place.limits.features), options.catalog, options.keep)
    result = ask("compile", pack=usable_pack(options.pack), manifest=manifest, catalog=usable_catalog(options.catalog))
    if not result.ok:
        raise Findings(result.diagnostics, {})
    return path_of(result.value, "run")


def _of_manifest(options: Namespace, model: Model) -> Mapping[str, Any]:
    from types import SimpleNamespace

    settings = {"pack": options.pack, "catalog": options.catalog, "verbose": options.verbose, "num_layers": None}
    judge = Judge.of(SimpleNamespace(**settings), options.manifest)
    judged = judge.judge()
    if not judged.ok:
        raise Findings(judged.diagnostics, judge.sources())
    _match(judged, model)
    return path_of(judged.value, "run")


def _match(judged: Judged, model: Model) -> None:
    """Refuse a manifest that says that it is for a model of another depth."""
    said, has = judged.given.written("/architecture/numLayers"), model.architecture["num_layers"]
    if said and str(said) != str(has):
        message = f"the manifest is for {said} layers, and the model has {has}"
        raise unusable("cli/other-model", message, help_text="`kernelpath init MODEL` makes a manifest for this one")


def path_of(value: Any, purpose: str) -> Mapping[str, Any]:
    """Return the kernel path in what a manifest compiles to; raises InputErrors where there is none."""
    path: Mapping[str, Any] | None = ((value or {}).get("runtimeInferencePatch") or {}).get("kernelPath")
    if path is None:
        message = f"the manifest compiles to no kernel path, so there is nothing to {purpose}"
        raise unusable("cli/no-graph", message)
    return path


__all__ = [
    "KEPT",
    "OWN_CATALOG",
    "Findings",
    "add_model",
    "add_place",
    "first_manifest",
    "folded",
    "graph_path",
    "opened",
    "path_of",
    "placed",
    "told",
]
