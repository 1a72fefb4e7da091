"""The reference's facts in the form that the plain functions ask for: kernels, kernel paths, the fallback table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Facts:
    """What the reference knows beside the request; keys of kernels are `file#entry`."""

    digests: Mapping[str, str]
    outputs: Mapping[str, frozenset[str]]
    paths: Mapping[str, Mapping[str, Any]]
    fallback: Sequence[Mapping[str, Any]]


def make_facts(catalogue: Mapping[str, Any], kernel_paths: Mapping[str, Any]) -> Facts:
    """Build the facts from a catalogue (`kernels`) and from kernel paths (`paths` and the fallback table)."""
    return Facts(
        digests={key: kernel["digest"] for key, kernel in _pinned(catalogue) if kernel.get("digest")},
        outputs=_declared_outputs(catalogue),
        paths=_paths(kernel_paths["paths"]),
        fallback=kernel_paths["finitenessFallback"],
    )


def read_facts(kernels: Path) -> Facts:
    """Read the project's own copies: `catalogs/doppler-0.1.7.yaml` and `paths/*.yaml` under the folder `kernels`."""
    selection = _read(kernels / "paths" / "selection.yaml")
    presets = []
    for name in selection["order"]:
        document = _read(kernels / "paths" / f"{name}.yaml")
        presets.append({"id": name, **({} if "aliasOf" in document else {"path": document}), **document})
    catalogue = _read(kernels / "catalogs" / "doppler-0.1.7.yaml")
    return make_facts(catalogue, {"paths": presets, "finitenessFallback": selection["finitenessFallback"]})


def _read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _key(kernel: Mapping[str, Any]) -> str:
    return f"{kernel['kernel']}#{kernel['entry']}"


def _pinned(catalogue: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    kernels = [*catalogue["kernels"], *catalogue.get("digest_only", [])]
    return [(_key(kernel), kernel) for kernel in kernels]


def _declared_outputs(catalogue: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    outputs: dict[str, frozenset[str]] = {}
    for kernel in catalogue["kernels"]:
        declared = kernel.get("outputDtype")
        known = outputs.get(_key(kernel), frozenset())
        outputs[_key(kernel)] = known | {declared} if declared else known
    return outputs


def _paths(presets: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    paths = {preset["id"]: preset["path"] for preset in presets if "path" in preset}
    for preset in presets:
        if "aliasOf" in preset:
            paths[preset["id"]] = paths[preset["aliasOf"]]
    return paths
