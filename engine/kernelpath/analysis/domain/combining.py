"""Small formulas made of others; what is known already is worked out."""

from __future__ import annotations

from typing import Any

from kernelpath.analysis.domain.formulas import Apply, Choice, Constant, Formula, worked_out

NULL_VALUE = Constant(None)


def negated(formula: Formula) -> Formula:
    """Return whether a condition does not hold."""
    return (
        Constant(worked_out(_not, [formula.value])) if isinstance(formula, Constant) else Apply("not", _not, (formula,))
    )


def is_null(formula: Formula) -> Formula:
    """Return whether a value is null."""
    if isinstance(formula, Constant):
        return Constant(formula.value is None)
    return Apply("== null", _is_none, (formula,))


def _is_none(value: Any) -> bool:
    return value is None


def choice(test: Formula, then: Formula, otherwise: Formula) -> Formula:
    """Return one of two formulas by a third."""
    if isinstance(test, Constant):
        return then if test.value is True else otherwise
    return Choice(test, then, otherwise)


def _not(value: Any) -> bool:
    return value is not True
