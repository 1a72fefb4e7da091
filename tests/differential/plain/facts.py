"""The reference's facts in the form that the plain functions ask for: kernels, kernel paths, the fallback table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Facts:
    """What the reference knows beside the request; keys of kernels are `file#entry`."""

    digests: Mapping[str, str]
    outputs: Mapping[str, frozenset[str]]
    paths: Mapping[str, Mapping[str, Any]]
    fallback: Sequence[Mapping[str, Any]]


def make_facts(catalogue: Mapping[str, Any], kernel_paths: Mapping[str, Any]) -> Facts:
    """Build the facts from the catalogue document and the kernel-path document."""
    return Facts(
        digests={key: kernel["digest"] for key, kernel in _pinned(catalogue) if kernel.get("digest")},
        outputs=_declared_outputs(catalogue),
        paths=_paths(kernel_paths["paths"]),
        fallback=kernel_paths["finitenessFallback"],
    )


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
