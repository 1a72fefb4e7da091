"""Run one kernel on given arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelpath.emit.plan.families import Variant, load_families
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.trial import NUMPY, Trial, all_names

Array = NDArray[Any]


def variant(kernel: str, entry: str = "main", where: int = -1) -> Variant:
    """Return a kernel's variant: the last, for every shape, unless `where` says otherwise."""
    return load_families().variants(kernel, entry)[where]


def launch(shaders: Shaders, kernel: Variant, names: dict[str, Any], **arrays: Array) -> dict[str, Array]:
    """Return what a kernel writes, its outputs poisoned before."""
    trial = Trial(shaders, kernel, all_names(kernel, names, cpu=False))
    for name, form in trial.forms.items():
        if name in arrays:
            trial.write(name, arrays[name].astype(NUMPY[form.dtype]) if form.dtype in NUMPY else arrays[name])
        else:
            trial.poison(name)
    trial.run()
    return {name: trial.read(name) for name, form in trial.forms.items() if form.kind in ("write", "read_write")}


def with_overrides(kernel: Variant, groups: tuple[str, str, str], **overrides: float) -> Variant:
    """Return a variant with other override constants and workgroup counts than its family's."""
    constants = {name: {"default": value} for name, value in overrides.items()}
    return replace(kernel, overrides={**kernel.overrides, **constants}, groups=groups)


def ones(*shape: int) -> Array:
    """Return ones as f32."""
    return np.ones(shape, np.float32)
