"""The expression language of the rules: total, pure, deterministic and statically typed.

Text is parsed to a tree, checked to a typed tree, and then evaluated: by the interpreter, which is the meaning, or by
Python that is generated from it, which is what runs. Names are imported when they are first used, so that running
generated code pays for neither the parser nor the checker.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernelpath.language.ast import Expression
    from kernelpath.language.checker import Checked, Names, check
    from kernelpath.language.errors import EvaluationError, LanguageErrors, Problem
    from kernelpath.language.interpreter import interpret
    from kernelpath.language.messages import CheckedMessage, Message, check_message, parse_message, render
    from kernelpath.language.meter import Meter
    from kernelpath.language.parser import parse
    from kernelpath.language.reference import render_reference
    from kernelpath.language.runtime import RUNTIME
    from kernelpath.language.to_python import PythonWriter, compile_function
    from kernelpath.language.trace import Trace
    from kernelpath.language.type_parser import parse_type
    from kernelpath.language.types import (
        BOOL,
        FLOAT,
        INT,
        JSON,
        NULL,
        STRING,
        ListOf,
        MapOf,
        Optional,
        Record,
        Type,
        Vocabulary,
    )
    from kernelpath.language.unparser import unparse

_HOMES = {
    "ast": ("Expression",),
    "checker": ("Checked", "Names", "check"),
    "errors": ("EvaluationError", "LanguageErrors", "Problem"),
    "interpreter": ("interpret",),
    "messages": ("CheckedMessage", "Message", "check_message", "parse_message", "render"),
    "meter": ("Meter",),
    "parser": ("parse",),
    "reference": ("render_reference",),
    "runtime": ("RUNTIME",),
    "to_python": ("PythonWriter", "compile_function"),
    "trace": ("Trace",),
    "type_parser": ("parse_type",),
    "types": (
        "BOOL",
        "FLOAT",
        "INT",
        "JSON",
        "NULL",
        "STRING",
        "ListOf",
        "MapOf",
        "Optional",
        "Record",
        "Type",
        "Vocabulary",
    ),
    "unparser": ("unparse",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)


__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "JSON",
    "NULL",
    "RUNTIME",
    "STRING",
    "Checked",
    "CheckedMessage",
    "EvaluationError",
    "Expression",
    "LanguageErrors",
    "ListOf",
    "MapOf",
    "Message",
    "Meter",
    "Names",
    "Optional",
    "Problem",
    "PythonWriter",
    "Record",
    "Trace",
    "Type",
    "Vocabulary",
    "check",
    "check_message",
    "compile_function",
    "interpret",
    "parse",
    "parse_message",
    "parse_type",
    "render",
    "render_reference",
    "unparse",
]
