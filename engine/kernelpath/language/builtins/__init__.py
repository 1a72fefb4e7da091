"""The built-in functions; importing this package declares all of them."""

from __future__ import annotations

from kernelpath.language.builtins import conversions, json, lists, numbers, strings, structures
from kernelpath.language.builtins.declarations import DATA, DECLARED, RECORDS, DataFault, Declaration, Failure

__all__ = [
    "DATA",
    "DECLARED",
    "RECORDS",
    "DataFault",
    "Declaration",
    "Failure",
    "conversions",
    "json",
    "lists",
    "numbers",
    "strings",
    "structures",
]
