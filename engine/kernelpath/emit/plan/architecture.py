"""The architecture's description as the flat names that `kernels/ops.yaml` uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelpath.emit.plan.expressions import Scalar


def layer_names(architecture: Mapping[str, Any], layer: int | None) -> dict[str, Scalar]:
    """Return the scalars of a description, nested ones as `outer_inner`, those of the layer's type bare.

    Outside layers the first layer's type stands in: nothing there reads it.
    """
    names = _flat({key: value for key, value in architecture.items() if key not in ("types", "layer_types")})
    return names | _flat(layer_type(architecture, layer or 0))


def layer_type(architecture: Mapping[str, Any], layer: int) -> Mapping[str, Any]:
    """Return the description of a layer's type: its window and its rope."""
    members: Mapping[str, Any] = architecture["types"][architecture["layer_types"][layer]]
    return members


def _flat(members: Mapping[str, Any], prefix: str = "") -> dict[str, Scalar]:
    names: dict[str, Scalar] = {}
    for key, value in members.items():
        if isinstance(value, Mapping):
            names |= _flat(value, f"{prefix}{key}_")
        elif isinstance(value, bool | int | float | str):
            names[prefix + key] = value
    return names
