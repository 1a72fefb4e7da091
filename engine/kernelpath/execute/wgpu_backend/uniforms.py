"""The uniforms of a plan in one buffer: constants packed once, run-time numbers put in before each submit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelpath.emit.plan.expressions import Scalar
from kernelpath.emit.plan.model import Dynamic, Plan, Uniform

_TYPES: dict[str, Any] = {"u32": np.uint32, "i32": np.int32, "f32": np.float32}


class PackedUniforms:
    """The bytes of a plan's uniforms, as 32-bit words."""

    def __init__(self, plan: Plan) -> None:
        self.words: NDArray[np.uint32] = np.zeros(-(-plan.uniform_size // 4), dtype=np.uint32)
        self._dynamic: dict[int, tuple[str, int]] = {}
        for dispatch in plan.dispatches:
            for uniform in dispatch.uniforms:
                self._place(uniform, (dispatch.uniform_offset + uniform.offset) // 4)

    def _place(self, uniform: Uniform, word: int) -> None:
        if isinstance(uniform.value, Dynamic):
            self._dynamic[word] = (uniform.type, uniform.value.index)
        else:
            self.words[word] = packed(uniform.type, uniform.value)

    def put(self, dynamics: Sequence[Scalar]) -> bool:
        """Put in the numbers of a call, and return whether any word changed."""
        changed = False
        for word, (kind, index) in self._dynamic.items():
            value = packed(kind, dynamics[index])
            changed = changed or bool(self.words[word] != value)
            self.words[word] = value
        return changed


def packed(kind: str, value: Scalar) -> np.uint32:
    """Return a number as the 32-bit word that a u32, i32 or f32 field holds; OverflowError where it does not fit."""
    word: np.uint32 = np.array([value], dtype=_TYPES[kind]).view(np.uint32)[0]
    return word
