"""Built-ins that convert numbers; every vocabulary adds one of its own name, from string to its values."""

from __future__ import annotations

from kernelpath.language import arithmetic
from kernelpath.language.builtins.declarations import Failure, builtin


@builtin(
    "int(x: float) -> int",
    doc="The number without its fraction.",
    examples=[
        ("int(2.9)", 2),
        ("int(-2.9)", -2),
        ('int(number("x"))', Failure("not a finite number")),
        ("int(1e300)", Failure("integer overflow")),
    ],
)
def int_(x: float) -> int:
    return arithmetic.truncated(x)


@builtin(
    "float(x: int) -> float",
    doc="The int as a float.",
    examples=[("float(2)", 2.0), ("float(9007199254740993)", 9007199254740992.0)],
)
def float_(x: int) -> float:
    return float(x)
