"""Round values to what a storage dtype can hold, in whatever dtype the arithmetic is done."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_STORED = {"f16": np.float16, "f32": np.float32}


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return a copy of values rounded to a storage dtype, to nearest with ties to even; overflow gives infinity.

    Dtypes other than f16 and f32 leave values as they are: nothing that kernels write is stored so.
    """
    kind = _STORED.get(dtype)
    if kind is None:
        return values.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(kind).astype(values.dtype)
