"""The built-ins of `meaning`, and how it is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelpath.emit.plan.families import load_families
from kernelpath.execute.numpy_backend.arrays import BUILTINS
from kernelpath.execute.numpy_backend.meaning import MeaningError, assignments, run
from kernelpath.execute.numpy_backend.rounding import rounded

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
B = np.array([[1.0, 0.0, -1.0]])
T, F = True, False


def meant(text: str, **names: Any) -> Any:
    """Return what `out` is after a meaning."""
    return run(text, names, lambda _, value: value)["out"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("out = matmul(A, transpose(B))", [[-2], [-3]]),
        ("out = 2 * A - B // 1 + 1", [[2, 5, 8], [8, 11, 16]]),
        ("out = sum(A)", [[6], [16]]),
        ("out = mean(A)", [[2], [16 / 3]]),
        ("out = max(A)", [[3], [7]]),
        ("out = min(A)", [[1], [4]]),
        ("out = max(A, 4.0)", [[4, 4, 4], [4, 5, 7]]),
        ("out = argmax(A)", [2, 2]),
        ("out = where(A > 2.0, A, 0.0)", [[0, 0, 3], [4, 5, 7]]),
        ("out = both(A > 2.0, A < 5.0)", [[F, F, T], [T, F, F]]),
        ("out = either(A < 2.0, A > 5.0)", [[T, F, F], [F, F, T]]),
        ("out = slice(A, 1, 1, 3)", [[2, 3], [5, 7]]),
        ("out = set_slice(A, 1, 1, transpose(slice(B, 1, 0, 2)))", [[1, 1, 3], [4, 0, 7]]),
        ("out = concat(A, B, 0)", [[1, 2, 3], [4, 5, 7], [1, 0, -1]]),
        ("out = take(A, arange(3) % 2)", [[1, 2, 3], [4, 5, 7], [1, 2, 3]]),
        ("out = take(A, arange(3) + 1)", [[4, 5, 7], [4, 5, 7], [4, 5, 7]]),
        ("out = reshape(A, 3, 2)", [[1, 2], [3, 4], [5, 7]]),
        ("out = repeat(B, 2, 0)", [[1, 0, -1], [1, 0, -1]]),
        ("out = swap(A, 0, 1)", [[1, 4], [2, 5], [3, 7]]),
        ("out = visible(2, 4, 2, 0, 1)", [[T, T, T, F], [T, T, T, T]]),
        ("out = visible(2, 4, 2, 2, 1)", [[F, T, T, F], [F, F, T, T]]),
        ("out = visible(2, 3, 0, 0, 0)", [[T, T, T], [T, T, T]]),
        ("out = visible(2, 4, 1, 2, 0)", [[T, T, T, F], [F, T, T, T]]),
        ("out = if n > 2 then A else B", [[1, 0, -1]]),
        ("twice = 2 * A\nout = twice\n  + twice", [[4, 8, 12], [16, 20, 28]]),
    ],
)
def test_built_ins(text: str, expected: Any) -> None:
    """Each built-in gives exactly this."""
    np.testing.assert_array_equal(meant(text, A=A, B=B, n=2), expected)


def test_softmax_of_a_masked_row_is_zero() -> None:
    """A row that sees nothing gives zeros, one with a NaN gives NaN, and large scores do not overflow."""
    scores = np.array([[-np.inf, -np.inf], [1000.0, 1000.0], [np.nan, 0.0], [-np.inf, 3.0]])
    with np.errstate(invalid="ignore"):
        result = BUILTINS["softmax"](scores)
    np.testing.assert_array_equal(result[[0, 1, 3]], [[0, 0], [0.5, 0.5], [0, 1]])
    assert np.isnan(result[2]).all()


def test_activations_have_their_known_values() -> None:
    """silu and the tanh form of gelu, at values from their definitions, and at ±150 without overflow."""
    points = np.array([-150.0, -1.0, 0.0, 1.0, 150.0])
    silu = [0, -0.2689414213699951, 0, 0.7310585786300049, 150]
    np.testing.assert_allclose(BUILTINS["silu"](points), silu, rtol=1e-12, atol=1e-60)
    gelu = [0, -0.15880800939172324, 0, 0.8411919906082768, 150]
    np.testing.assert_allclose(BUILTINS["gelu"](points), gelu, rtol=1e-12)


def test_a_part_is_written_in_place() -> None:
    """`x = set_slice(x, ...)` changes the array that it was given, so that a cache is never copied."""
    cache = np.zeros((4, 2))
    changed = run("x = set_slice(x, 0, 2, v)", {"x": cache, "v": np.ones((1, 2))}, lambda _, value: value)["x"]
    assert changed is cache
    np.testing.assert_array_equal(cache, [[0, 0], [0, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("out = nothing", "a meaning reads `nothing`, which is no binding, dimension or parameter"),
        ("out = invert(A)", "a meaning has no built-in `invert`"),
        ("out = A in B", "a meaning has no operator `in`"),
        ("out = [A]", "a meaning has no ListLiteral"),
        ("matmul(A, B)", "`matmul(A, B)` is no assignment: write `name = expression`"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    """What a meaning does not have is an error that says it."""
    with pytest.raises(MeaningError) as error:
        meant(text, A=A, B=B)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("value", "dtype", "stored"),
    [
        (65519.0, "f16", 65504.0),
        (65520.0, "f16", np.inf),
        (1 + 2**-11, "f16", 1.0),
        (1 + 3 * 2**-11, "f16", 1 + 2**-9),
        (2**-25, "f16", 0.0),
        (3 * 2**-25, "f16", 2**-23),
        (1 + 2**-24, "f32", 1.0),
        (16777217.0, "f32", 16777216.0),
        (1 + 2**-40, "u32", 1 + 2**-40),
    ],
)
def test_storage_rounds_to_nearest_even(value: float, dtype: str, stored: float) -> None:
    """A value is held as its storage dtype holds it; f16 overflows to infinity."""
    assert rounded(np.array([value]), dtype).tolist() == [stored]


@pytest.mark.parametrize("name", sorted(load_families().by_name))
def test_every_family_has_a_meaning_that_assigns_its_outputs(name: str) -> None:
    """A family's meaning parses, and each binding that its kernels write is assigned in it."""
    family = load_families().by_name[name]
    targets = {assignment.target for assignment in assignments(family.meaning)}
    written = {form.name for each in family.variants for form in each.bindings if form.kind in ("write", "read_write")}
    assert written <= targets
