"""The built-in functions; importing this package declares all of them."""

from __future__ import annotations

from kernelpath.language.builtins import conversions, json, lists, numbers, strings, structures
from kernelpath.language.builtins.declarations import DECLARED, RECORDS, Declaration, Failure

__all__ = [
    "DECLARED",
    "RECORDS",
    "Declaration",
    "Failure",
    "conversions",
    "json",
    "lists",
    "numbers",
    "strings",
    "structures",
]
