"""The array built-ins of `meaning`: what an op computes, said over logical arrays.

Operators work element by element and broadcast, as numpy's do. `kernels/README.md` lists the built-ins with their
meaning; this table is the one place where they are made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def softmax(scores: Array) -> Array:
    """Return the softmax of the last axis; a row of all -infinity gives zeros, and a NaN stays one."""
    top = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0.0, top).astype(scores.dtype))
    total = np.sum(weights, axis=-1, keepdims=True)
    return np.asarray(np.divide(weights, np.where(total == 0, 1.0, total).astype(scores.dtype)))


def visible(queries: int, keys: int, start: int, window: int, causal: int) -> Array:
    """Return which keys each query sees, as bool [queries, keys]; query i stands at position start + i.

    Causal: no key after the query, and with a window W none W or more before it. Otherwise: all, or those within W / 2.
    """
    distance = (start + np.arange(queries))[:, None] - np.arange(keys)[None, :]
    if not causal:
        return np.asarray(np.abs(distance) * 2 <= window) if window else np.ones((queries, keys), dtype=bool)
    near = distance < window if window else np.ones((queries, keys), dtype=bool)
    return np.asarray((distance >= 0) & near)


def take(table: Array, ids: Array) -> Array:
    """Return the table's rows of those ids; an id outside the table gives its nearest row."""
    return np.take(table, ids.astype(np.int64), axis=0, mode="clip")


def cut(array: Array, axis: int, begin: int, end: int) -> Array:
    """Return the part of an array from `begin` up to and not including `end` along an axis."""
    index = [slice(None)] * array.ndim
    index[axis] = slice(begin, end)
    return array[tuple(index)]


def set_cut(array: Array, axis: int, begin: int, value: Array) -> Array:
    """Return an array with a part along an axis, from `begin` on, replaced."""
    changed = array.copy()
    cut(changed, axis, begin, begin + value.shape[axis])[...] = value
    return changed


def argmax(array: Array) -> Array:
    """Return the lowest index of the largest element of the last axis; NaN never wins."""
    return np.asarray(np.argmax(np.where(np.isnan(array), -np.inf, array), axis=-1))


def largest(array: Array, other: Array | None = None) -> Array:
    """Return the largest of the last axis, kept as an axis of 1; of two arrays, the larger elements."""
    return np.asarray(np.max(array, axis=-1, keepdims=True) if other is None else np.maximum(array, other))


def smallest(array: Array, other: Array | None = None) -> Array:
    """Return the smallest of the last axis, kept as an axis of 1; of two arrays, the smaller elements."""
    return np.asarray(np.min(array, axis=-1, keepdims=True) if other is None else np.minimum(array, other))


def sigmoid(array: Array) -> Array:
    """Return 1 / (1 + exp(-x)) without overflow on either side."""
    small = np.exp(-np.abs(array))
    return np.asarray(np.where(array >= 0, 1, small) / (1 + small))


def gelu(array: Array) -> Array:
    """Return the tanh form of GELU."""
    inner = 0.7978845608028654 * (array + 0.044715 * array * array * array)
    return np.asarray(0.5 * array * (1 + np.tanh(inner)))


BUILTINS: dict[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "transpose": lambda array: np.swapaxes(array, -1, -2),
    "swap": np.swapaxes,
    "reshape": lambda array, *shape: np.reshape(array, shape),
    "repeat": lambda array, count, axis: np.repeat(array, count, axis=axis),
    "slice": cut,
    "set_slice": set_cut,
    "concat": lambda left, right, axis: np.concatenate([left, right], axis=axis),
    "take": take,
    "arange": lambda count: np.arange(count),
    "sum": lambda array: np.sum(array, axis=-1, keepdims=True),
    "mean": lambda array: np.mean(array, axis=-1, keepdims=True),
    "max": largest,
    "min": smallest,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "argmax": argmax,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "floor": np.floor,
    "where": np.where,
    "both": np.logical_and,
    "either": np.logical_or,
    "softmax": softmax,
    "sigmoid": sigmoid,
    "silu": lambda array: array * sigmoid(array),
    "gelu": gelu,
    "visible": visible,
    "ceil_div": lambda left, right: -(-left // right),
}
